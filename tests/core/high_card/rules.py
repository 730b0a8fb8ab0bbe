"""High Card: the rules as kernels."""

from __future__ import annotations

from hotpot_envs.core.jit import kernel
from hotpot_envs.core.rng import below

from .state import NUM_CARDS

KEEP, SWAP = 0, 1


@kernel
def reset(config, state):
    """Deal a card to each seat and draw who begins (R1)."""
    for seat in range(config["num_players"]):
        state["card"][seat] = below(state["rng"], NUM_CARDS)
    state["to_move"] = below(state["rng"], config["num_players"])


@kernel
def legal(config, state, out_mask):
    """A card can be kept, and swapped where the options say so (R2)."""
    out_mask[KEEP] = 1
    if config["swaps"]:
        out_mask[SWAP] = 1


@kernel
def apply(config, state, action):
    """Keep the card or swap it; the game is over when all have decided (R2, R3)."""
    seat = state["to_move"]
    if action == SWAP:
        if not config["swaps"]:
            return False
        state["card"][seat] = below(state["rng"], NUM_CARDS)
        state["swapped"][seat] = 1
    state["num_moves"] += 1
    if state["num_moves"] == config["num_players"]:
        state["terminated"] = True
    else:
        state["to_move"] = (seat + 1) % config["num_players"]
    return True


@kernel
def scores(config, state, out_scores):
    """Write what each card is worth, once the cards are shown (R3)."""
    if state["terminated"]:
        for seat in range(config["num_players"]):
            out_scores[seat] = state["card"][seat]


@kernel
def winners(config, state, out_winners):
    """Mark who has the highest card (R3)."""
    highest = 0
    for seat in range(config["num_players"]):
        highest = max(highest, state["card"][seat])
    for seat in range(config["num_players"]):
        out_winners[seat] = state["card"][seat] == highest


@kernel
def determinize(config, state, seat, rng):
    """Deal the others other cards, until they are shown."""
    if not state["terminated"]:
        for other in range(config["num_players"]):
            if other != seat:
                state["card"][other] = below(rng, NUM_CARDS)
