"""One learner against bots: Gymnasium's checks, and the learner's reward from every seat."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.env_match import check_environments_match

from hotpot_envs.adapters import _learners
from hotpot_envs.adapters.gym_env import LearnerEnv
from hotpot_envs.bots import make_bot
from hotpot_envs.core import Engine, game_names, get_game
from tests.adapters.helpers import plain

GAMES = game_names()
TABLES = [
    (name, num_players)
    for name in GAMES
    for num_players in range(get_game(name).options[0].low, get_game(name).options[0].high + 1)
]
SEATS = [(name, n, seat) for name, n in TABLES for seat in range(n)]
REWARDS = ["win", "rank", "score", "dense"]


def first_legal(observation, action_mask):
    return int(np.flatnonzero(action_mask)[0])


def last_legal(observation, action_mask):
    return int(np.flatnonzero(action_mask)[-1])


def never_legal(observation, action_mask):
    return int(np.flatnonzero(action_mask == 0)[0])


def play(env, seed=None, choose=first_legal):
    """Play one game; return all that was returned."""
    seen = [env.reset(seed=seed)]
    over = False
    while not over:
        observation = seen[-1][0]
        seen.append(env.step(choose(observation["observation"], observation["action_mask"])))
        over = seen[-1][2] or seen[-1][3]
    return seen


# Gymnasium's own checks


@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_check_env(name, num_players):
    env = gymnasium.make(get_game(name).id, num_players=num_players)
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", GAMES)
def test_check_env_with_its_render_modes(name, capsys):
    check_env(gymnasium.make(get_game(name).id, render_mode="rgb_array").unwrapped)


@pytest.mark.parametrize("name", GAMES)
def test_passive_checker_finds_nothing(name):
    env = gymnasium.make(get_game(name).id, disable_env_checker=False)
    assert "PassiveEnvChecker" in str(env)
    play(env, seed=1)
    _, info = env.reset()
    *_, terminated, truncated, info = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert terminated
    assert not truncated
    env.close()
    env.close()


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_check_environments_match(name, num_players, reward):
    made = [
        gymnasium.make(get_game(name).id, num_players=num_players, reward=reward, opponents=bot)
        for bot in ("heuristic", make_bot("heuristic", name))
    ]
    check_environments_match(*made, num_steps=60, seed=3)


# Rewards


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("name", "num_players", "seat"), SEATS)
def test_final_reward_reaches_the_learner_in_every_seat(name, num_players, seat, reward):
    """The learner earns what the engine pays its seat, whoever's move ends the game."""
    kinds = [first_legal, last_legal]
    opponents = [kinds[index % 2] for index in range(num_players - 1)]
    env = LearnerEnv(name, num_players=num_players, seat=seat, reward=reward, opponents=opponents)
    seen = play(env, seed=11)
    earned = sum(step[1] for step in seen[1:])

    engine = Engine(name, options={"num_players": num_players}, reward=reward)
    buffers = engine.buffers()
    engine.reset(seeds=11)
    engine.observe(buffers)
    paid = np.zeros(num_players)
    own_moves = 0
    while not engine.over[0]:
        mover = int(engine.to_move[0])
        clockwise = (mover - seat) % num_players
        choose = opponents[clockwise - 1] if clockwise else first_legal
        own_moves += clockwise == 0
        engine.step(np.array([choose(None, buffers.action_masks[0])]), buffers)
        paid += buffers.rewards[0]
    assert len(seen) - 1 == own_moves
    assert earned == pytest.approx(paid[seat], abs=1e-9)
    assert [step[2] or step[3] for step in seen[1:-1]] == [False] * (own_moves - 1)
    points, _, places = engine.results()
    *_, terminated, truncated, info = seen[-1]
    assert (terminated, truncated) == tuple(buffers.ended[0])
    assert (info["score"], info["place"], info["seat"]) == (points[0, seat], places[0, seat], seat)
    engine.observe(buffers, np.array([seat]))
    assert seen[-1][0]["observation"].tobytes() == buffers.observations.tobytes()
    assert not seen[-1][0]["action_mask"].any()


@pytest.mark.parametrize("name", GAMES)
def test_dense_adds_up_to_score(name):
    totals = {}
    for reward in ("score", "dense"):
        env = LearnerEnv(name, reward=reward)
        totals[reward] = [
            sum(step[1] for step in play(env, seed=seed, choose=last_legal)[1:])
            for seed in range(8)
        ]
    np.testing.assert_allclose(totals["dense"], totals["score"], atol=1e-9)
    assert any(totals["score"])


# Illegal actions


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_illegal_action_of_the_learner(name, num_players, reward):
    env = LearnerEnv(name, num_players=num_players, reward=reward, opponents="random")
    for seed in range(4):
        observation, _ = env.reset(seed=seed)
        env._learners._owed[:] = 0.0  # what a dense game paid before is another matter
        wrong = never_legal(**observation)
        observation, earned, terminated, truncated, info = env.step(wrong)
        assert (earned, terminated, truncated) == (-1.0, True, False)
        assert info["illegal_action"] is True
        assert info["offender"] == env.seat
        assert "score" not in info
        assert not observation["action_mask"].any()


@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_illegal_action_of_an_opponent(name, num_players):
    calls = []

    def wrong_in_the_end(observation, action_mask):
        calls.append(1)
        return (never_legal if len(calls) > 3 * num_players else first_legal)(
            observation, action_mask
        )

    env = LearnerEnv(name, num_players=num_players, opponents=wrong_in_the_end, reward="rank")
    *_, (_, earned, terminated, truncated, info) = play(env, seed=2)
    assert (earned, terminated, truncated) == (1 / (num_players - 1), True, False)
    assert info["illegal_action"] is True
    assert info["offender"] != info["seat"]
    calls.clear()
    env = LearnerEnv(name, num_players=num_players, opponents=wrong_in_the_end, illegal="raise")
    with pytest.raises(ValueError, match=r"'wrong_in_the_end' chose action .* not legal"):
        play(env, seed=2)


@pytest.mark.parametrize("name", GAMES)
def test_illegal_and_wrong_actions_raise(name):
    env = LearnerEnv(name, illegal="raise")
    observation, _ = env.reset(seed=0)
    before = plain(env._learners.engine.states.view(np.uint8))
    wrong = never_legal(**observation)
    with pytest.raises(ValueError, match=f"action {wrong} in game 0 is illegal: legal are "):
        env.step(wrong)
    size = env.action_space.n
    for action in (-1, size, np.int64(size), 2**70):
        with pytest.raises(ValueError, match="outside the action space"):
            env.step(action)
    for action in (None, 1.0, "1", True, [1], np.array([1])):
        with pytest.raises(ValueError, match="is no whole number"):
            env.step(action)
    assert plain(env._learners.engine.states.view(np.uint8)) == before
    env.step(np.array(first_legal(**observation)))


# Seats and seeds


@pytest.mark.parametrize(("name", "num_players"), TABLES)
def test_seat_is_drawn_for_each_game(name, num_players):
    env = LearnerEnv(name, num_players=num_players, opponents="random")
    env.reset(seed=0)
    seats = []
    for _ in range(200):
        _, info = env.reset()
        assert info["seat"] == env.seat
        seats.append(info["seat"])
    shares = np.bincount(seats, minlength=num_players) / len(seats)
    assert len(shares) == num_players
    # Five standard deviations of a fair draw.
    fair = 1 / num_players
    assert np.abs(shares - fair).max() < 5 * np.sqrt(fair * (1 - fair) / len(seats))
    # Most of the sequences that there could be, or many.
    assert len({tuple(seats[i : i + 4]) for i in range(196)}) > min(50, num_players**4 / 2)
    by_seed = [env.reset(seed=seed)[1]["seat"] for seed in range(40)]
    assert set(by_seed) == set(range(num_players))
    assert by_seed == [env.reset(seed=seed)[1]["seat"] for seed in range(40)]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("opponents", ["random", "heuristic", last_legal])
def test_everything_comes_from_the_seed(name, opponents):
    env = LearnerEnv(name, opponents=opponents)
    first = plain([play(env, seed=5), play(env), play(env)])
    for _ in range(3):
        play(env)
    assert plain([play(env, seed=5), play(env), play(env)]) == first
    other = LearnerEnv(name, opponents=opponents)
    assert plain([play(other, seed=5), play(other), play(other)]) == first
    assert plain([play(other, seed=6)]) != first[:1]


@pytest.mark.parametrize("name", GAMES)
def test_never_seeded_can_be_repeated(name):
    env, other = LearnerEnv(name), LearnerEnv(name)
    first = plain(play(env))
    assert plain(play(other, seed=env.np_random_seed)) == first
    assert LearnerEnv(name).np_random_seed != env.np_random_seed


@pytest.mark.parametrize("name", GAMES)
def test_bots_chance_is_not_the_games(name):
    """Were the two generators one, a random bot would draw what the deal drew."""
    env = LearnerEnv(name, opponents="random")
    env.reset(seed=3)
    learners = env._learners
    engine = Engine(name)
    starts = [engine.generators(3), learners.table.generators, learners._seat_generators]
    assert len({int(start[0]) for start in starts}) == 3
    engine.reset(seeds=3)
    assert engine.states["rng"][0, 0] not in (starts[1], starts[2])


@pytest.mark.parametrize("name", GAMES)
def test_games_over_before_the_learner_is_asked_are_passed_over(name):
    def sometimes_wrong(observation, action_mask):
        calls.append(1)
        return (never_legal if len(calls) % 2 else first_legal)(observation, action_mask)

    calls = []
    env = LearnerEnv(name, opponents=sometimes_wrong)
    counts = []
    for seed in range(30):
        observation, info = env.reset(seed=seed)
        assert observation["action_mask"].any()
        counts.append(info["num_passed_over"])
    assert max(counts) > 0
    assert min(counts) == 0


@pytest.mark.parametrize("name", GAMES)
def test_endless_passing_over_raises(name, monkeypatch):
    monkeypatch.setattr(_learners, "_MAX_PASSED_OVER", 0)
    env = LearnerEnv(name, opponents=never_legal)

    def reset_often():
        for seed in range(30):
            env.reset(seed=seed)

    with pytest.raises(RuntimeError, match="ended before the learner was asked anything"):
        reset_often()


# Memory and copies


@pytest.mark.parametrize("name", GAMES)
def test_nothing_returned_is_used_again(name):
    env = LearnerEnv(name, reward="dense")
    held = []
    observation, info = env.reset(seed=0)
    for _ in range(30):
        held.append(((observation, info), plain([observation, info])))
        observation, _, terminated, truncated, info = env.step(first_legal(**observation))
        if terminated or truncated:
            observation, info = env.reset()
    for returned, before in held:
        assert plain(list(returned)) == before
    observation["observation"][:] = -7
    observation["action_mask"][:] = 1
    masks = env.action_masks()
    assert masks.dtype == np.bool_
    np.testing.assert_array_equal(masks, info["action_mask"] == 1)
    assert not masks.all()


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("opponents", ["random", first_legal])
@pytest.mark.parametrize("name", GAMES)
def test_copies_keep_the_game(name, opponents, way):
    def rest(env):
        seen = []
        for _ in range(80):
            mask = env.action_masks()
            if not mask.any():
                seen.append(env.reset())
            else:
                seen.append(env.step(int(np.flatnonzero(mask)[-1])))
        return plain(seen)

    env = LearnerEnv(name, opponents=opponents)
    env.reset(seed=1)
    env.step(int(np.flatnonzero(env.action_masks())[0]))
    twin = way(env)
    later = rest(twin)
    assert rest(env) == later


# Arguments, order


@pytest.mark.parametrize("name", GAMES)
def test_constructor_is_strict(name):
    for wrong, sentence in (
        ({"nonsense": 1}, "has no option 'nonsense'; its options are num_players"),
        ({"num_players": 99}, "option num_players=99: allowed is"),
        ({"reward": "much"}, "reward='much': allowed is 'win' or"),
        ({"illegal": "ignore"}, "illegal='ignore': allowed is 'terminate' or 'raise'"),
        ({"render_mode": "3d"}, "render_mode='3d': allowed is None or 'human'"),
        ({"seat": 99}, "seat=99: allowed is 0 to"),
        ({"seat": -1}, "seat=-1: allowed is 0 to"),
        ({"seat": True}, "seat=True: allowed is 0 to"),
        ({"seat": "first"}, "seat='first': allowed is 0 to"),
        ({"opponents": "nobody"}, "no bot 'nobody'"),
        ({"opponents": 7}, "7 is no bot"),
        ({"opponents": ["random"] * 9}, "9 opponents for . seats: allowed is one bot for all, or"),
        ({"opponents": []}, "0 opponents for . seats"),
    ):
        with pytest.raises(ValueError, match=sentence):
            LearnerEnv(name, **wrong)


@pytest.mark.parametrize("name", GAMES)
def test_order(name):
    env = LearnerEnv(name, render_mode="ansi")
    for call in (lambda: env.step(0), env.render):
        with pytest.raises(ResetNeeded, match=r"reset\(\) needs to be called before"):
            call()
    play(env, seed=0)
    with pytest.raises(ResetNeeded, match=r"the game is over: call reset\(\)"):
        env.step(0)
    env.reset(options={"nonsense": 1})
    for seed in (2**64, 2**70):
        with pytest.raises(ValueError, match=r"allowed is 0 to 2\*\*64 - 1"):
            env.reset(seed=seed)


@pytest.mark.parametrize("name", GAMES)
def test_made_by_id(name):
    game = get_game(name)
    env = gymnasium.make(game.id, num_players=game.max_num_players, seat=1)
    assert env.unwrapped.game is game
    assert env.unwrapped.options["num_players"] == game.max_num_players
    env.reset(seed=0)
    assert env.unwrapped.seat == 1
    assert env.get_wrapper_attr("action_masks")().any()


@pytest.mark.parametrize("name", GAMES)
def test_render(name, capsys):
    env = LearnerEnv(name, render_mode="ansi", seat=1, opponents=first_legal)
    assert env._repr_svg_() is None
    observation, _ = env.reset(seed=0)
    first = env.render()
    engine = env._learners.engine
    assert first == env.game.text(engine.config[0], engine.states[0], 1)
    assert first != env.game.text(engine.config[0], engine.states[0], None)
    assert env._repr_svg_().lstrip().startswith("<svg")
    assert capsys.readouterr().out == ""

    env = LearnerEnv(name, render_mode="human", seat=1, opponents=first_legal)
    env.reset(seed=0)
    assert capsys.readouterr().out == first + "\n"
    env.step(first_legal(**observation))
    assert capsys.readouterr().out

    env = LearnerEnv(name)
    env.reset()
    with pytest.warns(UserWarning, match="does nothing without a render mode"):
        assert env.render() is None
