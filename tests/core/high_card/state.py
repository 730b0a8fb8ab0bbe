"""High Card: options, CONFIG and STATE."""

from __future__ import annotations

import numpy as np

from hotpot_envs.core import Choice, Whole
from hotpot_envs.core.game import HEADER

MIN_PLAYERS, MAX_PLAYERS = 2, 4
NUM_CARDS = 10  # of each as many as wanted

OPTIONS = (
    Whole("num_players", "players at the table", 4, low=MIN_PLAYERS, high=MAX_PLAYERS),
    Choice("swaps", "whether a card can be swapped", True, choices=(False, True)),
)

CONFIG = np.dtype([("num_players", np.int64), ("swaps", np.bool_)])

STATE = np.dtype(
    [
        *HEADER,
        ("card", np.int8, (MAX_PLAYERS,)),
        ("swapped", np.int8, (MAX_PLAYERS,)),
    ]
)


def configure(options):
    """Return the CONFIG for resolved options."""
    config = np.zeros(1, CONFIG)
    for name in CONFIG.names:
        config[name] = options[name]
    return config
