"""The games as PettingZoo environments: every seat an agent, one decision at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable

from hotpot_envs.adapters._common import (
    RENDER_MODES,
    check_render_mode,
    legal_actions,
    read_action,
    render_game,
)
from hotpot_envs.core.engine import Engine, check_choice
from hotpot_envs.core.game import HEADER, Game

__all__ = ["CardGameEnv"]

Observation = dict[str, np.ndarray]

_FIELDS: Any = np.dtype(HEADER).fields
_TO_MOVE, _TERMINATED, _TRUNCATED = (
    _FIELDS[name][1] for name in ("to_move", "terminated", "truncated")
)

#: What there is of a game only: PettingZoo's own wrapper refuses these before the first reset too.
_OF_A_GAME = frozenset(
    {
        "_cumulative_rewards",
        "agent_selection",
        "agents",
        "infos",
        "num_agents",
        "rewards",
        "terminations",
        "truncations",
    }
)


class CardGameEnv(AECEnv[str, Any, Any]):
    """A game as an agent-environment cycle. Order, bounds and legality are checked in here.

    Agents are ``player_0``, ``player_1``, …, by seat, clockwise. An observation is a dictionary:
    ``observation``, int16 ``[D]``, what that seat knows, and ``action_mask``, int8 ``[A]``, its
    legal actions; zeros for a seat that is not to move. The mask is in ``infos`` as well. When a
    game is over, ``infos`` hold ``score`` (the agent's points), ``place`` (0 the best, ties
    averaged), or, where an illegal action ended it, ``illegal_action`` (True) and ``offender``
    (the seat).

    Args:
        game: a game, or its name.
        reward: ``"win"``, ``"rank"``, ``"score"`` or ``"dense"``: see ``docs/design.md``.
        illegal: ``"terminate"``: an illegal action ends the game, its agent gets −1 and the others
            share +1; ``"raise"``: it raises ValueError and changes nothing.
        render_mode: ``None``, ``"human"`` (prints the table at each move), ``"ansi"`` (text) or
            ``"rgb_array"`` (uint8 ``[H, W, 3]``; needs the extra ``render``), with open cards.
        **options: the game's options; those left out have their defaults.

    Raises:
        ValueError: for anything not allowed, naming it and what is.

    Example:
        >>> env = CardGameEnv("boil_over", num_players=3)
        >>> env.reset(seed=7)
        >>> for agent in env.agent_iter():
        ...     observation, reward, terminated, truncated, info = env.last()
        ...     over = terminated or truncated
        ...     env.step(None if over else np.flatnonzero(observation["action_mask"])[0])
    """

    metadata = {
        "name": "hotpot_envs",
        "render_modes": RENDER_MODES,
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str | Game,
        *,
        reward: str = "win",
        illegal: str = "terminate",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        check_choice("illegal", illegal, ["terminate", "raise"])
        check_render_mode(render_mode)
        self._engine = Engine(game, options=options, reward=reward)
        self.illegal, self.render_mode = illegal, render_mode
        self._dense = reward == "dense"  # any other mode pays at the end only
        self.metadata = {
            **type(self).metadata,
            "name": f"{self.game.name}_v{self.game.version}",
            "render_modes": list(RENDER_MODES),
        }
        layout, actions = self.game.observations, self.game.actions
        self.possible_agents = [f"player_{seat}" for seat in range(self._engine.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": layout.box(),
                    "action_mask": spaces.Box(0, 1, (actions.size,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: actions.discrete() for agent in self.possible_agents}
        #: The space of ``state()``: all seats' observations, seat 0 first.
        self.state_space = spaces.Box(
            np.tile(layout.low, len(self.possible_agents)),
            np.tile(layout.high, len(self.possible_agents)),
            dtype=np.int16,
        )
        self._buffers, self._aside = self._engine.buffers(), self._engine.buffers()
        self._start: np.ndarray | None = None  # the state that the game began with
        self._seed: int | None = None
        self._moves: list[int] = []
        self._bind()

    def _bind(self) -> None:
        """Keep views at hand: making them would take a good part of a step.

        An entry of the state's first bytes takes 0.04 µs to read, through NumPy 0.15 µs.
        """
        self._observation = self._buffers.observations[0]
        self._mask = self._buffers.action_masks[0]
        self._paid = self._buffers.rewards[0]
        self._state = memoryview(self._engine.states.view(np.uint8).data)
        self._action = np.zeros(1, np.int64)
        self._decide = self._engine.bound_step(self._action, self._buffers)

    def __getstate__(self) -> dict[str, Any]:
        views = {"_observation", "_mask", "_paid", "_state", "_action", "_decide"}
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._bind()

    def __getattr__(self, name: str) -> Any:
        if name in _OF_A_GAME:
            raise AttributeError(f"{name} cannot be accessed before reset()")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self._engine.game

    @property
    def options(self) -> dict[str, Any]:
        """Every option of the game with its value."""
        return dict(self._engine.options)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's action space, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Set up a new game.

        Args:
            seed: 0 to 2**64 − 1: the same seed gives the same game. Without one, the environment
                goes on from its own generator.
            options: ignored; a game's options are the constructor's.
        """
        engine = self._engine
        engine.reset(None if seed is None else seed)
        engine.observe(self._buffers)
        self._start, self._seed, self._moves = engine.save(), seed, []
        self._over, self._stepped = False, True
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: self._silent() for agent in self.agents}
        self._skip_agent_selection = None  # type: ignore[assignment]
        self._turn()
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Carry out the decision of ``agent_selection``; ``None`` when that agent's game is over.

        Raises:
            ResetNeeded: before the first reset, and when no agent is left.
            ValueError: for an action outside the action space or of another type (always), and
                for an illegal one with ``illegal="raise"``; nothing has happened then.
        """
        if self._start is None:
            self._check_started("step")
        if not self.agents:
            raise ResetNeeded("the game is over and no agent is left to step: call reset()")
        self._stepped = True
        agent = self.agent_selection
        if self._over:
            if action is not None:
                raise ValueError(
                    f"the game of {agent} is over: the only action allowed is None, not {action!r}"
                )
            self._was_dead_step(None)
            return
        if action is None:
            raise ValueError(f"{agent} is to move: None is only for agents whose game is over")
        action = read_action(action, self._mask.size)
        if self.illegal == "raise" and not self._mask[action]:
            raise ValueError(f"action {action} of {agent} is illegal: {legal_actions(self._mask)}")
        self._action[0] = action
        self._decide()
        self._moves.append(action)
        self._cumulative_rewards[agent] = 0.0
        over = self._state[_TERMINATED] or self._state[_TRUNCATED]
        if over or self._dense:
            self._pay()
        if over:
            self._finish()
        else:
            self.infos[agent] = self._silent()
            self._turn()
        if self.render_mode == "human":
            self.render()

    def _pay(self) -> None:
        """Give each agent what the move paid it; a new dictionary, as users keep the old one."""
        self.rewards = dict(zip(self.possible_agents, self._paid.tolist()))
        for agent, reward in self.rewards.items():
            self._cumulative_rewards[agent] += reward

    def _turn(self) -> None:
        """Turn to the agent to move."""
        self.agent_selection = self.possible_agents[self._state[_TO_MOVE]]
        self.infos[self.agent_selection] = {"action_mask": self._mask.copy()}

    def _silent(self) -> dict[str, Any]:
        """Return the info of an agent that is not to move."""
        return {"action_mask": np.zeros(self._mask.size, np.int8)}

    def _finish(self) -> None:
        """End the game for all agents, who are then stepped with ``None`` by seat."""
        self._over = True
        self.terminations = dict.fromkeys(self.agents, bool(self._state[_TERMINATED]))
        self.truncations = dict.fromkeys(self.agents, bool(self._state[_TRUNCATED]))
        self.infos = {agent: self._silent() for agent in self.agents}
        offender = int(self._engine.states["offender"][0])
        points, _, places = self._engine.results()
        for seat, agent in enumerate(self.agents):
            if offender >= 0:
                self.infos[agent].update(illegal_action=True, offender=offender)
            else:
                self.infos[agent].update(score=int(points[0, seat]), place=float(places[0, seat]))
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, in arrays of its own; the mask of one not to move is zeros.

        Raises:
            ResetNeeded: before the first reset.
            ValueError: for an agent that there is not.
        """
        if self._start is None:
            self._check_started("observe")
        if agent == self.agent_selection and not self._over:
            return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        if agent not in self._seats:
            raise ValueError(f"no agent {agent!r}: there are {', '.join(self.possible_agents)}")
        self._engine.observe(self._aside, np.array([self._seats[agent]]))
        return {
            "observation": self._aside.observations[0].copy(),
            "action_mask": self._aside.action_masks[0].copy(),
        }

    def action_masks(self) -> np.ndarray:
        """Return the legal actions of ``agent_selection``, bool ``[A]``: sb3-contrib's habit."""
        self._check_started("action_masks")
        return np.zeros(self._mask.size, np.bool_) if self._over else self._mask.astype(np.bool_)

    def state(self) -> np.ndarray:
        """Return all seats' observations one behind the other, seat 0 first: int16 ``[n × D]``."""
        self._check_started("state")
        return np.concatenate(
            [self.observe(agent)["observation"] for agent in self.possible_agents]
        )

    def record(
        self, *, players: Sequence[str] | None = None, legal: bool = False
    ) -> dict[str, Any]:
        """Return the record of the game, over or still going on: see ``records.record_of``.

        Args:
            players: what the seats' players are called, a remark in the record.
            legal: write every legal move beside each move.

        Raises:
            ResetNeeded: before the first reset.
        """
        self._check_started("record")
        from hotpot_envs.records import record_of

        assert self._start is not None
        # The rules know no illegal moves: a game that one ended is recorded up to it, unfinished.
        offended = self._engine.states["offender"][0] >= 0
        moves = self._moves[:-1] if offended else self._moves
        return record_of(
            self.game,
            self._engine.options,
            self._start,
            moves,
            seed=self._seed,
            players=players,
            legal=legal,
        )

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """Yield the agent to step, until none is left; step it before asking for the next.

        Raises:
            ResetNeeded: before the first reset.
        """
        self._check_started("agent_iter")
        return _Turns(self, max_iter)  # type: ignore[no-untyped-call]

    def render(self) -> Any:
        """Show the table with open cards, as ``render_mode`` says; without one, warn."""
        self._check_started("render")
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render mode: give the constructor "
                f"render_mode, one of {', '.join(RENDER_MODES)}"
            )
            return None
        return render_game(self._engine, 0, self.render_mode, None)

    def _repr_svg_(self) -> str | None:
        """Return the table as a drawing, for notebooks."""
        if self._start is None:
            return None
        return self.game.svg(self._engine.config[0], self._engine.states[0], None)

    def close(self) -> None:
        """Do nothing: there is no window and no process to end."""

    def _check_started(self, call: str) -> None:
        if self._start is None:
            raise ResetNeeded(f"reset() needs to be called before {call}()")


class _Turns(AECIterable[str, Any, Any]):
    """An iteration over agents that sees to it that each is stepped."""

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]  # a generator is quicker
        env, left = self.env, self.max_iter
        env._stepped = True
        while left > 0 and env.agents:
            if not env._stepped:
                raise ResetNeeded("step() or reset() needs to be called for each agent_iter() turn")
            env._stepped = False
            left -= 1
            yield env.agent_selection
