from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from hotpot_envs.core.loops import OK
from hotpot_envs.games.boil_over.notation import CARDS, MOVES, cards_in
from hotpot_envs.games.boil_over.state import SUITS, VALUES
from tests.games.table import Position


class Table(Position):
    """One game whose position is set up by hand, in the words of its records."""

    def __init__(self, **options: Any) -> None:
        super().__init__("boil_over", options)

    def clear(self) -> None:
        """Leave no card anywhere; seat 0 is to move and dealt last."""
        for name in ("hand", "unused", "pot", "taken", "pot_total", "points", "standing"):
            self.state[name] = 0
        self.state["to_move"], self.state["dealer"] = 0, self.engine.num_players - 1

    def put(
        self,
        hands: Sequence[Sequence[str]] = (),
        pots: Mapping[str, Sequence[str]] | None = None,
        taken: Sequence[Sequence[str]] = (),
        unused: Sequence[str] = (),
        **fields: Any,
    ) -> Table:
        """Put cards where they are named, and values into fields of the state."""
        for seat, cards in enumerate(hands):
            self.state["hand"][seat] = packed(cards)
        for seat, cards in enumerate(taken):
            self.state["taken"][seat] = packed(cards)
        for suit, cards in (pots or {}).items():
            pot = SUITS.index(suit)
            self.state["pot"][pot] = packed(cards)
            self.state["pot_total"][pot] = sum(VALUES[CARDS.index(card)] for card in cards)
        self.state["unused"] = packed(unused)
        for name, value in fields.items():
            self.state[name] = value
        return self

    def play(self, *moves: str) -> None:
        """Make moves, which must be legal."""
        for move in moves:
            self.engine.step(np.array([MOVES.index(move)]), self.buffers)
            assert self.buffers.status[0] == OK, move

    def hand(self, seat: int) -> set[str]:
        return set(cards_in(self.state["hand"][seat]))

    def taken(self, seat: int) -> set[str]:
        return set(cards_in(self.state["taken"][seat]))

    def pot(self, suit: str) -> tuple[set[str], int]:
        """Return a pot's cards and its total."""
        pot = SUITS.index(suit)
        return set(cards_in(self.state["pot"][pot])), int(self.state["pot_total"][pot])


def packed(cards: Sequence[str]) -> np.uint64:
    return np.uint64(sum(1 << CARDS.index(card) for card in cards))


@pytest.fixture
def table() -> Callable[..., Table]:
    """Return what makes a ``Table`` from options."""
    return Table
