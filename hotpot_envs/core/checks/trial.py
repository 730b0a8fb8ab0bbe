"""What the checks share: games played once at random, replayed in engines, and compared."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import numpy as np

from hotpot_envs.core import loops
from hotpot_envs.core.engine import Buffers, Engine, get_loops
from hotpot_envs.core.game import Game
from hotpot_envs.core.jit import COMPILED
from hotpot_envs.core.layout import Layout

__all__ = ["ContractError", "Trial"]

_NUM_GAMES = 32 if COMPILED else 3
_BUFFERS = ("observations", "action_masks", "rewards", "ended", "status")


class ContractError(AssertionError):
    """A game breaks its contract; the message says which check, and in which game and move."""


class Trial:
    """A batch of games with one set of options, played once by the game's bots and at random.

    Args:
        game: the game.
        options: its options.
        seed: game ``i`` has seed ``seed + i``.
        num_games: B, how many games.

    Attributes:
        check: the check that is running, for messages.
        num_players: n.
    """

    def __init__(
        self,
        game: Game,
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
        num_games: int = _NUM_GAMES,
    ) -> None:
        self.game, self.options, self.seed = game, dict(options or {}), seed
        self.num_games = num_games
        self.num_players: int = game.resolve_options(options)["num_players"]
        self.check = "the contract"

    def fail(
        self, problem: str, *, move: int | None = None, where: np.ndarray | None = None
    ) -> NoReturn:
        """Raise ContractError; ``where`` (bool ``[B]``) says in which games it is so."""
        place = f"options {self.options}, seed {self.seed}"
        if where is not None and where.shape == (self.num_games,) and where.any():
            place = f"options {self.options}, seed {self.seed + int(np.argmax(where))}"
        if move is not None:
            place += f", move {move}"
        raise ContractError(f"{self.game.title} breaks '{self.check}' ({place}): {problem}")

    def require(self, right: Any, problem: str, *, move: int | None = None) -> None:
        """Fail unless ``right``: a truth value, or bool ``[B, ...]``, all of which must hold."""
        right = np.asarray(right)
        if not right.all():
            wrong = ~right.reshape(len(right), -1).all(axis=1) if right.ndim else None
            self.fail(problem, move=move, where=wrong)

    def engine(self, num_games: int | None = None, **settings: Any) -> Engine:
        """Return an engine for these options, its games not yet set up."""
        size = self.num_games if num_games is None else num_games
        return Engine(self.game, size, options=self.options, **settings)

    @property
    def seeds(self) -> np.ndarray:
        """The games' seeds, uint64 ``[B]``."""
        return np.uint64(self.seed) + np.arange(self.num_games, dtype=np.uint64)

    @functools.cached_property
    def moves(self) -> np.ndarray:
        """Actions of whole games, int64 ``[T, B]``; −1 where a game is over.

        A game is played by one of the bots (``random`` is one) in all seats, or by a bot drawn for
        each move: random players alone end some games before much of them was seen.
        """
        engine = self.engine(illegal="report")
        engine.reset(self.seeds)
        buffers = engine.buffers()
        engine.observe(buffers)
        generators = engine.generators(self.seed + 1)
        drawing = np.random.default_rng(self.seed)
        rows: list[np.ndarray] = []
        while not engine.over.all():
            self.require(
                len(rows) < self.game.max_num_moves or engine.over,
                f"the game is not over after max_num_moves={self.game.max_num_moves}",
                move=len(rows),
            )
            actions = self._choose(engine, buffers, generators, drawing, len(rows))
            engine.step(actions, buffers)
            self.require(
                buffers.status != loops.ILLEGAL,
                "apply refuses an action that the mask allows",
                move=len(rows),
            )
            rows.append(actions)
        return np.array(rows).reshape(-1, self.num_games)

    def _choose(
        self,
        engine: Engine,
        buffers: Buffers,
        generators: np.ndarray,
        drawing: np.random.Generator,
        move: int,
    ) -> np.ndarray:
        names = engine.bots
        players = np.arange(self.num_games) % (len(names) + 1)
        bots = np.where(
            players < len(names), players, drawing.integers(len(names), size=self.num_games)
        )
        masks = buffers.action_masks
        self.require(
            masks.any(axis=1) | engine.over, "no action is legal and the game not over", move=move
        )
        actions = np.empty(self.num_games, np.int64)
        get_loops(self.game).choose(
            bots, buffers.observations, masks, generators, actions, 0, self.num_games
        )
        for number, name in enumerate(names):
            within = (actions >= 0) & (actions < masks.shape[1])
            legal = (
                within & np.take_along_axis(masks, np.where(within, actions, 0)[:, None], 1)[:, 0]
            )
            self.require(
                legal | (bots != number) | engine.over,
                f"the bot {name} chooses an action that the mask forbids",
                move=move,
            )
        return np.where(engine.over, -1, actions)

    @property
    def num_moves(self) -> np.ndarray:
        """How many moves each game has, int64 ``[B]``."""
        count: np.ndarray = (self.moves >= 0).sum(axis=0)
        return count

    def replay(
        self,
        engine: Engine,
        buffers: Buffers,
        games: Any = slice(None),
        start: int = 0,
        stop: int | None = None,
    ) -> Iterator[int]:
        """Make the moves of some ``games`` from ``start`` on; yield each one's number after it."""
        for move, actions in enumerate(self.moves[start:stop, games], start):
            engine.step(actions, buffers)
            yield move

    def stops(self, count: int) -> list[int]:
        """Return up to ``count`` numbers of moves, from the first to the last of the longest."""
        numbers = np.linspace(0, len(self.moves) - 1, count)
        return sorted({int(number) for number in numbers})

    def at(self, move: int) -> tuple[Engine, np.ndarray]:
        """Return the games before a move, and which of them are not over yet (bool ``[B]``)."""
        engine = self.engine(illegal="report")
        engine.reset(self.seeds)
        for _ in self.replay(engine, engine.buffers(), stop=move):
            pass
        return engine, ~engine.over

    def same_states(
        self, found: np.ndarray, wanted: np.ndarray, problem: str, *, move: int | None = None
    ) -> None:
        """Fail, naming the field, unless two arrays of states are equal to the byte."""
        if found.tobytes() == wanted.tobytes():
            return
        for name in self.game.state_dtype.names or ():
            size = len(found)
            left = np.ascontiguousarray(found[name]).view(np.uint8).reshape(size, -1)
            right = np.ascontiguousarray(wanted[name]).view(np.uint8).reshape(size, -1)
            self.require(left == right, f"{problem}: the state's {name!r} differs", move=move)

    @staticmethod
    def describe(layout: Layout, index: int) -> str:
        """Return the field of a layout that an entry belongs to and its place there."""
        name, place = layout.locate(index)
        return f"{name}{list(place) if place else ''}"

    def part(self, buffers: Buffers, games: Any) -> Buffers:
        """Return a copy of some games' buffers."""
        return Buffers(*(getattr(buffers, name)[games] for name in _BUFFERS))

    def same_buffers(
        self, found: Buffers, wanted: Buffers, problem: str, *, move: int | None = None
    ) -> None:
        """Fail, naming the array, unless two sets of buffers are equal to the byte."""
        for name in _BUFFERS:
            left, right = getattr(found, name), getattr(wanted, name)
            if left.tobytes() != right.tobytes():
                self.require(left == right, f"{problem}: {name} differ", move=move)
                self.fail(f"{problem}: {name} differ by a sign or a NaN", move=move)

    def without_rng(self, states: np.ndarray) -> np.ndarray:
        """Return a copy of states whose generators are zero."""
        states = states.copy()
        states["rng"] = 0
        return states
