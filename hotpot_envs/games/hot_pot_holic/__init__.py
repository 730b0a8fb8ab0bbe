"""Hot Pot Holic (2–4 players): pick from the pot, eat from the plate, at the right time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotpot_envs.core.game import Game
from hotpot_envs.games.hot_pot_holic import (
    bot,
    frame,
    hidden,
    notation,
    observation,
    rules,
    state,
)

__all__ = ["GAME"]


def _corners() -> list[Mapping[str, Any]]:
    """Return each triple of scoring cards once, spread over numbers of players and setups."""
    corners: list[Mapping[str, Any]] = []
    for index, triple in enumerate(itertools.product(*map(enumerate, state.SCORING_CARDS))):
        options: dict[str, Any] = {"num_players": 2 + sum(card for card, _ in triple) % 3}
        options["choose_plate"] = index % 2 == 1
        for sort, (_, name) in zip(state.SORTS, triple):
            options[f"{sort}_scoring"] = name
        corners.append(options)
    return corners


GAME = Game(
    name="hot_pot_holic",
    title="Hot Pot Holic",
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
    determinize=hidden.determinize,
    bots=bot.BOTS,
    notation=notation.NOTATION,
    text=frame.text,
    svg=frame.svg,
    score_sign=1,
    score_scale=20.0,
    score_name="victory points",
    # With four players 108: 1 to declare, 32 to play, 75 to pick and eat. (All 34 cards that come
    # to the pot picked and 8 more eaten would make 76; but 4 of them come for the eighth round, and
    # who then eats what the seventh round emptied the pot of picks none.) And 8 to choose plates.
    max_num_moves=116,
    corners=(
        {},
        {"num_players": 2},
        {"num_players": 3, "choose_plate": True},
        {"num_players": 2, "choose_plate": True, "heat_scoring": "champion"},
        {"choose_plate": True},
        {"num_players": 3},
        *_corners(),
    ),
)
