"""A training run: its model, what is done between updates, and its checkpoints."""

from __future__ import annotations

import io
import random
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch as th
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import FloatSchedule

from hotpot_envs.adapters.sb3_vec import CardGameVecEnv
from hotpot_envs.arena import Estimate
from hotpot_envs.arena import run as play_match
from hotpot_envs.bots import Bot, Policy, make_bot
from hotpot_envs.bots.base import PolicyBot
from hotpot_envs.core import Game
from hotpot_envs.core.files import write_file
from training.config import Config, Schedule
from training.model import make_model

__all__ = ["CHECKPOINT", "Diverged", "Session", "Stopped"]

CHECKPOINT = "checkpoint.pt"
# What is timed to turn --minutes into a number of steps: so many rollouts, and such a share of the
# minutes, both at least.
_TIMED, _TIMED_SHARE = 3, 0.1


class Stopped(Exception):
    """The run was asked to stop, and its checkpoint is written."""


class Diverged(Exception):
    """The network holds numbers that are not finite."""


class Session(BaseCallback):
    """A run under way: schedules, pool, measurements and checkpoints between updates.

    Everything happens where a rollout starts, after the update before it: what the rest of the run
    depends on is then small enough to be saved, and a run goes on from there to the byte.

    Args:
        folder: the run's folder.
        game: the game.
        options: its options, resolved.
        config: the hyperparameters.
        seed: of everything.
        total: decisions in all, or ``None``: ``minutes`` tell.
        minutes: how long, turned into a number of decisions after the first rollouts.
        checkpoint_minutes: how far checkpoints lie apart, at the most.
        on_progress: called with the decisions made and the total (or ``None``).
        on_measure: called with the decisions made and the win share measured.
    """

    def __init__(
        self,
        folder: Path,
        game: Game,
        options: Mapping[str, Any],
        config: Config,
        *,
        seed: int,
        total: int | None,
        minutes: float | None = None,
        checkpoint_minutes: float = 1.0,
        on_progress: Callable[[int, int | None], None] = lambda done, total: None,
        on_measure: Callable[[int, Estimate], None] = lambda done, share: None,
    ) -> None:
        super().__init__()
        self.folder, self.game, self.options, self.config = folder, game, dict(options), config
        self.seed, self.total, self.minutes = seed, total, minutes
        self.checkpoint_minutes = checkpoint_minutes
        self.on_progress, self.on_measure = on_progress, on_measure
        self.stop_requested = False
        #: Measurements: decisions, win share against heuristic bots with its interval.
        self.evaluations: list[tuple[int, float, float, float]] = []
        self._results: list[np.ndarray] = []  # each deal's win share, for each of them
        self._pending_log: tuple[dict[str, Any], ...] = ()
        self.num_rollouts = 0
        self._selves: list[str] = []  # files of earlier selves, by their place among the opponents
        self._num_selves = 0
        self._best = -1.0
        self._saved_at = time.perf_counter()
        self._fixed = [make_bot(name, game) for name in config.pool_bots]
        # Measured against heuristic bots; where a game has none, against random ones.
        self._rival = make_bot("heuristic" if "heuristic" in game.bots else "random", game)
        self._env = CardGameVecEnv(
            game,
            config.n_envs,
            options=options,
            reward=config.reward,
            opponents=self._opponents() if config.pool_share else None,
            opponent_share=config.pool_share,
            seed=seed,
        )
        self._ppo = make_model(self._env, config, seed)

    # The course of a run

    @property
    def progress_remaining(self) -> float:
        """The share of the run that is still to come, 1 to 0."""
        if self.total is None:
            return 1.0
        return max(0.0, 1.0 - self._ppo.num_timesteps / self.total)

    @property
    def done(self) -> int:
        """How many decisions lie behind."""
        return int(self._ppo.num_timesteps)

    def run(self, logger: Logger) -> None:
        """Train to the end.

        Raises:
            Stopped: after ``stop_requested`` was set, with the checkpoint written.
            Diverged: when the network is no use any more; the last checkpoint is still good.
        """
        self._ppo.set_logger(logger)
        for kept, saved in zip(self._log_parts(logger), self._pending_log, strict=False):
            kept.update(saved)
        begun = time.perf_counter()
        if self.total is None:
            rollout = self.config.n_envs * self.config.n_steps
            self._learn(rollout)  # warms up
            self._fix_total(rollout, begun)
        assert self.total is not None
        if self._ppo.num_timesteps < self.total:
            self._learn(self.total - self._ppo.num_timesteps)
        self.on_progress(self._ppo.num_timesteps, self.total)
        self._measure()
        self.save()

    def _learn(self, decisions: int) -> None:
        try:
            self._ppo.learn(decisions, callback=self, reset_num_timesteps=False)
        except (ValueError, RuntimeError):
            self._check_finite()  # torch's own words for it are about its distributions
            raise
        self._check_finite()

    def _on_rollout_start(self) -> None:
        self._check_finite()
        self._keep_self()
        if self._measurement_due():
            self._measure()
        now = time.perf_counter()
        if self.stop_requested or now - self._saved_at >= 60 * self.checkpoint_minutes:
            self.save()
        if self.stop_requested:
            raise Stopped
        self.on_progress(self._ppo.num_timesteps, self.total)
        self.num_rollouts += 1

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        """Set what is annealed, as plain numbers: the model then loads anywhere."""
        left, config, ppo = self.progress_remaining, self.config, self._ppo
        ppo.learning_rate = Schedule.parse(config.learning_rate)(left)
        ppo.lr_schedule = FloatSchedule(ppo.learning_rate)
        ppo.clip_range = FloatSchedule(Schedule.parse(config.clip_range)(left))
        ppo.ent_coef = Schedule.parse(config.ent_coef)(left)
        self.logger.record("train/ent_coef", ppo.ent_coef)

    def _fix_total(self, rollout: int, begun: float) -> None:
        """Turn minutes into a number of decisions, once, by the pace of some rollouts."""
        assert self.minutes is not None
        since, before = time.perf_counter(), self.done
        while (
            self.done - before < _TIMED * rollout
            or time.perf_counter() - since < _TIMED_SHARE * 60 * self.minutes
        ):
            self._learn(rollout)
        pace = (self.done - before) / (time.perf_counter() - since)
        start = time.perf_counter()
        self._measure()
        measuring = (time.perf_counter() - start) * self.config.n_evals
        left = 60 * self.minutes - (start - begun) - measuring
        self.total = self.done + max(0, round(left * pace / rollout)) * rollout
        self.save()  # a run that is killed from here on keeps the number

    def _check_finite(self) -> None:
        if not all(bool(th.isfinite(tensor).all()) for tensor in self._ppo.policy.parameters()):
            raise Diverged(
                f"after {self._ppo.num_timesteps:,} decisions the network holds numbers that are "
                f"not finite: try a lower learning_rate or max_grad_norm; {CHECKPOINT} and the "
                "files beside it are from before"
            )

    # Pool and measurements

    def policy(self) -> Policy:
        """Return the policy as it is now."""
        state = {name: tensor.cpu() for name, tensor in self._ppo.policy.state_dict().items()}
        activation = str(self.config.policy_kwargs.get("activation_fn", "relu"))
        return Policy.from_sb3(self.game, state, activation=activation, options=self.options)

    def _opponents(self) -> dict[Bot, float]:
        chances = dict(zip(self._fixed, self.config.pool_bots.values(), strict=True))
        for name in self._selves:
            bot = PolicyBot(Policy.load(self.folder / name, self.game), sample=True, name=name)
            chances[bot] = self.config.pool_weight
        return chances

    def _keep_self(self) -> None:
        """Let the policy as it is now sit among the opponents, in the place of the oldest."""
        config = self.config
        # The first of them early, so that what playing it costs is timed too.
        due = self.num_rollouts and (self.num_rollouts - 1) % config.pool_every == 0
        if not (due and config.pool_share and config.pool_size):
            return
        name = f"pool/self_{self._ppo.num_timesteps}.safetensors"
        if name in self._selves:
            return  # a run that goes on from here
        (self.folder / "pool").mkdir(exist_ok=True)
        self.policy().save(self.folder / name)
        place = self._num_selves % config.pool_size
        self._selves[place : place + 1] = [name]
        self._num_selves += 1
        self._env.set_opponents(self._opponents())

    def _measurement_due(self) -> bool:
        if not self.config.n_evals or self.total is None:
            return False
        step = self.total / self.config.n_evals
        last = self.evaluations[-1][0] if self.evaluations else -step
        return self._ppo.num_timesteps - last >= step

    def _measure(self) -> None:
        """Play the policy, greedily, against heuristic bots; keep the best so far."""
        done = self._ppo.num_timesteps
        if not self.config.n_evals or (self.evaluations and self.evaluations[-1][0] == done):
            return
        rivals = [self._rival] * (self._env.num_players - 1)
        players = [PolicyBot(self.policy(), name="policy"), *rivals]
        result = play_match(
            self.game, players, self.config.eval_deals, options=self.options, seed=2**32 + self.seed
        )
        share = result.bots[0].win_share
        low, high = (0.0 if share.low is None else share.low), share.high or 1.0
        self.evaluations.append((done, share.mean, low, high))
        self._results.append(result.win_share[:, 0])
        self.on_measure(done, share)
        self.logger.record("eval/win_share", share.mean)
        if share.mean > self._best:
            self._best = share.mean
            self.save_zip("best_model.zip")
        buffer = io.BytesIO()
        columns = np.array(self.evaluations).T
        names = ("timesteps", "win_share", "low", "high")
        np.savez(buffer, results=self._results, **dict(zip(names, columns, strict=True)))
        write_file(self.folder / "evaluations.npz", buffer.getvalue())

    def save_zip(self, name: str) -> None:
        """Write the model in stable-baselines3's own format."""
        buffer = io.BytesIO()
        self._ppo.save(buffer, exclude=["logger", "rollout_buffer", "_last_obs", "ep_info_buffer"])
        write_file(self.folder / name, buffer.getvalue())

    # Checkpoints

    @staticmethod
    def _log_parts(logger: Logger) -> tuple[dict[str, Any], ...]:
        """Return what was logged and not written yet: an update's figures are, one line later."""
        return logger.name_to_value, logger.name_to_count, logger.name_to_excluded

    def save(self) -> None:
        """Write the checkpoint that ``restore`` reads, and the model beside it."""
        ppo = self._ppo
        if hasattr(ppo, "_logger"):
            self._pending_log = tuple(dict(part) for part in self._log_parts(ppo.logger))
        state: dict[str, Any] = {
            "policy": ppo.policy.state_dict(),
            "optimizer": ppo.policy.optimizer.state_dict(),
            "num_timesteps": ppo.num_timesteps,
            "num_updates": ppo._n_updates,
            "episodes": list(ppo.ep_info_buffer or ()),
            "episode_starts": ppo._last_episode_starts,
            "env": self._env.save_state(),
            "carried": ppo.rollout_buffer.save_carried(),
            "torch": th.get_rng_state(),
            "numpy": np.random.get_state(),  # noqa: NPY002  # what stable-baselines3 draws from
            "python": random.getstate(),
            "total": self.total,
            "num_rollouts": self.num_rollouts,
            "evaluations": self.evaluations,
            "selves": self._selves,
            "num_selves": self._num_selves,
            "best": self._best,
            "results": self._results,
            "log": self._pending_log,
        }
        if th.cuda.is_available():
            state["cuda"] = th.cuda.get_rng_state_all()
        buffer = io.BytesIO()
        th.save(state, buffer)
        (self.folder / "checkpoints").mkdir(exist_ok=True)
        self.save_zip(f"checkpoints/rl_model_{ppo.num_timesteps}_steps.zip")
        write_file(self.folder / CHECKPOINT, buffer.getvalue())
        self._saved_at = time.perf_counter()

    def restore(self) -> int:
        """Go on from the folder's checkpoint; return how many decisions lie behind.

        Raises:
            ValueError: when it is damaged or of another run.
        """
        path = self.folder / CHECKPOINT
        try:
            state = th.load(path, map_location="cpu", weights_only=False)
            ppo = self._ppo
            ppo.policy.load_state_dict(state["policy"])
            ppo.policy.optimizer.load_state_dict(state["optimizer"])
            self._selves, self._num_selves = state["selves"], state["num_selves"]
            if self.config.pool_share:
                self._env.set_opponents(self._opponents())
            ppo._last_obs = self._env.restore_state(state["env"])
        except OSError as error:
            raise ValueError(f"{str(path)!r} cannot be read: {error.strerror}") from None
        except Exception as error:
            raise ValueError(
                f"{str(path)!r} is no checkpoint of this run ({type(error).__name__}: {error})"
            ) from error
        ppo.num_timesteps, ppo._n_updates = state["num_timesteps"], state["num_updates"]
        ppo.ep_info_buffer = deque(state["episodes"], maxlen=ppo._stats_window_size)
        ppo.ep_success_buffer = deque(maxlen=ppo._stats_window_size)
        ppo._last_episode_starts = state["episode_starts"]
        ppo.rollout_buffer.restore_carried(state["carried"])
        self.total, self.num_rollouts = state["total"], state["num_rollouts"]
        self.evaluations, self._best = state["evaluations"], state["best"]
        self._results, self._pending_log = state["results"], state["log"]
        th.set_rng_state(state["torch"])
        np.random.set_state(state["numpy"])  # noqa: NPY002
        random.setstate(state["python"])
        if "cuda" in state and th.cuda.is_available():
            th.cuda.set_rng_state_all(state["cuda"])
        return int(ppo.num_timesteps)
