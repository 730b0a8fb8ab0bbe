"""``hotpot bench``."""

from __future__ import annotations

import argparse
import time

from hotpot_envs.core import Engine, get_game

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Play at random for a while; say how many decisions a second that makes."""
    game = get_game(arguments.game)
    engine = Engine(
        game,
        arguments.games,
        options=game.parse_options(arguments.options),
        autoreset=True,
        num_threads=arguments.threads,
    )
    seed = arguments.seed or 0
    buffers, generators = engine.buffers(), engine.generators(seed)
    engine.reset(seed)
    engine.observe(buffers)
    actions = engine.sample(buffers.action_masks, generators)
    engine.step(actions, buffers)  # compiles, if nothing has yet

    rounds, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < arguments.seconds or not rounds:
        for _ in range(16):
            engine.sample(buffers.action_masks, generators, actions)
            engine.step(actions, buffers)
        rounds += 16
    rate = rounds * engine.num_games / elapsed
    engine.close()
    print(
        f"{game.title}: {_round(rate)} decisions/s in random play, with masks and observations; "
        f"{arguments.games:,} game{'s' if arguments.games > 1 else ''} at once, "
        f"{arguments.threads} thread{'s' if arguments.threads > 1 else ''}"
    )
    return 0


def _round(rate: float) -> str:
    """Return a rate with three digits: more mean nothing."""
    if rate >= 1e6:
        return f"{rate / 1e6:.3g} million"
    return f"{float(f'{rate:.3g}'):,.0f}"
