"""``hotpot arena``."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

from hotpot_envs.arena import Result
from hotpot_envs.arena import run as run_match
from hotpot_envs.cli.common import console, must_be_writable, seat_bots
from hotpot_envs.cli.failure import Failure
from hotpot_envs.core import get_game
from hotpot_envs.core.files import write_file

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Play a match; show its table and write it."""
    game = get_game(arguments.game)
    options, bots = seat_bots(game, arguments.options, arguments.bots, default="random")
    _check_files(arguments)
    total = arguments.deals * len(bots)
    with _Progress(total) as progress:
        result = run_match(
            game,
            bots,
            arguments.deals,
            options=options,
            seed=0 if arguments.seed is None else arguments.seed,
            progress=progress.tell,
        )
    console().print(result.rich_table())
    _write(result, arguments)
    return 0


def _check_files(arguments: argparse.Namespace) -> None:
    """Refuse what would fail after the match."""
    if arguments.plot is not None:
        if Path(arguments.plot).suffix.lower() != ".png":
            raise Failure(f"--plot {arguments.plot}: allowed is a file that ends in .png", code=2)
        if importlib.util.find_spec("matplotlib") is None:
            raise Failure("--plot needs matplotlib: pip install 'hotpot-envs[render]'")
    must_be_writable(arguments.json, arguments.csv, arguments.plot)


def _write(result: Result, arguments: argparse.Namespace) -> None:
    if arguments.json is not None:
        write_file(arguments.json, result.to_json())
    if arguments.csv is not None:
        write_file(arguments.csv, result.to_csv())
    if arguments.plot is not None:
        result.plot(arguments.plot)


class _Progress:
    """A progress bar on standard error, where that is a terminal."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._bar = Progress(
            console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()
        )
        self._task = self._bar.add_task("games", total=total)

    def __enter__(self) -> _Progress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def tell(self, done: int, total: int) -> None:
        """Take note of the games that are over."""
        self._bar.update(self._task, completed=done)
