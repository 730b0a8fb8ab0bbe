"""Hot Pot Holic: the words of its game records (see RULES.md, Notation)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hotpot_envs.core.game import Notation
from hotpot_envs.core.words import check_chance, check_list, check_whole, check_words, show
from hotpot_envs.games.hot_pot_holic.scoring import start_heat_points
from hotpot_envs.games.hot_pot_holic.state import (
    ACT,
    COLORS,
    FIRST_PLAY,
    HAND,
    HEAT_PART,
    MAX_HAND,
    NUM_CARDS,
    NUMBERS,
    RANDOM,
    ROBOT,
    SCORING_CARDS,
    SORTS,
    START_PLATE,
)

CARDS = tuple(f"{color}{number}" for color in COLORS for number in NUMBERS)
MOVES = (
    "strong:K",
    "strong:0",
    *(f"{verb}:{card}" for verb in ("plate", "play", "pick", "eat") for card in CARDS),
    "keep",
)
PARTS = (*SORTS, "favorite")
_CARD_NUMBERS = {card: number for number, card in enumerate(CARDS)}
_MOVE_NUMBERS = {
    **{move: number for number, move in enumerate(MOVES)},
    **{f"hide:{card}": FIRST_PLAY + number for card, number in _CARD_NUMBERS.items()},
}
_ALLOWED = "a card, R, G, B or Y and 0–5 or K"
_FEWER_ALLOWED = "a card, R, G, B or Y and 0–3 or K, with two and three players"


def cards_in(cards: Any) -> list[str]:
    """Return the names of a set's cards, in order, a card twice where both copies are there."""
    members = int(cards)
    return [
        card
        for number, card in enumerate(CARDS)
        for copy in range(2)
        if members >> number + NUM_CARDS * copy & 1
    ]


def set_of(cards: Sequence[str]) -> np.uint64:
    """Return the set of cards with these names, none more than twice."""
    members = 0
    for number in map(_CARD_NUMBERS.__getitem__, cards):
        members |= 1 << number + NUM_CARDS * (members >> number & 1)
    return np.uint64(members)


def for_robot(config: Any, state: Any) -> bool:
    """Tell whether the move to be made is the robot's (R25)."""
    return bool(
        config["num_players"] == ROBOT and state["phase"] == ACT and state["actor"] == ROBOT
    )


def _move(config: Any, state: Any, action: int) -> dict[str, Any]:
    word = MOVES[action]
    verb, _, card = word.partition(":")
    if verb == "play" and int(state["blocked"]) >> _CARD_NUMBERS[card] & 1:
        word = f"hide:{card}"
    return {"move": word, "for": ROBOT} if for_robot(config, state) else {"move": word}


def _secret(config: Any, state: Any, action: int) -> bool:
    """Cards put on the plate or played face down are not seen by others at once (R6, R11)."""
    word: str = _move(config, state, action)["move"]
    return word.startswith(("plate:", "hide:"))


def _action(config: Any, state: Any, event: Mapping[str, Any]) -> int:
    word = event["move"]
    if word not in _MOVE_NUMBERS:
        raise ValueError(
            f"no move {show(word)}: a move is strong:K, strong:0, keep, or plate, play, hide, "
            "pick or eat and a card (play:R3)"
        )
    return _MOVE_NUMBERS[word]


def _chance(config: Any, before: Any, action: int, after: Any) -> list[dict[str, Any]]:
    """The setup, once a game (R3–R8)."""
    if before is not None:
        return []
    num_players = int(config["num_players"])
    event = {
        "chance": "setup",
        "scoring": [cards[card] for cards, card in zip(SCORING_CARDS, after["scoring"])],
        "start": int(after["token"]),
        "pot": cards_in(after["pot"]),
        "hands": [cards_in(after["hand"][seat]) for seat in range(num_players)],
        "plates": [cards_in(after["plate"][seat]) for seat in range(config["num_markers"])],
    }
    if num_players == ROBOT:
        event["robot"] = [CARDS[card] for card in after["robot"]]
    return [event]


def _overwrite(
    config: Any, before: Any, action: int, after: Any, events: Sequence[Mapping[str, Any]]
) -> None:
    if before is not None or not events:
        return
    event, num_players = events[0], int(config["num_players"])
    keys = ["scoring", "start", "pot", "hands", "plates"]
    check_chance(event, "setup", [*keys, "robot"] if num_players == ROBOT else keys)
    scoring = _read_scoring(config, event["scoring"])
    start = check_whole("start", event["start"], 0, num_players - 1)
    pot, hands, plates, robot = _read_cards(config, event)
    after["token"] = after["to_move"] = start
    after["pot"] = set_of(pot)
    for seat, hand in enumerate(hands):
        after["hand"][seat] = set_of(hand)
    for seat, plate in enumerate(plates):
        after["plate"][seat] = set_of(plate)
    for index, card in enumerate(robot):
        after["robot"][index] = _CARD_NUMBERS[card]
    after["scoring"] = scoring
    after["parts"][:num_players, HEAT_PART] = start_heat_points(
        scoring[2], int(config["num_markers"])
    )


def _read_scoring(config: Any, found: object) -> list[int]:
    """Return the scoring cards by number; one that an option names must be that one (R3)."""
    scoring = []
    names = check_list("scoring", found, len(SORTS))
    for sort, cards, name, chosen in zip(SORTS, SCORING_CARDS, names, config["scoring"]):
        allowed = cards if chosen == RANDOM else cards[chosen : chosen + 1]
        if name not in allowed:
            raise ValueError(
                f"the {sort} scoring card is {show(name)}: allowed is {' or '.join(allowed)}"
            )
        scoring.append(cards.index(name))
    return scoring


def _read_cards(
    config: Any, event: Mapping[str, Any]
) -> tuple[list[str], list[list[str]], list[list[str]], list[str]]:
    """Return pot, hands, plates and the robot's pile, checked in number and against the deck."""
    num_players, chosen = int(config["num_players"]), bool(config["choose_plate"])
    known = [card for card in CARDS if int(config["deck"]) >> _CARD_NUMBERS[card] & 1]
    allowed = _FEWER_ALLOWED if config["few"] else _ALLOWED

    def read(name: str, value: object, size: int) -> list[str]:
        return check_words(name, value, size, known, allowed)

    pot = read("pot", event["pot"], int(config["pot_size"]))
    hands = [
        read(f"the hand of seat {seat}", hand, MAX_HAND if chosen else HAND)
        for seat, hand in enumerate(check_list("hands", event["hands"], num_players))
    ]
    plates = [
        read(
            f"the plate of seat {seat}", plate, 0 if chosen and seat < num_players else START_PLATE
        )
        for seat, plate in enumerate(
            check_list("plates", event["plates"], int(config["num_markers"]))
        )
    ]
    robot = read("robot", event["robot"], HAND) if num_players == ROBOT else []
    dealt = [card for cards in (pot, *hands, *plates, robot) for card in cards]
    if many := [card for card in known if dealt.count(card) > 2]:
        raise ValueError(
            f"{many[0]} is dealt {dealt.count(many[0])} times: there are two of each card"
        )
    return pot, hands, plates, robot


def _result(config: Any, state: Any) -> dict[str, Any]:
    num_players = int(config["num_players"])
    parts = state["parts"][:num_players].tolist()
    return {
        "scores": [sum(row) for row in parts],
        "parts": [dict(zip(PARTS, row)) for row in parts],
        "heat": state["heat"][: config["num_markers"]].tolist(),
    }


NOTATION = Notation(
    move=_move,
    action=_action,
    chance=_chance,
    overwrite=_overwrite,
    result=_result,
    secret=_secret,
)
