"""What a bot is, and making one from its name, a policy file or a function."""

from __future__ import annotations

import abc
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hotpot_envs.bots.policy import Policy
from hotpot_envs.core import Game, get_game
from hotpot_envs.core.engine import get_loops

__all__ = ["Bot", "BotSpec", "CallableBot", "CompiledBot", "PolicyBot", "make_bot"]


class Bot(abc.ABC):
    """Whoever chooses actions: sees what its seat sees, in batches.

    To write one in Python, give it a ``name`` and an ``act``.

    Attributes:
        name: what tables and records call it.
        number: its place in ``Engine.bots`` if it is compiled, otherwise ``None``.
        game: the game that it plays, or ``None``: it plays any.
    """

    name: str
    number: int | None = None
    game: Game | None = None

    @abc.abstractmethod
    def act(
        self, observations: np.ndarray, action_masks: np.ndarray, generators: np.ndarray
    ) -> np.ndarray:
        """Choose an action in each row: a function of its arguments and of nothing else.

        Args:
            observations: int16 ``[B, D]``, of the seats to move. Read only.
            action_masks: int8 ``[B, A]``, with a legal action in each row. Read only.
            generators: uint64 ``[B]``, contiguous: all its chance comes from these (``core.rng``),
                and they are advanced in place.

        Returns:
            Actions, int64 ``[B]``.
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class CompiledBot(Bot):
    """One of a game's own bots: ``random``, ``heuristic`` and the like.

    Raises:
        ValueError: for a name that the game does not know.
    """

    number: int
    game: Game

    def __init__(self, name: str, game: str | Game) -> None:
        self.game = get_game(game)
        names = get_loops(self.game).bots
        if name not in names:
            raise ValueError(f"no bot {name!r}; {self.game.title} has: {', '.join(names)}")
        self.name, self.number = name, names.index(name)

    def act(
        self, observations: np.ndarray, action_masks: np.ndarray, generators: np.ndarray
    ) -> np.ndarray:
        """Choose as in ``Engine.play``; −1 in a row where nothing is legal."""
        actions = np.empty(len(observations), np.int64)
        get_loops(self.game).choose(
            np.full(len(actions), self.number),
            np.ascontiguousarray(observations, np.int16),
            np.ascontiguousarray(action_masks, np.int8),
            generators,
            actions,
            0,
            len(actions),
        )
        return actions


class CallableBot(Bot):
    """A function as a bot; its chance, if it has any, is its own affair.

    Args:
        function: ``(observation [D], action_mask [A]) -> action``; or, if ``batched``,
            ``(observations [B, D], action_masks [B, A]) -> actions [B]``. It gets copies.
        name: by default the function's own name.
        batched: whether it takes all rows at once.
    """

    def __init__(
        self, function: Callable[..., Any], *, name: str | None = None, batched: bool = False
    ) -> None:
        self.function, self.batched = function, batched
        self.name = name or str(getattr(function, "__name__", type(function).__name__))

    def act(
        self, observations: np.ndarray, action_masks: np.ndarray, generators: np.ndarray
    ) -> np.ndarray:
        """Choose by the function.

        Raises:
            ValueError: when it returns something else than whole numbers.
        """
        observations, action_masks = observations.copy(), action_masks.copy()
        if self.batched:
            actions = np.asarray(self.function(observations, action_masks))
            if actions.shape != (len(observations),) or actions.dtype.kind not in "iu":
                raise ValueError(
                    f"bot {self.name!r} returned actions of shape {actions.shape} and dtype "
                    f"{actions.dtype}: allowed are whole numbers of shape ({len(observations)},)"
                )
            return actions.astype(np.int64)
        rows = zip(observations, action_masks, strict=True)
        return np.array([self._whole(self.function(*row)) for row in rows], np.int64)

    def _whole(self, action: Any) -> int:
        value = np.asarray(action)
        if value.size != 1 or value.dtype.kind not in "iu":
            raise ValueError(
                f"bot {self.name!r} returned {action!r}: allowed is an action, a whole number"
            )
        return int(value.item())


class PolicyBot(Bot):
    """A trained policy as a bot.

    Args:
        policy: the policy.
        sample: whether it draws its actions by their probabilities or takes the likeliest.
        name: what to call it.
    """

    def __init__(self, policy: Policy, *, sample: bool = False, name: str = "policy") -> None:
        self.policy, self.sample, self.name = policy, sample, name
        self.game = policy.game

    def act(
        self, observations: np.ndarray, action_masks: np.ndarray, generators: np.ndarray
    ) -> np.ndarray:
        """Choose by the policy, never an illegal action; −1 in a row where nothing is legal."""
        return self.policy.act(observations, action_masks, generators if self.sample else None)


#: Whatever ``make_bot`` makes a bot from.
BotSpec = str | os.PathLike[str] | Callable[..., Any] | Bot


def make_bot(spec: BotSpec, game: str | Game, *, batched: bool = False) -> Bot:
    """Make a bot for a game.

    Args:
        spec: the name of one of the game's bots (``"random"``, ``"heuristic"``, …); the path of a
            policy file, or of a folder that holds ``policy.safetensors``, which plays its
            likeliest action, or draws one if ``@sample`` follows; a function
            ``(observation, action_mask) -> action``; or a ``Bot``, which is returned as it is.
        game: the game, or its name.
        batched: a function takes and returns whole batches.

    Raises:
        ValueError: for what is none of these or does not fit the game, with the reason.
    """
    game = get_game(game)
    if isinstance(spec, Bot):
        if spec.game is not None and spec.game is not game:
            raise ValueError(f"bot {spec.name!r} plays {spec.game.title}, not {game.title}")
        return spec
    if isinstance(spec, (str, os.PathLike)):
        text = os.fspath(spec)
        return CompiledBot(text, game) if text in get_loops(game).bots else _policy_bot(text, game)
    if callable(spec):
        return CallableBot(spec, batched=batched)
    raise ValueError(
        f"{spec!r} is no bot; allowed is a bot's name, a policy file, a function "
        "(observation, action_mask) -> action, or a Bot"
    )


def _policy_bot(text: str, game: Game) -> Bot:
    path_text = text.removesuffix("@sample")
    path = Path(path_text)
    if path.is_dir():
        path /= "policy.safetensors"
    if not path.exists():
        if path.suffix == ".safetensors" or "/" in path_text or os.sep in path_text:
            raise ValueError(f"there is no policy file {str(path)!r}")
        raise ValueError(
            f"no bot {text!r}; {game.title} has: {', '.join(get_loops(game).bots)}, or give the "
            "path of a policy file (.safetensors), with @sample after it to draw actions"
        )
    return PolicyBot(Policy.load(path, game), sample=path_text != text, name=text)
