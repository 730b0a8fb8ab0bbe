"""The words of a record that writing and checking share."""

from __future__ import annotations

from typing import Any

import numpy as np

from hotpot_envs.core import Engine, Game

__all__ = ["VERSION", "legal_words", "result_of"]

#: Version of the record format.
VERSION = 1


def legal_words(game: Game, config: Any, state: Any, action_mask: np.ndarray) -> list[str]:
    """Return the words of all legal moves, in the order of their actions.

    Args:
        game: the game.
        config: its CONFIG, a single record.
        state: the state in which the moves are legal, a single record.
        action_mask: int8 ``[A]``.
    """
    move = game.notation.move
    return [move(config, state, int(action))["move"] for action in np.flatnonzero(action_mask)]


def result_of(engine: Engine, index: int) -> dict[str, Any]:
    """Return the ``result`` of a finished or truncated game of a batch."""
    words = dict(engine.game.notation.result(engine.config[0], engine.states[index]))
    _, won, _ = engine.results()
    return {
        "scores": words.pop("scores"),
        "winners": np.flatnonzero(won[index]).tolist(),
        "end": "truncated" if engine.states["truncated"][index] else "finished",
        **words,
    }
