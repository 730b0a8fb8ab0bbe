"""Hot Pot Holic for PettingZoo. Written by ``scripts/new_files.py``."""

from __future__ import annotations

from typing import Any

from hotpot_envs.adapters.aec import CardGameEnv

__all__ = ["env", "raw_env"]


class raw_env(CardGameEnv):
    """Hot Pot Holic: ``CardGameEnv`` with these options of the game.

    Args:
        num_players: players at the table: a whole number from 2 to 4; by default 4.
        choose_plate: each player chooses the first two cards of the plate out of eleven: one of
            false, true; by default False.
        number_scoring: the number scoring card: one of random, straight, identical, pairs; by
            default 'random'.
        color_scoring: the colour scoring card: one of random, balance, in_between, protein_feast;
            by default 'random'.
        heat_scoring: the heat scoring card: one of random, champion, last_and_least, progress; by
            default 'random'.
        **options: of the environment: ``reward``, ``illegal``, ``render_mode``.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("hot_pot_holic", **options)


def env(**options: Any) -> raw_env:
    """Return the environment with nothing round it: the checks of PettingZoo's wrappers are in it.

    Args:
        **options: see ``raw_env``.
    """
    return raw_env(**options)
