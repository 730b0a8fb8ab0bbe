"""Playing a match, and the figures that come of it."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import stdtrit

from hotpot_envs.arena.ratings import rate
from hotpot_envs.arena.table import Estimate, Result, Standing
from hotpot_envs.bots import Bot, Table, make_bot
from hotpot_envs.bots.base import BotSpec
from hotpot_envs.core import Engine, Game, get_game

__all__ = ["run"]

#: Games played at a time: enough for threads and matrix products, few enough for a progress bar.
BATCH = 2048
CONFIDENCE = 0.95

Progress = Callable[[int, int], None]


def run(
    game: str | Game,
    bots: Sequence[BotSpec],
    deals: int = 2500,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    num_threads: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Play a match: each deal once in every rotation of the seats.

    Each deal seats the bots in an order of its own, drawn from the seed, and is played in every
    rotation of it. So every bot plays every deal from every seat, and the luck of the deal
    cancels; over the deals, so does who sits next to whom (with one order for all deals, two
    random bots beside a heuristic and a greedy one came out at ranks 3.64 and 3.36). What counts:

    * win share: the winners of a game share 1. In a truncated game nobody wins.
    * rank: 1 is the best, ties averaged. In a truncated game everybody has the middle rank.
    * score: the game's own points.
    * An illegal action ends its game: the offender is last, the others share the win and the
      ranks before it, and the points stay as they stand.
    * A game that ends before some seat was asked anything counts as any other.

    Intervals are 95% intervals over deals, whose games are not independent: Student's t for the
    means, cut to what is possible; for the ratings see ``hotpot_envs.arena.ratings``. One deal
    alone says nothing of its spread: its intervals are all that is possible, without limits where
    there are none.

    Args:
        game: the game, or its name.
        bots: as many as there are seats, each as ``make_bot`` takes it; the same one may come
            more than once.
        deals: how many.
        options: the game's options; ``num_players`` is the number of bots.
        seed: names the deals, the bots' chance and the bootstrap: the same seed gives the same
            result, and more deals begin with the same ones.
        num_threads: for compiled bots; by default as many as there are cores. The result is the
            same.
        progress: called with the number of games played and of all games, now and then.

    Returns:
        The result.

    Raises:
        ValueError: for anything not allowed, naming it and what is, and for a bot that returns
            what is no action of the game.
    """
    game = get_game(game)
    _check_whole("deals", deals, 1)
    _check_whole("seed", seed, 0)
    threads = num_threads if num_threads is not None else _num_cores()
    chosen = _resolve(game, bots, options)
    made: dict[str, Bot] = {}
    places = []  # which bot of made each entry is: one policy in many seats is asked once
    for index, spec in enumerate(bots):
        key = os.fspath(spec) if isinstance(spec, (str, os.PathLike)) else f"\0{index}"
        if key not in made:
            made[key] = make_bot(spec, game)
        places.append(list(made).index(key))
    players = list(made.values())
    schedule, bootstrap = _draw(seed, deals, len(bots))
    match = _Match(game, chosen, players, np.array(places), threads)
    match.play(schedule, progress)
    names = [players[place].name for place in places]
    return _summarise(match, names, seed, bootstrap)


@dataclasses.dataclass(frozen=True, eq=False)
class _Schedule:
    """The deals of a match of E entries, which are as many as seats.

    Attributes:
        deal_seeds: uint64 ``[deals]``.
        bot_seeds: uint64 ``[deals, rotations]``.
        entries: int64 ``[deals, rotations, seats]``: who sits where.
    """

    deal_seeds: np.ndarray
    bot_seeds: np.ndarray
    entries: np.ndarray

    def __getitem__(self, deals: slice) -> _Schedule:
        return _Schedule(self.deal_seeds[deals], self.bot_seeds[deals], self.entries[deals])


def _draw(seed: int, deals: int, num_entries: int) -> tuple[_Schedule, np.random.Generator]:
    """Return a match's schedule, which begins alike for more deals, and the bootstrap's chance."""
    deal_seeds, bot_seeds, orders, bootstrap = np.random.SeedSequence(seed).spawn(4)
    order = np.random.default_rng(orders).random((deals, num_entries)).argsort(axis=1)
    seats = np.arange(num_entries)
    rotated = (seats[None, :] - seats[:, None]) % num_entries
    schedule = _Schedule(
        deal_seeds.generate_state(deals, np.uint64),
        bot_seeds.generate_state(deals * num_entries, np.uint64).reshape(deals, num_entries),
        order[:, rotated],
    )
    return schedule, np.random.default_rng(bootstrap)


class _Match:
    """The games of a match, batch by batch; E entries, which are as many as seats.

    Attributes:
        win_share: float64 ``[deals, E]``, the mean over a deal's rotations; ``rank`` and
            ``score`` likewise.
        order: int8 ``[deals, rotations, E]``: twice the places in each game, smaller is better.
        num_illegal: int64 ``[E]``.
        num_truncated: games without an end of their own.
        num_decisions: actions in all.
    """

    def __init__(
        self,
        game: Game,
        options: dict[str, Any],
        bots: list[Bot],
        places: np.ndarray,
        num_threads: int,
    ) -> None:
        self.game, self.options, self.bots, self.places = game, options, bots, places
        self.num_threads = num_threads
        self.num_illegal = np.zeros(len(places), np.int64)
        self.num_truncated = self.num_decisions = 0

    def play(self, schedule: _Schedule, progress: Progress | None) -> None:
        """Play all deals."""
        deals, n = schedule.bot_seeds.shape
        self.win_share, self.rank, self.score = np.zeros((3, deals, n))
        self.order = np.zeros((deals, n, n), np.int8)
        step = max(1, BATCH // n)
        for start in range(0, deals, step):
            batch = slice(start, min(start + step, deals))
            self._play_batch(batch, schedule[batch])
            if progress is not None:
                progress(batch.stop * n, deals * n)

    def _play_batch(self, batch: slice, schedule: _Schedule) -> None:
        deals, n = schedule.bot_seeds.shape
        engine = Engine(self.game, deals * n, options=self.options, num_threads=self.num_threads)
        with contextlib.closing(engine):
            engine.reset(np.repeat(schedule.deal_seeds, n))
            entries = schedule.entries.reshape(-1, n)
            generators = engine.generators(schedule.bot_seeds.reshape(-1))
            table = Table(engine, self.places[entries], generators, self.bots)
            table.advance(engine.buffers())
            points, shares, places = _outcome(engine)
        offender = engine.states["offender"]
        offended = np.flatnonzero(offender >= 0)
        np.add.at(self.num_illegal, entries[offended, offender[offended]], 1)
        self.num_truncated += int(engine.states["truncated"].sum())
        self.num_decisions += int(engine.states["num_moves"].sum())
        seats = entries.argsort(axis=1)  # of each entry

        def by_entry(values: np.ndarray) -> np.ndarray:
            return np.take_along_axis(values, seats, axis=1).reshape(deals, n, n)

        self.win_share[batch] = by_entry(shares).mean(axis=1)
        self.rank[batch] = by_entry(places).mean(axis=1) + 1
        self.score[batch] = by_entry(points).mean(axis=1)
        self.order[batch] = by_entry(2 * places)


def _outcome(engine: Engine) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points, win shares and places (0 the best) of finished games, each ``[B, n]``."""
    n = engine.num_players
    points, won, places = engine.results()
    shares = won / np.maximum(won.sum(axis=1, keepdims=True), 1)
    places[engine.states["truncated"]] = (n - 1) / 2
    games = np.flatnonzero(engine.states["offender"] >= 0)
    offenders = engine.states["offender"][games]
    shares[games], places[games] = 1 / (n - 1), (n - 2) / 2
    shares[games, offenders], places[games, offenders] = 0, n - 1
    return points, shares, places


def _summarise(
    match: _Match, names: list[str], seed: int, generator: np.random.Generator
) -> Result:
    deals, n = match.win_share.shape
    figures = zip(
        _means(match.win_share, 0, 1),
        _means(match.rank, 1, n),
        _means(match.score, -np.inf, np.inf),
        rate(match.order, generator),
        strict=True,
    )
    return Result(
        game=match.game,
        options=match.options,
        seed=seed,
        deals=deals,
        games=deals * n,
        bots=[
            Standing(seat, names[seat], *estimates, num_illegal=int(match.num_illegal[seat]))
            for seat, estimates in enumerate(figures)
        ],
        num_truncated=match.num_truncated,
        num_decisions=match.num_decisions,
        win_share=match.win_share,
        rank=match.rank,
        score=match.score,
    )


def _means(values: np.ndarray, low: float, high: float) -> list[Estimate]:
    """Return each column's mean over deals with Student's t interval, cut to what is possible."""
    deals = len(values)
    means = values.mean(axis=0)
    if deals == 1:
        return [
            Estimate(float(mean), *(float(x) if np.isfinite(x) else None for x in (low, high)))
            for mean in means
        ]
    error = values.std(axis=0, ddof=1) / np.sqrt(deals)
    reach = stdtrit(deals - 1, (1 + CONFIDENCE) / 2) * error
    return [
        Estimate(float(mean), float(max(mean - by, low)), float(min(mean + by, high)))
        for mean, by in zip(means, reach, strict=True)
    ]


def _resolve(
    game: Game, bots: Sequence[BotSpec], options: Mapping[str, Any] | None
) -> dict[str, Any]:
    if isinstance(bots, (str, bytes)) or not isinstance(bots, Sequence):
        raise ValueError(f"bots={bots!r}: allowed is a list of bots, one for each seat")
    given = {key: value for key, value in (options or {}).items() if value is not None}
    wanted = given.get("num_players", len(bots))
    if wanted != len(bots):
        raise ValueError(
            f"{len(bots)} bots for num_players={wanted!r}: name as many bots as there are players"
        )
    try:
        game.options[0].convert(len(bots))
    except ValueError:
        raise ValueError(
            f"{len(bots)} bots: {game.title} needs as many as it has players, "
            f"{game.options[0].allowed}"
        ) from None
    return game.resolve_options({**given, "num_players": len(bots)})


def _check_whole(name: str, value: object, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise ValueError(f"{name}={value!r}: allowed is a whole number from {low}")


def _num_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
