"""Running the command line, in a process of its own or, quicker, in this one."""

import dataclasses
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hotpot_envs.cli import main

ROOT = Path(__file__).parents[2]
# What changes how output looks.
PRESENTATION = ("COLUMNS", "NO_COLOR")


@pytest.fixture
def hotpot(tmp_path):
    """Run ``hotpot`` in an empty folder; returns what ``subprocess.run`` does."""

    def run(*arguments, **keywords):
        environment = {
            name: value for name, value in os.environ.items() if name not in PRESENTATION
        }
        environment["PYTHONPATH"] = str(ROOT)
        done = subprocess.run(
            [sys.executable, "-m", "hotpot_envs", *map(str, arguments)],
            **{
                "cwd": tmp_path,
                "env": environment | keywords.pop("env", {}),
                "capture_output": True,
                "text": True,
                "encoding": "utf-8",
                "timeout": 120,
                "stdin": None if "input" in keywords else subprocess.DEVNULL,
                **keywords,
            },
        )
        if done.stderr:
            # The first process after a change of the sources says that it compiles.
            done.stderr = re.sub(r"^hotpot_envs: compiling .*\n", "", done.stderr, flags=re.M)
        return done

    return run


@dataclasses.dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def local(tmp_path, monkeypatch, capsys):
    """Run ``hotpot`` as ``hotpot`` does, but in this process."""

    def run(*arguments, input=""):
        monkeypatch.chdir(tmp_path)
        for name in PRESENTATION:  # pytest-xdist sets one for its workers
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(sys, "stdin", io.StringIO(input))
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return Done(code, shown.out, shown.err)

    return run
