"""Boil Over's rules, clause by clause (RULES.md), with the rulebook's examples."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from hotpot_envs.core import Engine, rng
from hotpot_envs.games.boil_over.notation import CARDS, cards_in
from hotpot_envs.games.boil_over.state import FIRST_POISON, SUIT_SETS, VALUES

ANNA, BEN, CARLA, DAN = range(4)
WHOLE_DECK = set(CARDS)


def deals(num_games: int, **options) -> Engine:
    """Return games just dealt."""
    engine = Engine("boil_over", num_games, options=options)
    engine.reset(seeds=100)
    return engine


def hands(state, num_players: int) -> list[list[str]]:
    """Return the hands from the dealer's left on."""
    seats = [(state["dealer"] + 1 + i) % num_players for i in range(num_players)]
    return [cards_in(state["hand"][seat]) for seat in seats]


def play_at_random(engine: Engine) -> None:
    bots = np.zeros((engine.num_games, engine.num_players), np.int64)
    engine.play(bots, engine.generators(5), engine.buffers())


# Cards and seats


def test_the_deck():
    """R1: 38 cards, ace to 10 of three suits and 2 to 9 of spades, at face value."""
    assert len(CARDS) == len(WHOLE_DECK) == 38
    assert {card for card in CARDS if card[0] == "H"} == {f"H{value}" for value in range(1, 11)}
    assert {card for card in CARDS if card[0] == "S"} == {f"S{value}" for value in range(2, 10)}
    assert [int(card[1:]) for card in CARDS] == VALUES.tolist()
    for suit, members in zip("HDCS", SUIT_SETS, strict=True):
        assert cards_in(members) == [card for card in CARDS if card[0] == suit]


def test_three_empty_pots_of_no_value(table):
    """R2: hearts, diamonds and clubs; an empty pot stands at nothing."""
    boil_over = table().put(hands=[["H3"], ["D4"], ["C5"], ["H1"]])
    assert [boil_over.pot(suit) for suit in "HDC"] == [(set(), 0)] * 3
    boil_over.play("H3", "D4", "C5")
    assert [boil_over.pot(suit)[1] for suit in "HDC"] == [3, 4, 5]


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_the_first_dealer_is_drawn(num_players):
    """R3: every seat alike."""
    engine = deals(1000, num_players=num_players)
    counts = np.bincount(engine.states["dealer"], minlength=num_players)
    assert len(counts) == num_players
    assert chisquare(counts).pvalue > 1e-3


# The deal


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_cards_are_shuffled_and_dealt_one_at_a_time(num_players):
    """R4: from the dealer's left, clockwise, to the last card; R6: the fourth hand comes last."""
    engine = deals(20, num_players=num_players)
    for seed, state in zip(range(100, 120), engine.states, strict=True):
        generator = rng.mix_seeds(np.array([seed]))
        with np.errstate(over="ignore"):
            dealer = rng.below(generator, num_players)
            deck = np.arange(38, dtype=np.int8)
            rng.shuffle(generator, deck, 38)
        assert state["dealer"] == dealer
        dealt = [[] for _ in range(max(num_players, 4))]
        for card, hand in zip(deck, itertools.cycle(dealt)):
            hand.append(CARDS[card])
        found = [*hands(state, num_players), cards_in(state["unused"])]
        assert [set(hand) for hand in found[: len(dealt)]] == [set(hand) for hand in dealt]
        assert not state["pot"].any()
        assert not state["pot_total"].any()
        assert not state["taken"].any()


@pytest.mark.parametrize(
    ("num_players", "sizes"),
    [
        (3, [10, 10, 9]),
        (4, [10, 10, 9, 9]),
        (5, [8, 8, 8, 7, 7]),
        (6, [7, 7, 6, 6, 6, 6]),
    ],
)
def test_hand_sizes(num_players, sizes):
    """R5: the first players may get one card more; R6: 9 cards are unused with 3 players."""
    for state in deals(50, num_players=num_players).states:
        dealt = hands(state, num_players)
        assert [len(hand) for hand in dealt] == sizes
        unused = cards_in(state["unused"])
        assert len(unused) == (9 if num_players == 3 else 0)
        assert set(itertools.chain(unused, *dealt)) == WHOLE_DECK


def test_every_card_goes_everywhere_alike():
    """R4: over many deals each card is in each hand as often as that hand's size says."""
    engine = deals(4000)
    counts = np.zeros((38, 4))
    for seat in range(4):
        for card in range(38):
            bits = engine.states["hand"][:, seat] >> np.uint64(card) & np.uint64(1)
            counts[card, seat] = bits.sum()
    assert chisquare(counts.ravel(), np.full(152, 1000)).pvalue > 1e-3


def test_nobody_sees_the_unused_hand():
    """R6: the views of all three seats, and the scores, are the same whatever it holds."""
    engine = deals(30, num_players=3, rounds=2)
    other = deals(30, num_players=3, rounds=2)
    for i in range(30):
        # Another unused hand: swap cards between it and the hand of a player.
        for viewer in range(3):
            other.restore(engine.states)
            state = other.states[i]
            owner = (viewer + 1) % 3
            hand, unused = int(state["hand"][owner]), int(state["unused"])
            card, spare = hand & -hand, unused & -unused
            state["hand"][owner] = np.uint64(hand ^ card ^ spare)
            state["unused"] = np.uint64(unused ^ card ^ spare)
            for seat in {0, 1, 2} - {owner}:
                views = [e.buffers() for e in (engine, other)]
                for e, view in zip((engine, other), views, strict=True):
                    e.observe(view, np.full(30, seat))
                assert np.array_equal(views[0].observations, views[1].observations)


def test_the_unused_hand_stays_unseen_to_the_end_of_the_round():
    """R6, R11: after 28 of 29 turns nothing of the 9 unused cards is in what has been seen."""
    engine = deals(1, num_players=3, rounds=1)
    buffers = engine.buffers()
    engine.play(np.zeros((1, 3), np.int64), engine.generators(1), buffers, max_moves=28)
    engine.observe(buffers)
    seen = engine.game.observations.split(buffers.observations[0])["seen"]
    unused = [CARDS.index(card) for card in cards_in(engine.states[0]["unused"])]
    assert len(unused) == 9
    assert not seen[unused].any()
    assert seen.sum() == 28


# The turn


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_turns_pass_to_the_left_from_the_dealers_left(num_players):
    """R7: each plays one card a turn; R3: left is the seat + 1; nobody is ever without a card."""
    engine = deals(40, num_players=num_players, rounds=1)
    buffers, generators = engine.buffers(), engine.generators(9)
    expected = (engine.states["dealer"] + 1) % num_players
    engine.observe(buffers)
    for left in range(29 if num_players == 3 else 38, 0, -1):
        assert np.array_equal(engine.to_move, expected)
        assert buffers.action_masks.any(axis=1).all()
        held = np.bitwise_count(engine.states["hand"]).sum(axis=1)
        assert (held == left).all()
        engine.step(engine.sample(buffers.action_masks, generators), buffers)
        expected = (expected + 1) % num_players
    assert engine.over.all()


def test_legal_moves(table):
    """R8: an ingredient to its own pot, a poison to any pot, an empty one too."""
    boil_over = table().put(hands=[["H7", "D1", "C10", "S2", "S9"]])
    poison = {f"{card}>{pot}" for card in ("S2", "S9") for pot in "HDC"}
    assert boil_over.legal() == {"H7", "D1", "C10"} | poison


def test_every_card_may_be_played_whatever_it_does(table):
    """R8, R10: a card that makes a pot boil over is as legal as any other."""
    boil_over = table().put(hands=[["H10", "D1"]], pots={"H": ["H9", "H8"]})
    assert boil_over.legal() == {"H10", "D1"}


@pytest.mark.parametrize("pot", ["H", "D", "C"])
def test_poison_starts_an_empty_pot(table, pot):
    """R8, R2."""
    boil_over = table().put(hands=[["S6"], ["H1"], ["H2"], ["H3"]])
    boil_over.play(f"S6>{pot}")
    assert boil_over.pot(pot) == ({"S6"}, 6)
    assert sum(boil_over.pot(other)[1] for other in "HDC") == 6


def test_no_other_pot_takes_an_ingredient():
    """R8: there is no move that puts a card on the pot of another suit."""
    game = deals(1).game
    assert game.actions.size == FIRST_POISON + 3 * 8 == 54


@pytest.mark.parametrize("limit", [10, 19, 20, 40])
def test_the_limit_itself_is_safe(table, limit):
    """R9: exactly the limit is not more than it; R10: one more is."""
    cards = {10: ["H6"], 19: ["H10", "H5"], 20: ["H10", "H6"], 40: ["H10", "H9", "H8", "S9"]}
    for card, over in (("H4", False), ("S5", True)):
        boil_over = table(limit=limit).put(
            hands=[[card], ["D1"], ["D2"], ["D3"]], pots={"H": cards[limit]}
        )
        boil_over.play(card if card[0] == "H" else f"{card}>H")
        if over:
            assert boil_over.taken(0) == set(cards[limit])
            assert boil_over.pot("H") == ({card}, 5)
        else:
            assert boil_over.taken(0) == set()
            assert boil_over.pot("H") == ({card, *cards[limit]}, limit)


def test_the_rulebooks_heart_pot(table):
    """R9, R10: 7 and 5 of hearts; Ben's 6 of spades makes 18; Carla's 4 of hearts makes 22."""
    boil_over = table().put(
        hands=[["D2"], ["S6", "C2"], ["H4", "H9"], ["D3"]],
        pots={"H": ["H7", "H5"]},
        to_move=BEN,
        dealer=ANNA,
    )
    assert boil_over.pot("H")[1] == 12
    boil_over.play("S6>H")
    assert boil_over.pot("H")[1] == 18
    assert boil_over.taken(BEN) == set()
    assert boil_over.legal() == {"H4", "H9"}
    boil_over.play("H4")
    assert boil_over.taken(CARLA) == {"H7", "H5", "S6"}
    assert boil_over.pot("H") == ({"H4"}, 4)
    assert boil_over.state["to_move"] == DAN


def test_what_is_taken_adds_up(table):
    """R10: a second boil-over adds to the first, and leaves other pots alone."""
    boil_over = table().put(
        hands=[["C10", "H9"], ["D1", "H1"], ["D2"], ["D3"]],
        pots={"H": ["H10", "S9"], "C": ["C9", "C8"], "D": ["D7"]},
    )
    boil_over.play("C10", "D1", "D2", "D3", "H9")
    assert boil_over.taken(0) == {"C9", "C8", "H10", "S9"}
    assert boil_over.pot("D") == ({"D7", "D1", "D2", "D3"}, 13)


def test_redrawing_hidden_cards_counts_small_cases(table):
    """R11: three cards unseen by seat 0, two of them Ben's: the three divisions come alike."""
    seen = sorted(WHOLE_DECK - {"H1", "S9", "D4", "C7"})
    boil_over = table().put(hands=[["C7"], ["H1", "S9"], ["D4"], []], taken=[seen], to_move=BEN)
    counts = redraw(boil_over, seat=0, times=3000)
    assert len(counts) == 3
    assert all(hand[1] | hand[2] == {"H1", "S9", "D4"} for hand in counts)
    assert chisquare(list(counts.values())).pvalue > 1e-3
    # To Ben only two hands are hidden, Anna's and Carla's: two divisions.
    counts = redraw(boil_over, seat=BEN, times=2000)
    assert {(hand[0], hand[2]) for hand in counts} == {
        (frozenset({"C7"}), frozenset({"D4"})),
        (frozenset({"D4"}), frozenset({"C7"})),
    }
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_redrawing_mixes_in_the_unused_hand(table):
    """R6, R11: to seat 0 the unused hand is as hidden as the other two: six divisions."""
    seen = sorted(WHOLE_DECK - {"H1", "S9", "D4", "C7"})
    boil_over = table(num_players=3).put(
        hands=[["C7"], ["H1"], ["S9"]], unused=["D4"], taken=[seen]
    )
    counts = redraw(boil_over, seat=0, times=6000)
    divisions = {
        tuple(map(frozenset, order)) for order in itertools.permutations([["H1"], ["S9"], ["D4"]])
    }
    assert {hand[1:] for hand in counts} == divisions
    assert chisquare(list(counts.values())).pvalue > 1e-3


def redraw(boil_over, seat: int, times: int) -> Counter:
    """Count how the hands, and the unused one, come to lie."""
    engine = Engine("boil_over", times, options=boil_over.engine.options)
    engine.restore(boil_over.engine.states.repeat(times))
    engine.determinize(np.full(times, seat), engine.generators(3))
    n = engine.num_players
    return Counter(
        (
            *(frozenset(cards_in(state["hand"][other])) for other in range(n)),
            *([frozenset(cards_in(state["unused"]))] if n == 3 else []),
        )
        for state in engine.states
    )


def test_what_is_public_is_kept_by_redrawing(table):
    """R11: cards played, who took what, and the sizes of hands."""
    engine = deals(200, num_players=5)
    engine.play(np.zeros((200, 5), np.int64), engine.generators(1), engine.buffers(), max_moves=21)
    before = engine.save()
    engine.determinize(np.full(200, 2), engine.generators(2))
    for name in ("pot", "pot_total", "taken", "standing", "points", "dealer", "round"):
        assert np.array_equal(engine.states[name], before[name])
    sizes = np.bitwise_count(before["hand"])
    assert np.array_equal(np.bitwise_count(engine.states["hand"]), sizes)
    assert np.array_equal(engine.states["hand"][:, 2], before["hand"][:, 2])
    assert (engine.states["hand"][:, 3] != before["hand"][:, 3]).mean() > 0.9


# The end of a round


def test_cards_left_in_the_pots_count_for_nobody(table):
    """R12: the round ends with the last hand card."""
    boil_over = table(rounds=1).put(
        hands=[["H1"]],
        pots={"H": ["H9", "S2"], "D": ["D10"], "C": ["C3", "S8"]},
    )
    boil_over.play("H1")
    assert boil_over.engine.over[0]
    assert boil_over.points() == [0, 0, 0, 0]


@pytest.mark.parametrize(("num_players", "turns"), [(3, 29), (4, 38), (5, 38), (6, 38)])
def test_turns_in_a_round(num_players, turns):
    """R12."""
    engine = deals(20, num_players=num_players, rounds=3)
    play_at_random(engine)
    assert (engine.states["num_moves"] == 3 * turns).all()


@pytest.mark.parametrize("most_diamonds", [3, 4, 5, 6])
def test_the_rulebooks_round(table, most_diamonds):
    """R13, R14: Anna 8, Ben 5, Carla 14, Dan 4.

    The example's table is lost; its sums give hearts/diamonds/clubs/spades 4/1/3/2 for Anna,
    3/2/3/3 for Carla, 1/1/2/0 for Dan, and 2/?/1/1 for Ben with the most diamonds. Dan takes his
    second club at the round's last turn.
    """
    deck = {suit: [card for card in CARDS if card[0] == suit] for suit in "HDCS"}
    deck["C"].remove("C9")
    deck["C"].remove("C2")

    def take(hearts, diamonds, clubs, spades):
        numbers = zip("HDCS", (hearts, diamonds, clubs, spades), strict=True)
        return [deck[suit].pop() for suit, number in numbers for _ in range(number)]

    boil_over = table(limit=10, rounds=1).put(
        hands=[[], [], [], ["C2"]],
        pots={"C": ["C9"]},
        taken=[take(4, 1, 3, 2), take(2, most_diamonds, 1, 1), take(3, 2, 3, 3), take(1, 1, 1, 0)],
        to_move=DAN,
    )
    boil_over.play("C2")
    assert boil_over.engine.over[0]
    assert boil_over.points() == [8, 5, 14, 4]
    assert boil_over.winners() == [DAN]
    assert boil_over.state["round_points"][0, :4].tolist() == [8, 5, 14, 4]


@pytest.mark.parametrize(
    ("taken", "points"),
    [
        pytest.param([["D5"], [], [], []], [0, 0, 0, 0], id="one card against none"),
        pytest.param([["D5"], ["D6"], [], []], [1, 1, 0, 0], id="two tie for the most"),
        pytest.param([["D5"], ["D6"], ["D7", "D8"], []], [1, 1, 0, 0], id="more than each other"),
        pytest.param(
            [["D1", "D2"], ["D3", "D4"], ["D5"], []], [2, 2, 1, 0], id="a third has fewer"
        ),
        pytest.param([["S2", "S3"], [], [], []], [4, 0, 0, 0], id="spades are never thrown away"),
        pytest.param([["C10"], ["S9"], [], []], [0, 2, 0, 0], id="values do not matter"),
        pytest.param(
            [["H1", "D1", "C1"], ["H2"], ["D2"], ["C2", "C3"]],
            [3, 1, 1, 0],
            id="each suit by itself",
        ),
    ],
)
def test_majorities_and_points(table, taken, points):
    """R13, R14: the boil-over at the end gives seat 3 a heart and a spade, which cost it 3."""
    hearts = ["H4", "H5", "H6"]  # seat 2 has most hearts in any case, and throws them away
    taken = [list(cards) for cards in taken]
    taken[2] += hearts
    boil_over = table(rounds=1).put(
        hands=[[], [], [], ["H9"]], pots={"H": ["H10", "S8"]}, taken=taken, to_move=3
    )
    boil_over.play("H9")
    expected = list(points)
    expected[3] += 1 + 2  # H10 and S8
    assert boil_over.points() == expected


def test_the_unused_hand_is_no_player(table):
    """R13: nine hearts in the unused hand take no majority away."""
    unused = [f"H{value}" for value in range(1, 10)]
    boil_over = table(num_players=3, rounds=1).put(
        hands=[["D3"], [], []], pots={"D": ["D10", "D9"]}, unused=unused
    )
    boil_over.play("D3")
    assert boil_over.points() == [0, 0, 0]


# The game


@pytest.mark.parametrize(("num_players", "rounds"), [(3, 3), (4, 6), (5, 12), (6, 2)])
def test_the_deal_passes_to_the_left(num_players, rounds):
    """R15: round the table, also with more rounds than players; all cards are dealt anew."""
    engine = deals(10, num_players=num_players, rounds=rounds)
    buffers, turns = engine.buffers(), 29 if num_players == 3 else 38
    first = engine.states["dealer"].astype(int)
    bots, generators = np.zeros((10, num_players), np.int64), engine.generators(4)
    for number in range(rounds):
        states = engine.states
        assert (states["round"] == number).all()
        assert np.array_equal(states["dealer"], (first + number) % num_players)
        assert np.array_equal(states["to_move"], (first + number + 1) % num_players)
        assert not states["taken"].any()
        assert not states["pot"].any()
        held = np.bitwise_count(states["hand"]).sum(axis=1) + np.bitwise_count(states["unused"])
        assert (held == 38).all()
        engine.play(bots, generators, buffers, max_moves=turns)
    assert engine.over.all()
    assert (engine.states["round"] == rounds).all()


@pytest.mark.parametrize("num_players", [3, 4, 5, 6])
def test_as_many_rounds_as_players(num_players):
    """R16: unless the option says otherwise."""
    game = deals(1).game
    assert game.resolve_options({"num_players": num_players})["rounds"] == num_players
    options = {"num_players": num_players, "rounds": 4}
    assert game.resolve_options(options)["rounds"] == 4


def test_all_rounds_are_played_though_the_winner_is_certain(table):
    """R16: seat 0 cannot lose, and the game goes on."""
    boil_over = table(rounds=2).put(hands=[["H1"]], points=[0, 99, 99, 99, 0, 0])
    boil_over.play("H1")
    assert not boil_over.engine.over[0]
    assert boil_over.state["round"] == 1
    assert boil_over.winners() == []


@pytest.mark.parametrize(
    ("points", "winners"),
    [
        ([3, 1, 2, 4], [1]),
        ([3, 1, 1, 4], [1, 2]),
        ([5, 5, 5, 5], [0, 1, 2, 3]),
        ([0, 7, 0, 0], [0, 2, 3]),
    ],
)
def test_the_lowest_total_wins(table, points, winners):
    """R17: equal totals share the win."""
    boil_over = table(rounds=1).put(hands=[["H1"]], points=[*points, 0, 0])
    boil_over.play("H1")
    assert boil_over.points() == points
    assert boil_over.winners() == winners


def test_points_of_all_rounds_are_added_up():
    """R17, R14: a game's total is the sum of its rounds, each at most 28."""
    engine = deals(300, num_players=6)
    play_at_random(engine)
    rounds = engine.states["round_points"][:, :6]
    assert np.array_equal(engine.results()[0], rounds.sum(axis=1))
    assert rounds.max() <= 28
    assert rounds.min() == 0


def test_the_standing_before_the_end(table):
    """R18: the rounds that are over and what this one would cost; R13 makes it fall too."""
    boil_over = table().put(
        hands=[["D10", "D1"], ["H10", "D2"], ["C1", "C2"], ["C3", "C4"]],
        pots={"D": ["D9", "D8"], "H": ["H9", "H8"]},
        taken=[[], ["D3", "S2"], [], []],
        points=[10, 20, 30, 40, 0, 0],
        standing=[0, 2, 0, 0, 0, 0],
    )
    assert boil_over.points() == [10, 22, 30, 40]
    boil_over.play("D10")  # seat 0 takes two diamonds and the majority: seat 1's one now costs
    assert boil_over.points() == [10, 23, 30, 40]
    boil_over.play("H10")  # two hearts, nobody else has any
    assert boil_over.points() == [10, 23, 30, 40]
    assert boil_over.winners() == []


def test_a_tighter_limit_makes_more_boil_over():
    """R10, the rulebook's variant 19: more cards are taken than with 20, and fewer with 40."""
    taken = []
    for limit in (19, 20, 40):
        engine = deals(400, limit=limit, rounds=1)
        engine.play(
            np.zeros((400, 4), np.int64), engine.generators(1), engine.buffers(), max_moves=37
        )
        taken.append(np.bitwise_count(engine.states["taken"]).sum())
    assert taken[0] > taken[1] > taken[2]


def test_with_limit_20_a_round_is_as_the_rulebook_says():
    """R10: about 3 cards a boil-over in random play, about 10 boil-overs, at most 7 in a pot."""
    engine = deals(2000, rounds=1)
    buffers, generators = engine.buffers(), engine.generators(6)
    boil_overs, most = 0, 0
    before = np.bitwise_count(engine.states["taken"]).sum(axis=1)
    engine.observe(buffers)
    while not engine.over.all():
        engine.step(engine.sample(buffers.action_masks, generators), buffers)
        after = np.bitwise_count(engine.states["taken"]).sum(axis=1)
        boil_overs += (after > before).sum()
        most = max(most, np.bitwise_count(engine.states["pot"]).max())
        before = after
    assert boil_overs / 2000 == pytest.approx(10, abs=0.5)
    assert after.sum() / boil_overs == pytest.approx(3.1, abs=0.15)
    assert most <= 7
