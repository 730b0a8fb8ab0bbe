"""Hot Pot Holic: redrawing what a seat does not know. Clauses (R1, …) are those of RULES.md."""

from __future__ import annotations

import numpy as np

from hotpot_envs.core.bits import nth, popcount
from hotpot_envs.core.jit import kernel
from hotpot_envs.core.rng import below, shuffle
from hotpot_envs.games.hot_pot_holic.rules import (
    add_cards,
    card_of,
    set_of,
    with_card,
    without_card,
)
from hotpot_envs.games.hot_pot_holic.state import (
    ACT,
    CHOOSE,
    DECK_SIZE,
    HAND,
    NUM_CARDS,
    PLAY,
    ROBOT,
)


@kernel
def determinize(config, state, seat, rng):
    """Redraw hands, plates in choice, hidden cards and the robot's pile (R6, R8, R12)."""
    num_players = config["num_players"]
    hands, plates, lying = state["hand"], state["plate"], state["lying"]
    choosing = state["phase"] == CHOOSE
    deck = np.empty(DECK_SIZE, np.int8)
    count = collect_unseen(config, state, seat, deck)
    shuffle(rng, deck, count)
    for other in range(num_players):
        if other == seat:
            continue
        if state["shown"][other] == 1:
            if state["hidden"][other] == 1:
                hand = with_card(hands[other], np.int64(lying[other]))
                card = card_of(nth(hand, below(rng, popcount(hand))))
                lying[other] = card
                hands[other] = without_card(hand, card)
            continue
        size = popcount(hands[other])
        count -= size
        hands[other] = set_of(deck, count, size)
        if choosing:
            size = popcount(plates[other])
            count -= size
            plates[other] = set_of(deck, count, size)
    if num_players == ROBOT:
        revealed = np.int64(state["round"])
        if PLAY <= state["phase"] <= ACT:
            revealed += 1
        for index in range(revealed, HAND):
            count -= 1
            state["robot"][index] = deck[count]


@kernel
def collect_unseen(config, state, seat, out_deck):
    """Write the cards whose place the seat does not know; return how many (R5, R6, R8, R12)."""
    left = np.zeros(NUM_CARDS, np.int8)
    add_cards(left, 0, config["deck"], 1)
    add_cards(left, 0, state["pot"], -1)
    for other in range(config["num_markers"]):
        add_cards(left, 0, state["belly"][other], -1)
        own = other == seat
        if own or state["phase"] != CHOOSE or other == config["num_players"]:
            add_cards(left, 0, state["plate"][other], -1)
        if own or state["shown"][other] == 1:
            add_cards(left, 0, state["hand"][other], -1)
        if state["lying"][other] >= 0:
            left[state["lying"][other]] -= 1
    count = 0
    for card in range(NUM_CARDS):
        for _ in range(left[card]):
            out_deck[count] = card
            count += 1
    return count
