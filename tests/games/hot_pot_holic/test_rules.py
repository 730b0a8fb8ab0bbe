"""Hot Pot Holic's rules, clause by clause (RULES.md), with the rulebook's examples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from hotpot_envs.core import Engine
from hotpot_envs.core.jit import COMPILED
from hotpot_envs.games.hot_pot_holic.notation import CARDS, cards_in
from hotpot_envs.games.hot_pot_holic.observation import ACTIONS
from hotpot_envs.games.hot_pot_holic.state import (
    ACT,
    CHOOSE,
    DECLARE,
    FIRST_EAT,
    FIRST_PICK,
    FIRST_PLATE,
    FIRST_PLAY,
    KEEP,
    KING_HIGH,
    LAST,
    PLAY,
    SCORING_CARDS,
    ZERO_HIGH,
)

DODOA, DAVID, POKI, FOURTH = range(4)
ROBOT = 2


def deals(num_games: int, **options) -> Engine:
    """Return games just set up."""
    engine = Engine("hot_pot_holic", num_games, options=options)
    engine.reset(seeds=100)
    return engine


def dealt(state, num_markers: int) -> Counter:
    """Return how often each card lies in a hand, on a plate or in the pot."""
    zones = [state["pot"], *state["hand"][:num_markers], *state["plate"][:num_markers]]
    return Counter(card for zone in zones for card in cards_in(zone))


# Cards and setup


def test_the_deck():
    """R1: seven numbers in four colours, two copies of each; R2: without 4s and 5s for 2 and 3."""
    whole = cards_in(deals(1).config[0]["deck"])
    assert len(CARDS) == 28
    assert Counter(whole) == dict.fromkeys(CARDS, 2)
    for num_players in (2, 3):
        fewer = cards_in(deals(1, num_players=num_players).config[0]["deck"])
        assert len(fewer) == 40
        assert set(CARDS) - set(fewer) == {
            f"{color}{number}" for color in "RGBY" for number in "45"
        }


def test_seats_run_clockwise(table):
    """R1: the next player is the seat + 1."""
    game = table().put(hands=[["R1"], ["R2"], ["R3"], ["R4"]], token=2, to_move=2)
    seats = []
    for move in ("play:R3", "play:R4", "play:R1"):
        seats.append(game.to_move)
        game.play(move)
    assert [*seats, game.to_move] == [2, 3, 0, 1]


@pytest.mark.parametrize("sort", range(3))
def test_scoring_cards_are_drawn(sort):
    """R3: one of each three, all alike."""
    drawn = deals(900).states["scoring"][:, sort]
    assert chisquare(np.bincount(drawn, minlength=3)).pvalue > 1e-3


def test_scoring_cards_can_be_named():
    """R3: the others are still drawn, and the deal stays the same."""
    for sort, option in enumerate(("number_scoring", "color_scoring", "heat_scoring")):
        for number, name in enumerate(SCORING_CARDS[sort]):
            states = deals(50, **{option: name}).states
            assert (states["scoring"][:, sort] == number).all()
            assert (states["hand"] == deals(50).states["hand"]).all()
            others = [other for other in range(3) if other != sort]
            assert all(len(np.unique(states["scoring"][:, other])) == 3 for other in others)


@pytest.mark.parametrize(
    ("num_players", "pot", "left_over"), [(2, 4, 3), (3, 4, 3), (4, 6, 6)], ids=["2", "3", "4"]
)
def test_the_deal(num_players, pot, left_over):
    """R4, R5, R8: the table of the rulebook; no card three times."""
    engine = deals(30, num_players=num_players)
    num_markers, deck = engine.config[0]["num_markers"], cards_in(engine.config[0]["deck"])
    for state in engine.states:
        assert len(cards_in(state["pot"])) == pot
        assert [len(cards_in(hand)) for hand in state["hand"][:num_players]] == [9] * num_players
        assert [len(cards_in(cards)) for cards in state["plate"][:num_markers]] == [2] * num_markers
        found = dealt(state, num_markers)
        if num_players == 2:
            found.update(CARDS[card] for card in state["robot"])
        assert found.total() + left_over == len(deck)
        assert not found - Counter(deck)


@pytest.mark.parametrize("num_players", [2, 4])
def test_the_deck_is_shuffled(num_players):
    """R4, R5, R8: each kind of card comes to each place as often."""
    engine = deals(1000, num_players=num_players)
    zones = [engine.states["pot"], engine.states["hand"][:, 1], engine.states["plate"][:, 0]]
    for zone in zones:
        counts = Counter(card for cards in zone for card in cards_in(cards))
        assert len(counts) == (28 if num_players == 4 else 20)
        assert chisquare(list(counts.values())).pvalue > 1e-3
    if num_players == 2:
        for index in (0, 8):
            counts = np.bincount(engine.states["robot"][:, index], minlength=28)
            assert chisquare(counts[counts > 0]).pvalue > 1e-3


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_start_player_is_drawn_and_declares(num_players):
    """R7: all seats alike, never the robot; the first move is the declaration."""
    engine = deals(600, num_players=num_players)
    assert (engine.states["phase"] == DECLARE).all()
    assert (engine.to_move == engine.states["token"]).all()
    counts = np.bincount(engine.states["token"], minlength=num_players)
    assert len(counts) == num_players
    assert chisquare(counts).pvalue > 1e-3


def test_declaring(table):
    """R7: K or 0, before the first round."""
    for word, strongest in (("strong:K", KING_HIGH), ("strong:0", ZERO_HIGH)):
        game = table().put(hands=[["R1"]] * 4, token=3, to_move=3, phase=DECLARE, strongest=0)
        assert game.legal() == {"strong:K", "strong:0"}
        game.play(word)
        assert (game.strongest, game.phase, game.to_move) == (strongest, PLAY, 3)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_choosing_plates(num_players, table):
    """R6: seat by seat from the start player on, two cards of eleven, a second copy too."""
    game = table(num_players=num_players, choose_plate=True)
    game.engine.reset(seeds=4)
    start = game.token
    assert game.phase == CHOOSE
    assert [len(hand) for hand in game.hand[:num_players]] == [11] * num_players
    assert [len(plate) for plate in game.plate] == [0] * num_players + [2] * (num_players == 2)
    hand = ["R1", "R1", "G2", "B3", "Y0"]
    game.put(hands=[hand] * num_players, phase=CHOOSE, strongest=0)
    for index in range(num_players):
        assert game.to_move == (start + index) % num_players
        assert game.legal() == {"plate:R1", "plate:G2", "plate:B3", "plate:Y0"}
        game.play("plate:R1")
        assert game.to_move == (start + index) % num_players
        assert game.legal() == {"plate:R1", "plate:G2", "plate:B3", "plate:Y0"}
        game.play("plate:R1")
    assert game.hand[:num_players] == [["G2", "B3", "Y0"]] * num_players
    assert game.plate[:num_players] == [["R1", "R1"]] * num_players
    assert (game.phase, game.to_move) == (DECLARE, start)  # R7: after the plates


# Playing cards


def test_no_number_twice(table):
    """R9, R10: a 5 and a 3 lie; Poki cannot play either, but a 4, whatever its colour."""
    game = table(number_scoring="straight").put(
        hands=[["R5"], ["R3"], ["G5", "B3", "R4", "Y4", "G5"], ["R1"]]
    )
    game.play("play:R5", "play:R3")
    assert game.to_move == POKI
    assert game.legal() == {"play:R4", "play:Y4"}


def test_without_a_playable_number(table):
    """R11: the hand is shown, and any card of it is played face down."""
    game = table().put(hands=[["R5"], ["R3"], ["G5", "B3", "B3"], ["R1"]])
    game.play("play:R5", "play:R3")
    assert game.legal() == {"hide:G5", "hide:B3"}
    game.play("hide:B3")
    assert game.shown == [0, 0, 1, 0]
    assert game.hidden == [0, 0, 1, 0]


def test_a_card_face_down_stops_nobody(table):
    """R13: the number of a hidden card may be played, were it not lying open already."""
    game = table().put(hands=[["R3"], ["G3"], ["B3", "B2"], ["Y3", "Y2"]])
    game.play("play:R3", "hide:G3")
    assert game.legal() == {"play:B2"}  # for the 3 that lies face up
    assert game.blocked == sum(1 << CARDS.index(f"{color}3") for color in "RGBY")


def test_two_hidden_cards_in_a_round(table):
    """R13: they are the weakest, the later the weaker, whatever their numbers."""
    game = table().put(
        hands=[["R3"], ["G3", "B3"], ["Y3"], ["R0", "R2"]], plates=[["Y1"]] * 4, pot=["R1"]
    )
    game.play("play:R3", "hide:B3", "hide:Y3", "play:R0")
    assert game.order == [0, 3, 1, 2]
    assert game.place == [1, 3, 4, 2]
    assert game.shown == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("strongest", "cards", "order"),
    [
        (KING_HIGH, ["RK", "R5", "R4", "R3"], [0, 1, 2, 3]),
        (KING_HIGH, ["R1", "R2", "R3", "R5"], [3, 2, 1, 0]),
        (KING_HIGH, ["R2", "R0", "R5", "R1"], [2, 0, 3, 1]),
        (ZERO_HIGH, ["R5", "RK", "R4", "R3"], [3, 2, 0, 1]),
        (ZERO_HIGH, ["R2", "R0", "R5", "R1"], [1, 3, 0, 2]),
    ],
)
def test_strength(table, strongest, cards, order):
    """R15: K > 5 > 4 > 3 > 2 > 1 > 0, or the other way round."""
    game = table().put(hands=[[card] for card in cards], plates=[["Y1"]] * 4, strongest=strongest)
    game.play(*(f"play:{card}" for card in cards))
    assert game.order == order
    assert [game.place[seat] for seat in order] == [1, 2, 3, 4]


def test_the_flip_by_the_third_player_holds_at_once(table):
    """R14: a K and then a 0, with K the strongest: the 0 is the stronger, this round already."""
    game = table().put(hands=[["RK"], ["R3"], ["R0"], ["R5"]], plates=[["Y1"]] * 4)
    game.play("play:RK", "play:R3")
    assert game.strongest == KING_HIGH
    game.play("play:R0")
    assert game.strongest == ZERO_HIGH
    game.play("play:R5")
    assert game.order == [2, 1, 3, 0]
    assert game.strongest == ZERO_HIGH  # and on


def test_the_flip_the_other_way_round(table):
    """R14: a 0 and then a K, with 0 the strongest."""
    game = table().put(
        hands=[["R0"], ["RK"], ["R1"], ["R2"]], plates=[["Y1"]] * 4, strongest=ZERO_HIGH
    )
    game.play("play:R0", "play:RK", "play:R1", "play:R2")
    assert game.strongest == KING_HIGH
    assert game.order == [1, 3, 2, 0]


def test_no_flip_without_both_or_in_two_rounds(table):
    """R14: both in the same round; R13: hidden cards lie over numbers that lie open already."""
    game = table(num_players=3).put(
        hands=[["RK", "R1"], ["R3", "R0"], ["GK", "B3", "G2"]], plates=[["Y1"]] * 3
    )
    game.play("play:RK", "play:R3")
    assert game.legal() == {"play:G2"}
    game.play("play:G2")
    assert game.strongest == KING_HIGH
    game.play("eat:Y1", "eat:Y1", "eat:Y1")
    assert game.round == 1
    game.play("play:R1", "play:R0")  # the K of the round before is in the pot
    assert game.strongest == KING_HIGH


def test_the_strongest_climbs_and_takes_the_token(table):
    """R16: before anybody picks or eats."""
    game = table().put(
        hands=[["R1", "B1"], ["R2", "B1"], ["R5", "B1"], ["R3", "B1"]],
        plates=[["Y1"]] * 4,
        heat=[3, 0, 1, 0],
    )
    game.play("play:R1", "play:R2", "play:R5", "play:R3")
    assert game.phase == ACT
    assert game.heat == [3, 0, 2, 0]
    assert game.token == game.to_move == 2
    game.play("eat:Y1", "eat:Y1", "eat:Y1", "eat:Y1")
    assert game.to_move == 2  # R26: its holder begins the next round


def test_the_top_of_the_heat_track(table):
    """R16: 7 is the top, for a perfect eat too."""
    game = table().put(
        hands=[["R5"], ["R2"], ["R1"], ["R3"]], plates=[["Y1"], ["Y1"], ["Y1"], ["Y1", "Y2"]],
        heat=[7, 0, 0, 7],
    )  # fmt: skip
    game.play("play:R5", "play:R2", "play:R1", "play:R3")
    assert game.heat == [7, 0, 0, 7]
    game.play("eat:Y1", "eat:Y1", "eat:Y2")
    assert game.heat == [7, 0, 0, 7]


# The robot


def robot_table(table, **arguments):
    settings = {
        "hands": [["R1", "B1"], ["R3", "B3"]],
        "plates": [["Y1"], ["Y2"], ["G1", "G2"]],
        "robot": ["R2", "RK", "R0", "R1", "R1", "R1", "R1", "R1", "R1"],
        "pot": ["B0", "B1", "B2", "B3"],
        "token": 1,
        "to_move": 1,
        "phase": DECLARE,
        "strongest": 0,
    }
    return table(num_players=2).put(**{**settings, **arguments})


def test_the_robot_plays_first(table):
    """R8, R17: its card is turned up, the holder of the token plays second, the other last."""
    game = robot_table(table)
    assert game.lying == [-1, -1, -1]
    game.play("strong:K")
    assert game.lying == [-1, -1, CARDS.index("R2")]
    assert game.to_move == 1
    game.play("play:R3")
    assert game.to_move == 0
    game.play("play:R1")
    assert game.order == [1, ROBOT, 0]
    assert (game.heat, game.token) == ([0, 1, 0], 1)


def test_the_robot_blocks_and_flips(table):
    """R10, R14, R17: its card counts like any other."""
    game = robot_table(table, hands=[["R2", "B1"], ["B2", "R0"]])
    game.play("strong:K")
    assert game.legal() == {"play:R0"}
    game = robot_table(table, robot=["RK"] * 9, hands=[["R2", "B1"], ["B2", "R0"]])
    game.play("strong:K", "play:R0")
    assert game.strongest == ZERO_HIGH


def test_the_strongest_robot_climbs_alone(table):
    """R17: the token goes to the stronger of the players."""
    game = robot_table(table, robot=["RK", *["R1"] * 8])
    game.play("strong:K", "play:B3", "play:R1")
    assert game.order == [ROBOT, 1, 0]
    assert (game.heat, game.token) == ([0, 0, 1], 1)
    assert game.to_move == 1  # for the robot
    game = robot_table(table, robot=["RK", *["R1"] * 8], hands=[["R3"], ["R1"]])
    game.play("strong:K", "play:R1", "play:R3")
    assert (game.heat, game.token) == ([0, 0, 1], 0)


def test_both_players_face_down(table):
    """R13, R17: the one who played first is the stronger, and takes the token."""
    game = robot_table(table, robot=["R2"] * 9, hands=[["B2"], ["G2"]])
    game.play("strong:0", "hide:G2", "hide:B2")
    assert game.order == [ROBOT, 1, 0]
    assert (game.heat, game.token) == ([0, 0, 1], 1)


def test_moves_for_the_robot(table):
    """R25: the holder of the token makes them, by the same rules."""
    game = robot_table(table)
    game.play("strong:K", "play:R3", "play:R1")
    game.play("eat:Y2")
    assert game.to_move == 1
    assert game.actor == ROBOT
    assert game.legal() == {"pick:B0", "pick:B1", "pick:B2", "pick:B3", "eat:G1", "eat:G2"}
    game.play("pick:B2", "pick:B0")
    assert game.plate[ROBOT] == ["G1", "G2", "B0", "B2"]
    assert game.to_move == game.actor == 0


def test_a_perfect_eat_of_the_robot(table):
    """R24, R25: its marker moves up."""
    game = robot_table(table)
    game.play("strong:K", "play:R3", "play:R1", "eat:Y2", "eat:G1")
    assert game.heat == [0, 2, 0]  # seat 1: the strongest, and a perfect eat
    game.play("eat:G2")
    assert game.heat == [0, 2, 1]
    assert game.belly == [[], ["Y2"], ["G1", "G2"]]


def test_the_robot_s_card_goes_to_the_pot(table):
    """R26: with all others; the next is turned up at once (R17)."""
    game = robot_table(table)
    game.play("strong:K", "play:R3", "play:R1", "eat:Y2", "eat:G1", "eat:G2", "eat:Y1")
    assert game.pot == ["R1", "R2", "R3", "B0", "B1", "B2", "B3"]
    assert game.lying == [-1, -1, CARDS.index("RK")]
    assert game.round == 1


# Picking and eating


def test_cards_by_place(table):
    """R18, R19: 1, 2, 3, 4 cards for the 1st to the 4th, in the order of strength."""
    game = table().acting([3, 1, 0, 2], pot=[*["R1", "R2", "R3", "R4", "R5"] * 2])
    taken = []
    for _ in range(10):
        taken.append(game.to_move)
        game.play(min(game.legal()))
    assert taken == [3, 1, 1, 0, 0, 0, 2, 2, 2, 2]
    assert [len(plate) for plate in game.plate] == [3, 2, 4, 1]


def test_a_turn_is_either_pick_or_eat(table):
    """R18, R23: the 3rd player cannot pick 2 cards and eat 1; the first move says which."""
    pot, plate = ["R1", "R2", "R3", "R4"], ["G1"]
    game = table().acting([0, 1, 2, 3], 2, pot=pot, plates=[[], [], plate])
    assert game.legal() == {"pick:R1", "pick:R2", "pick:R3", "pick:R4", "eat:G1"}
    game.play("pick:R2")
    assert game.to_move == POKI
    assert game.legal() == {"pick:R1", "pick:R3", "pick:R4"}
    game = table().acting([0, 1, 2, 3], 2, pot=pot, plates=[[], [], ["G1", "G2", "G2"]])
    game.play("eat:G2")
    assert game.to_move == POKI
    assert game.legal() == {"eat:G1", "eat:G2"}


def test_a_plate_holds_four(table):
    """R19: the 3rd player has 2 cards and picks: only 2 more, a full plate of 4."""
    game = table().acting(
        [0, 1, 2, 3], 2, pot=["R1", "R2", "R3", "R4"], plates=[[], [], ["G1", "G2"], ["Y1"]]
    )
    game.play("pick:R1", "pick:R4")
    assert game.plate[POKI] == ["R1", "R4", "G1", "G2"]
    assert game.to_move == FOURTH


def test_a_pot_with_few_cards(table):
    """R19: no more than there are; R23: the last, the only one possible, is a move too."""
    game = table().acting([0, 1, 2, 3], 3, pot=["R1", "R1"], hands=[["R5", "R0"]] * 4)
    game.play("pick:R1")
    assert game.legal() == {"pick:R1"}
    assert game.to_move == FOURTH
    game.play("pick:R1")
    assert game.round == 1


def test_played_cards_are_not_in_the_pot(table):
    """R19: one cannot pick the cards played this round; R26: they join the pot after it."""
    game = table().put(
        hands=[["R5", "B1"], ["R2", "B1"], ["R1", "B1"], ["R3", "B1"]],
        plates=[["Y1"]] * 4,
        pot=["G4"],
    )
    game.play("play:R5", "play:R2", "play:R1", "play:R3")
    assert game.legal() == {"pick:G4", "eat:Y1"}
    game.play("eat:Y1", "eat:Y1", "eat:Y1", "eat:Y1")
    assert game.pot == ["R1", "R2", "R3", "R5", "G4"]
    assert game.lying == [-1] * 4


def test_eating_all_there_is(table):
    """R20: the 3rd player has 2 cards and eats: only 2, an empty plate; it is not perfect (R24)."""
    game = table().acting(
        [0, 1, 2, 3], 2, plates=[[], [], ["G1", "G2"], ["Y1"]], pot=["R1"], heat=[0, 0, 5, 0]
    )
    game.play("eat:G1", "eat:G2")
    assert game.belly[POKI] == ["G1", "G2"]
    assert game.plate[POKI] == []
    assert game.heat == [0, 0, 5, 0]
    assert game.to_move == FOURTH


def test_a_perfect_eat(table):
    """R24: the 3rd player has 3 cards and eats them all: up one space, when the turn ends."""
    game = table().acting([0, 1, 2, 3], 2, plates=[[], [], ["G1", "G2", "G3"], ["Y1"]], pot=["R1"])
    game.play("eat:G1", "eat:G2")
    assert game.heat == [0, 0, 0, 0]
    game.play("eat:G3")
    assert game.heat == [0, 0, 1, 0]
    assert game.belly[POKI] == ["G1", "G2", "G3"]


def test_more_on_the_plate_is_no_perfect_eat(table):
    """R24: as many cards as the place says, not more; nor is a pick."""
    game = table().acting([0, 1, 2, 3], plates=[["G1", "G2"], ["G1"], ["Y1"], ["Y2"]], pot=["R1"])
    game.play("eat:G1", "pick:R1", "eat:Y1", "eat:Y2")
    assert game.heat == [0, 0, 0, 0]


def test_empty_and_full_plates(table):
    """R21: one must pick, one must eat."""
    game = table().acting([0, 1, 2, 3], pot=["R1"], plates=[[], ["G1", "G2", "G3", "G4"]])
    assert game.legal() == {"pick:R1"}
    game = table().acting([1, 0, 2, 3], pot=["R1"], plates=[[], ["G1", "G2", "G3", "G4"]])
    assert game.legal() == {"eat:G1", "eat:G2", "eat:G3", "eat:G4"}


def test_an_empty_pot(table):
    """R21: with a card on the plate one must eat."""
    game = table().acting([0, 1, 2, 3], 1, pot=["R1"], plates=[[], [], ["G1", "G2"], ["Y1"]])
    assert game.legal() == {"pick:R1"}
    game.play("pick:R1")
    assert game.legal() == {"eat:G1", "eat:G2"}


def test_a_turn_passes_by_itself(table):
    """R22: nothing to pick, nothing to eat; the later seats keep their places."""
    game = table().acting([0, 1, 2, 3], pot=["R1"], plates=[[], [], [], ["G1", "G2", "G3", "G4"]])
    game.play("pick:R1")
    assert game.to_move == FOURTH
    assert game.place == [1, 2, 3, 4]
    game.play("eat:G1", "eat:G2", "eat:G3", "eat:G4")
    assert game.heat == [0, 0, 0, 1]  # perfect: four cards in the 4th place
    assert game.round == 1


def test_the_last_turns_pass_by_themselves(table):
    """R22, R26: the round ends when nobody is left who could do anything."""
    game = table().acting([2, 1, 0, 3], pot=["R1"], hands=[["R2"]] * 4)
    game.play("pick:R1")
    assert (game.round, game.phase, game.to_move) == (1, PLAY, 2)


def test_hidden_cards_join_the_pot(table):
    """R26: they are turned up."""
    game = table(num_players=3).put(
        hands=[["R3", "B1"], ["G3", "B3"], ["R0", "B1"]], plates=[["Y1"]] * 3
    )
    game.play("play:R3", "hide:G3", "play:R0", "eat:Y1", "eat:Y1", "eat:Y1")
    assert game.pot == ["R0", "R3", "G3"]
    assert game.hidden == [0, 0, 0]
    assert game.shown == [0, 1, 0]


# The end


def last_round(table, num_players=4, **arguments):
    """Return a game whose last turn of the last round is seat 0's, with a card to eat."""
    order = [*range(1, num_players), *[2] * (num_players == 2), 0]
    plates = [["R1", "R1"], *arguments.pop("plates", [])]
    return table(num_players=num_players).acting(
        order,
        len(order) - 1,
        plates=plates,
        round=7,
        hands=[["G1"], ["B2"], ["Y3"], ["R3"]][:num_players],
        **arguments,
    )


def test_eight_rounds(table):
    """R9: each player plays eight of nine cards."""
    for num_players in (2, 3, 4):
        engine = deals(20, num_players=num_players)
        bots = np.zeros((20, num_players), np.int64)
        engine.play(bots, engine.generators(5), engine.buffers())
        assert (engine.states["round"] == 8).all()
        assert (np.bitwise_count(engine.states["hand"][:, :num_players]) == 1).all()


def test_eating_at_the_end(table):
    """R27: from the holder of the token on, one card or none; it is no perfect eat."""
    game = last_round(table, plates=[["G1"], ["B1", "B2"], []])
    game.play("eat:R1", "eat:R1")
    assert (game.phase, game.round, game.token, game.to_move) == (LAST, 8, 1, 1)
    assert game.legal() == {"eat:G1", "keep"}
    game.play("eat:G1")
    assert game.to_move == 2
    assert game.legal() == {"eat:B1", "eat:B2", "keep"}
    game.play("keep")
    assert game.terminated
    assert game.belly == [["R1", "R1"], ["G1"], [], []]
    assert game.plate == [[], [], ["B1", "B2"], []]
    assert game.heat == [0, 0, 0, 0]


def test_the_end_goes_round_to_the_seat_before_the_token(table):
    """R27: seat 0 comes after seat 3."""
    game = last_round(table, plates=[[], ["G1"], ["B1"]], pot=["Y1", "Y2"])
    game.play("eat:R1", "eat:R1")
    game.put(plates=[["Y1"], [], ["G1"], ["B1"]])
    assert game.to_move == 2
    game.play("keep", "keep")
    assert game.to_move == 0
    game.play("keep")
    assert game.terminated


def test_the_end_with_empty_plates(table):
    """R27: no move; R28: the game is over, and the last cards are shown."""
    game = last_round(table, plates=[[], [], []])
    assert game.shown == [0, 0, 0, 0]
    game.play("eat:R1", "eat:R1")
    assert game.terminated
    assert game.shown == [1, 1, 1, 1]


def test_the_robot_eats_nothing_at_the_end(table):
    """R27: nobody is asked for it; R28: its ninth card stays where it is."""
    game = last_round(table, num_players=2, plates=[["Y1"], ["B1", "B2"]])
    game.play("eat:R1", "eat:R1")
    assert game.to_move == 1
    game.play("keep")
    assert game.terminated
    assert game.plate[ROBOT] == ["B1", "B2"]
    assert game.shown == [1, 1, 0]


# Winning


def finish(table, heat, bellies, hands, num_players=4, **options):
    game = table(
        num_players=num_players,
        number_scoring="identical",
        color_scoring="protein_feast",
        heat_scoring="progress",
        **options,
    )
    order = list(range(max(num_players, 3)))
    game.acting(
        order,
        len(order) - 1,
        round=7,
        hands=hands,
        bellies=bellies,
        plates=[[], [], [], []],
        heat=heat,
        pot=["Y0"],
        cards=["identical", "protein_feast", "progress"],
    )
    return game


def test_most_points_win(table):
    """R41: 25 for one number, 2 a red card."""
    game = finish(table, [0, 0, 0, 0], [["R1"], ["R1", "R1"], [], []], [["B1"]] * 4)
    game.play("pick:Y0", "keep")
    assert game.points() == [27, 29, 0, 0]
    assert game.winners() == [1]


def test_the_tie_break_is_heat(table):
    """R41: 27 + 2 with a space against 25 + 4: the higher marker wins."""
    game = finish(table, [1, 2, 0, 0], [["R1"], ["Y1"], [], []], [["B1"]] * 4)
    game.play("pick:Y0", "keep")
    assert game.points() == [29, 29, 0, 0]
    assert game.winners() == [1]


def test_a_shared_win(table):
    """R41: level in points and heat; who is as high but has less is out of it."""
    game = finish(
        table, [1, 1, 1, 0], [["R1"], ["R2"], ["B2"], []], [["B1"], ["Y1"], ["Y1"], ["B1"]]
    )
    game.play("pick:Y0", "keep")
    assert game.points() == [29, 29, 28, 0]
    assert game.winners() == [0, 1]


def test_the_robot_cannot_win(table):
    """R40: whatever it ate and however high it is."""
    game = finish(table, [0, 0, 7], [["G1"], [], ["R1", "R1"]], [["B1"], ["B1"]], num_players=2)
    assert game.actor == ROBOT
    game.play("pick:Y0")
    assert game.terminated
    assert game.points() == [24, 0]
    assert game.winners() == [0]
    assert len(game.points()) == 2


# Moves


def test_actions():
    """The numbers that the rules count on are those of the layout."""
    starts = [ACTIONS.start(name) for name in ("strong", "plate", "play", "pick", "eat", "keep")]
    assert starts == [0, FIRST_PLATE, FIRST_PLAY, FIRST_PICK, FIRST_EAT, KEEP]
    assert ACTIONS.size == 115


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_no_game_is_longer_than_the_rules_allow(num_players):
    """The sizes at the end of RULES.md."""
    num_games = 300 if COMPILED else 5
    engine = deals(num_games, num_players=num_players, choose_plate=True)
    bots = np.zeros((num_games, num_players), np.int64)
    moves = engine.play(bots, engine.generators(8), engine.buffers())
    assert moves.max() <= {2: 66, 3: 75, 4: 108}[num_players] + 2 * num_players
