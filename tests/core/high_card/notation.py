"""High Card: the words of its game records.

Chance: ``{"chance": "deal", "first": 1, "cards": [3, 0]}`` at the start, and ``{"chance": "draw",
"card": 7}`` after each swap.
"""

from __future__ import annotations

from hotpot_envs.core import Notation
from hotpot_envs.core.words import check_chance, check_list, check_whole, show

from .rules import SWAP
from .state import NUM_CARDS

MOVES = ("keep", "swap")


def _move(config, state, action):
    return {"move": MOVES[action]}


def _action(config, state, event):
    if event["move"] not in MOVES:
        raise ValueError(f"no move {show(event['move'])}: a move is keep or swap")
    return MOVES.index(event["move"])


def _chance(config, before, action, after):
    if before is None:
        cards = after["card"][: config["num_players"]].tolist()
        return [{"chance": "deal", "first": int(after["to_move"]), "cards": cards}]
    if action == SWAP:
        return [{"chance": "draw", "card": int(after["card"][before["to_move"]])}]
    return []


def _overwrite(config, before, action, after, events):
    if not events or not _chance(config, before, action, after):
        return
    if before is not None:
        check_chance(events[0], "draw", ("card",))
        card = check_whole("card", events[0]["card"], 0, NUM_CARDS - 1)
        after["card"][before["to_move"]] = card
        return
    num_players = int(config["num_players"])
    check_chance(events[0], "deal", ("first", "cards"))
    first = check_whole("first", events[0]["first"], 0, num_players - 1)
    cards = [
        check_whole("a card", card, 0, NUM_CARDS - 1)
        for card in check_list("cards", events[0]["cards"], num_players)
    ]
    after["to_move"] = first
    after["card"][:num_players] = cards


def _result(config, state):
    shown = state["card"] if state["terminated"] else 0 * state["card"]
    return {"scores": shown[: config["num_players"]].tolist()}


NOTATION = Notation(
    move=_move,
    action=_action,
    chance=_chance,
    overwrite=_overwrite,
    result=_result,
)
