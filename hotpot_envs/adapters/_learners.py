"""Games in which one seat learns and bots play the others: what both Gymnasium adapters share.

The single environment is a batch of one of the same thing, so the two cannot drift apart, and
what depends on a seed (the deal, the learner's seat, the bots' chance) is drawn once, here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from hotpot_envs.adapters._common import legal_actions
from hotpot_envs.bots import Bot, Table, make_bot
from hotpot_envs.bots.base import BotSpec
from hotpot_envs.core.engine import Engine, check_choice
from hotpot_envs.core.game import Game
from hotpot_envs.core.rng import mix_seeds, uniforms

__all__ = ["Fact", "Facts", "Learners", "Opponents"]

#: A bot for all seats but the learner's, or one for each, clockwise from the learner's left.
Opponents = BotSpec | Sequence[BotSpec]

#: A thing said of some games of a batch: values ``[B, …]``, zeros elsewhere, and of which, ``[B]``.
Fact = tuple[np.ndarray, np.ndarray]
Facts = dict[str, Fact]

#: Games that in a row end before the learner is asked anything: more of them is no game.
_MAX_PASSED_OVER = 10_000


class Learners:
    """B games; in each the learner has one seat, drawn anew for every game or fixed.

    Three generators a game come from its seed and from nothing else: the game's own, as in
    ``Engine.reset``; the bots', mixed once more, as in ``records.record_games``; and the one that
    draws the learner's seat, mixed twice more.

    Attributes:
        engine: the games.
        seats: the learner's seat in each game, int64 ``[B]``.
        buffers: ``observations`` and ``action_masks`` are the learner's view: of its decision, or
            of the end of its game. Overwritten by the next call.
    """

    def __init__(
        self,
        game: str | Game,
        num_games: int,
        *,
        opponents: Opponents,
        seat: int | None,
        reward: str,
        illegal: str,
        options: dict[str, Any],
        batched: bool,
        num_threads: int = 1,
    ) -> None:
        check_choice("illegal", illegal, ["terminate", "raise"])
        self.illegal = illegal
        self.engine = engine = Engine(
            game,
            num_games,
            options=options,
            reward=reward,
            illegal="terminate" if illegal == "terminate" else "report",
            num_threads=num_threads,
        )
        n = engine.num_players
        if seat is not None and (
            isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < n
        ):
            raise ValueError(
                f"seat={seat!r}: allowed is 0 to {n - 1}, or None to draw one for each game"
            )
        self._seat = seat
        self.seats = np.full(num_games, seat or 0, np.int64)
        bots, places = _seat_bots(opponents, engine.game, n - 1, batched)
        # Who sits where, a row for each seat of the learner's.
        self._seatings = np.array([np.roll([-1, *places], own) for own in range(n)], np.int64)
        entropy = np.random.SeedSequence().generate_state(2 * num_games, np.uint64)
        self._seat_generators = entropy[num_games:].copy()
        self.table = Table(
            engine, self._seatings[self.seats], entropy[:num_games].copy(), bots=bots
        )
        self.buffers = engine.buffers()
        self._games = np.arange(num_games)
        # What the bots' moves before the learner's first decision paid it, until its first step.
        self._owed = np.zeros(num_games)

    @property
    def over(self) -> np.ndarray:
        """Which games are over, bool ``[B]``."""
        return self.engine.over

    def single_space(self) -> spaces.Dict:
        """Return the observation space of one game."""
        size = self.engine.game.actions.size
        return spaces.Dict(
            {
                "observation": self.engine.game.observations.box(),
                "action_mask": spaces.Box(0, 1, (size,), np.int8),
            }
        )

    def observations(self) -> dict[str, np.ndarray]:
        """Return what the learner sees, in arrays of its own: ``[B, D]`` and ``[B, A]``."""
        return {
            "observation": self.buffers.observations.copy(),
            "action_mask": self.buffers.action_masks.copy(),
        }

    def reset(
        self,
        where: np.ndarray,
        seeds: np.ndarray | None = None,
        seeded: np.ndarray | None = None,
    ) -> np.ndarray:
        """Set up new games and play each to the learner's first decision.

        Games that end before it are passed over and others set up in their place.

        Args:
            where: bool ``[B]``: which games.
            seeds: uint64 ``[B]``; without them each game goes on from its own generators.
            seeded: bool ``[B]``: the games for which ``seeds`` hold; all by default.

        Returns:
            How many games were passed over, int64 ``[B]``.
        """
        fresh = where
        if seeds is not None:
            chosen = where if seeded is None else where & seeded
            generators = mix_seeds(self.engine.generators(seeds))
            self.table.generators[chosen] = generators[chosen]
            self._seat_generators[chosen] = mix_seeds(generators)[chosen]
            self.engine.reset(seeds, chosen)
            fresh = where & ~chosen
        self.engine.reset(where=fresh)
        passed_over = np.zeros(len(where), np.int64)
        fresh = where
        while fresh.any():
            self._seat_players(fresh)
            self.buffers.rewards[fresh] = 0.0
            self.table.advance(self.buffers, fresh)
            fresh = fresh & self.over
            passed_over += fresh
            if passed_over.max() > _MAX_PASSED_OVER:
                raise RuntimeError(
                    f"{_MAX_PASSED_OVER} games of {self.engine.game.title} in a row ended before "
                    "the learner was asked anything: there is nothing to learn in its seat"
                )
            self.engine.reset(where=fresh)
        self._owed[where] = self.buffers.rewards[self._games, self.seats][where]
        self._show()
        return passed_over

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Carry out the learner's actions and let the bots play to its next decision or the end.

        Args:
            actions: whole numbers ``[B]``; what stands there for games that are over is ignored.

        Returns:
            What the learner was paid until it is asked again, whoever's move brought it, float64
            ``[B]``.

        Raises:
            ValueError: for actions outside the action space; where ``illegal`` is ``"raise"`` also
                for illegal ones. Nothing has happened then.
        """
        idle = self.over
        actions = self._check(actions, idle)
        self.engine.step(actions, self.buffers, show="nothing")
        self.table.advance(self.buffers)
        rewards: np.ndarray = self.buffers.rewards[self._games, self.seats]
        rewards[~idle] += self._owed[~idle]
        self._owed[~idle] = 0.0
        self._show()
        return rewards

    def _check(self, actions: np.ndarray, idle: np.ndarray) -> np.ndarray:
        """Return the actions, −1 for idle games, or raise ValueError."""
        actions = np.asarray(actions)
        if actions.shape == idle.shape and actions.dtype.kind in "ui":
            actions = np.where(idle, -1, actions.astype(np.int64))
        actions = self.engine.check_actions(actions)
        if ((actions < 0) & ~idle).any():
            game = int(np.argmax((actions < 0) & ~idle))
            raise ValueError(
                f"action {actions[game]} in game {game} is outside the action space: "
                f"allowed is 0 to {self.engine.game.actions.size - 1}"
            )
        if self.illegal == "raise":
            wrong = (self.buffers.action_masks[self._games, actions] == 0) & ~idle
            if wrong.any():
                game = int(np.argmax(wrong))
                raise ValueError(
                    f"action {actions[game]} in game {game} is illegal: "
                    + legal_actions(self.buffers.action_masks[game])
                )
        return actions

    def _seat_players(self, where: np.ndarray) -> None:
        """Draw the learner's seat where it is not fixed, and put the bots round it."""
        if self._seat is None:
            generators = self._seat_generators[where]
            self.seats[where] = uniforms(generators) * self.engine.num_players
            self._seat_generators[where] = generators
        self.table.seats[where] = self._seatings[self.seats[where]]

    def _show(self) -> None:
        """Show the learner's view; where a game is over, the buffers have another seat's."""
        if self.over.any():
            self.engine.observe(self.buffers, self.seats)

    def facts(self) -> Facts:
        """Return what an info says of every game: mask and seat."""
        everywhere = np.ones(len(self.seats), np.bool_)
        return {
            "action_mask": (self.buffers.action_masks.copy(), everywhere),
            "seat": (self.seats.copy(), everywhere),
        }

    def final_facts(self, where: np.ndarray) -> Facts:
        """Return what an info says besides of the games that ended, ``where`` bool ``[B]``.

        ``score`` (int64, the learner's points) and ``place`` (float64, 0 the best, ties averaged);
        or, where an illegal action ended the game, ``illegal_action`` (True) and ``offender`` (the
        seat, int64).
        """
        facts: Facts = {}
        if not where.any():
            return facts
        offenders = self.engine.states["offender"].astype(np.int64)
        wrong = where & (offenders >= 0)
        right = where & ~wrong
        if right.any():
            points, _, places = self.engine.results()
            facts["score"] = points[self._games, self.seats], right
            facts["place"] = places[self._games, self.seats], right
        if wrong.any():
            facts["illegal_action"] = wrong, wrong
            facts["offender"] = offenders, wrong
        return facts


def _seat_bots(
    opponents: Opponents, game: Game, num_seats: int, batched: bool
) -> tuple[list[Bot], list[int]]:
    """Return the bots, each once, and for each seat but the learner's its bot's place."""
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return [make_bot(opponents, game, batched=batched)], [0] * num_seats
    if len(opponents) != num_seats:
        raise ValueError(
            f"{len(opponents)} opponents for {num_seats} seats: allowed is one bot for all, or a "
            "list with one for each seat but the learner's, clockwise from its left"
        )
    # Equal names and the same function make one bot: a policy is loaded once and asked once.
    keys = [spec if isinstance(spec, str) else id(spec) for spec in opponents]
    made: dict[str | int, Bot] = {}
    for key, spec in zip(keys, opponents, strict=True):
        if key not in made:
            made[key] = make_bot(spec, game, batched=batched)
    return list(made.values()), [list(made).index(key) for key in keys]
