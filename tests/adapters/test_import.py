"""What importing the package does, and what it must not load."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import gymnasium
import pettingzoo
import pytest

import hotpot_envs
from hotpot_envs.core import game_names, get_game

ROOT = Path(hotpot_envs.__file__).parents[1]


def run(code):
    """Run code in a fresh process, warnings as errors; return what it prints, as JSON."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_import_loads_nothing_of_weight():
    loaded = run(
        "import sys, json, gymnasium, pettingzoo\n"
        "before = set(sys.modules)\n"
        "import hotpot_envs, hotpot_envs.adapters\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    assert loaded == ["hotpot_envs", "hotpot_envs.adapters"]


def test_public_names():
    assert hotpot_envs.__all__ == sorted(hotpot_envs.__all__)
    for name in hotpot_envs.__all__:
        value = getattr(hotpot_envs, name)
        assert value.__module__.startswith("hotpot_envs.")
        assert value.__doc__
    assert set(hotpot_envs.__all__) <= set(dir(hotpot_envs))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = hotpot_envs.nonsense


def test_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == hotpot_envs.__version__


def test_every_game_is_registered():
    expected = {get_game(name).id: name for name in game_names()}
    ours = {
        env_id: spec
        for env_id, spec in gymnasium.registry.items()
        if env_id.startswith("hotpot_envs/")
    }
    assert {env_id: spec.kwargs["game"] for env_id, spec in ours.items()} == expected
    for spec in ours.values():
        for entry_point in (spec.entry_point, spec.vector_entry_point):
            module, _, name = entry_point.partition(":")
            assert hasattr(importlib.import_module(module), name)
    for env_id, name in expected.items():
        module = f"hotpot_envs.{name}_v{get_game(name).version}"
        assert pettingzoo.spec("aec", env_id).entry_point == f"{module}:env"


def test_importing_again_is_silent():
    importlib.reload(hotpot_envs)


@pytest.mark.parametrize("name", game_names())
def test_make_without_an_import(name):
    env_id = get_game(name).id
    made = run(
        "import gymnasium, json\n"
        f"env = gymnasium.make('hotpot_envs:{env_id}')\n"
        "env.reset(seed=0)\n"
        f"envs = gymnasium.make_vec('hotpot_envs:{env_id}', num_envs=3)\n"
        "print(json.dumps([env.spec.id, envs.spec.id, envs.num_envs, type(envs).__name__]))"
    )
    assert made == [env_id, env_id, 3, "LearnerVectorEnv"]


def test_written_files_are_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "new_files.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
