"""Options: what is taken, in what form it is kept, and what is refused; ids; pickling."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpot_envs.core import Choice, Option, Whole, game_names, get_game

GAME = get_game("boil_over")
WHOLE = Whole("size", "how big", 4, low=-2, high=40)
CHOICE = Choice("kind", "which", "both", choices=("left", "both", True, False))
anything = (
    st.none() | st.booleans() | st.floats() | st.text() | st.integers() | st.lists(st.integers())
)


@given(st.integers(-2, 40))
def test_whole_numbers_within_the_bounds(value: int) -> None:
    for given_value in (value, np.int8(value), np.int64(value)):
        converted = WHOLE.convert(given_value)
        assert converted == value
        assert type(converted) is int
    assert WHOLE.parse(str(value)) == value


@given(anything.filter(lambda value: type(value) is not int or not -2 <= value <= 40))
def test_everything_else_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="allowed is a whole number from -2 to 40") as caught:
        WHOLE.convert(value)
    assert f"size={value!r}" in str(caught.value)


@pytest.mark.parametrize("text", ["", "x", "4.0", "41", "-3", "True", "1e1"])
def test_wrong_text_for_a_whole_number(text: str) -> None:
    with pytest.raises(ValueError, match="option size="):
        WHOLE.parse(text)


@given(anything.filter(lambda value: value not in ("left", "both") and type(value) is not bool))
def test_a_choice_takes_only_what_there_is_to_choose(value: object) -> None:
    with pytest.raises(ValueError, match="allowed is one of left, both, true, false"):
        CHOICE.convert(value)


@pytest.mark.parametrize("value", ["left", "both", True, False])
def test_choices(value: str | bool) -> None:
    assert CHOICE.convert(value) is value
    assert CHOICE.parse(str(value).upper()) is value


def test_one_and_zero_are_no_truth_values() -> None:
    for value in (0, 1, 1.0, np.int64(1)):
        with pytest.raises(ValueError, match="option kind="):
            CHOICE.convert(value)


def test_wrong_text_for_a_choice() -> None:
    with pytest.raises(ValueError, match="option kind='right': allowed is one of left, both"):
        CHOICE.parse("right")


def test_an_option_by_itself_says_nothing_of_its_values() -> None:
    option = Option("name", "meaning", 1)
    with pytest.raises(NotImplementedError):
        option.convert(1)
    with pytest.raises(NotImplementedError):
        option.allowed  # noqa: B018


# Of a game


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "num_players": st.integers(3, 6),
            "limit": st.integers(10, 40),
            "rounds": st.integers(1, 12),
        },
    )
)
def test_options_left_out_have_their_defaults(given_options: dict) -> None:
    resolved = GAME.resolve_options(given_options)
    num_players = given_options.get("num_players", 4)
    assert (
        resolved == {"num_players": num_players, "limit": 20, "rounds": num_players} | given_options
    )
    assert list(resolved) == ["num_players", "limit", "rounds"]
    assert GAME.resolve_options(resolved) == resolved
    config = GAME.configure(resolved)
    assert {name: int(config[name][0]) for name in config.dtype.names} == resolved
    assert GAME.parse_options([f"{name}={value}" for name, value in resolved.items()]) == resolved


def test_none_stands_for_the_default() -> None:
    assert GAME.resolve_options({"rounds": None}) == GAME.resolve_options({})
    assert GAME.resolve_options(None) == GAME.resolve_options({})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 4}, "Boil Over has no option 'players'; its options are num_players, limit"),
        ({"num_players": 2}, "option num_players=2: allowed is a whole number from 3 to 6"),
        ({"num_players": 7}, "option num_players=7"),
        ({"num_players": "4"}, "option num_players='4'"),
        ({"limit": 9}, "option limit=9: allowed is a whole number from 10 to 40"),
        ({"limit": 20.0}, "option limit=20.0"),
        ({"rounds": 0}, "option rounds=0: allowed is a whole number from 1 to 12"),
        ({"rounds": True}, "option rounds=True"),
    ],
)
def test_wrong_options(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GAME.resolve_options(options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("limit", "option 'limit': write it as name=value"),
        ("limit=", "option limit='': allowed is a whole number"),
        ("limit=many", "option limit='many'"),
        (
            "colour=3",
            "Boil Over has no option 'colour'; its options are num_players, limit, rounds",
        ),
    ],
)
def test_wrong_texts(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GAME.parse_options([text])


def test_the_later_of_two_texts_wins() -> None:
    assert GAME.parse_options(["limit=19", "rounds=4", "limit=21"]) == {"limit": 21, "rounds": 4}


@pytest.mark.parametrize("name", game_names())
def test_ids(name: str) -> None:
    game = get_game(name)
    assert game.id == f"hotpot_envs/{name.title().replace('_', '')}-v{game.version}"
    assert game.max_num_players == game.options[0].high


def test_games_are_pickled_by_name_and_never_copied() -> None:
    assert pickle.loads(pickle.dumps(GAME)) is GAME
    assert copy.deepcopy(GAME) is GAME


def test_a_game_that_nobody_would_find_is_not_pickled(high_card) -> None:
    for game in (high_card.GAME, dataclasses.replace(GAME, title="Other")):
        with pytest.raises(TypeError, match=f"{game.title} cannot be pickled: .*register_game"):
            pickle.dumps(game)
        assert copy.deepcopy(game) is game
