"""Checks of what seats are shown: bounds and masks, who sees what, determinize, drawings."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from hotpot_envs.core import loops
from hotpot_envs.core.checks.trial import Trial
from hotpot_envs.core.engine import Buffers, Engine
from hotpot_envs.core.layout import Layout

__all__ = ["check_determinize", "check_drawings", "check_views"]

_KEPT = ("num_moves", "to_move", "phase", "terminated", "truncated", "offender")


def check_views(trial: Trial) -> None:
    """At every move each seat's observation and mask fit their layouts, and the seats agree.

    What a layout does not call private is the same from every seat; what it calls per seat is
    turned to the seat that looks, with zeros for absent seats.
    """
    engine = trial.engine()
    views = [engine.buffers() for _ in range(trial.num_players)]
    engine.reset(trial.seeds)
    _look(trial, engine, views, 0)
    for move in trial.replay(engine, engine.buffers()):
        _look(trial, engine, views, move + 1)


def _look(trial: Trial, engine: Engine, views: list[Buffers], move: int) -> None:
    for seat, view in enumerate(views):
        engine.observe(view, np.full(engine.num_games, seat))
        _check_bounds(trial, seat, view, move)
        asked = ~engine.over & (engine.states["to_move"] == seat)
        masks = view.action_masks
        trial.require(
            masks.any(axis=1) | ~asked, f"no action is legal for seat {seat}, to move", move=move
        )
        trial.require(
            ~masks.any(axis=1) | asked,
            f"the mask of seat {seat}, which is not to move, is not empty",
            move=move,
        )
        if seat:
            _compare_views(trial, seat, views[0], view, move)


def _check_bounds(trial: Trial, seat: int, view: Buffers, move: int) -> None:
    layout, found = trial.game.observations, view.observations
    wrong = (found < layout.low) | (found > layout.high)
    if wrong.any():
        index = int(np.argmax(wrong.any(axis=0)))
        name, values = trial.describe(layout, index), found[:, index]
        trial.require(
            ~wrong[:, index],
            f"seat {seat} sees {values.min()} to {values.max()} in {name}, whose bounds are "
            f"{layout.low[index]} to {layout.high[index]}",
            move=move,
        )
    masks = view.action_masks
    trial.require((masks == 0) | (masks == 1), "a mask holds other values than 0, 1", move=move)
    for fields, rows in ((layout, found), (trial.game.actions, masks)):
        for name in _per_seat(fields):
            absent = fields.split(rows)[name][:, trial.num_players :]
            trial.require(absent == 0, f"seat {seat}: {name} is not 0 for absent seats", move=move)


def _per_seat(layout: Layout) -> list[str]:
    return [field.name for field in layout if field.per_seat]


def _compare_views(trial: Trial, seat: int, first: Buffers, view: Buffers, move: int) -> None:
    """What is not private is the same to a seat as to seat 0, turned round."""
    layout, n = trial.game.observations, trial.num_players
    own, theirs = layout.split(view.observations), layout.split(first.observations)
    for field in layout:
        if field.private:
            continue
        mine, others = own[field.name], theirs[field.name]
        hint = "; a field in which seats see different things is to be called private"
        if field.per_seat:
            mine, others = mine[:, :n], np.roll(others[:, :n], -seat, axis=1)
        else:
            hint += ", one whose first axis is seats per_seat"
        trial.require(
            mine == others, f"seats 0 and {seat} see different {field.name}{hint}", move=move
        )


def check_determinize(trial: Trial) -> None:
    """A redraw leaves to the byte what its seat sees, keeps what is public, changes the rest.

    From what ``determinize`` makes, games can be played to their ends.
    """
    redrawn = False
    for stop, move in enumerate(trial.stops(16)):
        engine, live = trial.at(move)
        games = np.flatnonzero(live)
        original, copy = trial.engine(len(games)), trial.engine(len(games))
        original.restore(engine.states[games])
        generators = copy.generators(trial.seed + move)
        for seat in range(trial.num_players):
            copy.restore(original.states)
            copy.determinize(np.full(len(games), seat), generators)
            _compare_knowledge(trial, original, copy, seat, move)
            before, after = (trial.without_rng(e.states) for e in (original, copy))
            redrawn |= before.tobytes() != after.tobytes()
            renewed = copy.states["rng"] != original.states["rng"]
            trial.require(renewed.all(), "determinize keeps the coming chance", move=move)
        if stop % 4 == 1:
            _play_out(trial, copy, move)
    if any(field.private for field in trial.game.observations):
        trial.require(redrawn, "determinize never redraws anything, though fields are private")


def _compare_knowledge(trial: Trial, original: Engine, copy: Engine, seat: int, move: int) -> None:
    layout = trial.game.observations
    was, now = original.buffers(), copy.buffers()
    for name in _KEPT:
        kept = original.states[name] == copy.states[name]
        trial.require(kept.all(), f"determinize changes the state's {name!r}", move=move)
    for viewer in range(trial.num_players):
        for engine, out in ((original, was), (copy, now)):
            engine.observe(out, np.full(engine.num_games, viewer))
        before, after = layout.split(was.observations), layout.split(now.observations)
        for field in layout:
            if viewer == seat or not field.private:
                trial.require(
                    (before[field.name] == after[field.name]).all(),
                    f"determinize for seat {seat} changes what seat {viewer} sees in {field.name}",
                    move=move,
                )
        if viewer == seat:
            same = (was.action_masks == now.action_masks).all()
            trial.require(same, f"determinize for seat {seat} changes its mask", move=move)
    same = (original.results()[0] == copy.results()[0]).all()
    trial.require(same, f"determinize for seat {seat} changes the scores", move=move)


def _play_out(trial: Trial, engine: Engine, move: int) -> None:
    """Play determinized games on at random: all must stay within the contract."""
    buffers, generators = engine.buffers(), engine.generators(move)
    engine.observe(buffers)
    while not engine.over.all():
        engine.step(engine.sample(buffers.action_masks, generators), buffers)
        what = "a determinized game"
        trial.require((buffers.status != loops.ILLEGAL).all(), f"{what} refuses a move", move=move)
        stuck = ~engine.over & ~buffers.action_masks.any(axis=1)
        trial.require(not stuck.any(), f"{what} has no legal action", move=move)
        layout, found = trial.game.observations, buffers.observations
        wrong = ((found < layout.low) | (found > layout.high)).any(axis=0)
        if wrong.any():
            name, _ = layout.locate(int(np.argmax(wrong)))
            trial.fail(f"{what} goes out of the bounds of {name}", move=move)


def check_drawings(trial: Trial) -> None:
    """Text and SVG are there for every seat and for open cards, and tell a seat nothing hidden."""
    config, drawers = trial.engine(1).config[0], (trial.game.text, trial.game.svg)
    for move in trial.stops(3):
        engine, live = trial.at(move)
        index = int(np.argmax(live))
        copy = trial.engine(1)
        for seat in [None, *range(trial.num_players)]:
            copy.restore(engine.states[[index]])
            text, svg = (draw(config, copy.states[0], seat) for draw in drawers)
            trial.require(text.strip() != "", f"the text for seat {seat} is empty", move=move)
            try:
                root = ElementTree.fromstring(svg)
            except ElementTree.ParseError as error:
                trial.fail(f"the drawing for seat {seat} is no XML: {error}", move=move)
            name = root.tag.rpartition("}")[2]
            trial.require(name == "svg", f"the drawing is a <{name}>, no <svg>", move=move)
            if seat is not None:
                copy.determinize(np.array([seat]), copy.generators(move))
                again = [draw(config, copy.states[0], seat) for draw in drawers]
                trial.require(
                    again == [text, svg], f"seat {seat} is drawn what is hidden from it", move=move
                )
