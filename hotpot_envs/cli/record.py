"""``hotpot record``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from hotpot_envs.cli.common import must_be_writable, seat_bots
from hotpot_envs.core import get_game
from hotpot_envs.core.files import writing
from hotpot_envs.records import record_games, to_line

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Let bots play; write their games' records."""
    game = get_game(arguments.game)
    options, bots = seat_bots(game, arguments.options, arguments.bots, default="random")
    records = record_games(
        game,
        arguments.games,
        bots,
        options=options,
        seed=arguments.seed,
        legal=arguments.legal,
    )
    if arguments.output == "-":
        for record in records:
            sys.stdout.write(to_line(record))
        return 0
    must_be_writable(arguments.output)
    with writing(arguments.output) as file:
        for record in _counting(records, arguments.games):
            file.write(to_line(record).encode())
    return 0


def _counting(records: Iterator[dict[str, Any]], total: int) -> Iterator[dict[str, Any]]:
    """Show on standard error, where it is a terminal, how many are done."""
    if not sys.stderr.isatty():
        yield from records
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(records, "recording", total, console=Console(stderr=True), transient=True)
