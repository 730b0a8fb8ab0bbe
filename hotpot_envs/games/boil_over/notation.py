"""Boil Over: the words of its game records (see RULES.md, Notation)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hotpot_envs.core.game import Notation
from hotpot_envs.core.words import check_chance, check_list, check_whole, check_words, show
from hotpot_envs.games.boil_over.state import FIRST_POISON, NUM_CARDS, SUITS

CARDS = tuple(
    [f"{suit}{value}" for suit in SUITS[:3] for value in range(1, 11)]
    + [f"S{value}" for value in range(2, 10)]
)
MOVES = CARDS[:FIRST_POISON] + tuple(
    f"{card}>{pot}" for pot in SUITS[:3] for card in CARDS[FIRST_POISON:]
)
ALLOWED = "a card, H1–H10, D1–D10, C1–C10 or S2–S9"
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
        raise ValueError(
            f"no move {show(word)}: a move is a card (H7), or a poison and a pot (S6>H)"
        )
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


def _overwrite(
    config: Any, before: Any, action: int, after: Any, events: Sequence[Mapping[str, Any]]
) -> None:
    if not events or not _chance(config, before, action, after):
        return
    event, num_players = events[0], int(config["num_players"])
    check_chance(event, "deal", ("dealer", "hands", "unused"))
    dealer = check_whole("the dealer", event["dealer"], 0, num_players - 1)
    if before is not None and dealer != after["dealer"]:
        raise ValueError(f"the dealer is {dealer}: the deal has passed to {after['dealer']}")
    *sizes, num_unused = _hand_sizes(num_players, dealer)
    hands = [
        check_words(f"the hand of seat {seat}", hand, size, _CARD_NUMBERS, ALLOWED)
        for seat, (hand, size) in enumerate(
            zip(check_list("hands", event["hands"], num_players), sizes, strict=True)
        )
    ]
    unused = check_words("unused", event["unused"], num_unused, _CARD_NUMBERS, ALLOWED)
    dealt = [card for hand in [*hands, unused] for card in hand]
    if twice := sorted({card for card in dealt if dealt.count(card) > 1}):
        raise ValueError(f"{twice[0]} is dealt twice: there is one of each card")
    after["dealer"] = dealer
    after["to_move"] = (dealer + 1) % num_players
    for seat, hand in enumerate(hands):
        after["hand"][seat] = _set_of(hand)
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
    points = state["points"][:num_players] + state["standing"][:num_players]
    rounds = state["round_points"][: state["round"], :num_players]
    return {"scores": points.tolist(), "rounds": rounds.tolist()}


NOTATION = Notation(
    move=_move,
    action=_action,
    chance=_chance,
    overwrite=_overwrite,
    result=_result,
)
