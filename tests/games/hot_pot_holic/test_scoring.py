"""What bellies and heat are worth: the rulebook's tables and examples, and every split of cards."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

from hotpot_envs.games.hot_pot_holic import scoring
from hotpot_envs.games.hot_pot_holic.notation import set_of
from hotpot_envs.games.hot_pot_holic.state import (
    BALANCE,
    CHAMPION,
    IDENTICAL,
    IN_BETWEEN,
    LAST_AND_LEAST,
    PAIRS,
    PROGRESS,
    PROTEIN_FEAST,
    STRAIGHT,
)

ROWS = [(color, copy) for copy in range(2) for color in "RGBY"]


def numbered(numbers: str) -> np.uint64:
    """Return a set of cards with these numbers, colours as they come."""
    used = dict.fromkeys("012345K", 0)
    cards = []
    for number in numbers:
        cards.append(ROWS[used[number]][0] + number)
        used[number] += 1
    return set_of(cards)


def number_points(card: int, numbers: str, few: int = 0) -> int:
    return int(scoring.number_points(card, numbered(numbers), few))


def color_points(card: int, colors: str) -> int:
    used = dict.fromkeys("RGBY", 0)
    cards = []
    for color in colors:
        cards.append(color + "012345K"[used[color] % 7])
        used[color] += 1
    return int(scoring.color_points(card, set_of(cards)))


def heat_points(card: int, *heat: int) -> list[int]:
    track = np.array([*heat, 0, 0], np.int8)
    return [int(scoring.heat_points(card, track, seat, len(heat))) for seat in range(len(heat))]


# Numbers


@pytest.mark.parametrize(
    ("numbers", "points"),
    [
        ("", 0),
        ("0", 0),
        ("01", 0),
        ("012", 3),
        ("1234", 6),
        ("12345", 10),
        ("012345", 15),
        ("012345K", 21),
        ("345K", 6),  # K follows 5
        ("5K0", 0),  # and does not run on to 0
        ("0134", 0),
        ("001122", 6),
        ("01223", 6),  # cards may be left out
    ],
)
def test_straights(numbers, points):
    """R30: the table of the rulebook, and several straights."""
    assert number_points(STRAIGHT, numbers) == points


@pytest.mark.parametrize(
    ("numbers", "points"), [("23K", 3), ("0123K", 10), ("123", 3), ("K01", 0), ("01233KK2", 13)]
)
def test_straights_with_few_cards(numbers, points):
    """R2, R30: without 4s and 5s K follows 3."""
    assert number_points(STRAIGHT, numbers, few=1) == points


def test_a_longest_straight_and_the_rest():
    """R30: each card once: 0 to 4 and 2, 3, 4 again."""
    assert number_points(STRAIGHT, "01234234") == 13
    assert number_points(STRAIGHT, "0123423") == 10


WORTH = {3: 3, 4: 6, 5: 10, 6: 15, 7: 21}


@functools.cache
def best_split(counts: tuple[int, ...]) -> int:
    """Return the points of the best of all splits: the lowest card is left out or begins one."""
    if not any(counts):
        return 0
    lowest = next(number for number, count in enumerate(counts) if count)
    left = list(counts)
    left[lowest] -= 1
    best = best_split(tuple(left))
    for stop in range(lowest + 1, len(counts)):
        if not counts[stop]:
            break
        left[stop] -= 1
        if (length := stop - lowest + 1) >= 3:
            best = max(best, WORTH[length] + best_split(tuple(left)))
    return best


@pytest.mark.parametrize("few", [0, 1])
def test_straights_are_split_best(few):
    """R30: against every split, for all counts up to 2 and for bellies at random."""
    names = "0123K" if few else "012345K"
    generator = np.random.default_rng(few)
    cases = [*itertools.product(range(3), repeat=len(names))]
    cases += [tuple(generator.integers(0, 9, len(names)).tolist()) for _ in range(300)]
    cases += [tuple(generator.integers(0, 4, len(names)).tolist()) for _ in range(300)]
    for counts in cases:
        numbers = "".join(name * count for name, count in zip(names, counts, strict=True))
        assert number_points(STRAIGHT, numbers, few) == best_split(counts), numbers


@pytest.mark.parametrize(
    ("numbers", "points"),
    [
        ("", 0),  # ours
        ("3", 25),
        ("3333", 25),
        ("5555222", 20),  # the rulebook's example
        ("0K1", 15),
        ("0123", 10),
        ("01234", 0),
        ("012345K", 0),
    ],
)
def test_identical(numbers, points):
    """R31: how many different numbers there are."""
    assert number_points(IDENTICAL, numbers) == points


@pytest.mark.parametrize(
    ("numbers", "points", "with_few"),
    [
        ("33", 3, 3),  # the rulebook's example
        ("333", 3, 3),
        ("3333", 6, 6),
        ("00", 0, 0),
        ("000", 0, 0),
        ("0000", 15, 15),
        ("0000000", 15, 15),
        ("00000000", 30, 30),
        ("KK", 6, 4),
        ("KKK11", 7, 5),
        ("123K", 0, 0),
    ],
)
def test_pairs_and_quartets(numbers, points, with_few):
    """R32: a pair is worth its number, four 0s 15; R2: a K 6, or 4 with two and three players."""
    assert number_points(PAIRS, numbers) == points
    assert number_points(PAIRS, numbers, few=1) == with_few


def test_pairs_of_4_and_5():
    """R32, with four players."""
    assert number_points(PAIRS, "44555") == 9


# Colours


@pytest.mark.parametrize(
    ("colors", "points"),
    [("", 0), ("RGB", 0), ("RGBY", 10), ("RRGGBBYYY", 20), ("RRRGGGBBBY", 10)],
)
def test_balance(colors, points):
    """R33: 10 a set of all four colours."""
    assert color_points(BALANCE, colors) == points


@pytest.mark.parametrize(
    ("colors", "points"),
    [
        ("RRRRRYYYYB", 20),  # the rulebook's example: 5 × 4
        ("RRRR", 0),
        ("", 0),
        ("BBBGG", 6),
        ("GGGRRRR", 12),
        ("YYBB", 4),
        ("RGBBYYY", 6),
    ],
)
def test_in_between(colors, points):
    """R34: the best two colours."""
    assert color_points(IN_BETWEEN, colors) == points


def test_in_between_takes_the_best_two():
    """R34: whichever two they are."""
    for sizes in itertools.product(range(4), repeat=4):
        colors = "".join(color * size for color, size in zip("RGBY", sizes, strict=True))
        best = max(a * b for a, b in itertools.combinations(sizes, 2))
        assert color_points(IN_BETWEEN, colors) == best


@pytest.mark.parametrize(
    ("colors", "points"), [("RR", 4), ("BBB", 3), ("GG", -2), ("YYYY", 0), ("RBGY", 2), ("", 0)]
)
def test_protein_feast(colors, points):
    """R35: red 2, blue 1, green −1, yellow 0."""
    assert color_points(PROTEIN_FEAST, colors) == points


# Heat


@pytest.mark.parametrize(
    ("heat", "points"),
    [
        ((4, 3, 2, 1), [12, 6, 3, 0]),
        ((5, 2, 2, 2), [12, 3, 3, 3]),  # the rulebook's example: (6 + 3) / 3
        ((0, 0, 0, 0), [5, 5, 5, 5]),  # 21 / 4, rounded down
        ((2, 2, 1, 0), [9, 9, 3, 0]),
        ((3, 1, 1, 0), [12, 4, 4, 0]),
        ((2, 2, 2, 0), [7, 7, 7, 0]),
        ((2, 2, 1, 1), [9, 9, 1, 1]),
        ((3, 2, 1, 1), [12, 6, 1, 1]),
        ((1, 2, 3), [3, 6, 12]),
        ((1, 1, 0), [9, 9, 3]),
        ((0, 0, 0), [7, 7, 7]),
        ((0, 1, 1), [3, 9, 9]),
        ((1, 0, 0), [12, 4, 4]),
    ],
)
def test_champion(heat, points):
    """R36: 12, 6, 3, and 0 for the fourth; those level share, rounded down."""
    assert heat_points(CHAMPION, *heat) == points


@pytest.mark.parametrize(
    ("heat", "points"),
    [
        ((3, 1, 2, 4), [0, -8, 0, 0]),
        ((0, 3, 0, 1), [-8, 0, -8, 0]),
        ((2, 2, 2, 2), [-8] * 4),
        ((1, 1, 0), [0, 0, -8]),
    ],
)
def test_last_and_least(heat, points):
    """R37: −8 for each of the lowest, all of them when level."""
    assert heat_points(LAST_AND_LEAST, *heat) == points


def test_progress():
    """R38: the table of the rulebook, and 0 at the start."""
    points = [heat_points(PROGRESS, space, 0)[0] for space in range(8)]
    assert points == [0, 2, 4, 6, 12, 14, 16, 18]


# All together


def heated(table, scoring_card, heat):
    """Return the heat parts of two players, the robot's marker at the last space."""
    return table(num_players=2).put(heat=heat, cards=[scoring_card]).parts[:2]


def test_the_robot_holds_a_place_on_the_track(table):
    """R36, R37, R40: its marker counts for the places, and can be the lowest; it has no points."""
    champion = heated(table, "champion", [1, 2, 3])
    assert [row[2] for row in champion] == [3, 6]
    assert [row[2] for row in heated(table, "champion", [2, 1, 2])] == [9, 3]
    assert [row[2] for row in heated(table, "last_and_least", [1, 2, 0])] == [0, 0]
    assert [row[2] for row in heated(table, "last_and_least", [1, 2, 1])] == [-8, 0]
    game = table(num_players=2).put(heat=[1, 2, 3])
    assert len(game.points()) == 2


def test_standing_and_final_points(table):
    """R29, R39: what lies on the plate counts nothing, the favourite only at the end.

    The rulebook's example: 5 red cards, 4 yellow ones and 1 blue, a yellow card in hand: 8 points.
    """
    game = table(num_players=3).acting(
        [1, 2, 0],
        2,
        bellies=[["R0", "R0", "R1", "R2", "R3", "Y0", "Y1", "Y2", "Y3"], ["G0"], []],
        plates=[["B2"], [], []],
        hands=[["Y0"], ["G1"], ["R1"]],
        heat=[4, 2, 0],
        round=7,
        cards=["straight", "in_between", "progress"],
        pot=["G2", "G3"],
    )
    assert game.parts[0] == [6 + 6, 20, 12, 0]
    assert game.points() == [44, 4, 0]
    game.play("eat:B2")
    assert game.terminated
    assert game.belly[0][5:] == ["B2", "Y0", "Y1", "Y2", "Y3"]
    assert game.parts[0] == [12, 20, 12, 8]
    assert game.parts[1] == [0, 0, 4, 2]
    assert game.points() == [52, 6, 0]
    assert game.winners() == [0]


def test_eating_changes_the_standing_at_once(table):
    """R29: with every card, and with every step on the heat track."""
    game = table().acting(
        [0, 1, 2, 3],
        1,
        bellies=[[], ["R1"]],
        plates=[[], ["R2", "R3"], ["B1"]],
        heat=[1, 0, 0, 0],
        cards=["straight", "protein_feast", "champion"],
        pot=["Y1"],
        hands=[["Y3"]] * 4,
    )
    assert game.points() == [12, 2 + 3, 3, 3]
    game.play("eat:R2")
    assert game.points() == [12, 4 + 3, 3, 3]
    game.play("eat:R3")  # a perfect eat as well
    assert game.points() == [9, 6 + 3 + 9, 1, 1]


def test_the_favourite_may_bring_nothing():
    """R39: 2 points for each card of the colour."""
    assert scoring.favorite_points(set_of(["B1"]), set_of(["R1", "R1", "Y2"])) == 0
    assert scoring.favorite_points(set_of(["R1"]), set_of(["R1", "R1", "Y2"])) == 4
    assert scoring.favorite_points(set_of(["R1"]), set_of([])) == 0


@pytest.mark.parametrize("num_markers", [3, 4])
@pytest.mark.parametrize("card", [CHAMPION, LAST_AND_LEAST, PROGRESS])
def test_points_at_the_start(card, num_markers):
    """R36–R38: what a record's setup is given in plain Python is what the rules reckon."""
    points = scoring.start_heat_points(card, num_markers)
    assert heat_points(card, *[0] * num_markers) == [points] * num_markers
