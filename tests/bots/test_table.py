"""Tables: bots in seats, against a slow walk through each game alone."""

from __future__ import annotations

import numpy as np
import pytest

from hotpot_envs.bots import Bot, CallableBot, Table, make_bot
from hotpot_envs.core import Engine, get_game
from hotpot_envs.core.rng import uniforms

GAME = get_game("boil_over")
SIZE = 24


class Chancy(Bot):
    """Draws from the generators in Python, as no compiled bot does."""

    name = "chancy"

    def act(self, observations, action_masks, generators):
        counts = action_masks.sum(axis=1)
        wanted = (uniforms(generators) * counts).astype(np.int64)
        places = action_masks.cumsum(axis=1) - 1
        return ((places == wanted[:, None]) & (action_masks == 1)).argmax(axis=1)


def last_legal(observation, action_mask):
    return int(np.flatnonzero(action_mask)[-1])


def walk(states, seats, generators, options, reward):
    """Play each game alone, asking one bot at a time, until a learner is to move or the end."""
    results = []
    for game, row in enumerate(seats):
        engine = Engine("boil_over", options=options, reward=reward)
        engine.restore(states[game : game + 1])
        buffers, generator = engine.buffers(), generators[game : game + 1].copy()
        paid = np.zeros(engine.num_players)
        while not engine.over[0] and (bot := row[engine.to_move[0]]) is not None:
            engine.observe(buffers)
            action = bot.act(buffers.observations, buffers.action_masks, generator)
            engine.step(action, buffers)
            paid += buffers.rewards[0]
        engine.observe(buffers)
        results.append((engine.save(), paid, generator[0], buffers.copy()))
    return results


@pytest.mark.parametrize("reward", ["win", "dense"])
@pytest.mark.parametrize("learners", [0, 1, 2])
@pytest.mark.parametrize("kinds", ["compiled", "mixed", "batched"])
def test_advance_equals_a_slow_walk(kinds, learners, reward):
    options = {"num_players": 4, "rounds": 1}
    compiled = [make_bot(name, GAME) for name in ("random", *GAME.bots)]
    slow = [Chancy(), CallableBot(last_legal)]
    bots = {"compiled": compiled, "mixed": compiled + slow, "batched": slow}[kinds]
    pick = np.random.default_rng(5)
    seats = [[bots[i] for i in pick.integers(len(bots), size=4)] for _ in range(SIZE)]
    for row in seats:
        for seat in pick.choice(4, size=learners, replace=False):
            row[seat] = None

    engine = Engine("boil_over", SIZE, options=options, reward=reward)
    engine.reset(seeds=11)
    table = Table(engine, seats, engine.generators(2))
    buffers, learner = engine.buffers(), engine.generators(3)
    for _ in range(60):
        buffers.rewards[:] = 0.5
        expected = walk(engine.save(), seats, table.generators, options, reward)
        table.advance(buffers)
        for game, (state, paid, generator, seen) in enumerate(expected):
            assert engine.states[game : game + 1].tobytes() == state.tobytes()
            np.testing.assert_allclose(buffers.rewards[game], paid + 0.5, atol=1e-12)
            assert table.generators[game] == generator
            assert (buffers.observations[game] == seen.observations[0]).all()
            assert (buffers.action_masks[game] == seen.action_masks[0]).all()
        assert (buffers.terminated == engine.over).all()
        if engine.over.all():
            break
        engine.step(engine.sample(buffers.action_masks, learner), buffers)
    assert engine.over.all()
    assert not table.num_illegal.any()


def test_an_array_of_seats_is_the_same_as_lists_and_can_be_changed():
    bots = [make_bot("random", GAME), CallableBot(last_legal)]
    array = np.array([[0, 1, 1, 0]] * 8)
    runs = []
    for seats, listed in ((array, bots), ([[bots[i] for i in row] for row in array], None)):
        engine = Engine("boil_over", 8)
        engine.reset(seeds=0)
        table = Table(engine, seats, engine.generators(0), listed)
        table.advance(engine.buffers())
        assert engine.over.all()
        runs.append(engine.states.tobytes())
    assert runs[0] == runs[1]

    engine.reset(seeds=0)
    table.seats[:, 2] = -1
    table.advance(engine.buffers())
    assert not engine.over.any()
    assert (engine.to_move == 2).all()


def test_games_left_out_stay_as_they_are():
    engine = Engine("boil_over", 6)
    engine.reset(seeds=4)
    table = Table(
        engine, [make_bot("random", GAME), CallableBot(last_legal)] * 2, engine.generators(1)
    )
    where = np.array([True, False, True, True, False, True])
    before, generators = engine.save(), table.generators.copy()
    buffers = engine.buffers()
    table.advance(buffers, where)
    assert (engine.over == where).all()
    assert (buffers.terminated == where).all()
    assert engine.states[~where].tobytes() == before[~where].tobytes()
    assert (table.generators[~where] == generators[~where]).all()
    assert not buffers.rewards[~where].any()
    assert buffers.action_masks[~where].any(axis=1).all()


def test_a_finished_game_is_left_alone():
    engine = Engine("boil_over", 3)
    engine.reset(seeds=4)
    table = Table(engine, [CallableBot(last_legal)] * 4, engine.generators(1))
    buffers = engine.buffers()
    table.advance(buffers)
    before, buffers.rewards[:] = engine.save(), 0
    buffers.ended[:] = False
    table.advance(buffers)
    assert engine.states.tobytes() == before.tobytes()
    assert not buffers.rewards.any()
    assert buffers.terminated.all()


def test_an_illegal_action_ends_the_game_and_is_counted():
    def cheat(observation, action_mask):
        return int(np.flatnonzero(action_mask == 0)[0])

    engine = Engine("boil_over", 10)
    engine.reset(seeds=4)
    bots = [make_bot("random", GAME), CallableBot(cheat)]
    table = Table(engine, np.array([0, 1, 0, 0]), engine.generators(1), bots)
    buffers = engine.buffers()
    table.advance(buffers)
    assert buffers.terminated.all()
    assert (engine.states["offender"] == 1).all()
    np.testing.assert_allclose(buffers.rewards, [[1 / 3, -1, 1 / 3, 1 / 3]] * 10)
    assert table.num_illegal.tolist() == [0, 10]
    table.advance(buffers)
    assert table.num_illegal.tolist() == [0, 10]


def test_where_the_engine_only_reports_an_illegal_action_raises():
    engine = Engine("boil_over", 2, illegal="report")
    engine.reset(seeds=4)
    cheat = CallableBot(lambda _, mask: int(np.flatnonzero(mask == 0)[0]), name="cheat")
    before = engine.save()
    with pytest.raises(
        ValueError, match=r"bot 'cheat' chose action .*, which is not legal in game 0"
    ):
        Table(engine, [cheat] * 4, engine.generators(1)).advance(engine.buffers())
    assert engine.states.tobytes() == before.tobytes()


@pytest.mark.parametrize("answer", [-1, 54])
def test_an_action_outside_the_space_raises(answer):
    engine = Engine("boil_over", 2)
    engine.reset(seeds=4)
    with pytest.raises(
        ValueError, match=rf"bot 'odd' returned action {answer}, outside .* 0 to 53"
    ):
        Table(
            engine, [CallableBot(lambda *_: answer, name="odd")] * 4, engine.generators(1)
        ).advance(engine.buffers())


def test_a_wrong_number_of_actions_raises():
    class Short(Chancy):
        def act(self, observations, action_masks, generators):
            return super().act(observations, action_masks, generators)[:-1]

    engine = Engine("boil_over", 2)
    engine.reset(seeds=4)
    with pytest.raises(ValueError, match="returned actions of shape"):
        Table(engine, [Short()] * 4, engine.generators(1)).advance(engine.buffers())


def test_threads_change_nothing():
    def play(num_threads):
        engine = Engine("boil_over", 50, num_threads=num_threads)
        engine.reset(seeds=1)
        table = Table(
            engine, [make_bot("random", GAME), Chancy(), Chancy(), None], engine.generators(9)
        )
        buffers, learner = engine.buffers(), engine.generators(2)
        for _ in range(10):
            table.advance(buffers)
            engine.step(engine.sample(buffers.action_masks, learner), buffers)
        engine.close()
        return engine.states.tobytes() + buffers.rewards.tobytes() + table.generators.tobytes()

    assert play(1) == play(3)


@pytest.mark.parametrize(
    ("seats", "bots", "message"),
    [
        ([None] * 3, None, r"seats of shape \(3,\)"),
        (np.zeros((5, 4), int), [CallableBot(last_legal)], r"seats of shape \(5, 4\)"),
        (np.zeros((2, 4)), [CallableBot(last_legal)], "dtype float64"),
        (np.zeros((2, 4), int), None, "allowed is 0 to -1"),
        (np.full((2, 4), -2), [CallableBot(last_legal)], "seats from -2"),
        (["random"] * 4, None, "in a seat: allowed is a Bot"),
        ([[None] * 4, [None] * 3], None, "as many bots for every game"),
    ],
)
def test_seats_that_do_not_fit_are_refused(seats, bots, message):
    engine = Engine("boil_over", 2)
    with pytest.raises(ValueError, match=message):
        Table(engine, seats, engine.generators(0), bots)


def test_engines_and_generators_that_do_not_fit_are_refused():
    engine = Engine("boil_over", 2)
    with pytest.raises(ValueError, match=r"generators of shape \(3,\)"):
        Table(engine, [None] * 4, np.zeros(3, np.uint64))
    with pytest.raises(ValueError, match="autoreset=False"):
        Table(Engine("boil_over", 2, autoreset=True), [None] * 4, engine.generators(0))
