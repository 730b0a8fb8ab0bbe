"""High Card, the smallest whole game: keep your card or swap it once; the highest card wins.

The tests use it as a third party's game, and ``docs/adding_a_game.md`` as its example.
"""

from __future__ import annotations

from pathlib import Path

from hotpot_envs.core import Game

from . import bot, frame, notation, observation, rules, state

GAME = Game(
    name="high_card",
    title="High Card",
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
    score_sign=1,
    score_scale=5.0,
    score_name="points",
    max_num_moves=state.MAX_PLAYERS,
    corners=({}, {"num_players": 2}, {"num_players": 3}, {"num_players": 4, "swaps": False}),
)
