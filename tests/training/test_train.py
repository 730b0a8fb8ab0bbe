"""Training runs as a user makes them, in processes of their own."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sb3_contrib import MaskablePPO

from hotpot_envs.bots import Policy, make_bot

ROOT = Path(__file__).parents[2]
SMALL = ["n_envs:16", "n_steps:19", "batch_size:128", "n_epochs:2", "policy_kwargs:{trunk: [16]}"]
STEPS = 12 * 16 * 19
COMMAND = [sys.executable, "-m", "training.train"]


def arguments(folder: Path, *more: str, hyperparams: list[str] = ()) -> list[str]:
    return [
        *COMMAND, "boil_over", "--output", str(folder), "--deals", "2", "--threads", "1",
        "--seed", "3", *more, "--hyperparams", *SMALL, "n_evals:2", "eval_deals:2",
        "pool_every:2", "pool_share:0.25", *hyperparams,
    ]  # fmt: skip


def run(command: list[str], **kwargs) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=250, check=False, **kwargs
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[Path, str]:
    """A short run to its end, and what it printed."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    done = run(arguments(folder, "--steps", str(STEPS)))
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


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
    assert steps == [304 * (index + 1) for index in range(12)]
    with np.load(folder / "evaluations.npz") as saved:
        assert saved["timesteps"].tolist()[-1] == STEPS
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
    assert make_bot(folder / "policy.safetensors", "boil_over").number is None


def test_a_killed_run_goes_on_to_the_byte(whole, tmp_path):
    folder = tmp_path / "run"
    with subprocess.Popen(
        arguments(folder, "--steps", str(STEPS), "--checkpoint-minutes", "0"),
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 200
        while len(list(folder.glob("checkpoints/*.zip"))) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    assert not (folder / "policy.safetensors").exists(), "the run was over before it was killed"
    done = run([*COMMAND, "--resume", str(folder), "--deals", "2", "--threads", "1"])
    assert done.returncode == 0, done.stderr
    unbroken, _ = whole
    for name in ("policy.safetensors", "progress.csv"):
        if name == "policy.safetensors":
            assert (folder / name).read_bytes() == (unbroken / name).read_bytes()
        else:
            assert len((folder / name).read_text().splitlines()) == len(
                (unbroken / name).read_text().splitlines()
            )


def test_an_interrupted_run_can_be_resumed(tmp_path):
    folder = tmp_path / "run"
    with subprocess.Popen(
        arguments(folder, "--steps", "10000000"),
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 200
        while not (folder / "progress.csv").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGTERM)
        printed, errors = process.communicate(timeout=100)
    assert process.returncode == 130, errors
    assert f"--resume {folder}" in printed
    assert Policy.load(folder / "policy.safetensors").options["num_players"] == 4
    assert (folder / "checkpoint.pt").exists()


def test_minutes_become_steps_once(tmp_path):
    folder = tmp_path / "run"
    done = run(arguments(folder, "--minutes", "0.02"))
    assert done.returncode == 0, done.stderr
    assert (folder / "policy.safetensors").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["no_game"], "no game 'no_game'"),
        (["boil_over", "--option", "num_players=9"], "a whole number from 3 to 6"),
        (["boil_over", "--steps", "0"], "--steps 0"),
        (["boil_over", "--minutes", "-1"], "--minutes -1.0"),
        (["boil_over", "--hyperparams", "learning:1"], "no hyperparameter 'learning'"),
        (["boil_over", "--hyperparams", "n_envs:0"], "n_envs=0"),
        (["boil_over", "--output", "/proc/none"], "cannot be written to"),
        (["--resume", "/nowhere"], "holds no run"),
        ([], "name a game"),
    ],
)
def test_wrong_usage(tmp_path, more, message):
    done = run([*COMMAND, *more], env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_folder_with_a_run_is_refused(whole):
    folder, _ = whole
    before = (folder / "policy.safetensors").read_bytes()
    done = run(arguments(folder, "--steps", "1000"))
    assert done.returncode == 2
    assert "holds a run already" in done.stderr
    assert (folder / "policy.safetensors").read_bytes() == before


def test_a_damaged_checkpoint_is_refused(whole, tmp_path):
    unbroken, _ = whole
    for name in ("args.yml", "config.yml"):
        (tmp_path / name).write_bytes((unbroken / name).read_bytes())
    (tmp_path / "checkpoint.pt").write_bytes((unbroken / "checkpoint.pt").read_bytes()[:1000])
    done = run([*COMMAND, "--resume", str(tmp_path)])
    assert done.returncode == 1
    assert "is no checkpoint of this run" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("module", ["evaluate", "enjoy", "plot"])
def test_what_is_done_with_a_run(whole, tmp_path, module):
    folder, _ = whole
    command = [sys.executable, "-m", f"training.{module}", str(folder)]
    if module == "evaluate":
        command += ["--deals", "2", "--bots", "random"]
    if module == "plot":
        command += ["-o", str(tmp_path / "curves.png")]
    done = run(command)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    missing = run([*command[:3], str(tmp_path / "none")])
    assert missing.returncode == 1
    assert "Traceback" not in missing.stderr
