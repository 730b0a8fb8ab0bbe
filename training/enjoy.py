"""Show a policy playing, in the terminal.

python -m training.enjoy runs/boil_over_1
python -m training.enjoy policy.safetensors --bots heuristic --seed 3
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from hotpot_envs.bots import Policy
from hotpot_envs.cli import main as hotpot
from training.evaluate import game_options, policy_file

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> None:
    """Play one game and show it; leaves with 1 if what was asked failed."""
    parser = argparse.ArgumentParser(
        prog="python -m training.enjoy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="a policy file or a run's folder; @sample to draw actions")
    parser.add_argument("--bots", default="heuristic", help="who sits in the other seats")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(argv)
    try:
        path = policy_file(arguments.model)
        policy = Policy.load(path)
    except (ValueError, OSError) as error:
        print(f"training.enjoy: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    options = game_options(policy)
    suffix = "@sample" if arguments.model.endswith("@sample") else ""
    bots = [f"{path}{suffix}"] + [arguments.bots] * (options["num_players"] - 1)
    words = [f"--option={name}={value}" for name, value in options.items()]
    raise SystemExit(
        hotpot(["watch", policy.game.name, "--seed", str(arguments.seed), *words, "--bots", *bots])
    )


if __name__ == "__main__":
    main()
