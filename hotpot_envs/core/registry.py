"""Finding games by their folders, and loading one when it is asked for."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import re
from pathlib import Path

from hotpot_envs.core.game import Game

__all__ = ["describe_game", "game_names", "get_game", "register_game"]

_PACKAGE = Path(__file__).parents[1]
_third_party: dict[str, str] = {}


@functools.cache
def _own_games() -> dict[str, str]:
    folders = (path.parent.name for path in sorted((_PACKAGE / "games").glob("*/__init__.py")))
    return {name: f"{_PACKAGE.name}.games.{name}" for name in folders}


def game_names() -> list[str]:
    """Return the names of all games, loading none."""
    return [*_own_games(), *_third_party]


def describe_game(name: str) -> str:
    """Return the first line of the docstring of a game's module, loading nothing.

    Raises:
        ValueError: for an unknown name.
    """
    source = importlib.util.find_spec(_module(name))
    if source is None or source.origin is None:
        return ""
    docstring = ast.get_docstring(ast.parse(Path(source.origin).read_text(encoding="utf-8")))
    return (docstring or "").partition("\n")[0]


def register_game(name: str, module: str) -> None:
    """Make a third party's game known: ``module.GAME`` is a ``Game`` of that name.

    Raises:
        ValueError: when the name is taken by another module or is no identifier.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(f"a game's name is lower case letters, digits and _, not {name!r}")
    if ({**_own_games(), **_third_party}).get(name, module) != module:
        raise ValueError(f"there is a game called {name!r} already")
    _third_party[name] = module


def get_game(name: str | Game) -> Game:
    """Return a game by name; a ``Game`` is returned as it is.

    Raises:
        ValueError: for an unknown name.
    """
    if isinstance(name, Game):
        return name
    module = _module(name)
    game = importlib.import_module(module).GAME
    assert isinstance(game, Game), f"{module}.GAME is no Game"
    return game


def _module(name: str) -> str:
    module = {**_own_games(), **_third_party}.get(name)
    if module is None:
        raise ValueError(f"no game {name!r}; there are: {', '.join(game_names())}")
    return module
