"""Matches, against a slow and obvious computation of every figure."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from scipy import stats

from hotpot_envs.arena import match, run
from hotpot_envs.bots import CallableBot, Policy, make_bot
from hotpot_envs.core import Engine, get_game

GAME = get_game("boil_over")


def first_legal(observation, action_mask):
    return int(np.flatnonzero(action_mask)[0])


def last_legal(observation, action_mask):
    return int(np.flatnonzero(action_mask)[-1])


def by_pot(observation, action_mask):
    legal = np.flatnonzero(action_mask)
    return int(legal[observation[GAME.observations.slice("pot_total")].sum() % len(legal)])


def cheat(observation, action_mask):
    """Plays on until its last card, which it puts where it may not."""
    hand_size = observation[GAME.observations.start("hand_size")]
    return int(np.flatnonzero(action_mask == (hand_size > 5))[0])


def play_one(deal_seed, row, bots, options):
    """One game, one action at a time: points, win shares and ranks by seat."""
    engine = Engine("boil_over", options=options)
    engine.reset(np.array([deal_seed]))
    buffers, generators = engine.buffers(), engine.generators(0)
    while not engine.over[0]:
        engine.observe(buffers)
        bot = make_bot(bots[row[engine.to_move[0]]], GAME)
        engine.step(bot.act(buffers.observations, buffers.action_masks, generators), buffers)
    points = engine.results()[0][0].tolist()
    offender = int(engine.states["offender"][0])
    n = len(points)
    if offender >= 0:
        others = [seat for seat in range(n) if seat != offender]
        shares = [0 if seat == offender else 1 / (n - 1) for seat in range(n)]
        ranks = [n if seat == offender else sum(range(1, n)) / len(others) for seat in range(n)]
    else:
        best = [seat for seat in range(n) if points[seat] == min(points)]
        shares = [1 / len(best) if seat in best else 0 for seat in range(n)]
        ranks = stats.rankdata(points).tolist()
    return points, shares, ranks, offender


@pytest.mark.parametrize(
    "bots",
    [
        [first_legal, last_legal, by_pot],
        [by_pot, first_legal, by_pot, last_legal],
        [by_pot, first_legal, cheat],
    ],
)
def test_every_figure_equals_a_slow_computation(bots):
    n, deals, seed = len(bots), 7, 5
    options = {"num_players": n, "rounds": 1}
    schedule, _ = match._draw(seed, deals, n)
    shares, ranks, scores = np.zeros((3, deals, n, n))
    illegal = [0] * n
    for deal in range(deals):
        for rotation in range(n):
            row = schedule.entries[deal, rotation].tolist()
            points, won, placed, offender = play_one(schedule.deal_seeds[deal], row, bots, options)
            for seat, entry in enumerate(row):
                shares[deal, rotation, entry] = won[seat]
                ranks[deal, rotation, entry] = placed[seat]
                scores[deal, rotation, entry] = points[seat]
            if offender >= 0:
                illegal[row[offender]] += 1

    result = run("boil_over", bots, deals, options={"rounds": 1}, seed=seed)
    assert result.options == {"num_players": n, "limit": 20, "rounds": 1}
    assert (result.deals, result.games) == (deals, deals * n)
    assert [bot.num_illegal for bot in result.bots] == illegal
    assert (cheat in bots) == any(illegal)
    for entry, bot in enumerate(result.bots):
        for estimate, slow, low, high in (
            (bot.win_share, shares, 0, 1),
            (bot.mean_rank, ranks, 1, n),
            (bot.mean_score, scores, -np.inf, np.inf),
        ):
            values = slow[:, :, entry].mean(axis=1)
            assert estimate.mean == pytest.approx(values.mean())
            with np.errstate(invalid="ignore"):
                expected = stats.t.interval(
                    0.95, deals - 1, loc=values.mean(), scale=stats.sem(values)
                )
            if values.std() > 0:
                assert estimate.low == pytest.approx(max(low, expected[0]))
                assert estimate.high == pytest.approx(min(high, expected[1]))
            else:
                assert (estimate.low, estimate.high) == (estimate.mean, estimate.mean)
    np.testing.assert_allclose(result.win_share, shares.mean(axis=1))
    np.testing.assert_allclose(result.rank, ranks.mean(axis=1))
    np.testing.assert_allclose(result.score, scores.mean(axis=1))


@pytest.mark.parametrize("n", [3, 4, 6])
def test_each_deal_is_played_in_every_rotation(n):
    schedule, _ = match._draw(1, 50, n)
    assert len(set(schedule.deal_seeds.tolist())) == 50
    assert len(set(schedule.bot_seeds.ravel().tolist())) == 50 * n
    seats = np.arange(n)
    orders = set()
    for table in schedule.entries:
        for row in [*table, *table.T]:  # every entry once a game, and in every seat of a deal
            assert sorted(row.tolist()) == seats.tolist()
        for rotation, row in enumerate(table):
            assert (row == np.roll(table[0], rotation)).all()
        orders.add(tuple(np.roll(table[0], -table[0].argmin())))
    assert len(orders) == min(50, {3: 2, 4: 6, 6: len(orders)}[n])
    assert len(orders) > 1


def test_more_deals_begin_with_the_same_ones():
    few = run("boil_over", ["random"] * 3, 5, seed=4)
    many = run("boil_over", ["random"] * 3, 9, seed=4)
    assert (many.score[:5] == few.score).all()
    other = run("boil_over", ["random"] * 3, 5, seed=5)
    assert (other.score != few.score).any()


def test_the_same_seed_gives_the_same_table_whatever_the_threads_and_batches(monkeypatch):
    bots = ["random", last_legal, "random", by_pot]

    def outputs(**kwargs):
        result = run("boil_over", bots, 40, options={"rounds": 2}, seed=3, **kwargs)
        return result.to_json(), result.to_csv()

    first = outputs()
    assert outputs(num_threads=1) == first
    assert outputs(num_threads=3) == first
    monkeypatch.setattr(match, "BATCH", 12)
    assert outputs(num_threads=2) == first


@pytest.mark.parametrize("n", [3, 4])
def test_a_bot_against_itself_comes_out_at_its_fair_share(n):
    result = run("boil_over", ["random"] * n, 150, options={"rounds": 1}, seed=1)
    assert [(bot.seat, bot.name) for bot in result.bots] == [(i, "random") for i in range(n)]
    assert sum(bot.win_share.mean for bot in result.bots) == pytest.approx(1)
    assert sum(bot.mean_rank.mean for bot in result.bots) == pytest.approx(n * (n + 1) / 2)
    for bot in result.bots:
        assert bot.win_share.low < 1 / n < bot.win_share.high
        assert bot.mean_rank.low < (n + 1) / 2 < bot.mean_rank.high
        assert bot.rating.low < 0 < bot.rating.high


def test_a_bot_without_chance_against_itself_is_exactly_level():
    result = run("boil_over", [by_pot] * 4, 10)
    for bot in result.bots:
        assert bot.win_share.mean == pytest.approx(0.25)
        assert bot.win_share.high - bot.win_share.low < 1e-9
        assert bot.mean_rank.mean == pytest.approx(2.5)
        assert bot.rating.mean == pytest.approx(0, abs=1e-5)


def test_a_better_bot_is_rated_higher():
    result = run("boil_over", ["random", *["heuristic"] * 2, "random"], 30)
    weak, strong, _, weak_too = result.bots
    for other in (weak, weak_too):
        assert strong.win_share.low > other.win_share.high
        assert strong.mean_rank.high < other.mean_rank.low
        assert strong.mean_score.high < other.mean_score.low
        assert strong.rating.low > other.rating.high


def test_truncated_and_forfeited_games():
    engine = Engine("boil_over", 3)
    engine.reset(seeds=0)
    engine.play(np.zeros((3, 4), np.int64), engine.generators(0), engine.buffers())
    before = engine.results()[0]
    engine.states["terminated"][1], engine.states["truncated"][1] = False, True
    engine.states["offender"][2] = 3
    points, shares, places = match._outcome(engine)
    assert (points == before).all()
    assert shares[0].sum() == pytest.approx(1)
    assert (shares[0] > 0).tolist() == (points[0] == points[0].min()).tolist()
    assert shares[1].tolist() == [0] * 4
    assert places[1].tolist() == [1.5] * 4
    assert shares[2].tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert places[2].tolist() == [1, 1, 1, 3]


def test_policies_play_and_one_file_named_twice_is_two_entries(tmp_path):
    size, actions = GAME.observations.size, GAME.actions.size
    generator = np.random.default_rng(0)
    layers = {
        "action.weight": generator.normal(size=(actions, size)),
        "action.bias": np.zeros(actions),
        "value.weight": np.zeros((1, size)),
        "value.bias": np.zeros(1),
    }
    path = str(tmp_path / "policy.safetensors")
    Policy(GAME, layers).save(path)
    bots = [path, "random", path, f"{path}@sample"]
    result = run("boil_over", bots, 12, options={"rounds": 1})
    assert [bot.name for bot in result.bots] == bots
    assert not any(bot.num_illegal for bot in result.bots)
    again = run("boil_over", bots, 12, options={"rounds": 1}, num_threads=1)
    assert again.to_json() == result.to_json()


def test_one_deal_has_no_spread_to_tell():
    result = run("boil_over", ["random"] * 3, 1)
    for bot in result.bots:
        assert (bot.win_share.low, bot.win_share.high) == (0, 1)
        assert (bot.mean_rank.low, bot.mean_rank.high) == (1, 3)
        assert (bot.mean_score.low, bot.mean_score.high) == (None, None)
        assert (bot.rating.low, bot.rating.high) == (None, None)


def test_progress_counts_games(monkeypatch):
    monkeypatch.setattr(match, "BATCH", 16)
    calls = []
    result = run(
        "boil_over", ["random"] * 4, 10, options={"rounds": 1}, progress=lambda *a: calls.append(a)
    )
    assert calls == [(16, 40), (32, 40), (40, 40)]
    assert result.num_decisions == 40 * 38
    assert result.num_truncated == 0


@pytest.mark.parametrize("where", ["bot", "progress"])
def test_an_interruption_leaves_no_thread(where):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = threading.active_count()
    bots = ["random", "random", CallableBot(interrupt) if where == "bot" else "random"]
    with pytest.raises(KeyboardInterrupt) as caught:
        run("boil_over", bots, 10, num_threads=3, progress=interrupt)
    assert threading.active_count() == before
    assert caught.traceback  # whoever holds on to it holds no thread


@pytest.mark.parametrize(
    ("bots", "kwargs", "message"),
    [
        (["random"] * 4, {"options": {"num_players": 3}}, "4 bots for num_players=3: name as many"),
        (["random"] * 4, {"options": {"num_players": "4"}}, "4 bots for num_players='4'"),
        (["random"] * 7, {}, "7 bots: Boil Over needs .* a whole number from 3 to 6"),
        ([], {}, "0 bots: Boil Over needs"),
        ("random", {}, "bots='random': allowed is a list of bots"),
        (["random", "random", "genius"], {}, "no bot 'genius'; Boil Over has: random"),
        (["random"] * 3, {"options": {"pots": 2}}, "Boil Over has no option 'pots'"),
        (["random"] * 3, {"options": {"limit": 99}}, "option limit=99: allowed is"),
        (["random"] * 3, {"seed": -1}, "seed=-1: allowed is a whole number from 0"),
        (["random"] * 3, {"deals": 0}, "deals=0: allowed is a whole number from 1"),
        (["random"] * 3, {"deals": True}, "deals=True: allowed is a whole number from 1"),
        (["random"] * 3, {"num_threads": 0}, "num_threads=0: allowed is a whole number from 1"),
    ],
)
def test_wrong_usage_is_refused(bots, kwargs, message):
    with pytest.raises(ValueError, match=message):
        run("boil_over", bots, **{"deals": 2, **kwargs})


def test_an_unknown_game_is_refused():
    with pytest.raises(ValueError, match="no game 'poker'"):
        run("poker", ["random"] * 4)
