"""What ends a command."""

from __future__ import annotations

__all__ = ["Failure"]


class Failure(Exception):
    """What went wrong, in one sentence for the user.

    Attributes:
        code: the exit code: 1, what was asked for failed; 2, wrong usage.
    """

    def __init__(self, words: str, code: int = 1) -> None:
        super().__init__(words)
        self.code = code
