"""The cache of machine code: never stale, never shared by mistake, and no trouble to anybody."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hotpot_envs.core.jit import COMPILED

ROOT = Path(__file__).parents[2]
CARDS = "import {0}; e = Engine({0}.GAME, 3); e.reset(1); print(e.states['card'].tolist())"
LINE = "hotpot_envs: compiling the rules of High Card"

pytestmark = pytest.mark.skipif(not COMPILED, reason="it is about the compiler")


class Place:
    """A folder with a copy of the game, a cache, and Python processes that use them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        self.copy_game("high_card")

    def copy_game(self, name: str) -> None:
        game = self.folder / name
        shutil.copytree(ROOT / "tests/core/high_card", game, ignore=lambda *_: ["__pycache__"])
        self.edit(name, "__init__.py", 'name="high_card"', f'name="{name}"')

    def edit(self, name: str, file: str, old: str, new: str) -> None:
        path = self.folder / name / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def start(self, code: str, **environment: str) -> subprocess.Popen[str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
        return subprocess.Popen(
            [sys.executable, "-c", "from hotpot_envs.core import Engine\n" + code],
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env={
                **kept,
                "PYTHONPATH": f"{self.folder}{os.pathsep}{ROOT}",
                "PYTHONDONTWRITEBYTECODE": "1",
                "HOTPOT_ENVS_CACHE_DIR": str(self.cache),
                **environment,
            },
        )

    def run(self, code: str = CARDS.format("high_card"), **environment: str) -> tuple[str, str]:
        return self.finish(self.start(code, **environment))

    @staticmethod
    def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
        out, err = process.communicate(timeout=200)
        assert process.returncode == 0, err
        return out, err

    def code_files(self) -> dict[str, int]:
        return {
            str(path): path.stat().st_mtime_ns
            for path in self.cache.rglob("*")
            if path.suffix in (".nbi", ".nbc")
        }


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_an_edited_rule_is_compiled_anew_and_an_unedited_one_is_not(place: Place) -> None:
    first, err = place.run()
    assert err.startswith(LINE)
    assert err.count("\n") == 1
    files = place.code_files()
    assert files

    assert place.run() == (first, "")
    assert place.code_files() == files

    place.edit("high_card", "rules.py", 'below(state["rng"], NUM_CARDS)', "7")
    changed, err = place.run()
    assert changed == f"{[[7] * 4] * 3}\n" != first
    assert err.startswith(LINE)


def test_an_edited_kernel_outside_the_games_folder_is_compiled_anew(place: Place) -> None:
    other = place.folder / "elsewhere.py"
    code = (
        "import dataclasses, high_card, elsewhere\n"
        "game = dataclasses.replace(high_card.GAME, reset=elsewhere.reset)\n"
        "e = Engine(game, 1); e.reset(1); print(e.states['card'].tolist())"
    )
    source = (
        "from hotpot_envs.core.jit import kernel\n"
        "@kernel\n"
        "def reset(config, state):\n"
        "    state['card'][:] = 3\n"
    )
    other.write_text(source)
    assert place.run(code)[0] == "[[3, 3, 3, 3]]\n"
    other.write_text(source.replace("3", "4"))
    assert place.run(code)[0] == "[[4, 4, 4, 4]]\n"
    # The game as it was has code of its own.
    assert place.run()[0] not in ("[[3, 3, 3, 3]]\n", "[[4, 4, 4, 4]]\n")


def test_games_of_equal_types_keep_to_their_own_code(place: Place) -> None:
    place.copy_game("low_card")
    place.edit("low_card", "rules.py", 'below(state["rng"], NUM_CARDS)', "0")
    both = f"{CARDS.format('high_card')}\n{CARDS.format('low_card')}"
    high, low = place.run(both)[0].splitlines()
    assert low == str([[0] * 4] * 3) != high
    assert place.run(both) == (f"{high}\n{low}\n", "")
    assert place.run(CARDS.format("low_card")) == (f"{low}\n", "")
    assert place.run(CARDS.format("high_card")) == (f"{high}\n", "")


def test_a_cache_that_cannot_be_written_costs_time_only(place: Place) -> None:
    (place.folder / "file").write_text("no folder")
    temporary = place.folder / "tmp"
    temporary.mkdir()
    out, err = place.run(
        HOTPOT_ENVS_CACHE_DIR=str(place.folder / "file" / "cache"), TMPDIR=str(temporary)
    )
    assert err.startswith(LINE)
    assert list(temporary.iterdir()) == []
    assert place.run()[0] == out


def test_damaged_cache_files_cost_time_only(place: Place) -> None:
    first, _ = place.run()
    for file in place.code_files():
        Path(file).write_bytes(b"damaged")
    assert place.run()[0] == first
    assert place.run()[0] == first


def test_two_processes_may_compile_at_once(place: Place) -> None:
    processes = [place.start(CARDS.format("high_card")) for _ in range(2)]
    first, second = (place.finish(process) for process in processes)
    assert first[0] == second[0]
    assert place.run() == (first[0], "")


def test_threads_that_compile_at_once_say_so_once(place: Place) -> None:
    out, err = place.run(
        "import high_card\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "def cards(seed):\n"
        "    e = Engine(high_card.GAME, 3); e.reset(seed); return e.states['card'].tolist()\n"
        "with ThreadPoolExecutor(4) as pool: print(list(pool.map(cards, [1] * 4)))"
    )
    assert err.count("\n") == 1
    assert out == f"{[eval(place.run()[0])] * 4}\n"


def test_interpreted_kernels_give_the_same_and_cache_nothing(place: Place) -> None:
    out, err = place.run(NUMBA_DISABLE_JIT="1")
    assert err == ""
    assert not place.cache.exists()
    assert place.run()[0] == out


def test_bounds_checks_have_a_cache_of_their_own(place: Place) -> None:
    place.edit("high_card", "rules.py", 'state["card"][seat] =', 'state["card"][seat + 4] =')
    process = place.start(CARDS.format("high_card"), NUMBA_BOUNDSCHECK="1")
    _, err = process.communicate(timeout=200)
    assert process.returncode != 0
    assert "IndexError" in err
