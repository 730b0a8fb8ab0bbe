"""Boil Over: bots as kernels over what their seat sees."""
from __future__ import annotations
BOTS = {}
