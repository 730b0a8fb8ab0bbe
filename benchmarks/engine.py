"""Decisions a second of the engine, in random legal play.

    python -m benchmarks.engine [--games boil_over …] [--repeats 9] [--seconds 0.5]

The time includes choosing the actions from the masks (``Engine.sample``) and setting up new games
(``autoreset``).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from benchmarks.common import alternate, facts, rate, table
from hotpot_envs.core import Engine, game_names


def make_case(
    game: str, batch: int, show: str, num_threads: int, seconds: float
) -> Callable[[], int]:
    """Return a function that plays about so many seconds, and counts the decisions."""
    engine = Engine(game, batch, autoreset=True, num_threads=num_threads)
    buffers, generators = engine.buffers(), engine.generators(1)
    engine.reset(seeds=0)
    engine.observe(buffers)
    actions = engine.sample(buffers.action_masks, generators)
    # About what a slow machine makes: 300 ns a decision and 10 µs a call.
    steps = max(10, int(seconds / (batch * 300e-9 / num_threads + 10e-6)))

    def play() -> int:
        for _ in range(steps):
            engine.sample(buffers.action_masks, generators, actions)
            engine.step(actions, buffers, show=show)
        return steps * batch

    return play


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="decisions a second of the engine")
    parser.add_argument("--games", nargs="+", default=game_names(), choices=game_names())
    parser.add_argument("--repeats", type=int, default=9, help="runs of each case (default: 9)")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of one (default: 0.5)")
    arguments = parser.parse_args()
    rows = []
    for game in arguments.games:
        cases = {
            f"{batch} {threads} {show}": make_case(game, batch, show, threads, arguments.seconds)
            for batch in (1, 256, 4096)
            for threads in (1, 2)
            for show in ("masks", "observations")
            if threads == 1 or batch == 4096
        }
        for name, (median, low, high) in alternate(cases, arguments.repeats).items():
            batch, threads, show = name.split()
            what = "masks" if show == "masks" else "masks and observations"
            rows.append([game, batch, threads, what, rate(median), f"{rate(low)} – {rate(high)}"])
    header = ["game", "batch", "threads", "with", "decisions/s (median)", "lowest – highest"]
    print(table(header, rows))
    print(f"\n{facts('numba', 'numpy')}; {arguments.repeats} runs of each by turns.")


if __name__ == "__main__":
    main()
