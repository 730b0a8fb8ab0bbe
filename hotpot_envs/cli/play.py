"""``hotpot play``."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from rich.console import Console

from hotpot_envs.bots import Bot
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
from hotpot_envs.core import Engine, Game, get_game
from hotpot_envs.core.rng import mix_seeds
from hotpot_envs.records.words import legal_words, result_of

__all__ = ["run"]

_INTERRUPTED = 130


def run(arguments: argparse.Namespace) -> int:
    """Play a game with a person in one seat."""
    game = get_game(arguments.game)
    options, bots = seat_bots(
        game, arguments.options, arguments.bots, default="heuristic", people=1
    )
    num_players = options["num_players"]
    if arguments.seat >= num_players:
        raise Failure(f"--seat {arguments.seat}: allowed is 0 to {num_players - 1}", code=2)
    seats: list[Bot | None] = [*bots]
    seats.insert(arguments.seat, None)
    match = _Match(game, options, seats, draw_seed(arguments.seed), console())
    try:
        match.play()
    except EOFError:
        match.shown.print("\nYou left the game.")
    except KeyboardInterrupt:
        match.shown.print("\nYou left the game.")
        return _INTERRUPTED
    return 0


class _Match:
    """A game with a person in the seat without a bot.

    Args:
        game: the game.
        options: its options.
        seats: the bots, and ``None`` for the person.
        seed: the game's seed.
        shown: where to print.
    """

    def __init__(
        self,
        game: Game,
        options: dict[str, Any],
        seats: list[Bot | None],
        seed: int,
        shown: Console,
    ) -> None:
        self.game, self.seats, self.shown = game, seats, shown
        self.own = seats.index(None)
        self.labels = seat_labels(len(seats), [bot.name if bot else "you" for bot in seats])
        self.engine = Engine(game, 1, options=options, illegal="report")
        self.engine.reset(seed)
        self.generators = mix_seeds(self.engine.generators(seed))
        self.buffers = self.engine.buffers()
        self.config, self.state = self.engine.config[0], self.engine.states[0]
        shown.print(f"{game.title}, seed {seed}. You are seat {self.own}.")

    def play(self) -> None:
        """Play to the end.

        Raises:
            EOFError: when the person leaves.
        """
        engine, notation = self.engine, self.game.notation
        for event in notation.chance(self.config, None, -1, self.state):
            tell_event(self.shown, event, self.labels)
        while not engine.over[0]:
            engine.observe(self.buffers)
            seat = int(engine.to_move[0])
            bot = self.seats[seat]
            action = self._ask() if bot is None else self._choose(bot)
            before = engine.states.copy()[0]
            event = {"seat": seat, **notation.move(self.config, before, action)}
            engine.step(np.array([action]), self.buffers, show="nothing")
            if self.buffers.status[0]:
                raise Failure(f"bot {self.labels[seat]} chose action {action}, which is not legal")
            secret = (
                seat != self.own
                and notation.secret is not None
                and notation.secret(self.config, before, action)
            )
            tell_event(self.shown, event, self.labels, secret=secret)
            for chance in notation.chance(self.config, before, action, self.state):
                tell_event(self.shown, chance, self.labels)
        self._tell_table()
        tell_result(self.shown, self.labels, result_of(engine, 0), self.game.score_name)

    def _choose(self, bot: Bot) -> int:
        buffers = self.buffers
        return int(bot.act(buffers.observations, buffers.action_masks, self.generators)[0])

    def _ask(self) -> int:
        """Ask the person for a move until it is a legal one; return its action."""
        mask = self.buffers.action_masks[0]
        actions = np.flatnonzero(mask).tolist()
        words = legal_words(self.game, self.config, self.state, mask)
        self._tell_table()
        self._tell_moves(words)
        while True:
            self.shown.file.flush()
            answer = input("Your move: ").strip()
            if answer.lower() in ("q", "quit", "exit") and answer not in words:
                raise EOFError
            if answer in ("?", "help"):
                self._tell_table()
                self._tell_moves(words)
                continue
            if answer in words:
                return int(actions[words.index(answer)])
            alike = [index for index, word in enumerate(words) if word.lower() == answer.lower()]
            if len(alike) == 1:
                return int(actions[alike[0]])
            if answer.isdecimal() and len(answer) < 5 and 1 <= int(answer) <= len(words):
                return int(actions[int(answer) - 1])
            if answer:
                self.shown.print(
                    f"{answer[:40]!r} is no legal move: type one of those shown or its number "
                    "(? shows the table again, q leaves)"
                )

    def _tell_table(self) -> None:
        tell_table(
            self.shown, self.game.text(self.config, self.state, self.own), self.labels[self.own]
        )

    def _tell_moves(self, words: list[str]) -> None:
        """Print the legal moves, numbered, in columns."""
        cells = [f"{number:>3} {word}" for number, word in enumerate(words, 1)]
        width = max(map(len, cells)) + 2
        in_row = max(1, min(self.shown.width, 100) // width)
        self.shown.print("Legal moves:")
        for start in range(0, len(cells), in_row):
            row = "".join(f"{cell:<{width}}" for cell in cells[start : start + in_row])
            self.shown.print(row.rstrip())
