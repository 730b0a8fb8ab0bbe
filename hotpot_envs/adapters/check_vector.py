"""Does a vector environment do what single ones do? Gymnasium has no public check of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

__all__ = ["check_vector_env"]


def check_vector_env(
    make_vector: Callable[[AutoresetMode], VectorEnv[Any, Any, Any]],
    make_single: Callable[[], gymnasium.Env[Any, Any]],
    *,
    num_steps: int = 200,
    seed: int = 0,
    illegal_share: float = 0.01,
    autoreset_modes: Iterable[AutoresetMode] = tuple(AutoresetMode),
) -> None:
    """Check a native vector environment against single ones, byte for byte.

    The single ones are put together by ``gymnasium.vector.SyncVectorEnv``, so the habits of
    autoreset (``final_obs``, ``final_info``, ``_key`` masks) are Gymnasium's own. Both get the same
    seeds and actions, and everything that they return must be the same: types, dtypes, shapes,
    keys and bytes. What was returned must not change afterwards.

    For environments with a ``Discrete`` action space; where ``infos`` have ``action_mask``
    ``[B, A]``, actions are drawn from it.

    Args:
        make_vector: makes the environment for an autoreset mode.
        make_single: makes one single environment.
        num_steps: steps in each mode.
        seed: of the games and of the actions.
        illegal_share: how often an action is drawn from the whole action space.
        autoreset_modes: which to check; all by default.

    Raises:
        AssertionError: at the first difference, saying where and what.
    """
    for mode in autoreset_modes:
        vector = make_vector(mode)
        singles = SyncVectorEnv([make_single] * vector.num_envs, autoreset_mode=mode)
        try:
            _Pair(vector, singles, mode, seed, illegal_share).run(num_steps)
        finally:
            vector.close()
            singles.close()


class _Pair:
    """A vector environment and its single counterparts, in step."""

    def __init__(
        self,
        vector: VectorEnv[Any, Any, Any],
        singles: SyncVectorEnv[Any, Any],
        mode: AutoresetMode,
        seed: int,
        illegal_share: float,
    ) -> None:
        self.vector, self.singles, self.mode, self.seed = vector, singles, mode, seed
        self.illegal_share = illegal_share
        self.rng = np.random.default_rng(seed)
        self.held: tuple[str, Any, Any] | None = None

    def run(self, num_steps: int) -> None:
        size = self.vector.num_envs
        self._check_spaces()
        _, infos = self._reset("reset", seed=self.seed)
        for step in range(num_steps):
            actions = self._actions(infos)
            place = f"step {step}"
            returned = self._same(place, self.vector.step(actions), self.singles.step(actions))
            *_, terminated, truncated, infos = returned
            ended = terminated | truncated
            if self.mode is AutoresetMode.DISABLED and ended.any():
                _, again = self._reset(f"reset after {place}", options={"reset_mask": ended})
                infos = _merge(infos, again, ended)
        # A new start in the middle, without seeds, with some, and with one for all.
        self._reset("reset without a seed")
        self._reset("reset with a list of seeds", seed=[None, *range(1, size)])
        self._reset("reset with a seed", seed=self.seed + 1)
        some = np.arange(size) % 2 == 0
        self._reset("reset with a mask", seed=self.seed + 2, options={"reset_mask": some})
        self._check_held()

    def _check_spaces(self) -> None:
        vector, singles = self.vector, self.singles
        self._equal("num_envs", vector.num_envs, singles.num_envs)
        self._equal("metadata['autoreset_mode']", vector.metadata["autoreset_mode"], self.mode)
        for name in (
            "single_observation_space",
            "single_action_space",
            "observation_space",
            "action_space",
        ):
            self._equal(name, getattr(vector, name), getattr(singles, name))

    def _equal(self, what: str, found: Any, expected: Any) -> None:
        assert found == expected, (
            f"autoreset {self.mode.value}: {what} is {found}, of single environments {expected}"
        )

    def _reset(self, place: str, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        def given() -> dict[str, Any]:  # SyncVectorEnv takes the mask out of the options
            return {key: dict(v) if isinstance(v, dict) else v for key, v in arguments.items()}

        vector, singles = self.vector.reset(**given()), self.singles.reset(**given())
        observations, infos = self._same(place, vector, singles)
        return observations, infos

    def _same(self, place: str, found: Any, expected: Any) -> Any:
        """Compare what the two returned, and what was returned before with its copy."""
        where = f"autoreset {self.mode.value}, {place}"
        difference = _difference(found, expected)
        assert difference is None, f"{where}: {difference}"
        assert found[0] in self.vector.observation_space, f"{where}: observation outside its space"
        self._check_held()
        self.held = where, found, _copy(found)
        return found

    def _check_held(self) -> None:
        if self.held is not None:
            where, returned, before = self.held
            difference = _difference(returned, before)
            assert difference is None, f"{where}: what was returned changed later: {difference}"

    def _actions(self, infos: dict[str, Any]) -> np.ndarray:
        """Draw legal actions, and now and then any; any as well where a game is over."""
        size, num_actions = self.vector.num_envs, self.vector.single_action_space.n  # type: ignore[attr-defined]
        actions = self.rng.integers(num_actions, size=size)
        masks = infos.get("action_mask", np.zeros((size, num_actions), np.int8))
        for row in range(size):
            legal = np.flatnonzero(masks[row])
            if legal.size and self.rng.random() >= self.illegal_share:
                actions[row] = self.rng.choice(legal)
        return actions


def _merge(infos: dict[str, Any], again: dict[str, Any], where: np.ndarray) -> dict[str, Any]:
    """Return infos whose masks are those of the games that were set up again."""
    if "action_mask" not in infos or "action_mask" not in again:
        return infos
    chosen = where[:, np.newaxis]
    return {"action_mask": np.where(chosen, again["action_mask"], infos["action_mask"])}


def _copy(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _copy(value) for key, value in data.items()}
    if isinstance(data, tuple):
        return tuple(_copy(value) for value in data)
    if isinstance(data, np.ndarray):
        copy = data.copy()
        if data.dtype == object:
            copy[:] = [_copy(value) for value in data]
        return copy
    return data


#: What the parts of a returned tuple are called.
_NAMES = {
    2: ("observations", "infos"),
    5: ("observations", "rewards", "terminated", "truncated", "infos"),
}


def _difference(found: Any, expected: Any, path: str = "") -> str | None:
    """Return where two returned structures differ, in words; ``None`` if nowhere."""
    subject = path or "what was returned"
    if type(found) is not type(expected):
        return f"{subject} is a {type(found).__name__}, not a {type(expected).__name__}"
    parts: list[tuple[str, Any, Any]]
    if isinstance(found, dict):
        if found.keys() != expected.keys():
            return f"{subject} has keys {sorted(found)}, not {sorted(expected)}"
        parts = [(f"{path}[{key!r}]", found[key], expected[key]) for key in found]
    elif isinstance(found, tuple):
        if len(found) != len(expected):
            return f"{subject} has {len(found)} parts, not {len(expected)}"
        parts = list(zip(_NAMES[len(found)], found, expected, strict=True))
    elif isinstance(found, np.ndarray) and found.dtype == expected.dtype == object:
        rows = zip(found, expected, strict=True)
        parts = [(f"{path}[{row}]", *pair) for row, pair in enumerate(rows)]
    else:
        mismatch = _mismatch(found, expected)
        return mismatch and f"{subject} {mismatch}"
    differences = (_difference(one, other, name) for name, one, other in parts)
    return next((difference for difference in differences if difference), None)


def _mismatch(found: Any, expected: Any) -> str | None:
    """Return how two values differ, in words; ``None`` if they are the same bytes."""
    if not isinstance(found, np.ndarray):
        return None if found == expected else f"is {found!r}, not {expected!r}"
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return (
            f"has dtype {found.dtype} and shape {found.shape}, "
            f"not {expected.dtype} and {expected.shape}"
        )
    if found.tobytes() == expected.tobytes():
        return None
    # Compared by repr, which tells apart what == does not: 0.0 and -0.0.
    for place in np.ndindex(found.shape):
        one, other = repr(found[place]), repr(expected[place])
        if one != other:
            return f"has {one} at {list(place)}, not {other}"
    return "has other bytes"
