"""What notations check of the events in a game record, each failure a sentence (ValueError)."""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Mapping
from typing import Any

__all__ = ["check_chance", "check_list", "check_whole", "check_words", "show"]

_SHOW = reprlib.Repr()
_SHOW.maxstring = _SHOW.maxother = 60


def show(value: object) -> str:
    """Return a value's ``repr``, shortened where it is long or deep: a record may hold anything."""
    return _SHOW.repr(value)


def check_chance(event: Mapping[str, Any], kind: str, keys: Collection[str]) -> None:
    """Check a chance event's kind, and that it has these keys besides ``chance`` and no others."""
    if event["chance"] != kind:
        raise ValueError(f'chance event {show(event["chance"])} where the rules have a "{kind}"')
    for key in event:
        if key != "chance" and key not in keys:
            raise ValueError(f"unknown key {show(key)}: a {kind} has {', '.join(keys)}")
    for key in keys:
        if key not in event:
            raise ValueError(f'no "{key}": a {kind} has {", ".join(keys)}')


def check_whole(name: str, value: object, low: int, high: int) -> int:
    """Return a whole number from ``low`` to ``high``."""
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} is {show(value)}: allowed is a whole number, {low} to {high}")
    return value


def check_list(name: str, value: object, size: int) -> list[Any]:
    """Return a list of ``size`` entries of any kind."""
    if not isinstance(value, list):
        raise ValueError(f"{name} is {show(value)}: it must be a list of {size}")
    if len(value) != size:
        raise ValueError(f"{name} has {len(value)} entries, {show(value)}: it must have {size}")
    return value


def check_words(
    name: str, value: object, size: int, known: Collection[str], allowed: str
) -> list[str]:
    """Return a list of ``size`` words, each in ``known``; ``allowed`` tells a person which."""
    for word in check_list(name, value, size):
        if not isinstance(word, str) or word not in known:
            raise ValueError(f"{name} holds {show(word)}: allowed is {allowed}")
    assert isinstance(value, list)
    return value
