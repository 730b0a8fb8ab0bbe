"""The vector environment against single ones, byte for byte; the check itself against faults."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from hotpot_envs.adapters.check_vector import check_vector_env
from hotpot_envs.adapters.gym_env import LearnerEnv
from hotpot_envs.adapters.gym_vector import LearnerVectorEnv
from hotpot_envs.bots import CallableBot
from hotpot_envs.core import game_names, get_game
from tests.adapters.helpers import plain

GAMES = game_names()
CORNERS = [(name, dict(corner)) for name in GAMES for corner in get_game(name).corners]
REWARDS = ["win", "rank", "score", "dense"]


def first_legal(observation, action_mask):
    return int(np.flatnonzero(action_mask)[0])


def first_legal_rows(observations, action_masks):
    return action_masks.argmax(axis=1)


def wrong_by_hand(observation, action_mask):
    """Illegal in some positions, at times before the learner is asked; chance-free."""
    wrong = int(observation.astype(np.int64) @ np.arange(observation.size)) % 5 == 0
    return int(np.flatnonzero(action_mask == (0 if wrong else 1))[0])


def check(name, num_envs=5, num_steps=40, modes=tuple(AutoresetMode), vector=None, **arguments):
    made = {
        key: [CallableBot(bot) if callable(bot) else bot for bot in value]
        if isinstance(value, list)
        else CallableBot(value)
        if callable(value)
        else value
        for key, value in arguments.items()
    }
    check_vector_env(
        lambda mode: (vector or LearnerVectorEnv)(name, num_envs, autoreset_mode=mode, **made),
        lambda: LearnerEnv(name, **arguments),
        num_steps=num_steps,
        autoreset_modes=modes,
    )


# Batched against single


@pytest.mark.parametrize(("name", "options"), CORNERS)
def test_batched_is_single(name, options):
    check(name, num_steps=30, **options)


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("name", GAMES)
def test_batched_is_single_in_every_reward_mode(name, reward):
    check(name, reward=reward, opponents="random", seat=1)


@pytest.mark.parametrize("name", GAMES)
def test_batched_is_single_with_mixed_opponents(name):
    num_players = get_game(name).options[0].low
    opponents = ["heuristic", first_legal, "random"][: num_players - 1]
    check(name, opponents=opponents, num_players=num_players, reward="dense")


@pytest.mark.parametrize("name", GAMES)
def test_batched_is_single_where_opponents_lose_the_game(name):
    """Games end often, some before the learner is asked anything."""
    check(name, opponents=wrong_by_hand, num_steps=80)
    envs = LearnerVectorEnv(name, 40, opponents=CallableBot(wrong_by_hand))
    _, infos = envs.reset(seed=0)
    assert infos["num_passed_over"].max() > 0


@pytest.mark.parametrize("name", GAMES)
def test_made_by_id(name):
    env_id = get_game(name).id
    check_vector_env(
        lambda mode: gymnasium.make_vec(env_id, num_envs=3, autoreset_mode=mode),
        lambda: gymnasium.make(env_id),
        num_steps=20,
    )
    for mode in (*AutoresetMode, *(mode.value for mode in AutoresetMode)):
        envs = gymnasium.make_vec(env_id, num_envs=2, autoreset_mode=mode)
        assert isinstance(envs.unwrapped, LearnerVectorEnv)
        assert envs.metadata["autoreset_mode"] is AutoresetMode(mode)
    assert LearnerVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    envs.close()
    envs.close()


# The check finds faults


class RewardLost(LearnerVectorEnv):
    def step(self, actions):
        observations, rewards, terminated, truncated, infos = super().step(actions)
        return observations, np.where(terminated, 0.0, rewards), terminated, truncated, infos


class BufferReused(LearnerVectorEnv):
    def _shown(self):
        buffers = self._learners.buffers
        return {"observation": buffers.observations, "action_mask": buffers.action_masks}


class WrongDtype(LearnerVectorEnv):
    def step(self, actions):
        observations, rewards, *rest = super().step(actions)
        return observations, rewards.astype(np.float32), *rest


class KeyLost(LearnerVectorEnv):
    def step(self, actions):
        *rest, infos = super().step(actions)
        infos.pop("_score", None)
        return *rest, infos


class OneMaskBit(LearnerVectorEnv):
    def step(self, actions):
        observations, *rest = super().step(actions)
        observations["action_mask"][-1, -1] ^= 1
        return observations, *rest


class OneSeedForAll(LearnerVectorEnv):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=[seed] * self.num_envs, options=options)


class OtherMode(LearnerVectorEnv):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.metadata["autoreset_mode"] = AutoresetMode.NEXT_STEP


class NewGameAsFinal(LearnerVectorEnv):
    def step(self, actions):
        observations, *rest, infos = super().step(actions)
        if "final_obs" in infos:
            for game in np.flatnonzero(infos["_final_obs"]):
                infos["final_obs"][game] = {k: v[game].copy() for k, v in observations.items()}
        return observations, *rest, infos


class TruncatedInstead(LearnerVectorEnv):
    def step(self, actions):
        observations, rewards, terminated, truncated, infos = super().step(actions)
        return observations, rewards, truncated, terminated, infos


class WrongSpace(LearnerVectorEnv):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.action_space = self.single_action_space


@pytest.mark.parametrize(
    ("fault", "modes", "sentence"),
    [
        (RewardLost, ["NextStep"], r"^autoreset NextStep, step \d+: rewards has np.float64\(0.0\)"),
        (RewardLost, ["SameStep"], r"^autoreset SameStep, step \d+: rewards has .* at \[\d\], not"),
        (BufferReused, ["Disabled"], "reset: what was returned changed later: observations"),
        (WrongDtype, ["NextStep"], "step 0: rewards has dtype float32 and shape .*, not float64"),
        (KeyLost, ["NextStep"], r"step \d+: infos has keys \['_action_mask', .*, not \["),
        (OneMaskBit, ["NextStep"], r"step 0: observations\['action_mask'\] has np.int8\(1\) at"),
        (OneSeedForAll, ["NextStep"], "reset: observations"),
        (OtherMode, ["Disabled"], r"metadata\['autoreset_mode'\] is AutoresetMode.NEXT_STEP"),
        (NewGameAsFinal, ["SameStep"], r"infos\['final_obs'\]\[\d\]\['observation'\] has"),
        (TruncatedInstead, ["Disabled"], r"step \d+: terminated has np.False_ at"),
        (WrongSpace, ["NextStep"], "action_space is Discrete"),
    ],
)
def test_check_finds_planted_faults(fault, modes, sentence):
    name = GAMES[0]
    with pytest.raises(AssertionError, match=sentence):
        check(name, modes=[AutoresetMode(mode) for mode in modes], vector=fault, num_steps=80)


# What it is by itself


@pytest.mark.parametrize("name", GAMES)
def test_functions_are_called_in_batches(name):
    def run(opponents):
        envs = LearnerVectorEnv(name, 6, opponents=opponents, autoreset_mode="SameStep")
        observations, infos = envs.reset(seed=3)
        seen = [(observations, infos)]
        for _ in range(40):
            seen.append(envs.step(observations["action_mask"].argmax(axis=1)))
            observations = seen[-1][0]
        return plain(seen)

    assert run(first_legal_rows) == run(CallableBot(first_legal))
    with pytest.raises(ValueError, match=r"returned actions of shape \(\).*of shape \(\d,\)"):
        run(first_legal)


@pytest.mark.parametrize("name", GAMES)
def test_threads_make_no_difference(name):
    def run(num_threads):
        envs = LearnerVectorEnv(name, 33, num_threads=num_threads)
        observations, infos = envs.reset(seed=3)
        seen = [(observations, infos)]
        for _ in range(30):
            seen.append(envs.step(seen[-1][0]["action_mask"].argmax(axis=1)))
        return plain(seen)

    assert run(1) == run(3)


@pytest.mark.parametrize("name", GAMES)
def test_seeds(name):
    envs, other = (LearnerVectorEnv(name, 4) for _ in range(2))
    first = plain(envs.reset(seed=5))
    assert plain(other.reset(seed=[5, 6, 7, 8])) == first
    assert plain(envs.reset()) != first
    assert plain(envs.reset(seed=np.int64(5))) == first
    # Never seeded: drawn from entropy, and known afterwards.
    fresh = LearnerVectorEnv(name, 4)
    drawn = plain(fresh.reset())
    assert plain(envs.reset(seed=fresh.np_random_seed)) == drawn != first


@pytest.mark.parametrize("name", GAMES)
def test_wrong_arguments(name):
    for wrong, sentence in (
        ({"num_envs": 0}, "num_envs=0: allowed is a whole number from 1"),
        ({"num_envs": 2.0}, r"num_envs=2\.0: allowed is a whole number from 1"),
        ({"autoreset_mode": "Never"}, "autoreset_mode='Never': allowed is an AutoresetMode or"),
        ({"render_mode": "3d"}, "render_mode='3d': allowed is None or"),
        ({"nonsense": 1}, "has no option 'nonsense'"),
        ({"num_threads": 0}, "num_threads=0"),
        ({"seat": 99}, "seat=99"),
    ):
        with pytest.raises(ValueError, match=sentence):
            LearnerVectorEnv(name, **{"num_envs": 2, **wrong})
    envs = LearnerVectorEnv(name, 3)
    for call in (lambda: envs.step(np.zeros(3, int)), envs.render):
        with pytest.raises(ResetNeeded, match=r"reset\(\) needs to be called before"):
            call()
    with pytest.raises(ResetNeeded, match=r"first reset.* must set up all games"):
        envs.reset(options={"reset_mask": np.array([True, False, True])})
    for seed in (-1, 2**64, 2**64 - 2, 1.5, "123", [1, 2], [1, 2, -3], [1, 2, 3.5], True):
        with pytest.raises(ValueError, match="seed"):
            envs.reset(seed=seed)
    envs.reset(seed=0, options={"nonsense": 1})
    for mask in ([True, False, True], np.ones(2, bool), np.ones(3), np.zeros(3, bool)):
        with pytest.raises(ValueError, match=r"reset_mask.*allowed is a bool array"):
            envs.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("illegal", ["terminate", "raise"])
def test_wrong_actions_change_nothing(name, illegal):
    envs = LearnerVectorEnv(name, 3, illegal=illegal)
    observations, _ = envs.reset(seed=0)
    before = envs._learners.engine.states.tobytes()
    legal = observations["action_mask"].argmax(axis=1)
    size = envs.single_action_space.n
    for row, wrong in ((0, -1), (2, size), (1, 2**40)):
        actions = legal.copy()
        actions[row] = wrong
        with pytest.raises(ValueError, match=f"action {wrong} in game {row} is outside"):
            envs.step(actions)
    for actions in (legal[:2], legal.astype(float), legal[:, np.newaxis], "abc", None):
        with pytest.raises(ValueError, match="actions of shape"):
            envs.step(actions)
    if illegal == "raise":
        actions = legal.copy()
        actions[1] = observations["action_mask"][1].argmin()
        with pytest.raises(
            ValueError, match=f"action {actions[1]} in game 1 is illegal: legal are"
        ):
            envs.step(actions)
    assert envs._learners.engine.states.tobytes() == before
    envs.step(legal.tolist())


@pytest.mark.parametrize("name", GAMES)
def test_disabled_autoreset_needs_a_reset(name):
    envs = LearnerVectorEnv(name, 3, autoreset_mode=AutoresetMode.DISABLED)
    observations, _ = envs.reset(seed=0)
    actions = observations["action_mask"].argmax(axis=1)
    actions[1] = observations["action_mask"][1].argmin()
    observations, rewards, terminated, _, infos = envs.step(actions)
    assert terminated.tolist() == [False, True, False]
    assert rewards.tolist() == [0.0, -1.0, 0.0]
    assert infos["illegal_action"].tolist() == [False, True, False]
    with pytest.raises(ResetNeeded, match="game 1 is over: with autoreset disabled"):
        envs.step(actions)
    options = {"reset_mask": terminated}
    again, infos = envs.reset(options=options)
    assert options == {"reset_mask": terminated}
    assert infos["_action_mask"].tolist() == [False, True, False]
    for row in (0, 2):
        assert again["observation"][row].tobytes() == observations["observation"][row].tobytes()
    assert again["action_mask"].any(axis=1).all()
    envs.step(again["action_mask"].argmax(axis=1))


@pytest.mark.parametrize("name", GAMES)
def test_action_masks_and_seats(name):
    envs = LearnerVectorEnv(name, 8)
    observations, infos = envs.reset(seed=0)
    masks = envs.action_masks()
    assert masks.dtype == np.bool_
    np.testing.assert_array_equal(masks, observations["action_mask"] == 1)
    np.testing.assert_array_equal(envs.seats, infos["seat"])
    envs.seats[:] = -1
    np.testing.assert_array_equal(envs.seats, infos["seat"])
    assert envs.observation_space.contains(observations)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
@pytest.mark.parametrize("name", GAMES)
def test_copies_keep_the_games(name, way):
    def run(envs):
        observations, seen = {"action_mask": envs.action_masks()}, []
        for _ in range(40):
            seen.append(envs.step(observations["action_mask"].argmax(axis=1)))
            observations = seen[-1][0]
        return plain(seen)

    envs = LearnerVectorEnv(name, 3, opponents="random")
    envs.reset(seed=1)
    run(envs)
    twin = way(envs)
    later = run(twin)
    assert run(envs) == later


@pytest.mark.parametrize("name", GAMES)
def test_gymnasiums_wrapper_counts_episodes(name):
    envs = RecordEpisodeStatistics(gymnasium.make_vec(get_game(name).id, num_envs=4))
    observations, _ = envs.reset(seed=0)
    episodes, final, earned = 0, 0.0, 0.0
    for _ in range(150):
        actions = observations["action_mask"].argmax(axis=1)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        ended = terminated | truncated
        earned += rewards.sum()
        if ended.any():
            assert infos["_episode"].tolist() == ended.tolist()
            np.testing.assert_array_equal(infos["_score"], ended)
            episodes += int(ended.sum())
            final += infos["episode"]["r"][ended].sum()
    assert episodes > 4
    assert final == pytest.approx(earned)


@pytest.mark.parametrize("name", GAMES)
def test_render(name, capsys):
    envs = LearnerVectorEnv(name, 2, render_mode="ansi")
    singles = [LearnerEnv(name, render_mode="ansi") for _ in range(2)]
    envs.reset(seed=4)
    for index, env in enumerate(singles):
        env.reset(seed=4 + index)
    frames = envs.render()
    assert frames == tuple(env.render() for env in singles)
    assert all(frames)
    envs = LearnerVectorEnv(name, 2, render_mode="human")
    envs.reset(seed=4)
    assert capsys.readouterr().out == "\n".join(frames) + "\n"
    envs = LearnerVectorEnv(name, 2)
    envs.reset()
    with pytest.warns(UserWarning, match="does nothing without a render mode"):
        assert envs.render() == (None, None)
