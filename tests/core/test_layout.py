"""Layouts: positions, views, spaces, digests and tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotpot_envs.core import Field, Layout, game_names, get_game

LAYOUT = Layout(
    Field("a", (), -3, 5, "one entry"),
    Field("b", (2, 3), 0, 9, "six"),
    Field("c", (4,), 0, 1, "four", per_seat=True, private=True),
)


def test_positions() -> None:
    assert LAYOUT.size == 11
    assert [LAYOUT.start(name) for name in "abc"] == [0, 1, 7]
    assert LAYOUT.slice("b") == slice(1, 7)
    assert LAYOUT["b"].size == 6
    assert [field.name for field in LAYOUT] == ["a", "b", "c"]


@pytest.mark.parametrize("shape", [(), (5,), (2, 5)])
def test_split_gives_named_views(shape: tuple[int, ...]) -> None:
    vector = np.arange(11 * int(np.prod(shape))).reshape((*shape, 11))
    parts = LAYOUT.split(vector)
    assert {name: part.shape for name, part in parts.items()} == {
        "a": shape,
        "b": (*shape, 2, 3),
        "c": (*shape, 4),
    }
    assert np.array_equal(parts["b"][..., 1, 0], vector[..., 4])
    parts["b"][..., 1, 0] = -1
    assert (vector[..., 4] == -1).all()


@given(st.integers(0, 10))
def test_locate_is_where_split_puts_it(index: int) -> None:
    name, place = LAYOUT.locate(index)
    assert LAYOUT.split(np.arange(11))[name][place] == index


def test_what_is_not_there() -> None:
    with pytest.raises(KeyError, match="no field 'd'; there are: a, b, c"):
        LAYOUT["d"]
    with pytest.raises(IndexError, match="entry 11 is outside the layout's 0 to 10"):
        LAYOUT.locate(11)
    with pytest.raises(IndexError, match="entry -1 is outside"):
        LAYOUT.locate(-1)
    with pytest.raises(ValueError, match="the last axis has 12 entries, not 11"):
        LAYOUT.split(np.zeros(12))


@pytest.mark.parametrize(
    ("field", "problem"),
    [
        (("no name", (), 0, 1), "must be an identifier"),
        (("a", (2, 0), 0, 1), "has an empty axis"),
        (("a", (), 1, 1), "bounds 1 to 1 must rise"),
        (("a", (), 2, 1), "bounds 2 to 1 must rise"),
        (("a", (), 0, 2**15), "fit int16"),
    ],
)
def test_a_wrong_field_is_refused(field: tuple, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Field(*field, "meaning")


def test_names_must_differ() -> None:
    with pytest.raises(ValueError, match="two fields of a layout share a name"):
        Layout(Field("a", (), 0, 1, ""), Field("a", (), 0, 1, ""))


def test_spaces() -> None:
    box, discrete = LAYOUT.box(), LAYOUT.discrete()
    assert box.dtype == np.int16
    assert box.low.tolist() == [-3] + [0] * 10
    assert box.high.tolist() == [5] + [9] * 6 + [1] * 4
    assert discrete.n == 11
    box.low[:] = 7
    assert LAYOUT.low[0] == -3


def test_the_digest_is_of_names_shapes_and_bounds() -> None:
    def digest(**changes) -> str:
        facts = {"name": "a", "shape": (2,), "low": 0, "high": 1, "meaning": "", **changes}
        return Layout(Field(**facts)).digest

    changed = [digest(name="b"), digest(shape=(3,)), digest(low=-1), digest(high=2)]
    assert len({digest(), *changed}) == 5
    assert digest(meaning="another", per_seat=True, private=True) == digest()
    assert len(digest()) == 16
    assert Layout(*LAYOUT.fields[::-1]).digest != LAYOUT.digest


def test_the_table() -> None:
    assert LAYOUT.table().splitlines() == [
        "| index | field | shape | values | meaning |",
        "| --- | --- | --- | --- | --- |",
        "| 0 | `a` | 1 | −3–5 | one entry |",
        "| 1–6 | `b` | 2 × 3 | 0–9 | six |",
        "| 7–10 | `c` | 4 seats | 0–1 | *private*: four |",
    ]
    assert LAYOUT.table(values=False).splitlines()[:3] == [
        "| index | field | shape | meaning |",
        "| --- | --- | --- | --- |",
        "| 0 | `a` | 1 | one entry |",
    ]


@pytest.mark.parametrize("name", game_names())
def test_layouts_of_games_are_sized_for_the_most_players(name: str) -> None:
    game = get_game(name)
    for layout in (game.observations, game.actions):
        for field in layout:
            assert field.meaning
            if field.per_seat:
                assert field.shape[0] in (game.max_num_players, game.max_num_players - 1)
