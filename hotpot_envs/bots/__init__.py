"""Bots: whoever chooses actions from observations and masks, and tables with bots in seats."""

from __future__ import annotations

from hotpot_envs.bots.base import Bot, CallableBot, CompiledBot, PolicyBot, make_bot
from hotpot_envs.bots.policy import Policy
from hotpot_envs.bots.table import Table

__all__ = [
    "Bot",
    "CallableBot",
    "CompiledBot",
    "Policy",
    "PolicyBot",
    "Table",
    "make_bot",
]
