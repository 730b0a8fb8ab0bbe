"""Boil Over: the words of its game records (see RULES.md, Notation)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hotpot_envs.core.game import Notation
from hotpot_envs.games.boil_over import rules
from hotpot_envs.games.boil_over.state import FIRST_POISON, NUM_CARDS, SUITS

CARDS = tuple(
    [f"{suit}{value}" for suit in SUITS[:3] for value in range(1, 11)]
    + [f"S{value}" for value in range(2, 10)]
)
MOVES = CARDS[:FIRST_POISON] + tuple(
    f"{card}>{pot}" for pot in SUITS[:3] for card in CARDS[FIRST_POISON:]
)
_CARD_NUMBERS = {card: number for number, card in enumerate(CARDS)}
_MOVE_NUMBERS = {move: number for number, move in enumerate(MOVES)}


def cards_in(members: Any) -> list[str]:
    """Return the names of a set of cards, in order."""
    return [card for number, card in enumerate(CARDS) if int(members) >> number & 1]


def _move(config: Any, state: Any, action: int) -> dict[str, Any]:
    return {"move": MOVES[action]}


def _action(config: Any, state: Any, event: Mapping[str, Any]) -> int:
    word = event["move"]
    if word not in _MOVE_NUMBERS:
        raise ValueError(f"no move {word!r}: a move is a card (H7), or a poison and a pot (S6>H)")
    if "for" in event:
        raise ValueError('"for" stands here, but every move is made for oneself')
    return _MOVE_NUMBERS[word]


def _chance(config: Any, before: Any, action: int, after: Any) -> list[dict[str, Any]]:
    """The deal, once a round (R4)."""
    if after["terminated"] or (before is not None and before["round"] == after["round"]):
        return []
    hands = [cards_in(after["hand"][seat]) for seat in range(config["num_players"])]
    return [
        {
            "chance": "deal",
            "dealer": int(after["dealer"]),
            "hands": hands,
            "unused": cards_in(after["unused"]),
        }
    ]


def _prepare(config: Any, state: Any, events: Sequence[Mapping[str, Any]]) -> None:
    """Nothing is drawn in the middle of a move."""


def _overwrite(
    config: Any, before: Any, action: int, after: Any, events: Sequence[Mapping[str, Any]]
) -> None:
    due = _chance(config, before, action, after)
    if not due or not events:
        return
    event, num_players = events[0], int(config["num_players"])
    if event["chance"] != "deal":
        raise ValueError(f'chance event {event["chance"]!r} where the rules have a "deal"')
    if unknown := set(event) ^ {"chance", "dealer", "hands", "unused"}:
        raise ValueError(
            f"keys {sorted(map(str, unknown))} are unknown or missing in a deal: it has chance, "
            "dealer, hands, unused"
        )
    dealer, hands, unused = event["dealer"], event["hands"], event["unused"]
    if type(dealer) is not int or not 0 <= dealer < num_players:
        raise ValueError(f"dealer {dealer!r}: allowed is a seat from 0 to {num_players - 1}")
    if before is not None and dealer != after["dealer"]:
        raise ValueError(f"dealer {dealer} where the deal has passed to {after['dealer']}")
    if not isinstance(hands, list) or len(hands) != num_players:
        raise ValueError(f'"hands" must be a list of {num_players} hands, not {hands!r}')
    sizes = _hand_sizes(num_players, dealer)
    whole: list[str] = []
    for name, hand, size in zip(
        [*(f"the hand of seat {seat}" for seat in range(num_players)), "the unused hand"],
        [*hands, unused],
        sizes,
        strict=True,
    ):
        if not isinstance(hand, list) or len(hand) != size:
            raise ValueError(f"{name} must be a list of {size} cards, not {hand!r}")
        for card in hand:
            if not isinstance(card, str) or card not in _CARD_NUMBERS:
                raise ValueError(f"no card {card!r}: cards are H1–H10, D1–D10, C1–C10, S2–S9")
            if card in whole:
                raise ValueError(f"card {card} is dealt twice")
            whole.append(card)
    after["dealer"] = dealer
    after["to_move"] = (dealer + 1) % num_players
    for seat in range(num_players):
        after["hand"][seat] = _set_of(hands[seat])
    after["unused"] = _set_of(unused)


def _hand_sizes(num_players: int, dealer: int) -> list[int]:
    """Return how many cards each seat gets, and at last the unused hand (R5, R6)."""
    num_hands = max(num_players, 4)
    sizes = [0] * (num_players + 1)
    for index in range(NUM_CARDS):
        place = index % num_hands
        sizes[num_players if place == num_players else (dealer + 1 + place) % num_players] += 1
    return sizes


def _set_of(cards: Sequence[str]) -> np.uint64:
    return np.uint64(sum(1 << _CARD_NUMBERS[card] for card in cards))


def _result(config: Any, state: Any) -> dict[str, Any]:
    num_players = int(config["num_players"])
    points = np.zeros(num_players, np.int64)
    rules.scores(config, state, points)
    rounds = state["round_points"][: state["round"], :num_players]
    return {"scores": points.tolist(), "rounds": rounds.tolist()}


NOTATION = Notation(
    move=_move,
    action=_action,
    chance=_chance,
    prepare=_prepare,
    overwrite=_overwrite,
    result=_result,
)
