"""Random numbers for kernels: one uint64 counter, mixed by SplitMix64's finaliser.

A generator is an array of one uint64 (``state["rng"]``, or one slot of an array of them). The
counter goes up by an odd constant and the mixed value is the number drawn, so that a generator
has a period of 2**64 and is saved by copying eight bytes. Source: Steele, Lea and Flood, 'Fast
splittable pseudorandom number generators', OOPSLA 2014.
"""

from __future__ import annotations

import numpy as np

from hotpot_envs.core.jit import kernel

__all__ = ["below", "mix", "mix_seeds", "next_uint64", "shuffle", "uniforms"]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
_FACTOR_2 = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)
_LOW_32 = np.uint64(0xFFFFFFFF)


@kernel
def mix(value):
    """Return SplitMix64's finaliser of a uint64: a bijection without visible pattern."""
    value = (value ^ (value >> _30)) * _FACTOR_1
    value = (value ^ (value >> _27)) * _FACTOR_2
    return value ^ (value >> _31)


@kernel
def next_uint64(rng):
    """Draw a uint64."""
    rng[0] = rng[0] + _STEP
    return mix(rng[0])


@kernel
def below(rng, bound):
    """Draw an integer from 0 to ``bound`` - 1 (1 <= bound < 2**32), all equally likely.

    Source: Lemire, 'Fast random integer generation in an interval', 2019.
    """
    size = np.uint64(bound)
    product = (next_uint64(rng) & _LOW_32) * size
    low = product & _LOW_32
    if low < size:
        threshold = (np.uint64(0x100000000) - size) % size
        while low < threshold:
            product = (next_uint64(rng) & _LOW_32) * size
            low = product & _LOW_32
    return np.int64(product >> _32)


@kernel
def shuffle(rng, items, count):
    """Shuffle the first ``count`` entries of an array in place (Fisher and Yates)."""
    for last in range(count - 1, 0, -1):
        other = below(rng, last + 1)
        item = items[last]
        items[last] = items[other]
        items[other] = item


def mix_seeds(seeds: np.ndarray) -> np.ndarray:
    """Turn seeds (uint64 array) into generators whose streams have nothing in common to see."""
    with np.errstate(over="ignore"):
        plain = getattr(mix, "py_func", mix)
        return np.asarray(plain(seeds.astype(np.uint64) + _STEP), dtype=np.uint64)


def uniforms(generators: np.ndarray) -> np.ndarray:
    """Draw a number from 0 up to, not including, 1 from each generator (uint64 array, advanced).

    Returns:
        float64, of the same shape: the 53 upper bits of what ``next_uint64`` would draw.
    """
    with np.errstate(over="ignore"):
        generators += _STEP
        drawn = getattr(mix, "py_func", mix)(generators)
    return np.asarray((drawn >> np.uint64(11)) * 2.0**-53)
