"""What a checker of records says: where, what it found, what the rules say."""

import copy
import json

import pytest

from hotpot_envs.records import (
    Problem,
    RecordError,
    Replay,
    check_file,
    check_record,
    record_games,
    to_line,
)

OPTIONS = {"num_players": 3, "rounds": 2, "limit": 15}


@pytest.fixture(scope="module")
def written():
    return next(record_games("boil_over", 1, options=OPTIONS, seed=5, legal=True))


@pytest.fixture
def record(written):
    return copy.deepcopy(written)


END = 60  # two deals and 58 moves


def test_a_written_record_is_right(record):
    assert len(record["events"]) == END
    assert check_record(record) is None
    assert check_record(to_line(record)) is None
    assert check_record(to_line(record).encode()) is None
    assert check_record(" " + to_line(record).replace("\n", "\r\n")) is None


# The last has more digits than int() would read.
REMARKS = ["null", "true", "4.0", '"x"', "-1", '[1, {"a": []}]', f"1{'0' * 5000}"]


@pytest.mark.parametrize("remark", ["seed", "players"])
@pytest.mark.parametrize("value", REMARKS, ids=range(len(REMARKS)))
def test_remarks_are_not_looked_at(record, remark, value):
    record[remark] = "HERE"
    assert check_record(to_line(record).replace('"HERE"', value)) is None
    del record[remark]
    assert check_record(record) is None


def test_what_may_be_otherwise(record):
    for event in record["events"]:
        event.get("legal", []).reverse()
        for hand in event.get("hands", []):
            hand.reverse()
    del record["events"][7]["legal"]
    record["result"]["winners"].reverse()
    shuffled = {key: record[key] for key in reversed(record)}
    shuffled["events"] = [{key: e[key] for key in reversed(e)} for e in record["events"]]
    assert check_record(shuffled) is None


HEAD = [
    ("[]", "a record is a JSON object, not []"),
    ("null", "not None"),
    ("{}", 'no "record"'),
    ("", "blank"),
    (" \t\r\n", "blank"),
    ("{", "no JSON"),
    ('{"record": 1}{"record": 1}', "no JSON"),
    ('{"record": 01}', "no JSON"),
    ('{"a": "\x01"}', "no JSON"),
    ('{"record": 1, "record": 1}', "an object with the key 'record' twice"),
    (b'\xef\xbb\xbf{"record": 1}', "BOM"),
    (b'{"\xff": 1}', "not UTF-8"),
    (b'{"\xed\xa0\x80": 1}', "not UTF-8"),
    ("[" * 100_000, "nested too deeply"),
    ('{"a":' * 100_000, "nested too deeply"),
    ("1" * 5000, "a record is a JSON object"),
]


@pytest.mark.parametrize(("line", "text"), HEAD, ids=range(len(HEAD)))
def test_lines_that_are_no_records(line, text):
    problem = check_record(line)
    assert problem.where == -1
    assert text in problem.text


def deep(value):
    for _ in range(900):
        value = [value]
    return value


BEFORE_EVENTS = [
    (("record",), 2, "record is 2: the version must be 1"),
    (("record",), True, "record is True"),
    (("record",), 1.0, "record is 1.0"),
    (("game",), "poker", "no game 'poker'"),
    (("game",), "../boil_over", "no game"),
    (("game",), ["boil_over"], "game is ['boil_over']"),
    (("options",), None, "options is None"),
    (("options", "limit"), 41, "option limit=41: allowed is a whole number from 10 to 40"),
    (("options", "limit"), None, "option limit=None"),
    (("options", "num_players"), True, "option num_players=True"),
    (("options", "rounds"), 2.0, "option rounds=2.0"),
    (("options", "rounds"), "2", "option rounds='2'"),
    (("options", "pack"), {}, "unknown key 'pack' in the options"),
    (("events",), {}, "events is {}: it must be a list"),
    (("events",), None, "events is None"),
    (("extra",), 1, "unknown key 'extra' in a record"),
    (("\ud800",), 1, r"unknown key '\ud800' in a record"),
]


@pytest.mark.parametrize(("path", "value", "text"), BEFORE_EVENTS)
def test_what_stands_before_the_events(record, path, value, text):
    *steps, key = path
    place = record
    for step in steps:
        place = place[step]
    place[key] = value
    for form in (record, json.dumps(record)):
        problem = check_record(form)
        assert problem.where == -1
        assert text in problem.text


@pytest.mark.parametrize("key", ["record", "game", "options", "events"])
def test_missing_keys(record, key):
    del record[key]
    assert check_record(record) == Problem(
        -1, f'no "{key}" in a record: it must have record, game, options, events'
    )


def test_missing_option(record):
    del record["options"]["limit"]
    assert check_record(record).where == -1


def change(record, number, **values):
    record["events"][number].update(values)


DEAL = {"chance": "deal"}
EVENTS = [
    (0, {"chance": "draw"}, "chance event 'draw' where the rules have a \"deal\""),
    (0, {"chance": 1}, '"chance" is 1: it must be a word'),
    (0, {"dealer": 3}, "the dealer is 3: allowed is a whole number, 0 to 2"),
    (0, {"dealer": True}, "the dealer is True"),
    (0, {"dealer": 10**30}, "the dealer is 1000"),
    (0, {"hands": []}, "hands has 0 entries, []: it must have 3"),
    (0, {"hands": 4}, "hands is 4: it must be a list of 3"),
    (0, {"unused": []}, "unused has 0 entries, []: it must have 9"),
    (0, {"unused": ["S10"] * 9}, "unused holds 'S10': allowed is a card, H1–H10"),
    (0, {"unused": [["H1"]] * 9}, "unused holds ['H1']"),
    (0, {"unused": ["H1"] * 9}, "H1 is dealt twice: there is one of each card"),
    (0, {"note": ""}, "unknown key 'note': a deal has dealer, hands, unused"),
    (30, {"dealer": 9}, "the dealer is 9"),
    (7, {"seat": -1}, "seat is -1: seat "),
    (7, {"seat": 1.0}, "seat is 1.0: seat "),
    (7, {"seat": False}, "seat is False: seat "),
    (7, {"move": 7}, "move is 7: it must be a word"),
    (7, {"move": "H11"}, "no move 'H11': a move is a card (H7), or a poison and a pot (S6>H)"),
    (7, {"move": "S2"}, "no move 'S2'"),
    (7, {"for": 1}, '"for" is 1: the move is made for oneself'),
    (7, {"note": ""}, "unknown key 'note' in a move: it has seat, move, for, legal"),
    (7, {"chance": "deal"}, "the chance event 'deal'; the rules have none here"),
    (7, {"legal": None}, "legal is None: it must be a list of moves"),
    (7, {"legal": []}, "legal lacks "),
    (7, {"legal": [7]}, "legal holds 7: legal here is "),
    (7, {"legal": deep(7)}, "legal holds [[[[[[[...]]]]]]]: legal here is "),
]


@pytest.mark.parametrize(("number", "values", "text"), EVENTS, ids=range(len(EVENTS)))
def test_wrong_events(record, number, values, text):
    change(record, number, **values)
    problem = check_record(json.dumps(record))
    assert (problem.where, "\n" in problem.text) == (number, False)
    assert text in problem.text


NO_VALUES = ["NaN", "-Infinity", '{"a": 1, "a": 1}', "1e400", "7" * 5000]


@pytest.mark.parametrize("value", NO_VALUES, ids=range(len(NO_VALUES)))
@pytest.mark.parametrize(
    ("path", "where"),
    [(("events", 7, "seat"), 7), (("result", "scores"), END), (("options", "limit"), -1)],
)
def test_values_that_are_no_json_are_told_where_they_stand(record, path, value, where):
    *steps, key = path
    place = record
    for step in steps:
        place = place[step]
    place[key] = "HERE"
    assert check_record(to_line(record).replace('"HERE"', value)).where == where


@pytest.mark.parametrize("value", ["NaN", '[{"a": 1, "a": 1}]'])
def test_remarks_must_still_be_json(record, value):
    record["players"] = "HERE"
    assert check_record(to_line(record).replace('"HERE"', value)).where == -1


def test_a_legal_move_twice(record):
    change(record, 7, legal=[*record["events"][7]["legal"], record["events"][7]["legal"][0]])
    problem = check_record(record)
    assert problem.where == 7
    assert problem.text.endswith("twice")


def test_a_move_of_another_card(record):
    held = set(record["events"][7]["legal"])
    other = next(word for word in record["events"][8]["legal"] if word not in held)
    change(record, 7, move=other)
    del record["events"][7]["legal"]
    problem = check_record(record)
    assert problem.where == 7
    assert f"'{other}' is not legal here: legal is " in problem.text


def test_the_deal_passes_to_the_left(record):
    dealer = record["events"][0]["dealer"]
    change(record, 30, dealer=dealer)
    assert check_record(record) == Problem(
        30, f"the dealer is {dealer}: the deal has passed to {(dealer + 1) % 3}"
    )


def test_missing_and_surplus_events(record):
    events = record["events"]
    cases = [
        ([], 0, 'found no more events; the rules have the chance event "deal"'),
        (events[:30], 30, 'found no more events; the rules have the chance event "deal"'),
        (events[:30] + events[31:], 30, 'the rules have the chance event "deal"'),
        (events[1:], 0, 'the rules have the chance event "deal"'),
        (events[:1] + events, 1, "the rules have none here"),
        (events[:29], 29, "the events end here, but seat "),
        (events[:-1], END - 1, "the events end here, but seat "),
        ([*events, events[-1]], END, "after the game's end"),
        ([*events, events[0]], END, "the rules have none here"),
        ([*events, 7], END, "after the game's end"),
        ([*events[:5], None, *events[6:]], 5, "an event is an object, not None"),
    ]
    for changed, where, text in cases:
        problem = check_record({**record, "events": changed})
        assert problem.where == where, text
        assert text in problem.text


RESULTS = [
    ({"scores": [0, 0]}, "scores is [0, 0] in the result: it is ["),
    ({"winners": []}, "winners is []"),
    ({"winners": [0, 0]}, "winners is [0, 0]"),
    ({"winners": None}, "winners is None"),
    ({"end": "truncated"}, "end is 'truncated' in the result: it is finished"),
    ({"rounds": {}}, "rounds is {}"),
    ({"note": 1}, "unknown key 'note' in the result: allowed is scores, winners, end, rounds"),
]


@pytest.mark.parametrize(("values", "text"), RESULTS)
def test_wrong_results(record, values, text):
    record["result"].update(values)
    problem = check_record(record)
    assert problem.where == END
    assert text in problem.text


@pytest.mark.parametrize("kind", [bool, float, str])
def test_results_of_other_types(record, kind):
    for key in ("scores", "winners"):
        wrong = copy.deepcopy(record)
        wrong["result"][key] = [kind(value) for value in wrong["result"][key]]
        assert check_record(wrong).where == END


def test_missing_results(record):
    for key in record["result"]:
        wrong = copy.deepcopy(record)
        del wrong["result"][key]
        assert check_record(wrong).where == END
    del record["result"]
    assert check_record(record) == Problem(END, 'no "result": a record of a finished game has one')


def test_winners_who_share_stand_in_any_order():
    records = record_games("boil_over", 200, options={"rounds": 1}, seed=0)
    shared = next(record for record in records if len(record["result"]["winners"]) > 1)
    assert shared["result"]["winners"] == sorted(shared["result"]["winners"])
    shared["result"]["winners"].reverse()
    assert check_record(shared) is None
    shared["result"]["winners"][0] = shared["result"]["winners"][1]
    assert check_record(shared).text.startswith("winners is ")


def test_the_first_wrong_thing_is_told(record):
    change(record, 20, seat=9)
    change(record, 10, seat=9)
    record["result"] = None
    assert check_record(record).where == 10
    record["extra"] = 1
    assert check_record(record).where == -1


def test_files(record, tmp_path):
    path = tmp_path / "games.jsonl"
    line = to_line(record)
    path.write_text(line + "\n" + line[:500] + "\n" + line.rstrip())
    found = list(check_file(path))
    assert [problem is None for problem in found] == [True, False, False, True]
    assert [problem.where for problem in found[1:3]] == [-1, -1]
    path.write_text("")
    assert list(check_file(path)) == []
    with pytest.raises(FileNotFoundError):
        list(check_file(tmp_path / "none.jsonl"))


def test_replay_shows_every_position(record):
    replay = Replay(record)
    assert replay.game.name == "boil_over"
    assert replay.options == OPTIONS
    positions = list(replay)
    assert [position.num_events for position in positions][:3] == [1, 2, 3]
    assert len(positions) == 59
    assert [event for position in positions for event in position.events] == record["events"]
    assert [int(position.state["num_moves"]) for position in positions] == list(range(59))
    assert positions[-1].state["terminated"]
    # The chance of the record is played, whatever the seed was.
    del record["seed"]
    again = list(Replay(record))
    for one, other in zip(positions, again, strict=True):
        assert one.state == other.state


def test_replay_of_a_wrong_record_stops_there(record):
    change(record, 7, seat=9)
    seen = []
    with pytest.raises(RecordError) as error:
        seen.extend(position.num_events for position in Replay(record))
    assert error.value.where == 7


def test_a_problem_is_one_line():
    assert (
        str(Problem(7, "seat is 9: seat 1 is to move")) == "event 7: seat is 9: seat 1 is to move"
    )
