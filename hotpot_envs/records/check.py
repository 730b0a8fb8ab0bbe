"""Checking game records."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping
from typing import Any

from hotpot_envs.records.read import RecordError, parse_record
from hotpot_envs.records.replay import Replay

__all__ = ["Problem", "check_file", "check_record"]


@dataclasses.dataclass(frozen=True)
class Problem:
    """The first thing that is wrong with a record.

    Attributes:
        where: the number of the wrong event from 0; −1 for what stands before the events; the
            number of events for a missing event or a wrong result.
        text: what was found and what the rules say, a sentence on one line.
    """

    where: int
    text: str

    def __str__(self) -> str:
        return f"event {self.where}: {self.text}"


def check_record(record: str | bytes | Mapping[str, Any]) -> Problem | None:
    """Check a record: a line of a file, or what ``json.loads`` makes of one.

    Returns:
        The first thing that is wrong, or ``None``.
    """
    try:
        for _ in Replay(parse_record(record) if isinstance(record, (str, bytes)) else record):
            pass
    except RecordError as error:
        return Problem(error.where, " ".join(str(error).split()))
    except RecursionError:
        return Problem(-1, "nested too deeply: no record is")
    return None


def check_file(path: str | os.PathLike[str]) -> Iterator[Problem | None]:
    """Check a file of records, line by line.

    Yields:
        What ``check_record`` says of each line. An empty file holds no records.

    Raises:
        OSError: when it cannot be read.
    """
    with open(path, "rb") as lines:
        for line in lines:
            yield check_record(line)
