"""The engine: statuses, autoreset, bots, what belongs to the caller, threads, bad input."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import chisquare

from hotpot_envs.core import Buffers, Engine, get_game
from hotpot_envs.core.engine import get_loops
from hotpot_envs.core.jit import kernel
from hotpot_envs.core.loops import FINISHED, ILLEGAL, OK

B = 16


def started(num_games: int = B, *, seed: int = 0, moves: int = 0, **settings):
    """Return an engine after some random moves in each game, its buffers, and generators."""
    engine = Engine("boil_over", num_games, **settings)
    buffers, generators = engine.buffers(), engine.generators(seed)
    engine.reset(seeds=seed)
    engine.observe(buffers)
    for _ in range(moves):
        engine.step(engine.sample(buffers.action_masks, generators), buffers)
    return engine, buffers, generators


def copies(buffers: Buffers) -> list[bytes]:
    return [getattr(buffers, field.name).tobytes() for field in dataclasses.fields(buffers)]


# Steps


def test_before_the_first_reset_games_are_over() -> None:
    engine = Engine("boil_over", 3)
    buffers = engine.buffers()
    assert engine.over.all()
    engine.step(np.zeros(3, np.int64), buffers)
    assert (buffers.status == FINISHED).all()
    assert not buffers.action_masks.any()


def test_statuses() -> None:
    engine, buffers, _ = started(4, illegal="report", options={"rounds": 1})
    engine.play(np.zeros((4, 4), np.int64), engine.generators(1), buffers)
    engine.reset(seeds=5, where=np.array([True, True, True, False]))
    engine.observe(buffers)
    masks = buffers.action_masks
    actions = np.array([masks[0].argmax(), masks[1].argmin(), -1, 0])
    before = engine.save()
    engine.step(actions, buffers)
    assert buffers.status.tolist() == [OK, ILLEGAL, OK, FINISHED]
    changed = [engine.states[i].tobytes() != before[i].tobytes() for i in range(4)]
    assert changed == [True, False, False, False]
    assert buffers.ended.tolist() == [[False, False]] * 3 + [[True, False]]
    assert not buffers.rewards.any()


@pytest.mark.parametrize("reward", ["win", "rank", "score", "dense"])
def test_an_illegal_action_ends_the_game(reward: str) -> None:
    engine, buffers, _ = started(reward=reward, moves=5)
    offender = engine.to_move
    engine.step(buffers.action_masks.argmin(axis=1), buffers)
    assert (buffers.status == ILLEGAL).all()
    assert buffers.terminated.all()
    assert not buffers.truncated.any()
    assert np.array_equal(engine.states["offender"], offender)
    expected = np.full((B, 4), 1 / 3)
    expected[np.arange(B), offender] = -1
    assert buffers.rewards == pytest.approx(expected)
    assert not buffers.action_masks.any()
    assert not engine.results()[1].any()


@pytest.mark.parametrize("show", ["observations", "masks", "nothing"])
@pytest.mark.parametrize("num_threads", [1, 3])
def test_a_bound_step_is_a_step(num_threads: int, show: str) -> None:
    engine, buffers, generators = started(num_threads=num_threads)
    other, expected, _ = started()
    actions = np.zeros(B, np.int64)
    step = engine.bound_step(actions, buffers, show=show)
    for _ in range(60):
        other.observe(expected)
        other.sample(expected.action_masks, generators, out=actions)
        step()
        other.step(actions, expected, show=show)
        assert engine.states.tobytes() == other.states.tobytes()
        if show == "observations":
            assert copies(buffers) == copies(expected)
        assert buffers.rewards.tobytes() == expected.rewards.tobytes()
    for wrong in (actions[:-1], actions.astype(np.int32)):
        with pytest.raises(ValueError, match=r"actions of shape .*: allowed is int64 of shape"):
            engine.bound_step(wrong, buffers)
    with pytest.raises(ValueError, match="show='much'"):
        engine.bound_step(actions, buffers, show="much")


def test_what_is_not_shown_is_not_written() -> None:
    engine, buffers, generators = started()
    buffers.observations[:] = 99
    engine.step(engine.sample(buffers.action_masks, generators), buffers, show="masks")
    assert (buffers.observations == 99).all()
    assert buffers.action_masks.any(axis=1).all()
    actions = engine.sample(buffers.action_masks, generators)
    buffers.action_masks[:] = 99
    engine.step(actions, buffers, show="nothing")
    assert (buffers.observations == 99).all()
    assert (buffers.action_masks == 99).all()


def test_autoreset_tells_of_the_old_game_and_shows_the_new_one() -> None:
    options = {"rounds": 1}
    auto, out, generators = started(autoreset=True, options=options)
    plain, shown, others = started(options=options)
    ended = 0
    for _ in range(90):
        actions = auto.sample(out.action_masks, generators)
        assert np.array_equal(actions, plain.sample(shown.action_masks, others))
        auto.step(actions, out)
        plain.step(actions, shown)
        assert np.array_equal(out.rewards, shown.rewards)
        assert np.array_equal(out.ended, shown.ended)
        ended += out.terminated.sum()
        plain.reset(where=plain.over)
        plain.observe(shown)
        assert auto.states.tobytes() == plain.states.tobytes()
        assert np.array_equal(out.observations, shown.observations)
        assert np.array_equal(out.action_masks, shown.action_masks)
        assert not auto.over.any()
    assert ended == 2 * B


def test_truncated_games(high_card) -> None:
    """They have no winner and pay nothing in win and rank, but points in score and dense."""
    keep = high_card.GAME.apply

    @kernel
    def stop_short(config, state, action):
        taken = keep(config, state, action)
        if state["terminated"] and state["card"][0] > 4:
            state["terminated"], state["truncated"] = False, True
        return taken

    @kernel
    def scores(config, state, out_scores):
        for seat in range(config["num_players"]):
            out_scores[seat] = state["card"][seat]

    game = dataclasses.replace(high_card.GAME, apply=stop_short, scores=scores)
    for reward in ("win", "rank", "score", "dense"):
        engine = Engine(game, 64, reward=reward)
        buffers, total = engine.buffers(), np.zeros((64, 4))
        engine.reset(seeds=0)
        for _ in range(4):
            engine.step(np.zeros(64, np.int64), buffers)
            total += buffers.rewards
        truncated = engine.states["card"][:, 0] > 4
        assert np.array_equal(buffers.truncated, truncated)
        assert np.array_equal(buffers.terminated, ~truncated)
        assert 10 < truncated.sum() < 54
        assert not buffers.action_masks.any()
        assert np.array_equal(engine.results()[1].any(axis=1), ~truncated)
        points = engine.states["card"].astype(float)
        margins = points - (points.sum(axis=1, keepdims=True) - points) / 3
        if reward == "score":
            assert total == pytest.approx(margins / 5)
        elif reward == "dense":
            assert total == pytest.approx(0)  # the points stood from the start
        else:
            assert not total[truncated].any()
            assert abs(total[~truncated]).max() == 1
        engine.step(np.zeros(64, np.int64), buffers)
        assert (buffers.status == FINISHED).all()


# Choosing and playing


def test_samples_are_legal_and_uniform() -> None:
    engine, buffers, _ = started(4000)
    masks = np.repeat(buffers.action_masks[:1], 4000, axis=0)
    legal = np.flatnonzero(masks[0])
    drawn = engine.sample(masks, engine.generators(3))
    assert set(drawn) == set(legal)
    assert chisquare(np.bincount(drawn)[legal]).pvalue > 1e-3


def test_samples_reach_both_ends_of_the_mask() -> None:
    engine = Engine("boil_over", 3)
    masks = np.zeros((3, engine.game.actions.size), np.int8)
    masks[0, 0] = masks[1, -1] = 1
    out = np.zeros(3, np.int64)
    assert engine.sample(masks, engine.generators(0), out) is out
    assert out.tolist() == [0, 53, -1]


def test_play_is_what_choosing_and_stepping_give() -> None:
    engine, buffers, _ = started(reward="dense", moves=3)
    other, shown, _ = started(reward="dense", moves=3)
    number = engine.bots.index("heuristic")
    generators, others = engine.generators(8), engine.generators(8)
    total = np.zeros((B, 4))
    buffers.rewards[:] = 0
    moves = engine.play(np.full((B, 4), number), generators, buffers)
    made, actions = np.zeros(B, np.int64), np.empty(B, np.int64)
    while not other.over.all():
        get_loops(other.game).choose(
            np.full(B, number), shown.observations, shown.action_masks, others, actions, 0, B
        )
        made += actions >= 0
        other.step(actions, shown)
        total += shown.rewards
    assert engine.states.tobytes() == other.states.tobytes()
    assert np.array_equal(generators, others)
    assert np.array_equal(moves, made)
    assert (moves == 4 * 38 - 3).all()
    assert buffers.rewards == pytest.approx(total)
    assert buffers.terminated.all()


def test_play_stops_where_no_bot_sits() -> None:
    engine, buffers, generators = started()
    bots = np.zeros((B, 4), np.int64)
    bots[:, 2] = -1
    moves = engine.play(bots, generators, buffers)
    assert (engine.to_move == 2).all()
    assert set(moves) <= {0, 1, 2, 3}
    assert (engine.play(bots, generators, buffers) == 0).all()
    bots[:, 2] = 0
    assert (engine.play(bots, generators, buffers, max_moves=5) == 5).all()


def test_play_adds_to_the_rewards() -> None:
    engine, buffers, generators = started()
    buffers.rewards[:] = 10
    engine.play(np.zeros((B, 4), np.int64), generators, buffers)
    assert buffers.rewards.sum(axis=1) == pytest.approx(40)
    assert (buffers.rewards != 10).any(axis=1).all()


# What belongs to whom


def test_nothing_is_written_behind_the_callers_back() -> None:
    engine, buffers, generators = started(moves=4)
    second = engine.buffers()
    engine.observe(second)
    held = copies(second)
    saved, to_move, over, results = engine.save(), engine.to_move, engine.over, engine.results()
    kept = [array.tobytes() for array in (saved, to_move, over, *results)]
    for _ in range(60):
        actions = engine.sample(buffers.action_masks, generators)
        given = actions.copy()
        engine.step(actions, buffers)
        assert np.array_equal(actions, given)
    engine.determinize(np.zeros(B, np.int64), generators)
    engine.reset(seeds=9)
    assert copies(second) == held
    assert [array.tobytes() for array in (saved, to_move, over, *results)] == kept


def test_what_is_given_is_not_changed() -> None:
    engine, buffers, _ = started(moves=4)
    seeds, where = np.arange(B, dtype=np.int64), np.arange(B) % 2 == 0
    seats, saved = np.full(B, 1), engine.save()
    given = [array.tobytes() for array in (seeds, where, seats, saved)]
    engine.reset(seeds, where)
    engine.observe(buffers, seats)
    engine.restore(saved)
    engine.play(np.zeros((B, 4), np.int64), engine.generators(0), buffers)
    assert [array.tobytes() for array in (seeds, where, seats, saved)] == given


@pytest.mark.parametrize("again", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
@pytest.mark.parametrize("num_threads", [1, 3])
def test_copies_go_on_by_themselves(again, num_threads: int) -> None:
    settings = {"reward": "dense", "options": {"limit": 19}, "num_threads": num_threads}
    engine, buffers, generators = started(moves=10, **settings)
    other = again(engine)
    assert (other.options, other.reward, other.num_threads) == (
        engine.options,
        "dense",
        num_threads,
    )
    before = other.save()
    others, shown = generators.copy(), other.buffers()
    other.observe(shown)
    trace = []
    for _ in range(50):
        engine.step(engine.sample(buffers.action_masks, generators), buffers)
        trace.append(copies(buffers))
    assert other.states.tobytes() == before.tobytes()
    for kept in trace:
        other.step(other.sample(shown.action_masks, others), shown)
        assert copies(shown) == kept
    engine.close()
    other.close()


def test_games_of_one_name_do_not_share_their_rules() -> None:
    game = dataclasses.replace(get_game("boil_over"), score_sign=1, max_num_moves=1)
    assert Engine(game).game is game
    assert get_loops(game) is not get_loops(get_game("boil_over"))


# Seeds


def test_ways_to_give_seeds() -> None:
    engine = Engine("boil_over", 3)
    states = []
    for seeds in (7, np.int64(7), [7, 8, 9], np.array([7, 8, 9]), np.array([7, 8, 9], np.uint8)):
        engine.reset(seeds)
        states.append(engine.save().tobytes())
    assert len(set(states)) == 1
    # The largest seed is followed by 0.
    engine.reset(2**64 - 1)
    highest = engine.save()
    engine.reset(np.array([2**64 - 1, 0, 1], np.uint64))
    assert engine.states.tobytes() == highest.tobytes()


def test_engines_without_seeds_play_other_games() -> None:
    engines = [Engine("boil_over", 2) for _ in range(2)]
    for engine in engines:
        engine.reset()
    hands = {engine.states["hand"][i].tobytes() for engine in engines for i in range(2)}
    assert len(hands) == 4


# Threads


@pytest.mark.parametrize("num_threads", [2, 5, 40])
def test_threads_give_what_one_gives(num_threads: int) -> None:
    """Every loop, with more threads than games too."""
    found = []
    for threads in (1, num_threads):
        engine, buffers, generators = started(33, num_threads=threads)
        for _ in range(20):
            engine.step(engine.sample(buffers.action_masks, generators), buffers)
        steps = copies(buffers)
        engine.observe(buffers, np.full(33, 3))
        views = copies(buffers)
        engine.determinize(np.full(33, 1), generators)
        drawn = engine.save().tobytes()
        engine.play(np.ones((33, 4), np.int64), generators, buffers)
        results = [array.tobytes() for array in engine.results()]
        found.append((steps, views, drawn, results, engine.save().tobytes(), generators.tobytes()))
        engine.close()
    assert found[0] == found[1]


def test_engines_in_threads_of_their_own() -> None:
    def play(seed: int) -> bytes:
        engine, buffers, generators = started(50, seed=seed, moves=12)
        engine.play(np.ones((50, 4), np.int64), generators, buffers)
        return engine.save().tobytes() + buffers.rewards.tobytes()

    alone = [play(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(play, range(8))) == alone


# Bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "chess"}, "no game 'chess'"),
        ({"num_games": 0}, "num_games=0: allowed is a whole number from 1"),
        ({"num_games": 2.0}, "num_games=2.0"),
        ({"num_games": True}, "num_games=True"),
        ({"num_threads": 0}, "num_threads=0: allowed is a whole number from 1"),
        ({"reward": "money"}, "reward='money': allowed is 'win' or 'rank' or 'score' or 'dense'"),
        ({"illegal": "ignore"}, "illegal='ignore': allowed is 'terminate' or 'report'"),
        ({"options": {"rounds": 99}}, "option rounds=99"),
        ({"options": {"round": 1}}, "Boil Over has no option 'round'"),
    ],
)
def test_wrong_constructions(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Engine(**{"game": "boil_over", **arguments})


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 1, 54], "action 54 in game 2 is outside the action space: 0 to 53, or -1 for none"),
        ([0, -2, 0], "action -2 in game 1 is outside"),
        ([0, 0], r"actions of shape \(2,\)"),
        ([[0, 0, 0]], r"actions of shape \(1, 3\)"),
        (0, r"actions of shape \(\)"),
        ([0.0, 0.0, 0.0], "dtype float64: allowed are whole numbers"),
        ([True, True, True], "dtype bool"),
        (["0", "0", "0"], "dtype <U1"),
        ([None, 0, 0], "dtype object"),
    ],
)
def test_wrong_actions_change_nothing(actions: object, message: str) -> None:
    engine, buffers, _ = started(3)
    before, shown = engine.save(), copies(buffers)
    with pytest.raises(ValueError, match=message):
        engine.step(np.asarray(actions), buffers)
    assert engine.states.tobytes() == before.tobytes()
    assert copies(buffers) == shown


def test_wrong_actions_of_a_single_game() -> None:
    engine, buffers, _ = started(1)
    for action in (54, -2):
        with pytest.raises(ValueError, match=f"action {action} in game 0 is outside"):
            engine.step(np.array([action]), buffers)


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        (-1, r"seed -1: allowed is 0 to 2\*\*64 - 1"),
        (2**64, "seed 18446744073709551616"),
        (True, "seed True: allowed is a whole number"),
        (1.5, "dtype float64: allowed is one whole number, or 3 of them"),
        ("7", "allowed is one whole number"),
        ([1, 2], r"seeds of shape \(2,\)"),
        ([1, -2, 3], "seed -2"),
        ([1, 2, 2**64], "dtype object"),
    ],
)
def test_wrong_seeds(seeds: object, message: str) -> None:
    engine, _, _ = started(3)
    before = engine.save()
    for method in (engine.reset, engine.generators):
        with pytest.raises(ValueError, match=message):
            method(seeds)
    assert engine.states.tobytes() == before.tobytes()


@pytest.mark.parametrize(
    "where", [np.ones(2, np.bool_), np.ones(3, np.int8), np.ones((3, 1), np.bool_)]
)
def test_wrong_where(where: np.ndarray) -> None:
    engine, _, _ = started(3)
    for method in (lambda: engine.reset(0, where), lambda: engine.save(where)):
        with pytest.raises(ValueError, match=r"where of shape .* allowed is bool of shape"):
            method()


@pytest.mark.parametrize(
    ("seats", "message"),
    [
        ([0, 0, 4], "seats from 0 to 4: allowed is 0 to 3"),
        ([-2, 0, 0], "seats from -2 to 0"),
        ([0, 0], r"seats of shape \(2,\)"),
        ([0.0, 1.0, 2.0], "dtype float64"),
    ],
)
def test_wrong_seats(seats: list, message: str) -> None:
    engine, buffers, generators = started(3)
    with pytest.raises(ValueError, match=message):
        engine.observe(buffers, np.array(seats))
    with pytest.raises(ValueError, match=message):
        engine.determinize(np.array(seats), generators)


def test_nobodys_knowledge_is_no_knowledge() -> None:
    engine, _, generators = started(3)
    with pytest.raises(ValueError, match=r"seats from -1 to -1: allowed is 0 to 3$"):
        engine.determinize(np.full(3, -1), generators)


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Buffers)])
def test_buffers_of_another_shape_or_kind(field: str) -> None:
    engine, buffers, generators = started(3)
    array = getattr(buffers, field)
    for wrong in (np.concatenate([array, array]), array.astype(np.complex64), array[:, None]):
        changed = dataclasses.replace(buffers, **{field: wrong})
        for use in (
            lambda out=changed: engine.step(np.zeros(3, np.int64), out),
            lambda out=changed: engine.observe(out),
            lambda out=changed: engine.play(np.zeros((3, 4), np.int64), generators, out),
        ):
            with pytest.raises(ValueError, match=f"{field} of shape .*: allowed is "):
                use()


def test_wrong_ways_to_choose_and_play() -> None:
    engine, buffers, generators = started(3)
    masks, bots = buffers.action_masks, np.zeros((3, 4), np.int64)
    for use, message in (
        (lambda: engine.sample(masks[:2], generators), "action_masks of shape"),
        (lambda: engine.sample(masks.astype(bool), generators), "dtype bool: allowed is int8"),
        (lambda: engine.sample(masks, generators[:2]), "generators of shape"),
        (lambda: engine.sample(masks, generators.astype(np.int64)), "allowed is uint64"),
        (lambda: engine.sample(masks, generators, np.zeros(2, np.int64)), "out of shape"),
        (lambda: engine.play(bots[:, :3], generators, buffers), r"bots of shape \(3, 3\)"),
        (lambda: engine.play(bots.astype(np.int8), generators, buffers), "allowed is int64"),
        (lambda: engine.play(bots + 9, generators, buffers), "bots from 9 to 9: allowed is -1"),
        (lambda: engine.play(bots - 2, generators, buffers), "bots from -2 to -2"),
        (lambda: engine.play(bots, generators[:1], buffers), "generators of shape"),
        (lambda: engine.determinize(np.zeros(3, int), generators[:1]), "generators of shape"),
        (lambda: engine.step(np.zeros(3, int), buffers, show="all"), "show='all': allowed is"),
    ):
        with pytest.raises(ValueError, match=message):
            use()


def test_states_that_do_not_fit() -> None:
    engine, _, _ = started(3)
    with pytest.raises(ValueError, match="allowed are 3 states of Boil Over"):
        engine.restore(engine.save()[:2])
    with pytest.raises(ValueError, match="allowed are 1 states of Boil Over"):
        engine.restore(engine.save(), np.array([True, False, False]))
    with pytest.raises(ValueError, match="allowed are 3 states of Boil Over"):
        engine.restore(np.zeros(3, np.int64))
