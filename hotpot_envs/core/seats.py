"""Seats as one of them sees them, for kernels."""

from __future__ import annotations

from hotpot_envs.core.jit import kernel

__all__ = ["relative_seat"]


@kernel
def relative_seat(seat, viewer, num_players):
    """Return how many seats clockwise from the viewer a seat is."""
    if seat < viewer:
        return seat - viewer + num_players
    return seat - viewer
