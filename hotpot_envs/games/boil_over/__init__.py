"""Boil Over (3–6 players): cards on pots, and who makes one boil over takes it all."""

from __future__ import annotations

from pathlib import Path

from hotpot_envs.core.game import Game
from hotpot_envs.games.boil_over import bot, frame, notation, observation, rules, state

__all__ = ["GAME"]

GAME = Game(
    name="boil_over",
    title="Boil Over",
    version=0,
    folder=Path(__file__).parent,
    options=state.OPTIONS,
    config_dtype=state.CONFIG,
    state_dtype=state.STATE,
    observations=observation.OBSERVATIONS,
    actions=observation.ACTIONS,
    configure=state.configure,
    reset=rules.reset,
    legal=rules.legal,
    apply=rules.apply,
    observe=observation.observe,
    scores=rules.scores,
    winners=rules.winners,
    determinize=rules.determinize,
    bots=bot.BOTS,
    notation=notation.NOTATION,
    text=frame.text,
    svg=frame.svg,
    score_sign=-1,
    score_scale=20.0,
    score_name="points",
    max_num_moves=38 * state.MAX_ROUNDS,
    corners=(
        {},
        {"num_players": 3},
        {"num_players": 5, "rounds": 1},
        {"num_players": 6, "limit": 19, "rounds": 4},
        {"limit": 10, "rounds": 12},
        {"num_players": 6, "limit": 40, "rounds": 7},
        {"num_players": 3, "limit": 40, "rounds": 12},
    ),
    symmetries=observation.SYMMETRIES,
)
