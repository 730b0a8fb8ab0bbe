"""Training runs as a user makes them, in processes of their own."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch as th
from sb3_contrib import MaskablePPO

from hotpot_envs.bots import Policy, make_bot
from training import enjoy, evaluate, plot
from training import folder as folders
from training.train import main

ROOT = Path(__file__).parents[2]
SMALL = ["n_envs:16", "n_steps:19", "batch_size:128", "n_epochs:2", "policy_kwargs:{trunk: [16]}"]
STEPS = 12 * 16 * 19
COMMAND = [sys.executable, "-m", "training.train"]
BRIEF = ["--deals", "2", "--threads", "1"]


def arguments(folder: Path, *more: str, hyperparams: Sequence[str] = ()) -> list[str]:
    """Return the command line of a small run: 304 decisions a rollout."""
    return [
        "boil_over", "--output", str(folder), *BRIEF, "--seed", "3", *more, "--hyperparams",
        *SMALL, "n_evals:2", "eval_deals:2", "pool_every:2", "pool_share:0.25", *hyperparams,
    ]  # fmt: skip


def leaves_with(code: int, function: Callable[[list[str]], None], argv: list[str]) -> None:
    """Call a program's main function, which must leave with this code."""
    with pytest.raises(SystemExit) as left:
        function(argv)
    assert left.value.code == code


def start(argv: list[str]) -> subprocess.Popen[str]:
    """Start training in a process of its own."""
    return subprocess.Popen(
        [*COMMAND, *argv], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 200
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert condition()


def policy_of(folder: Path) -> bytes:
    return (folder / "policy.safetensors").read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[Path, str]:
    """A short run to its end, and what it printed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    printed = io.StringIO()
    # Intervals over two deals are wide: room for them beside the names.
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setenv("COLUMNS", "120")
        main(arguments(folder, "--steps", str(STEPS)))
    return folder, printed.getvalue()


def test_what_a_run_leaves(whole):
    folder, printed = whole
    names = {path.name for path in folder.iterdir()}
    assert {
        "args.yml", "config.yml", "command.txt", "progress.csv", "evaluations.npz",
        "policy.safetensors", "final_model.zip", "best_model.zip", "learning_curve.png",
        "checkpoint.pt", "checkpoints", "tensorboard",
    } <= names  # fmt: skip
    assert [path.name for path in folder.glob("*.safetensors")] == ["policy.safetensors"]
    assert list((folder / "checkpoints").glob("rl_model_*_steps.zip"))
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert "heuristic" in printed
    assert "random" in printed
    assert "win share" in printed
    with (folder / "progress.csv").open(newline="") as file:
        steps = [int(row["time/total_timesteps"]) for row in csv.DictReader(file)]
    assert log_of(folder)[-1]["train/loss"]
    assert steps == [304 * (index + 1) for index in range(12)]
    with np.load(folder / "evaluations.npz") as saved:
        assert saved["timesteps"].tolist()[-1] == STEPS
        assert np.allclose(saved["results"].mean(axis=1), saved["win_share"])
        assert ((saved["low"] <= saved["win_share"]) & (saved["win_share"] <= saved["high"])).all()


def test_the_policy_is_the_models(whole):
    folder, _ = whole
    policy = Policy.load(folder / "policy.safetensors")
    assert policy.options["num_players"] == 4
    model = MaskablePPO.load(folder / "final_model.zip", device="cpu")
    observations = np.random.default_rng(0).integers(0, 2, (5, policy.game.observations.size))
    scaled = policy.game.observations.scale(observations.astype(np.int16))
    tensor = model.policy.obs_to_tensor(scaled)[0]
    values = model.policy.predict_values(tensor).detach().numpy()[:, 0]
    assert np.allclose(policy.values(observations.astype(np.int16)), values, atol=1e-5)
    logits = model.policy.get_distribution(tensor).distribution.logits.detach().numpy()
    mine = policy.logits(observations.astype(np.int16))
    # Torch's are shifted so that their exponentials sum to 1.
    assert np.allclose(
        mine - mine.max(axis=1, keepdims=True),
        logits - logits.max(axis=1, keepdims=True),
        atol=1e-5,
    )
    assert make_bot(folder / "policy.safetensors", "boil_over").number is None


def test_a_killed_run_goes_on_to_the_byte(whole, tmp_path, capsys):
    folder = tmp_path / "run"
    command = arguments(folder, "--steps", str(STEPS), "--checkpoint-minutes", "0")
    with start(command) as process:
        wait_until(lambda: len(list(folder.glob("checkpoints/*.zip"))) >= 4)
        process.kill()
    assert not (folder / "policy.safetensors").exists(), "the run was over before it was killed"
    main(command)
    assert f"going on with {folder} from" in capsys.readouterr().out
    unbroken, _ = whole
    assert policy_of(folder) == policy_of(unbroken)
    assert log_of(folder) == log_of(unbroken)
    with np.load(folder / "evaluations.npz") as mine, np.load(unbroken / "evaluations.npz") as its:
        assert all((mine[name] == its[name]).all() for name in its.files)
    leaves_with(2, main, command)
    assert "holds this run already, at its end" in capsys.readouterr().err


def log_of(folder: Path) -> list[dict[str, str]]:
    """Return the lines of ``progress.csv`` without what a clock or a process had part in."""
    with (folder / "progress.csv").open(newline="") as file:
        return [
            {name: value for name, value in row.items() if not name.startswith("time/")}
            for row in csv.DictReader(file)
        ]


def test_a_run_killed_before_its_first_checkpoint_begins_again(whole, tmp_path):
    unbroken, _ = whole
    for name in ("args.yml", "config.yml"):
        (tmp_path / name).write_bytes((unbroken / name).read_bytes())
    main(["--resume", str(tmp_path), *BRIEF])
    assert policy_of(tmp_path) == policy_of(unbroken)


def test_an_interrupted_run_can_be_resumed(tmp_path):
    folder = tmp_path / "run"
    with start(arguments(folder, "--steps", "10000000")) as process:
        wait_until((folder / "progress.csv").exists)
        os.kill(process.pid, signal.SIGTERM)
        printed, errors = process.communicate(timeout=100)
    assert process.returncode == 130, errors
    assert f"--resume {folder}" in printed
    assert Policy.load(folder / "policy.safetensors").options["num_players"] == 4
    assert (folder / "checkpoint.pt").exists()


def test_minutes_become_steps_once(tmp_path):
    folder = tmp_path / "run"
    with start(arguments(folder, "--minutes", "0.15", "--checkpoint-minutes", "9")) as process:
        # The first checkpoint is the one written when the number is fixed.
        wait_until((folder / "checkpoint.pt").exists)
        process.kill()
    fixed = th.load(folder / "checkpoint.pt", weights_only=False)
    assert fixed["num_timesteps"] >= 4 * 304  # one rollout warms up, three at least are timed
    assert fixed["total"] > fixed["num_timesteps"]
    assert fixed["total"] % 304 == 0
    main(["--resume", str(folder), *BRIEF])
    with np.load(folder / "evaluations.npz") as saved:
        assert saved["timesteps"][-1] == fixed["total"]


def test_a_network_that_is_no_use_ends_the_run(tmp_path, capsys):
    folder = tmp_path / "run"
    leaves_with(1, main, arguments(folder, "--steps", "4000", hyperparams=["learning_rate:1e+30"]))
    assert "not finite: try a lower learning_rate" in capsys.readouterr().err
    assert not (folder / "policy.safetensors").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["no_game"], "no game 'no_game'"),
        (["boil_over", "--option", "num_players=9"], "a whole number from 3 to 6"),
        (["boil_over", "--steps", "0"], "--steps 0"),
        (["boil_over", "--minutes", "-1"], "--minutes -1.0"),
        (["boil_over", "--minutes", "nan"], "--minutes nan"),
        (["boil_over", "--checkpoint-minutes", "-1"], "--checkpoint-minutes -1"),
        (["boil_over", "--seed", "-1"], "--seed -1"),
        (["boil_over", "--hyperparams", "learning:1"], "no hyperparameter 'learning'"),
        (["boil_over", "--hyperparams", "n_envs:0"], "n_envs=0"),
        (["boil_over", "--hyperparams", "pool_bots:{nobody: 1}"], "no bot 'nobody'"),
        (["boil_over", "--config", "/nowhere.yml"], "'/nowhere.yml' cannot be read"),
        (["boil_over", "--output", "/proc/none"], "cannot be written to"),
        (["--resume", "/nowhere"], "holds no run"),
        (["--resume", "/nowhere", "--seed", "1"], "--resume goes on as the run began"),
        ([], "name a game"),
    ],
)
def test_wrong_usage(tmp_path, monkeypatch, capsys, more, message):
    monkeypatch.chdir(tmp_path)
    leaves_with(2, main, more)
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_from_the_shell(tmp_path):
    with start(["boil_over", "--steps", "x"]) as process:
        _, errors = process.communicate(timeout=100)
    assert process.returncode == 2
    assert "invalid int value: 'x'" in errors


def test_a_folder_with_a_run_is_refused(whole, capsys):
    folder, _ = whole
    before = policy_of(folder)
    leaves_with(2, main, arguments(folder, "--steps", "1000"))
    assert "was asked for something else" in capsys.readouterr().err
    with folders.lock(folder):
        leaves_with(2, main, ["--resume", str(folder)])
    assert "a run is at work in" in capsys.readouterr().err
    assert policy_of(folder) == before


def test_a_damaged_checkpoint_is_refused(whole, tmp_path, capsys):
    unbroken, _ = whole
    for name in ("args.yml", "config.yml"):
        (tmp_path / name).write_bytes((unbroken / name).read_bytes())
    (tmp_path / "checkpoint.pt").write_bytes((unbroken / "checkpoint.pt").read_bytes()[:1000])
    leaves_with(1, main, ["--resume", str(tmp_path)])
    assert "is no checkpoint of this run" in capsys.readouterr().err


def test_a_run_at_its_end_gives_its_tables_again(whole, capsys):
    folder, _ = whole
    before = policy_of(folder)
    main(["--resume", str(folder), *BRIEF])
    assert "win share" in capsys.readouterr().out
    assert policy_of(folder) == before


def test_a_broken_line_of_the_log_is_dropped(tmp_path):
    path = tmp_path / "progress.csv"
    log = folders.CsvLog(path, 0)
    log.write({"a": 1.5}, {}, 10)
    log.write({"a": 2.5, "b": 3}, {}, 20)
    log.write({"a": 3.5}, {}, 30)
    with path.open("a") as file:
        file.write("4.5,")
    log = folders.CsvLog(path, 20)
    log.write({"a": 5.5, "c": 1}, {}, 30)
    assert path.read_text().splitlines() == [
        "a,b,c,time/total_timesteps", "1.5,,,10", "2.5,3,,20", "5.5,,1,30",
    ]  # fmt: skip


def test_evaluate(whole, capsys, tmp_path):
    folder, _ = whole
    evaluate.main([str(folder), "--deals", "2", "--bots", "random"])
    assert "win share" in capsys.readouterr().out
    evaluate.main(
        [f"{folder}@sample", "--deals", "2", "--bots", "random", "--option", "num_players=3"]
    )
    assert "× 3 rotations" in capsys.readouterr().out
    leaves_with(1, evaluate.main, [str(tmp_path / "none")])
    leaves_with(1, evaluate.main, [str(folder), "--option", "no_option=3"])
    leaves_with(1, evaluate.main, [str(folder), "--bots", "nobody"])
    assert capsys.readouterr().err.count("\n") == 3


def test_options_that_had_their_defaults_have_them_again(whole):
    folder, _ = whole
    policy = Policy.load(folder / "policy.safetensors")
    assert evaluate.options_for(policy, []) == policy.options
    changed = evaluate.options_for(policy, ["num_players=3"])
    assert changed == {"num_players": 3, "limit": 20, "rounds": 3}
    policy.options["limit"] = 19
    changed = evaluate.options_for(policy, ["num_players=6"])
    assert changed == {"num_players": 6, "limit": 19, "rounds": 6}


def test_enjoy(whole, capsys, tmp_path):
    folder, _ = whole
    leaves_with(0, enjoy.main, [str(folder)])
    assert "policy" in capsys.readouterr().out
    leaves_with(1, enjoy.main, [str(tmp_path / "none")])
    assert capsys.readouterr().err.startswith("training.enjoy: ")


def test_plot(whole, capsys, tmp_path):
    folder, _ = whole
    path = tmp_path / "curves.png"
    plot.main([str(folder), str(folder), "-o", str(path)])
    assert path.read_bytes().startswith(b"\x89PNG")
    leaves_with(1, plot.main, [str(tmp_path / "none"), "-o", str(path)])
    assert "holds no run" in capsys.readouterr().err
