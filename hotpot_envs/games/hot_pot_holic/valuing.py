"""Hot Pot Holic: what the heuristic bot thinks a position is worth, as kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hotpot_envs.core.bits import bit, lowest, popcount
from hotpot_envs.core.jit import kernel
from hotpot_envs.games.hot_pot_holic.observation import (
    NUM_PLAYERS,
    ROUNDS_LEFT,
    SCORING,
)
from hotpot_envs.games.hot_pot_holic.rules import card_of, with_card, without_card
from hotpot_envs.games.hot_pot_holic.scoring import (
    STRAIGHTS,
    color_points,
    number_points,
)
from hotpot_envs.games.hot_pot_holic.state import (
    BALANCE,
    COLOR_SETS,
    COPY,
    IDENTICAL,
    IN_BETWEEN,
    KING,
    MAX_PLAYERS,
    NUM_CARDS,
    NUM_COLORS,
    NUM_NUMBERS,
    NUMBER_SETS,
    ONCE,
    PLATE_SIZE,
    STRAIGHT,
    ZERO,
)

_NONE, _ONE = np.uint64(0), np.uint64(1)
WORST = -1e9


# What the heuristic weighs, in points unless said otherwise. Found by trying changes, a few weights
# at a time, in games of 2, 3 and 4 players against the version before.
W_PLATE = 0.6  # share of what the plate adds when eaten that counts before it is
W_PLATE_LAST = 0.6  # the same with one round to come
W_EMPTY = 0.33  # for an empty plate, a full one: it allows any pick, any eat
W_FULL = -0.5
W_FAVORITE = 0.77  # share of the favourite's points that counts before the end
W_STRAIGHT = 0.23  # for all that each number more would add to the straights
W_IDENTICAL = 0.6  # share of identical's points that counts before the end
W_SINGLE = 0.3  # share of a number that counts for one card of a pair
W_ZEROS = np.array([0.0, 0.0, 2.81, 7.4])  # for so many cards of a quartet of 0s
W_COLORS = np.array([0.0, 0.96, 2.82, 6.0])  # for so many cards of a balanced set
W_COLOR_EXTRA = 0.1  # for a colour that goes into the set after that
W_LARGEST = 0.5  # for each card of the largest colour, with in-between
W_HEAT_NOW = 0.37  # share that counts of what a step changes now, against the three below
W_CHAMPION = 2.0
W_LEAST = 1.0
W_PROGRESS = 1.92
W_PERFECT = 0.4
W_TAKEN = 0.87  # what is left of the worth of a pick, for each seat that comes before
W_CROWD = 1.3  # exponent of the chance that a later player is stronger
W_EXTREME = 0.48  # for keeping a card, for each step from the middle of the numbers
W_POT = 0.07  # share of a card's worth that counts when it goes to the pot
W_DENY = 0.51  # what own needs weigh against the other player's, for the robot


class Rules(NamedTuple):
    """What a position is worth depends on: scoring cards, and rounds to come after this one."""

    number: int
    color: int
    heat: int
    few: int
    rounds: int


def _growth() -> np.ndarray:
    """Return what the numbers that are not in a set would add to its straights, by few and set."""
    growth = np.zeros((2, 1 << NUM_NUMBERS))
    for few, count in enumerate((NUM_NUMBERS, NUM_NUMBERS - 2)):
        for numbers in range(1 << NUM_NUMBERS):
            for number in range(count):
                growth[few, numbers] += STRAIGHTS[numbers | 1 << number] - STRAIGHTS[numbers]
    return growth


_GROWTH = _growth()


@kernel
def read_cards(observation, first):
    """Return the set of cards that a field of the observation counts."""
    cards = _NONE
    for card in range(NUM_CARDS):
        if observation[first + card] > 0:
            cards |= bit(card)
        if observation[first + card] > 1:
            cards |= bit(card) << COPY
    return cards


@kernel
def _chosen(observation, first):
    """Return which of three entries is set."""
    for index in range(2):
        if observation[first + index] == 1:
            return index
    return 2


@kernel
def read_rules(observation):
    """Return the scoring cards of a game, and how many rounds come after this one."""
    few = 1
    if observation[NUM_PLAYERS] == MAX_PLAYERS:
        few = 0
    return Rules(
        _chosen(observation, SCORING),
        _chosen(observation, SCORING + 3),
        _chosen(observation, SCORING + 6),
        few,
        int(observation[ROUNDS_LEFT]) - 1,
    )


@kernel
def both(one, other):
    """Return all cards of two sets."""
    return one | other | (one & other & ONCE) << COPY


@kernel
def favorite(hand, cards):
    """Return the favourite's points for the best colour in hand."""
    most = 0
    for color in range(NUM_COLORS):
        if hand & COLOR_SETS[color] != _NONE:
            most = max(most, popcount(cards & COLOR_SETS[color]))
    return 2.0 * most


@kernel
def number_worth(points, cards, rules):
    """Return the points of eaten cards' numbers, with what may become of them."""
    if rules.number == IDENTICAL:
        return W_IDENTICAL * points
    if rules.number == STRAIGHT:
        numbers = _NONE
        for row in range(8):
            numbers |= cards >> np.uint64(NUM_NUMBERS * row) & np.uint64(0x7F)
        if rules.few == 1 and numbers & bit(KING) != _NONE:
            numbers ^= bit(KING) | bit(4)
        return points + W_STRAIGHT * _GROWTH[rules.few, numbers]
    points += W_ZEROS[popcount(cards & NUMBER_SETS[ZERO]) & 3]
    for number in range(1, NUM_NUMBERS):
        if popcount(cards & NUMBER_SETS[number]) & 1 == 1:
            if number == KING and rules.few == 1:
                points += W_SINGLE * 4
            else:
                points += W_SINGLE * number
    return points


@kernel
def color_worth(points, cards, rules):
    """Return the points of eaten cards' colours, with what may become of them."""
    if rules.color == BALANCE:
        sets = int(points) // 10
        above, extra = 0, 0
        for color in range(NUM_COLORS):
            count = popcount(cards & COLOR_SETS[color])
            above += count > sets
            extra += count > sets + 1
        points += W_COLORS[above] + W_COLOR_EXTRA * extra
    elif rules.color == IN_BETWEEN:
        largest = 0
        for color in range(NUM_COLORS):
            largest = max(largest, popcount(cards & COLOR_SETS[color]))
        points += W_LARGEST * largest
    return points


@kernel
def worth_of(cards, hand, rules):
    """Return what eaten cards are worth: their points, before the end with what may come of them.

    All the kernels from here on call one another from one place each: Numba makes a copy of a
    kernel for each call, and with a call wherever one reads best compiling took minutes.
    """
    number = float(number_points(rules.number, cards, rules.few))
    color = float(color_points(rules.color, cards))
    most = favorite(hand, cards)
    if rules.rounds > 0:
        number = number_worth(number, cards, rules)
        color = color_worth(color, cards, rules)
        most *= W_FAVORITE
    return number + color + most


@kernel
def position(belly, plate, hand, rules):
    """Return what belly and plate are worth, in the last round with the best card eaten after it.

    ``rules.rounds`` is negative after the last round: then the belly alone counts.
    """
    share = W_PLATE
    if rules.rounds == 1:
        share = W_PLATE_LAST
    worth = WORST
    cards, rest = belly, plate & ONCE
    while True:
        here = worth_of(cards, hand, rules)
        if rules.rounds <= 0:
            worth = max(worth, here)
            if rest == _NONE or rules.rounds < 0:
                return worth
            cards = with_card(belly, lowest(rest))
            rest &= rest - _ONE
        elif worth == WORST:
            worth = here
            if plate == _NONE:
                return worth + W_EMPTY
            cards = both(belly, plate)
        else:
            worth += share * (here - worth)
            if popcount(plate) == PLATE_SIZE:
                worth += W_FULL
            return worth


@kernel
def plan_eat(belly, plate, count, hand, rules):
    """Return what eating ``count`` cards of the plate is worth at best, and the first of them."""
    best, first = WORST, -1
    size = popcount(plate)
    for chosen in range(1 << size):
        if popcount(np.uint64(chosen)) != count:
            continue
        eaten, left, card = belly, plate, -1
        rest = plate
        for index in range(size):
            if chosen >> index & 1:
                card = card_of(lowest(rest))
                eaten, left = with_card(eaten, card), without_card(left, card)
            rest &= rest - _ONE
        worth = position(eaten, left, hand, rules)
        if worth > best:
            best, first = worth, card
    return best, first


@kernel
def plan_pick(belly, plate, pot, count, hand, rules):
    """Return the plate after picking up to ``count`` cards, each the best with those before it.

    And the first of them, −1 for none. In the last round only one card of them will be eaten.
    """
    cards, first = belly, -1
    if rules.rounds > 0:
        cards = both(belly, plate)
    for _ in range(count):
        if pot == _NONE:
            break
        best, chosen = WORST, -1
        rest = pot & ONCE
        while rest != _NONE:
            card = lowest(rest)
            worth = worth_of(with_card(cards, card), hand, rules)
            if worth > best:
                best, chosen = worth, card
            rest &= rest - _ONE
        plate, pot = with_card(plate, chosen), without_card(pot, chosen)
        if rules.rounds > 0:
            cards = with_card(cards, chosen)
        if first < 0:
            first = chosen
    return plate, first
