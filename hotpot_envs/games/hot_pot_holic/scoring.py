"""Hot Pot Holic: what bellies and heat are worth, as kernels. Clauses (R1, …): RULES.md."""

from __future__ import annotations

import numpy as np

from hotpot_envs.core.bits import popcount
from hotpot_envs.core.jit import kernel
from hotpot_envs.games.hot_pot_holic.state import (
    BALANCE,
    BLUE,
    CHAMPION,
    COLOR_PART,
    COLOR_SETS,
    FAVORITE_PART,
    GREEN,
    HEAT_PART,
    IDENTICAL,
    IN_BETWEEN,
    KING,
    LAST_AND_LEAST,
    NUM_COLORS,
    NUM_NUMBERS,
    NUMBER_PART,
    NUMBER_SETS,
    RED,
    STRAIGHT,
    ZERO,
)

PRIZES = np.array([12, 6, 3, 0], dtype=np.int64)  # Champion, by place
LEAST = -8
TOP_STEP, TOP_BONUS = 4, 4  # Progress

_NONE = np.uint64(0)
_ROW = np.uint64(NUM_NUMBERS)
_NUMBERS = np.uint64((1 << NUM_NUMBERS) - 1)


def _straights() -> np.ndarray:
    """Return the points of each set of numbers laid out once: its runs of three and more (R30)."""
    points = np.zeros(1 << NUM_NUMBERS, np.int64)
    for numbers in range(1 << NUM_NUMBERS):
        for run in "".join("x" if numbers >> i & 1 else " " for i in range(NUM_NUMBERS)).split():
            if len(run) >= 3:
                points[numbers] += len(run) * (len(run) - 1) // 2
    return points


STRAIGHTS = _straights()


def _counters() -> np.ndarray:
    """Return a 1 in the byte of each number in a row of bits, with all cards and with few (R2)."""
    counters = np.zeros((2, 1 << NUM_NUMBERS), np.uint64)
    for few in range(2):
        for numbers in range(1 << NUM_NUMBERS):
            for number in range(NUM_NUMBERS):
                place = 4 if few and number == KING else number
                counters[few, numbers] |= np.uint64((numbers >> number & 1) << 8 * place)
    return counters


_COUNTERS = _counters()
_BYTES = np.uint64(0x01010101010101)
_BELOW_CARRY = np.uint64(0x7F7F7F7F7F7F7F)


@kernel
def straight_points(belly, few):
    """Return the points of the best split into straights (R30).

    The numbers held at least once, at least twice, …: each such layer is cut into its longest
    runs. That is best: where two straights overlap or touch, one over all they cover and one over
    what both cover are worth no less, and a straight with a card to spare at its end is worth more
    with it. ``test_straights_are_split_best`` tries it against every split.

    Counters in the bytes of a word, as layers in words of their own made twice the machine code.
    """
    counts, rest = _NONE, belly
    for _ in range(8):
        counts += _COUNTERS[few, rest & _NUMBERS]
        rest >>= _ROW
    points = 0
    while counts != _NONE:
        layer = counts + _BELOW_CARRY >> np.uint64(7) & _BYTES
        counts -= layer
        # The lowest bits of the seven bytes, side by side.
        layer |= layer >> np.uint64(7)
        layer |= layer >> np.uint64(14)
        layer |= layer >> np.uint64(28)
        points += STRAIGHTS[layer & _NUMBERS]
    return points


@kernel
def identical_points(belly):
    """Return the points for few different numbers (R31)."""
    different = 0
    for number in range(NUM_NUMBERS):
        if belly & NUMBER_SETS[number] != _NONE:
            different += 1
    if different == 0 or different > 4:
        return 0
    return 30 - 5 * different


@kernel
def pair_points(belly, few):
    """Return the points of pairs, and of four 0s (R32)."""
    points = 15 * (popcount(belly & NUMBER_SETS[ZERO]) >> 2)
    for number in range(1, KING):
        points += number * (popcount(belly & NUMBER_SETS[number]) >> 1)
    worth = 6
    if few == 1:
        worth = 4
    return points + worth * (popcount(belly & NUMBER_SETS[KING]) >> 1)


@kernel
def number_points(card, belly, few):
    """Return what a belly is worth by the number scoring card (R29–R32)."""
    if card == STRAIGHT:
        return straight_points(belly, few)
    if card == IDENTICAL:
        return identical_points(belly)
    return pair_points(belly, few)


@kernel
def color_points(card, belly):
    """Return what a belly is worth by the colour scoring card (R33–R35)."""
    red = popcount(belly & COLOR_SETS[RED])
    green = popcount(belly & COLOR_SETS[GREEN])
    blue = popcount(belly & COLOR_SETS[BLUE])
    yellow = popcount(belly) - red - green - blue
    if card == BALANCE:
        return 10 * min(min(red, green), min(blue, yellow))
    if card == IN_BETWEEN:
        # The two largest of four: the larger of each pair, or both of one pair.
        high, low = max(red, green), min(red, green)
        high_2, low_2 = max(blue, yellow), min(blue, yellow)
        return max(high * high_2, max(high * low, high_2 * low_2))
    return 2 * red + blue - green


@kernel
def favorite_points(hand, belly):
    """Return 2 for each card in the belly of the colour of the one card in the hand (R39)."""
    points = 0
    for color in range(NUM_COLORS):
        if hand & COLOR_SETS[color] != _NONE:
            points += 2 * popcount(belly & COLOR_SETS[color])
    return points


@kernel
def heat_points(card, heat, seat, num_markers):
    """Return what a seat's space on the heat track is worth, among all markers (R36–R38)."""
    own = np.int64(heat[seat])
    if card == CHAMPION:
        above, level = 0, 0
        for other in range(num_markers):
            above += heat[other] > own
            level += heat[other] == own
        total = 0
        for place in range(above, above + level):
            total += PRIZES[place]
        return total // level
    if card == LAST_AND_LEAST:
        for other in range(num_markers):
            if heat[other] < own:
                return 0
        return LEAST
    if own >= TOP_STEP:
        return 2 * own + TOP_BONUS
    return 2 * own


@kernel
def count_belly(config, state, seat):
    """Write the number and colour parts of a seat's score anew (R29)."""
    belly, parts, scoring = state["belly"][seat], state["parts"], state["scoring"]
    parts[seat, NUMBER_PART] = number_points(scoring[0], belly, config["few"])
    parts[seat, COLOR_PART] = color_points(scoring[1], belly)


@kernel
def count_heat(config, state):
    """Write the heat part of every player's score anew (R29)."""
    parts, heat, card = state["parts"], state["heat"], state["scoring"][2]
    for seat in range(config["num_players"]):
        parts[seat, HEAT_PART] = heat_points(card, heat, seat, config["num_markers"])


@kernel
def count_favorites(config, state):
    """Write the favourite part of every player's score, at the end (R39)."""
    parts, hands, bellies = state["parts"], state["hand"], state["belly"]
    for seat in range(config["num_players"]):
        parts[seat, FAVORITE_PART] = favorite_points(hands[seat], bellies[seat])


def start_heat_points(card: int, num_markers: int) -> int:
    """Return what everyone's heat is worth while no marker has moved. Plain Python (R36–R38)."""
    if card == CHAMPION:
        return int(PRIZES[:num_markers].sum()) // num_markers
    return LEAST if card == LAST_AND_LEAST else 0
