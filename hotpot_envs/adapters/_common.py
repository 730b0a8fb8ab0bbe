"""What the adapters share: pictures of a game, and the words of their errors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from hotpot_envs.core.engine import Engine

__all__ = ["RENDER_MODES", "check_render_mode", "legal_actions", "read_action", "render_game"]

RENDER_MODES = ["human", "rgb_array", "ansi"]


def check_render_mode(render_mode: str | None) -> None:
    """Raise ValueError unless ``render_mode`` is one of ``RENDER_MODES`` or ``None``."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(
            f"render_mode={render_mode!r}: allowed is None or "
            + " or ".join(map(repr, RENDER_MODES))
        )


def render_game(engine: Engine, index: int, render_mode: str, seat: int | None) -> Any:
    """Show a game of a batch as ``seat`` sees it; with open cards for ``None``.

    Returns:
        The text for ``"ansi"``; uint8 ``[H, W, 3]`` for ``"rgb_array"``; ``None`` for ``"human"``,
        which prints the text.

    Raises:
        ImportError: for ``"rgb_array"`` where the extra ``render`` is not installed.
    """
    game, config, state = engine.game, engine.config[0], engine.states[index]
    if render_mode == "rgb_array":
        from hotpot_envs.rendering import to_rgb

        return to_rgb(game.svg(config, state, seat))
    text = game.text(config, state, seat)
    if render_mode == "ansi":
        return text
    print(text, flush=True)
    return None


def read_action(action: Any, num_actions: int) -> int:
    """Return an action as an int.

    Raises:
        ValueError: unless it is a whole number (Python's or NumPy's) within the action space.
    """
    try:
        if isinstance(action, bool):
            raise TypeError
        number = operator.index(action)
    except TypeError:
        raise ValueError(
            f"action {action!r} is no whole number: allowed is 0 to {num_actions - 1}"
        ) from None
    if not 0 <= number < num_actions:
        raise ValueError(
            f"action {number} is outside the action space: allowed is 0 to {num_actions - 1}"
        )
    return number


def legal_actions(action_mask: np.ndarray) -> str:
    """Return the legal actions of a mask as words for an error."""
    return "legal are " + ", ".join(map(str, np.flatnonzero(action_mask)))
