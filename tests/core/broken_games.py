"""Games that break the contract in one way each; run interpreted by ``test_checks``.

Prints what ``check_game`` says of each, as JSON: ``{name: message, or null for nothing}``.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys

import numpy as np

from hotpot_envs.core import Layout, Notation
from hotpot_envs.core.checks import ContractError, check_game
from hotpot_envs.core.game import HEADER, Symmetry
from hotpot_envs.core.rng import below

sys.path.insert(0, sys.argv[1])

from high_card import GAME

RULES = sys.modules["high_card.rules"]
MAX_PLAYERS = 4
BROKEN = {"nothing": GAME}


def breaks(name: str, **changes) -> None:
    BROKEN[name] = dataclasses.replace(GAME, **changes)


def reworded(**changes) -> Notation:
    return dataclasses.replace(GAME.notation, **changes)


def with_field(**changes) -> Layout:
    """Return the observation layout with other attributes of ``swapped``."""
    return Layout(
        *(
            dataclasses.replace(field, **changes) if field.name == "swapped" else field
            for field in GAME.observations
        )
    )


# Declarations

breaks("no heuristic", bots={})
breaks("wrong sign", score_sign=2)
breaks("no default corner", corners=({"num_players": 2},))
breaks("header moved", state_dtype=np.dtype([("card", np.int8, (4,)), *HEADER]))
breaks("an array of bool", state_dtype=np.dtype([*HEADER, ("swapped", np.bool_, (4,))]))
breaks(
    "gaps",
    state_dtype=np.dtype([*HEADER, ("card", np.int8), ("other", np.int64)], align=True),
)

D, A = GAME.observations.size, GAME.actions.size
breaks("a symmetry with gaps", symmetries=(Symmetry(np.zeros(D, int), np.arange(A)),))
breaks("a symmetry of other bounds", symmetries=(Symmetry(np.roll(np.arange(D), 1), np.arange(A)),))


# Running


def uncounted(config, state, action):
    if not GAME.apply(config, state, action):
        return False
    if state["num_moves"] == 2 and not state["terminated"]:
        state["num_moves"] += 1
        state["terminated"] = state["num_moves"] == config["num_players"]
    return True


def endless(config, state, action):
    GAME.apply(config, state, action)
    state["terminated"] = False
    return True


def stuck(config, state, out_mask):
    if state["num_moves"] < 2:
        GAME.legal(config, state, out_mask)


def both_ends(config, state, action):
    taken = GAME.apply(config, state, action)
    state["truncated"] = state["terminated"]
    return taken


def nobody_wins(config, state, out_winners):
    pass


moves_made = itertools.count()


def remembering(config, state, action):
    """The game depends on what is not in its state."""
    taken = GAME.apply(config, state, action)
    state["card"][0] = next(moves_made) % 10
    return taken


def leftovers(config, state):
    """Something of the last game is used."""
    GAME.reset(config, state)
    state["swapped"][0] = next(moves_made) % 2


def one_game(config, state):
    generator = np.zeros(1, np.uint64)
    for seat in range(config["num_players"]):
        state["card"][seat] = below(generator, 10)


def stingy(config, state, out_mask):
    out_mask[0] = 1


def lavish(config, state, out_mask):
    out_mask[:] = 1


def dirty(config, state, action):
    """A refused action leaves a trace."""
    taken = GAME.apply(config, state, action)
    if not taken:
        state["swapped"][3] = 1
    return taken


breaks("num_moves counts two", apply=uncounted)
breaks("no end", apply=endless)
breaks("no legal action", legal=stuck)
breaks("two ends", apply=both_ends)
breaks("no winners", winners=nobody_wins)
breaks("a memory", apply=remembering)
breaks("leftovers", reset=leftovers)
breaks("one game for all seeds", reset=one_game)
breaks("a legal action left out", legal=stingy)
breaks("an illegal action in the mask", legal=lavish)
breaks("a refused action changes the state", apply=dirty)
breaks("max_num_moves too small", max_num_moves=3)


# Bots


def forbidden(observation, mask, rng):
    return 1


def scribbling(observation, mask, rng):
    observation[0] = 0
    return 0


def moody(observation, mask, rng):
    return next(moves_made) % 2 if mask[1] else 0


breaks("a bot plays what the mask forbids", bots={"heuristic": forbidden})
breaks("a bot writes into its view", bots={"heuristic": scribbling})
breaks("a bot plays by the moon", bots={"heuristic": moody})


# Views


def seeing_more(config, state, seat, out_observation):
    GAME.observe(config, state, seat, out_observation)
    out_observation[-1] = state["card"].max()


def cheating(config, state, seat, out_observation):
    """The own card's place shows the left neighbour's."""
    GAME.observe(config, state, seat, out_observation)
    out_observation[0] = state["card"][(seat + 1) % config["num_players"]]


def out_of_bounds(config, state, seat, out_observation):
    GAME.observe(config, state, seat, out_observation)
    out_observation[0] += 1


def absolute(config, state, seat, out_observation):
    GAME.observe(config, state, seat, out_observation)
    out_observation[1:5] = state["swapped"]


def ghosts(config, state, seat, out_observation):
    GAME.observe(config, state, seat, out_observation)
    if config["num_players"] == 2:
        out_observation[4] = 1


breaks("others' cards in a view", observe=seeing_more)
breaks("another's card for the own", observe=cheating)
breaks("out of bounds", observe=out_of_bounds)
breaks("seats not relative", observe=absolute)
breaks("absent seats", observe=ghosts)
breaks("per_seat forgotten", observations=with_field(per_seat=False))


# determinize


def idle(config, state, seat, rng):
    pass


def forgetful(config, state, seat, rng):
    GAME.determinize(config, state, seat, rng)
    state["card"][seat] = below(rng, 10)


def rewriting(config, state, seat, rng):
    GAME.determinize(config, state, seat, rng)
    state["swapped"][(seat + 1) % config["num_players"]] = 1


def ending(config, state, seat, rng):
    GAME.determinize(config, state, seat, rng)
    state["num_moves"] = 0


def too_high(config, state, seat, rng):
    for other in range(config["num_players"]):
        if other != seat:
            state["card"][other] = 10


breaks("determinize does nothing", determinize=idle)
breaks("determinize forgets the own card", determinize=forgetful)
breaks("determinize changes what is public", determinize=rewriting)
breaks("determinize changes the header", determinize=ending)
breaks("determinize deals cards there are not", determinize=too_high)


# Words


def one_word(config, state, action):
    return {"move": "keep"}


def other_way_round(config, state, event):
    return 1 - GAME.notation.action(config, state, event)


def anything(config, state, event):
    return int(event["move"] == "swap")


def in_numpy(config, before, action, after):
    events = GAME.notation.chance(config, before, action, after)
    return [{**event, "first": after["to_move"]} if before is None else event for event in events]


def forgets_first(config, before, action, after, events):
    first = int(after["to_move"])
    GAME.notation.overwrite(config, before, action, after, events)
    if before is None:
        after["to_move"] = first


def credulous(config, before, action, after, events):
    for event in events:
        if "cards" in event:
            after["card"][: len(event["cards"])] = event["cards"]
            after["to_move"] = event["first"]
        else:
            after["card"][before["to_move"]] = event["card"]


def more_points(config, state):
    return {"scores": [score + 1 for score in GAME.notation.result(config, state)["scores"]]}


breaks("two actions, one word", notation=reworded(move=one_word))
breaks("words mean something else", notation=reworded(action=other_way_round))
breaks("any word is taken", notation=reworded(action=anything))
breaks("an event is no JSON", notation=reworded(chance=in_numpy))
breaks("a record read otherwise", notation=reworded(overwrite=forgets_first))
breaks("wrong events crash", notation=reworded(overwrite=credulous))
breaks("other scores in the record", notation=reworded(result=more_points))


# Drawings


def open_cards(config, state, seat):
    return GAME.text(config, state, None)


def no_xml(config, state, seat):
    return "<svg><text></svg>"


breaks("nothing drawn", text=lambda config, state, seat: "")
breaks("drawn with open cards", text=open_cards)
breaks("no SVG", svg=no_xml)


def message(game) -> str | None:
    try:
        check_game(game)
    except ContractError as error:
        return str(error)
    return None


if __name__ == "__main__":
    print(json.dumps({name: message(game) for name, game in BROKEN.items()}))
