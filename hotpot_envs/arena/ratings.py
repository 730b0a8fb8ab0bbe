"""Ratings from whole games: a batch Plackett–Luce fit by choix, with bootstrap intervals.

The Plackett–Luce model ranks a game's players as if the first were drawn with chances in
proportion to their strengths, then the second among the rest, and so on. Its fit needs only how
often each player was drawn from each set of players, so games are counted by that first, and a
fit takes a millisecond whatever their number.

* Ties: every order of the tied players counts in equal parts, which add up to one game.
* One game in which all tie is added to the real ones: a bot that always wins has a finite rating.
* Ratings are on Elo's scale, 0 their average: 400 more are odds of 10 to 1 to finish before the
  other.
* Intervals resample whole deals, with all their rotations, and take the middle 95% of the fits.

Source: Maystre and Grossglauser, 'Fast and accurate inference of Plackett–Luce models', NeurIPS
2015 (iterated Luce spectral ranking).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import choix
import numpy as np

from hotpot_envs.arena.table import Estimate

__all__ = ["rate"]

RESAMPLES = 200
_ELO = 400 / math.log(10)
_TOLERANCE = 1e-8  # choix's own
_MAX_ITERATIONS = 1000


def rate(
    order: np.ndarray, generator: np.random.Generator, *, resamples: int = RESAMPLES
) -> list[Estimate]:
    """Rate the players of a match.

    Args:
        order: whole numbers ``[deals, games of a deal, n]``: a game's players by place, smaller is
            better, equal is a tie.
        generator: what the bootstrap draws from.
        resamples: how many times it resamples the deals.

    Returns:
        A rating for each player; without limits where there is one deal only.
    """
    deals, games, n = order.shape
    patterns, pattern = np.unique(order.reshape(-1, n), axis=0, return_inverse=True)
    counter = _Counter([*(tuple(row) for row in patterns.tolist()), (0,) * n])
    pattern = pattern.reshape(deals, games)

    def fit(weights: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Fit with each deal counted so many times."""
        times = np.bincount(pattern.ravel(), np.repeat(weights, games), len(patterns) + 1)
        times[-1] += 1.0  # the game in which all tie
        return counter.fit(times, start)

    point = fit(np.ones(deals), np.zeros(n))
    means = _ELO * (point - point.mean())
    if deals == 1:
        return [Estimate(float(mean), None, None) for mean in means]
    fits = np.empty((resamples, n))
    for row in range(resamples):
        drawn = generator.integers(deals, size=deals)
        params = fit(np.bincount(drawn, minlength=deals).astype(np.float64), point)
        fits[row] = _ELO * (params - params.mean())
    lows, highs = np.quantile(fits, [0.025, 0.975], axis=0)
    # The resamples of a few deals may all lie on one side of the estimate.
    return [
        Estimate(float(mean), float(min(low, mean)), float(max(high, mean)))
        for mean, low, high in zip(means, lows, highs, strict=True)
    ]


class _Counter:
    """How often each player is drawn from each set of players, by how often each pattern came.

    Args:
        patterns: a game's players by place, each pattern of places once.
    """

    def __init__(self, patterns: list[tuple[int, ...]]) -> None:
        self.num_players = len(patterns[0])
        sets: dict[tuple[int, ...], int] = {}
        rows = [
            (index, sets.setdefault(among, len(sets)), first, weight)
            for index, pattern in enumerate(patterns)
            for among, first, weight in choices(pattern)
        ]
        columns = list(zip(*rows, strict=True))
        self.pattern, of_set, first = (np.array(column, np.int64) for column in columns[:3])
        self.weight = np.array(columns[3], np.float64)
        self.cell = of_set * self.num_players + first
        self.members = np.zeros((len(sets), self.num_players))
        for among, index in sets.items():
            self.members[index, list(among)] = 1.0

    def fit(self, times: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Return the likeliest log strengths, float64 ``[n]``, when patterns came ``times`` often.

        A step of Luce spectral ranking moves from each player of a set to the one drawn from it
        at a rate of 1 / (the set's strength). choix takes unweighted lists of games, or a matrix
        of weighted pairwise counts c, which it turns into rates c / (the pair's strength). So each
        rate is handed to it times the pair's strength.
        """
        drawn = np.bincount(self.cell, self.weight * times[self.pattern], self.members.size)
        drawn = drawn.reshape(self.members.shape)
        params = start
        for _ in range(_MAX_ITERATIONS):
            strength = np.exp(params - params.mean())
            rates = (drawn / (self.members @ strength)[:, None]).T @ self.members
            counts = rates * (strength[:, None] + strength[None, :])
            np.fill_diagonal(counts, 0.0)
            previous, params = params, choix.lsr_pairwise_dense(counts, initial_params=params)
            if np.abs(params - previous).sum() < _TOLERANCE:
                break
        return params


def choices(pattern: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int, float]]:
    """Yield which player is drawn from which set in a game: ``(set, player, weight)``.

    Of a group of g tied players, each subset of s may be what is left of it, all subsets of one
    size equally likely, and each of its members may be the next.
    """
    for place in sorted(set(pattern)):
        group = [player for player, at in enumerate(pattern) if at == place]
        worse = [player for player, at in enumerate(pattern) if at > place]
        for size in range(len(group), 0, -1):
            if size + len(worse) == 1:
                continue  # the last one is no choice
            weight = 1.0 / (math.comb(len(group), size) * size)
            for left in itertools.combinations(group, size):
                among = tuple(sorted([*left, *worse]))
                for first in left:
                    yield among, first, weight
