from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from hotpot_envs.core.loops import OK
from hotpot_envs.games.hot_pot_holic import scoring
from hotpot_envs.games.hot_pot_holic.notation import CARDS, NOTATION, cards_in, set_of
from hotpot_envs.games.hot_pot_holic.state import (
    ACT,
    COLOR_PART,
    HEAT_PART,
    KING_HIGH,
    NUMBER_PART,
    PLAY,
    SCORING_CARDS,
)
from tests.games.table import Position


class Table(Position):
    """One game whose position is set up by hand, in the words of its records."""

    def __init__(self, **options: Any) -> None:
        super().__init__("hot_pot_holic", options)

    def clear(self) -> None:
        """Leave no card anywhere; it is the first round, K is the strongest, seat 0 begins."""
        for name in ("hand", "plate", "belly", "pot", "token", "to_move", "scoring"):
            self.state[name] = 0
        self.state["phase"], self.state["strongest"] = PLAY, KING_HIGH
        self._count()

    def put(
        self,
        hands: Sequence[Sequence[str]] = (),
        plates: Sequence[Sequence[str]] = (),
        bellies: Sequence[Sequence[str]] = (),
        pot: Sequence[str] = (),
        robot: Sequence[str] = (),
        cards: Sequence[str] = (),
        **fields: Any,
    ) -> Table:
        """Put cards where they are named, scoring ``cards`` in use, and values into the state."""
        for name, zones in (("hand", hands), ("plate", plates), ("belly", bellies)):
            for seat, zone in enumerate(zones):
                self.state[name][seat] = set_of(zone)
        self.state["pot"] = set_of(pot)
        for index, card in enumerate(robot):
            self.state["robot"][index] = CARDS.index(card)
        for card in cards:
            sort = next(sort for sort in range(3) if card in SCORING_CARDS[sort])
            self.state["scoring"][sort] = SCORING_CARDS[sort].index(card)
        for name, value in fields.items():
            if isinstance(value, list):
                self.state[name][: len(value)] = value
            else:
                self.state[name] = value
        self._count()
        return self

    def acting(self, order: Sequence[int], turn: int = 0, **arguments: Any) -> Table:
        """Put a position of the second phase: the seats in order of strength, the next of them."""
        place = [0, 0, 0, 0]
        for index, seat in enumerate(order):
            place[seat] = index + 1
        robot = self.config["num_players"] == 2
        token = next(seat for seat in order if not (robot and seat == 2))
        actor = order[turn]
        lying = [CARDS.index("Y0") + seat for seat in range(len(order))]
        return self.put(
            phase=ACT,
            order=list(order),
            place=place,
            turn=turn,
            actor=actor,
            to_move=token if robot and actor == 2 else actor,
            token=token,
            lying=lying,
            **arguments,
        )

    def _count(self) -> None:
        """Reckon the scores anew, as the rules do when something was eaten or a marker moved."""
        config, state = self.config, self.state
        number, color, heat = state["scoring"]
        for seat in range(config["num_players"]):
            parts, belly = state["parts"][seat], state["belly"][seat]
            parts[NUMBER_PART] = scoring.number_points(number, belly, config["few"])
            parts[COLOR_PART] = scoring.color_points(color, belly)
            parts[HEAT_PART] = scoring.heat_points(
                heat, np.array(state["heat"]), seat, config["num_markers"]
            )

    def play(self, *moves: str) -> None:
        """Make moves, which must be legal and written as they are here."""
        for move in moves:
            assert move in self.legal(), (move, self.legal())
            action = NOTATION.action(self.config, self.state, {"move": move})
            self.engine.step(np.array([action]), self.buffers)
            assert self.buffers.status[0] == OK, move

    def __getattr__(self, name: str) -> Any:
        """A field of the state: cards by name, other numbers as they are."""
        value = self.state[name]
        if name == "pot":
            return cards_in(value)
        if name in ("hand", "plate", "belly"):
            return [cards_in(cards) for cards in value[: self.config["num_markers"]]]
        if getattr(value, "shape", ()):
            return value.tolist()[: self.config["num_markers"] if len(value) == 4 else None]
        return value.item()

    def determinize(self, seat: int, seed: int) -> None:
        self.engine.determinize(np.array([seat]), self.engine.generators(seed))


@pytest.fixture
def table() -> Callable[..., Table]:
    """Return what makes a ``Table`` from options."""
    return Table
