"""Bit sets of up to 64 members in a uint64, for kernels.

Compiled, each of the three is one or a few machine instructions; interpreted
(``NUMBA_DISABLE_JIT=1``), plain Python stands in.
"""

from __future__ import annotations

import numpy as np

from hotpot_envs.core.jit import COMPILED, kernel

__all__ = ["bit", "lowest", "nth", "popcount"]

_ONE = np.uint64(1)

if COMPILED:
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def _count_ones(typing_context, value):
        def generate(context, builder, signature, arguments):
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), generate

    @intrinsic
    def _count_trailing_zeros(typing_context, value):
        def generate(context, builder, signature, arguments):
            return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

        return types.uint64(types.uint64), generate

else:

    def _count_ones(value):
        return int(value).bit_count()

    def _count_trailing_zeros(value):
        return 64 if value == 0 else (int(value) & -int(value)).bit_length() - 1


@kernel
def bit(index):
    """Return the set that holds only ``index`` (0–63)."""
    return _ONE << np.uint64(index)


@kernel
def popcount(members):
    """Return how many members a set has."""
    return np.int64(_count_ones(np.uint64(members)))


@kernel
def lowest(members):
    """Return the smallest member of a set; 64 for the empty set."""
    return np.int64(_count_trailing_zeros(np.uint64(members)))


@kernel
def nth(members, index):
    """Return the member with ``index`` smaller ones in the set (0 <= index < popcount)."""
    rest = np.uint64(members)
    for _ in range(index):
        rest &= rest - _ONE
    return lowest(rest)
