"""Redrawing what a seat does not know: what stays, what changes, and how often."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from hotpot_envs.core import Engine
from hotpot_envs.games.hot_pot_holic.notation import CARDS, cards_in
from hotpot_envs.games.hot_pot_holic.state import DECLARE

DRAWS = 400


def redrawn(game, seat: int, seed: int = 0) -> list[Any]:
    """Return many redraws of a position."""
    engine = Engine("hot_pot_holic", DRAWS, options=game.engine.options)
    engine.restore(np.repeat(game.engine.states, DRAWS))
    engine.determinize(np.full(DRAWS, seat), engine.generators(seed))
    return list(engine.states)


def likely(counts: Counter, weights: dict[Any, float]) -> bool:
    """Tell whether counts may well come from these weights."""
    assert set(counts) <= set(weights)
    expected = np.array(list(weights.values())) / sum(weights.values()) * counts.total()
    return chisquare([counts[key] for key in weights], expected).pvalue > 1e-3


@pytest.fixture
def four(table):
    """Seat 0 knows its own hand and all that lies open; 12 cards in hands and 2 left over not.

    The deck's other 42 cards lie in the pot (seat 0's own hand apart).
    """
    unseen = ["R0", "R0", "R1", "R2", "G3", "G4", "G5", "GK", "B0", "B1", "Y2", "Y3", "Y4", "YK"]
    own = ["B2", "B3", "B4"]
    left = Counter(dict.fromkeys(CARDS, 2)) - Counter(unseen) - Counter(own)
    game = table().put(
        hands=[own, unseen[:4], unseen[4:8], unseen[8:12]],
        pot=sorted(left.elements()),
    )
    return game, unseen, own


def test_hands_are_drawn_among_unseen_cards(four):
    """R5: hands keep their sizes; cards left over may be in them; each card comes as often."""
    game, unseen, own = four
    where = Counter()
    for state in redrawn(game, 0):
        hands = [cards_in(hand) for hand in state["hand"]]
        assert sorted(hands[0]) == own
        assert [len(hand) for hand in hands] == [3, 4, 4, 4]
        found = Counter(card for hand in hands[1:] for card in hand)
        assert not found - Counter(unseen)
        where.update(hands[1])
    copies = Counter(unseen)
    assert likely(where, {card: copies[card] for card in copies})


def test_the_truth_comes_up_no_more_often_than_chance(four):
    """The redraw does not lean on what lies there."""
    game, _, _ = four
    true = Counter(cards_in(game.state["hand"][1]))
    shared = [(true & Counter(cards_in(state["hand"][1]))).total() for state in redrawn(game, 0)]
    # Each of the hand's four cards is one of 14 unseen, of which four are drawn again.
    assert np.mean(shared) == pytest.approx(4 * 4 / 14, abs=0.15)


@pytest.fixture
def shown(table):
    """Seat 1 has shown two 3s of green and one of blue, and hides one of the green."""
    game = table().put(
        hands=[["R3", "R1"], ["G3", "G3", "B3"], ["Y3", "B3"], ["R4", "R5"]], plates=[["Y0"]] * 4
    )
    game.play("play:R3", "hide:G3")
    return game


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_a_shown_hand_stays_but_for_the_hidden_card(shown, seat):
    """R12: the others know the hand, and that one card of it lies face down, each alike."""
    hidden = Counter()
    for state in redrawn(shown, seat):
        card = CARDS[state["lying"][1]]
        assert sorted([*cards_in(state["hand"][1]), card]) == ["B3", "G3", "G3"]
        assert state["lying"][0] == CARDS.index("R3")
        hidden[card] += 1
    assert likely(hidden, {"G3": 2, "B3": 1})


def test_one_s_own_hidden_card_is_known(shown):
    """R12: to its owner."""
    for state in redrawn(shown, 1):
        assert CARDS[state["lying"][1]] == "G3"
        assert cards_in(state["hand"][1]) == ["G3", "B3"]


def test_two_hidden_cards(shown):
    """R12: each is one of its own hand."""
    shown.play("hide:Y3")
    pairs = Counter()
    for state in redrawn(shown, 3):
        cards = [CARDS[card] for card in state["lying"][1:3]]
        assert sorted([*cards_in(state["hand"][2]), cards[1]]) == ["B3", "Y3"]
        pairs[tuple(cards)] += 1
    assert likely(pairs, {("G3", "B3"): 2, ("G3", "Y3"): 2, ("B3", "B3"): 1, ("B3", "Y3"): 1})


@pytest.mark.parametrize("seat", range(4))
def test_a_shown_hand_is_known_after_the_round(shown, seat):
    """R12: once the hidden card is turned up nothing of the hand is unknown."""
    shown.play("hide:B3", "play:R4")
    while shown.round == 0:
        shown.play(min(shown.legal()))
    for state in redrawn(shown, seat)[:50]:
        assert cards_in(state["hand"][1]) == ["G3", "B3"]
        assert cards_in(state["hand"][2]) == ["Y3"]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_robot_s_pile(table, seat):
    """R8, R17: nobody knows its order, nor its cards; those turned up stay."""
    game = table(num_players=2)
    game.engine.reset(seeds=12)
    true = list(game.robot)
    piles = [state["robot"].tolist() for state in redrawn(game, seat)]
    firsts = Counter(pile[0] for pile in piles)
    assert len(firsts) > 12
    assert game.phase == DECLARE
    game.play("strong:K")
    for state in redrawn(game, seat)[:50]:
        assert state["robot"][0] == state["lying"][2] == true[0]
    while game.round == 0:
        game.play(min(game.legal()))
    for state in redrawn(game, seat)[:50]:
        assert state["robot"][:2].tolist() == true[:2]
        assert state["robot"].tolist() != true


def test_plates_being_chosen(table):
    """R6: what the others have chosen is redrawn with their hands, one's own choice is not."""
    game = table(num_players=2, choose_plate=True)
    game.engine.reset(seeds=3)
    start = game.to_move
    for _ in range(3):
        game.play(min(game.legal()))
    plates, robot = game.plate, game.plate[2]
    others = Counter()
    for state in redrawn(game, 1 - start):
        assert cards_in(state["plate"][1 - start]) == plates[1 - start]
        assert cards_in(state["plate"][2]) == robot
        assert len(cards_in(state["hand"][start])) == 9
        others.update(cards_in(state["plate"][start]))
    assert others.total() == 2 * DRAWS
    assert len(others) > 10


def test_plates_are_public_once_chosen(table):
    """R6: turned up before the declaration."""
    game = table(num_players=3, choose_plate=True)
    game.engine.reset(seeds=3)
    for _ in range(6):
        game.play(min(game.legal()))
    for state in redrawn(game, 0)[:50]:
        assert [cards_in(plate) for plate in state["plate"][:3]] == game.plate


def test_nothing_is_hidden_at_the_end(table):
    """R28: the last cards are shown."""
    game = table(num_players=3)
    game.engine.reset(seeds=3)
    while not game.terminated:
        game.play(min(game.legal()))
    for state in redrawn(game, 0)[:20]:
        assert (state["hand"] == game.state["hand"]).all()
