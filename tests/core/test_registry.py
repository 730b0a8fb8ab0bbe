"""Finding games: by folder, loaded when asked for; third parties'; and who imports whom."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from hotpot_envs.core import game_names, get_game, register_game, registry

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "hotpot_envs"

#: What each part may import from, itself apart. Imports point one way only.
BELOW = {
    "core": set(),
    "games": {"core"},
    "records": {"core", "games", "bots"},  # which play the games that are recorded
    "rendering": {"core", "games"},
    "bots": {"core", "games"},
    "search": {"core", "games", "records", "rendering", "bots"},
    "adapters": {"core", "games", "records", "rendering", "bots"},
    "arena": {"core", "games", "records", "rendering", "bots", "search", "adapters"},
}


@pytest.fixture
def forget(monkeypatch):
    """Let a test make games known for its own time."""
    monkeypatch.setattr(registry, "_third_party", {})


def test_games_are_the_folders() -> None:
    folders = {path.parent.name for path in (PACKAGE / "games").glob("*/__init__.py")}
    assert set(game_names()) == folders
    assert "boil_over" in folders


@pytest.mark.parametrize("name", game_names())
def test_a_game_has_its_folders_name(name: str) -> None:
    game = get_game(name)
    assert game.name == name == game.folder.name
    assert get_game(name) is game
    assert get_game(game) is game


def test_names_are_listed_without_loading_a_game() -> None:
    code = (
        "import sys\n"
        "from hotpot_envs.core.registry import game_names\n"
        "assert 'boil_over' in game_names()\n"
        "print(sorted(m for m in sys.modules if m.startswith('hotpot_envs.games.')))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert process.stdout == "[]\n", process.stderr


def test_unknown_games() -> None:
    with pytest.raises(ValueError, match=r"no game 'chess'; there are: boil_over"):
        get_game("chess")


def test_a_third_partys_game(forget, high_card) -> None:
    register_game("high_card", "high_card")
    register_game("high_card", "high_card")
    assert game_names()[-1] == "high_card"
    assert get_game("high_card") is high_card.GAME
    assert pickle.loads(pickle.dumps(high_card.GAME)) is high_card.GAME


@pytest.mark.parametrize("name", ["High", "1st", "high-card", "", "a b", "boil.over"])
def test_names_that_are_none(forget, name: str) -> None:
    with pytest.raises(ValueError, match="a game's name is lower case letters, digits and _"):
        register_game(name, "high_card")


def test_names_that_are_taken(forget) -> None:
    with pytest.raises(ValueError, match="there is a game called 'boil_over' already"):
        register_game("boil_over", "somewhere.else")
    register_game("mine", "one")
    with pytest.raises(ValueError, match="there is a game called 'mine' already"):
        register_game("mine", "two")


# Who imports whom


def part_of(module: str) -> str | None:
    """Return the part that a module belongs to: ``hotpot_envs.core.jit`` → ``core``."""
    words = module.split(".")
    return words[1] if words[0] == "hotpot_envs" and len(words) > 1 else None


def imported(path: Path) -> set[str]:
    """Return the modules of ours that a file imports, anywhere in it."""
    found: set[str] = set()
    package = list(path.relative_to(ROOT).with_suffix("").parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return {module for module in found if module.split(".")[0] == "hotpot_envs"}


@pytest.mark.parametrize("part", BELOW)
def test_imports_point_downwards(part: str) -> None:
    for path in (PACKAGE / part).rglob("*.py"):
        for module in imported(path):
            other = part_of(module)
            if other in BELOW and other != part:
                assert other in BELOW[part], f"{path.relative_to(ROOT)} imports {module}"


def test_nothing_in_the_package_imports_what_stands_above_it() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names.append(node.module or "")
            above = {name.split(".")[0] for name in names} & {"training", "benchmarks", "tests"}
            assert not above, f"{path.relative_to(ROOT)} imports {above}"


@pytest.mark.parametrize("name", game_names())
def test_games_do_not_import_one_another(name: str) -> None:
    for path in (PACKAGE / "games" / name).rglob("*.py"):
        for module in imported(path):
            if part_of(module) == "games":
                assert module.split(".")[2] == name, f"{path.relative_to(ROOT)} imports {module}"


def strings_and_names(path: Path) -> set[str]:
    """Return names, attributes and strings of a file's code, docstrings and comments apart."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and ast.get_docstring(node) is not None
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in docstrings:
                found.add(node.value)
        elif isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
    return found


def test_nothing_outside_its_folder_names_a_game_in_code() -> None:
    own = {f"{name}_v{get_game(name).version}.py" for name in game_names()}
    for path in PACKAGE.rglob("*.py"):
        if path.is_relative_to(PACKAGE / "games") or path.name in own:
            continue
        words = strings_and_names(path)
        for game in map(get_game, game_names()):
            named = {game.name, game.title, game.class_name, game.id} & words
            assert not named, f"{path.relative_to(ROOT)} names {named}"


def test_core_does_not_name_a_game_even_in_words() -> None:
    for path in (PACKAGE / "core").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        mentioned = [
            game.name for game in map(get_game, game_names()) if f"games.{game.name}" in text
        ]
        assert not mentioned, f"{path.relative_to(ROOT)}: {mentioned}"
