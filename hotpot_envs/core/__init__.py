"""The core: kernels, layouts, the contract of a game, and the engine. It names no game.

The names below are loaded when first used: the games' names can be had without the compiler.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hotpot_envs.core.engine import Buffers, Engine
    from hotpot_envs.core.game import Choice, Game, Notation, Option, Whole
    from hotpot_envs.core.layout import Field, Layout
    from hotpot_envs.core.registry import game_names, get_game, register_game

__all__ = [
    "Buffers",
    "Choice",
    "Engine",
    "Field",
    "Game",
    "Layout",
    "Notation",
    "Option",
    "Whole",
    "game_names",
    "get_game",
    "register_game",
]

_HOMES = {
    "engine": ("Buffers", "Engine"),
    "game": ("Choice", "Game", "Notation", "Option", "Whole"),
    "layout": ("Field", "Layout"),
    "registry": ("game_names", "get_game", "register_game"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
