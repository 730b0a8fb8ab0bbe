"""A run's folder: who may use it, what stands in it, and its logs."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import yaml
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
from torch.utils.tensorboard import SummaryWriter

from hotpot_envs.core.files import write_file

__all__ = ["CsvLog", "lock", "make_logger", "new_folder", "read_args", "write_args"]

ARGS, CONFIG, COMMAND, PROGRESS = "args.yml", "config.yml", "command.txt", "progress.csv"
_STEPS = "time/total_timesteps"


def new_folder(game: str, runs: Path = Path("runs")) -> Path:
    """Return the first of ``runs/GAME_1``, ``runs/GAME_2``, … that does not exist."""
    number = 1
    while (runs / f"{game}_{number}").exists():
        number += 1
    return runs / f"{game}_{number}"


@contextlib.contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Make the folder if it is missing, and keep other runs out of it.

    Raises:
        ValueError: when it cannot be written to, or a run is at work in it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / ".lock").open("w")
    except OSError as error:
        raise ValueError(f"folder {str(folder)!r} cannot be written to: {error.strerror}") from None
    with file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass  # not on Windows, where nothing is locked
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            raise ValueError(f"a run is at work in {str(folder)!r}: choose another") from None
        yield


def write_args(folder: Path, args: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    """Write down what the run was asked for; the arguments last: they make it a run."""
    write_file(folder / CONFIG, yaml.safe_dump(_plain(config), sort_keys=False))
    write_file(
        folder / COMMAND, shlex.join(["python", "-m", "training.train", *sys.argv[1:]]) + "\n"
    )
    write_file(folder / ARGS, yaml.safe_dump(_plain(args), sort_keys=False))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def read_args(folder: Path) -> dict[str, Any]:
    """Return what ``write_args`` wrote.

    Raises:
        ValueError: when the folder holds no run.
    """
    try:
        args = yaml.safe_load((folder / ARGS).read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        args = None
    if not isinstance(args, dict) or not isinstance(args.get("game"), str):
        raise ValueError(f"{str(folder)!r} holds no run: it has no readable {ARGS}")
    return args


class CsvLog(KVWriter):
    """``progress.csv``, a line an update; a run that goes on keeps the lines before.

    Columns may be added on the way. Lines from after the checkpoint are dropped: they come again.

    Args:
        path: the file.
        num_timesteps: how many decisions lie behind; 0 for a new file.
    """

    def __init__(self, path: Path, num_timesteps: int) -> None:
        self._path = path
        self._rows: list[dict[str, Any]] = []
        self._columns: list[str] = []
        if num_timesteps and path.exists():
            with path.open(newline="") as file:
                for row in csv.DictReader(file):
                    steps = row.get(_STEPS) or ""
                    if steps.isdigit() and int(steps) <= num_timesteps:
                        self._rows.append({k: v for k, v in row.items() if k and v})

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: dict[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Add a line."""
        row = {
            name: value
            for name, value in key_values.items()
            if isinstance(value, (int, float, str, np.number))
        }
        self._rows.append({**row, _STEPS: step})
        if set(self._rows[-1]) <= set(self._columns):
            with self._path.open("a", newline="") as file:
                self._lines(file, self._rows[-1:])
            return
        self._columns = sorted({column for row in self._rows for column in row})
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerow(self._columns)
        self._lines(buffer, self._rows)
        write_file(self._path, buffer.getvalue())

    def _lines(self, file: TextIO, rows: list[dict[str, Any]]) -> None:
        csv.DictWriter(file, self._columns, restval="", lineterminator="\n").writerows(rows)

    def close(self) -> None:
        """Do nothing: every line is written."""


class TensorBoardLog(TensorBoardOutputFormat):
    """TensorBoard's events; those from after the checkpoint are marked as void.

    Args:
        folder: the folder of the events.
        num_timesteps: how many decisions lie behind.
    """

    def __init__(self, folder: Path, num_timesteps: int) -> None:
        purge = num_timesteps + 1 if num_timesteps else None
        self.writer = SummaryWriter(log_dir=os.fspath(folder), purge_step=purge)
        self._is_closed = False


def make_logger(folder: Path, num_timesteps: int) -> Logger:
    """Return a logger to ``progress.csv`` and to TensorBoard, in the run's folder."""
    return Logger(
        str(folder),
        [
            CsvLog(folder / PROGRESS, num_timesteps),
            TensorBoardLog(folder / "tensorboard", num_timesteps),
        ],
    )
