"""The README's examples run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_there_are_examples():
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize("index", range(len(EXAMPLES)))
def test_example(index):
    names: dict[str, object] = {"__name__": "example"}
    # The third goes on where the second, with its imports, ends.
    code = EXAMPLES[1] + EXAMPLES[2] if index == 2 else EXAMPLES[index]
    exec(compile(code, "README.md", "exec"), names)
    made = [name for name in ("env", "envs", "engine") if name in names]
    assert made
    for name in made:
        names[name].close()  # type: ignore[attr-defined]
