"""Credit per (table, seat): hand-made cases, and a slow, obvious implementation."""

from __future__ import annotations

import numpy as np
import pytest
import torch as th
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.vec_env import VecEnv

from hotpot_envs.adapters.sb3_buffer import SeatRolloutBuffer
from hotpot_envs.adapters.sb3_vec import CardGameVecEnv

NUM_ACTIONS = 3


class Script(CardGameVecEnv):
    """An environment that does as it is told: only what the buffer asks of one."""

    def __init__(self, num_envs: int, num_players: int) -> None:
        self.render_mode = None
        VecEnv.__init__(
            self, num_envs, spaces.Box(0.0, 1.0, (1,), np.float32), spaces.Discrete(NUM_ACTIONS)
        )
        self.num_players = num_players
        self.seats = self.last_seats = np.zeros(num_envs, np.int64)
        self.last_payments = np.zeros((num_envs, num_players))
        self.last_dones = np.zeros(num_envs, np.bool_)


class Ledger:
    """Every decision of every game, and what is to be learnt from it, worked out plainly."""

    def __init__(self, num_envs: int, num_players: int, gamma: float, gae_lambda: float) -> None:
        self.num_players, self.gamma, self.gae_lambda = num_players, gamma, gae_lambda
        self.count = 0
        #: Of every table, its games so far: lists of (identity, seat, value, payments).
        self.games: list[list[list[tuple[int, int, float, np.ndarray]]]] = [
            [[]] for _ in range(num_envs)
        ]

    def write(self, seats, values, payments, dones):
        """Note a step; return the decisions' identities."""
        identities = np.arange(self.count, self.count + len(seats))
        self.count += len(seats)
        for table, game in enumerate(self.games):
            game[-1].append((int(identities[table]), seats[table], values[table], payments[table]))
            if dones[table]:
                game.append([])
        return identities

    def expected(self, next_seats, last_values):
        """Return identity → (advantage, return) for every decision that has a successor."""
        found = {}
        for table, games in enumerate(self.games):
            for game in games:
                over = game is not games[-1]
                for seat in range(self.num_players):
                    found |= self.of_seat(
                        game, seat, over, last_values[table] if next_seats[table] == seat else None
                    )
        return found

    def of_seat(self, game, seat, over, next_value):
        own = [index for index, decision in enumerate(game) if decision[1] == seat]
        found, advantage = {}, 0.0
        for place in reversed(range(len(own))):
            identity, _, value, _ = game[own[place]]
            later = own[place + 1] if place + 1 < len(own) else len(game)
            reward = sum(game[step][3][seat] for step in range(own[place], later))
            if place + 1 < len(own):
                successor = game[own[place + 1]][2]
            elif over:
                successor = 0.0
            elif next_value is not None:
                successor = next_value
            else:
                continue  # no successor yet: it is the bootstrap of the one before it
            error = reward + self.gamma * successor - value
            advantage = error + self.gamma * self.gae_lambda * advantage
            found[identity] = advantage, advantage + value
        return found


class Player:
    """Feeds a buffer from lists of steps, and a ledger with it."""

    def __init__(
        self, num_envs: int, num_players: int, num_steps: int, gamma: float, gae_lambda: float
    ) -> None:
        self.env = Script(num_envs, num_players)
        self.buffer = SeatRolloutBuffer(
            num_steps,
            self.env.observation_space,
            self.env.action_space,
            "cpu",
            gae_lambda=gae_lambda,
            gamma=gamma,
            n_envs=num_envs,
        )
        self.buffer.attach(self.env)
        self.ledger = Ledger(num_envs, num_players, gamma, gae_lambda)
        self.starts = np.ones(num_envs, np.bool_)

    def rollout(self, steps, next_seats, last_values):
        """Play steps (seats, values, payments, dones); return identity → (advantage, return)."""
        self.buffer.reset()
        for seats, values, payments, dones in steps:
            identities = self.ledger.write(seats, values, payments, dones)
            self.env.last_seats = np.array(seats, np.int64)
            self.env.last_payments = np.array(payments, np.float64)
            self.env.last_dones = np.array(dones, np.bool_)
            self.buffer.add(
                identities[:, None].astype(np.float32),
                identities[:, None] % NUM_ACTIONS,
                np.zeros(len(seats), np.float32),
                self.starts,
                th.tensor(values, dtype=th.float32)[:, None],
                -th.tensor(identities, dtype=th.float32),
                action_masks=np.repeat(identities[:, None] % 2, NUM_ACTIONS, axis=1),
            )
            self.starts = np.array(dones, np.bool_)
        self.env.seats = np.array(next_seats, np.int64)
        self.buffer.compute_returns_and_advantage(
            th.tensor(last_values, dtype=th.float32)[:, None], self.starts
        )
        return self.samples()

    def samples(self):
        found = {}
        for part in self.buffer.get(4):
            for index, identity in enumerate(part.observations[:, 0].long().tolist()):
                assert identity not in found
                assert part.actions[index].item() == identity % NUM_ACTIONS
                assert part.old_log_prob[index].item() == -identity
                assert part.action_masks[index].tolist() == [identity % 2] * NUM_ACTIONS
                found[identity] = (part.advantages[index].item(), part.returns[index].item())
        return found


def close(found, expected):
    assert found.keys() == expected.keys()
    for identity, pair in expected.items():
        assert found[identity] == pytest.approx(pair, abs=1e-5)


def test_two_seats_in_turn():
    player = Player(1, 2, 4, gamma=0.5, gae_lambda=1.0)
    nothing = [[0.0, 0.0]]
    found = player.rollout(
        [
            ([0], [0.1], nothing, [False]),
            ([1], [0.2], nothing, [False]),
            ([0], [0.3], [[0.25, -0.25]], [False]),
            ([1], [0.4], [[-1.0, 1.0]], [True]),
        ],
        [0],
        [9.0],
    )
    # Seat 0's last decision earns what its own move and seat 1's answer pay; so does seat 1's
    # first, of which the second half comes after the next.
    close(
        found,
        {
            2: (-0.75 - 0.3, -0.75),
            3: (1.0 - 0.4, 1.0),
            0: (0.5 * -0.75 - 0.1, 0.5 * -0.75),
            1: (-0.25 + 0.5 * 1.0 - 0.2, -0.25 + 0.5 * 1.0),
        },
    )


def test_games_of_unequal_length():
    player = Player(2, 2, 4, gamma=1.0, gae_lambda=1.0)
    end, none = [-1.0, 1.0], [0.0, 0.0]
    found = player.rollout(
        [
            ([0, 0], [0.0, 0.0], [none, none], [False, False]),
            ([1, 1], [0.0, 0.0], [end, none], [True, False]),
            ([1, 0], [0.0, 0.0], [none, none], [False, False]),
            ([0, 1], [0.0, 0.0], [end, end], [True, True]),
        ],
        [0, 0],
        [7.0, 7.0],
    )
    returns = {identity: pair[1] for identity, pair in found.items()}
    # Identities count row by row: even ones are table 0's two games, odd ones table 1's one.
    assert returns == {0: -1, 2: 1, 4: 1, 6: -1, 1: -1, 3: 1, 5: -1, 7: 1}


def test_pool_table_learner_is_not_asked_every_turn():
    # Seats 0 and 2 are bots: the environment adds up what their moves pay the learner.
    player = Player(1, 3, 3, gamma=1.0, gae_lambda=0.0)
    found = player.rollout(
        [
            ([1], [0.5], [[0.0, 0.3, -0.3]], [False]),
            ([1], [0.6], [[0.0, -0.1, 0.1]], [False]),
            ([1], [0.7], [[-1.0, 0.5, 0.5]], [True]),
        ],
        [1],
        [0.0],
    )
    close(
        found,
        {0: (0.3 + 0.6 - 0.5, 0.9), 1: (-0.1 + 0.7 - 0.6, 0.6), 2: (0.5 - 0.7, 0.5)},
    )


def test_illegal_end_is_paid_to_everybody():
    player = Player(1, 3, 3, gamma=1.0, gae_lambda=1.0)
    none = [[0.0, 0.0, 0.0]]
    found = player.rollout(
        [
            ([0], [0.0], none, [False]),
            ([1], [0.0], none, [False]),
            ([2], [0.0], [[0.5, 0.5, -1.0]], [True]),
        ],
        [0],
        [3.0],
    )
    assert {identity: pair[1] for identity, pair in found.items()} == {0: 0.5, 1: 0.5, 2: -1.0}


def test_rollout_ends_in_mid_game():
    player = Player(1, 2, 3, gamma=1.0, gae_lambda=1.0)
    none = [[0.0, 0.0]]
    found = player.rollout(
        [
            ([0], [0.1], none, [False]),
            ([1], [0.2], none, [False]),
            ([0], [0.3], none, [False]),
        ],
        [1],
        [0.8],
    )
    # Seat 1 is to move, so the value of what it sees follows its decision; seat 0's second
    # decision has no successor yet and waits for the next rollout.
    close(found, {0: (0.3 - 0.1, 0.3), 1: (0.8 - 0.2, 0.8)})
    found = player.rollout(
        [
            ([1], [0.9], [[0.25, -0.25]], [False]),
            ([0], [0.4], none, [False]),
            ([1], [0.5], [[1.0, -1.0]], [True]),
        ],
        [0],
        [5.0],
    )
    close(
        found,
        {
            2: (0.25 + 1.0 - 0.3, 1.25),  # carried over: identity 2, with its old value
            3: (-1.25 - 0.9, -1.25),
            4: (1.0 - 0.4, 1.0),
            5: (-1.0 - 0.5, -1.0),
        },
    )


def test_table_set_up_anew_drops_what_was_carried_over():
    player = Player(1, 2, 1, gamma=1.0, gae_lambda=1.0)
    assert player.rollout([([0], [0.1], [[0.0, 0.0]], [False])], [1], [0.0]) == {}
    player.starts[:] = True
    found = player.rollout([([1], [0.2], [[-1.0, 1.0]], [True])], [0], [0.0])
    assert found.keys() == {1}


@pytest.mark.parametrize("num_players", [2, 5])
@pytest.mark.parametrize(("gamma", "gae_lambda"), [(1.0, 0.95), (0.9, 0.5), (0.99, 1.0)])
def test_like_the_slow_implementation(num_players, gamma, gae_lambda):
    random = np.random.default_rng(num_players)
    num_envs, num_steps, num_rollouts = 7, 11, 6
    player = Player(num_envs, num_players, num_steps, gamma, gae_lambda)
    seen: dict[int, tuple[float, float]] = {}
    # Some tables have one learner, some several, and whoever is to move is anybody's guess.
    learners = [random.permutation(num_players)[: 1 + table % num_players] for table in range(7)]
    next_seats = [random.choice(learners[table]) for table in range(num_envs)]
    for _ in range(num_rollouts):
        steps = []
        for _ in range(num_steps):
            payments = random.normal(size=(num_envs, num_players)).round(2)
            dones = random.random(num_envs) < 0.15
            steps.append((next_seats, random.normal(size=num_envs).round(2), payments, dones))
            next_seats = [random.choice(learners[table]) for table in range(num_envs)]
        last_values = random.normal(size=num_envs).round(2)
        before = player.ledger.expected([-1] * num_envs, last_values)
        found = player.rollout(steps, next_seats, last_values)
        expected = player.ledger.expected(next_seats, last_values)
        # A decision gives one sample, in the rollout in which its successor came into view.
        assert not found.keys() & seen.keys()
        assert before.keys() <= seen.keys()
        close(found, {name: expected[name] for name in found})
        seen |= found
        assert seen.keys() >= expected.keys() - before.keys()
    assert len(seen) > num_envs * num_steps * (num_rollouts - 1)


def test_one_learner_alone_is_the_usual_buffer():
    random = np.random.default_rng(0)
    player = Player(3, 2, 8, gamma=0.97, gae_lambda=0.9)
    usual = MaskableRolloutBuffer(
        8, player.env.observation_space, player.env.action_space, "cpu", 0.9, 0.97, 3
    )
    steps, starts = [], np.ones(3)
    for step in range(8):
        values, payments = random.normal(size=3), random.normal(size=(3, 2))
        dones = random.random(3) < 0.2
        steps.append(([1, 1, 1], values, payments, dones))
        usual.add(
            np.full((3, 1), step), np.zeros((3, 1)), payments[:, 1], starts,
            th.tensor(values), th.zeros(3),
        )  # fmt: skip
        starts = dones
    last = random.normal(size=3)
    usual.compute_returns_and_advantage(th.tensor(last), starts)
    found = player.rollout(steps, [1, 1, 1], last)
    for identity, pair in found.items():
        step, table = divmod(identity, 3)
        assert pair[0] == pytest.approx(usual.advantages[step, table], abs=1e-5)


def test_parts_are_equal_and_hold_everything():
    player = Player(10, 2, 10, gamma=1.0, gae_lambda=1.0)
    steps = [([0] * 10, [0.0] * 10, np.zeros((10, 2)), [True] * 10) for _ in range(10)]
    player.rollout(steps, [0] * 10, [0.0] * 10)
    assert [len(part.actions) for part in player.buffer.get(33)] == [34, 33, 33]
    assert [len(part.actions) for part in player.buffer.get(66)] == [50, 50]
    assert [len(part.actions) for part in player.buffer.get(1000)] == [100]
    assert [len(part.actions) for part in player.buffer.get()] == [100]


def test_carried_over_survives_saving():
    first = Player(4, 3, 2, gamma=1.0, gae_lambda=1.0)
    second = Player(4, 3, 2, gamma=1.0, gae_lambda=1.0)
    steps = [([0] * 4, [0.5] * 4, np.zeros((4, 3)), [False] * 4)] * 2
    first.rollout(steps, [1] * 4, [0.0] * 4)
    second.buffer.restore_carried(first.buffer.save_carried())
    second.ledger.count, second.starts = first.ledger.count, first.starts
    ends = [([2] * 4, [0.5] * 4, np.ones((4, 3)), [True] * 4)] * 2
    assert second.rollout(ends, [0] * 4, [0.0] * 4) == first.rollout(ends, [0] * 4, [0.0] * 4)
    second.buffer.restore_carried({})
    assert second.buffer.save_carried() == {}


def test_refusals():
    env = Script(2, 2)
    buffer = SeatRolloutBuffer(1, env.observation_space, env.action_space, n_envs=3)
    with pytest.raises(RuntimeError, match=r"call model\.rollout_buffer\.attach\(env\)"):
        buffer.add()
    with pytest.raises(ValueError, match="2 tables and the buffer 3 rows"):
        buffer.attach(env)


def test_inside_the_algorithm(monkeypatch):
    """MaskablePPO's own loop over real games, several learners and one against bots."""
    env = CardGameVecEnv(
        "boil_over",
        6,
        options={"num_players": 3, "rounds": 1},
        reward="dense",
        opponents="random",
        opponent_share=0.5,
        seed=3,
    )
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=13,
        batch_size=32,
        n_epochs=1,
        gamma=0.9,
        gae_lambda=0.8,
        rollout_buffer_class=SeatRolloutBuffer,
        seed=1,
        device="cpu",
    )
    buffer = model.rollout_buffer
    buffer.attach(env)
    ledger = Ledger(6, 3, 0.9, 0.8)
    usual_add, usual_compute = buffer.add, buffer.compute_returns_and_advantage
    usual_get = buffer.get
    expected: list[dict[int, tuple[float, float]]] = []
    found: list[np.ndarray] = []

    def add(*arguments, **keywords):
        values = arguments[4].numpy().ravel()
        ledger.write(env.last_seats, values, env.last_payments, env.last_dones)
        usual_add(*arguments, **keywords)

    def compute(last_values, dones):
        expected.append(ledger.expected(env.seats, last_values.numpy().ravel()))
        usual_compute(last_values, dones)

    def get(batch_size):
        parts = list(usual_get(batch_size))
        found.append(np.concatenate([part.returns.numpy() for part in parts]))
        yield from parts

    monkeypatch.setattr(buffer, "add", add)
    monkeypatch.setattr(buffer, "compute_returns_and_advantage", compute)
    monkeypatch.setattr(buffer, "get", get)
    model.learn(13 * 6 * 8)
    assert len(found) == len(expected) == 8
    done: set[int] = set()
    for returns, all_so_far in zip(found, expected, strict=True):
        new = {identity: pair[1] for identity, pair in all_so_far.items() if identity not in done}
        assert np.sort(returns) == pytest.approx(np.sort(list(new.values())), abs=1e-4)
        done |= new.keys()
    assert max(len(games) for games in ledger.games) > 3
