"""Checks of what a game declares, and of the words of its records."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np

from hotpot_envs.core.checks.trial import Trial
from hotpot_envs.core.engine import Engine
from hotpot_envs.core.game import HEADER, Symmetry, Whole

__all__ = ["check_declaration", "check_notation"]

_WRONG: tuple[Any, ...] = (None, True, -1, 2.5, "", "no such word", [], [None], {}, {"chance": 1})


def check_declaration(trial: Trial) -> None:
    """What the game says of itself fits the contract."""
    game = trial.game
    trial.require(game.name.isidentifier() and game.name.islower(), f"its name is {game.name!r}")
    first = game.options[0]
    trial.require(
        isinstance(first, Whole) and first.name == "num_players" and first.low >= 2,
        "its first option is not num_players, a Whole from 2 on",
    )
    names = [option.name for option in game.options]
    trial.require(len(set(names)) == len(names), f"two options share a name: {names}")
    resolved = game.resolve_options(trial.options)
    trial.require(
        game.resolve_options(resolved) == resolved, "resolved options do not resolve to themselves"
    )
    trial.require(game.corners and not game.corners[0], "its first corner is not the default, {}")
    trial.require(game.score_sign in (-1, 1), f"score_sign is {game.score_sign}, not 1 or -1")
    trial.require(game.score_scale > 0, f"score_scale is {game.score_scale}, not above 0")
    trial.require(
        "heuristic" in game.bots and "random" not in game.bots,
        f"its bots are {list(game.bots)}: there must be a heuristic, and random is everybody's",
    )
    _check_dtypes(trial, resolved)
    for number, symmetry in enumerate(game.symmetries):
        _check_symmetry(trial, f"symmetries[{number}]", symmetry)


def _check_symmetry(trial: Trial, name: str, symmetry: Symmetry) -> None:
    for part in ("observations", "actions"):
        order, layout = getattr(symmetry, part), getattr(trial.game, part)
        trial.require(
            order.shape == (layout.size,) and set(order.tolist()) == set(range(layout.size)),
            f"{name}.{part} leaves entries out: it must hold each of 0 to {layout.size - 1} once",
        )
        moved = (layout.low[order] != layout.low) | (layout.high[order] != layout.high)
        for index in np.flatnonzero(moved):
            there, here = layout.locate(int(order[index]))[0], layout.locate(int(index))[0]
            trial.fail(f"{name} puts {there!r} in place of {here!r}, which has other bounds")


def _check_dtypes(trial: Trial, resolved: dict[str, Any]) -> None:
    header, state = np.dtype(HEADER), trial.game.state_dtype
    for name in header.names or ():
        trial.require(
            _fields(state).get(name) == _fields(header)[name],
            f"STATE does not begin with HEADER: {name!r} is missing, moved or of another kind",
        )
    for title, dtype in (("STATE", state), ("CONFIG", trial.game.config_dtype)):
        sizes = sum(field[0].itemsize for field in _fields(dtype).values())
        trial.require(not dtype.hasobject, f"{title} holds Python objects")
        trial.require(sizes == dtype.itemsize, f"{title} has gaps, which copying leaves undefined")
        for name, (field, *_) in _fields(dtype).items():
            trial.require(
                field.base != np.bool_ or not field.shape,
                f"{title}'s {name!r} is an array of bool, which Numba does not take: use int8",
            )
    config = trial.game.configure(resolved)
    trial.require(
        config.shape == (1,) and config.dtype == trial.game.config_dtype,
        f"configure returns {config.dtype} of shape {config.shape}",
    )
    trial.require(
        next(iter(_fields(config.dtype))) == "num_players"
        and config["num_players"][0] == trial.num_players,
        "CONFIG does not begin with num_players",
    )
    trial.require(
        config.tobytes() == trial.game.configure(resolved).tobytes(),
        "configure gives two results for the same options",
    )


def _fields(dtype: np.dtype) -> dict[str, Any]:
    return dict(dtype.fields or {})


def check_notation(trial: Trial) -> None:
    """Moves have words that mean them; a game replayed from its words is the same to the byte."""
    for index in range(0, trial.num_games, max(1, trial.num_games // 2)):
        events, states = _write(trial, index)
        try:
            events = json.loads(json.dumps(events, allow_nan=False))
        except (TypeError, ValueError) as error:
            trial.fail(f"an event of its records is no JSON: {error}")
        _read(trial, index, events, states)
        _misread(trial, events[0])


def _write(trial: Trial, index: int) -> tuple[list[list[dict[str, Any]]], list[np.ndarray]]:
    """Play a game; return the events of its start and of each move, and the states after them."""
    notation, engine = trial.game.notation, trial.engine(1)
    config, buffers = engine.config[0], engine.buffers()
    engine.reset(trial.seeds[[index]])
    engine.observe(buffers)
    events, states = [notation.chance(config, None, -1, engine.states[0])], [engine.save()]
    for move, action in enumerate(trial.moves[: trial.num_moves[index], index]):
        _check_words(trial, engine, buffers.action_masks[0], move)
        before = states[-1][0]
        event = {"seat": int(before["to_move"]), **notation.move(config, before, int(action))}
        engine.step(np.array([action]), buffers)
        drawn = notation.chance(config, before, int(action), engine.states[0])
        events.append([event, *drawn])
        states.append(engine.save())
    result = notation.result(config, engine.states[0])
    trial.require(next(iter(result)) == "scores", "scores do not come first in the result")
    scores = engine.results()[0][0].tolist()
    trial.require(result["scores"] == scores, f"the result has scores {result['scores']}")
    json.dumps(result, allow_nan=False)
    return events, states


def _check_words(trial: Trial, engine: Engine, mask: np.ndarray, move: int) -> None:
    """Every legal action has a word of its own that means it."""
    notation, config, state = trial.game.notation, engine.config[0], engine.states[0]
    words = set()
    for action in np.flatnonzero(mask).tolist():
        said = notation.move(config, state, action)
        what = f"action {action} ({trial.describe(trial.game.actions, action)}), {said},"
        trial.require(
            set(said) <= {"move", "for"} and isinstance(said.get("move"), str),
            f"{what} is no move of a record: that has a text 'move', and 'for' if need be",
            move=move,
        )
        key = said["move"], said.get("for")
        trial.require(key not in words, f"{what} shares its word with another", move=move)
        words.add(key)
        meant = notation.action(config, state, {"seat": int(state["to_move"]), **said})
        trial.require(meant == action, f"{what} reads as action {meant}", move=move)
    for word in ("", "no such move", "\ud800", "7" * 5000):
        try:
            meant = notation.action(config, state, {"seat": int(state["to_move"]), "move": word})
        except ValueError:
            continue
        trial.fail(f"the word {word[:20]!r} reads as action {meant}", move=move)


def _read(
    trial: Trial, index: int, events: list[list[dict[str, Any]]], states: list[np.ndarray]
) -> None:
    """Replay a game from its events, under another seed."""
    notation, engine = trial.game.notation, trial.engine(1)
    config, buffers = engine.config[0], engine.buffers()
    engine.reset(int(trial.seeds[index]) + 1)
    notation.overwrite(config, None, -1, engine.states[0], events[0])
    for move, (event, *drawn) in enumerate(events[1:]):
        problem = "a game read from its record is another"
        trial.same_states(
            trial.without_rng(engine.states), trial.without_rng(states[move]), problem, move=move
        )
        before = engine.save()[0]
        action = notation.action(config, before, event)
        trial.require(
            action == trial.moves[move, index], f"{event} reads as action {action}", move=move
        )
        if notation.prepare is not None:
            notation.prepare(config, engine.states[0], drawn)
        engine.step(np.array([action]), buffers)
        notation.overwrite(config, before, action, engine.states[0], drawn)
        written = notation.chance(config, before, action, engine.states[0])
        trial.require(written == drawn, f"{drawn} is read and written as {written}", move=move)
    trial.same_states(trial.without_rng(engine.states), trial.without_rng(states[-1]), problem)


def _misread(trial: Trial, events: list[dict[str, Any]]) -> None:
    """A wrong event at the start is refused, or not written back."""
    notation, engine = trial.game.notation, trial.engine(1)
    for position, event in enumerate(events):
        for key in event:
            for wrong in _WRONG:
                if key == "chance" and not isinstance(wrong, str):
                    continue
                changed = copy.deepcopy(events)
                changed[position][key] = wrong
                if _spell(changed) == _spell(events):
                    continue
                engine.reset(trial.seed)
                try:
                    notation.overwrite(engine.config[0], None, -1, engine.states[0], changed)
                    written = notation.chance(engine.config[0], None, -1, engine.states[0])
                except ValueError:
                    continue
                trial.require(
                    _spell(written) != _spell(changed), f"a wrong event is taken: {changed}"
                )


def _spell(events: list[dict[str, Any]]) -> str:
    return json.dumps(events, sort_keys=True)
