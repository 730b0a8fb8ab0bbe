"""The games as Gymnasium environments: one learner against bots."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from hotpot_envs.adapters._common import (
    RENDER_MODES,
    check_render_mode,
    read_action,
    render_game,
)
from hotpot_envs.adapters._learners import Facts, Learners, Opponents
from hotpot_envs.core.game import Game

__all__ = ["LearnerEnv"]

Observation = dict[str, np.ndarray]
_FIRST = np.ones(1, np.bool_)


class LearnerEnv(gymnasium.Env[Any, Any]):
    """One game in which the learner has a seat and bots play the others.

    A step is the learner's decision and all that follows from it until it is asked again; its
    reward is all that it is paid meanwhile, whoever's move brings it. An observation is a
    dictionary: ``observation``, int16 ``[D]``, and ``action_mask``, int8 ``[A]``, zeros when the
    game is over.

    ``info`` holds ``action_mask`` and ``seat``; after a reset ``num_passed_over``: how many games
    ended before the learner was asked anything, and were left out; after the last step ``score``
    (the learner's points) and ``place`` (0 the best, ties averaged), or, where an illegal action
    ended the game, ``illegal_action`` (True) and ``offender`` (the seat).

    Args:
        game: a game, or its name.
        opponents: who plays the other seats: a bot's name (``"heuristic"``, ``"random"``, …), the
            path of a trained policy, a function ``(observation [D], action_mask [A]) -> action``,
            or a ``Bot``; or a list of these, one for each other seat, clockwise from the learner's
            left.
        seat: the learner's seat; ``None``: drawn for each game.
        reward: ``"win"``, ``"rank"``, ``"score"`` or ``"dense"``: see ``docs/design.md``.
        illegal: ``"terminate"``: an illegal action ends the game, whoever did it gets −1 and the
            others share +1; ``"raise"``: it raises ValueError and changes nothing.
        render_mode: ``None``, ``"human"`` (prints the table at each step), ``"ansi"`` (text) or
            ``"rgb_array"`` (uint8 ``[H, W, 3]``; needs the extra ``render``), as the learner sees
            the table.
        **options: the game's options; those left out have their defaults.

    Raises:
        ValueError: for anything not allowed, naming it and what is.

    Example:
        >>> env = gymnasium.make("hotpot_envs:hotpot_envs/BoilOver-v0", opponents="random")
        >>> observation, info = env.reset(seed=7)
        >>> over = False
        >>> while not over:
        ...     action = env.action_space.sample(info["action_mask"])
        ...     observation, reward, terminated, truncated, info = env.step(action)
        ...     over = terminated or truncated
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        game: str | Game,
        *,
        opponents: Opponents = "heuristic",
        seat: int | None = None,
        reward: str = "win",
        illegal: str = "terminate",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        check_render_mode(render_mode)
        self._learners = Learners(
            game,
            1,
            opponents=opponents,
            seat=seat,
            reward=reward,
            illegal=illegal,
            options=options,
            batched=False,
        )
        self.render_mode = render_mode
        self.observation_space = self._learners.single_space()
        self.action_space = self.game.actions.discrete()
        self._started = False

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self._learners.engine.game

    @property
    def options(self) -> dict[str, Any]:
        """Every option of the game with its value."""
        return dict(self._learners.engine.options)

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return int(self._learners.seats[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Set up a new game and play it to the learner's first decision.

        Args:
            seed: 0 to 2**64 − 1; deal, seat and bots' chance come from it alone. Without one, the
                environment goes on from its own generators.
            options: ignored; a game's options are the constructor's.
        """
        if seed is None and self._np_random_seed is None:
            seed = draw_seed()
        super().reset(seed=seed)
        seeds = None if seed is None else check_seeds([seed])
        passed_over = self._learners.reset(_FIRST, seeds)
        self._started = True
        return self._shown(), self._info({"num_passed_over": (passed_over, _FIRST)})

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's decision; the bots play until it is asked again.

        Raises:
            ResetNeeded: before the first reset and when the game is over.
            ValueError: for an action outside the action space or of another type (always), and
                for an illegal one with ``illegal="raise"``; nothing has happened then.
        """
        learners = self._learners
        if not self._started:
            raise ResetNeeded("reset() needs to be called before step()")
        if learners.over[0]:
            raise ResetNeeded("the game is over: call reset()")
        number = read_action(action, self.game.actions.size)
        rewards = learners.step(np.array([number]))
        terminated, truncated = learners.buffers.ended.tolist()[0]
        info = self._info(learners.final_facts(learners.over))
        return self._shown(), float(rewards[0]), terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool ``[A]``: what sb3-contrib asks for."""
        masks: np.ndarray = self._learners.buffers.action_masks[0].astype(np.bool_)
        return masks

    def render(self) -> Any:
        """Show the table as the learner sees it; without a render mode, warn."""
        if not self._started:
            raise ResetNeeded("reset() needs to be called before render()")
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render mode: give the constructor "
                f"render_mode, one of {', '.join(RENDER_MODES)}"
            )
            return None
        return render_game(self._learners.engine, 0, self.render_mode, self.seat)

    def _repr_svg_(self) -> str | None:
        """Return the table as a drawing, for notebooks."""
        engine = self._learners.engine
        if not self._started:
            return None
        return engine.game.svg(engine.config[0], engine.states[0], self.seat)

    def _shown(self) -> Observation:
        if self.render_mode == "human":
            self.render()
        return {key: array[0] for key, array in self._learners.observations().items()}

    def _info(self, facts: Facts) -> dict[str, Any]:
        """Return facts of the one game as plain values."""
        return {
            key: values[0] if values.ndim > 1 else values[0].item()
            for key, (values, where) in {**self._learners.facts(), **facts}.items()
            if where[0]
        }


def draw_seed() -> int:
    """Return a seed from the machine's entropy, below 2**63."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))


def check_seeds(seeds: list[int]) -> np.ndarray:
    """Return seeds as uint64.

    Raises:
        ValueError: unless they are whole numbers from 0 to 2**64 − 1.
    """
    for seed in seeds:
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise ValueError(f"seed {seed!r}: allowed is a whole number")
        if not 0 <= seed < 2**64:
            raise ValueError(f"seed {seed}: allowed is 0 to 2**64 - 1")
    return np.array(seeds, np.uint64)
