"""What each seat sees in positions made by hand, entry by entry."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hotpot_envs.games.hot_pot_holic.notation import CARDS
from hotpot_envs.games.hot_pot_holic.state import CHOOSE, DECLARE, ZERO_HIGH

HANDS = [["R1", "R1", "B3"], ["G3", "Y3"], ["B5", "Y0", "YK"], ["R4", "G5", "GK"]]
PLATES = [["R2"], [], ["B1", "B1", "Y4"], ["RK"]]
BELLIES = [["Y1", "Y1", "Y2"], ["B0"], [], ["G2", "G4"]]
POT = ["R0", "R0", "B2"]
ROUND = {"cards": ["pairs", "in_between", "last_and_least"], "heat": [3, 0, 1, 7], "round": 4}


def cards(entries: np.ndarray) -> list[str]:
    """Return the cards that a field counts."""
    return [CARDS[card] for card, count in enumerate(entries) for _ in range(count)]


def turned(values: list, seat: int) -> list:
    """Return values by seat as a seat sees them."""
    return [*values[seat:], *values[:seat]]


def zones(view: dict[str, np.ndarray], name: str) -> list[list[str]]:
    return [cards(row) for row in view[name]]


@pytest.fixture
def position(table):
    """Four players, seat 3 began, seat 0 played a 3, and seat 1 hides one of three."""
    game = table().put(
        hands=[[*HANDS[0], "G3"], [*HANDS[1], "B3"], HANDS[2], [*HANDS[3], "Y1"]],
        plates=PLATES,
        bellies=BELLIES,
        pot=POT,
        token=3,
        to_move=3,
        strongest=ZERO_HIGH,
        **ROUND,
    )
    game.play("play:Y1", "play:G3", "hide:B3")
    return game


@pytest.mark.parametrize("seat", range(4))
def test_cards_by_place(position, seat):
    view = position.view(seat)
    assert cards(view["hand"]) == HANDS[seat]
    assert cards(view["pot"]) == POT
    assert zones(view, "plate") == turned(PLATES, seat)
    assert zones(view, "belly") == turned(BELLIES, seat)
    assert view["hand_size"].tolist() == turned([3, 2, 3, 3], seat)


@pytest.mark.parametrize("seat", range(4))
def test_cards_played(position, seat):
    """R13: who has played what, the hidden card to its owner only."""
    view = position.view(seat)
    numbers = ["3", "", "", "1"]
    colors = ["G", "", "", "Y"]
    found = ["".join(np.array(list("012345K"))[row == 1]) for row in view["lying_number"]]
    assert found == turned(numbers, seat)
    found = ["".join(np.array(list("RGBY"))[row == 1]) for row in view["lying_color"]]
    assert found == turned(colors, seat)
    assert view["face_down"].tolist() == turned([0, 1, 0, 0], seat)
    assert cards(view["aside"]) == (["B3"] if seat == 1 else [])


@pytest.mark.parametrize("seat", range(4))
def test_a_shown_hand(position, seat):
    """R11, R12: with the card of it that lies face down, until that is turned up."""
    shown = zones(position.view(seat), "shown")
    assert shown == turned([[], ["G3", "B3", "Y3"], [], []], seat)
    position.play("play:YK")
    while position.round == 4:
        position.play(min(position.legal()))
    shown = zones(position.view(seat), "shown")
    assert shown == turned([[], ["G3", "Y3"], [], []], seat)
    assert position.view(seat)["face_down"].tolist() == [0, 0, 0, 0]
    while position.to_move != 1:
        position.play(max(position.legal()))
    position.play("play:G3")
    assert zones(position.view(seat), "shown") == turned([[], ["Y3"], [], []], seat)


@pytest.mark.parametrize("seat", range(4))
def test_standing(position, seat):
    view = position.view(seat)
    assert view["heat"].tolist() == turned([3, 0, 1, 7], seat)
    # Seat 0 has a pair of 1s, nobody has two colours, and seat 1 is last.
    assert view["score"].tolist() == turned([1, -8, 0, 0], seat)
    assert view["scoring"].tolist() == [[0, 0, 1], [0, 1, 0], [0, 1, 0]]
    assert view["place"].tolist() == [0, 0, 0, 0]
    assert view["token"].tolist() == turned([0, 0, 0, 1], seat)
    assert view["to_move"].tolist() == turned([0, 0, 1, 0], seat)
    assert view["phase"].tolist() == [0, 0, 1, 0, 0]
    assert view["strongest"].tolist() == [0, 1]
    assert view["turn"].tolist() == [0, 0]
    assert (view["rounds_left"], view["num_players"]) == (4, 4)
    for name in ("cards_left", "perfect_eat", "for_robot", "robot_heat", "robot_pile"):
        assert view[name] == 0
    for name in ("robot_plate", "robot_belly", "robot_number", "robot_color"):
        assert not view[name].any()


@pytest.mark.parametrize("seat", range(3))
def test_three_players(table, seat):
    """The fourth seat is zeros."""
    game = table(num_players=3).acting([2, 0, 1], 1, plates=[["R1"], ["R2"], ["R3"]], **ROUND)
    view = game.view(seat)
    assert zones(view, "plate") == [*turned([["R1"], ["R2"], ["R3"]], seat), []]
    assert view["place"].tolist() == [*turned([2, 3, 1], seat), 0]
    assert view["heat"].tolist() == [*turned([3, 0, 1], seat), 0]
    assert view["num_players"] == 3


def test_turns(table):
    """R19, R20, R23, R24: what was begun, how many cards it still takes."""
    game = table().acting(
        [0, 1, 2, 3], 1, plates=[[], ["R1", "R2"], ["R1", "R2"]], pot=["Y0", "Y1", "Y2"]
    )
    view = game.view(1)
    assert view["phase"].tolist() == [0, 0, 0, 1, 0]
    assert (view["turn"].tolist(), view["cards_left"], view["perfect_eat"]) == ([0, 0], 0, 0)
    game.play("eat:R1")
    for seat in range(4):
        view = game.view(seat)
        assert (view["turn"].tolist(), view["cards_left"], view["perfect_eat"]) == ([0, 1], 1, 1)
    game.play("eat:R2", "pick:Y0")
    view = game.view(2)
    assert (view["turn"].tolist(), view["cards_left"], view["perfect_eat"]) == ([1, 0], 1, 0)
    game = table().acting([0, 1, 2, 3], 2, plates=[[], [], ["R1", "R2"]], pot=["Y0"])
    game.play("eat:R1")
    view = game.view(2)
    assert (view["turn"].tolist(), view["cards_left"], view["perfect_eat"]) == ([0, 1], 1, 0)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_robot(table, seat):
    """R8, R17, R25: all of it but the pile's cards, and whether the move is made for it."""
    game = table(num_players=2).put(
        hands=[["R1", "B1"], ["R3", "B3"]],
        plates=[[], ["Y1"], ["G1", "G2"]],
        bellies=[["R2"], [], ["B0", "B0"]],
        robot=["Y1", "R2", *["R0"] * 7],
        pot=["Y3"],
        token=1,
        to_move=1,
        phase=DECLARE,
        strongest=0,
        heat=[1, 2, 3],
    )
    view = game.view(seat)
    assert (view["robot_pile"], view["strongest"].tolist()) == (9, [0, 0])
    assert view["phase"].tolist() == [0, 1, 0, 0, 0]
    game.play("strong:K")
    view = game.view(seat)
    assert view["robot_pile"] == 8
    assert np.flatnonzero(view["robot_number"]).tolist() == [1]
    assert np.flatnonzero(view["robot_color"]).tolist() == [3]
    assert (view["for_robot"], view["robot_place"]) == (0, 0)
    game.play("play:R3")
    assert game.legal() == {"hide:R1", "hide:B1"}  # for the robot's 1
    game.put(plates=game.plate, hands=[["R0", "B1"], game.hand[1]], bellies=game.belly, pot=["Y3"])
    game.play("play:R0")
    assert game.order == [1, 2, 0]
    game.play("pick:Y3")
    view = game.view(seat)
    assert (view["for_robot"], view["robot_place"], view["robot_heat"]) == (1, 2, 3)
    assert view["place"].tolist() == [*turned([3, 1], seat), 0, 0]
    assert view["to_move"].tolist() == [*turned([0, 1], seat), 0, 0]
    assert cards(view["robot_plate"]) == ["G1", "G2"]
    assert cards(view["robot_belly"]) == ["B0", "B0"]
    assert view["heat"].tolist() == [*turned([1, 3], seat), 0, 0]


@pytest.mark.parametrize("num_players", [2, 4])
def test_plates_being_chosen(table, num_players):
    """R6: nobody sees the others' cards before all have chosen; one's own are known."""
    game = table(num_players=num_players, choose_plate=True)
    game.engine.reset(seeds=3)
    robot = game.plate[2] if num_players == 2 else []
    for _ in range(2 * num_players - 1):
        game.play(min(game.legal()))
    assert game.phase == CHOOSE
    chosen = [len(game.plate[seat]) for seat in range(num_players)]
    assert sorted(chosen) == [1] + [2] * (num_players - 1)
    for seat in range(num_players):
        view = game.view(seat)
        assert cards(view["aside"]) == game.plate[seat]
        assert cards(view["hand"]) == game.hand[seat]
        assert not view["plate"].any()
        assert cards(view["robot_plate"]) == robot
        sizes = [11 - count for count in chosen]
        assert view["hand_size"].tolist()[:num_players] == turned(sizes, seat)
    game.play(min(game.legal()))
    for seat in range(num_players):
        view = game.view(seat)
        assert not view["aside"].any()
        plates = turned(game.plate[:num_players], seat)
        assert zones(view, "plate")[:num_players] == plates


def test_the_end(table):
    """R28: nobody is to move, and the last cards are shown."""
    game = table(num_players=3).acting(
        [1, 2, 0], 2, pot=["R1"], hands=[["G1"], ["B2"], ["Y3"]], round=7
    )
    game.play("pick:R1")
    view = game.view(0)
    assert view["phase"].tolist() == [0, 0, 0, 0, 1]
    assert zones(view, "shown") == [[], [], [], []]
    game.play("eat:R1")
    view = game.view(1)
    assert not view["phase"].any()
    assert not view["to_move"].any()
    assert zones(view, "shown") == [["B2"], ["Y3"], ["G1"], []]
    assert view["rounds_left"] == 0


def test_every_card_is_somewhere(table):
    """Seen cards and unseen ones make the deck at every move: nothing is lost on the way."""
    for num_players in (2, 3, 4):
        game = table(num_players=num_players)
        game.engine.reset(seeds=9)
        while not game.terminated:
            found = Counter(game.pot)
            for zone in (*game.hand, *game.plate, *game.belly):
                found.update(zone)
            found.update(CARDS[card] for card in game.lying if card >= 0)
            if num_players == 2:
                revealed = game.round + (game.phase in (2, 3))
                found.update(CARDS[card] for card in game.robot[revealed:])
            assert found.total() == (50 if num_players == 4 else 37)
            assert max(found.values()) <= 2
            moves = sorted(game.legal())
            game.play(moves[game.num_moves % len(moves)])
