"""High Card: bots as kernels over what their seat sees."""

from __future__ import annotations

from hotpot_envs.core.jit import kernel

from .observation import CARD
from .rules import KEEP, SWAP
from .state import NUM_CARDS


@kernel
def heuristic(observation, mask, rng):
    """Swap a card of the lower half."""
    if observation[CARD] < NUM_CARDS // 2 and mask[SWAP]:
        return SWAP
    return KEEP


BOTS = {"heuristic": heuristic}
