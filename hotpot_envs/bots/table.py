"""Games in which some or all seats are played by bots."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import cast

import numpy as np

from hotpot_envs.bots.base import Bot
from hotpot_envs.core import Buffers, Engine
from hotpot_envs.core.loops import ILLEGAL

__all__ = ["Table"]

Seats = np.ndarray | Sequence[Bot | None] | Sequence[Sequence[Bot | None]]


class Table:
    """Bots in seats of an engine's games; B games, n players.

    Compiled bots play inside the engine's loop; every other bot is asked once a round for all
    games in which it is to move. A game's bots share the game's generator, so that the same
    generators and states give the same games, whatever the other games of the batch do.

    Args:
        engine: the games. They end and are set up again by their owner: ``autoreset`` is refused.
            An illegal action of a bot ends its game where the engine's ``illegal`` is
            ``"terminate"``, and raises where it is ``"report"``.
        seats: who sits where: n bots for all games, or n for each of the B games, ``None`` for a
            learner's seat; or whole numbers ``[B, n]``, places in ``bots``, −1 for a learner's.
        generators: uint64 ``[B]``, the bots' own (``Engine.generators``); advanced in place.
        bots: the bots that an array of ``seats`` speaks of.

    Attributes:
        engine: the games.
        bots: the bots, each once.
        seats: int64 ``[B, n]``: places in ``bots``, −1 for a learner's seat. Yours to change
            between calls.
        generators: as given.
        num_illegal: int64, one for each of ``bots``: games that its illegal action ended.

    Raises:
        ValueError: for seats that do not fit, naming what does.
    """

    def __init__(
        self,
        engine: Engine,
        seats: Seats,
        generators: np.ndarray,
        bots: Sequence[Bot] | None = None,
    ) -> None:
        if engine.autoreset:
            raise ValueError("a Table needs an engine with autoreset=False: it must see games end")
        size, n = engine.num_games, engine.num_players
        if generators.shape != (size,) or generators.dtype != np.uint64:
            raise ValueError(
                f"generators of shape {generators.shape} and dtype {generators.dtype}: allowed is "
                f"uint64 of shape ({size},), as Engine.generators makes them"
            )
        self.engine, self.generators = engine, generators
        if isinstance(seats, np.ndarray):
            self.bots, chosen = list(bots or ()), seats
        else:
            self.bots, chosen = _number(seats)
        if chosen.shape not in ((size, n), (n,)) or chosen.dtype.kind not in "iu":
            raise ValueError(
                f"seats of shape {chosen.shape} and dtype {chosen.dtype}: allowed are {n} bots, "
                f"or whole numbers of shape ({size}, {n})"
            )
        if chosen.min() < -1 or chosen.max() >= len(self.bots):
            raise ValueError(
                f"seats from {chosen.min()} to {chosen.max()}: allowed is 0 to "
                f"{len(self.bots) - 1}, the places of the bots, or -1 for a learner"
            )
        for bot in self.bots:
            if bot.game is not None and bot.game is not engine.game:
                raise ValueError(
                    f"bot {bot.name!r} plays {bot.game.title}, not {engine.game.title}"
                )
        self.seats = np.array(np.broadcast_to(chosen, (size, n)), np.int64)
        self.num_illegal = np.zeros(len(self.bots), np.int64)
        # By place in bots; the last entry answers for −1, a learner's seat.
        self._numbers = np.array(
            [-1 if bot.number is None else bot.number for bot in self.bots] + [-1], np.int64
        )
        self._batched = [place for place, bot in enumerate(self.bots) if bot.number is None]
        self._games = np.arange(size)
        self._shown_in: Buffers | None = None
        self._stepped: Buffers | None = None

    def advance(self, buffers: Buffers, where: np.ndarray | None = None) -> None:
        """Let the bots play until in every game a learner is to move, or the game is over.

        Args:
            buffers: what the bots' moves pay is added to ``rewards``; ``observations`` and
                ``action_masks`` then show the seat to move in every game, and ``ended`` tells
                which are over. ``status`` is left alone.
            where: bool ``[B]``: the games in which bots may move; all by default.

        Raises:
            ValueError: when a bot returns what is no action of the game, with no move made of
                those that were asked for together.
        """
        engine = self.engine
        before = engine.over
        idle = before if where is None else before | ~where
        numbers = self._numbers[self.seats]
        numbers[idle] = -1
        compiled = bool((numbers >= 0).any())
        # What a step shows is lost if the compiled bots play after it.
        show = "nothing" if compiled else "observations"
        shown = False
        while True:
            if compiled:
                engine.play(numbers, self.generators, buffers)
            waiting = self._waiting(idle)
            if waiting is None:
                break
            if not shown:
                engine.observe(buffers)
            actions = self._ask(waiting, buffers)
            stepped = self._scratch(buffers)
            engine.step(actions, stepped, show=show)
            self._check_legal(waiting, actions, stepped.status)
            np.add(buffers.rewards, stepped.rewards, out=buffers.rewards)
            shown = not compiled
        if not shown:
            engine.observe(buffers)
        buffers.ended[:, 0] = engine.states["terminated"]
        buffers.ended[:, 1] = engine.states["truncated"]
        self._count_illegal(~before)

    def _scratch(self, buffers: Buffers) -> Buffers:
        """Return buffers that share all but what a step overwrites and the caller still wants.

        The same object for the same buffers: an engine checks arrays that it has not seen.
        """
        if self._stepped is None or self._shown_in is not buffers:
            self._shown_in = buffers
            self._stepped = dataclasses.replace(
                buffers,
                rewards=np.zeros_like(buffers.rewards),
                status=np.zeros_like(buffers.status),
            )
        return self._stepped

    def _waiting(self, idle: np.ndarray) -> np.ndarray | None:
        """Return which bot is to be asked in each game (−1: none), or None if nowhere any."""
        if not self._batched:
            return None
        waiting = self.seats[self._games, self.engine.states["to_move"]]
        waiting[idle | self.engine.over] = -1
        return waiting if waiting.max() >= 0 else None

    def _ask(self, waiting: np.ndarray, buffers: Buffers) -> np.ndarray:
        """Return an action in each game that waits for a bot, −1 in the others."""
        actions = np.full(len(waiting), -1, np.int64)
        size = self.engine.game.actions.size
        for place in self._batched:
            rows = np.flatnonzero(waiting == place)
            if not rows.size:
                continue
            bot, generators = self.bots[place], self.generators[rows]
            chosen = np.asarray(
                bot.act(buffers.observations[rows], buffers.action_masks[rows], generators)
            )
            if chosen.shape != rows.shape or chosen.dtype.kind not in "iu":
                raise ValueError(
                    f"bot {bot.name!r} returned actions of shape {chosen.shape} and dtype "
                    f"{chosen.dtype}: allowed are whole numbers of shape {rows.shape}"
                )
            outside = (chosen < 0) | (chosen >= size)
            if outside.any():
                raise ValueError(
                    f"bot {bot.name!r} returned action {chosen[outside][0]}, outside the action "
                    f"space: allowed is 0 to {size - 1}"
                )
            actions[rows] = chosen
            self.generators[rows] = generators
        return actions

    def _check_legal(self, waiting: np.ndarray, actions: np.ndarray, status: np.ndarray) -> None:
        if self.engine.illegal == "terminate":
            return
        wrong = np.flatnonzero((status == ILLEGAL) & (waiting >= 0))
        if wrong.size:
            bot = self.bots[waiting[wrong[0]]]
            raise ValueError(
                f"bot {bot.name!r} chose action {actions[wrong[0]]}, which is not legal in game "
                f"{wrong[0]}: a bot must keep to the action mask"
            )

    def _count_illegal(self, was_on: np.ndarray) -> None:
        states = self.engine.states
        games = np.flatnonzero(was_on & states["terminated"] & (states["offender"] >= 0))
        if games.size:
            np.add.at(self.num_illegal, self.seats[games, states["offender"][games]], 1)


def _number(
    seats: Sequence[Bot | None] | Sequence[Sequence[Bot | None]],
) -> tuple[list[Bot], np.ndarray]:
    """Return the bots, each once, and the seats as their places in that list."""
    bots: list[Bot] = []

    def place(bot: Bot | None) -> int:
        if bot is None:
            return -1
        if not isinstance(bot, Bot):
            raise ValueError(f"{bot!r} in a seat: allowed is a Bot (see make_bot), or None")
        for index, known in enumerate(bots):
            if known is bot:
                return index
        bots.append(bot)
        return len(bots) - 1

    if all(seat is None or isinstance(seat, Bot) for seat in seats):
        row = cast("Sequence[Bot | None]", seats)
        return bots, np.array([place(bot) for bot in row], np.int64)
    table = cast("Sequence[Sequence[Bot | None]]", seats)
    if len({len(row) for row in table}) != 1:
        raise ValueError("seats must name as many bots for every game")
    return bots, np.array([[place(bot) for bot in row] for row in table], np.int64)
