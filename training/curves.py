"""Learning curves of runs as a picture."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from hotpot_envs.core.files import write_file
from training.folder import PROGRESS, read_args

__all__ = ["draw_curves"]

_PANELS = (
    ("train/entropy_loss", "entropy of the policy", -1.0),
    ("train/explained_variance", "explained variance of the value", 1.0),
    ("rollout/ep_len_mean", "decisions a game", 1.0),
)


def draw_curves(folders: Sequence[Path], path: Path) -> None:
    """Draw win share against heuristic bots, entropy, explained variance and game length.

    Args:
        folders: the runs.
        path: the PNG to write.

    Raises:
        ValueError: when a folder holds no run.
        OSError: when the picture cannot be written.
    """
    figure, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
    for folder in folders:
        args = read_args(folder)
        _draw_strength(axes[0, 0], folder)
        rows = _read(folder / PROGRESS)
        for axis, (column, title, sign) in zip(axes.flat[1:], _PANELS, strict=True):
            points = [
                (float(row["time/total_timesteps"]), sign * float(row[column]))
                for row in rows
                if row.get(column)
            ]
            if points:
                axis.plot(*np.array(points).T, label=folder.name)
            axis.set_title(title, fontsize=10)
        players = args["options"]["num_players"]
    axes[0, 0].axhline(1 / players, color="grey", linewidth=0.8, linestyle="--", label="fair share")
    axes[0, 0].set_title("win share, greedy play against heuristic bots (95%)", fontsize=10)
    axes[0, 0].legend(fontsize=8)
    for axis in axes.flat:
        axis.set_xlabel("decisions")
        axis.grid(alpha=0.3)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    plt.close(figure)
    write_file(path, buffer.getvalue())


def _draw_strength(axis: plt.Axes, folder: Path) -> None:
    path = folder / "evaluations.npz"
    if not path.exists():
        return
    with np.load(path) as saved:
        axis.plot(saved["timesteps"], saved["win_share"], label=folder.name)
        axis.fill_between(saved["timesteps"], saved["low"], saved["high"], alpha=0.2)


def _read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
