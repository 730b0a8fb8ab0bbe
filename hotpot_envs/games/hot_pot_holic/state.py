"""Hot Pot Holic: cards, options, CONFIG and STATE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hotpot_envs.core.game import HEADER, Choice, Option, Whole

# A card is a number from 0 to 27, by colour and then by number: red 0 to 5 and K, green 0, …. There
# are two copies of each, alike in all. A set of cards is a uint64: bit c is set where it holds card
# c, bit 28 + c where it holds both copies. So equal sets are equal numbers.
COLORS = "RGBY"
NUMBERS = "012345K"
NUM_COLORS = 4
NUM_NUMBERS = 7
NUM_CARDS = 28
DECK_SIZE = 56
RED, GREEN, BLUE, YELLOW = range(NUM_COLORS)
ZERO, KING = 0, 6

ONCE = np.uint64((1 << NUM_CARDS) - 1)  # the first copies' bits: which cards a set holds
COPY = np.uint64(NUM_CARDS)  # how far the second copies' bits lie above the first ones'
COLOR_SETS = np.array(
    [0x7F << 7 * color | 0x7F << 7 * color + 28 for color in range(NUM_COLORS)], dtype=np.uint64
)  # both copies of a colour's cards
NUMBER_SETS = np.array(
    [sum(1 << 7 * row + number for row in range(8)) for number in range(NUM_NUMBERS)],
    dtype=np.uint64,
)  # both copies of a number's cards
NUMBER_OF = np.array([card % NUM_NUMBERS for card in range(NUM_CARDS)], dtype=np.int64)
COLOR_OF = np.array([card // NUM_NUMBERS for card in range(NUM_CARDS)], dtype=np.int64)
WHOLE_DECK = np.uint64((1 << DECK_SIZE) - 1)
FEWER_DECK = WHOLE_DECK & ~(NUMBER_SETS[4] | NUMBER_SETS[5])  # two and three players (R2)

MIN_PLAYERS, MAX_PLAYERS = 2, 4
ROBOT = 2  # its seat, with two players
MAX_HAND = 11
HAND = 9
PLATE_SIZE = 4
START_PLATE = 2
NUM_ROUNDS = 8
TOP_HEAT = 7

# Actions: declare K or 0 the strongest; put, play, pick or eat a card; keep what is on the plate.
FIRST_PLATE, FIRST_PLAY, FIRST_PICK, FIRST_EAT, KEEP = 2, 30, 58, 86, 114

# Phases, in the order of a game.
CHOOSE, DECLARE, PLAY, ACT, LAST = range(5)
NUM_PHASES = 5
# What a turn of the second phase is once its first card was taken.
UNDECIDED, PICKING, EATING = range(3)
# Which number is the strongest.
UNDECLARED, KING_HIGH, ZERO_HIGH = range(3)
# The parts of a score.
NUMBER_PART, COLOR_PART, HEAT_PART, FAVORITE_PART = range(4)
NUM_PARTS = 4

# Scoring cards, three of each of three sorts, in this order wherever they are numbered.
SORTS = ("number", "color", "heat")
SCORING_CARDS = (
    ("straight", "identical", "pairs"),
    ("balance", "in_between", "protein_feast"),
    ("champion", "last_and_least", "progress"),
)
STRAIGHT, IDENTICAL, PAIRS = range(3)
BALANCE, IN_BETWEEN, PROTEIN_FEAST = range(3)
CHAMPION, LAST_AND_LEAST, PROGRESS = range(3)
RANDOM = -1

OPTIONS: tuple[Option, ...] = (
    Whole("num_players", "players at the table", 4, low=MIN_PLAYERS, high=MAX_PLAYERS),
    Choice(
        "choose_plate",
        "each player chooses the first two cards of the plate out of eleven",
        False,
        choices=(False, True),
    ),
    *(
        Choice(
            f"{sort}_scoring",
            f"the {'colour' if sort == 'color' else sort} scoring card",
            "random",
            choices=("random", *cards),
        )
        for sort, cards in zip(SORTS, SCORING_CARDS)
    ),
)

CONFIG = np.dtype(
    [
        ("num_players", np.int64),
        ("num_markers", np.int64),  # players, and the robot where there are two
        ("choose_plate", np.int64),
        ("scoring", np.int64, (3,)),  # scoring cards by number, RANDOM where one is drawn
        ("few", np.int64),  # 1 for two and three players: no 4s and 5s
        ("pot_size", np.int64),
        ("deck", np.uint64),
    ]
)

# Arrays by seat have MAX_PLAYERS entries; with two players seat 2 is the robot.
STATE = np.dtype(
    [
        *HEADER,
        ("hand", np.uint64, (MAX_PLAYERS,)),
        ("plate", np.uint64, (MAX_PLAYERS,)),
        ("belly", np.uint64, (MAX_PLAYERS,)),
        ("pot", np.uint64),
        ("blocked", np.uint64),  # the cards whose number lies face up this round
        ("parts", np.int16, (MAX_PLAYERS, NUM_PARTS)),  # scores; the favourite's 0 before the end
        ("lying", np.int8, (MAX_PLAYERS,)),  # the card played this round, −1 for none
        ("hidden", np.int8, (MAX_PLAYERS,)),  # 1 where it lies face down
        ("shown", np.int8, (MAX_PLAYERS,)),  # 1 where the hand was shown, and so is known to all
        ("heat", np.int8, (MAX_PLAYERS,)),
        ("order", np.int8, (MAX_PLAYERS,)),  # seats by strength, once all cards lie
        ("place", np.int8, (MAX_PLAYERS,)),  # 1 the strongest; 0 while cards are played
        ("robot", np.int8, (HAND,)),  # the robot's pile, first revealed first
        ("scoring", np.int8, (3,)),
        ("token", np.int8),  # who holds the start player token
        ("strongest", np.int8),
        ("round", np.int8),  # from 0; 8 after the last
        ("turn", np.int8),  # in the second phase and at the end: how many seats had theirs
        ("actor", np.int8),  # whose turn it then is: to_move's or the robot's
        ("kind", np.int8),  # UNDECIDED, PICKING or EATING
        ("cards_left", np.int8),  # cards still to take in a turn that was begun, otherwise 0
        ("climbs", np.bool_),  # the actor's marker moves up when the turn ends
        ("spare", np.int8, (4,)),  # whole words, so that batches stay aligned
    ]
)
assert STATE.itemsize % 8 == 0


def configure(options: Mapping[str, Any]) -> np.ndarray:
    """Return the CONFIG for resolved options."""
    num_players = options["num_players"]
    few = num_players < MAX_PLAYERS
    config = np.zeros(1, CONFIG)
    config["num_players"] = num_players
    config["num_markers"] = max(num_players, 3)
    config["choose_plate"] = options["choose_plate"]
    for index, (sort, cards) in enumerate(zip(SORTS, SCORING_CARDS)):
        name = options[f"{sort}_scoring"]
        config["scoring"][0, index] = RANDOM if name == "random" else cards.index(name)
    config["few"] = few
    config["pot_size"] = 4 if few else 6
    config["deck"] = FEWER_DECK if few else WHOLE_DECK
    return config
