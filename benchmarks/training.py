"""Decisions a second in training, and our share of a rollout's time. One torch thread.

    python -m benchmarks.training [--game boil_over] [--repeats 5] [--rollouts 3]

First, by turns: the game's own configuration (rollouts and updates, pool included, as
``training.train`` runs it), and stable-baselines3's habit: sb3-contrib's ``MaskablePPO`` with its
defaults on a ``DummyVecEnv`` of eight single Gymnasium environments with random opponents, the
observation flat. The decisions counted are those that the learner makes.

Then the parts of a rollout with the default ``MlpPolicy`` at 1,024 tables where every seat learns.
Ours is the environment's step, the masks, and what ``SeatRolloutBuffer`` adds to its base class.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
import torch as th
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.vec_env import DummyVecEnv
from threadpoolctl import threadpool_limits

from benchmarks.common import alternate, facts, rate, table
from hotpot_envs.adapters.sb3_buffer import SeatRolloutBuffer
from hotpot_envs.adapters.sb3_vec import CardGameVecEnv
from hotpot_envs.bots import Policy
from hotpot_envs.bots.base import PolicyBot, make_bot
from hotpot_envs.core import game_names, get_game
from training.config import Config, config_path, load_config
from training.model import make_model

NUM_TABLES, NUM_STEPS, NUM_SINGLE = 1024, 64, 8


def default_case(game: str, config: Config, rollouts: int) -> Callable[[], int]:
    """Some rollouts and updates with the game's configuration, the pool full of earlier selves."""
    env = CardGameVecEnv(
        game,
        config.n_envs,
        reward=config.reward,
        opponents=config.pool_bots if config.pool_share else None,
        opponent_share=config.pool_share,
        seed=0,
    )
    model = make_model(env, config, seed=0)
    if config.pool_share and config.pool_size:
        activation = config.policy_kwargs.get("activation_fn", "relu")
        chances = {make_bot(name, game): weight for name, weight in config.pool_bots.items()}
        for _ in range(config.pool_size):
            policy = Policy.from_sb3(game, model.policy.state_dict(), activation=activation)
            chances[PolicyBot(policy, sample=True)] = config.pool_weight
        env.set_opponents(chances)

    def learn() -> int:
        decisions = rollouts * config.n_envs * config.n_steps
        model.learn(decisions, reset_num_timesteps=False)
        return decisions

    return learn


def stock_case(game: str, steps: int | None) -> Callable[[], int]:
    """A rollout and its update with everything as it comes; ``steps`` cuts both short."""

    def make() -> gymnasium.Env[Any, Any]:
        env = gymnasium.make(get_game(game).id, opponents="random")
        space = env.observation_space["observation"]
        return gymnasium.wrappers.TransformObservation(env, lambda seen: seen["observation"], space)

    env = DummyVecEnv([make] * NUM_SINGLE)
    length = {} if steps is None else {"n_steps": steps}
    model = MaskablePPO("MlpPolicy", env, seed=0, device="cpu", **length)

    def learn() -> int:
        decisions = NUM_SINGLE * model.n_steps
        model.learn(decisions, reset_num_timesteps=False)
        return decisions

    return learn


@contextmanager
def timed(places: list[tuple[Any, str]], spent: dict[str, float]) -> Iterator[None]:
    """Add up the seconds spent in some methods, by ``Class.method``."""
    before = [vars(place).get(name) for place, name in places]

    def wrap(place: Any, name: str) -> Callable[..., Any]:
        method = getattr(place, name)
        label = f"{place.__name__}.{name}"

        def call(*arguments: Any, **keywords: Any) -> Any:
            start = time.perf_counter()
            try:
                return method(*arguments, **keywords)
            finally:
                spent[label] += time.perf_counter() - start

        return call

    for place, name in places:
        setattr(place, name, wrap(place, name))
    try:
        yield
    finally:
        for (place, name), method in zip(places, before, strict=True):
            if method is None:
                delattr(place, name)
            else:
                setattr(place, name, method)


def rollout_shares(game: str, repeats: int) -> list[tuple[str, float, float, float]]:
    """Return the parts of a rollout's time: name, median share, lowest, highest."""
    env = CardGameVecEnv(game, NUM_TABLES, seed=0)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=NUM_STEPS,
        batch_size=NUM_TABLES * NUM_STEPS,
        n_epochs=1,
        rollout_buffer_class=SeatRolloutBuffer,
        seed=0,
        device="cpu",
    )
    model.rollout_buffer.attach(env)
    places = [
        (MaskablePPO, "collect_rollouts"),
        (CardGameVecEnv, "step"),
        (CardGameVecEnv, "env_method"),
        (SeatRolloutBuffer, "reset"),
        (SeatRolloutBuffer, "add"),
        (SeatRolloutBuffer, "compute_returns_and_advantage"),
        (MaskableRolloutBuffer, "reset"),
        (MaskableRolloutBuffer, "add"),
    ]
    names = ["our code in all", "the environment's step", "masks", "the buffer"]
    shares: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(repeats + 1):
        spent: dict[str, float] = defaultdict(float)
        with timed(places, spent):
            model.learn(NUM_TABLES * NUM_STEPS, reset_num_timesteps=False)
        if turn == 0:
            continue  # it warms up
        whole = spent["MaskablePPO.collect_rollouts"]
        seat, base = "SeatRolloutBuffer", "MaskableRolloutBuffer"
        parts = [
            spent["CardGameVecEnv.step"],
            spent["CardGameVecEnv.env_method"],
            sum(spent[f"{seat}.{name}"] - spent[f"{base}.{name}"] for name in ("reset", "add"))
            + spent[f"{seat}.compute_returns_and_advantage"],
        ]
        for name, seconds in zip(names, [sum(parts), *parts], strict=True):
            shares[name].append(seconds / whole)
    return [(name, statistics.median(s), min(s), max(s)) for name, s in shares.items()]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="decisions a second in training")
    parser.add_argument("--game", default="boil_over", choices=game_names())
    parser.add_argument("--repeats", type=int, default=5, help="runs of each case (default: 5)")
    parser.add_argument("--rollouts", type=int, default=3, help="of our case, a run (default: 3)")
    parser.add_argument(
        "--stock-steps", type=int, help="n_steps of the stock case (default: its own, 2,048)"
    )
    arguments = parser.parse_args()
    th.set_num_threads(1)
    threadpool_limits(1, user_api="blas")
    config = load_config(config_path(get_game(arguments.game)))
    # The stock case first: ours turns off a check of torch's distributions for the process.
    validating = th.distributions.Distribution.set_default_validate_args
    stock = stock_case(arguments.game, arguments.stock_steps)
    ours = default_case(arguments.game, config, arguments.rollouts)
    cases = {
        "configs/maskable_ppo, " + arguments.game: with_validation(ours, validating, False),
        f"MaskablePPO's defaults, DummyVecEnv of {NUM_SINGLE}": with_validation(
            stock, validating, True
        ),
    }
    results = alternate(cases, arguments.repeats)
    slow = min(median for median, _, _ in results.values())
    rows = [
        [name, rate(median), f"{rate(low)} – {rate(high)}", f"{median / slow:.1f}×"]
        for name, (median, low, high) in results.items()
    ]
    print(table(["training", "decisions/s (median)", "lowest – highest", "ratio"], rows))
    print()
    validating(True)
    rows = [
        [name, f"{median:.1%}", f"{low:.1%} – {high:.1%}"]
        for name, median, low, high in rollout_shares(arguments.game, arguments.repeats)
    ]
    title = f"part of a rollout, {NUM_TABLES:,} tables"
    print(table([title, "share of its time (median)", "lowest – highest"], rows))
    packages = ("torch", "stable-baselines3", "sb3-contrib", "numba", "numpy", "gymnasium")
    print(f"\n{facts(*packages)}; {arguments.repeats} runs of each by turns, one torch thread.")


def with_validation(
    case: Callable[[], int], validating: Callable[[bool], None], value: bool
) -> Callable[[], int]:
    """Return the case, run with torch's checks of distributions on or off."""

    def run() -> int:
        validating(value)
        return case()

    return run


if __name__ == "__main__":
    main()
