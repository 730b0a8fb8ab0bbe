"""Boil Over: bots as kernels over what their seat sees."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hotpot_envs.core.game import Kernel
from hotpot_envs.core.jit import kernel
from hotpot_envs.core.rng import next_uint64
from hotpot_envs.games.boil_over.observation import (
    ACTIONS,
    HAND,
    HAND_SIZE,
    LIMIT,
    NUM_PLAYERS,
    POT_INGREDIENTS,
    POT_POISONS,
    POT_TOTAL,
    TAKEN,
)
from hotpot_envs.games.boil_over.rules import card_of, pot_of
from hotpot_envs.games.boil_over.state import (
    FIRST_POISON,
    MAX_HAND,
    NUM_CARDS,
    NUM_POTS,
    NUM_SUITS,
    NUM_VALUES,
    VALUES,
)

_NUM_ACTIONS = ACTIONS.size

# What the heuristic weighs, in points. Found by an evolution strategy in games against `greedy`
# and earlier versions of itself, then frozen before any policy was trained. Two more ideas came
# out at nothing and are not here: how many of the unseen cards fit a pot, and what lies in the
# pots that no own card fits. Poison in a high pot came out as a cost: it is better kept.
VALUE = 0.19  # for each point of the card's value
LOW_VALUE, KEEP_LOW = 3, 0.5
KEEP_POISON, POISON_IN_POT = 1.3, 2.0
TAKE, TAKE_EARLY = 3.2, 0.9
STRANDED = 0.5  # for each pot that no card left in hand fits


@kernel
def _pot_cost(observation, pot):
    """Return what taking a pot costs at most: 1 an ingredient, 2 a poison."""
    return observation[POT_INGREDIENTS + pot] + 2 * observation[POT_POISONS + pot]


@kernel
def greedy(observation, mask, rng):
    """Play the biggest card that boils nothing over; where all do, make the cheapest take."""
    best, best_value = -1, -np.inf
    for action in range(_NUM_ACTIONS):
        if mask[action]:
            pot = pot_of(action)
            value = VALUES[card_of(action)]
            worth = float(value)
            if observation[POT_TOTAL + pot] + value > observation[LIMIT]:
                worth = -100.0 * _pot_cost(observation, pot)
            worth += _tie_break(rng)
            if worth > best_value:
                best, best_value = action, worth
    return best


@kernel
def _tie_break(rng):
    """Draw a number from 0 to 0.001."""
    return np.float64(next_uint64(rng) >> np.uint64(11)) * (0.001 / 9007199254740992.0)


@kernel
def _suit_cost(mine, most, left):
    """Return what ``mine`` cards of a suit will cost: nothing if the majority will be held.

    ``most`` is the largest number another seat has, ``left`` how many nobody has taken.
    """
    lead = mine - most
    chance = 0.5 + (lead - 0.5) / (left + 1.0)
    return mine * (1.0 - min(max(chance, 0.0), 1.0))


@kernel
def _take_cost(observation, pot):
    """Return the change in what the cards taken will cost, if the pot is taken now."""
    num_players = observation[NUM_PLAYERS]
    mine, most, total = np.int64(observation[TAKEN + pot]), np.int64(0), np.int64(0)
    for seat in range(num_players):
        count = np.int64(observation[TAKEN + NUM_SUITS * seat + pot])
        total += count
        if seat > 0:
            most = max(most, count)
    added = np.int64(observation[POT_INGREDIENTS + pot])
    left = NUM_VALUES - total
    return (
        _suit_cost(mine + added, most, left - added)
        - _suit_cost(mine, most, left)
        + 2.0 * observation[POT_POISONS + pot]
    )


@kernel
def _has_fit(observation, pot, room, played):
    """Tell whether an own card other than ``played`` goes into a pot without boiling it over."""
    for value in range(1, min(room, NUM_VALUES) + 1):
        card = pot * NUM_VALUES + value - 1
        if observation[HAND + card] and card != played:
            return True
    for card in range(FIRST_POISON, NUM_CARDS):
        if VALUES[card] <= room and observation[HAND + card] and card != played:
            return True
    return False


@kernel
def _worth(observation, action):
    """Return how good an action looks to the heuristic, in points."""
    pot, card = pot_of(action), card_of(action)
    value, limit = VALUES[card], observation[LIMIT]
    total = observation[POT_TOTAL + pot] + value
    worth = VALUE * value
    if value <= LOW_VALUE:
        worth -= KEEP_LOW
    if card >= FIRST_POISON:
        worth -= KEEP_POISON
    if total > limit:
        hand_left = observation[HAND_SIZE] / MAX_HAND
        worth -= _take_cost(observation, pot) + TAKE + TAKE_EARLY * hand_left
        total = value
    elif card >= FIRST_POISON:
        worth -= POISON_IN_POT * total / limit
    for other in range(NUM_POTS):
        pot_total = total if other == pot else observation[POT_TOTAL + other]
        if not _has_fit(observation, other, limit - pot_total, card):
            worth -= STRANDED
    return worth


@kernel
def heuristic(observation, mask, rng):
    """Weigh what a take costs, majorities counted, against what the card is worth keeping.

    A take is reckoned by the change in what all cards taken will cost, from how many of the suit
    each seat has taken and how many are still to be had. Big cards go first, low ones and poison
    are kept for when nothing else is safe, and so is a card for each pot.
    """
    best, best_worth = -1, -np.inf
    for action in range(_NUM_ACTIONS):
        if mask[action]:
            worth = _worth(observation, action) + _tie_break(rng)
            if worth > best_worth:
                best, best_worth = action, worth
    return best


BOTS: Mapping[str, Kernel] = {"greedy": greedy, "heuristic": heuristic}
