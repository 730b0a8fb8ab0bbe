"""Writing game records: of a game in play, and of games that bots play."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hotpot_envs.bots import Bot, make_bot
from hotpot_envs.bots.base import BotSpec
from hotpot_envs.core import Engine, Game, get_game
from hotpot_envs.core.rng import mix_seeds
from hotpot_envs.records.words import VERSION, legal_words, result_of

__all__ = ["record_games", "record_of", "to_line"]

# Games in play at once: enough for bots that are called in batches.
_BATCH = 64


def record_of(
    game: str | Game,
    options: Mapping[str, Any] | None,
    first_state: np.ndarray,
    actions: Sequence[int],
    *,
    seed: int | None = None,
    players: Sequence[str] | None = None,
    legal: bool = False,
) -> dict[str, Any]:
    """Return the record of a game, over or still going on.

    Args:
        game: the game, or its name.
        options: its options; those left out have their defaults.
        first_state: how it began: one state, shape ``(1,)``, as ``Engine.save`` returns it.
        actions: the actions made since, in order.
        seed: the seed it was reset with, a remark; left out where it is ``None``.
        players: what the seats' players are called, a remark as well.
        legal: write every legal move beside each move.

    Returns:
        The record, as ``json.dumps`` takes it. The record of a game that is not over has no
        ``"result"``, and ``check_record`` says that it is not complete; one that an illegal
        action ended is such a game: the rules know no illegal moves.

    Raises:
        ValueError: when the actions or the state don't fit the game.
    """
    game = get_game(game)
    engine = Engine(game, 1, options=options, illegal="report")
    engine.restore(first_state)
    buffers = engine.buffers()
    config, state, notation = engine.config[0], engine.states[0], game.notation
    events = list(notation.chance(config, None, -1, state))
    for action in actions:
        before = engine.states.copy()
        event = {"seat": int(before["to_move"][0]), **notation.move(config, before[0], int(action))}
        if legal:
            engine.observe(buffers)
            event["legal"] = legal_words(game, config, state, buffers.action_masks[0])
        engine.step(np.array([int(action)]), buffers, show="nothing")
        if buffers.status[0]:
            raise ValueError(f"action {action}, number {len(events)} of the events, is not legal")
        events += [event, *notation.chance(config, before[0], int(action), state)]
    record: dict[str, Any] = {"record": VERSION, "game": game.name, "options": engine.options}
    if seed is not None:
        record["seed"] = int(seed)
    if players is not None:
        record["players"] = list(players)
    record["events"] = events
    if engine.over[0]:
        record["result"] = result_of(engine, 0)
    return record


def record_games(
    game: str | Game,
    num_games: int,
    bots: Sequence[BotSpec] | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    legal: bool = False,
) -> Iterator[dict[str, Any]]:
    """Let bots play games and return their records, one by one.

    Args:
        game: the game, or its name.
        num_games: how many games.
        bots: who sits in each seat, as ``make_bot`` takes it: as many as players, and as many
            players as bots where the options don't say; ``None``: ``"random"`` in each seat.
        options: the game's options.
        seed: the first game's seed; game ``i`` has ``seed + i``, whatever is played with it. Drawn
            if ``None``.
        legal: write every legal move beside each move.

    Raises:
        ValueError: at once, for what is not allowed; while iterating, for a bot that chooses an
            illegal action.
    """
    game = get_game(game)
    if isinstance(num_games, bool) or not isinstance(num_games, int) or num_games < 0:
        raise ValueError(f"num_games={num_games!r}: allowed is a whole number from 0")
    given = dict(options or {})
    if bots is not None:
        given.setdefault("num_players", len(bots))
    resolved = game.resolve_options(given)
    num_players = resolved["num_players"]
    specs = ["random"] * num_players if bots is None else list(bots)
    if len(specs) != num_players:
        raise ValueError(f"{len(specs)} bots for {num_players} players: name one for each seat")
    made: dict[Any, Bot] = {}
    seats = [made.setdefault(spec, make_bot(spec, game)) for spec in specs]
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    elif isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise ValueError(f"seed {seed!r}: allowed is 0 to 2**64 - 1")
    seeds = np.uint64(seed) + np.arange(num_games, dtype=np.uint64)
    return _records(game, resolved, seats, seeds, legal)


def to_line(record: Mapping[str, Any]) -> str:
    """Return a record as its line of a file, line end included."""
    return json.dumps(record) + "\n"


def _records(
    game: Game, options: Mapping[str, Any], seats: list[Bot], seeds: np.ndarray, legal: bool
) -> Iterator[dict[str, Any]]:
    players = [bot.name for bot in seats]
    for start in range(0, len(seeds), _BATCH):
        batch = seeds[start : start + _BATCH]
        engine = Engine(game, len(batch), options=options, illegal="report")
        engine.reset(batch)
        first_states = engine.save()
        actions = _play(engine, seats, batch)
        for index, seed in enumerate(batch):
            yield record_of(
                game,
                options,
                first_states[index : index + 1],
                actions[index],
                seed=int(seed),
                players=players,
                legal=legal,
            )


def _play(engine: Engine, seats: list[Bot], seeds: np.ndarray) -> list[list[int]]:
    """Play all games to their ends; return each one's actions."""
    # Mixed once more than the games' own generators, which come from the same seeds.
    generators = mix_seeds(engine.generators(seeds))
    buffers = engine.buffers()
    engine.observe(buffers)
    played: list[list[int]] = [[] for _ in seeds]
    while not engine.over.all():
        actions = np.full(len(seeds), -1, np.int64)
        to_move = np.where(engine.over, -1, engine.to_move)
        for bot in dict.fromkeys(seats):
            own = [seat for seat, other in enumerate(seats) if other is bot]
            rows = np.flatnonzero(np.isin(to_move, own))
            if rows.size:
                drawn = generators[rows]
                actions[rows] = bot.act(
                    buffers.observations[rows], buffers.action_masks[rows], drawn
                )
                generators[rows] = drawn
        engine.step(actions, buffers)
        for index in np.flatnonzero(to_move >= 0):
            if buffers.status[index]:
                bot = seats[to_move[index]]
                raise ValueError(f"bot {bot.name!r} chose action {actions[index]}: not legal")
            played[index].append(int(actions[index]))
    return played
