"""Trained policies as safetensors files, played by NumPy alone.

A file holds the layers of a policy network and of its value head. Its metadata say what it was
trained for: everything that must fit before it may play.

| tensor | shape | what it is |
| --- | --- | --- |
| ``trunk.I.weight``, ``.bias`` | ``[out, in]``, ``[out]`` | hidden layer I of both heads |
| ``pi.I.weight``, ``.bias`` | ``[out, in]``, ``[out]`` | hidden layer I before the actions |
| ``vf.I.weight``, ``.bias`` | ``[out, in]``, ``[out]`` | hidden layer I before the value |
| ``action.weight``, ``.bias`` | ``[A, in]``, ``[A]`` | the logits |
| ``value.weight``, ``.bias`` | ``[1, in]``, ``[1]`` | the value |

All float32; each of the three kinds of hidden layers may be missing. A hidden layer is followed
by the activation. The input is the observation, each entry scaled to 0–1 by its bounds
(``Layout.scale``).
"""

from __future__ import annotations

import json
import os
import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy

import hotpot_envs
from hotpot_envs.core import Game, game_names, get_game
from hotpot_envs.core.engine import check_choice
from hotpot_envs.core.files import write_file
from hotpot_envs.core.rng import uniforms

__all__ = ["FORMAT", "Policy"]

#: The format's version; a file of another one is refused.
FORMAT = "1"
_ACTIVATIONS = ("tanh", "relu")
_PARTS = ("trunk", "pi", "vf")
_KEYS = ("format", "game", "id", "observations", "actions", "activation", "layers", "options")

# How sb3-contrib's MlpPolicy names the same layers; activations, between them, take numbers too.
_SB3_HIDDEN = (
    ("mlp_extractor.policy_net", "pi"),
    ("mlp_extractor.value_net", "vf"),
    ("features_extractor", "trunk"),
)
_SB3_STANDARD = ("features_extractor.gain", "features_extractor.shift")
_SB3_HEADS = {"action_net": "action", "value_net": "value"}

Layer = tuple[np.ndarray, np.ndarray]


class Policy:
    """A policy network with its value head; immutable.

    Results are float32 and may differ in the last bits with the size of the batch, as the matrix
    products behind them do.

    Args:
        game: the game it plays, or its name.
        tensors: the layers by the names in this module's table; copied.
        activation: ``"tanh"`` or ``"relu"``.
        options: the game's options that it was trained on; a remark, any others are played too.

    Attributes:
        game: the game.
        activation: as given.
        options: as given.
        tensors: name → float32 array.

    Raises:
        ValueError: for layers that do not fit the game or one another.
    """

    def __init__(
        self,
        game: str | Game,
        tensors: Mapping[str, np.ndarray],
        *,
        activation: str = "tanh",
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.game = get_game(game)
        check_choice("activation", activation, _ACTIVATIONS)
        self.activation = activation
        self.options = dict(options or {})
        self.tensors = {
            name: np.array(tensor, np.float32, order="C") for name, tensor in tensors.items()
        }
        self._trunk, self._pi, self._vf, (self._action,), (self._value,) = (
            self._collect(part) for part in (*_PARTS, "action", "value")
        )
        names = [name for part in self._parts() for name in part]
        if unknown := sorted(set(self.tensors) - set(names)):
            raise ValueError(f"{unknown[0]!r} is no layer of a policy; its layers are {names}")
        self._check_sizes()

    @property
    def layers(self) -> dict[str, list[int]]:
        """Sizes of the hidden layers: ``{"trunk": [...], "pi": [...], "vf": [...]}``."""
        hidden = zip(_PARTS, (self._trunk, self._pi, self._vf), strict=True)
        return {part: [len(bias) for _, bias in layers] for part, layers in hidden}

    def _parts(self) -> list[list[str]]:
        """Return the tensors' names, part by part."""
        sizes = self.layers
        prefixes = [[f"{part}.{i}" for i in range(len(sizes[part]))] for part in _PARTS]
        return [
            [f"{prefix}.{kind}" for prefix in part for kind in ("weight", "bias")]
            for part in (*prefixes, ["action"], ["value"])
        ]

    def _collect(self, part: str) -> list[Layer]:
        """Return a part's layers in order."""
        count = sum(bool(re.fullmatch(rf"{part}\.\d+\.weight", name)) for name in self.tensors)
        prefixes = [f"{part}.{i}" for i in range(count)] if part in _PARTS else [part]
        layers = []
        for prefix in prefixes:
            names = f"{prefix}.weight", f"{prefix}.bias"
            for name in names:
                if name not in self.tensors:
                    raise ValueError(f"a policy needs the tensor {name!r}, which is missing")
                if not np.isfinite(self.tensors[name]).all():
                    raise ValueError(f"the tensor {name!r} holds numbers that are not finite")
            layers.append((self.tensors[names[0]], self.tensors[names[1]]))
        return layers

    def _check_sizes(self) -> None:
        """Raise ValueError unless each layer takes what the one before it gives."""
        sizes = self.layers
        trunk = (sizes["trunk"] or [self.game.observations.size])[-1]
        chains = {
            "trunk": (self.game.observations.size, self._trunk),
            "pi": (trunk, [*self._pi, self._action]),
            "vf": (trunk, [*self._vf, self._value]),
        }
        for part, (width, layers) in chains.items():
            for weight, bias in layers:
                if weight.shape != (bias.size, width) or bias.ndim != 1 or bias.size < 1:
                    raise ValueError(
                        f"in {part!r}, a weight of shape {weight.shape} with a bias of shape "
                        f"{bias.shape}: allowed is (n, {width}) with (n,)"
                    )
                width = bias.size
        for name, layer, size in (
            ("action", self._action, self.game.actions.size),
            ("value", self._value, 1),
        ):
            if layer[1].size != size:
                raise ValueError(
                    f"the head {name!r} has {layer[1].size} outputs: {self.game.title} needs {size}"
                )

    def _hidden(self, inputs: np.ndarray, layers: list[Layer]) -> np.ndarray:
        for layer in layers:
            inputs = _linear(inputs, layer)
            if self.activation == "relu":
                np.maximum(inputs, 0, out=inputs)
            else:
                np.tanh(inputs, out=inputs)
        return inputs

    def _features(self, observations: np.ndarray) -> np.ndarray:
        return self._hidden(self.game.observations.scale(observations), self._trunk)

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """Return the actions' logits, legal or not: float32 ``[B, A]`` for int16 ``[B, D]``."""
        with np.errstate(over="ignore", invalid="ignore"):
            return _linear(self._hidden(self._features(observations), self._pi), self._action)

    def values(self, observations: np.ndarray) -> np.ndarray:
        """Return what the seat can expect to be paid: float32 ``[B]`` for int16 ``[B, D]``."""
        with np.errstate(over="ignore", invalid="ignore"):
            hidden = self._hidden(self._features(observations), self._vf)
            values: np.ndarray = _linear(hidden, self._value)[:, 0]
            return values

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Return the actions' probabilities, float64 ``[B, A]``: 0 where illegal.

        A row without legal actions is zeros; every other one sums to 1.
        """
        return _masked_softmax(self._masked(observations, action_masks), action_masks)

    def _masked(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        logits = self.logits(observations)
        if not np.isfinite(logits).all():  # weights so large that the sums overflow
            np.nan_to_num(logits, copy=False)
        masked: np.ndarray = np.where(action_masks != 0, logits, np.float32(-np.inf))
        return masked

    def act(
        self,
        observations: np.ndarray,
        action_masks: np.ndarray,
        generators: np.ndarray | None = None,
    ) -> np.ndarray:
        """Choose an action in each row, never an illegal one.

        Args:
            observations: int16 ``[B, D]``.
            action_masks: int8 ``[B, A]``.
            generators: uint64 ``[B]``: draw by the probabilities, one number from each generator,
                which is advanced in place. ``None``: take the likeliest, the first of equals.

        Returns:
            Actions, int64 ``[B]``; −1 in a row where nothing is legal.
        """
        masked = self._masked(observations, action_masks)
        actions: np.ndarray
        if generators is None:
            actions = masked.argmax(axis=1)
        else:
            sums = _masked_softmax(masked, action_masks).cumsum(axis=1)
            # Strictly above the number drawn stands no illegal action: its step is 0 high.
            drawn = uniforms(generators) * sums[:, -1]
            actions = (sums <= drawn[:, None]).sum(axis=1)
            rounded = actions == sums.shape[1]  # the product was rounded up to the whole sum
            actions[rounded] = masked[rounded].argmax(axis=1)
        actions[~action_masks.any(axis=1)] = -1
        return actions

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy as a safetensors file; equal policies give equal bytes.

        Raises:
            OSError: where it cannot be written; what stood there is untouched.
        """
        facts = {
            "format": FORMAT,
            "game": self.game.name,
            "id": self.game.id,
            "observations": self.game.observations.digest,
            "actions": self.game.actions.digest,
            "activation": self.activation,
            "layers": json.dumps(self.layers),
            "options": json.dumps(self.options, sort_keys=True),
            "created_by": f"hotpot_envs {hotpot_envs.__version__}",
        }
        write_file(path, _sort_header(safetensors.numpy.save(self.tensors, facts)))

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: str | Game | None = None) -> Policy:
        """Read a policy.

        Args:
            path: the file.
            game: the game that it must be for; by default whichever it names.

        Raises:
            FileNotFoundError: when there is no such file.
            ValueError: for a file that is no policy, is damaged, or does not fit the game, with
                the reason.
        """
        path = Path(path)
        if not path.exists():
            raise FileNotFoundError(f"there is no policy file {str(path)!r}")
        try:
            facts, tensors = _read(path)
            found = _check_facts(facts, None if game is None else get_game(game))
            policy = cls(
                found,
                tensors,
                activation=facts["activation"],
                options=_parse(facts, "options"),
            )
            if policy.layers != _parse(facts, "layers"):
                raise ValueError(f"its layers are {policy.layers}, not {facts['layers']}")
        except ValueError as error:
            raise ValueError(f"{str(path)!r} cannot be played: {error}") from None
        return policy

    @classmethod
    def from_sb3(
        cls,
        game: str | Game,
        state_dict: Mapping[str, Any],
        *,
        activation: str = "tanh",
        options: Mapping[str, Any] | None = None,
    ) -> Policy:
        """Make a policy from the ``state_dict`` of sb3-contrib's ``MlpPolicy``.

        Args:
            game: the game, or its name.
            state_dict: name → array, or tensor on the CPU. Linear layers of a shared features
                extractor become the trunk: it must apply the activation after each of them. What
                ``adapters.sb3_policy.CardGameExtractor`` does to observations becomes part of
                the first layers.
            activation: ``"tanh"`` or ``"relu"``: the policy's ``activation_fn``.
            options: the options trained on.

        Raises:
            ValueError: for layers that are none of such a policy.
        """
        renamed: dict[str, np.ndarray] = {}
        seen: dict[str, list[str]] = {part: [] for part in _PARTS}
        standard: dict[str, np.ndarray] = {}
        for name, tensor in state_dict.items():
            if name in _SB3_STANDARD:
                standard[name] = np.asarray(tensor, np.float64)
                continue
            if name.startswith(("pi_features_extractor.", "vf_features_extractor.")):
                continue  # SB3's other two names for the shared extractor
            layer, _, kind = name.rpartition(".")
            new = _SB3_HEADS.get(layer)
            for prefix, part in _SB3_HIDDEN:
                if layer.startswith(f"{prefix}."):
                    if layer not in seen[part]:
                        seen[part].append(layer)
                    new = f"{part}.{seen[part].index(layer)}"
            if new is None:
                raise ValueError(f"{name!r} is no layer of an MlpPolicy")
            renamed[f"{new}.{kind}"] = np.asarray(tensor, np.float32)
        if len(standard) == len(_SB3_STANDARD):
            _fold(renamed, *(standard[name] for name in _SB3_STANDARD))
        return cls(game, renamed, activation=activation, options=options)


def _fold(tensors: dict[str, np.ndarray], gain: np.ndarray, shift: np.ndarray) -> None:
    """Let the layers that see observations take them as they are: w·(gain·x + shift) + b."""
    if "trunk.0.weight" in tensors:
        first = ["trunk.0"]
    else:
        hidden = {"pi.0": "action", "vf.0": "value"}
        first = [name if f"{name}.weight" in tensors else head for name, head in hidden.items()]
    for layer in first:
        weight, bias = tensors[f"{layer}.weight"], tensors[f"{layer}.bias"]
        tensors[f"{layer}.weight"] = (weight * gain).astype(np.float32)
        tensors[f"{layer}.bias"] = (bias + weight @ shift).astype(np.float32)


def _linear(inputs: np.ndarray, layer: Layer) -> np.ndarray:
    weight, bias = layer
    outputs: np.ndarray = inputs @ weight.T
    outputs += bias
    return outputs


def _masked_softmax(masked: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
    """Return probabilities, float64, for logits that are −inf where illegal."""
    top = masked.max(axis=1, keepdims=True).astype(np.float64)
    top[top == -np.inf] = 0.0
    weights: np.ndarray = np.exp(masked - top)
    total = weights.sum(axis=1, keepdims=True)
    np.divide(weights, total, out=weights, where=total > 0)
    return weights


def _sort_header(data: bytes) -> bytes:
    """Return a safetensors file with its header in order: the library's metadata come in any."""
    length = struct.unpack("<Q", data[:8])[0]
    text = json.dumps(json.loads(data[8 : 8 + length]), sort_keys=True, separators=(",", ":"))
    header = text.encode()
    header += b" " * (-len(header) % 8)
    return struct.pack("<Q", len(header)) + header + data[8 + length :]


def _read(path: Path) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    try:
        with safetensors.safe_open(path, framework="np") as file:
            facts = file.metadata() or {}
            if "format" not in facts or "observations" not in facts:
                raise ValueError("it is a safetensors file, but no policy of hotpot_envs")
            names = list(file.keys())
            for name in names:
                if (dtype := file.get_slice(name).get_dtype()) != "F32":
                    raise ValueError(f"its tensor {name!r} is {dtype}, allowed is F32")
            return facts, {name: file.get_tensor(name) for name in names}
    except safetensors.SafetensorError as error:
        raise ValueError(f"it is no safetensors file, or damaged ({error})") from None
    except OSError as error:
        raise ValueError(f"it cannot be read ({error.strerror or error})") from None


def _parse(facts: Mapping[str, str], key: str) -> Any:
    try:
        value = json.loads(facts[key])
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ValueError(f"its {key} are {facts[key]!r}: allowed is a JSON object")
    return value


def _check_facts(facts: Mapping[str, str], wanted: Game | None) -> Game:
    """Return the game that a policy is for, or raise ValueError if it does not fit."""
    if facts["format"] != FORMAT:
        raise ValueError(f"it has format {facts['format']!r}, this version reads {FORMAT!r}")
    if missing := [key for key in _KEYS if key not in facts]:
        raise ValueError(f"its metadata lack {missing[0]!r}")
    if wanted is not None and wanted.name != facts["game"]:
        raise ValueError(f"it was trained for {facts['id']}, not for {wanted.id}")
    if wanted is None and facts["game"] not in game_names():
        raise ValueError(f"it was trained for {facts['id']}, a game that is not here")
    game = wanted or get_game(facts["game"])
    if facts["id"] != game.id:
        raise ValueError(f"it was trained for {facts['id']}, this is {game.id}: train it anew")
    for layout in ("observations", "actions"):
        digest = getattr(game, layout).digest
        if facts[layout] != digest:
            raise ValueError(
                f"it was trained with other {layout} of {game.title} (layout {facts[layout]}, "
                f"now {digest}): train it anew"
            )
    return game
