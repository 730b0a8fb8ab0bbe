"""High Card: layouts of actions and observations, and what a seat sees."""

from __future__ import annotations

from hotpot_envs.core import Field, Layout
from hotpot_envs.core.jit import kernel

from .state import MAX_PLAYERS, NUM_CARDS

ACTIONS = Layout(
    Field("keep", (), 0, 1, "keep the card"),
    Field("swap", (), 0, 1, "swap it for another one"),
)

OBSERVATIONS = Layout(
    Field("card", (), 0, NUM_CARDS - 1, "own card", private=True),
    Field("swapped", (MAX_PLAYERS,), 0, 1, "who has swapped", per_seat=True),
    Field("to_move", (MAX_PLAYERS,), 0, 1, "whose turn it is, one-hot", per_seat=True),
    Field("num_moves", (), 0, MAX_PLAYERS, "how many seats have decided"),
    Field("num_players", (), 0, MAX_PLAYERS, "players at the table"),
)

CARD = OBSERVATIONS.start("card")
SWAPPED = OBSERVATIONS.start("swapped")
TO_MOVE = OBSERVATIONS.start("to_move")
NUM_MOVES = OBSERVATIONS.start("num_moves")
NUM_PLAYERS = OBSERVATIONS.start("num_players")


@kernel
def observe(config, state, seat, out_observation):
    """Write the own card and what has happened on the table."""
    num_players = config["num_players"]
    out_observation[CARD] = state["card"][seat]
    for relative in range(num_players):
        other = (seat + relative) % num_players
        out_observation[SWAPPED + relative] = state["swapped"][other]
        if other == state["to_move"] and not state["terminated"]:
            out_observation[TO_MOVE + relative] = 1
    out_observation[NUM_MOVES] = state["num_moves"]
    out_observation[NUM_PLAYERS] = num_players
