"""Boil Over: the table in text and as a drawing."""
from __future__ import annotations
from typing import Any
def text(config: Any, state: Any, seat: int | None) -> str:
    return ""
def svg(config: Any, state: Any, seat: int | None) -> str:
    return ""
