"""``hotpot watch``."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from hotpot_envs.cli.common import (
    console,
    draw_seed,
    seat_bots,
    seat_labels,
    tell_event,
    tell_result,
    tell_table,
)
from hotpot_envs.cli.failure import Failure
from hotpot_envs.core import game_names, get_game
from hotpot_envs.records import Position, RecordError, Replay, parse_record, record_games

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Go through a game that bots play, or through one that was recorded."""
    if arguments.game in game_names():
        name, record = arguments.game, _play(arguments)
    else:
        name, record = _read(arguments)
    try:
        _show(record, arguments)
    except RecordError as error:
        raise Failure(f"{name}, event {error.where}: {error}") from None
    except EOFError:
        pass
    return 0


def _play(arguments: argparse.Namespace) -> dict[str, Any]:
    """Let the bots play a game; return its record."""
    if arguments.number is not None:
        raise Failure("--number is for files of records, not for games", code=2)
    game = get_game(arguments.game)
    options, bots = seat_bots(game, arguments.options, arguments.bots, default="heuristic")
    if arguments.seat is not None and arguments.seat >= len(bots):
        raise Failure(f"--seat {arguments.seat}: allowed is 0 to {len(bots) - 1}", code=2)
    seed = draw_seed(arguments.seed)
    return next(iter(record_games(game, 1, bots, options=options, seed=seed)))


def _read(arguments: argparse.Namespace) -> tuple[str, Any]:
    """Return the record asked for, and where it stands."""
    path, wanted = arguments.game, arguments.number or 1
    for name, value in (
        ("--option", arguments.options or None),
        ("--bots", arguments.bots),
        ("--seed", arguments.seed),
    ):
        if value is not None:
            raise Failure(f"{name} is for games, not for records", code=2)
    count = 0
    try:
        with open(path, "rb") as lines:
            for count, line in enumerate(lines, 1):
                if count == wanted:
                    where = f"{path}: line {count}"
                    try:
                        return where, parse_record(line)
                    except RecordError as error:
                        raise Failure(f"{where}, event {error.where}: {error}") from None
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            games = ", ".join(game_names())
            raise Failure(f"{path} is no game and no file; the games are {games}", code=2) from None
        raise Failure(f"cannot read {path}: {error.strerror}", code=2) from None
    raise Failure(f"{path} has no record {wanted}: it holds {count}", code=2)


def _show(record: Any, arguments: argparse.Namespace) -> None:
    """Print the positions one by one.

    Raises:
        EOFError: when the person leaves.
        RecordError: when the record is wrong; the positions before that have been shown.
    """
    replay = Replay(record)
    game, shown, seat = replay.game, console(), arguments.seat
    num_players = replay.options["num_players"]
    if seat is not None and seat >= num_players:
        raise Failure(f"--seat {seat}: allowed is 0 to {num_players - 1}", code=2)
    labels = seat_labels(num_players, record.get("players"))
    seed = record.get("seed")
    shown.print(game.title + (f", seed {seed}" if type(seed) is int else ""))
    last, num_events = None, len(record["events"])
    for position in replay:
        if last is not None:
            _pause(arguments.delay)
        secret = _is_secret(replay, last, position, seat)
        for event in position.events:
            tell_event(shown, event, labels, secret=secret and "seat" in event)
        title = f"event {position.num_events} of {num_events}"
        tell_table(shown, game.text(replay.config, position.state, seat), title)
        last = position
    tell_result(shown, labels, record["result"], game.score_name)


def _is_secret(replay: Replay, last: Position | None, now: Position, seat: int | None) -> bool:
    """Whether the move between two positions is hidden from the seat that watches."""
    notation = replay.game.notation
    if last is None or notation.secret is None or seat in (None, now.events[0]["seat"]):
        return False
    action = notation.action(replay.config, last.state, now.events[0])
    return notation.secret(replay.config, last.state, action)


def _pause(delay: float | None) -> None:
    """Wait for a while, or, in a terminal, for the person."""
    if delay is not None:
        sys.stdout.flush()
        time.sleep(delay)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        if input("[Enter: next, q: leave] ").strip().lower() in ("q", "quit", "exit"):
            raise EOFError
