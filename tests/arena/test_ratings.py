"""The weighted Plackett–Luce fit, against choix's own and against counting by hand."""

from __future__ import annotations

import itertools
import math

import choix
import numpy as np
import pytest

from hotpot_envs.arena.ratings import choices, rate


def orders(pattern):
    """Every order of a game's players that fits its places."""
    players = range(len(pattern))
    return [
        order
        for order in itertools.permutations(players)
        if all(pattern[a] <= pattern[b] for a, b in itertools.pairwise(order))
    ]


@pytest.mark.parametrize(
    "pattern", [(0, 1), (0, 0), (2, 0, 1), (1, 0, 1, 1), (0, 0, 3, 3), (0,) * 4]
)
def test_ties_count_every_order_in_equal_parts(pattern):
    expected: dict[tuple, float] = {}
    every = orders(pattern)
    for order in every:
        for place in range(len(order) - 1):
            key = tuple(sorted(order[place:])), order[place]
            expected[key] = expected.get(key, 0) + 1 / len(every)
    found: dict[tuple, float] = {}
    for among, first, weight in choices(pattern):
        assert (among, first) not in found
        found[among, first] = weight
    assert found == pytest.approx(expected)


def test_the_fit_is_choix_own_on_the_written_out_games():
    generator = np.random.default_rng(3)
    order = generator.integers(3, size=(12, 4, 4))  # with many ties
    found = [estimate.mean for estimate in rate(order, generator, resamples=1)]
    times = math.factorial(4)
    games = []
    for pattern in [*order.reshape(-1, 4).tolist(), [0] * 4]:
        every = orders(pattern)
        games += [list(one) for one in every] * (times // len(every))
    params = choix.ilsr_rankings(4, games)
    expected = 400 / math.log(10) * (params - params.mean())
    np.testing.assert_allclose(found, expected, atol=1e-4)


def simulate(strengths, deals, games, seed):
    generator = np.random.default_rng(seed)
    noise = generator.gumbel(size=(deals, games, len(strengths)))
    return (-(np.asarray(strengths) + noise)).argsort(axis=2).argsort(axis=2)


def test_true_strengths_are_found_within_the_intervals():
    strengths = np.array([0.5, 0.1, -0.6])
    estimates = rate(simulate(strengths, 400, 3, 1), np.random.default_rng(0))
    for estimate, strength in zip(estimates, 400 / math.log(10) * strengths, strict=True):
        assert estimate.low < strength < estimate.high
        assert estimate.high - estimate.low < 60
    assert sum(estimate.mean for estimate in estimates) == pytest.approx(0, abs=1e-6)


def test_intervals_are_over_deals_not_games():
    one = simulate([0.3, 0.0, -0.3], 100, 1, 2)
    four = np.repeat(one, 4, axis=1)  # the same game four times: nothing new is known
    widths = [
        [estimate.high - estimate.low for estimate in rate(order, np.random.default_rng(0))]
        for order in (one, four)
    ]
    np.testing.assert_allclose(widths[0], widths[1], rtol=0.1)


def test_the_same_generator_gives_the_same_intervals():
    order = simulate([0.3, 0.0, -0.3, 0.2], 30, 4, 2)
    assert rate(order, np.random.default_rng(5)) == rate(order, np.random.default_rng(5))
    assert rate(order, np.random.default_rng(5)) != rate(order, np.random.default_rng(6))


def test_a_bot_that_always_wins_has_a_finite_rating():
    order = np.tile(np.arange(4), (500, 4, 1))
    estimates = rate(order, np.random.default_rng(0))
    means = [estimate.mean for estimate in estimates]
    assert means == sorted(means, reverse=True)
    assert np.isfinite(means).all()
    for estimate in estimates:
        assert estimate.low <= estimate.mean <= estimate.high


def test_games_without_order_rate_all_alike():
    for estimate in rate(np.zeros((10, 6, 6), int), np.random.default_rng(0)):
        assert estimate.mean == pytest.approx(0, abs=1e-6)
        assert estimate.high - estimate.low < 1e-6


def test_one_deal_has_no_interval():
    estimates = rate(np.array([[[0, 1], [1, 0]]]), np.random.default_rng(0))
    assert [(estimate.low, estimate.high) for estimate in estimates] == [(None, None)] * 2
