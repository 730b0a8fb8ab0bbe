"""What each seat sees in a position made by hand, entry by entry."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hotpot_envs.core import Engine
from hotpot_envs.games.boil_over.notation import CARDS, MOVES

HANDS = [["H1", "S9"], ["D10"], ["C4", "C5", "S2"], ["H2", "D1"], ["D7", "C9"]]
POTS = {"H": ["H7", "S4"], "D": ["D2", "D3", "S3", "S8"], "C": []}
TAKEN = [[], ["H3", "H4", "C1"], ["S5", "S6", "S7", "D8"], [], ["C2", "C3", "C6", "C7", "H5"]]
PLAYED = [*POTS["H"], *POTS["D"], *itertools.chain(*TAKEN)]
COUNTS = [[0, 0, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 0, 0], [1, 0, 4, 0]]
STANDING = [0, 1, 6, 0, 1]
POINTS = [12, 0, 30, 7, 21]


@pytest.fixture
def position(table):
    """Five players, seat 3 dealt and seat 1 is to move, in the second of six rounds."""
    return table(num_players=5, limit=23, rounds=6).put(
        hands=HANDS,
        pots=POTS,
        taken=TAKEN,
        points=[*POINTS, 0],
        standing=[*STANDING, 0],
        dealer=3,
        to_move=1,
        round=1,
    )


def cards(entries: np.ndarray) -> set[str]:
    return {CARDS[card] for card in np.flatnonzero(entries)}


def turned(values: list, seat: int) -> list:
    """Return values by seat as a seat sees them: its own first, absent ones 0."""
    absent = [0] * len(values[0]) if isinstance(values[0], list) else 0
    return [*values[seat:], *values[:seat], absent]


@pytest.mark.parametrize("seat", range(5))
def test_own_hand_and_cards_seen(position, seat):
    view = position.view(seat)
    assert cards(view["hand"]) == set(HANDS[seat])
    assert cards(view["seen"]) == set(PLAYED)
    assert set(np.unique(view["hand"])) | set(np.unique(view["seen"])) == {0, 1}


@pytest.mark.parametrize(
    ("seat", "moves"),
    [
        (0, {"S9>D"}),  # 16 + 9 in the diamond pot; 11 + 9 fits the heart pot
        (1, {"D10"}),
        (2, set()),
        (3, set()),
        (4, set()),  # 16 + 7 is just the limit of 23
    ],
)
def test_own_cards_that_would_boil_over(position, seat, moves):
    view = position.view(seat)
    assert {MOVES[action] for action in np.flatnonzero(view["boils_over"])} == moves


@pytest.mark.parametrize(
    ("hand", "taken", "cost"),
    [
        ([], [[], []], 2),  # a poison; two hearts, which are a majority
        ([], [[], ["H1", "H2"]], 4),  # 2 against 2: none
        (["H1"], [["H9"], ["H2", "H3"]], 1),  # 3 against 2: the one that counted goes as well
        ([], [["H9"], ["H2", "H3", "H1"]], 4),  # 3 against 3
        ([], [["H1", "H2"], ["H3", "H9"]], 0),  # 4 against 2: two that counted go
        ([], [["H1", "H2", "S9"], ["H3"]], 2),  # a majority before and after
    ],
)
def test_what_boiling_over_would_cost(table, hand, taken, cost):
    position = table(num_players=3).put(
        hands=[["H10", "C10", "S8", *hand], ["D1"], ["D2"]],
        pots={"H": ["H5", "H6", "S2"], "D": ["D9"], "C": ["C4"]},
        taken=[*taken, []],
    )
    view = position.view(0)
    costs = view["boil_over_cost"]
    expected = {"H10": cost, "S8>H": cost} if cost else {}
    assert {MOVES[action]: costs[action] for action in np.flatnonzero(costs)} == expected
    assert not position.view(1)["boil_over_cost"].any()


@pytest.mark.parametrize("num_players", [3, 4, 6])
@pytest.mark.parametrize("limit", [10, 20, 40])
def test_each_cost_is_what_the_boil_over_then_costs(num_players, limit):
    engine = Engine("boil_over", 64, options={"num_players": num_players, "limit": limit})
    layout = engine.game.observations
    buffers, generators = engine.buffers(), engine.generators(1)
    engine.reset(seeds=np.arange(64))
    engine.observe(buffers)
    num_compared = 0
    while not engine.over.any():
        movers, before, saved = engine.to_move.copy(), engine.results()[0], engine.save().copy()
        masks = buffers.action_masks.copy()
        costs = buffers.observations[:, layout.slice("boil_over_cost")].copy()
        over = buffers.observations[:, layout.slice("boils_over")] != 0
        assert not costs[~over].any()
        for action in np.flatnonzero(over.any(axis=0)):
            chosen = np.where(over[:, action], action, masks.argmax(axis=1))
            engine.step(chosen, buffers)
            added = engine.results()[0] - before
            rows = np.flatnonzero(over[:, action])
            assert (added[rows, movers[rows]] == costs[rows, action]).all()
            num_compared += len(rows)
            engine.restore(saved)
        engine.step(engine.sample(masks, generators), buffers)
    assert num_compared > 500


@pytest.mark.parametrize("seat", range(5))
def test_pots(position, seat):
    view = position.view(seat)
    assert view["pot_total"].tolist() == [11, 16, 0]
    assert view["pot_ingredients"].tolist() == [1, 2, 0]
    assert view["pot_poisons"].tolist() == [1, 2, 0]


@pytest.mark.parametrize("seat", range(5))
def test_what_is_there_for_every_seat_is_turned_to_the_own_seat(position, seat):
    view = position.view(seat)
    assert view["taken"].tolist() == turned(COUNTS, seat)
    assert view["hand_size"].tolist() == turned([2, 1, 3, 2, 2], seat)
    assert view["round_points"].tolist() == turned(STANDING, seat)
    assert view["points"].tolist() == turned(POINTS, seat)
    assert view["to_move"].tolist() == turned([0, 1, 0, 0, 0], seat)
    assert view["dealer"].tolist() == turned([0, 0, 0, 1, 0], seat)


@pytest.mark.parametrize("seat", range(5))
def test_the_game(position, seat):
    view = position.view(seat)
    assert view["num_players"] == 5
    assert view["limit"] == 23
    assert view["rounds_left"] == 5


def test_every_field_is_looked_at_here(position):
    with open(__file__, encoding="utf-8") as file:
        source = file.read()
    for field in position.engine.game.observations:
        assert f'view["{field.name}"]' in source


@pytest.mark.parametrize("seat", range(5))
def test_only_the_seat_to_move_has_a_mask(position, seat):
    position.view(seat)
    legal = np.flatnonzero(position.buffers.action_masks[0]).tolist()
    assert legal == ([CARDS.index("D10")] if seat == 1 else [])


def test_a_boil_over_is_seen_by_all(position):
    position.play("D10")  # 26
    for seat in range(5):
        view = position.view(seat)
        assert cards(view["seen"]) == {*PLAYED, "D10"}
        assert view["pot_total"].tolist() == [11, 10, 0]
        assert view["pot_ingredients"].tolist() == [1, 1, 0]
        assert view["pot_poisons"].tolist() == [1, 0, 0]
        # To 2 hearts and 1 club seat 1 adds 2 diamonds and 2 spades, and now has most diamonds.
        counts = [COUNTS[0], [2, 2, 1, 2], *COUNTS[2:]]
        assert view["taken"].tolist() == turned(counts, seat)
        assert view["round_points"].tolist() == turned([0, 5, 7, 0, 1], seat)
        assert view["to_move"].tolist() == turned([0, 0, 1, 0, 0], seat)


def test_after_the_end_nobody_is_to_move(table):
    boil_over = table(num_players=3, rounds=1).put(hands=[["H1"]])
    boil_over.play("H1")
    for seat in range(3):
        view = boil_over.view(seat)
        assert not view["to_move"].any()
        assert view["rounds_left"] == 0
        assert not boil_over.buffers.action_masks.any()
        assert view["num_players"] == 3


def test_absent_seats_are_zeros_with_the_fewest_players(table):
    boil_over = table(num_players=3).put(
        hands=[["H1"], ["H2"], ["H3"]],
        taken=[["D1"], ["D2"], ["D3"]],
        points=[1, 2, 3, 0, 0, 0],
        standing=[1, 1, 1, 0, 0, 0],
    )
    for seat in range(3):
        view = boil_over.view(seat)
        for field in boil_over.engine.game.observations:
            if field.per_seat:
                assert not view[field.name][3:].any()


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("num_players", [3, 5])
def test_renamed_suits_are_the_same_game(number, num_players):
    engine = Engine("boil_over", 32, options={"num_players": num_players})
    renamed = Engine("boil_over", 32, options={"num_players": num_players})
    order = engine.game.symmetries[number]
    suits = order.observations[engine.game.observations.slice("pot_total")]
    suits = suits - engine.game.observations.start("pot_total")
    assert sorted(suits) == [0, 1, 2]
    assert list(suits) != [0, 1, 2]
    # Suit i of the renamed game is suit suits[i] of the other.
    cards = [CARDS.index("HDC"[suits["HDC".index(card[0])]] + card[1:]) for card in CARDS[:30]]
    cards += range(30, 38)

    def rename(sets: np.ndarray) -> np.ndarray:
        bits = sets[..., None] >> np.arange(38, dtype=np.uint64) & np.uint64(1)
        return (bits[..., cards] << np.arange(38, dtype=np.uint64)).sum(-1, dtype=np.uint64)

    views, views_renamed, generators = engine.buffers(), renamed.buffers(), engine.generators(2)
    engine.reset(seeds=np.arange(32))
    engine.observe(views)
    while not engine.over.any():
        states = engine.save()
        for name in ("hand", "unused", "taken", "pot"):
            states[name] = rename(states[name])
        states["pot"], states["pot_total"] = states["pot"][:, suits], states["pot_total"][:, suits]
        renamed.restore(states)
        renamed.observe(views_renamed)
        expected = views.observations[:, order.observations]
        assert (views_renamed.observations == expected).all()
        assert (views_renamed.action_masks == views.action_masks[:, order.actions]).all()
        actions = engine.sample(views.action_masks, generators)
        engine.step(actions, views)
        renamed.step(np.argsort(order.actions)[actions], views_renamed)
        assert (engine.results()[0] == renamed.results()[0]).all()
