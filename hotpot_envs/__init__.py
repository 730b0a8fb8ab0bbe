"""Five card games as fast reinforcement-learning environments.

Importing the package makes every game's environments known to Gymnasium and PettingZoo under ids
such as ``hotpot_envs/BoilOver-v0``. It loads no game and no compiler: the names below and the
environments' modules are loaded when first used.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from hotpot_envs.bots import Bot, make_bot
    from hotpot_envs.core import Engine, Game, game_names, get_game, register_game
    from hotpot_envs.core.checks import check_game

__all__ = [
    "Bot",
    "Engine",
    "Game",
    "check_game",
    "game_names",
    "get_game",
    "make_bot",
    "register_game",
]

#: The version of the package; ``pyproject.toml`` says the same.
__version__ = "0.1.0"

_HOMES = {
    "Bot": "hotpot_envs.bots",
    "Engine": "hotpot_envs.core",
    "Game": "hotpot_envs.core",
    "check_game": "hotpot_envs.core.checks",
    "game_names": "hotpot_envs.core",
    "get_game": "hotpot_envs.core",
    "make_bot": "hotpot_envs.bots",
    "register_game": "hotpot_envs.core",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _register() -> None:
    """Register the environments of every ``<game>_v<N>.py`` beside this file, loading none."""
    for path in sorted(Path(__file__).parent.glob("*_v*.py")):
        match = re.fullmatch(r"([a-z][a-z0-9_]*)_v(\d+)", path.stem)
        if match is None:
            continue
        game, version = match.groups()
        name = "".join(word.capitalize() for word in game.split("_"))
        env_id = f"{__name__}/{name}-v{version}"
        if env_id not in gymnasium.registry:
            gymnasium.register(
                env_id,
                entry_point=f"{__name__}.adapters.gym_env:LearnerEnv",
                vector_entry_point=f"{__name__}.adapters.gym_vector:LearnerVectorEnv",
                kwargs={"game": game},
            )
        if env_id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", env_id, entry_point=f"{__name__}.{path.stem}:env")


_register()
