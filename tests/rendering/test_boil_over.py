"""Boil Over's table, as text and as a drawing."""

import numpy as np

from hotpot_envs.core import Engine
from hotpot_envs.games.boil_over.notation import NOTATION

DEAL = {
    "chance": "deal",
    "dealer": 2,
    "hands": [
        ["H1", "H2", "H3", "H4", "H5", "H6", "H7", "S2", "S3", "S4"],
        ["D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "S5"],
        ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "S6"],
    ],
    "unused": ["H8", "H9", "H10", "D10", "C9", "C10", "S7", "S8", "S9"],
}


def table(*moves):
    engine = Engine("boil_over", 1, options={"num_players": 3})
    engine.reset(0)
    config, state = engine.config[0], engine.states[0]
    NOTATION.overwrite(config, None, -1, state, [DEAL])
    buffers = engine.buffers()
    for move in moves:
        engine.step(np.array([NOTATION.action(config, state, {"move": move})]), buffers)
    assert not engine.over[0]
    return engine.game, config, state


MOVES = ["H7", "D9", "S6>H", "H6", "S5>H", "C8"]

OPEN = """\
Boil Over: round 1 of 3; a pot boils over above 20

pot  total  cards
  H      5  S5
  D      9  D9
  C      8  C8

seat           points  this round  taken H  D  C  S  hand
> 0                  0           0        0  0  0  0  H1 H2 H3 H4 H5 S2 S3 S4
  1                  0           2        2  0  0  1  D1 D2 D3 D4 D5 D6 D7 D8
  2 dealer           0           0        0  0  0  0  C1 C2 C3 C4 C5 C6 C7

unused: H8 H9 H10 D10 C9 C10 S7 S8 S9
"""

SEEN_BY_1 = """\
Boil Over: round 1 of 3; a pot boils over above 20

pot  total  cards
  H      5  S5
  D      9  D9
  C      8  C8

seat           points  this round  taken H  D  C  S  hand
> 0                  0           0        0  0  0  0  8 cards
  1 you              0           2        2  0  0  1  D1 D2 D3 D4 D5 D6 D7 D8
  2 dealer           0           0        0  0  0  0  7 cards

unused: 9 cards
"""


def test_text_with_open_cards():
    game, config, state = table(*MOVES)
    assert game.text(config, state, None) == OPEN


def test_text_as_a_seat_sees_it():
    game, config, state = table(*MOVES)
    assert game.text(config, state, 1) == SEEN_BY_1


def test_the_drawing_shows_totals_and_whose_turn_it_is():
    game, config, state = table(*MOVES)
    shown = game.svg(config, state, 1)
    for words in (
        "Boil Over",
        "round 1 of 3",
        "boils over above 20",
        "seat 1 (you)",
        ">5<",
        ">0 + 2<",
    ):
        assert words in shown
    # Backs: 8 and 7 cards in hands and 9 unused ones, each of two rectangles.
    assert shown.count('fill="#8c3b2e"') == 24
    assert game.svg(config, state, None).count('fill="#8c3b2e"') == 0


def test_the_end_names_the_winner():
    engine = Engine("boil_over", 1, options={"num_players": 3, "rounds": 1})
    engine.reset(0)
    engine.play(np.zeros((1, 3), np.int64), engine.generators(1), engine.buffers())
    winners = np.flatnonzero(engine.results()[1][0])
    words = " and ".join(f"seat {seat}" for seat in winners)
    for frame in (engine.game.text, engine.game.svg):
        assert f"{words} win" in frame(engine.config[0], engine.states[0], None)
