"""Measure a policy against the game's bots: win share, mean rank, score, with 95% intervals.

python -m training.evaluate runs/boil_over_1
python -m training.evaluate policy.safetensors@sample --bots heuristic greedy random
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from hotpot_envs.arena import run as play_match
from hotpot_envs.bots import Policy, make_bot
from hotpot_envs.core import Game

__all__ = ["game_options", "main", "options_for", "policy_file", "print_matches"]


def policy_file(text: str) -> Path:
    """Return the policy file that a path, or a run's folder, with or without ``@sample`` means."""
    path = Path(text.removesuffix("@sample"))
    return path / "policy.safetensors" if path.is_dir() else path


def options_for(policy: Policy, changes: Sequence[str]) -> dict[str, Any]:
    """Return the options that a policy was trained on, with some changed (``name=value``).

    An option that had its default then has it now too: it may depend on the changed ones.

    Raises:
        ValueError: for an unknown option or a value that is not allowed.
    """
    game, trained = policy.game, game_options(policy)
    given = game.parse_options(changes)
    for name, value in trained.items():
        others = {other: trained[other] for other in trained if other != name}
        if game.resolve_options(others)[name] != value:
            given.setdefault(name, value)
    return game.resolve_options(given)


def game_options(policy: Policy) -> dict[str, Any]:
    """Return every option that a policy was trained on, those that its file leaves out too."""
    return policy.game.resolve_options(policy.options)


def print_matches(
    console: Console,
    game: Game,
    policy: str | Path,
    options: Mapping[str, Any],
    deals: int,
    bots: Sequence[str] = ("heuristic", "random"),
    seed: int = 0,
) -> None:
    """Play one policy against a table full of each bot, and print the tables."""
    player = make_bot(str(policy), game)
    # A long path would leave the table's other columns no room.
    player.name = "policy@sample" if str(policy).endswith("@sample") else "policy"
    for bot in bots:
        rivals = [bot] * (options["num_players"] - 1)
        result = play_match(game, [player, *rivals], deals, options=options, seed=seed)
        console.print(result.rich_table())


def main(argv: Sequence[str] | None = None) -> None:
    """Measure; leaves with 1 if what was asked failed."""
    parser = argparse.ArgumentParser(
        prog="python -m training.evaluate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", help="a policy file or a run's folder; @sample to draw actions")
    parser.add_argument("--bots", nargs="+", default=["heuristic", "random"], help="who to play")
    parser.add_argument("--deals", type=int, default=1000, help="deals a match (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="names the deals (default: 0)")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args(argv)
    try:
        policy = Policy.load(policy_file(arguments.model))
        options = options_for(policy, arguments.option)
        suffix = "@sample" if arguments.model.endswith("@sample") else ""
        print_matches(
            Console(),
            policy.game,
            f"{policy_file(arguments.model)}{suffix}",
            options,
            arguments.deals,
            arguments.bots,
            arguments.seed,
        )
    except (ValueError, OSError) as error:
        print(f"training.evaluate: {error}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
