"""Draw the learning curves of one or more runs.

python -m training.plot runs/boil_over_1 runs/boil_over_2 -o curves.png
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from training.curves import draw_curves

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> None:
    """Draw; leaves with 1 if what was asked failed."""
    parser = argparse.ArgumentParser(
        prog="python -m training.plot",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("runs", nargs="+", type=Path, help="runs' folders")
    parser.add_argument("-o", "--output", type=Path, default=Path("learning_curves.png"))
    arguments = parser.parse_args(argv)
    try:
        draw_curves(arguments.runs, arguments.output)
    except (ValueError, OSError) as error:
        print(f"training.plot: {error}", file=sys.stderr)
        raise SystemExit(1) from None
    print(arguments.output)


if __name__ == "__main__":
    main()
