"""The contract of ``core.game.Game`` as code: ``check_game``, for our games and third parties'."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from hotpot_envs.core.checks import knowing, naming, running
from hotpot_envs.core.checks.trial import ContractError, Trial
from hotpot_envs.core.game import Game
from hotpot_envs.core.registry import get_game

__all__ = ["CHECKS", "ContractError", "Trial", "check_game", "run_check"]

#: All checks by name, each a function of a ``Trial`` whose docstring says what it promises.
CHECKS: Mapping[str, Callable[[Trial], None]] = {
    "declaration": naming.check_declaration,
    "progress": running.check_progress,
    "views": knowing.check_views,
    "results": running.check_results,
    "rewards": running.check_rewards,
    "seeds": running.check_seeds,
    "batches": running.check_batches,
    "threads": running.check_threads,
    "saving": running.check_saving,
    "illegal_actions": running.check_illegal_actions,
    "bots": running.check_bots,
    "determinize": knowing.check_determinize,
    "notation": naming.check_notation,
    "drawings": knowing.check_drawings,
}


def check_game(
    game: str | Game,
    *,
    corners: Sequence[Mapping[str, Any]] | None = None,
    checks: Collection[str] | None = None,
    seed: int = 0,
) -> None:
    """Check that a game keeps its contract.

    Args:
        game: a game, or its name.
        corners: sets of options to check it with; by default its own ``corners``.
        checks: which of ``CHECKS``; by default all.
        seed: of the games played.

    Raises:
        ContractError: for the first thing that is wrong: a sentence with the check, the options,
            the seed of the game and the move.
        ValueError: for a check there is not.
    """
    game = get_game(game)
    chosen = list(CHECKS) if checks is None else list(checks)
    if unknown := [name for name in chosen if name not in CHECKS]:
        raise ValueError(f"no check {unknown[0]!r}; there are: {', '.join(CHECKS)}")
    for options in game.corners if corners is None else corners:
        trial = Trial(game, options, seed)
        for name in chosen:
            run_check(trial, name)


def run_check(trial: Trial, name: str) -> None:
    """Run one of ``CHECKS`` on a trial; whatever the game raises in it is a ContractError too."""
    trial.check = name
    try:
        CHECKS[name](trial)
    except ContractError:
        raise
    except Exception as error:
        trial.fail(f"{type(error).__name__}: {error}")
