"""The games as a Gymnasium vector environment: B learners against bots, in one engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hotpot_envs.adapters._common import RENDER_MODES, check_render_mode, render_game
from hotpot_envs.adapters._learners import Facts, Learners, Opponents
from hotpot_envs.adapters.gym_env import check_seeds, draw_seed
from hotpot_envs.core.game import Game

__all__ = ["LearnerVectorEnv"]

Observations = dict[str, np.ndarray]


class LearnerVectorEnv(VectorEnv[Any, Any, np.ndarray]):
    """B games, in each of which the learner has a seat and bots play the others.

    Game ``i`` of ``reset(seed=s)`` is to the byte what ``LearnerEnv`` plays after
    ``reset(seed=s + i)``, in every autoreset mode, as ``gymnasium.vector.SyncVectorEnv`` would
    put single environments together (``check_vector.check_vector_env`` compares the two). What
    ``LearnerEnv`` says in ``info`` stands here in arrays ``[B, …]``, with ``_key`` bool ``[B]``
    telling for which games.

    Args:
        game: a game, or its name.
        num_envs: B.
        opponents: as in ``LearnerEnv``, but a function is called for all games that wait for it
            at once: ``(observations [K, D], action_masks [K, A]) -> actions [K]``. For one that
            takes single rows, give ``bots.CallableBot(function)``.
        seat: the learner's seat; ``None``: drawn for each game.
        reward: as in ``LearnerEnv``.
        illegal: as in ``LearnerEnv``.
        autoreset_mode: when a finished game is replaced: in the next step, whose action for it is
            ignored (``NEXT_STEP``, the default); in the same step, ``infos`` then holding
            ``final_obs`` and ``final_info`` (``SAME_STEP``); or by hand, by
            ``reset(options={"reset_mask": …})`` (``DISABLED``). An ``AutoresetMode`` or its value.
        render_mode: as in ``LearnerEnv``, a picture for each game.
        num_threads: how many threads the engine uses; the results are the same to the byte.
        **options: the game's options; those left out have their defaults.

    Raises:
        ValueError: for anything not allowed, naming it and what is.

    Example:
        >>> envs = gymnasium.make_vec("hotpot_envs:hotpot_envs/BoilOver-v0", num_envs=1024)
        >>> observations, infos = envs.reset(seed=7)
        >>> actions = observations["action_mask"].argmax(axis=1)
        >>> observations, rewards, terminated, truncated, infos = envs.step(actions)
    """

    metadata = {
        "render_modes": RENDER_MODES,
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponents: Opponents = "heuristic",
        seat: int | None = None,
        reward: str = "win",
        illegal: str = "terminate",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        num_threads: int = 1,
        **options: Any,
    ) -> None:
        check_render_mode(render_mode)
        if isinstance(num_envs, bool) or not isinstance(num_envs, int) or num_envs < 1:
            raise ValueError(f"num_envs={num_envs!r}: allowed is a whole number from 1")
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            allowed = " or ".join(repr(mode.value) for mode in AutoresetMode)
            raise ValueError(
                f"autoreset_mode={autoreset_mode!r}: allowed is an AutoresetMode or {allowed}"
            ) from None
        self._learners = Learners(
            game,
            num_envs,
            opponents=opponents,
            seat=seat,
            reward=reward,
            illegal=illegal,
            options=options,
            batched=True,
            num_threads=num_threads,
        )
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = self._learners.single_space()
        self.single_action_space = self.game.actions.discrete()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everywhere = np.ones(num_envs, np.bool_)
        self._started = False

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self._learners.engine.game

    @property
    def options(self) -> dict[str, Any]:
        """Every option of the game with its value."""
        return dict(self._learners.engine.options)

    @property
    def seats(self) -> np.ndarray:
        """The learner's seat in each game, int64 ``[B]``, a copy."""
        return self._learners.seats.copy()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Set up new games and play each to the learner's first decision.

        Args:
            seed: game i has ``seed + i``; or one seed a game, ``None`` among them for games that
                go on from their own generators, as all do without seeds.
            options: ``"reset_mask"``: bool ``[B]``: which games are set up anew; the others stay
                as they are. Other keys are ignored.

        Raises:
            ResetNeeded: for a ``reset_mask`` that leaves out games which were never set up.
            ValueError: for seeds or a mask that are not allowed.
        """
        where = self._reset_mask(options)
        if seed is None and not self._started:
            seed = draw_seed()
        seeds, seeded = self._seeds(seed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        passed_over = self._learners.reset(where, seeds, seeded)
        self._started = True
        facts = {**self._learners.facts(), "num_passed_over": (passed_over, where)}
        return self._shown(), _batch_info(facts, where)

    def _reset_mask(self, options: dict[str, Any] | None) -> np.ndarray:
        """Return which games are to be set up, bool ``[B]``, or raise."""
        if options is None or "reset_mask" not in options:
            return self._everywhere
        mask = options["reset_mask"]
        if (
            not isinstance(mask, np.ndarray)
            or mask.shape != (self.num_envs,)
            or mask.dtype != np.bool_
            or not mask.any()
        ):
            raise ValueError(
                f"options['reset_mask']={mask!r}: allowed is a bool array of shape "
                f"({self.num_envs},) with at least one True"
            )
        if not self._started and not mask.all():
            raise ResetNeeded("the first reset() must set up all games: leave out 'reset_mask'")
        return mask.copy()

    def _seeds(
        self, seed: int | Sequence[int | None] | None
    ) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Return seeds, uint64 ``[B]``, and for which games they hold, bool ``[B]``."""
        if seed is None:
            return None, None
        if isinstance(seed, (int, np.integer)):
            check_seeds([seed])
            return check_seeds([int(seed) + i for i in range(self.num_envs)]), self._everywhere
        if not isinstance(seed, (list, tuple, np.ndarray)) or len(seed) != self.num_envs:
            raise ValueError(
                f"seed={seed!r}: allowed is a whole number, or a list with one (or None) for each "
                f"of the {self.num_envs} games"
            )
        seeded = np.array([single is not None for single in seed])
        return check_seeds([0 if single is None else single for single in seed]), seeded

    def step(
        self, actions: Any
    ) -> tuple[Observations, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Carry out the learners' decisions; the bots play until the learners are asked again.

        Args:
            actions: whole numbers ``[B]``; ignored for games that this step sets up anew.

        Returns:
            Observations ``[B, …]``, rewards float64 ``[B]``, terminated and truncated bool
            ``[B]``, and infos, all in arrays of their own.

        Raises:
            ResetNeeded: before the first reset; with autoreset disabled also while a game is over.
            ValueError: for actions outside the action space; where ``illegal`` is ``"raise"`` also
                for illegal ones. Nothing has happened then.
        """
        learners = self._learners
        if not self._started:
            raise ResetNeeded("reset() needs to be called before step()")
        finished = learners.over
        if self.autoreset_mode is AutoresetMode.DISABLED and finished.any():
            raise ResetNeeded(
                f"game {int(np.argmax(finished))} is over: with autoreset disabled, call "
                "reset(options={'reset_mask': terminated | truncated})"
            )
        rewards = learners.step(actions)
        terminated, truncated = (learners.buffers.ended[:, i] & ~finished for i in range(2))
        ended = terminated | truncated
        infos: dict[str, Any] = {}
        facts = learners.final_facts(ended)
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and finished.any():
            facts["num_passed_over"] = learners.reset(finished), finished
        elif self.autoreset_mode is AutoresetMode.SAME_STEP and ended.any():
            infos.update(self._final(facts, ended))
            facts = {"num_passed_over": (learners.reset(ended), ended)}
        infos.update(_batch_info({**learners.facts(), **facts}, self._everywhere))
        return self._shown(), rewards, terminated, truncated, infos

    def _final(self, facts: Facts, ended: np.ndarray) -> dict[str, Any]:
        """Return ``final_obs``, an observation a game that ended, and ``final_info``."""
        observations = self._learners.observations()
        final_obs = np.full(self.num_envs, None, dtype=object)
        for game in np.flatnonzero(ended):
            final_obs[game] = {key: array[game].copy() for key, array in observations.items()}
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": _batch_info({**self._learners.facts(), **facts}, ended),
            "_final_info": ended.copy(),
        }

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool ``[B, A]``."""
        masks: np.ndarray = self._learners.buffers.action_masks.astype(np.bool_)
        return masks

    def render(self) -> tuple[Any, ...]:
        """Show each table as its learner sees it; without a render mode, warn."""
        if not self._started:
            raise ResetNeeded("reset() needs to be called before render()")
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render mode: give the constructor "
                f"render_mode, one of {', '.join(RENDER_MODES)}"
            )
            return (None,) * self.num_envs
        return tuple(
            render_game(self._learners.engine, game, self.render_mode, int(seat))
            for game, seat in enumerate(self._learners.seats)
        )

    def _shown(self) -> Observations:
        if self.render_mode == "human":
            self.render()
        return self._learners.observations()


def _batch_info(facts: Facts, where: np.ndarray) -> dict[str, Any]:
    """Return facts of some games as Gymnasium batches infos: zeros where a fact does not hold."""
    infos: dict[str, Any] = {}
    for key, (values, holds) in facts.items():
        holds = holds & where
        if holds.any():
            values[~holds] = 0
            infos[key], infos[f"_{key}"] = values, holds
    return infos
