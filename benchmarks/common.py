"""What the benchmarks share: timing in alternation, the machine's facts, Markdown tables."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

__all__ = ["alternate", "facts", "rate", "table"]


def alternate(
    cases: Mapping[str, Callable[[], int]], repeats: int
) -> dict[str, tuple[float, float, float]]:
    """Run the cases by turns, so that a slow minute of the machine falls on all of them.

    Args:
        cases: name → a function that does some work and returns how many decisions that was.
        repeats: how often each is run, after one run that is not counted.

    Returns:
        Name → decisions a second: median, lowest, highest.
    """
    for case in cases.values():
        case()
    rates: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(repeats):
        for name, case in cases.items():
            start = time.perf_counter()
            decisions = case()
            rates[name].append(decisions / (time.perf_counter() - start))
    return {name: (statistics.median(r), min(r), max(r)) for name, r in rates.items()}


def facts(*packages: str) -> str:
    """Return one line on the machine and the versions."""
    processor = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
                break
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    return (
        f"{processor}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, {versions}"
    )


def rate(value: float) -> str:
    """Write decisions a second with three significant figures."""
    if value >= 1e6:
        return f"{value / 1e6:.3g} million"
    return f"{float(f'{value:.3g}'):,.0f}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)
