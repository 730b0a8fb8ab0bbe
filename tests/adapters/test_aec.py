"""PettingZoo's own tests as they are, and what they don't look at."""

from __future__ import annotations

import copy
import importlib
import itertools
import pickle
import types

import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.test.state_test import test_state as play_and_check_state
from pettingzoo.test.state_test import test_state_space as check_state_space

import hotpot_envs
from hotpot_envs.adapters.aec import CardGameEnv
from hotpot_envs.core import Engine, game_names, get_game
from hotpot_envs.records import check_record
from tests.adapters.helpers import plain

GAMES = game_names()
TABLES = [
    (name, num_players)
    for name in GAMES
    for num_players in range(get_game(name).options[0].low, get_game(name).options[0].high + 1)
]
CORNERS = [(name, dict(corner)) for name in GAMES for corner in get_game(name).corners]
REWARDS = ["win", "rank", "score", "dense"]


def constructors(name):
    module = importlib.import_module(f"hotpot_envs.{name}_v{get_game(name).version}")
    return module.env, module.raw_env


def play(env, rng, num_steps=10**9):
    """Play random legal moves; stop after so many decisions, or when all is over."""
    for _agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        elif num_steps == 0:
            return
        else:
            env.step(rng.choice(np.flatnonzero(observation["action_mask"])))
            num_steps -= 1


def snapshot(env):
    """Return all that a user sees, as plain values."""
    return plain(
        [
            env.agents,
            env.agent_selection,
            env.rewards,
            env._cumulative_rewards,
            env.terminations,
            env.truncations,
            env.infos,
            [env.observe(agent) for agent in env.possible_agents],
        ]
    )


# PettingZoo's own suites


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_api_test(name, num_players):
    for constructor in constructors(name):
        api_test(constructor(num_players=num_players), num_cycles=400)


@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_seed_test(name, num_players):
    env, _ = constructors(name)
    seed_test(lambda: env(num_players=num_players))


@pytest.mark.parametrize("name", GAMES)
def test_render_test(name, capsys):
    env, _ = constructors(name)
    render_test(env)
    assert capsys.readouterr().out.count("\n") > 5, "render_mode human prints the table"


@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_state_test(name, num_players):
    env = constructors(name)[0](num_players=num_players)
    check_state_space(env)
    play_and_check_state(env, num_cycles=100)


@pytest.mark.parametrize("name", GAMES)
def test_performance_benchmark(name, monkeypatch, capsys):
    clock = itertools.count(0, 0.01)
    module = importlib.import_module("pettingzoo.test.performance_benchmark")
    monkeypatch.setattr(module, "time", types.SimpleNamespace(time=lambda: next(clock)))
    performance_benchmark(constructors(name)[0]())
    assert "turns per second" in capsys.readouterr().out


# Registration


@pytest.mark.parametrize("name", GAMES)
def test_made_by_id(name):
    game = get_game(name)
    env = pettingzoo.make("aec", game.id, num_players=game.max_num_players, reward="rank")
    assert isinstance(env, CardGameEnv)
    assert env.game is game
    assert env.options["num_players"] == len(env.possible_agents) == game.max_num_players
    assert str(env) == env.metadata["name"] == f"{name}_v{game.version}"
    assert type(env) is constructors(name)[1]


# What is seen


@pytest.mark.parametrize(("name", "options"), CORNERS)
def test_masks_and_views(name, options):
    """The mover's mask is the engine's, everybody else's is zeros, all lies in the spaces."""
    env, rng = CardGameEnv(name, **options), np.random.default_rng(1)
    engine = Engine(name, options=options)
    buffers = engine.buffers()
    env.reset(seed=5)
    engine.reset(seeds=5)
    engine.observe(buffers)
    for agent in env.agent_iter():
        observation, _, terminated, truncated, info = env.last()
        for other in env.agents:
            seen = env.observe(other)
            assert env.observation_space(other).contains(seen)
            engine.observe(buffers, np.array([env.possible_agents.index(other)]))
            assert seen["observation"].tobytes() == buffers.observations.tobytes()
            assert seen["action_mask"].tobytes() == buffers.action_masks.tobytes()
            assert seen["action_mask"].any() == (other == agent and not (terminated or truncated))
            assert env.infos[other]["action_mask"].tobytes() == seen["action_mask"].tobytes()
        assert info is env.infos[agent]
        np.testing.assert_array_equal(env.action_masks(), observation["action_mask"] == 1)
        assert env.action_masks().dtype == np.bool_
        if terminated or truncated:
            env.step(None)
            continue
        assert agent == f"player_{engine.to_move[0]}"
        action = rng.choice(np.flatnonzero(observation["action_mask"]))
        env.step(action)
        engine.step(np.array([action]), buffers)
    assert engine.over.all()
    assert env._engine.states.tobytes() == engine.states.tobytes()


@pytest.mark.parametrize("name", GAMES)
def test_state_is_all_seats_observations(name):
    env = CardGameEnv(name)
    env.reset(seed=3)
    play(env, np.random.default_rng(0), 20)
    rows = env.state().reshape(len(env.possible_agents), -1)
    for agent, row in zip(env.possible_agents, rows, strict=True):
        np.testing.assert_array_equal(row, env.observe(agent)["observation"])


@pytest.mark.parametrize("name", GAMES)
def test_nothing_returned_is_used_again(name):
    env, rng = CardGameEnv(name, reward="dense"), np.random.default_rng(0)
    env.reset(seed=0)
    held = []
    for agent in env.agent_iter(60):
        returned = (env.last(), env.state(), env.rewards, env.observe(env.agents[0]))
        held.append((returned, plain(returned)))
        env.step(rng.choice(np.flatnonzero(env.observe(agent)["action_mask"])))
    for returned, before in held:
        assert plain(returned) == before


@pytest.mark.parametrize("name", GAMES)
def test_writing_to_what_was_returned_changes_nothing(name):
    env = CardGameEnv(name)
    env.reset(seed=0)
    observation, *_, info = env.last()
    clean = copy.deepcopy(observation)
    observation["observation"][:] = -9
    observation["action_mask"][:] = 9
    info["action_mask"][:] = 9
    env.state()[:] = -9
    again = env.observe(env.agent_selection)
    for key, value in clean.items():
        np.testing.assert_array_equal(again[key], value)
    env.step(np.flatnonzero(clean["action_mask"])[0])
    assert env.agents


# Rewards


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_each_agent_is_told_its_final_reward(name, num_players, reward):
    """What ``last`` says adds up to what the engine paid, for every seat, and to 0 over seats."""
    env, rng = CardGameEnv(name, num_players=num_players, reward=reward), np.random.default_rng(2)
    engine = Engine(name, options={"num_players": num_players}, reward=reward)
    buffers = engine.buffers()
    env.reset(seed=9)
    engine.reset(seeds=9)
    told = dict.fromkeys(env.agents, 0.0)
    paid = np.zeros(num_players)
    finished = []
    for agent in env.agent_iter():
        observation, earned, terminated, truncated, info = env.last()
        told[agent] += earned
        if terminated or truncated:
            finished.append(agent)
            seat = env.possible_agents.index(agent)
            points, _, places = engine.results()
            assert info["score"] == points[0, seat]
            assert info["place"] == places[0, seat]
            env.step(None)
            continue
        action = rng.choice(np.flatnonzero(observation["action_mask"]))
        env.step(action)
        engine.step(np.array([action]), buffers)
        paid += buffers.rewards[0]
        assert list(env.rewards.values()) == buffers.rewards[0].tolist()
    assert finished == env.possible_agents
    np.testing.assert_allclose(list(told.values()), paid, atol=1e-9)
    assert abs(sum(told.values())) < 1e-6
    assert any(told.values())


# Illegal actions, wrong ones


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_illegal_action_ends_the_game(name, num_players, reward):
    env = CardGameEnv(name, num_players=num_players, reward=reward)
    env.reset(seed=4)
    play(env, np.random.default_rng(4), 7)
    offender = env.agent_selection
    env.step(int(np.flatnonzero(~env.action_masks())[0]))
    for agent in env.possible_agents:
        assert env.rewards[agent] == (-1.0 if agent == offender else 1.0 / (num_players - 1))
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    for info in env.infos.values():
        assert info["illegal_action"] is True
        assert info["offender"] == env.possible_agents.index(offender)
        assert not info["action_mask"].any()
    for _ in env.agent_iter():
        env.step(None)
    assert env.agents == []


@pytest.mark.parametrize("name", GAMES)
def test_illegal_action_raises_if_asked(name):
    env = CardGameEnv(name, illegal="raise")
    env.reset(seed=4)
    before = snapshot(env)
    action = int(np.flatnonzero(~env.action_masks())[0])
    with pytest.raises(ValueError, match=rf"^action {action} of player_\d is illegal: legal are "):
        env.step(action)
    assert snapshot(env) == before
    play(env, np.random.default_rng(0))
    assert env.agents == []


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("illegal", ["terminate", "raise"])
def test_wrong_actions_raise(name, illegal):
    env = CardGameEnv(name, illegal=illegal)
    size = env.game.actions.size
    env.reset(seed=4)
    before = snapshot(env)
    for action in (-1, size, np.int64(size), 2**70):
        with pytest.raises(ValueError, match="outside the action space: allowed is 0 to"):
            env.step(action)
    for action in (1.0, "1", True, np.bool_(True), np.array([1]), np.float64(1), float("nan"), [1]):
        with pytest.raises(ValueError, match="is no whole number: allowed is 0 to"):
            env.step(action)
    with pytest.raises(ValueError, match=r"player_\d is to move: None is only for agents whose"):
        env.step(None)
    assert snapshot(env) == before
    legal = np.flatnonzero(env.action_masks())[0]
    for action in (int(legal), np.int32(legal), np.uint8(legal), np.array(legal)):
        env.reset(seed=4)
        env.step(action)
        assert "illegal_action" not in env.infos[env.agents[0]]


# Order


@pytest.mark.parametrize("name", GAMES)
def test_before_the_first_reset(name):
    env = CardGameEnv(name, render_mode="ansi")
    for attribute in ("agents", "agent_selection", "rewards", "infos", "num_agents"):
        with pytest.raises(AttributeError, match="cannot be accessed before reset"):
            getattr(env, attribute)
    for call in (
        lambda: env.step(0),
        lambda: env.observe("player_0"),
        env.agent_iter,
        env.render,
        env.state,
        env.record,
        env.action_masks,
    ):
        with pytest.raises(ResetNeeded, match=r"reset\(\) needs to be called before"):
            call()
    assert env.possible_agents[0] == "player_0"
    assert env.max_num_agents == len(env.possible_agents)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = env.nonsense
    copy.deepcopy(env).reset()
    env.close()


@pytest.mark.parametrize("name", GAMES)
def test_after_the_end(name):
    env = CardGameEnv(name)
    env.reset(seed=0)
    play_until_over(env)
    with pytest.raises(ValueError, match=r"the game of player_0 is over: .* None, not 0"):
        env.step(0)
    for _ in env.agent_iter():
        env.step(None)
    with pytest.raises(ResetNeeded, match=r"no agent is left to step: call reset\(\)"):
        env.step(None)
    assert list(env.agent_iter()) == []
    assert not env.action_masks().any()
    assert env.observe("player_0")["observation"].any()
    env.reset()
    assert env.agents == env.possible_agents


def play_until_over(env, seed=0):
    rng = np.random.default_rng(seed)
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        env.step(rng.choice(np.flatnonzero(env.action_masks())))


@pytest.mark.parametrize("name", GAMES)
def test_agents_must_be_stepped(name):
    env = CardGameEnv(name)
    env.reset(seed=0)
    turns = iter(env.agent_iter())
    next(turns)
    with pytest.raises(ResetNeeded, match="needs to be called for each agent_iter"):
        next(turns)
    assert len(list(itertools.islice(stepping(env), 5))) == 5
    assert list(env.agent_iter(max_iter=0)) == []


def stepping(env):
    for agent in env.agent_iter():
        env.step(int(np.flatnonzero(env.action_masks())[0]))
        yield agent


@pytest.mark.parametrize("name", GAMES)
def test_unknown_agent(name):
    env = CardGameEnv(name)
    env.reset()
    with pytest.raises(ValueError, match="no agent 'player_99': there are player_0, player_1"):
        env.observe("player_99")


# Options


@pytest.mark.parametrize("name", GAMES)
def test_constructor_is_strict(name):
    env, _ = constructors(name)
    for wrong, sentence in (
        ({"nonsense": 1}, "has no option 'nonsense'; its options are num_players"),
        ({"num_players": 99}, "option num_players=99: allowed is a whole number from"),
        ({"num_players": 4.0}, r"option num_players=4\.0: allowed is"),
        ({"reward": "much"}, "reward='much': allowed is 'win' or"),
        ({"illegal": "ignore"}, "illegal='ignore': allowed is 'terminate' or 'raise'"),
        ({"render_mode": "3d"}, "render_mode='3d': allowed is None or 'human'"),
    ):
        with pytest.raises(ValueError, match=sentence):
            env(**wrong)


@pytest.mark.parametrize("name", GAMES)
def test_reset_ignores_unknown_options_and_refuses_wrong_seeds(name):
    env = CardGameEnv(name)
    env.reset(seed=1, options={"nonsense": 1})
    before = snapshot(env)
    for seed in (-1, 2**64, 1.5, True, "1"):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)
    assert snapshot(env) == before


@pytest.mark.parametrize("name", GAMES)
def test_reset_without_a_seed_goes_on(name):
    one, other = CardGameEnv(name), CardGameEnv(name)
    one.reset(seed=1)
    first = snapshot(one)
    one.reset()
    other.reset(seed=1)
    assert snapshot(other) == first
    other.reset()
    assert snapshot(one) == snapshot(other) != first
    # Never seeded: drawn from the machine's entropy.
    strangers = [CardGameEnv(name) for _ in range(2)]
    for env in strangers:
        env.reset()
    assert strangers[0].state().tobytes() != strangers[1].state().tobytes()


# Copies


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize(("name", "options"), CORNERS)
def test_copies_keep_the_game(name, options, way):
    env = CardGameEnv(name, reward="dense", **options)
    env.reset(seed=6)
    play(env, np.random.default_rng(6), 11)
    before = snapshot(env)
    twin = way(env)
    assert snapshot(twin) == before
    play_until_over(twin)
    assert snapshot(env) == before, "the copy's moves changed the original"
    play_until_over(env)
    assert snapshot(env) == snapshot(twin)
    twin = way(env)
    for _ in twin.agent_iter():
        twin.step(None)
    assert env.agents == env.possible_agents
    env.reset()
    twin.reset()
    assert snapshot(env) == snapshot(twin)


# Records


@pytest.mark.parametrize(("name", "options"), CORNERS)
def test_record_of_a_finished_game(name, options):
    env = CardGameEnv(name, **options)
    env.reset(seed=8)
    play(env, np.random.default_rng(8))
    record = env.record(legal=True, players=["somebody"] * len(env.possible_agents))
    assert check_record(record) is None
    assert record["seed"] == 8
    assert record["options"] == env.options


@pytest.mark.parametrize("name", GAMES)
def test_record_in_mid_game_and_after_an_illegal_action(name):
    env = CardGameEnv(name)
    env.reset(seed=8)
    play(env, np.random.default_rng(8), 5)
    record = env.record()
    assert "result" not in record
    assert sum("seat" in event for event in record["events"]) == 5
    assert copy.deepcopy(env).record() == record
    env.step(int(np.flatnonzero(~env.action_masks())[0]))
    assert env.record() == record
    env.reset()
    assert "seed" not in env.record()


# Pictures


@pytest.mark.parametrize("name", GAMES)
def test_render(name, capsys):
    env = CardGameEnv(name, render_mode="ansi")
    env.reset(seed=0)
    first = env.render()
    assert isinstance(first, str)
    env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert env.render() != first
    assert capsys.readouterr().out == ""
    assert CardGameEnv(name)._repr_svg_() is None
    assert env._repr_svg_().lstrip().startswith("<svg")

    env = CardGameEnv(name, render_mode="human")
    env.reset(seed=0)
    assert capsys.readouterr().out == first + "\n"
    env.step(int(np.flatnonzero(env.action_masks())[0]))
    assert capsys.readouterr().out

    env = CardGameEnv(name)
    env.reset()
    with pytest.warns(UserWarning, match="does nothing without a render mode"):
        assert env.render() is None


def test_hotpot_envs_registers_every_game():
    ours = {env_id for env_id in pettingzoo.aec_registry if env_id.startswith("hotpot_envs/")}
    assert ours == {get_game(name).id for name in hotpot_envs.game_names()}
