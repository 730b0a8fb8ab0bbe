"""The model that is trained: stock MaskablePPO, with credit per seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch as th
from sb3_contrib import MaskablePPO
from stable_baselines3.common.running_mean_std import RunningMeanStd
from torch import nn

from hotpot_envs.adapters.sb3_buffer import SeatRolloutBuffer
from hotpot_envs.adapters.sb3_policy import CardGameExtractor, CardGamePolicy
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
        CardGamePolicy,
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
    if config.policy_kwargs.get("standardize", True):
        model.policy.features_extractor.fit(_statistics(env))
    if config.policy_kwargs.get("symmetric", True):
        model.policy.tie_weights(env.engine.game.symmetries)
    return model


def _statistics(env: CardGameVecEnv) -> RunningMeanStd:
    """Return mean and variance of observations where bots play a game or two at many tables."""
    game = env.engine.game
    bots = sorted({"random", *game.bots})
    tables = CardGameVecEnv(game, 256, options=env.engine.options, opponents=bots, seed=0)
    generators = tables.engine.generators(0)
    statistics = RunningMeanStd(shape=tables.observation_space.shape)
    statistics.update(tables.reset())
    ended = np.zeros(tables.num_envs, np.bool_)
    while not ended.all():
        masks = tables.action_masks().astype(np.int8)
        observations, _, dones, _ = tables.step(tables.engine.sample(masks, generators))
        statistics.update(observations)
        ended |= dones
    tables.close()
    return statistics


def _policy_kwargs(config: Config) -> dict[str, Any]:
    given = dict(config.policy_kwargs)
    activation = _ACTIVATIONS[given.get("activation_fn", "relu")]
    return {
        "activation_fn": activation,
        "net_arch": given.get("net_arch", []),
        "ortho_init": given.get("ortho_init", True),
        "features_extractor_class": CardGameExtractor,
        "features_extractor_kwargs": {
            "sizes": list(given.get("trunk", [])),
            "activation_fn": activation,
        },
    }
