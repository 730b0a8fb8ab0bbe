"""The table in text and as a drawing: what stands there, and what is hidden from whom."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from hotpot_envs.games.hot_pot_holic.frame import svg, text


@pytest.fixture
def position(table):
    """Seat 1 hides a card; seat 2 is to move."""
    game = table().put(
        hands=[["R1", "G3"], ["G3", "B3"], ["Y0", "YK"], ["G5", "Y1"]],
        plates=[["G2"], [], ["B1", "B1"], []],
        bellies=[["Y1", "Y2"], [], [], []],
        pot=["G0", "B2"],
        token=3,
        to_move=3,
        cards=["pairs", "in_between", "last_and_least"],
    )
    game.play("play:Y1", "play:G3", "hide:B3")
    return game


def drawn(game, seat: int | None) -> list[str]:
    """Return the words of a drawing, in the order in which they were drawn."""
    root = ElementTree.fromstring(svg(game.config, game.state, seat))
    return [element.text for element in root.iter() if element.tag.endswith("}text")]


def test_text(position):
    assert text(position.config, position.state, 2) == (
        "Hot Pot Holic: round 1 of 8, playing cards; K > 5 > 4 > 3 > 2 > 1 > 0\n"
        "scoring: pairs, in-between, last & least\n"
        "\n"
        "pot: G0 B2\n"
        "\n"
        "seat              heat  points  played  place\n"
        "  0                  0      -8      G3      -\n"
        "    hand  1 card\n"
        "    plate G2\n"
        "    belly Y1 Y2\n"
        "  1                  0      -8    back      -\n"
        "    hand  G3 B3, shown; one of them lies face down\n"
        "    plate -\n"
        "    belly -\n"
        "> 2 you              0      -8       -      -\n"
        "    hand  Y0 YK\n"
        "    plate B1 B1\n"
        "    belly -\n"
        "  3 token            0      -8      Y1      -\n"
        "    hand  1 card\n"
        "    plate -\n"
        "    belly -\n"
    )


def test_text_for_the_owner_and_with_open_cards(position):
    for seat in (1, None):
        shown = text(position.config, position.state, seat)
        assert "hand  G3, shown" in shown
        assert "B3?" in shown
    assert "hand  G5" in text(position.config, position.state, None)


@pytest.mark.parametrize("seat", [None, 0, 1, 2, 3])
def test_the_drawing_hides_what_the_text_hides(position, seat):
    words = drawn(position, seat)
    assert "Hot Pot Holic" in words
    assert "numbers: pairs" in words
    # Cards lie with their number twice. Seat 3's 5 is seen by itself and with open cards.
    assert (words.count("5") == 2) == (seat in (None, 3))
    assert (f"seat {seat} (you)" in words) == (seat is not None)
    assert ("hand, shown; one card lies face down" in words) == (seat in (0, 2, 3))
    assert ("B3" in words) == (seat in (None, 1))  # on the back of the hidden card


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("choose_plate", [False, True])
def test_every_position_of_a_game(table, num_players, choose_plate):
    """Nothing is drawn outside the picture, and the text is plain ASCII."""
    game = table(num_players=num_players, choose_plate=choose_plate)
    game.engine.reset(seeds=2)
    while True:
        for seat in (None, 0):
            shown = text(game.config, game.state, seat)
            assert shown.isascii()
            assert max(map(len, shown.splitlines())) <= 100
            root = ElementTree.fromstring(svg(game.config, game.state, seat))
            for element in root.iter():
                if "x" in element.attrib and "width" in element.attrib:
                    right = float(element.get("x")) + float(element.get("width"))
                    bottom = float(element.get("y")) + float(element.get("height"))
                    assert right <= 1180
                    assert bottom <= 772
        if game.terminated:
            break
        moves = sorted(game.legal())
        game.play(moves[game.num_moves * 7 % len(moves)])
    assert "win" in text(game.config, game.state, None).splitlines()[0]


def test_the_robot(table):
    """R8, R25: its pile is shown with open cards only; a move for it says so."""
    game = table(num_players=2).acting(
        [1, 2, 0], 1, plates=[[], [], ["G1"]], pot=["R0"], hands=[["R1"], ["R2"]],
        robot=["R1", "RK", *["B0"] * 7],
    )  # fmt: skip
    shown = text(game.config, game.state, 0)
    assert "picking or eating for the robot" in shown.splitlines()[0]
    assert "pile  8 cards" in shown
    assert "pile of 8" in drawn(game, 0)
    assert "pile  RK B0 B0" in text(game.config, game.state, None)


def test_plates_being_chosen(table):
    """R6: the others see how many cards were chosen."""
    game = table(choose_plate=True)
    game.engine.reset(seeds=1)
    start = game.to_move
    game.play(min(game.legal()))
    game.play(min(game.legal()))
    card = game.plate[start][0]
    other = text(game.config, game.state, (start + 1) % 4)
    assert "plate 2 cards" in other
    own = text(game.config, game.state, start)
    assert f"plate {card}" in own


def test_an_illegal_end(table):
    game = table()
    game.put(terminated=True, offender=2)
    assert "ended by an illegal action of seat 2" in text(game.config, game.state, None)
