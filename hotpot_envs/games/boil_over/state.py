"""Boil Over: cards, options, CONFIG and STATE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hotpot_envs.core.game import HEADER, Option, Whole

# Cards are numbered 0–37: the ace to ten of hearts, diamonds and clubs, then the 2 to 9 of spades.
# A set of cards is a uint64 with one bit a card.
SUITS = "HDCS"
NUM_SUITS = 4
NUM_POTS = 3
NUM_VALUES = 10
NUM_CARDS = 38
NUM_POISONS = 8
FIRST_POISON = 30
NUM_ACTIONS = NUM_POTS * (NUM_VALUES + NUM_POISONS)  # an ingredient to its pot, a poison to any
LOWEST_POISON = 2
SPADES = 3
SUIT_SETS = np.array(
    [0x3FF, 0x3FF << 10, 0x3FF << 20, 0xFF << FIRST_POISON], dtype=np.uint64
)  # by suit
ALL_CARDS = np.uint64((1 << NUM_CARDS) - 1)
VALUES = np.array([*(list(range(1, 11)) * 3), *range(2, 10)], dtype=np.int64)  # by card

MAX_PLAYERS = 6
MIN_PLAYERS = 3
MAX_HAND = 10
MAX_LIMIT = 40
MAX_ROUNDS = 12
MAX_ROUND_POINTS = 28
# A boil-over at 4 cards of a suit against 4, with the last 2 in the pot, throws 4 points away; at
# worst a pot has seven poisons (the limit is 40), or five ingredients that are no majority.
MIN_BOIL_OVER_COST = -4
MAX_BOIL_OVER_COST = 2 * 7 + 5

OPTIONS: tuple[Option, ...] = (
    Whole("num_players", "players at the table", 4, low=MIN_PLAYERS, high=MAX_PLAYERS),
    Whole("limit", "a pot boils over when its total is more than this", 20, low=10, high=MAX_LIMIT),
    Whole(
        "rounds",
        "rounds in a game",
        lambda options: options["num_players"],
        low=1,
        high=MAX_ROUNDS,
        default_text="the number of players",
    ),
)

CONFIG = np.dtype([("num_players", np.int64), ("limit", np.int64), ("rounds", np.int64)])

STATE = np.dtype(
    [
        *HEADER,
        ("hand", np.uint64, (MAX_PLAYERS,)),
        ("unused", np.uint64),  # the fourth hand of a game of three
        ("pot", np.uint64, (NUM_POTS,)),
        ("taken", np.uint64, (MAX_PLAYERS,)),
        ("pot_total", np.int16, (NUM_POTS,)),
        ("points", np.int16, (MAX_PLAYERS,)),  # of the rounds that are over
        ("standing", np.int16, (MAX_PLAYERS,)),  # of this round, if it ended now
        ("round_points", np.int16, (MAX_ROUNDS, MAX_PLAYERS)),
        ("dealer", np.int8),
        ("round", np.int8),  # from 0; the number of rounds when the game is over
        ("spare", np.int8, (8,)),  # so that the next game's numbers lie at multiples of 8
    ]
)


def configure(options: Mapping[str, Any]) -> np.ndarray:
    """Return the CONFIG for resolved options."""
    config = np.zeros(1, CONFIG)
    for name in CONFIG.names or ():
        config[name] = options[name]
    return config
