from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def high_card() -> Any:
    """The smallest whole game, as a third party would write it."""
    folder = str(Path(__file__).parent)
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("high_card")
    finally:
        sys.path.remove(folder)
