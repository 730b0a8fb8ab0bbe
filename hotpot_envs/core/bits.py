"""Bit sets of up to 64 members in a uint64, for kernels.

Compiled, each is one or a few machine instructions; interpreted (``NUMBA_DISABLE_JIT=1``), plain
Python stands in, and with bounds checks (``NUMBA_BOUNDSCHECK=1``) plain loops do for ``pack``,
``spread`` and ``fill``, which else check none.
"""

from __future__ import annotations

import numpy as np

from hotpot_envs.core.jit import BOUNDS_CHECKED, COMPILED, kernel

__all__ = ["bit", "fill", "lowest", "nth", "pack", "popcount", "spread"]

_ONE = np.uint64(1)

if COMPILED:
    from llvmlite import binding, ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    # AMD's processors before the third Zen take up to 290 cycles for what takes others three.
    HAS_DEPOSIT = bool(
        binding.get_host_cpu_features().get("bmi2", False)
    ) and binding.get_host_cpu_name() not in ("bdver4", "znver1", "znver2")

    @intrinsic
    def _deposit(typing_context, value, members):
        """Place the lowest bits of a value, in order, where a set has its members (BMI2)."""

        def generate(context, builder, signature, arguments):
            word = ir.IntType(64)
            deposit = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(word, [word, word]), "llvm.x86.bmi.pdep.64"
            )
            return builder.call(deposit, arguments)

        return types.uint64(types.uint64, types.uint64), generate

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
    HAS_DEPOSIT = False

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
def _nth(members, index):
    rest = np.uint64(members)
    for _ in range(index):
        rest &= rest - _ONE
    return lowest(rest)


if HAS_DEPOSIT:

    @kernel
    def nth(members, index):
        """Return the member with ``index`` smaller ones in the set (0 <= index < popcount)."""
        return lowest(_deposit(bit(index), np.uint64(members)))

else:
    nth = _nth


@kernel
def _pack(entries, count, start):
    members = np.uint64(0)
    for index in range(count):
        if entries[start + index] != 0:
            members |= bit(index)
    return members


@kernel
def _spread(members, count, out, start):
    for index in range(count):
        out[start + index] = (np.uint64(members) >> np.uint64(index)) & _ONE


@kernel
def _fill(members, count, value, out, start):
    for index in range(count):
        out[start + index] = value * np.int64((np.uint64(members) >> np.uint64(index)) & _ONE)


if COMPILED and not BOUNDS_CHECKED:

    def _vector(context, builder, array_type, array, count, start):
        """Return the type of ``count`` entries from ``start`` on as a vector, and their address."""
        entry = context.get_data_type(array_type.dtype)
        vector = ir.VectorType(entry, count)
        data = context.make_array(array_type)(context, builder, array).data
        address = builder.bitcast(builder.gep(data, [start]), vector.as_pointer())
        return vector, address, entry.width // 8

    @intrinsic(prefer_literal=True)
    def pack(typing_context, entries, count, start):
        """Return which of ``count`` entries (a constant, 1–64) from ``start`` on are not 0."""
        size = count.literal_value

        def generate(context, builder, signature, arguments):
            array, _, start = arguments
            vector, address, align = _vector(
                context, builder, signature.args[0], array, size, start
            )
            values = builder.load(address)
            values.align = align
            flags = builder.icmp_unsigned("!=", values, ir.Constant(vector, [0] * size))
            word = builder.bitcast(flags, ir.IntType(size))
            return builder.zext(word, ir.IntType(64)) if size < 64 else word

        return types.uint64(entries, count, types.intp), generate

    def _flags(context, builder, members, count):
        """Return the set's members 0 to ``count`` − 1 as a vector of bits."""
        word = builder.trunc(members, ir.IntType(count)) if count < 64 else members
        return builder.bitcast(word, ir.VectorType(ir.IntType(1), count))

    @intrinsic(prefer_literal=True)
    def spread(typing_context, members, count, out, start):
        """Write 1 or 0 for each of the set's members 0 to ``count`` − 1 (a constant, 1–64).

        They go from ``out[start]`` on. No branch that the processor could guess wrong: in play, a
        mask takes 7 ns instead of the 28 of walking the members.
        """
        size = count.literal_value

        def generate(context, builder, signature, arguments):
            members, _, array, start = arguments
            vector, address, align = _vector(
                context, builder, signature.args[2], array, size, start
            )
            flags = _flags(context, builder, members, size)
            builder.store(builder.zext(flags, vector), address).align = align
            return context.get_dummy_value()

        return types.void(types.uint64, count, out, types.intp), generate

    @intrinsic(prefer_literal=True)
    def fill(typing_context, members, count, value, out, start):
        """Write ``value`` or 0 for each of the set's members 0 to ``count`` − 1, as ``spread``."""
        size = count.literal_value

        def generate(context, builder, signature, arguments):
            members, _, value, array, start = arguments
            vector, address, align = _vector(
                context, builder, signature.args[3], array, size, start
            )
            zeros = ir.Constant(vector, [0] * size)
            entry = context.cast(builder, value, types.int64, signature.args[3].dtype)
            first = builder.insert_element(zeros, entry, ir.IntType(32)(0))
            lanes = ir.Constant(ir.VectorType(ir.IntType(32), size), [0] * size)
            values = builder.shuffle_vector(first, zeros, lanes)
            flags = _flags(context, builder, members, size)
            builder.store(builder.select(flags, values, zeros), address).align = align
            return context.get_dummy_value()

        return types.void(types.uint64, count, types.int64, out, types.intp), generate

else:
    pack, spread, fill = _pack, _spread, _fill
