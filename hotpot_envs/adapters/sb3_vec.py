"""A stable-baselines3 ``VecEnv`` on the engine: many tables, one row each."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from hotpot_envs.adapters._common import render_game
from hotpot_envs.bots import Bot, Table, make_bot
from hotpot_envs.bots.base import BotSpec
from hotpot_envs.core import Engine, Game
from hotpot_envs.core.engine import check_choice
from hotpot_envs.core.rng import uniforms

__all__ = ["CardGameVecEnv", "Opponents"]

_MAX_PASSED_OVER = 1000

#: Who may sit against the learner: one bot, several, or several with how often each is drawn.
Opponents = BotSpec | Sequence[BotSpec] | Mapping[BotSpec, float]


class CardGameVecEnv(VecEnv):
    """Tables of one game for ``sb3_contrib.MaskablePPO``; each row is one table.

    Two arrangements, which may stand in one batch:

    * **Every seat is the learner** (the default). A row shows whichever seat is to move, in that
      seat's own view. Its reward is what the mover is paid by the move, which is not what the
      move was worth: train with ``adapters.sb3_buffer.SeatRolloutBuffer``.
    * **One seat is the learner**, the others are played by ``opponents``, drawn seat by seat for
      every game. A row shows the learner's decisions only, and its reward is all that the learner
      is paid until it is asked again, whoever's move brings it.

    Observations are float32, each entry scaled to 0–1 by the layout's bounds. Illegal actions end
    the game: the offender gets −1. A truncated game is an end like any other (there is no
    ``TimeLimit.truncated``, so nothing is bootstrapped). Finished tables are set up anew in the
    same step. A game that ends before the learner is asked at all is passed over.

    ``info`` of a row whose game ended holds ``terminal_observation`` (the view of the seat that
    moved last in the row), ``episode`` as ``Monitor`` writes it (``r``: the learner's reward, the
    mean over its seats; ``l``: its decisions; ``t``: seconds), ``scores`` (int64 ``[n]``, the
    game's points by seat), ``truncated`` and ``illegal_action``.

    ``env_method("action_masks")`` gives all rows as one array in a list of one: sb3-contrib stacks
    the list, which for 1,024 rows takes 0.7 ms, a good part of a step. With ``indices`` it gives
    one array for each.

    Args:
        game: a game, or its name.
        num_envs: B, how many tables.
        options: the game's options.
        reward: ``"win"``, ``"rank"``, ``"score"`` or ``"dense"``.
        opponents: ``None``: every seat is the learner everywhere. Otherwise whoever sits against
            it: a bot as ``bots.make_bot`` takes them, several, or a mapping from bots to how often
            each is drawn.
        opponent_share: the share of the tables that have opponents, 0 to 1: the last rows.
        seat: the learner's seat at these; ``None``: drawn for every game.
        seed: makes games and opponents the same every time, as ``seed()`` does.
        num_threads: how many threads the engine uses.
        render_mode: ``None`` or ``"rgb_array"``.

    Attributes:
        engine: the games.
        num_players: n.
        seats: the learner's seat to move in each row, int64 ``[B]``.
        last_seats: the same before the last step: whose decisions its actions were.
        last_payments: what the last step paid each seat, float64 ``[B, n]``.
        last_dones: which games ended in the last step, bool ``[B]``.
        num_passed_over: how many games ended before the learner was asked.

    Raises:
        ValueError: for anything not allowed, naming it and what is.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 256,
        *,
        options: Mapping[str, Any] | None = None,
        reward: str = "win",
        opponents: Opponents | None = None,
        opponent_share: float = 1.0,
        seat: int | None = None,
        seed: int | None = None,
        num_threads: int = 1,
        render_mode: str | None = None,
    ) -> None:
        self.engine = Engine(
            game, num_envs, options=options, reward=reward, num_threads=num_threads
        )
        self.num_players = self.engine.num_players
        self.render_mode = render_mode
        if render_mode is not None:
            check_choice("render_mode", render_mode, ["rgb_array"])
        if not 0 <= opponent_share <= 1:
            raise ValueError(f"opponent_share={opponent_share!r}: allowed is 0 to 1")
        if seat is not None and seat not in range(self.num_players):
            raise ValueError(
                f"seat={seat!r}: allowed is 0 to {self.num_players - 1}, or None for any"
            )
        size = self.engine.game.observations.size
        super().__init__(
            num_envs, spaces.Box(0.0, 1.0, (size,), np.float32), self.engine.game.actions.discrete()
        )
        self._seat = seat
        self._buffers, self._scratch = self.engine.buffers(), self.engine.buffers()
        self._rows = np.arange(num_envs)
        self._bots = np.full((num_envs, self.num_players), -1, np.int64)
        num_with = 0 if opponents is None else round(opponent_share * num_envs)
        #: Which tables have opponents, bool ``[B]``.
        self.has_opponents = self._rows >= num_envs - num_with
        self._table: Table | None = None
        self._chances = np.zeros(0)
        self._generators = self.engine.generators(np.random.SeedSequence().generate_state(1)[0])
        self._seatings = self.engine.generators(np.random.SeedSequence().generate_state(1)[0])
        if opponents is not None:
            self.set_opponents(opponents)
        self._returns = np.zeros((num_envs, self.num_players))
        self._lengths = np.zeros(num_envs, np.int64)
        self._start = time.perf_counter()
        self.num_passed_over = 0
        self.seats = self.last_seats = np.zeros(num_envs, np.int64)
        self.last_payments = np.zeros((num_envs, self.num_players))
        self.last_dones = np.zeros(num_envs, np.bool_)
        self._actions = np.full(num_envs, -1, np.int64)
        if seed is not None:
            self.seed(seed)

    # Opponents

    def set_opponents(self, opponents: Opponents) -> None:
        """Change who sits against the learner from the next games on.

        In games under way, a seat keeps the place in the list that it had, so a list that only
        grows or has a bot exchanged leaves the other seats as they are.

        Raises:
            ValueError: for an empty list, unknown bots, or weights that are no weights.
        """
        if isinstance(opponents, Mapping):
            specs, weights = list(opponents), np.array(list(opponents.values()), np.float64)
        elif isinstance(opponents, Sequence) and not isinstance(opponents, str):
            specs, weights = list(opponents), np.ones(len(opponents))
        else:
            specs, weights = [opponents], np.ones(1)
        if not specs:
            raise ValueError("opponents=[]: allowed is at least one bot, or None")
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
            raise ValueError(
                f"opponents drawn by weights {weights.tolist()}: allowed are numbers from 0, and "
                "one above 0 at least"
            )
        bots = [make_bot(spec, self.engine.game) for spec in specs]
        self._chances = np.cumsum(weights) / weights.sum()
        self._bots = np.where(self._bots < len(bots), self._bots, 0)
        self._table = Table(self.engine, self._bots, self._generators, bots)
        self._bots = self._table.seats

    @property
    def opponents(self) -> list[Bot]:
        """The bots that sit against the learner."""
        return [] if self._table is None else self._table.bots

    def _draw_seats(self, where: np.ndarray) -> None:
        """Seat the learner and its opponents for new games."""
        rows = np.flatnonzero(where & self.has_opponents)
        if self._table is None or not rows.size:
            return
        generators = self._seatings[rows]
        learners = (uniforms(generators) * self.num_players).astype(np.int64)
        if self._seat is not None:
            learners[:] = self._seat
        for seat in range(self.num_players):
            drawn = np.searchsorted(self._chances, uniforms(generators), side="right")
            self._bots[rows, seat] = np.minimum(drawn, len(self._chances) - 1)
        self._bots[rows, learners] = -1
        self._seatings[rows] = generators

    # Playing

    def reset(self) -> np.ndarray:
        """Set up new games everywhere and return what the first seats see, float32 ``[B, D]``."""
        everywhere = np.ones(self.num_envs, np.bool_)
        if all(seed is not None for seed in self._seeds):
            seeds = np.array(self._seeds, np.uint64)
            self._generators[:] = self.engine.generators(seeds ^ np.uint64(1 << 62))
            self._seatings[:] = self.engine.generators(seeds ^ np.uint64(1 << 63))
            self.engine.reset(seeds)
        else:
            self.engine.reset()
        self._reset_seeds()
        self._reset_options()
        self._begin(everywhere)
        return self._observations()

    def _begin(self, where: np.ndarray) -> None:
        """Bring games that were just set up to the learner's first decision."""
        self._returns[where] = 0.0
        self._lengths[where] = 0
        self._draw_seats(where)
        if self._table is not None:
            self._table.advance(self._buffers, where)
            self._pass_over(where)
        self.engine.observe(self._buffers)
        self.seats = self.engine.to_move.astype(np.int64)

    def _pass_over(self, where: np.ndarray) -> None:
        """Set games up again that were over before the learner was asked."""
        assert self._table is not None
        for _ in range(_MAX_PASSED_OVER):
            over = where & self.engine.over
            if not over.any():
                return
            self.num_passed_over += int(over.sum())
            self.engine.reset(where=over)
            self._draw_seats(over)
            self._table.advance(self._buffers, over)
        raise RuntimeError(
            f"{_MAX_PASSED_OVER} games in a row were over before the learner was asked anything, "
            f"against {self.opponents}"
        )

    def _observations(self) -> np.ndarray:
        return self.engine.game.observations.scale(self._buffers.observations)

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions, whole numbers ``[B]``, for ``step_wait``."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Carry out the actions, and what bots play after them.

        Returns:
            Observations float32 ``[B, D]``, rewards float32 ``[B]``, dones bool ``[B]``, infos.

        Raises:
            ValueError: for an action outside the action space, with nothing done.
        """
        if self._actions.size and self._actions.min() < 0:
            raise ValueError(f"action {self._actions.min()}: allowed is 0 or more")
        buffers = self._buffers
        self.engine.step(self._actions, buffers)
        self.last_seats = self.seats
        if self._table is not None:
            self._table.advance(buffers, self.has_opponents)
        dones = buffers.ended[:, 0] | buffers.ended[:, 1]
        self.last_payments, self.last_dones = buffers.rewards.copy(), dones
        self._returns += self.last_payments
        self._lengths += 1
        rewards = self.last_payments[self._rows, self.last_seats].astype(np.float32)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if dones.any():
            self._finish(dones, infos)
        else:
            self.seats = self.engine.to_move.astype(np.int64)
        return self._observations(), rewards, dones.copy(), infos

    def _finish(self, dones: np.ndarray, infos: list[dict[str, Any]]) -> None:
        """Write infos of the games that ended, and set up new ones there."""
        ended = np.flatnonzero(dones)
        self.engine.observe(self._scratch, self.last_seats)
        last = self.engine.game.observations.scale(self._scratch.observations[ended])
        points, _, _ = self.engine.results()
        learners = self._bots[ended] < 0
        returns = (self._returns[ended] * learners).sum(axis=1) / learners.sum(axis=1)
        elapsed = round(time.perf_counter() - self._start, 6)
        for index, row in enumerate(ended.tolist()):
            infos[row].update(
                terminal_observation=last[index],
                episode={"r": float(returns[index]), "l": int(self._lengths[row]), "t": elapsed},
                scores=points[row],
                truncated=bool(self.engine.states["truncated"][row]),
                illegal_action=bool(self.engine.states["offender"][row] >= 0),
            )
        self.engine.reset(where=dones)
        self._begin(dones)

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal, bool ``[B, A]``; no row is all False."""
        return self._buffers.action_masks.astype(np.bool_)

    # The games as data

    def save_state(self) -> dict[str, np.ndarray]:
        """Return all that games, bots and seatings depend on, for ``restore_state``.

        The opponents themselves are not in it.
        """
        return {
            "games": self.engine.save().view(np.uint8).copy(),
            "bots": self._bots.copy(),
            "generators": self._generators.copy(),
            "seatings": self._seatings.copy(),
            "returns": self._returns.copy(),
            "lengths": self._lengths.copy(),
            "num_passed_over": np.array(self.num_passed_over),
        }

    def restore_state(self, saved: Mapping[str, np.ndarray]) -> np.ndarray:
        """Put back what ``save_state`` returned, and return the observations.

        Raises:
            ValueError: when it is of other games or as many.
        """
        games = np.ascontiguousarray(saved["games"])
        itemsize = self.engine.states.dtype.itemsize
        if games.size != self.num_envs * itemsize:
            raise ValueError(
                f"the saved games take {games.size} bytes: allowed are {self.num_envs} of "
                f"{self.engine.game.title}, {self.num_envs * itemsize} bytes"
            )
        self.engine.restore(games.view(self.engine.states.dtype).reshape(-1))
        self._bots[:], self._generators[:] = saved["bots"], saved["generators"]
        self._seatings[:] = saved["seatings"]
        self._returns[:], self._lengths[:] = saved["returns"], saved["lengths"]
        self.num_passed_over = int(saved["num_passed_over"])
        self.engine.observe(self._buffers)
        self.seats = self.engine.to_move.astype(np.int64)
        return self._observations()

    # What VecEnv asks for

    def close(self) -> None:
        """End the engine's threads."""
        self.engine.close()

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return each table, with open cards, as uint8 ``[H, W, 3]``."""
        return [
            render_game(self.engine, index, "rgb_array", None) for index in range(self.num_envs)
        ]

    def has_attr(self, attr_name: str) -> bool:
        """Return whether the environment has an attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, which is all rows' in common, once for each row asked for."""
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute, which is all rows' in common.

        Raises:
            ValueError: for some rows only.
        """
        if indices is not None:
            raise ValueError(f"attribute {attr_name!r} is all rows' in common: leave out indices")
        setattr(self, attr_name, value)

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> list[Any]:
        """Call a method; ``action_masks`` without ``indices`` gives one array of all rows."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        if method_name != "action_masks":
            return [result for _ in self._get_indices(indices)]
        return [result] if indices is None else [result[row] for row in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: VecEnvIndices = None) -> list[bool]:
        """Return True for ``Monitor``, whose infos the environment writes, otherwise False."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]
