"""The core: kernels, layouts, the contract of a game, and the engine. It names no game."""

from __future__ import annotations

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
