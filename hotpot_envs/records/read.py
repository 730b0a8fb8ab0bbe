"""Reading the line of a game record as strict JSON."""

from __future__ import annotations

import json
from typing import Any

from hotpot_envs.core.words import show

__all__ = ["RecordError", "Unreadable", "parse_record"]

# Longer whole numbers are none that a record allows; int() takes time in the square of the length
# and refuses more than 4,300 digits.
_MOST_DIGITS = 40


class RecordError(ValueError):
    """What is wrong with a game record: the first thing, in one sentence.

    Attributes:
        where: the number of the wrong event from 0; −1 for what stands before the events; the
            number of events for a missing event or a wrong result.
    """

    def __init__(self, where: int, reason: str) -> None:
        super().__init__(reason)
        self.where = where


class Unreadable:
    """What stands in a value's place where JSON has none (``NaN``, a key twice in an object).

    It is no error at once, so that the event in which it stands can be named.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return self.reason


def parse_record(line: str | bytes) -> Any:
    """Return what a line of a file of records holds.

    Numbers that are not whole are floats, and so are whole numbers of more digits than any record
    can hold; ``Unreadable`` stands for what is no JSON, and for an object with a key twice.

    Raises:
        RecordError: when the line as a whole is no JSON; ``where`` is −1.
    """
    try:
        text = line.decode() if isinstance(line, bytes) else line
        if not text.strip(" \t\r\n"):
            raise RecordError(-1, "the line is blank: each line must hold a record")
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_int=_whole,
        )
    except json.JSONDecodeError as error:
        reason = f"no JSON: {error.msg} at character {error.colno}"
        raise RecordError(-1, f"{reason}; a record is one JSON object on one line") from None
    except UnicodeDecodeError as error:
        raise RecordError(-1, f"byte {error.start} is not UTF-8: {error.reason}") from None
    except RecursionError:
        raise RecordError(-1, "nested too deeply: no record is") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any] | Unreadable:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    keys = [key for key, _ in pairs]
    return Unreadable(
        f"an object with the key {next(show(key) for key in keys if keys.count(key) > 1)} twice"
    )


def _constant(name: str) -> Unreadable:
    return Unreadable(f"{name} (no JSON)")


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)
