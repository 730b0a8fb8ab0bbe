"""Random numbers: reference values, and distributions by chi-square (fixed seeds)."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from hotpot_envs.core import rng

# Vigna's splitmix64.c, seed 1234567.
REFERENCE = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]


@pytest.fixture(autouse=True)
def _wrapping():
    """Interpreted, the kernels count on the engine to silence uint64's wrapping round."""
    with np.errstate(over="ignore"):
        yield


def generator(seed: int) -> np.ndarray:
    return np.array([seed], np.uint64)


def assert_uniform(counts: list[int]) -> None:
    assert chisquare(counts).pvalue > 1e-3


def test_numbers_are_those_of_splitmix64() -> None:
    state = generator(1234567)
    assert [int(rng.next_uint64(state)) for _ in REFERENCE] == REFERENCE


@pytest.mark.parametrize("bound", [2, 3, 6, 10, 38, 54, 256])
def test_below_is_uniform(bound: int) -> None:
    state = generator(bound)
    drawn = [int(rng.below(state, bound)) for _ in range(100 * bound)]
    assert set(drawn) == set(range(bound))
    assert_uniform([drawn.count(value) for value in range(bound)])


def test_below_of_one_is_zero() -> None:
    state = generator(5)
    assert {int(rng.below(state, 1)) for _ in range(20)} == {0}


@pytest.mark.parametrize("bound", [2**31 + 1, 3 * 2**30, 2**32 - 1])
def test_below_stays_uniform_where_most_is_rejected(bound: int) -> None:
    state = generator(7)
    drawn = [int(rng.below(state, bound)) for _ in range(3000)]
    assert min(drawn) >= 0
    assert max(drawn) < bound
    eighths = Counter(8 * value // bound for value in drawn)
    assert_uniform([eighths[eighth] for eighth in range(8)])


def test_successive_numbers_are_independent() -> None:
    state = generator(11)
    drawn = [int(rng.below(state, 6)) for _ in range(7201)]
    pairs = Counter(itertools.pairwise(drawn))
    assert_uniform([pairs[pair] for pair in itertools.product(range(6), repeat=2)])


def test_shuffle_reaches_all_orders_alike() -> None:
    state = generator(3)
    orders: Counter[tuple[int, ...]] = Counter()
    for _ in range(2400):
        items = np.arange(6, dtype=np.int8)
        rng.shuffle(state, items, 4)
        assert items[4:].tolist() == [4, 5]
        orders[tuple(items[:4].tolist())] += 1
    assert len(orders) == 24
    assert_uniform(list(orders.values()))


def test_seeds_are_mixed_one_to_one_and_without_pattern() -> None:
    seeds = np.arange(20000, dtype=np.uint64)
    mixed = rng.mix_seeds(seeds)
    assert mixed.dtype == np.uint64
    assert len(set(mixed.tolist())) == len(seeds)
    assert seeds.tolist() == list(range(20000))
    bits = (mixed[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    ones = bits.sum(axis=0).astype(int)
    assert abs(ones - 10000).max() < 350  # five standard deviations
    # The first draws of neighbouring seeds have nothing to do with each other.
    first = [int(rng.below(mixed[i : i + 1], 6)) for i in range(7201)]
    pairs = Counter(itertools.pairwise(first))
    assert_uniform([pairs[pair] for pair in itertools.product(range(6), repeat=2)])


def test_seed_zero_is_mixed_too() -> None:
    assert rng.mix_seeds(np.zeros(1, np.uint64))[0] == 0xE220A8397B1DCDAF  # its first number
