"""Write the files that a game has outside its folder, from what the game says of itself.

    python scripts/new_files.py            write what is missing or out of date, say what
    python scripts/new_files.py --check    write nothing; exit 1 where something would be written
    python scripts/new_files.py --results  first let each game's bots play the match on its page

For each game: ``hotpot_envs/<game>_v<N>.py``, PettingZoo's habit, and ``docs/games/<game>.md``
with its picture. ``scripts/docs`` is the same, set-up included.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path

# A position for the picture is played faster than the compiler starts; a match is not.
if "--results" not in sys.argv:
    os.environ["NUMBA_DISABLE_JIT"] = "1"

import game_page

from hotpot_envs.core import Game, game_names, get_game

ROOT = Path(__file__).resolve().parents[1]

MODULE = '''"""{title} for PettingZoo. Written by ``scripts/new_files.py``."""

from __future__ import annotations

from typing import Any

from hotpot_envs.adapters.aec import CardGameEnv

__all__ = ["env", "raw_env"]


class raw_env(CardGameEnv):
    """{title}: ``CardGameEnv`` with these options of the game.

    Args:
{options}
        **options: of the environment: ``reward``, ``illegal``, ``render_mode``.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("{name}", **options)


def env(**options: Any) -> raw_env:
    """Return the environment with nothing round it: the checks of PettingZoo's wrappers are in it.

    Args:
        **options: see ``raw_env``.
    """
    return raw_env(**options)
'''


def module_of(game: Game) -> str:
    """Return the text of a game's ``<game>_v<N>.py``."""
    lines = []
    for option in game.options:
        default = option.default_text or repr(option.default)
        text = f"{option.name}: {option.meaning}: {option.allowed}; by default {default}."
        lines += wrapped(text)
    return MODULE.format(title=game.title, name=game.name, options="\n".join(lines))


def wrapped(text: str) -> list[str]:
    """Break the entry of an argument into lines of a docstring."""
    lines, line = [], " " * 8
    for word in text.split():
        if len(line) + 1 + len(word) > 100:
            lines.append(line)
            line = " " * 11
        line += word if line.isspace() and not lines else f" {word}"
    return [*lines, line]


def files() -> dict[Path, str | None]:
    """Return each file's text; ``None`` for a file of an old version, which must go."""
    package = ROOT / "hotpot_envs"
    found: dict[Path, str | None] = {
        path: None for path in package.glob("*_v*.py") if re.fullmatch(r"\w+_v\d+", path.stem)
    }
    for game in map(get_game, game_names()):
        found[package / f"{game.name}_v{game.version}.py"] = module_of(game)
        found.update(game_page.pages(game, ROOT / "docs"))
    return found


def write(path: Path, text: str) -> None:
    """Put a whole file in place at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


def main() -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, only compare")
    parser.add_argument("--results", action="store_true", help="play the bots' matches anew")
    arguments = parser.parse_args()
    check = arguments.check
    if arguments.results:
        for game in map(get_game, game_names()):
            text = json.dumps(game_page.results_of(game), indent=2) + "\n"
            write(game_page.results_file(game, ROOT / "docs"), text)
    stale = {
        path: text
        for path, text in sorted(files().items())
        if text is None or not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in stale.items():
        verb = "remove" if text is None else "write"
        print(f"{'would ' if check else ''}{verb} {path.relative_to(ROOT)}")
        if check:
            continue
        if text is None:
            path.unlink()
        else:
            write(path, text)
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
