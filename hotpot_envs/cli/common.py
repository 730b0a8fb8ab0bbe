"""What the commands share: seats and their bots, files, the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from hotpot_envs.bots import Bot, make_bot
from hotpot_envs.cli.failure import Failure
from hotpot_envs.core import Game
from hotpot_envs.core.files import check_writable

__all__ = [
    "console",
    "draw_seed",
    "must_be_writable",
    "seat_bots",
    "seat_labels",
    "tell_event",
    "tell_result",
    "tell_table",
]

_WIDTH = 110  # where there is no terminal to ask


def console() -> Console:
    """Return a console for standard output that shows words as they are."""
    asked = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if asked else _WIDTH, highlight=False, markup=False, emoji=False)


def seat_bots(
    game: Game,
    texts: Sequence[str],
    names: Sequence[str] | None,
    *,
    default: str,
    people: int = 0,
) -> tuple[dict[str, Any], list[Bot]]:
    """Return the game's options, every one with its value, and the bots named.

    There are as many players as bots and people, unless an option says something else, which is
    an error then.

    Args:
        game: the game.
        texts: options as ``name=value``.
        names: the bots; ``None``: ``default`` in every seat.
        default: a bot's name.
        people: how many seats bots don't take.
    """
    given = game.parse_options(texts)
    if names is not None:
        given.setdefault("num_players", len(names) + people)
    options = game.resolve_options(given)
    needed = options["num_players"] - people
    if names is None:
        names = [default] * needed
    if len(names) != needed:
        words = " besides you" if people else ""
        raise Failure(
            f"{len(names)} bots for {needed} seats{words}: name one for each seat", code=2
        )
    made: dict[str, Bot] = {}
    for name in names:
        if name not in made:
            made[name] = make_bot(name, game)
    return options, [made[name] for name in names]


def draw_seed(seed: int | None) -> int:
    """Return the seed, or a new one of few digits, that can be typed in again."""
    return int.from_bytes(os.urandom(4), "little") if seed is None else seed


def must_be_writable(*paths: str | None) -> None:
    """Refuse files that cannot be written, before anything takes time; ``None`` is no file."""
    for path in paths:
        if path is None:
            continue
        try:
            check_writable(path)
        except OSError as error:
            raise Failure(f"cannot write {path}: {error.strerror}", code=2) from None


def seat_labels(num_players: int, names: object) -> list[str]:
    """Return what to call the seats; ``names`` may be anything that a record holds there."""
    if not isinstance(names, list) or len(names) != num_players:
        return [f"seat {seat}" for seat in range(num_players)]
    shown = ("".join(c if c.isprintable() else "?" for c in str(name)[:60]) for name in names)
    return [f"seat {seat} ({name})" for seat, name in enumerate(shown)]


def tell_event(
    shown: Console, event: Mapping[str, Any], labels: Sequence[str], *, secret: bool = False
) -> None:
    """Print an event of a record; of chance its kind only, as it may hold what is hidden.

    Args:
        shown: where to.
        event: a move or a chance event.
        labels: what to call the seats.
        secret: don't tell which move it was.
    """
    if "chance" in event:
        shown.print(f"  - {event['chance']} -")
        return
    other = f" for {labels[event['for']]}" if "for" in event and not secret else ""
    move = "a move in hiding" if secret else event["move"]
    shown.print(f"  {labels[event['seat']]}: {move}{other}")


def tell_table(shown: Console, text: str, title: str) -> None:
    """Print a game's text frame."""
    shown.print(Panel(Text(text.rstrip("\n")), title=Text(title), title_align="left", expand=False))


def tell_result(
    shown: Console, labels: Sequence[str], result: Mapping[str, Any], unit: str
) -> None:
    """Print who won, and everybody's points."""
    names = " and ".join(labels[seat] for seat in result["winners"])
    if names:
        verb = "share the win" if len(result["winners"]) > 1 else "wins"
        shown.print(f"{names[0].upper()}{names[1:]} {verb}.")
    else:
        shown.print("The game was stopped: nobody wins.")
    scores = ", ".join(
        f"{label}: {score}" for label, score in zip(labels, result["scores"], strict=True)
    )
    shown.print(f"{unit[0].upper()}{unit[1:]}: {scores}.")
