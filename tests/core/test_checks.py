"""check_game passes a game that keeps the contract, and says what is wrong with one that doesn't.

The broken games are checked in one interpreted process: compiling each would take minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hotpot_envs.core.checks import CHECKS, check_game

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

# What is broken: the check that finds it, and words of its message.
FOUND = {
    "no heuristic": ("declaration", "there must be a heuristic"),
    "wrong sign": ("declaration", "score_sign is 2"),
    "no default corner": ("declaration", "first corner is not the default"),
    "header moved": ("declaration", "STATE does not begin with HEADER: 'rng'"),
    "an array of bool": ("declaration", "STATE's 'swapped' is an array of bool"),
    "gaps": ("declaration", "STATE has gaps"),
    "a symmetry with gaps": ("declaration", "symmetries[0].observations leaves entries out"),
    "a symmetry of other bounds": ("declaration", "symmetries[0] puts 'num_players' in place of"),
    "num_moves counts two": ("progress", "num_moves is not how many"),
    "no end": ("progress", "not over after max_num_moves=4"),
    "max_num_moves too small": ("progress", "not over after max_num_moves=3"),
    "no legal action": ("progress", "no action is legal and the game not over"),
    "two ends": ("progress", "terminated and truncated"),
    "an illegal action in the mask": ("progress", "apply refuses an action that the mask allows"),
    "a bot plays what the mask forbids": ("progress", "the bot heuristic chooses an action"),
    "no winners": ("results", "a terminated game has no winner"),
    "a memory": ("rewards", "not those of its results"),
    "leftovers": ("seeds", "reset leaves something of an old game: the state's 'swapped'"),
    "one game for all seeds": ("seeds", "all seeds give the same game"),
    "a legal action left out": ("illegal_actions", "action 1, swap, is taken against the mask"),
    "a refused action changes the state": ("illegal_actions", "illegal, but changes the state"),
    "a bot writes into its view": ("bots", "the bot heuristic changes what it sees"),
    "a bot plays by the moon": ("bots", "the bot heuristic does not play the same twice"),
    "others' cards in a view": ("views", "in num_players, whose bounds are 0 to 4"),
    "out of bounds": ("views", "to 10 in card, whose bounds are 0 to 9"),
    "seats not relative": ("views", "seats 0 and 1 see different swapped"),
    "absent seats": ("views", "swapped is not 0 for absent seats"),
    "per_seat forgotten": ("views", "one whose first axis is seats per_seat"),
    "another's card for the own": ("determinize", "changes what seat 0 sees in card"),
    "determinize does nothing": ("determinize", "never redraws anything"),
    "determinize forgets the own card": ("determinize", "changes what seat 0 sees in card"),
    "determinize changes what is public": ("determinize", "sees in swapped"),
    "determinize changes the header": ("determinize", "changes the state's 'num_moves'"),
    "determinize deals cards there are not": ("determinize", "out of the bounds of card"),
    "two actions, one word": ("notation", "shares its word with another"),
    "words mean something else": ("notation", "{'move': 'keep'}, reads as action 1"),
    "any word is taken": ("notation", "the word '' reads as action 0"),
    "an event is no JSON": ("notation", "an event of its records is no JSON"),
    "a record read otherwise": ("notation", "is another: the state's 'to_move' differs"),
    "wrong events crash": ("notation", "TypeError: "),
    "other scores in the record": ("notation", "the result has scores"),
    "nothing drawn": ("drawings", "the text for seat None is empty"),
    "drawn with open cards": ("drawings", "seat 0 is drawn what is hidden from it"),
    "no SVG": ("drawings", "is no XML"),
}


@pytest.fixture(scope="module")
def messages() -> dict[str, str | None]:
    process = subprocess.run(
        [sys.executable, str(HERE / "broken_games.py"), str(HERE)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert process.returncode == 0, process.stderr
    found: dict[str, str | None] = json.loads(process.stdout)
    return found


def test_a_whole_game_passes(messages) -> None:
    assert messages.pop("nothing") is None
    assert set(messages) == set(FOUND)


@pytest.mark.parametrize("broken", FOUND)
def test_what_is_broken_is_found(messages, broken: str) -> None:
    check, words = FOUND[broken]
    message = messages[broken]
    assert message is not None
    assert message.startswith(f"High Card breaks '{check}' (options {{")
    assert ", seed " in message
    assert words in message


def test_each_check_says_what_it_promises() -> None:
    for check in CHECKS.values():
        assert (check.__doc__ or "").strip()


def test_checks_and_corners_can_be_chosen(high_card) -> None:
    check_game(high_card.GAME, checks=["declaration"], corners=[{"num_players": 3}])
    with pytest.raises(ValueError, match=r"no check 'rules'; there are: declaration, "):
        check_game(high_card.GAME, checks=["rules"])
    with pytest.raises(ValueError, match="num_players=9: allowed is a whole number from 2 to 4"):
        check_game(high_card.GAME, checks=["declaration"], corners=[{"num_players": 9}])
