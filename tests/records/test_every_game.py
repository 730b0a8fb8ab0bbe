"""Records of every game: written ones are right, mutated ones are no crash and no false ok."""

import copy
import functools
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotpot_envs.core import Engine, game_names, get_game
from hotpot_envs.records import Replay, check_record, record_games, to_line

GAMES = game_names()
JUNK = [
    *(None, True, 4.0, -1, 0, 1, 10**30, "", "4", "x@0", "to:1@0", "\ud800"),
    *([], {}, [[]], [1], ["x"], {"chance": "deal"}, {"seat": 0, "move": "x"}),
]


@functools.cache
def lines(name):
    """One record of each option corner, as lines."""
    return [
        to_line(next(record_games(name, 1, options=corner, seed=seed, legal=bool(seed % 2))))
        for seed, corner in enumerate(get_game(name).corners)
    ]


@functools.cache
def short_line(name):
    """The shortest of the corners' records."""
    return min(lines(name), key=len)


@pytest.mark.parametrize("name", GAMES)
def test_written_records_are_right(name):
    for line in lines(name):
        assert check_record(line) is None


@pytest.mark.parametrize("name", GAMES)
def test_the_replayed_game_is_the_one_that_was_played(name):
    """From the record's chance alone: every state but for the generator, to the byte."""
    for seed, corner in enumerate(get_game(name).corners[:3]):
        record = next(record_games(name, 1, options=corner, seed=seed))
        engine = Engine(name, 1, options=corner)
        engine.reset(seed)
        buffers = engine.buffers()
        for position in Replay(record):
            moves = [event for event in position.events if "seat" in event]
            for event in moves:
                notation = engine.game.notation
                action = notation.action(engine.config[0], engine.states[0], event)
                engine.step([action], buffers)
            replayed = position.state.copy()
            replayed["rng"] = engine.states[0]["rng"]
            assert replayed.tobytes() == engine.states[0].tobytes()
        assert record["result"]["scores"] == engine.results()[0][0].tolist()


@pytest.mark.parametrize("name", GAMES)
def test_what_means_the_same_is_right(name):
    rng = random.Random(0)
    for line in lines(name):
        record = json.loads(line)
        for key in ("seed", "players"):
            del record[key]
        for event in record["events"]:
            if rng.random() < 0.3:
                event.pop("legal", None)
            rng.shuffle(event.get("legal", []))
        rng.shuffle(record["result"]["winners"])

        def reordered(value):
            if isinstance(value, list):
                return [reordered(item) for item in value]
            if isinstance(value, dict):
                keys = list(value)
                rng.shuffle(keys)
                return {key: reordered(value[key]) for key in keys}
            return value

        assert check_record(reordered(record)) is None


def paths(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        yield (*path, key)
        if isinstance(part, (dict, list)):
            yield from paths(part, (*path, key))


def choose(record, rng):
    """A place in a record, deep ones and shallow ones alike, remarks left out."""
    depth = rng.randrange(1, 6)
    places = [
        path for path in paths(record) if len(path) == depth and path[0] not in ("seed", "players")
    ]
    *path, key = rng.choice(places or [("events",)])
    parent = record
    for step in path:
        parent = parent[step]
    return path, parent, key


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_mutated_records_never_crash(name, seed):
    record, rng = json.loads(short_line(name)), random.Random(seed)
    for _ in range(rng.randrange(1, 4)):
        _, parent, key = choose(record, rng)
        kind = rng.randrange(4)
        if kind == 0:
            del parent[key]
        elif kind == 1:
            parent[key] = rng.choice(JUNK)
        elif isinstance(parent, dict):
            parent[rng.choice(["for", "x", "legal", "chance", "seat"])] = rng.choice(JUNK)
        elif kind == 2:
            parent.insert(key, copy.deepcopy(rng.choice(parent)))
        else:
            rng.shuffle(parent)
        if not record.get("events"):
            break
    problem = check_record(json.dumps(record))
    if problem is not None:
        events = record.get("events")
        assert -1 <= problem.where <= (len(events) if isinstance(events, list) else -1)
        assert "not understood" not in problem.text
        assert "\n" not in problem.text


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_other_types_and_other_keys_are_never_right(name, seed):
    record, rng = json.loads(short_line(name)), random.Random(seed)
    path, parent, key = choose(record, rng)
    value = parent[key]
    if isinstance(parent, dict) and rng.random() < 0.5:
        if key in ("legal", "pack") or rng.random() < 0.5:
            parent["unknown"] = value
        else:
            del parent[key]
    elif type(value) is int:
        parent[key] = rng.choice([float(value), str(value), bool(value), [value], None])
    elif type(value) is bool:
        parent[key] = rng.choice([int(value), str(value).lower(), None])
    elif type(value) is str:
        parent[key] = rng.choice([[value], None, 0, value + " ", value.swapcase() + "."])
    else:
        parent[key] = rng.choice([[value], None, 0, "x"])
    problem = check_record(json.dumps(record))
    assert problem is not None
    assert "not understood" not in problem.text
    if path[:1] == ["events"]:
        number = path[1] if len(path) > 1 else key
        assert problem.where == number


@pytest.mark.parametrize("name", GAMES)
def test_cut_off_records_are_wrong(name):
    line = short_line(name).rstrip()
    record = json.loads(line)
    rng = random.Random(1)
    for length in rng.sample(range(len(line)), 30):
        assert check_record(line[:length]).where == -1
    for count in rng.sample(range(len(record["events"])), 10):
        cut = {**record, "events": record["events"][:count]}
        assert check_record(cut).where == count


@pytest.mark.parametrize("name", GAMES)
def test_other_results_are_wrong(name):
    record = json.loads(short_line(name))
    where = len(record["events"])
    players = record["options"]["num_players"]
    for seat in range(players):
        wrong = copy.deepcopy(record)
        wrong["result"]["scores"][seat] += 1
        assert check_record(wrong).where == where
        if wrong["result"]["winners"] != [seat]:
            wrong = copy.deepcopy(record)
            wrong["result"]["winners"] = [seat]
            assert check_record(wrong).where == where
