"""One game whose position a test sets up by hand: what is alike in every game."""

from __future__ import annotations

from typing import Any

import numpy as np

from hotpot_envs.core import Engine


class Position:
    """One game; a game's own tests add how to put cards and make moves."""

    def __init__(self, game: str, options: dict[str, Any]) -> None:
        self.engine = Engine(game, options=options, illegal="report")
        self.engine.reset(seeds=0)
        self.buffers = self.engine.buffers()
        self.clear()

    def clear(self) -> None:
        """Leave no card anywhere."""
        raise NotImplementedError

    @property
    def config(self) -> Any:
        return self.engine.config[0]

    @property
    def state(self) -> Any:
        return self.engine.states[0]

    def legal(self) -> set[str]:
        self.engine.observe(self.buffers)
        move = self.engine.game.notation.move
        actions = np.flatnonzero(self.buffers.action_masks[0]).tolist()
        return {move(self.config, self.state, action)["move"] for action in actions}

    def points(self) -> list[int]:
        return self.engine.results()[0][0].tolist()

    def winners(self) -> list[int]:
        return np.flatnonzero(self.engine.results()[1][0]).tolist()

    def view(self, seat: int) -> dict[str, np.ndarray]:
        """Return what a seat sees, by the names of the layout."""
        self.engine.observe(self.buffers, np.array([seat]))
        return self.engine.game.observations.split(self.buffers.observations[0].copy())
