"""Writing records: what stands in them, and what they depend on."""

import json

import numpy as np
import pytest

from hotpot_envs.core import Engine
from hotpot_envs.records import check_record, record_games, record_of, to_line


def test_keys_and_their_order():
    record = next(record_games("boil_over", 1, options={"num_players": 3}, seed=9, legal=True))
    assert list(record) == ["record", "game", "options", "seed", "players", "events", "result"]
    assert record["record"] == 1
    assert record["game"] == "boil_over"
    assert record["options"] == {"num_players": 3, "limit": 20, "rounds": 3}
    assert record["seed"] == 9
    assert record["players"] == ["random"] * 3
    deal, move = record["events"][:2]
    assert list(deal) == ["chance", "dealer", "hands", "unused"]
    assert [len(hand) for hand in (*deal["hands"], deal["unused"])].count(9) == 2
    assert list(move) == ["seat", "move", "legal"]
    assert move["move"] in move["legal"]
    assert list(record["result"]) == ["scores", "winners", "end", "rounds"]
    assert record["result"]["end"] == "finished"
    assert json.loads(to_line(record)) == record
    assert to_line(record).count("\n") == 1


def test_scores_are_the_sum_of_the_rounds():
    for record in record_games("boil_over", 5, seed=0):
        result = record["result"]
        assert result["scores"] == [sum(points) for points in zip(*result["rounds"], strict=True)]
        lowest = min(result["scores"])
        winners = [seat for seat, score in enumerate(result["scores"]) if score == lowest]
        assert result["winners"] == winners


def test_legal_is_written_when_asked_for():
    plain = list(record_games("boil_over", 2, options={"rounds": 1}, seed=3))
    full = list(record_games("boil_over", 2, options={"rounds": 1}, seed=3, legal=True))
    assert not any("legal" in event for record in plain for event in record["events"])
    for record in full:
        for event in record["events"]:
            assert ("legal" in event) == ("seat" in event)
            event.pop("legal", None)
    assert full == plain


def test_a_game_is_the_same_in_any_batch():
    together = list(record_games("boil_over", 70, options={"rounds": 1}, seed=100))
    for index in (0, 1, 63, 64, 69):
        (alone,) = record_games("boil_over", 1, options={"rounds": 1}, seed=100 + index)
        assert alone == together[index]
    assert [record["seed"] for record in together] == list(range(100, 170))


def test_without_a_seed_games_differ_and_can_be_had_again():
    first, second = (next(record_games("boil_over", 1, options={"rounds": 1})) for _ in range(2))
    assert first["events"] != second["events"]
    again = next(record_games("boil_over", 1, options={"rounds": 1}, seed=first["seed"]))
    assert again == first


def test_the_largest_seeds():
    last = 2**64 - 1
    first, second = record_games("boil_over", 2, options={"rounds": 1}, seed=last)
    assert (first["seed"], second["seed"]) == (last, 0)
    assert check_record(to_line(first)) is None


def pick_first(observation, action_mask):
    return int(np.flatnonzero(action_mask)[0])


def test_bots_sit_where_they_are_named():
    bots = [pick_first, "random", pick_first]
    record = next(record_games("boil_over", 1, bots, seed=4, legal=True))
    assert record["options"]["num_players"] == 3
    assert record["players"] == ["pick_first", "random", "pick_first"]
    firsts = [
        event["move"] == event["legal"][0]
        for event in record["events"]
        if event.get("seat") in (0, 2)
    ]
    assert len(firsts) == 58
    assert all(firsts)
    randoms = [event["move"] == event["legal"][0] for event in record["events"] if "seat" in event]
    assert not all(randoms)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"num_games": -1}, "num_games=-1: allowed is a whole number from 0"),
        ({"num_games": True}, "num_games=True"),
        ({"bots": ["random"] * 2}, "option num_players=2: allowed is a whole number from 3 to 6"),
        ({"bots": ["random"] * 4, "options": {"num_players": 3}}, "4 bots for 3 players"),
        ({"bots": ["nobody"] * 4}, "no bot 'nobody'"),
        ({"options": {"limit": 9}}, "option limit=9"),
        ({"options": {"limits": 9}}, "no option 'limits'"),
        ({"seed": -1}, "seed -1: allowed is 0 to"),
        ({"seed": 2**64}, "allowed is 0 to"),
    ],
)
def test_what_is_not_allowed_is_said_at_once(arguments, text):
    with pytest.raises(ValueError, match=text):
        record_games("boil_over", **{"num_games": 1, **arguments})


def test_an_illegal_choice_of_a_bot_is_named():
    def careless(observation, action_mask):
        return int(np.flatnonzero(action_mask == 0)[0])

    with pytest.raises(ValueError, match=r"bot 'careless' chose action \d+: not legal"):
        list(record_games("boil_over", 1, [careless] * 3, seed=0))


def played(num_moves, **options):
    """A game's first state and its actions."""
    engine = Engine("boil_over", 1, options=options)
    engine.reset(31)
    first_state, buffers = engine.save(), engine.buffers()
    generators, actions = engine.generators(2), []
    engine.observe(buffers)
    while not engine.over[0] and len(actions) < num_moves:
        action = engine.sample(buffers.action_masks, generators)
        actions.append(int(action[0]))
        engine.step(action, buffers)
    return first_state, actions, engine


def test_the_record_of_a_game_over():
    first_state, actions, engine = played(1000, num_players=5)
    record = record_of("boil_over", {"num_players": 5}, first_state, actions, legal=True)
    assert "seed" not in record
    assert "players" not in record
    assert check_record(record) is None
    points, won, _ = engine.results()
    assert record["result"]["scores"] == points[0].tolist()
    assert record["result"]["winners"] == np.flatnonzero(won[0]).tolist()


@pytest.mark.parametrize("num_moves", [0, 1, 37, 38, 39, 151])
def test_the_record_of_a_game_going_on_has_no_result(num_moves):
    first_state, actions, _ = played(num_moves)
    record = record_of("boil_over", {}, first_state, actions, seed=31, players=["a", "b", "c", "d"])
    assert "result" not in record
    assert (record["seed"], record["players"]) == (31, ["a", "b", "c", "d"])
    events = record["events"]
    assert sum("seat" in event for event in events) == num_moves
    assert sum("chance" in event for event in events) == 1 + num_moves // 38
    problem = check_record(record)
    assert problem.where == len(events)
    assert "the game goes on" in problem.text
    # The states that the caller holds are left as they are.
    assert record_of("boil_over", {}, first_state, actions)["events"] == events


def test_actions_that_do_not_fit_are_refused():
    first_state, actions, _ = played(5)
    with pytest.raises(ValueError, match="is not legal"):
        record_of("boil_over", {}, first_state, [actions[0], actions[0]])
    with pytest.raises(ValueError, match="states"):
        record_of("boil_over", {}, np.zeros(1), actions)
