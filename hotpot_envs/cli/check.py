"""``hotpot check``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from hotpot_envs.cli.failure import Failure
from hotpot_envs.records import Problem, check_file, check_record

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Check a file of records, up to the first wrong one unless all are asked for."""
    name = "standard input" if arguments.file == "-" else arguments.file
    count = num_wrong = 0
    try:
        for problem in _problems(arguments.file):
            count += 1
            if problem is None:
                continue
            words = f"{name}: line {count}, {problem}"
            if not arguments.all:
                raise Failure(words)
            print(words, file=sys.stderr)
            num_wrong += 1
    except OSError as error:
        raise Failure(f"cannot read {name}: {error.strerror}", code=2) from None
    records = f"{count} record{'' if count == 1 else 's'}"
    if num_wrong:
        raise Failure(f"{name}: {num_wrong} of {records} wrong")
    print(f"{name}: {records}, all right")
    return 0


def _problems(path: str) -> Iterator[Problem | None]:
    if path != "-":
        return check_file(path)
    return (check_record(line) for line in sys.stdin.buffer)
