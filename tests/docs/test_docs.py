"""What the documents say is so: code runs, quotations are exact, links lead somewhere.

That generated pages are up to date is tested in ``tests/adapters/test_import.py``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hotpot_envs.core import game_names, get_game

ROOT = Path(__file__).parents[2]
DOCS = sorted(
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("hotpot_envs/**/*.md")]
    if path.is_file()
)
LINK = re.compile(r"\]\(([^)#:]+)(?:#([^)]*))?\)")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", game_names())
def test_the_code_of_a_games_page_runs(name: str) -> None:
    text = (ROOT / "docs" / "games" / f"{name}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, f"{name}.md", "exec"), {})


@pytest.mark.parametrize("name", game_names())
def test_a_games_page_tells_all_that_there_is(name: str) -> None:
    game = get_game(name)
    text = (ROOT / "docs" / "games" / f"{name}.md").read_text(encoding="utf-8")
    assert game.id in text
    for word in (
        *(option.name for option in game.options),
        *(field.name for field in (*game.observations, *game.actions)),
        *game.bots,
    ):
        assert f"| `{word}` |" in text


def test_what_is_quoted_is_the_example() -> None:
    text = (ROOT / "docs" / "adding_a_game.md").read_text(encoding="utf-8")
    quoted = re.findall(r"```python\n# (high_card/\w+\.py)\n(.*?)```", text, re.DOTALL)
    assert len(quoted) == 5
    for file, code in quoted:
        assert code in (ROOT / "tests" / "core" / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", DOCS, ids=name_of)
def test_links_lead_to_files_that_there_are(path: Path) -> None:
    for target, _ in LINK.findall(without_code(path.read_text(encoding="utf-8"))):
        assert (path.parent / target).exists(), f"{name_of(path)} links to {target}"


@pytest.mark.parametrize("path", DOCS, ids=name_of)
def test_files_named_in_code_style_are_there(path: Path) -> None:
    """`core/jit.py` and the like: from the top, or from the package."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for word in re.findall(r"`([\w.-]+/[\w./-]+\.(?:py|md|toml|yml))`", text):
        there = any((place / word).exists() for place in (ROOT, ROOT / "hotpot_envs"))
        assert there, f"{name_of(path)} names {word}"
