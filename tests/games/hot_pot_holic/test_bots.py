"""The bots: legal in every setup, better than simpler ones, some moves that must be right."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hotpot_envs.core import Engine
from hotpot_envs.core.engine import get_loops
from hotpot_envs.core.jit import COMPILED
from hotpot_envs.games.hot_pot_holic.notation import NOTATION
from hotpot_envs.games.hot_pot_holic.state import DECLARE, LAST, SCORING_CARDS

needs_speed = pytest.mark.skipif(not COMPILED, reason="takes minutes with interpreted kernels")


def win_shares(first: str, others: str, num_players: int, num_deals: int) -> np.ndarray:
    """Return the first bot's share of the wins on each deal, over all of its seats."""
    engine = Engine("hot_pot_holic", num_deals, options={"num_players": num_players})
    names = engine.bots
    shares = np.zeros((num_players, num_deals))
    for seat in range(num_players):
        bots = np.full((num_deals, num_players), names.index(others))
        bots[:, seat] = names.index(first)
        engine.reset(seeds=1000)
        engine.play(bots, engine.generators(5), engine.buffers())
        won = engine.results()[1]
        shares[seat] = won[:, seat] / won.sum(axis=1)
    return shares.mean(axis=0)


@needs_speed
@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize(
    ("first", "others"),
    [("greedy", "random"), ("heuristic", "random"), ("heuristic", "greedy")],
)
def test_bots_beat_simpler_ones(first, others, num_players):
    shares = win_shares(first, others, num_players, 150)
    error = shares.std() / len(shares) ** 0.5
    assert shares.mean() - 4 * error > 1 / num_players


@needs_speed
@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("choose_plate", [False, True])
def test_bots_play_legally_with_all_scoring_cards(num_players, choose_plate):
    """R3: all 27 triples, played by all bots at one table."""
    for triple in itertools.product(*SCORING_CARDS):
        options = {"num_players": num_players, "choose_plate": choose_plate}
        for sort, card in zip(("number", "color", "heat"), triple, strict=True):
            options[f"{sort}_scoring"] = card
        engine = Engine("hot_pot_holic", 4, options=options)
        engine.reset(seeds=6)
        bots = np.arange(4 * num_players).reshape(4, num_players) % 3
        engine.play(bots, engine.generators(2), engine.buffers())
        assert engine.over.all()
        assert (engine.states["offender"] == -1).all()


def choice(game, bot: str) -> str:
    """Return the word of the move that a bot makes in a position."""
    engine = game.engine
    bots = np.array([engine.bots.index(bot)])
    engine.observe(game.buffers)
    actions = np.zeros(1, np.int64)
    views = game.buffers.observations, game.buffers.action_masks
    get_loops(engine.game).choose(bots, *views, engine.generators(0), actions, 0, 1)
    return NOTATION.move(game.config, game.state, int(actions[0]))["move"]


@pytest.mark.parametrize("bot", ["greedy", "heuristic"])
def test_the_last_card_is_eaten_only_for_points(table, bot):
    """R27: a fourth colour is 10 points; a fifth number would cost 10."""
    scoring = ["identical", "balance", "progress"]
    game = table().put(
        hands=[["G1"]] * 4,
        plates=[["R1", "Y1"]],
        bellies=[["R1", "G1", "B1"]],
        phase=LAST,
        round=8,
        cards=scoring,
    )
    assert choice(game, bot) == "eat:Y1"
    game.put(hands=[["Y5"]] * 4, plates=[["G4"]], bellies=[["R0", "R1", "R2", "R3"]],
             phase=LAST, round=8, cards=scoring)  # fmt: skip
    assert choice(game, bot) == "keep"


def test_the_heuristic_makes_a_perfect_eat(table):
    """R24: with heat that counts, and the same cards either way."""
    game = table().acting(
        [1, 0, 2, 3],
        1,
        plates=[["R1", "R2"]],
        bellies=[["R3"]],
        pot=["G1", "G2"],
        hands=[["R5", "R0"]] * 4,
        cards=["straight", "protein_feast", "progress"],
        heat=[3, 0, 0, 0],
    )
    assert choice(game, "heuristic") in ("eat:R1", "eat:R2")


def test_the_heuristic_keeps_its_best_colour(table):
    """R39: of two cards of a number it plays the one whose colour it has not eaten."""
    game = table().put(
        hands=[["R3", "B3"], ["R1", "R2"], ["R1", "R2"], ["R1", "R2"]],
        bellies=[["R1", "R1", "R2"]],
        pot=["G1"],
        round=7,
        cards=["pairs", "balance", "progress"],
    )
    assert choice(game, "heuristic") == "play:B3"


def test_the_heuristic_declares_its_numbers_weak(table):
    """R7, R18: the weak take more cards."""
    for number, word in (("0", "strong:K"), ("K", "strong:0")):
        game = table().put(
            hands=[[f"{color}{number}" for color in "RGBY"]] * 4, phase=DECLARE, strongest=0
        )
        assert choice(game, "heuristic") == word


def test_the_heuristic_denies_the_other_through_the_robot(table):
    """R25: the robot picks what makes the other player's quartet."""
    game = table(num_players=2).acting(
        [1, 2, 0],
        1,
        plates=[["G0"], [], []],
        bellies=[["R0", "B0"], ["R1"]],
        pot=["Y0", "Y3", "R3"],
        hands=[["R1", "R2"], ["B1", "B2"]],
        cards=["pairs", "protein_feast", "progress"],
    )
    assert choice(game, "heuristic") == "pick:Y0"


def test_greedy_takes_what_adds_most(table):
    """It eats the card that makes a set before it picks one that makes none."""
    game = table().acting(
        [0, 1, 2, 3],
        plates=[["Y4", "G4"]],
        bellies=[["R1", "G1", "B1"]],
        pot=["R4", "B4"],
        cards=["pairs", "balance", "progress"],
    )
    assert choice(game, "greedy") == "eat:Y4"


@pytest.mark.parametrize(("strongest", "word"), [(1, "play:G0"), (2, "play:BK")])
def test_greedy_plays_the_weakest_card(table, strongest, word):
    """R15: by the strength card."""
    game = table().put(hands=[["R3", "G0", "BK"], *[["R1"]] * 3], strongest=strongest)
    assert choice(game, "greedy") == word
