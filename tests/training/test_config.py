"""Hyperparameters: files, changes, schedules, and every kind of mistake."""

from __future__ import annotations

import dataclasses

import pytest
import yaml

from hotpot_envs.core import game_names, get_game
from training.config import Config, Schedule, config_path, describe_hyperparams, load_config


@pytest.mark.parametrize(
    ("value", "start", "end"),
    [
        (0.1, 0.1, 0.1),
        (2, 2.0, 2.0),
        ("1e-3", 1e-3, 1e-3),
        ("lin_0.001", 0.001, 0.0),
        ("lin_2.5e-4", 2.5e-4, 0.0),
        ("lin_0.05_0.01", 0.05, 0.01),
        ("lin_1e-3_1e-05", 1e-3, 1e-5),
    ],
)
def test_schedules(value, start, end):
    schedule = Schedule.parse(value)
    assert (schedule.start, schedule.end) == (start, end)
    assert schedule(1.0) == pytest.approx(start)
    assert schedule(0.0) == pytest.approx(end)
    assert schedule(0.25) == pytest.approx(end + (start - end) / 4)


@pytest.mark.parametrize("value", ["lin_", "lin_x", "exp_0.1", "0.1_0.2", None, True, [], "-1"])
def test_what_is_no_schedule(value):
    with pytest.raises(ValueError, match="lin_START_END"):
        Schedule.parse(value)
    with pytest.raises(ValueError, match="learning_rate="):
        Config(learning_rate=value)


@pytest.mark.parametrize("name", game_names())
def test_every_games_file_is_right(name):
    config = load_config(config_path(get_game(name)))
    assert config.n_envs >= 1


def test_a_game_without_a_file_has_the_defaults():
    game = dataclasses.replace(get_game("boil_over"), name="elsewhere")
    assert config_path(game) is None
    assert load_config(None) == Config()


def test_a_file_written_from_a_config_gives_that_config(tmp_path):
    path = tmp_path / "config.yml"
    config = dataclasses.replace(
        Config(), n_envs=7, policy_kwargs={"net_arch": {"pi": [8], "vf": [16, 16]}}
    )
    path.write_text(yaml.safe_dump(config.plain()))
    assert load_config(path) == config


def test_changes_win(tmp_path):
    path = tmp_path / "config.yml"
    path.write_text("n_envs: 8\npolicy_kwargs: {trunk: [32], activation_fn: tanh}\nvf_coef: 1e-1\n")
    config = load_config(
        path,
        [
            "n_envs:16",
            "learning_rate:1e-4",
            "policy_kwargs.trunk:[64, 64]",
            "pool_bots:{random: 2}",
        ],
    )
    assert config.n_envs == 16
    assert config.learning_rate == 1e-4
    assert config.vf_coef == 0.1
    assert config.policy_kwargs == {"trunk": [64, 64], "activation_fn": "tanh"}
    assert config.pool_bots == {"random": 2.0}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("n_envs:0", "n_envs=0: allowed is a whole number from 1"),
        ("n_envs:1.5", "n_envs=1.5"),
        ("n_envs:true", "n_envs=True"),
        ("gamma:1.1", "gamma=1.1: allowed is a number from 0 to 1"),
        ("gamma:.nan", "gamma=nan"),
        ("reward:money", "reward='money': allowed is one of win, rank, score, dense"),
        ("normalize_advantage:1", "allowed is one of true, false"),
        ("policy_kwargs.layers:[1]", "policy_kwargs="),
        ("policy_kwargs.trunk:[0]", "policy_kwargs="),
        ("policy_kwargs.net_arch:{vf: [1], qf: [1]}", "policy_kwargs="),
        ("policy_kwargs:relu", "policy_kwargs='relu'"),
        ("pool_bots:heuristic", "pool_bots='heuristic': allowed is bots with how often"),
        ("pool_bots:{heuristic: 0}", "at least one bot"),
        ("learning:1", "no hyperparameter 'learning'; there are: n_envs, n_timesteps,"),
        ("n_envs=3", "write it as name:value"),
        ("n_envs:[", r"'\[' is no YAML value"),
    ],
)
def test_refusals(tmp_path, change, words):
    path = tmp_path / "config.yml"
    path.write_text("")
    with pytest.raises(ValueError, match=words):
        load_config(path, [change])


@pytest.mark.parametrize(
    ("text", "words"),
    [("[1, 2]", "no names and values"), ("a: [", "cannot be read"), ("a: 1", "no hyperparameter")],
)
def test_files_that_are_none(tmp_path, text, words):
    path = tmp_path / "config.yml"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        load_config(path)
    with pytest.raises(ValueError, match=r"cannot be read as hyperparameters: No such file"):
        load_config(tmp_path / "none.yml")


def test_every_hyperparameter_is_described():
    lines = describe_hyperparams().splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        field.name for field in dataclasses.fields(Config)
    ]
    assert "reward: what is paid: win, rank, score or dense (default: win)" in lines
