"""Bit sets against Python's whole numbers; run compiled here, and interpreted by test_modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpot_envs.core import bits
from hotpot_envs.core.jit import kernel

sets = st.frozensets(st.integers(0, 63))


def packed(members: frozenset[int]) -> np.uint64:
    return np.uint64(sum(1 << member for member in members))


@given(sets)
def test_popcount(members: frozenset[int]) -> None:
    assert bits.popcount(packed(members)) == len(members)


@given(sets)
def test_lowest(members: frozenset[int]) -> None:
    assert bits.lowest(packed(members)) == min(members, default=64)


@pytest.mark.parametrize("nth", [bits.nth, bits._nth], ids=["here", "anywhere"])
@given(sets)
def test_nth_walks_the_members_in_order(nth: Any, members: frozenset[int]) -> None:
    found = [int(nth(packed(members), index)) for index in range(len(members))]
    assert found == sorted(members)


@pytest.mark.parametrize("index", range(64))
def test_bit(index: int) -> None:
    assert bits.bit(index) == 1 << index


def test_the_helpers_return_whole_numbers_to_count_with() -> None:
    full = np.uint64(2**64 - 1)
    assert bits.popcount(full) - 65 == -1
    assert bits.lowest(full) - 1 == -1
    assert bits.nth(full, 63) == 63


@kernel
def spread_38(members, out, start):
    bits.spread(members, 38, out, start)


@kernel
def spread_64(members, out, start):
    bits.spread(members, 64, out, start)


@kernel
def fill_38(members, value, out, start):
    bits.fill(members, 38, value, out, start)


@kernel
def fill_64(members, value, out, start):
    bits.fill(members, 64, value, out, start)


@kernel
def pack_38(entries, start):
    return bits.pack(entries, 38, start)


@kernel
def pack_64(entries, start):
    return bits.pack(entries, 64, start)


@given(sets, st.integers(0, 9), st.sampled_from([np.int8, np.int16]))
def test_spread_writes_a_set_and_nothing_else(members, start, dtype) -> None:
    for size, spread in ((38, spread_38), (64, spread_64)):
        out = np.full(80, 7, dtype)
        spread(packed(members), out, start)
        expected = np.full(80, 7, dtype)
        expected[start : start + size] = [index in members for index in range(size)]
        assert out.tolist() == expected.tolist()


@given(
    sets, st.integers(-128, 127), st.integers(0, 9), st.sampled_from([np.int8, np.int16, np.int64])
)
def test_fill_writes_a_value_for_a_set_and_nothing_else(members, value, start, dtype) -> None:
    for size, fill in ((38, fill_38), (64, fill_64)):
        out = np.full(80, 7, dtype)
        fill(packed(members), value, out, start)
        expected = np.full(80, 7, dtype)
        expected[start : start + size] = [value * (index in members) for index in range(size)]
        assert out.tolist() == expected.tolist()


@given(sets, st.integers(0, 9), st.sampled_from([np.int8, np.int16]))
def test_pack_reads_what_is_not_0(members, start, dtype) -> None:
    entries = np.zeros(80, dtype)
    entries[[start + member for member in members]] = [1 + member % 3 for member in members]
    assert pack_64(entries, start) == packed(members)
    assert pack_38(entries, start) == packed(frozenset(m for m in members if m < 38))
