"""``hotpot list``."""

from __future__ import annotations

import argparse

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """List the games (loading none), or tell of one."""
    if arguments.game is None:
        _list_games()
    else:
        _tell(arguments.game)
    return 0


def _list_games() -> None:
    import gymnasium

    import hotpot_envs  # noqa: F401  # it registers the ids
    from hotpot_envs.core.registry import describe_game, game_names

    ids = {
        spec.kwargs["game"]: name
        for name, spec in gymnasium.registry.items()
        if spec.namespace == "hotpot_envs" and "game" in spec.kwargs
    }
    names = game_names()
    width = max(map(len, names))
    id_width = max([len(ids.get(name, "")) for name in names])
    for name in names:
        print(f"{name:<{width}}  {ids.get(name, ''):<{id_width}}  {describe_game(name)}".rstrip())


def _tell(name: str) -> None:
    from rich.table import Table

    from hotpot_envs.cli.common import console
    from hotpot_envs.core import get_game

    game = get_game(name)
    shown = console()
    shown.print(f"{game.title} ({game.name}): environment id {game.id}")
    shown.print(f"bots: {', '.join(['random', *game.bots])}")
    shown.print(
        f"{game.actions.size} actions, {game.observations.size} entries in an observation, "
        f"at most {game.max_num_moves} moves in a game"
    )
    table = Table(title="options", title_justify="left", title_style="bold")
    for heading in ("option", "allowed", "default", "meaning"):
        table.add_column(heading, overflow="fold")
    for option in game.options:
        default = option.default_text or str(option.default).lower()
        table.add_row(option.name, option.allowed, default, option.meaning)
    shown.print(table)
