"""Layouts: what each entry of an observation, and each action number, stands for."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import math
from collections.abc import Iterator

import numpy as np
from gymnasium import spaces

__all__ = ["Field", "Layout"]


@dataclasses.dataclass(frozen=True)
class Field:
    """A named block of a layout.

    Attributes:
        name: its name, an identifier.
        shape: its shape; ``()`` for a single entry.
        low: the smallest value an entry can take.
        high: the largest value an entry can take, above ``low``.
        meaning: one sentence for the tables in the documentation.
        per_seat: the first axis is seats: own first, then clockwise; absent ones are zeros.
        private: seats see different things in it. What is not private must look the same from
            every seat (turned round where it is per seat), and whatever is hidden.
    """

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str
    _: dataclasses.KW_ONLY
    per_seat: bool = False
    private: bool = False

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise ValueError(f"a field's name must be an identifier, not {self.name!r}")
        if any(length < 1 for length in self.shape):
            raise ValueError(f"field {self.name!r}: shape {self.shape} has an empty axis")
        if not -(2**15) <= self.low < self.high < 2**15:
            raise ValueError(
                f"field {self.name!r}: bounds {self.low} to {self.high} must rise and fit int16"
            )

    @property
    def size(self) -> int:
        """Number of entries."""
        return math.prod(self.shape)


class Layout:
    """Fields one behind the other in a flat vector.

    Args:
        *fields: the fields, in order; names must differ.
    """

    def __init__(self, *fields: Field) -> None:
        names = [field.name for field in fields]
        if len(set(names)) != len(names):
            raise ValueError(f"two fields of a layout share a name: {names}")
        self.fields = fields
        self._starts: dict[str, int] = {}
        start = 0
        for field in fields:
            self._starts[field.name] = start
            start += field.size
        #: Number of entries in all.
        self.size = start

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def start(self, name: str) -> int:
        """Return the position of a field's first entry."""
        return self._starts[name]

    def slice(self, name: str) -> slice:
        """Return the positions of a field's entries."""
        start = self._starts[name]
        return slice(start, start + self[name].size)

    def __getitem__(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(f"no field {name!r}; there are: {', '.join(self._starts)}")

    def split(self, vector: np.ndarray) -> dict[str, np.ndarray]:
        """Return each field's part of an array ``[..., size]`` as a view ``[..., *shape]``."""
        if vector.shape[-1] != self.size:
            raise ValueError(f"the last axis has {vector.shape[-1]} entries, not {self.size}")
        return {
            field.name: vector[..., self.slice(field.name)].reshape(
                (*vector.shape[:-1], *field.shape)
            )
            for field in self.fields
        }

    def locate(self, index: int) -> tuple[str, tuple[int, ...]]:
        """Return the field that an entry belongs to, and where in it the entry stands."""
        for field in reversed(self.fields):
            start = self._starts[field.name]
            if start <= index < self.size:
                place = np.unravel_index(index - start, field.shape) if field.shape else ()
                return field.name, tuple(int(axis) for axis in place)
        raise IndexError(f"entry {index} is outside the layout's 0 to {self.size - 1}")

    @functools.cached_property
    def low(self) -> np.ndarray:
        """Smallest values, int16 ``[size]``."""
        return np.concatenate([np.full(f.size, f.low, dtype=np.int16) for f in self.fields])

    @functools.cached_property
    def high(self) -> np.ndarray:
        """Largest values, int16 ``[size]``."""
        return np.concatenate([np.full(f.size, f.high, dtype=np.int16) for f in self.fields])

    @functools.cached_property
    def _scale(self) -> np.ndarray:
        scale: np.ndarray = np.float32(1) / (self.high.astype(np.float32) - self.low)
        return scale

    def scale(self, vectors: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return vectors (``[..., size]``) as networks take them: float32, each entry from 0 to 1.

        Args:
            vectors: entries within their bounds.
            out: float32 of the same shape, to be filled and returned.
        """
        if out is None:
            out = np.empty(vectors.shape, np.float32)
        np.subtract(vectors, self.low, out=out, dtype=np.float32)
        out *= self._scale
        return out

    def box(self) -> spaces.Box:
        """Return the observation space: int16 with each entry's bounds."""
        return spaces.Box(self.low.copy(), self.high.copy(), dtype=np.int16)

    def discrete(self) -> spaces.Discrete:
        """Return the action space: one number for each entry."""
        return spaces.Discrete(self.size)

    @functools.cached_property
    def digest(self) -> str:
        """Hash of names, shapes and bounds (hex, 16 digits): what a trained policy depends on."""
        facts = [[f.name, list(f.shape), f.low, f.high] for f in self.fields]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]

    def table(self, *, values: bool = True) -> str:
        """Return the layout as a Markdown table: index, name, shape, values, meaning.

        Args:
            values: whether there is a column of bounds; those of actions say nothing.
        """
        heads = ["index", "field", "shape", *(["values"] if values else []), "meaning"]
        rows = [heads, ["---"] * len(heads)]
        for field in self.fields:
            start = self._starts[field.name]
            lengths = list(map(str, field.shape))
            if field.per_seat:
                lengths[0] += " seats"
            row = [
                f"{start}" if field.size == 1 else f"{start}–{start + field.size - 1}",
                f"`{field.name}`",
                " × ".join(lengths) or "1",
            ]
            if values:
                row.append(f"{field.low}–{field.high}".replace("-", "−"))
            row.append(f"*private*: {field.meaning}" if field.private else field.meaning)
            rows.append(row)
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)
