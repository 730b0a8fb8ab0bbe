"""Every game: the same files in its folder, and each clause of its rules cited."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hotpot_envs.core import game_names, get_game

FILES = {
    "RULES.md",
    "__init__.py",
    "bot.py",
    "frame.py",
    "notation.py",
    "observation.py",
    "rules.py",
    "state.py",
}
SECTIONS = ["Rules", "Options", "Notation", "Sizes"]
TESTS = Path(__file__).parent

pytestmark = pytest.mark.parametrize("name", game_names())


def clauses(name: str) -> list[int]:
    """Return the numbers of the clauses that RULES.md sets out."""
    text = (get_game(name).folder / "RULES.md").read_text(encoding="utf-8")
    return [int(number) for number in re.findall(r"^- \*\*R(\d+)\*\*", text, re.MULTILINE)]


def cited(folder: Path) -> set[int]:
    """Return the clauses that a folder's Python files cite: R7, and R7–R9 for all three.

    A card in quotes or after a colon ("R7", play:R7) is none.
    """
    found: set[int] = set()
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for first, last in re.findall(r"(?<!:)\bR(\d+)(?:–R?(\d+))?\b(?![\"'])", text):
            found |= set(range(int(first), int(last or first) + 1))
    return found


def test_files(name: str) -> None:
    there = {path.name for path in get_game(name).folder.iterdir() if path.suffix != ".toml"}
    assert there >= FILES


def test_rules_are_numbered_in_order(name: str) -> None:
    assert clauses(name) == list(range(1, len(clauses(name)) + 1))
    assert clauses(name)


def test_sections_of_the_rules(name: str) -> None:
    text = (get_game(name).folder / "RULES.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {get_game(name).title}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[: len(SECTIONS)] == SECTIONS
    for option in get_game(name).options:
        assert f"| `{option.name}` |" in text


def test_each_clause_is_cited_by_a_test(name: str) -> None:
    assert cited(TESTS / name) == set(clauses(name))


def test_code_cites_clauses_that_there_are(name: str) -> None:
    found = cited(get_game(name).folder)
    assert found
    assert found <= set(clauses(name))
