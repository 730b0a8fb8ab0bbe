"""Boil Over's records, checked by a plain checker that shares no code with the package.

It is written from the record format and the game's page alone, on built-in types, and both
checkers must say the same of any record, mutated ones included.
"""

import copy
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hotpot_envs.records import check_record, record_games, to_line

SUITS = {"H": range(1, 11), "D": range(1, 11), "C": range(1, 11), "S": range(2, 10)}
DECK = {f"{suit}{value}" for suit, values in SUITS.items() for value in values}
POTS = "HDC"


class Wrong(Exception):
    def __init__(self, where):
        super().__init__(where)
        self.where = where


def need(condition, where):
    if not condition:
        raise Wrong(where)


def is_whole(value, low, high):
    return type(value) is int and low <= value <= high


def is_list(value, size):
    return type(value) is list and len(value) == size


def same(found, due):
    """Equal, and no true for 1 nor 4.0 for 4 inside."""
    return json.dumps(found) == json.dumps(due) if type(found) is type(due) else False


class Table:
    def __init__(self, record):
        need(type(record) is dict, -1)
        keys = set(record)
        must = {"record", "game", "options", "events"}
        need(must <= keys <= must | {"seed", "players", "result"}, -1)
        need(type(record["record"]) is int and record["record"] == 1, -1)
        need(record["game"] == "boil_over", -1)
        options = record["options"]
        need(type(options) is dict and set(options) == {"num_players", "limit", "rounds"}, -1)
        need(is_whole(options["num_players"], 3, 6), -1)
        need(is_whole(options["limit"], 10, 40), -1)
        need(is_whole(options["rounds"], 1, 12), -1)
        need(type(record["events"]) is list, -1)
        self.n, self.limit, self.rounds = (options[k] for k in ("num_players", "limit", "rounds"))
        self.record, self.events, self.at, self.dealer = record, record["events"], 0, None

    def next_event(self):
        need(self.at < len(self.events), self.at)
        event = self.events[self.at]
        need(type(event) is dict, self.at)
        return event

    def deal(self):
        event, at, n = self.next_event(), self.at, self.n
        need(set(event) == {"chance", "dealer", "hands", "unused"}, at)
        need(event["chance"] == "deal" and is_whole(event["dealer"], 0, n - 1), at)
        need(self.dealer is None or event["dealer"] == (self.dealer + 1) % n, at)
        self.dealer = event["dealer"]
        need(is_list(event["hands"], n), at)
        sizes = {3: [10, 10, 9], 4: [10, 10, 9, 9], 5: [8, 8, 8, 7, 7], 6: [7, 7, 6, 6, 6, 6]}[n]
        for place, size in enumerate(sizes):
            need(is_list(event["hands"][(self.dealer + 1 + place) % n], size), at)
        need(is_list(event["unused"], 9 if n == 3 else 0), at)
        cards = [card for hand in [*event["hands"], event["unused"]] for card in hand]
        need(all(type(card) is str for card in cards), at)
        need(len(cards) == 38 and set(cards) == DECK, at)
        self.at += 1
        return [set(hand) for hand in event["hands"]]

    def play_round(self):
        n, hands = self.n, self.deal()
        pots, taken = {pot: [] for pot in POTS}, [[] for _ in range(n)]
        seat = (self.dealer + 1) % n
        for _ in range(sum(map(len, hands))):
            event, at = self.next_event(), self.at
            need({"seat", "move"} <= set(event) <= {"seat", "move", "legal"}, at)
            need(type(event["seat"]) is int and event["seat"] == seat, at)
            legal = {card for card in hands[seat] if card[0] != "S"}
            legal |= {f"{card}>{pot}" for card in hands[seat] if card[0] == "S" for pot in POTS}
            need(type(event["move"]) is str and event["move"] in legal, at)
            if "legal" in event:
                found = event["legal"]
                need(type(found) is list and all(type(word) is str for word in found), at)
                need(len(found) == len(legal) and set(found) == legal, at)
            card, _, pot = event["move"].partition(">")
            pot = pot or card[0]
            if sum(int(c[1:]) for c in [*pots[pot], card]) > self.limit:
                taken[seat] += pots[pot]
                pots[pot] = []
            pots[pot].append(card)
            hands[seat].remove(card)
            seat = (seat + 1) % n
            self.at += 1
        counts = [[sum(c[0] == suit for c in pile) for suit in "HDCS"] for pile in taken]
        points = []
        for own in range(n):
            total = 2 * counts[own][3]
            for suit in range(3):
                others = max(counts[other][suit] for other in range(n) if other != own)
                total += counts[own][suit] if counts[own][suit] <= others else 0
            points.append(total)
        return points

    def check(self):
        rounds = [self.play_round() for _ in range(self.rounds)]
        need(self.at == len(self.events), self.at)
        need("result" in self.record, self.at)
        result = self.record["result"]
        need(
            type(result) is dict and set(result) == {"scores", "winners", "end", "rounds"}, self.at
        )
        scores = [sum(points) for points in zip(*rounds, strict=True)]
        need(same(result["scores"], scores) and same(result["rounds"], rounds), self.at)
        need(type(result["winners"]) is list, self.at)
        need(all(type(seat) is int for seat in result["winners"]), self.at)
        winners = [seat for seat in range(self.n) if scores[seat] == min(scores)]
        need(sorted(result["winners"]) == winners and result["end"] == "finished", self.at)


def plain_check(line):
    """Where the record on a line is wrong, or None."""
    try:
        Table(json.loads(line)).check()
    except json.JSONDecodeError:
        return -1
    except Wrong as wrong:
        return wrong.where
    return None


def where(record):
    problem = check_record(record)
    return None if problem is None else problem.where


OPTIONS = [
    {"num_players": 3, "rounds": 1},
    {"num_players": 4, "rounds": 2, "limit": 10},
    {"num_players": 5, "rounds": 1, "limit": 40},
    {"num_players": 6, "rounds": 1, "limit": 19},
]


@pytest.fixture(scope="module")
def records():
    return [
        next(record_games("boil_over", 1, options=options, seed=seed, legal=bool(seed % 2)))
        for seed, options in enumerate(OPTIONS)
    ]


@pytest.mark.parametrize("options", [*OPTIONS, {}, {"num_players": 3, "rounds": 12}])
def test_written_records_are_right(options):
    for record in record_games("boil_over", 5, options=options, seed=11, legal=True):
        assert plain_check(to_line(record)) is None
        assert check_record(to_line(record)) is None


JUNK = [
    *(None, True, False, 0, 1, 2, 3, -1, 4.0, 10**30, "", "4", "H7", "S6>H", "deal", "\ud800"),
    *([], {}, [[]], [1], {"chance": "deal"}, {"seat": 0, "move": "H7"}),
]


def paths(value, path=()):
    """All places in a record, the record itself left out."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        yield (*path, key)
        if isinstance(part, (dict, list)):
            yield from paths(part, (*path, key))


def mutate(record, rng):
    """Change one thing somewhere."""
    # Moves are most of the places: choose a level first.
    depth = rng.randrange(1, 5)
    places = [path for path in paths(record) if len(path) == depth] or [("events", 0)]
    *path, key = rng.choice(places)
    parent = record
    for step in path:
        parent = parent[step]
    kind = rng.randrange(6)
    if kind == 0:
        del parent[key]
    elif kind == 1:
        parent[key] = rng.choice(JUNK)
    elif isinstance(parent, dict):
        if kind == 2:
            parent[rng.choice(["for", "x", "legal", "chance", "seat", "result"])] = rng.choice(JUNK)
        elif kind == 3 and type(parent[key]) is int:
            parent[key] += rng.choice([-1, 1])
        else:
            items = list(parent.items())
            rng.shuffle(items)
            parent.clear()
            parent.update(items)
    elif kind == 2:
        parent.insert(key, copy.deepcopy(rng.choice(parent)))
    elif kind == 3:
        rng.shuffle(parent)
    elif kind == 4:
        other = rng.randrange(len(parent))
        parent[key], parent[other] = parent[other], parent[key]
    else:
        parent[key] = copy.deepcopy(rng.choice(parent))


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(index=st.integers(0, len(OPTIONS) - 1), seed=st.integers(0, 2**32), times=st.integers(1, 2))
def test_both_say_the_same_of_mutated_records(records, index, seed, times):
    record, rng = copy.deepcopy(records[index]), random.Random(seed)
    for _ in range(times):
        mutate(record, rng)
    line = json.dumps(record)
    assert where(line) == plain_check(line)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(index=st.integers(0, len(OPTIONS) - 1), data=st.data())
def test_damaged_bytes_are_no_false_ok(records, index, data):
    line = bytearray(to_line(records[index]).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(line) - 1))
        byte = data.draw(st.integers(0, 255))
        kind = data.draw(st.sampled_from(["set", "insert", "cut", "end"]))
        if kind == "set":
            line[place] = byte
        elif kind == "insert":
            line.insert(place, byte)
        else:
            del line[place : place + 1 if kind == "cut" else None]
        if not line:
            break
    problem = check_record(bytes(line))
    if problem is None:
        record = json.loads(bytes(line).decode())
        assert plain_check(json.dumps(record)) is None
