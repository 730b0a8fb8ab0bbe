"""Boil Over: the rules as kernels. Clauses (R1, …) are those of RULES.md."""

from __future__ import annotations

import numpy as np

from hotpot_envs.core.bits import bit, lowest, popcount, spread
from hotpot_envs.core.jit import kernel, rare
from hotpot_envs.core.rng import below, shuffle
from hotpot_envs.games.boil_over.state import (
    ALL_CARDS,
    FIRST_POISON,
    LOWEST_POISON,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_POISONS,
    NUM_POTS,
    NUM_VALUES,
    SPADES,
    SUIT_SETS,
    VALUES,
)

# Actions: 0–29 an ingredient by its card; from 30 on a poison: eight for each pot.
_INGREDIENTS = np.uint64((1 << FIRST_POISON) - 1)
_POISON_STEPS = np.array([0, NUM_POISONS, 2 * NUM_POISONS], dtype=np.uint64)
_NONE = np.uint64(0)
_SUIT = np.uint64((1 << NUM_VALUES) - 1)
_POISONS = np.uint64((1 << NUM_POISONS) - 1)


@kernel
def legal_actions(state, seat):
    """Return a seat's legal actions as a set: ingredients to their pot, poison anywhere (R8)."""
    hand = state["hand"][seat]
    poison = hand & ~_INGREDIENTS
    actions = hand
    for pot in range(1, NUM_POTS):
        actions |= poison << _POISON_STEPS[pot]
    return actions


@kernel
def boiling_actions(config, state):
    """Return the actions that would make their pot boil over, whoever has the cards (R9)."""
    actions = _NONE
    for pot in range(NUM_POTS):
        room = min(config["limit"] - state["pot_total"][pot], NUM_VALUES)
        over = (_SUIT << np.uint64(room)) & _SUIT
        actions |= over << np.uint64(NUM_VALUES * pot)
        fitting = max(min(room - LOWEST_POISON + 1, NUM_POISONS), 0)
        over = (_POISONS << np.uint64(fitting)) & _POISONS
        actions |= over << np.uint64(FIRST_POISON + NUM_POISONS * pot)
    return actions


@kernel
def card_of(action):
    """Return the card that an action plays."""
    if action < FIRST_POISON:
        return action
    return FIRST_POISON + (action - FIRST_POISON) % NUM_POISONS


@kernel
def pot_of(action):
    """Return the pot that an action plays on."""
    if action < FIRST_POISON:
        return action // NUM_VALUES
    return (action - FIRST_POISON) // NUM_POISONS


@kernel
def reset(config, state):
    """Draw the first dealer and deal (R3, R4)."""
    state["dealer"] = below(state["rng"], config["num_players"])
    deal(config, state)


@rare
def deal(config, state):
    """Deal a round: all 38 cards, one at a time from the dealer's left (R4–R7)."""
    num_players = config["num_players"]
    num_hands = max(num_players, 4)
    cards = np.empty(NUM_CARDS, np.int8)
    for card in range(NUM_CARDS):
        cards[card] = card
    shuffle(state["rng"], cards, NUM_CARDS)
    state["unused"] = _NONE
    for seat in range(num_players):
        state["hand"][seat] = _NONE
        state["taken"][seat] = _NONE
        state["standing"][seat] = 0
    for pot in range(NUM_POTS):
        state["pot"][pot] = _NONE
        state["pot_total"][pot] = 0
    state["to_move"] = (state["dealer"] + 1) % num_players
    first = np.int64(state["to_move"])
    for place in range(num_hands):
        hand = _NONE
        for index in range(place, NUM_CARDS, num_hands):
            hand |= bit(cards[index])
        if place == num_players:
            state["unused"] = hand
        else:
            state["hand"][(first + place) % num_players] = hand


@kernel
def legal(config, state, out_mask):
    """Mark the legal actions (R8)."""
    spread(legal_actions(state, state["to_move"]), NUM_ACTIONS, out_mask, 0)


@kernel
def apply(config, state, action):
    """Play a card; a pot over the limit boils over (R7–R10, R12)."""
    seat = np.int64(state["to_move"])
    if legal_actions(state, seat) & bit(action) == _NONE:
        return False
    card, pot = card_of(action), pot_of(action)
    state["num_moves"] += 1
    state["hand"][seat] ^= bit(card)
    total = state["pot_total"][pot] + VALUES[card]
    if total > config["limit"]:
        state["taken"][seat] |= state["pot"][pot]
        state["pot"][pot] = bit(card)
        state["pot_total"][pot] = VALUES[card]
        count_round(config, state)
    else:
        state["pot"][pot] |= bit(card)
        state["pot_total"][pot] = total
    left = seat + 1
    if left == config["num_players"]:
        left = np.int64(0)
    if state["hand"][left] != _NONE:
        state["to_move"] = left
    else:
        end_round(config, state)
    return True


@kernel
def count_round(config, state):
    """Reckon what this round costs each seat by the cards taken so far (R13, R14).

    Without a branch that depends on the cards: it halves the time.
    """
    num_players = config["num_players"]
    taken, standing = state["taken"], state["standing"]
    for seat in range(num_players):
        standing[seat] = 2 * popcount(taken[seat] & SUIT_SETS[SPADES])
    for suit in range(SPADES):
        most, second = np.int64(0), np.int64(0)
        for seat in range(num_players):
            count = popcount(taken[seat] & SUIT_SETS[suit])
            second = max(second, min(most, count))
            most = max(most, count)
        for seat in range(num_players):
            count = popcount(taken[seat] & SUIT_SETS[suit])
            thrown_away = count > second  # nobody else has as many
            standing[seat] += count * (1 - np.int64(thrown_away))


@rare
def end_round(config, state):
    """Write the round's points down; deal the next round or end the game (R12, R15, R16)."""
    num_players = config["num_players"]
    for seat in range(num_players):
        state["round_points"][state["round"], seat] = state["standing"][seat]
        state["points"][seat] += state["standing"][seat]
        state["standing"][seat] = 0
    state["round"] += 1
    if state["round"] == config["rounds"]:
        state["terminated"] = True
    else:
        state["dealer"] = (state["dealer"] + 1) % num_players
        deal(config, state)


@kernel
def scores(config, state, out_scores):
    """Write each seat's points: rounds that are over, and this one as it stands (R17, R18)."""
    for seat in range(config["num_players"]):
        out_scores[seat] = state["points"][seat] + state["standing"][seat]


@kernel
def winners(config, state, out_winners):
    """Mark who has the fewest points (R17)."""
    num_players = config["num_players"]
    fewest = state["points"][0]
    for seat in range(1, num_players):
        fewest = min(fewest, state["points"][seat])
    for seat in range(num_players):
        out_winners[seat] = state["points"][seat] == fewest


@kernel
def determinize(config, state, seat, rng):
    """Deal anew the cards that the seat has not seen: other hands and the unused one (R6, R11)."""
    num_players = config["num_players"]
    unseen = ALL_CARDS ^ state["hand"][seat]
    for pot in range(NUM_POTS):
        unseen &= ~state["pot"][pot]
    for other in range(num_players):
        unseen &= ~state["taken"][other]
    cards = np.empty(NUM_CARDS, np.int8)
    count = 0
    while unseen != _NONE:
        cards[count] = lowest(unseen)
        unseen &= unseen - np.uint64(1)
        count += 1
    shuffle(rng, cards, count)
    for other in range(num_players):
        if other == seat:
            continue
        size = popcount(state["hand"][other])
        state["hand"][other] = _NONE
        for _ in range(size):
            count -= 1
            state["hand"][other] |= bit(cards[count])
    state["unused"] = _NONE
    while count > 0:
        count -= 1
        state["unused"] |= bit(cards[count])
