"""Decisions a second through the adapters, in random legal play.

    python -m benchmarks.adapters [--games boil_over …] [--repeats 7] [--seconds 1]

The PettingZoo loop is the one of its documentation: ``agent_iter``, ``last``, and a legal action
chosen by NumPy (``legal[generator.integers(legal.size)]``; ``generator.choice`` alone takes 20 µs).
The Gymnasium environments have random bots as opponents; the decisions counted are the learner's
alone. The SB3 environment is the one of self-play, where each row's decision is one of the game;
its actions are chosen by the engine.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable

import gymnasium
import numpy as np
import pettingzoo

from benchmarks.common import alternate, facts, rate, table
from hotpot_envs.core import Engine, game_names, get_game

Case = Callable[[], int]


def aec_case(game: str, decisions: int) -> Case:
    """The PettingZoo loop over whole games."""
    env = pettingzoo.make("aec", get_game(game).id)
    generator = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        count = 0
        while count < decisions:
            env.reset()
            for _ in env.agent_iter():
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    action = None
                else:
                    legal = np.flatnonzero(observation["action_mask"])
                    action = legal[generator.integers(legal.size)]
                    count += 1
                env.step(action)
        return count

    return play


def gymnasium_case(game: str, decisions: int) -> Case:
    """One learner among random bots."""
    env = gymnasium.make(get_game(game).id, opponents="random")
    generator = np.random.default_rng(0)
    first, _ = env.reset(seed=0)
    shown = [first]

    def play() -> int:
        observation = shown[0]
        for _ in range(decisions):
            legal = np.flatnonzero(observation["action_mask"])
            action = legal[generator.integers(legal.size)]
            observation, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                observation, _ = env.reset()
        shown[0] = observation
        return decisions

    return play


def vector_case(game: str, num_envs: int, steps: int) -> Case:
    """Many learners, each among random bots, in next-step autoreset."""
    env = gymnasium.make_vec(get_game(game).id, num_envs=num_envs, opponents="random")
    chooser = Engine(game, num_envs)
    generators = chooser.generators(1)
    first, _ = env.reset(seed=0)
    shown = [first]

    def play() -> int:
        observations, decisions = shown[0], 0
        for _ in range(steps):
            actions = chooser.sample(observations["action_mask"], generators)
            decisions += int((actions >= 0).sum())
            observations = env.step(np.maximum(actions, 0))[0]
        shown[0] = observations
        return decisions

    return play


def sb3_case(game: str, num_envs: int, steps: int) -> Case:
    """Every seat the learner, in a VecEnv of stable-baselines3."""
    from hotpot_envs.adapters.sb3_vec import CardGameVecEnv

    env = CardGameVecEnv(game, num_envs, seed=0)
    generators = env.engine.generators(1)
    env.reset()

    def play() -> int:
        for _ in range(steps):
            (masks,) = env.env_method("action_masks")
            actions = env.engine.sample(masks.astype(np.int8), generators)
            env.step(actions)
        return steps * num_envs

    return play


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="decisions a second through the adapters")
    parser.add_argument("--games", nargs="+", default=game_names(), choices=game_names())
    parser.add_argument("--repeats", type=int, default=7, help="runs of each case (default: 7)")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of one (default: 1)")
    arguments = parser.parse_args()
    single, batched = int(30_000 * arguments.seconds), max(1, int(300 * arguments.seconds))
    packages = ["numba", "numpy", "gymnasium", "pettingzoo"]
    rows = []
    for game in arguments.games:
        cases = {
            "PettingZoo AEC loop": aec_case(game, single),
            "Gymnasium, one environment": gymnasium_case(game, single // 3),
            "Gymnasium vector, 1,024 environments": vector_case(game, 1024, batched),
        }
        if importlib.util.find_spec("stable_baselines3"):
            cases["SB3 VecEnv, 1,024 tables"] = sb3_case(game, 1024, batched)
            packages[4:] = ["stable-baselines3"]
        for name, (median, low, high) in alternate(cases, arguments.repeats).items():
            rows.append([game, name, rate(median), f"{rate(low)} – {rate(high)}"])
    print(table(["game", "through", "decisions/s (median)", "lowest – highest"], rows))
    print(f"\n{facts(*packages)}; {arguments.repeats} runs of each by turns, one thread.")


if __name__ == "__main__":
    main()
