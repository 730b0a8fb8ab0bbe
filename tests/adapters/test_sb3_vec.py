"""The VecEnv against the engine itself, and inside stable-baselines3's own tools."""

from __future__ import annotations

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from hotpot_envs.adapters.sb3_policy import CardGameExtractor
from hotpot_envs.adapters.sb3_vec import CardGameVecEnv
from hotpot_envs.core import Engine

SHORT = {"num_players": 3, "rounds": 1}


def legal(env, random):
    """Return a random legal action in each row."""
    masks = env.action_masks()
    assert masks.any(axis=1).all()
    return np.where(masks, random.random(masks.shape), -1).argmax(axis=1)


def play(env, steps, seed=0):
    """Return all that a number of steps with random legal actions gave."""
    random = np.random.default_rng(seed)
    record = [env.reset()]
    for _ in range(steps):
        observations, rewards, dones, infos = env.step(legal(env, random))
        for info in infos:
            if "episode" in info:
                info["episode"]["t"] = 0.0
        record += [observations, rewards, dones, infos]
    return record


def assert_equal(first, second):
    assert type(first) is type(second)
    if isinstance(first, np.ndarray):
        assert first.dtype == second.dtype
        np.testing.assert_array_equal(first, second)
    elif isinstance(first, list):
        assert len(first) == len(second)
        for one, other in zip(first, second, strict=True):
            assert_equal(one, other)
    elif isinstance(first, dict):
        assert first.keys() == second.keys()
        for name in first:
            assert_equal(first[name], second[name])
    else:
        assert first == second


@pytest.mark.parametrize("reward", ["win", "rank", "score", "dense"])
def test_self_play_is_the_engine(reward):
    env = CardGameVecEnv("boil_over", 5, options=SHORT, reward=reward, seed=4)
    engine = Engine("boil_over", 5, options=SHORT, reward=reward)
    buffers = engine.buffers()
    engine.reset(4)
    engine.observe(buffers)
    layout = engine.game.observations
    observations = env.reset()
    random = np.random.default_rng(0)
    ends = 0
    for _ in range(80):
        np.testing.assert_array_equal(observations, layout.scale(buffers.observations))
        assert observations.dtype == np.float32
        assert all(env.observation_space.contains(row) for row in observations)
        np.testing.assert_array_equal(env.action_masks(), buffers.action_masks != 0)
        movers = engine.to_move
        np.testing.assert_array_equal(env.seats, movers)
        actions = legal(env, random)
        observations, rewards, dones, infos = env.step(actions)
        engine.step(actions, buffers)
        assert rewards.dtype == np.float32
        np.testing.assert_array_equal(rewards, buffers.rewards[range(5), movers].astype(np.float32))
        np.testing.assert_array_equal(env.last_payments, buffers.rewards)
        np.testing.assert_array_equal(env.last_seats, movers)
        np.testing.assert_array_equal(dones, buffers.terminated)
        np.testing.assert_array_equal(env.last_dones, dones)
        for row, info in enumerate(infos):
            assert bool(info) == dones[row]
        for row in np.flatnonzero(dones):
            ends += 1
            info = infos[row]
            np.testing.assert_array_equal(
                info["terminal_observation"], layout.scale(buffers.observations[row])
            )
            np.testing.assert_array_equal(info["scores"], engine.results()[0][row])
            assert info["episode"]["l"] == 29
            assert info["episode"]["r"] == pytest.approx(0.0, abs=1e-6)
            assert not info["illegal_action"]
            assert not info["truncated"]
            assert "TimeLimit.truncated" not in info
        engine.reset(where=dones)
        engine.observe(buffers)
    assert ends == 10


def test_learner_against_opponents_is_paid_for_everything_between():
    env = CardGameVecEnv(
        "boil_over", 8, options=SHORT, reward="dense", opponents=["random", "heuristic"], seed=1
    )
    random = np.random.default_rng(0)
    env.reset()
    lengths, total = np.zeros(8, int), np.zeros(8)
    seats: set[int] = set()
    ends = 0
    for _ in range(60):
        movers = env.seats.copy()
        scores = env.engine.results()[0]
        _, rewards, dones, infos = env.step(legal(env, random))
        lengths += 1
        total += rewards
        for row in np.flatnonzero(~dones):
            assert env.seats[row] == movers[row]
            change = env.engine.results()[0][row] - scores[row]
            # Fewer points are better; the reward is the lead over the others' average.
            lead = change.sum() / 3 - change[movers[row]]
            assert rewards[row] == pytest.approx(1.5 * lead / 20, abs=1e-6)
        for row in np.flatnonzero(dones):
            info = infos[row]
            lead = info["scores"].sum() / 3 - info["scores"][movers[row]]
            assert total[row] == pytest.approx(1.5 * lead / 20, abs=1e-5)
            assert info["episode"]["r"] == pytest.approx(total[row], abs=1e-5)
            assert info["episode"]["l"] == lengths[row]
            hand = info["terminal_observation"][env.engine.game.observations.slice("hand")]
            assert not hand.any()
            seats.add(int(movers[row]))
            total[row] = lengths[row] = 0
            ends += 1
    assert ends > 40
    assert seats == {0, 1, 2}


def test_two_arrangements_in_one_batch():
    env = CardGameVecEnv(
        "boil_over", 10, options=SHORT, opponents="random", opponent_share=0.3, seat=2, seed=0
    )
    assert env.has_opponents.tolist() == [False] * 7 + [True] * 3
    env.reset()
    random = np.random.default_rng(0)
    movers = []
    for _ in range(40):
        movers.append(env.seats.copy())
        env.step(legal(env, random))
    movers = np.array(movers)
    assert (movers[:, 7:] == 2).all()
    assert all(set(movers[:, row]) == {0, 1, 2} for row in range(7))


def test_weights_decide_who_sits_where():
    env = CardGameVecEnv("boil_over", 500, opponents={"random": 3, "heuristic": 1}, seed=0)
    env.reset()
    share = (env.save_state()["bots"] == 1).sum() / 1500
    assert 0.2 < share < 0.3
    assert [bot.name for bot in env.opponents] == ["random", "heuristic"]


ARRANGEMENTS = [
    {"opponents": None},
    {"opponents": {"random": 1, "heuristic": 2}, "opponent_share": 0.5},
]


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_same_seed_same_games(arrangement):
    first = play(CardGameVecEnv("boil_over", 6, options=SHORT, seed=9, **arrangement), 40)
    assert_equal(
        first, play(CardGameVecEnv("boil_over", 6, options=SHORT, seed=9, **arrangement), 40)
    )
    threaded = CardGameVecEnv("boil_over", 6, options=SHORT, seed=9, num_threads=2, **arrangement)
    assert_equal(first, play(threaded, 40))
    threaded.close()
    other = play(CardGameVecEnv("boil_over", 6, options=SHORT, seed=10, **arrangement), 40)
    assert any((a != b).any() for a, b in zip(first[::4], other[::4], strict=True))


def test_seed_then_reset_begins_again():
    env = CardGameVecEnv("boil_over", 4, options=SHORT, opponents="random")
    env.seed(5)
    first = play(env, 20)
    second = play(env, 20)
    env.seed(5)
    assert_equal(first, play(env, 20))
    assert (first[0] != second[0]).any()


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_state_is_saved_and_restored(arrangement):
    env = CardGameVecEnv("boil_over", 6, options=SHORT, seed=9, **arrangement)
    play(env, 17)
    saved = {name: array.copy() for name, array in env.save_state().items()}
    masks = env.action_masks()
    random = np.random.default_rng(1)
    expected = [env.step(legal(env, random))[:3] for _ in range(50)]
    other = CardGameVecEnv("boil_over", 6, options=SHORT, seed=1, **arrangement)
    other.reset()
    np.testing.assert_array_equal(
        other.restore_state(saved),
        other.engine.game.observations.scale(other._buffers.observations),
    )
    np.testing.assert_array_equal(other.action_masks(), masks)
    random = np.random.default_rng(1)
    for step in expected:
        for one, another in zip(step, other.step(legal(other, random))[:3], strict=True):
            np.testing.assert_array_equal(one, another)
    with pytest.raises(ValueError, match="allowed are 3 of Boil Over"):
        CardGameVecEnv("boil_over", 3).restore_state(saved)


def test_illegal_action_ends_the_game():
    env = CardGameVecEnv("boil_over", 2, seed=0)
    env.reset()
    illegal = (~env.action_masks()).argmax(axis=1)
    movers = env.seats
    _, rewards, dones, infos = env.step(illegal)
    assert dones.all()
    assert rewards.tolist() == [-1.0, -1.0]
    assert all(info["illegal_action"] for info in infos)
    np.testing.assert_allclose(np.delete(env.last_payments[0], movers[0]), 1 / 3)


def test_game_over_before_the_learner_is_asked_is_passed_over():
    def cheat(observation, action_mask):
        return int((action_mask == 0).argmax())

    env = CardGameVecEnv("boil_over", 50, options=SHORT, opponents=cheat, seed=0)
    env.reset()
    assert env.num_passed_over > 50
    random = np.random.default_rng(0)
    _, rewards, dones, infos = env.step(legal(env, random))
    assert dones.all()
    np.testing.assert_allclose(rewards, 0.5)
    assert all(info["illegal_action"] and info["episode"]["l"] == 1 for info in infos)


def test_opponents_change_from_the_next_games_on():
    env = CardGameVecEnv("boil_over", 6, options=SHORT, opponents="random", seed=0)
    play(env, 3)
    asked = []

    def first_legal(observations, action_masks):
        asked.append(len(observations))
        return action_masks.argmax(axis=1)

    from hotpot_envs.bots import make_bot

    env.set_opponents({"random": 0.0, make_bot(first_legal, "boil_over", batched=True): 1.0})
    random = np.random.default_rng(0)
    env.step(legal(env, random))
    assert asked == []
    for _ in range(10):
        env.step(legal(env, random))
    assert sum(asked) > 20


def test_nothing_returned_changes_later():
    env = CardGameVecEnv("boil_over", 4, options=SHORT, opponents="random", seed=0)
    observations, masks = env.reset(), env.action_masks()
    kept = observations.copy(), masks.copy()
    _, rewards, dones, _ = env.step(legal(env, np.random.default_rng(0)))
    also = rewards.copy(), dones.copy()
    for seed in range(30):
        env.step(legal(env, np.random.default_rng(seed)))
    np.testing.assert_array_equal(observations, kept[0])
    np.testing.assert_array_equal(masks, kept[1])
    np.testing.assert_array_equal(rewards, also[0])
    np.testing.assert_array_equal(dones, also[1])


def test_attributes_and_methods_of_rows():
    env = CardGameVecEnv("boil_over", 3, seed=0)
    env.reset()
    assert env.has_attr("action_masks")
    assert not env.has_attr("no_such_thing")
    assert is_masking_supported(env)
    masks = env.action_masks()
    whole = env.env_method("action_masks")
    assert len(whole) == 1
    np.testing.assert_array_equal(whole[0], masks)
    assert get_action_masks(env).shape == (1, 3, 54)
    some = env.env_method("action_masks", indices=[2, 0])
    np.testing.assert_array_equal(np.stack(some), masks[[2, 0]])
    assert env.get_attr("num_players", indices=1) == [4]
    assert len(env.get_attr("num_players")) == 3
    with pytest.raises(AttributeError):
        env.get_attr("no_such_thing")
    env.set_attr("note", "seen")
    assert env.get_attr("note") == ["seen"] * 3
    with pytest.raises(ValueError, match="leave out indices"):
        env.set_attr("note", "seen", indices=[0])
    assert env.env_is_wrapped(Monitor) == [True] * 3
    assert env.env_is_wrapped(VecNormalize) == [False] * 3


def test_normalised_observations_and_rewards():
    env = CardGameVecEnv("boil_over", 8, options=SHORT, opponents="random", reward="score", seed=0)
    wrapped = VecNormalize(env, gamma=1.0)
    wrapped.reset()
    assert get_action_masks(wrapped).shape == (1, 8, 54)
    random = np.random.default_rng(0)
    ends, rewards = 0, []
    for _ in range(60):
        observations, _, dones, infos = wrapped.step(legal(env, random))
        assert observations.dtype == np.float32
        rewards.append(wrapped.get_original_reward())
        for row in np.flatnonzero(dones):
            ends += 1
            raw = wrapped.unnormalize_obs(infos[row]["terminal_observation"])
            assert raw.min() > -0.5
    assert ends > 40
    assert wrapped.obs_rms.count > 400
    assert wrapped.obs_rms.mean[env.engine.game.observations.start("num_players")] == (
        pytest.approx(0.5, abs=1e-3)
    )
    assert np.abs(rewards).max() > 0
    assert wrapped.ret_rms.var != 1.0


def test_learning_and_evaluating_with_sb3s_own_tools():
    env = CardGameVecEnv("boil_over", 16, options=SHORT, opponents="random", seed=0)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=16,
        batch_size=64,
        n_epochs=1,
        seed=0,
        policy_kwargs={
            "features_extractor_class": CardGameExtractor,
            "features_extractor_kwargs": {"sizes": [32, 16]},
            "net_arch": [],
        },
    )
    model.learn(512)
    assert model.ep_info_buffer
    assert {"r", "l", "t"} <= model.ep_info_buffer[0].keys()
    assert model.policy.mlp_extractor.latent_dim_pi == 16
    rewards, lengths = evaluate_policy(
        model, env, n_eval_episodes=32, deterministic=False, return_episode_rewards=True
    )
    assert len(rewards) == 32
    assert set(np.round(rewards, 3)) <= {1.0, -0.5, 0.25, 0.0}
    assert set(lengths) <= {9, 10}
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        VecMonitor(env)


def test_actions_of_a_policy_are_legal():
    env = CardGameVecEnv("boil_over", 32, seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, seed=0)
    observations = env.reset()
    for _ in range(200):
        masks = get_action_masks(env)
        actions, _ = model.predict(observations, action_masks=masks)
        assert env.action_masks()[range(32), actions].all()
        observations, _, _, infos = env.step(actions)
        assert not any(info.get("illegal_action") for info in infos)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"game": "no_such_game"}, "no game 'no_such_game'"),
        ({"num_envs": 0}, "num_games=0"),
        ({"options": {"num_players": 9}}, "num_players=9"),
        ({"reward": "money"}, "reward='money'"),
        ({"opponents": "nobody"}, "no bot 'nobody'"),
        ({"opponents": []}, "at least one bot"),
        ({"opponents": {"random": -1.0}}, "allowed are numbers from 0"),
        ({"opponents": {"random": 0.0}}, "one above 0"),
        ({"opponents": "random", "opponent_share": 1.5}, "opponent_share=1.5: allowed is 0 to 1"),
        ({"seat": 4}, "seat=4: allowed is 0 to 3"),
        ({"render_mode": "human"}, "render_mode='human'"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ValueError, match=words):
        CardGameVecEnv(**{"game": "boil_over", "num_envs": 2} | arguments)


@pytest.mark.parametrize("actions", [[54, 0], [-1, 0], [0.5, 0.5], [0]])
def test_actions_outside_the_action_space_raise_and_change_nothing(actions):
    env = CardGameVecEnv("boil_over", 2, seed=0)
    env.reset()
    before = env.save_state()
    with pytest.raises(ValueError, match="action"):
        env.step(np.array(actions))
    assert_equal(before, env.save_state())
