"""Matches between bots: every deal played in every rotation of the seats, and how they stand."""

from __future__ import annotations

from hotpot_envs.arena.match import run
from hotpot_envs.arena.table import Estimate, Result, Standing

__all__ = ["Estimate", "Result", "Standing", "run"]
