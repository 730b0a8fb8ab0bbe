"""The model that is trained: stock MaskablePPO, with credit per seat."""

from __future__ import annotations

from typing import Any

import torch as th
from sb3_contrib import MaskablePPO
from torch import nn

from hotpot_envs.adapters.sb3_buffer import SeatRolloutBuffer
from hotpot_envs.adapters.sb3_trunk import SharedTrunk
from hotpot_envs.adapters.sb3_vec import CardGameVecEnv
from training.config import Config, Schedule

__all__ = ["make_model"]

_ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}


def make_model(env: CardGameVecEnv, config: Config, seed: int) -> MaskablePPO:
    """Return MaskablePPO with a rollout buffer that credits each seat with its own decisions.

    Schedules stand at their beginning: whoever trains sets them.
    """
    # Torch would look through the arguments of every distribution. Numbers that are not finite are
    # looked for once an update instead (Session).
    th.distributions.Distribution.set_default_validate_args(False)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        learning_rate=Schedule.parse(config.learning_rate).start,
        clip_range=Schedule.parse(config.clip_range).start,
        ent_coef=Schedule.parse(config.ent_coef).start,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        vf_coef=config.vf_coef,
        max_grad_norm=config.max_grad_norm,
        target_kl=config.target_kl,
        normalize_advantage=config.normalize_advantage,
        policy_kwargs=_policy_kwargs(config),
        rollout_buffer_class=SeatRolloutBuffer,
        seed=seed,
        device="cuda" if th.cuda.is_available() else "cpu",
    )
    model.rollout_buffer.attach(env)
    return model


def _policy_kwargs(config: Config) -> dict[str, Any]:
    given = dict(config.policy_kwargs)
    activation = _ACTIVATIONS[given.get("activation_fn", "relu")]
    kwargs: dict[str, Any] = {
        "activation_fn": activation,
        "net_arch": given.get("net_arch", []),
        "ortho_init": given.get("ortho_init", True),
    }
    if given.get("trunk"):
        kwargs["features_extractor_class"] = SharedTrunk
        kwargs["features_extractor_kwargs"] = {
            "sizes": list(given["trunk"]),
            "activation_fn": activation,
        }
    return kwargs
