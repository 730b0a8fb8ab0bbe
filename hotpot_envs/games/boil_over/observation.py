"""Boil Over: layouts of actions and observations, and what a seat sees."""

from __future__ import annotations

import numpy as np

from hotpot_envs.core.bits import fill, popcount, spread
from hotpot_envs.core.game import Symmetry
from hotpot_envs.core.jit import kernel
from hotpot_envs.core.layout import Field, Layout
from hotpot_envs.core.seats import relative_seat
from hotpot_envs.games.boil_over.rules import boiling_actions, legal_actions
from hotpot_envs.games.boil_over.state import (
    FIRST_POISON,
    MAX_BOIL_OVER_COST,
    MAX_HAND,
    MAX_LIMIT,
    MAX_PLAYERS,
    MAX_ROUND_POINTS,
    MAX_ROUNDS,
    MIN_BOIL_OVER_COST,
    MIN_PLAYERS,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_POISONS,
    NUM_POTS,
    NUM_SUITS,
    NUM_VALUES,
    SUIT_SETS,
)

ACTIONS = Layout(
    Field(
        "ingredient",
        (NUM_POTS, NUM_VALUES),
        0,
        1,
        "play this card on its own pot: hearts, diamonds, clubs by ace to ten",
    ),
    Field(
        "poison",
        (NUM_POTS, NUM_POISONS),
        0,
        1,
        "play this spade, 2 to 9, on the heart, diamond or club pot",
    ),
)

OBSERVATIONS = Layout(
    Field("hand", (NUM_CARDS,), 0, 1, "own cards: ♥A–10, ♦A–10, ♣A–10, ♠2–9", private=True),
    Field(
        "boils_over",
        (ACTIONS.size,),
        0,
        1,
        "by action: an own card that would make this pot boil over now",
        private=True,
    ),
    Field(
        "boil_over_cost",
        (ACTIONS.size,),
        MIN_BOIL_OVER_COST,
        MAX_BOIL_OVER_COST,
        "by action: what that boil-over would add to the own round points; 0 without one",
        private=True,
    ),
    Field("seen", (NUM_CARDS,), 0, 1, "cards played this round, by anybody"),
    Field("pot_total", (NUM_POTS,), 0, MAX_LIMIT, "each pot's total"),
    Field("pot_ingredients", (NUM_POTS,), 0, 8, "ingredients in each pot"),
    Field("pot_poisons", (NUM_POTS,), 0, 7, "poisons in each pot"),
    Field(
        "taken",
        (MAX_PLAYERS, NUM_SUITS),
        0,
        NUM_VALUES,
        "cards each seat has taken this round, by suit",
        per_seat=True,
    ),
    Field("hand_size", (MAX_PLAYERS,), 0, MAX_HAND, "cards in each seat's hand", per_seat=True),
    Field(
        "round_points",
        (MAX_PLAYERS,),
        0,
        MAX_ROUND_POINTS,
        "what this round would cost each seat if it ended now",
        per_seat=True,
    ),
    Field(
        "points",
        (MAX_PLAYERS,),
        0,
        MAX_ROUND_POINTS * MAX_ROUNDS,
        "each seat's points from the rounds that are over",
        per_seat=True,
    ),
    Field(
        "to_move",
        (MAX_PLAYERS,),
        0,
        1,
        "whose turn it is, one-hot; zeros after the end",
        per_seat=True,
    ),
    Field("dealer", (MAX_PLAYERS,), 0, 1, "who dealt this round, one-hot", per_seat=True),
    Field("num_players", (), 0, MAX_PLAYERS, f"players at the table, from {MIN_PLAYERS}"),
    Field("limit", (), 0, MAX_LIMIT, "a pot boils over above this total, from 10"),
    Field("rounds_left", (), 0, MAX_ROUNDS, "rounds still to play, this one included"),
)

HAND = OBSERVATIONS.start("hand")
BOILS_OVER = OBSERVATIONS.start("boils_over")
BOIL_OVER_COST = OBSERVATIONS.start("boil_over_cost")
SEEN = OBSERVATIONS.start("seen")
POT_TOTAL = OBSERVATIONS.start("pot_total")
POT_INGREDIENTS = OBSERVATIONS.start("pot_ingredients")
POT_POISONS = OBSERVATIONS.start("pot_poisons")
TAKEN = OBSERVATIONS.start("taken")
HAND_SIZE = OBSERVATIONS.start("hand_size")
ROUND_POINTS = OBSERVATIONS.start("round_points")
POINTS = OBSERVATIONS.start("points")
TO_MOVE = OBSERVATIONS.start("to_move")
DEALER = OBSERVATIONS.start("dealer")
NUM_PLAYERS = OBSERVATIONS.start("num_players")
LIMIT = OBSERVATIONS.start("limit")
ROUNDS_LEFT = OBSERVATIONS.start("rounds_left")


def _exchange_pots(order: list[int]) -> Symmetry:
    """Return the renaming of hearts, diamonds and clubs by which suit i becomes ``order[i]``."""
    actions = np.concatenate(
        [
            np.arange(FIRST_POISON).reshape(NUM_POTS, NUM_VALUES)[order].ravel(),
            np.arange(FIRST_POISON, NUM_ACTIONS).reshape(NUM_POTS, NUM_POISONS)[order].ravel(),
        ]
    )
    cards = np.concatenate([actions[:FIRST_POISON], np.arange(FIRST_POISON, NUM_CARDS)])
    suits = np.arange(MAX_PLAYERS * NUM_SUITS).reshape(-1, NUM_SUITS)[:, [*order, NUM_POTS]].ravel()
    moved = {
        **dict.fromkeys(("hand", "seen"), cards),
        **dict.fromkeys(("boils_over", "boil_over_cost"), actions),
        **dict.fromkeys(("pot_total", "pot_ingredients", "pot_poisons"), np.array(order)),
        "taken": suits,
    }
    observations = np.arange(OBSERVATIONS.size)
    for name, places in moved.items():
        observations[OBSERVATIONS.slice(name)] = OBSERVATIONS.start(name) + places
    return Symmetry(observations, actions)


SYMMETRIES = (_exchange_pots([1, 0, 2]), _exchange_pots([1, 2, 0]))

_NONE = np.uint64(0)
_FIRST_SUIT, _SUIT_STEP = SUIT_SETS[0], np.uint64(NUM_VALUES)


@kernel
def _write_costs(num_players, boiling, out_observation):
    """Write what each action of ``boiling`` would add to the own round points (R10, R13, R14)."""
    for pot in range(NUM_POTS):
        most = np.int64(0)  # of the suit that another seat has
        for relative in range(1, num_players):
            most = max(most, np.int64(out_observation[TAKEN + NUM_SUITS * relative + pot]))
        before = np.int64(out_observation[TAKEN + pot])
        after = before + out_observation[POT_INGREDIENTS + pot]
        cost = 2 * np.int64(out_observation[POT_POISONS + pot])
        cost += after * np.int64(after <= most) - before * np.int64(before <= most)
        first = NUM_VALUES * pot
        over = boiling >> np.uint64(first)
        fill(over, NUM_VALUES, cost, out_observation, BOIL_OVER_COST + first)
        first = FIRST_POISON + NUM_POISONS * pot
        over = boiling >> np.uint64(first)
        fill(over, NUM_POISONS, cost, out_observation, BOIL_OVER_COST + first)


@kernel
def observe(config, state, seat, out_observation):
    """Write what a seat knows: its hand and all that lay face up or was taken (R11, R18)."""
    num_players = config["num_players"]
    spread(state["hand"][seat], NUM_CARDS, out_observation, HAND)
    boiling = legal_actions(state, seat) & boiling_actions(config, state)
    spread(boiling, NUM_ACTIONS, out_observation, BOILS_OVER)
    seen = _NONE
    for pot in range(NUM_POTS):
        cards = state["pot"][pot]
        seen |= cards
        out_observation[POT_TOTAL + pot] = state["pot_total"][pot]
        poisons = popcount(cards >> np.uint64(FIRST_POISON))
        out_observation[POT_POISONS + pot] = poisons
        out_observation[POT_INGREDIENTS + pot] = popcount(cards) - poisons
    # Arrays of the state outside the loop, no comparisons in it: 59 ns a call instead of 124.
    taken, hands, standing, points = (
        state["taken"],
        state["hand"],
        state["standing"],
        state["points"],
    )
    for relative in range(num_players):
        other = seat + relative
        if other >= num_players:
            other -= num_players
        cards = taken[other]
        seen |= cards
        for suit in range(NUM_SUITS):
            out_observation[TAKEN + NUM_SUITS * relative + suit] = popcount(cards & _FIRST_SUIT)
            cards >>= _SUIT_STEP
        out_observation[HAND_SIZE + relative] = popcount(hands[other])
        out_observation[ROUND_POINTS + relative] = standing[other]
        out_observation[POINTS + relative] = points[other]
    out_observation[DEALER + relative_seat(state["dealer"], seat, num_players)] = 1
    if not state["terminated"]:
        out_observation[TO_MOVE + relative_seat(state["to_move"], seat, num_players)] = 1
    _write_costs(num_players, boiling, out_observation)
    spread(seen, NUM_CARDS, out_observation, SEEN)
    out_observation[NUM_PLAYERS] = num_players
    out_observation[LIMIT] = config["limit"]
    out_observation[ROUNDS_LEFT] = config["rounds"] - state["round"]
