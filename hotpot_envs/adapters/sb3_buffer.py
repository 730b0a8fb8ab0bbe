"""A rollout buffer for stable-baselines3 that credits each seat with its own decisions.

At a table where several seats learn, the row of a ``VecEnv`` shows whichever seat is to move, and
the usual buffer takes the next seat's view for the mover's next state: measured, self-play then
gets worse than untrained. This one computes returns and advantages per (table, seat).
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import torch as th
from sb3_contrib.common.maskable.buffers import (
    MaskableRolloutBuffer,
    MaskableRolloutBufferSamples,
)
from stable_baselines3.common.vec_env import VecEnv

from hotpot_envs.adapters.sb3_vec import CardGameVecEnv

__all__ = ["SeatRolloutBuffer"]

#: What is kept of a decision, here and from one rollout to the next.
_KEPT = ("observations", "actions", "values", "log_probs", "action_masks")


class SeatRolloutBuffer(MaskableRolloutBuffer):
    """Generalised advantage estimation over each seat's own decisions.

    The state after a seat's decision is what the seat sees at its next one, and its reward all it
    is paid in between, whoever's move brings it. With ``k`` counting a seat's decisions in a game::

        δ_k = r_k + γ V(o_{k+1}) − v_k        A_k = δ_k + γ λ A_{k+1}

    and nothing follows after the game's last decision. Source: Schulman et al., 'High-dimensional
    continuous control using generalized advantage estimation', 2016.

    Where a rollout ends in mid-game, the seat to move has its next state in view. The last
    decision of every other seat has no successor yet: it is the bootstrap of the decisions before
    it, and is itself carried over into the next rollout. (The alternative is the value of the
    view that such a seat has now, on which the network is never trained: with a trained Boil Over
    policy it had a correlation of 0.65 with what then came. Carrying over needs no guess and no
    network.) So the number of samples differs a little from rollout to rollout, and minibatches are
    of about ``batch_size``.

    Nothing of it is the algorithm's: pass the class, then show the buffer its environment::

        model = MaskablePPO("MlpPolicy", env, rollout_buffer_class=SeatRolloutBuffer)
        model.rollout_buffer.attach(env)

    The arguments are those of ``MaskableRolloutBuffer``. Rewards are those of the environment
    itself, not what a wrapper such as ``VecNormalize`` makes of them.
    """

    _env: CardGameVecEnv | None = None
    _carried: dict[str, np.ndarray] | None = None

    def attach(self, env: VecEnv) -> None:
        """Tell the buffer which environment (wrapped or not) its rows come from.

        Raises:
            TypeError: when it is no ``CardGameVecEnv``.
            ValueError: when it has not as many tables as the buffer has rows.
        """
        unwrapped = env.unwrapped
        if not isinstance(unwrapped, CardGameVecEnv):
            raise TypeError(
                f"{type(unwrapped).__name__} does not tell whose decisions its rows are: "
                "SeatRolloutBuffer needs a CardGameVecEnv"
            )
        if unwrapped.num_envs != self.n_envs:
            raise ValueError(
                f"the environment has {unwrapped.num_envs} tables and the buffer {self.n_envs} rows"
            )
        self._env = unwrapped
        self._carried = None
        self.reset()

    def reset(self) -> None:
        """Empty the buffer, but for the decisions that are carried over."""
        super().reset()
        if self._env is not None:
            shape = self.buffer_size, self.n_envs
            self.seats = np.zeros(shape, np.int64)
            self.payments = np.zeros((*shape, self._env.num_players), np.float64)
            self.ends = np.zeros(shape, np.bool_)

    def add(self, *args: Any, **kwargs: Any) -> None:
        """Add a step; whose decisions it holds, and what it paid whom, the environment tells."""
        if self._env is None:
            raise RuntimeError(
                "SeatRolloutBuffer does not know its environment yet: call "
                "model.rollout_buffer.attach(env) before learning"
            )
        if self.pos == 0 and self._carried is not None:
            # A table that was set up anew from outside has no use for what was carried over.
            episode_starts = np.asarray(args[3] if len(args) > 3 else kwargs["episode_start"])
            goes_on = ~episode_starts.astype(np.bool_)[self._carried["tables"]]
            self._carried = {name: kept[goes_on] for name, kept in self._carried.items()}
        self.seats[self.pos] = self._env.last_seats
        self.payments[self.pos] = self._env.last_payments
        self.ends[self.pos] = self._env.last_dones
        super().add(*args, **kwargs)

    def compute_returns_and_advantage(self, last_values: th.Tensor, dones: np.ndarray) -> None:
        """Fill ``advantages`` and ``returns``, and put aside the decisions without a successor.

        Args:
            last_values: the value of what each row shows after the rollout, ``[B]`` or ``[B, 1]``.
            dones: which rows' games ended with the last step, bool ``[B]``.
        """
        assert self._env is not None
        rows = np.arange(self.n_envs)
        shape = self.n_envs, self._env.num_players
        # Of each seat, looking back from the step at hand: what it is paid up to its next decision,
        # that one's value and advantage, and whether there is one (or the game's end) at all.
        paid, values, advantages = np.zeros((3, *shape))
        known = np.zeros(shape, np.bool_)
        known[rows, self._env.seats] = True
        values[rows, self._env.seats] = last_values.detach().cpu().numpy().reshape(-1)
        complete = np.zeros((self.buffer_size, self.n_envs), np.bool_)
        unpaid = np.zeros((self.buffer_size, self.n_envs))
        discount = self.gamma * self.gae_lambda
        for step in reversed(range(self.buffer_size)):
            ended = self.ends[step]
            paid[ended], values[ended], advantages[ended], known[ended] = 0.0, 0.0, 0.0, True
            paid += self.payments[step]
            own = rows, self.seats[step]
            error = paid[own] + self.gamma * values[own] - self.values[step]
            advantage = np.where(known[own], error + discount * advantages[own], 0.0)
            self.advantages[step] = advantage
            complete[step] = known[own]
            unpaid[step] = paid[own]
            paid[own], values[own] = 0.0, self.values[step]
            advantages[own], known[own] = advantage, True
        self.returns = self.advantages + self.values
        self._complete = complete
        self._settle(paid, values, advantages, known, unpaid)

    def _settle(
        self,
        paid: np.ndarray,
        values: np.ndarray,
        advantages: np.ndarray,
        known: np.ndarray,
        unpaid: np.ndarray,
    ) -> None:
        """Complete what was carried over, and carry over what is not complete."""
        steps, tables = np.nonzero(~self._complete)
        pending = {name: getattr(self, name)[steps, tables] for name in _KEPT}
        pending["tables"], pending["seats"] = tables, self.seats[steps, tables]
        pending["paid"] = unpaid[steps, tables]
        self._arrived: dict[str, np.ndarray] = {}
        if self._carried is not None:
            carried = self._carried
            own = carried["tables"], carried["seats"]
            carried["paid"] = carried["paid"] + paid[own]
            error = carried["paid"] + self.gamma * values[own] - carried["values"]
            advantage = error + self.gamma * self.gae_lambda * advantages[own]
            done = known[own]
            self._arrived = {name: carried[name][done] for name in _KEPT}
            self._arrived["advantages"] = advantage[done].astype(np.float32)
            self._arrived["returns"] = self._arrived["advantages"] + self._arrived["values"]
            pending = {
                name: np.concatenate([carried[name][~done], kept]) for name, kept in pending.items()
            }
        self._carried = pending

    def get(  # type: ignore[override]  # as in MaskableRolloutBuffer
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yield all complete decisions in random order, in equal parts of about ``batch_size``."""
        assert self.full, "the rollout is not complete"
        if not self.generator_ready:
            for name in (*_KEPT, "advantages", "returns"):
                samples = getattr(self, name)[self._complete]
                if self._arrived:
                    samples = np.concatenate([samples, self._arrived[name]])
                setattr(self, name, samples)
            self.generator_ready = True
        num_samples = len(self.values)
        # Equal parts: a last one of a few samples would have a step, and a normalisation of
        # advantages, of its own.
        num_parts = 1 if batch_size is None else max(1, round(num_samples / batch_size))
        # The generator that stable-baselines3 seeds and its own buffers draw from.
        order = np.random.permutation(num_samples)  # noqa: NPY002
        for part in np.array_split(order, num_parts):
            yield self._get_samples(part)

    def save_carried(self) -> dict[str, np.ndarray]:
        """Return what is carried over into the next rollout, for ``restore_carried``."""
        return dict(self._carried or {})

    def restore_carried(self, saved: dict[str, np.ndarray]) -> None:
        """Put back what ``save_carried`` returned."""
        self._carried = {name: array.copy() for name, array in saved.items()} or None
