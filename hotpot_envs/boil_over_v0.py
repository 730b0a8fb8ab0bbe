"""Boil Over for PettingZoo. Written by ``scripts/new_files.py``."""

from __future__ import annotations

from typing import Any

from hotpot_envs.adapters.aec import CardGameEnv

__all__ = ["env", "raw_env"]


class raw_env(CardGameEnv):
    """Boil Over: ``CardGameEnv`` with these options of the game.

    Args:
        num_players: players at the table: a whole number from 3 to 6; by default 4.
        limit: a pot boils over when its total is more than this: a whole number from 10 to 40; by
            default 20.
        rounds: rounds in a game: a whole number from 1 to 12; by default the number of players.
        **options: of the environment: ``reward``, ``illegal``, ``render_mode``.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("boil_over", **options)


def env(**options: Any) -> raw_env:
    """Return the environment with nothing round it: the checks of PettingZoo's wrappers are in it.

    Args:
        **options: see ``raw_env``.
    """
    return raw_env(**options)
