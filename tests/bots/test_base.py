"""Bots from names, functions and policies."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from hotpot_envs.bots import Bot, CallableBot, CompiledBot, make_bot
from hotpot_envs.core import Engine, get_game

GAME = get_game("boil_over")


def first_legal(observation, action_mask):
    return int(np.flatnonzero(action_mask)[0])


def shown(num_games=64, moves=5):
    engine = Engine("boil_over", num_games)
    engine.reset(seeds=3)
    buffers = engine.buffers()
    engine.play(
        np.zeros((num_games, engine.num_players), np.int64),
        engine.generators(1),
        buffers,
        max_moves=moves,
    )
    engine.observe(buffers)
    return engine, buffers


@pytest.mark.parametrize("name", ["random", *GAME.bots])
def test_a_compiled_bot_acts_as_it_plays(name):
    engine, buffers = shown()
    bot = make_bot(name, "boil_over")
    assert (bot.name, engine.bots[bot.number]) == (name, name)
    generators = engine.generators(7)
    theirs = generators.copy()
    actions = bot.act(buffers.observations, buffers.action_masks, generators)
    assert actions.dtype == np.int64
    assert buffers.action_masks[np.arange(64), actions].all()

    other = Engine("boil_over", 64)
    other.restore(engine.save())
    engine.step(actions, buffers)
    numbers = np.full((64, engine.num_players), bot.number)
    other.play(numbers, theirs, other.buffers(), max_moves=1)
    assert other.states.tobytes() == engine.states.tobytes()
    assert (theirs == generators).all()


def test_random_returns_minus_one_where_nothing_is_legal():
    engine, buffers = shown()
    buffers.action_masks[::2] = 0
    actions = make_bot("random", GAME).act(
        buffers.observations, buffers.action_masks, engine.generators(0)
    )
    assert (actions[::2] == -1).all()
    assert (actions[1::2] >= 0).all()


def test_a_function_is_asked_row_by_row_or_in_batches():
    engine, buffers = shown()
    single = make_bot(first_legal, GAME)
    batched = make_bot(lambda _, masks: masks.argmax(axis=1), GAME, batched=True)
    arguments = buffers.observations, buffers.action_masks, engine.generators(0)
    expected = buffers.action_masks.argmax(axis=1)
    assert single.name == "first_legal"
    assert (single.act(*arguments) == expected).all()
    assert (batched.act(*arguments) == expected).all()


def test_a_function_cannot_change_what_the_game_sees():
    engine, buffers = shown(4)

    def vandal(observation, action_mask):
        observation[:] = 99
        action_mask[:] = 1
        return 0

    before = buffers.copy()
    CallableBot(vandal).act(buffers.observations, buffers.action_masks, engine.generators(0))
    assert (buffers.observations == before.observations).all()
    assert (buffers.action_masks == before.action_masks).all()


@pytest.mark.parametrize("answer", [None, 1.0, "3", [1, 2], True])
def test_a_function_must_return_a_whole_number(answer):
    engine, buffers = shown(2)
    bot = make_bot(lambda *_: answer, GAME)
    with pytest.raises(ValueError, match=r"bot '<lambda>' returned .*: allowed is an action"):
        bot.act(buffers.observations, buffers.action_masks, engine.generators(0))
    with pytest.raises(ValueError, match="allowed are whole numbers of shape"):
        make_bot(lambda *_: np.zeros((2, 1)), GAME, batched=True).act(
            buffers.observations, buffers.action_masks, engine.generators(0)
        )


def test_numpy_and_zero_dimensional_answers_are_taken():
    engine, buffers = shown(2)
    arguments = buffers.observations, buffers.action_masks, engine.generators(0)
    for answer in (np.int8(3), np.array(3), np.array([3])):
        assert (make_bot(lambda *_, a=answer: a, GAME).act(*arguments) == 3).all()


def test_a_bot_is_returned_as_it_is():
    bot = CompiledBot("random", GAME)
    assert make_bot(bot, GAME) is bot


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("genius", "no bot 'genius'; Boil Over has: random"),
        ("no/such/policy.safetensors", "there is no policy file 'no/such/policy.safetensors'"),
        ("policy.safetensors@sample", "there is no policy file 'policy.safetensors'"),
        (3, "3 is no bot; allowed is a bot's name, a policy file, a function"),
        (None, "None is no bot"),
    ],
)
def test_what_is_no_bot_is_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        make_bot(spec, "boil_over")


def test_a_bot_of_another_game_is_refused():
    class Foreign(Bot):
        name = "foreign"

        def act(self, observations, action_masks, generators):
            return action_masks.argmax(axis=1)

    bot = Foreign()
    assert make_bot(bot, GAME) is bot
    bot.game = dataclasses.replace(GAME, title="Other")
    with pytest.raises(ValueError, match="bot 'foreign' plays Other, not Boil Over"):
        make_bot(bot, GAME)


def test_an_unknown_compiled_bot_is_refused():
    with pytest.raises(ValueError, match="no bot 'genius'; Boil Over has: random"):
        CompiledBot("genius", "boil_over")
