"""Options of a test run, and what keeps tests from disturbing each other and the machine."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Set before NumPy, torch and matplotlib are imported, for subprocesses too: with a thread pool in
# each process of a test run, small matrices take many times as long.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")

# The same examples in every run, and no threshold on time.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hotpot-envs")
    group.addoption(
        "--all", action="store_true", help="test every option corner of every game (slow)"
    )
    group.addoption(
        "--corners",
        choices=["one", "few", "all"],
        default="few",
        help="how many option corners of each game the contract tests take (default: few)",
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--all"):
        config.option.corners = "all"


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    """A thread that a test leaves running would slow down, or end, some other test."""
    before = set(threading.enumerate())
    yield
    if _new_threads(before):
        gc.collect()  # a pool ends with its owner
        for thread in _new_threads(before):
            thread.join(timeout=5)
    assert not _new_threads(before)


def _new_threads(before: set[threading.Thread]) -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t not in before and not t.daemon]
