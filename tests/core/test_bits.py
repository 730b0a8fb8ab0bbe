"""Bit sets against Python's whole numbers; run compiled here, and interpreted by test_modes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpot_envs.core import bits

sets = st.frozensets(st.integers(0, 63))


def packed(members: frozenset[int]) -> np.uint64:
    return np.uint64(sum(1 << member for member in members))


@given(sets)
def test_popcount(members: frozenset[int]) -> None:
    assert bits.popcount(packed(members)) == len(members)


@given(sets)
def test_lowest(members: frozenset[int]) -> None:
    assert bits.lowest(packed(members)) == min(members, default=64)


@given(sets)
def test_nth_walks_the_members_in_order(members: frozenset[int]) -> None:
    found = [int(bits.nth(packed(members), index)) for index in range(len(members))]
    assert found == sorted(members)


@pytest.mark.parametrize("index", range(64))
def test_bit(index: int) -> None:
    assert bits.bit(index) == 1 << index


def test_the_helpers_return_whole_numbers_to_count_with() -> None:
    full = np.uint64(2**64 - 1)
    assert bits.popcount(full) - 65 == -1
    assert bits.lowest(full) - 1 == -1
    assert bits.nth(full, 63) == 63
