"""What NumPy does beside the kernels: uniform draws, scaled observations, closed engines."""

from __future__ import annotations

import threading

import numpy as np

from hotpot_envs.core import Engine, Field, Layout, rng


def test_uniforms_are_the_kernels_draws():
    generators = rng.mix_seeds(np.arange(1000))
    single = generators.copy()
    drawn = rng.uniforms(generators)
    plain = getattr(rng.next_uint64, "py_func", rng.next_uint64)
    with np.errstate(over="ignore"):
        expected = [int(plain(single[i : i + 1])) >> 11 for i in range(1000)]
    assert (drawn * 2.0**53).astype(np.int64).tolist() == expected
    assert (single == generators).all()
    assert 0 <= drawn.min() < 0.01
    assert 0.99 < drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 0.05


def test_observations_are_scaled_by_their_bounds():
    layout = Layout(
        Field("a", (2,), 0, 1, ""), Field("b", (), -5, 5, ""), Field("c", (), 0, 40, "")
    )
    scaled = layout.scale(np.array([[0, 1, 0, 10], [1, 0, 5, 40]], np.int16))
    assert scaled.dtype == np.float32
    assert scaled.tolist() == [[0, 1, 0.5, 0.25], [1, 0, 1, 1]]
    assert (layout.scale(layout.low) == 0).all()
    assert (layout.scale(layout.high) == 1).all()
    out = np.empty((3, 4), np.float32)
    assert layout.scale(np.zeros((3, 4), np.int16), out) is out
    assert (out == np.array([0, 0, 0.5, 0], np.float32)).all()


def test_a_closed_engine_has_no_threads_and_goes_on():
    before = threading.active_count()
    engine = Engine("boil_over", 30, num_threads=3)
    engine.reset(seeds=0)
    assert threading.active_count() > before
    engine.close()
    assert threading.active_count() == before
    engine.play(np.zeros((30, 4), np.int64), engine.generators(0), engine.buffers())
    assert engine.over.all()
