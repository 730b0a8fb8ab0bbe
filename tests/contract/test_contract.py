"""Every game × option corners × every check of ``core.checks``."""

from __future__ import annotations

import functools

import pytest

from hotpot_envs.core import game_names, get_game
from hotpot_envs.core.checks import CHECKS, Trial, run_check

CORNERS = {"one": 1, "few": 4, "all": None}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "check" not in metafunc.fixturenames:
        return
    most = CORNERS[metafunc.config.getoption("--corners")]
    cases = [
        pytest.param(name, corner, check, id=f"{name}-{_spell(options)}-{check}")
        for name in game_names()
        for corner, options in enumerate(get_game(name).corners[:most])
        for check in CHECKS
    ]
    metafunc.parametrize(("name", "corner", "check"), cases)


def _spell(options) -> str:
    return ",".join(f"{key}={value}" for key, value in options.items()) or "default"


@functools.lru_cache(maxsize=1)
def _trial(name: str, corner: int) -> Trial:
    """The games of a corner are played once for all its checks."""
    game = get_game(name)
    return Trial(game, game.corners[corner])


def test_check(name: str, corner: int, check: str) -> None:
    run_check(_trial(name, corner), check)


@pytest.mark.parametrize("name", game_names())
def test_corners_are_different_games(name: str) -> None:
    resolved = [str(get_game(name).resolve_options(corner)) for corner in get_game(name).corners]
    assert len(set(resolved)) == len(resolved)


@pytest.mark.parametrize("name", game_names())
def test_corners_reach_the_fewest_and_the_most_players(name: str) -> None:
    game = get_game(name)
    counts = {game.resolve_options(corner)["num_players"] for corner in game.corners}
    assert counts == set(range(game.options[0].low, game.options[0].high + 1))
