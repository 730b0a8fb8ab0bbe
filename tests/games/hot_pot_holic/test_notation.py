"""The words of Hot Pot Holic's records: moves, the setup, the result, and what is refused."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from hotpot_envs.core import Engine
from hotpot_envs.games.hot_pot_holic.notation import CARDS, NOTATION, cards_in, set_of
from hotpot_envs.records import check_record, record_games

ALL = [*CARDS, *CARDS]


@pytest.mark.parametrize("cards", [[], ["RK"], ["R0", "R0", "Y5"], sorted(ALL, key=CARDS.index)])
def test_sets_of_cards(cards):
    """R1: two copies of each card."""
    assert cards_in(set_of(cards)) == cards


def setup(seed: int = 5, **options) -> tuple[Engine, dict]:
    """Return a game just set up, and its chance event."""
    engine = Engine("hot_pot_holic", options=options)
    engine.reset(seeds=seed)
    (event,) = NOTATION.chance(engine.config[0], None, -1, engine.states[0])
    return engine, event


def read(event: dict, **options) -> Engine:
    """Return a game whose setup was read from an event, over another deal."""
    engine = Engine("hot_pot_holic", options=options)
    engine.reset(seeds=77)
    NOTATION.overwrite(engine.config[0], None, -1, engine.states[0], [event])
    return engine


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("choose_plate", [False, True])
def test_the_setup(num_players, choose_plate):
    """R3–R8: one event, from which the same game comes."""
    options = {"num_players": num_players, "choose_plate": choose_plate}
    engine, event = setup(**options)
    state, num_markers = engine.states[0], max(num_players, 3)
    keys = {"chance", "scoring", "start", "pot", "hands", "plates"}
    assert set(event) == keys | ({"robot"} if num_players == 2 else set())
    assert [len(hand) for hand in event["hands"]] == [11 if choose_plate else 9] * num_players
    sizes = [0 if choose_plate else 2] * num_players + [2] * (num_players == 2)
    assert [len(plate) for plate in event["plates"]] == sizes
    assert len(sizes) == num_markers
    if num_players == 2:
        assert event["robot"] == [CARDS[card] for card in state["robot"]]
    for cards in (event["pot"], *event["hands"], *event["plates"]):
        cards.reverse()  # the order is free
    again = read(event, **options)
    again.states["rng"] = engine.states["rng"]
    assert again.states.tobytes() == engine.states.tobytes()


def test_the_setup_with_named_scoring_cards():
    """R3: one that an option names can be no other."""
    options = {"color_scoring": "in_between"}
    _, event = setup(**options)
    assert event["scoring"][1] == "in_between"
    read({**event, "scoring": ["pairs", "in_between", "progress"]}, **options)
    with pytest.raises(ValueError, match="the color scoring card is 'balance': allowed is in_betw"):
        read({**event, "scoring": ["pairs", "balance", "progress"]}, **options)


def too_many(event: dict) -> None:
    event["pot"] = [event["hands"][0][0]] * 3 + event["pot"][3:]


WRONG = [
    (lambda event: event.update(chance="deal"), 'the rules have a "setup"'),
    (lambda event: event.update(more=1), "unknown key 'more'"),
    (lambda event: event.pop("start"), 'no "start"'),
    (lambda event: event.update(start=True), "start is True"),
    (lambda event: event.update(start=4), "start is 4"),
    (lambda event: event.update(start=1.0), "start is 1.0"),
    (lambda event: event.update(scoring="straight"), "scoring is 'straight'"),
    (lambda event: event.update(scoring=["straight"]), "scoring has 1 entries"),
    (lambda event: event.update(scoring=["balance", "straight", "champion"]), "number scoring"),
    (lambda event: event.update(scoring=["straight", "balance", ["champion"]]), "heat scoring"),
    (lambda event: event.update(scoring=["straight", 1, "champion"]), "color scoring card is 1"),
    (lambda event: event.update(pot=event["pot"][1:]), "pot has 5 entries"),
    (lambda event: event.update(pot=[*event["pot"][1:], "R6"]), "pot holds 'R6'"),
    (lambda event: event.update(pot=[*event["pot"][1:], 3]), "pot holds 3"),
    (lambda event: event.update(hands=event["hands"][1:]), "hands has 3 entries"),
    (lambda event: event["hands"][2].pop(), "the hand of seat 2 has 8 entries"),
    (lambda event: event["plates"].append([]), "plates has 5 entries"),
    (lambda event: event["plates"][1].append("R1"), "the plate of seat 1 has 3 entries"),
    (lambda event: event.update(robot=["R1"] * 9), "unknown key 'robot'"),
    (too_many, r"is dealt \d times: there are two of each card"),
]


@pytest.mark.parametrize(("change", "problem"), WRONG, ids=range(len(WRONG)))
def test_wrong_setups_are_refused(change, problem):
    _, event = setup()
    event = copy.deepcopy(event)
    change(event)
    with pytest.raises(ValueError, match=problem):
        read(event)


def test_wrong_setups_with_a_robot_are_refused():
    """R2, R6, R8: nine cards of its own, none of them a 4 or 5, and a plate."""
    _, event = setup(num_players=2)
    with pytest.raises(ValueError, match=r"robot holds 'R4': .* with two and three players"):
        read({**event, "robot": ["R4", *event["robot"][1:]]}, num_players=2)
    with pytest.raises(ValueError, match="robot has 8 entries"):
        read({**event, "robot": event["robot"][1:]}, num_players=2)
    with pytest.raises(ValueError, match="plates has 2 entries"):
        read({**event, "plates": event["plates"][:2]}, num_players=2)
    with pytest.raises(ValueError, match='no "robot"'):
        read({key: value for key, value in event.items() if key != "robot"}, num_players=2)
    with pytest.raises(ValueError, match="start is 2"):
        read({**event, "start": 2}, num_players=2)
    _, event = setup(num_players=2, choose_plate=True)
    with pytest.raises(ValueError, match="the plate of seat 0 has 2 entries"):
        read({**event, "plates": [["R1", "R1"], *event["plates"][1:]]}, num_players=2,
             choose_plate=True)  # fmt: skip


def test_words_of_moves(table):
    """Open and hidden cards have words of their own, and moves for the robot say so (R11, R25)."""
    game = table(num_players=2).acting(
        [1, 2, 0], 1, plates=[[], [], ["G1"]], pot=["R0"], hands=[["R1"], ["R2"]]
    )

    def read_back(word: str) -> dict:
        action = NOTATION.action(game.config, game.state, {"move": word})
        return NOTATION.move(game.config, game.state, action)

    assert game.legal() == {"pick:R0", "eat:G1"}
    assert read_back("eat:G1") == {"move": "eat:G1", "for": 2}
    game = table().put(hands=[["R1"], ["Y1", "Y2"], ["Y2", "R2"]])
    assert read_back("play:R1") == {"move": "play:R1"}
    game.play("play:R1", "play:Y2")
    assert game.legal() == {"hide:R2", "hide:Y2"}
    assert read_back("hide:R2") == read_back("play:R2") == {"move": "hide:R2"}


@pytest.mark.parametrize("word", ["", "strong", "strong:5", "play:R6", "eat:", "Keep", "R3", "k"])
def test_unknown_words_are_refused(table, word):
    game = table()
    with pytest.raises(ValueError, match="no move"):
        NOTATION.action(game.config, game.state, {"move": word})


def test_the_result():
    """Scores by parts, and every marker's heat, the robot's last (R29, R40)."""
    engine = Engine("hot_pot_holic", options={"num_players": 2})
    engine.reset(seeds=8)
    engine.play(np.zeros((1, 2), np.int64), engine.generators(1), engine.buffers())
    result = NOTATION.result(engine.config[0], engine.states[0])
    assert list(result) == ["scores", "parts", "heat"]
    assert result["scores"] == engine.results()[0][0].tolist()
    for score, parts in zip(result["scores"], result["parts"], strict=True):
        assert list(parts) == ["number", "color", "heat", "favorite"]
        assert sum(parts.values()) == score
    assert result["heat"] == engine.states["heat"][0, :3].tolist()
    assert len(result["scores"]) == 2


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_records(num_players):
    """A written record is right; with a word of it changed it is wrong."""
    options = {"num_players": num_players, "choose_plate": num_players != 3}
    (record,) = record_games("hot_pot_holic", 1, options=options, seed=3, legal=True)
    assert check_record(record) is None
    assert all(
        event["for"] == 2 and num_players == 2 for event in record["events"] if "for" in event
    )
    assert any("for" in event for event in record["events"]) == (num_players == 2)
    for number, event in enumerate(record["events"][1:], 1):
        changed = copy.deepcopy(record)
        if event["move"].startswith("play"):
            changed["events"][number]["move"] = event["move"].replace("play", "hide")
        elif "for" in event:
            del changed["events"][number]["for"]
        else:
            changed["events"][number]["for"] = 2
        assert check_record(changed).where == number
    changed = copy.deepcopy(record)
    changed["result"]["parts"][1]["heat"] += 1
    assert check_record(changed) is not None
