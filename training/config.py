"""Hyperparameters: what there are, reading them from YAML and from the command line."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from hotpot_envs.core import Game

__all__ = ["Config", "Schedule", "config_path", "describe_hyperparams", "load_config"]

CONFIGS = Path(__file__).parents[1] / "configs" / "maskable_ppo"

_POLICY_KWARGS = ("trunk", "net_arch", "activation_fn", "ortho_init", "standardize", "symmetric")


@dataclasses.dataclass(frozen=True)
class Schedule:
    """A number that changes evenly in the course of a run.

    Written ``0.001`` (always that), ``lin_0.001`` (from that to 0, as in RL Zoo) or
    ``lin_0.001_0.0001`` (from the one to the other).
    """

    start: float
    end: float

    @classmethod
    def parse(cls, value: Any) -> Schedule:
        """Read a schedule.

        Raises:
            ValueError: for what is none.
        """
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return cls(float(value), float(value))
        number = r"(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)"
        found = re.fullmatch(rf"(?:lin_)?{number}(?:(?<=\w)_{number})?", str(value))
        if found is None or (found[2] and not str(value).startswith("lin_")):
            raise ValueError("a number, lin_START or lin_START_END")
        start = float(found[1])
        if not str(value).startswith("lin_"):
            return cls(start, start)
        return cls(start, float(found[2] or 0.0))

    def __call__(self, progress_remaining: float) -> float:
        """Return the value where a share of 1 to 0 of the run is still to come."""
        return self.end + progress_remaining * (self.start - self.end)


def _number(
    kind: type[int] | type[float], low: float, high: float, words: str
) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or (kind is int and not whole) or not low <= value <= high:
            raise ValueError(words)
        return kind(value)

    return check


def _count(low: int) -> Callable[[Any], Any]:
    return _number(int, low, 2**53, f"a whole number from {low}")


def _share(low: float = 0.0) -> Callable[[Any], Any]:
    return _number(float, low, 1.0, f"a number from {low:g} to 1")


def _positive(value: Any) -> Any:
    return _number(float, 0.0, 1e9, "a number from 0")(value)


def _schedule(value: Any) -> Any:
    Schedule.parse(value)
    return value


def _optional(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else check(value)


def _word(*words: Any) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value not in words or isinstance(value, bool) != isinstance(words[0], bool):
            raise ValueError("one of " + ", ".join(str(word).lower() for word in words))
        return value

    return check


def _weights(value: Any) -> Any:
    weight = _number(float, 0.0, 1e9, "")
    try:
        return {str(name): weight(given) for name, given in dict(value).items()}
    except (TypeError, ValueError):
        raise ValueError(
            "bots with how often each is drawn, such as {heuristic: 2, random: 1}"
        ) from None


def _sizes(value: Any) -> list[int]:
    if not isinstance(value, list) or not all(type(size) is int and size > 0 for size in value):
        raise ValueError
    return value


def _policy_kwargs(value: Any) -> Any:
    try:
        if not isinstance(value, Mapping) or set(value) - set(_POLICY_KWARGS):
            raise ValueError
        _sizes(value.get("trunk", []))
        arch = value.get("net_arch", [])
        for sizes in arch.values() if isinstance(arch, Mapping) else [arch]:
            _sizes(sizes)
        if isinstance(arch, Mapping) and set(arch) - {"pi", "vf"}:
            raise ValueError
        _word("relu", "tanh")(value.get("activation_fn", "relu"))
        for name in ("ortho_init", "standardize", "symmetric"):
            _word(True, False)(value.get(name, True))
    except ValueError:
        raise ValueError(
            "a mapping of trunk (list of sizes: layers that policy and value share), net_arch "
            "(list of sizes, or {pi: [...], vf: [...]}), activation_fn (relu or tanh), ortho_init, "
            "standardize (observations to mean 0, deviation 1) and symmetric (what the game's "
            "symmetries exchange is treated alike): true or false each"
        ) from None
    return dict(value)


def _field(default: Any, check: Callable[[Any], Any], meaning: str) -> Any:
    metadata = {"check": check, "meaning": meaning}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class Config:
    """All hyperparameters of a run; the names are RL Zoo's and stable-baselines3's.

    Where they stand below with a schedule, a number may be written as ``lin_START`` or
    ``lin_START_END``.
    """

    n_envs: int = _field(256, _count(1), "tables played at once")
    n_timesteps: int = _field(5_000_000, _count(1), "decisions, where the command says nothing")
    n_steps: int = _field(152, _count(1), "steps of every table between updates")
    batch_size: int = _field(4096, _count(2), "decisions a minibatch, about")
    n_epochs: int = _field(3, _count(1), "times that each decision is learnt from")
    learning_rate: float | str = _field("lin_1e-3", _schedule, "Adam's step; a schedule")
    ent_coef: float | str = _field("lin_0.05_0.01", _schedule, "weight of the entropy; a schedule")
    clip_range: float | str = _field(0.2, _schedule, "PPO's clipping; a schedule")
    gamma: float = _field(1.0, _share(), "discount from one decision of a seat to its next")
    gae_lambda: float = _field(0.95, _share(), "trust in rewards over values")
    vf_coef: float = _field(0.5, _positive, "weight of the value's loss")
    max_grad_norm: float = _field(0.5, _positive, "gradients are cut to this length")
    target_kl: float | None = _field(
        None, _optional(_positive), "end an update whose policy is further off than this"
    )
    normalize_advantage: bool = _field(True, _word(True, False), "to mean 0, deviation 1")
    policy_kwargs: Mapping[str, Any] = _field(
        {"trunk": [128, 128], "activation_fn": "relu"}, _policy_kwargs, "the network's layers"
    )
    reward: str = _field(
        "win", _word("win", "rank", "score", "dense"), "what is paid: win, rank, score or dense"
    )
    pool_share: float = _field(0.125, _share(), "share of the tables with one learner")
    pool_bots: Mapping[str, float] = _field(
        {"heuristic": 1.0}, _weights, "bots against it there, and how often each is drawn"
    )
    pool_size: int = _field(4, _count(0), "how many earlier selves play against it too")
    pool_weight: float = _field(1.0, _positive, "how often one of them is drawn")
    pool_every: int = _field(20, _count(1), "updates from one kept self to the next")
    n_evals: int = _field(20, _count(0), "measurements in the course of a run")
    eval_deals: int = _field(64, _count(2), "deals of a measurement, each played from every seat")

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            try:
                object.__setattr__(self, field.name, field.metadata["check"](value))
            except ValueError as error:
                raise ValueError(f"{field.name}={value!r}: allowed is {error}") from None
        if self.pool_share and not any(self.pool_bots.values()):
            raise ValueError(
                f"pool_bots={dict(self.pool_bots)!r}: with pool_share={self.pool_share} allowed is "
                "at least one bot, as there are no earlier selves at first"
            )

    def plain(self) -> dict[str, Any]:
        """Return all values as data for a YAML file."""
        return dataclasses.asdict(self)


def config_path(game: Game) -> Path | None:
    """Return where a game's hyperparameters lie; ``None``: it has none of its own."""
    path = CONFIGS / f"{game.name}.yml"
    return path if path.exists() else None


def load_config(path: Path | None, changes: Sequence[str] = ()) -> Config:
    """Read hyperparameters.

    Args:
        path: a YAML file of names and values; ``None``: all have their defaults.
        changes: ``name:value`` (or ``policy_kwargs.name:value``), the value as in YAML; these win.

    Raises:
        ValueError: for a file that cannot be read, an unknown name or a value that is not allowed.
    """
    try:
        values = None if path is None else yaml.safe_load(path.read_text())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error).splitlines()[0]
        raise ValueError(f"{str(path)!r} cannot be read as hyperparameters: {reason}") from None
    if values is None:
        values = {}
    if not isinstance(values, dict):
        raise ValueError(f"{str(path)!r} holds no names and values")
    for change in changes:
        _change(values, change)
    names = [field.name for field in dataclasses.fields(Config)]
    if unknown := [name for name in values if name not in names]:
        raise ValueError(f"no hyperparameter {unknown[0]!r}; there are: {', '.join(names)}")
    return Config(**{name: _number_in(value) for name, value in values.items()})


def _number_in(value: Any) -> Any:
    """Return the number that a word like ``1e-3`` is: YAML 1.1 takes it for a word."""
    if isinstance(value, str) and re.fullmatch(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+", value):
        return float(value)
    return value


def describe_hyperparams() -> str:
    """Return a line for each hyperparameter: name, default and meaning."""
    default = Config()
    return "\n".join(
        f"{field.name}: {field.metadata['meaning']} (default: {_word_for(default, field.name)})"
        for field in dataclasses.fields(Config)
    )


def _word_for(config: Config, name: str) -> str:
    value = getattr(config, name)
    return str(yaml.safe_dump(value, default_flow_style=True)).removesuffix("\n...\n").strip()


def _change(values: dict[str, Any], change: str) -> None:
    name, colon, text = change.partition(":")
    if not colon or not name:
        raise ValueError(f"hyperparameter {change!r}: write it as name:value")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError(f"hyperparameter {change!r}: {text!r} is no YAML value") from None
    outer, dot, inner = name.partition(".")
    if not dot:
        values[name] = value
        return
    nested = values.get(outer)
    values[outer] = {**(nested if isinstance(nested, Mapping) else {}), inner: value}
