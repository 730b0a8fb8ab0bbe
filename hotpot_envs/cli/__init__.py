"""The command line ``hotpot``: list, play, watch, arena, record, check, bench.

``main`` turns every failure into one line on standard error and an exit code: 0 for success, 1
where what was asked for failed (a wrong record, say), 2 for wrong usage, 130 after Ctrl-C. What a
command needs is loaded when it runs, so that help is there at once.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from hotpot_envs.cli.failure import Failure
from hotpot_envs.cli.parser import make_parser

__all__ = ["main"]

_WRONG_USAGE, _FAILED, _INTERRUPTED, _BROKEN_PIPE, _TERMINATED = 2, 1, 130, 141, 143


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code.

    Args:
        arguments: the words after ``hotpot``; by default those the process was started with.
    """
    _mend_streams()
    code = _run(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _BROKEN_PIPE
    except OSError as error:
        code = _say(f"standard output: {error.strerror}", _FAILED)
    else:
        return code
    # Python would try to write the rest once more on leaving.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        with _leaving_on_sigterm():
            parsed = make_parser().parse_args(arguments)
            return int(parsed.run(parsed))
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else _FAILED
    except KeyboardInterrupt:
        return _say("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        return _BROKEN_PIPE
    except Failure as failure:
        return _say(str(failure), failure.code)
    except ValueError as error:
        return _say(str(error), _WRONG_USAGE)
    except ImportError as error:
        return _say(str(error), _FAILED)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _say(f"{where}{error.strerror or error}", _FAILED)


def _mend_streams() -> None:
    """Let no letter that a terminal lacks, and no stream that is closed, stop a command."""
    sys.stdin = sys.stdin or open(os.devnull)  # noqa: SIM115  # open until the process ends
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream, errors in (
        (sys.stdin, "replace"),
        (sys.stdout, "backslashreplace"),
        (sys.stderr, "backslashreplace"),
    ):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)


def _say(words: str, code: int) -> int:
    print(f"hotpot: {' '.join(words.split())}", file=sys.stderr)
    return code


@contextlib.contextmanager
def _leaving_on_sigterm() -> Iterator[None]:
    """End on SIGTERM as on Ctrl-C, so that nothing half written remains."""

    def leave(*_: Any) -> None:
        sys.exit(_TERMINATED)

    try:
        before = signal.signal(signal.SIGTERM, leave)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
