"""Interpreted, and with bounds checks, kernels do what they do compiled."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hotpot_envs.core import Engine, game_names
from hotpot_envs.core.jit import COMPILED

ROOT = Path(__file__).parents[2]


def digest(name: str) -> str:
    """Play games of every kind of move, and hash what was seen and what came of them."""
    engine = Engine(name, 2, reward="dense")
    buffers, generators = engine.buffers(), engine.generators(2)
    found = hashlib.sha256()
    engine.reset(seeds=3)
    engine.observe(buffers)
    for _ in range(12):
        engine.step(engine.sample(buffers.action_masks, generators), buffers)
        for array in (buffers.observations, buffers.action_masks, buffers.rewards):
            found.update(array.tobytes())
    engine.determinize(np.zeros(2, np.int64), generators)
    found.update(engine.states.tobytes())
    for number in range(len(engine.bots)):
        bots = np.full((2, engine.num_players), number)
        engine.play(bots, generators, buffers, max_moves=25)
        found.update(engine.states.tobytes())
        engine.reset(where=engine.over)
    for array in (*engine.results(), generators):
        found.update(array.tobytes())
    return found.hexdigest()


@pytest.mark.skipif(not COMPILED, reason="it compares with compiled kernels")
def test_interpreted_games_are_the_same_to_the_byte() -> None:
    process = subprocess.run(
        [sys.executable, "-W", "error", __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.split() == [digest(name) for name in game_names()]


@pytest.mark.skipif(not COMPILED, reason="this is interpreted")
def test_the_kernels_own_tests_pass_interpreted() -> None:
    files = [str(Path(__file__).with_name(f"test_{part}.py")) for part in ("rng", "bits")]
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert process.returncode == 0, process.stdout


if __name__ == "__main__":
    for game in game_names():
        print(digest(game))
