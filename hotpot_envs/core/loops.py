"""The batch loops, each written once over the names of a game's kernels.

``core.jit.bind`` makes a game's own copy of each. None allocates inside its loop over games; all
take ``start`` and ``stop``, so that threads can share a batch. Array shapes: B games, n players,
D entries of an observation, A actions.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hotpot_envs.core import jit
from hotpot_envs.core.bits import nth, pack, popcount
from hotpot_envs.core.game import Game
from hotpot_envs.core.jit import borrow
from hotpot_envs.core.rng import below, next_uint64

__all__ = ["DENSE", "FINISHED", "ILLEGAL", "OK", "RANK", "REWARDS", "SCORE", "WIN", "Loops"]

# A game's kernels and figures stand under these names in its copies of the functions below.
legal: Any = None
apply: Any = None
observe: Any = None
scores: Any = None
winners: Any = None
reset: Any = None
determinize: Any = None
choose: Any = None
NUM_BLOCKS, REST_ACTIONS = 0, 1  # of 64 actions each, and what is left: 1 to 64
SCORE_SIGN, SCORE_SCALE = 1, 1.0

#: Reward modes, by number.
WIN, RANK, SCORE, DENSE = 0, 1, 2, 3
REWARDS = {"win": WIN, "rank": RANK, "score": SCORE, "dense": DENSE}

#: What ``step`` writes of the seat to move.
NOTHING, MASKS, OBSERVATIONS = 0, 1, 2
VIEWS = {"nothing": NOTHING, "masks": MASKS, "observations": OBSERVATIONS}

#: What became of an action.
OK, ILLEGAL, FINISHED = 0, 1, 2


def random_bot(observation, mask, rng):
    """Choose uniformly among the legal actions (−1: there are none): every game's ``random``.

    The mask is packed into words of 64 actions: 23 ns for 54 actions, 47 by walking over them.
    """
    count = popcount(pack(mask, REST_ACTIONS, 64 * NUM_BLOCKS))
    for block in range(NUM_BLOCKS):
        count += popcount(pack(mask, 64, 64 * block))
    if count == 0:
        return -1
    index = below(rng, count)
    for block in range(NUM_BLOCKS):
        word = pack(mask, 64, 64 * block)
        count = popcount(word)
        if index < count:
            return 64 * block + nth(word, index)
        index -= count
    return 64 * NUM_BLOCKS + nth(pack(mask, REST_ACTIONS, 64 * NUM_BLOCKS), index)


def places(config, points, won, out_places):
    """Write each seat's place, 0 the best: winners first, then by points; ties averaged."""
    num_players = config["num_players"]
    for seat in range(num_players):
        place = 0.0
        for other in range(num_players):
            if other == seat:
                continue
            margin = (points[other] - points[seat]) * SCORE_SIGN
            if won[seat] or won[other]:
                margin = np.int64(won[other]) - np.int64(won[seat])
            if margin > 0:
                place += 1.0
            elif margin == 0:
                place += 0.5
        out_places[seat] = place


def pay(config, state, mode, before, points, won, ranks, out_rewards):
    """Write what the move that led to ``state`` paid each seat; the sum over seats is 0."""
    n = config["num_players"]
    if state["offender"] >= 0:
        for seat in range(n):
            out_rewards[seat] = -1.0 if seat == state["offender"] else 1.0 / (n - 1)
    elif mode == DENSE or (mode == SCORE and (state["terminated"] or state["truncated"])):
        scores(config, state, points)
        total = 0
        for seat in range(n):
            if mode == DENSE:
                points[seat] -= before[seat]
            total += points[seat]
        for seat in range(n):
            lead = (n * points[seat] - total) * SCORE_SIGN
            out_rewards[seat] = lead / ((n - 1) * SCORE_SCALE)
    elif state["terminated"]:
        won[:] = False
        winners(config, state, won)
        if mode == WIN:
            count = 0
            for seat in range(n):
                count += won[seat]
            for seat in range(n):
                if won[seat]:
                    out_rewards[seat] = (n - count) / (count * (n - 1))
                elif count > 0:
                    out_rewards[seat] = -1.0 / (n - 1)
        else:
            scores(config, state, points)
            places(config, points, won, ranks)
            for seat in range(n):
                out_rewards[seat] = 1.0 - 2.0 * ranks[seat] / (n - 1)


def decide(config, state, action, forfeit):
    """Apply an action to a game that is not over; return its status.

    An illegal one ends the game if ``forfeit``, otherwise it changes nothing.
    """
    if apply(config, state, action):
        return OK
    if forfeit:
        state["offender"] = state["to_move"]
        state["terminated"] = True
    return ILLEGAL


def view(config, state, seat, out_observation, out_mask):
    """Write a seat's observation, and its mask if it is to move."""
    out_observation[:] = 0
    observe(config, state, seat, out_observation)
    if seat == state["to_move"]:
        view_mask(config, state, out_mask)
    else:
        out_mask[:] = 0


def view_mask(config, state, out_mask):
    """Write the mask of the seat to move; zeros where the game is over."""
    out_mask[:] = 0
    if not (state["terminated"] or state["truncated"]):
        legal(config, state, out_mask)


def renew(config, state, raw):
    """Set up a new game from the generator of the old; ``raw`` is ``state`` as bytes."""
    raw[8:] = 0
    state["offender"] = -1
    reset(config, state)


def reset_games(configs, states, raw, where, start, stop):
    """Set up new games where ``where``; ``raw`` is ``states`` as bytes, [B, itemsize]."""
    config = configs[0]
    for i in range(start, stop):
        if where[i]:
            renew(config, states[i], raw[i])


def step_games(
    configs, states, raw, actions, mode, forfeit, again, show,
    out_rewards, out_ended, out_status, out_observations, out_masks, start, stop,
):  # fmt: skip
    """One action in each game; a negative action, or one for a game that is over, does nothing.

    ``again``: set up a new game at once where one ends. ``show``: what to write of the seat to
    move afterwards. One loop over the games rather than three: each state is in the cache.
    """
    config = configs[0]
    n = config["num_players"]
    raw, out_rewards = borrow(raw), borrow(out_rewards)
    out_observations, out_masks = borrow(out_observations), borrow(out_masks)
    before, points = np.zeros(n, np.int64), np.zeros(n, np.int64)
    won, ranks = np.zeros(n, np.bool_), np.zeros(n, np.float64)
    for i in range(start, stop):
        state = states[i]
        for seat in range(n):
            out_rewards[i, seat] = 0.0
        status = OK
        if state["terminated"] or state["truncated"]:
            status = FINISHED
        elif actions[i] >= 0:
            if mode == DENSE:
                scores(config, state, before)
            status = decide(config, state, actions[i], forfeit)
            if mode == DENSE or state["terminated"] or state["truncated"]:
                pay(config, state, mode, before, points, won, ranks, out_rewards[i])
        out_status[i] = status
        out_ended[i, 0] = state["terminated"]
        out_ended[i, 1] = state["truncated"]
        if again and (state["terminated"] or state["truncated"]):
            renew(config, state, raw[i])
        if show == OBSERVATIONS:
            view(config, state, np.int64(state["to_move"]), out_observations[i], out_masks[i])
        elif show == MASKS:
            view_mask(config, state, out_masks[i])


def observe_games(configs, states, seats, out_observations, out_masks, start, stop):
    """Write what ``seats`` see; seat −1 stands for the one to move."""
    config = configs[0]
    for i in range(start, stop):
        state = states[i]
        seat = seats[i]
        if seat < 0:
            seat = np.int64(state["to_move"])
        view(config, state, seat, out_observations[i], out_masks[i])


def sample_games(masks, rngs, out_actions, start, stop):
    """Choose a legal action at random in each game; −1 where there is none."""
    masks, rngs = borrow(masks), borrow(rngs)
    for i in range(start, stop):
        rng = rngs[i : i + 1]
        out_actions[i] = random_bot(masks[i], masks[i], rng)


def choose_games(bots, observations, masks, rngs, out_actions, start, stop):
    """Let bot ``bots[i]`` choose in each game; −1 where there is no bot or nothing is legal."""
    for i in range(start, stop):
        out_actions[i] = -1
        if bots[i] >= 0 and masks[i].any():
            out_actions[i] = choose(bots[i], observations[i], masks[i], rngs[i : i + 1])


def play_games(
    configs, states, bots, rngs, mode, max_moves, out_rewards, out_ended, out_moves,
    observations, masks, start, stop,
):  # fmt: skip
    """Let bots move until a seat without one is to move or the game is over.

    ``bots`` [B, n] holds each seat's bot by number, −1 for none. What the moves pay is added to
    ``out_rewards``, their number is put in ``out_moves``. ``observations`` and ``masks`` are
    scratch, a row a game. At most ``max_moves`` moves a game.
    """
    config = configs[0]
    n = config["num_players"]
    before, points = np.zeros(n, np.int64), np.zeros(n, np.int64)
    won, ranks = np.zeros(n, np.bool_), np.zeros(n, np.float64)
    paid = np.zeros(n, np.float64)
    for i in range(start, stop):
        state = states[i]
        rng = rngs[i : i + 1]
        moves = 0
        while not (state["terminated"] or state["truncated"]) and moves < max_moves:
            bot = bots[i, state["to_move"]]
            if bot < 0:
                break
            view(config, state, np.int64(state["to_move"]), observations[i], masks[i])
            action = choose(bot, observations[i], masks[i], rng)
            moves += 1
            if mode == DENSE:
                scores(config, state, before)
            decide(config, state, action, True)
            if mode == DENSE or state["terminated"] or state["truncated"]:
                paid[:] = 0.0
                pay(config, state, mode, before, points, won, ranks, paid)
                for seat in range(n):
                    out_rewards[i, seat] += paid[seat]
        out_moves[i] = moves
        out_ended[i, 0] = state["terminated"]
        out_ended[i, 1] = state["truncated"]


def result_games(configs, states, out_scores, out_winners, out_places, start, stop):
    """Write points, winners and places (0 the best) as they stand."""
    config = configs[0]
    for i in range(start, stop):
        state = states[i]
        out_winners[i, :] = False
        scores(config, state, out_scores[i])
        if state["terminated"] and state["offender"] < 0:
            winners(config, state, out_winners[i])
        places(config, out_scores[i], out_winners[i], out_places[i])


def determinize_games(configs, states, seats, rngs, start, stop):
    """Redraw in each game what a seat does not know."""
    config = configs[0]
    for i in range(start, stop):
        determinize(config, states[i], np.int64(seats[i]), rngs[i : i + 1])
        states[i]["rng"][0] = next_uint64(rngs[i : i + 1])


def _choose_first(bot, observation, mask, rng):
    return FIRST(observation, mask, rng)


def _choose(bot, observation, mask, rng):
    if bot == INDEX:
        return THIS(observation, mask, rng)
    return FEWER(bot, observation, mask, rng)


FIRST: Any = None
THIS: Any = None
FEWER: Any = None
INDEX = 0


class Loops:
    """A game's own copies of the batch loops, compiled when first called.

    Attributes:
        bots: names of the compiled bots; a bot's number is its place in this list.
    """

    def __init__(self, game: Game) -> None:
        self.bots = ["random", *game.bots]
        names: dict[str, Any] = {
            name: getattr(game, name)
            for name in ("legal", "apply", "observe", "scores", "winners", "reset", "determinize")
        }
        names["NUM_BLOCKS"] = (game.actions.size - 1) // 64
        names["REST_ACTIONS"] = game.actions.size - 64 * names["NUM_BLOCKS"]
        names["SCORE_SIGN"], names["SCORE_SCALE"] = game.score_sign, float(game.score_scale)
        helper: Callable[..., Any]
        for helper in (places, pay, renew):
            names[helper.__name__] = jit.rare(jit.rebind(helper, game.name, names))
        for helper in (random_bot, decide, view_mask, view):
            names[helper.__name__] = jit.kernel(jit.rebind(helper, game.name, names))
        chooser = jit.kernel(jit.rebind(_choose_first, game.name, {"FIRST": names["random_bot"]}))
        for index, bot in enumerate(game.bots.values(), 1):
            chooser = jit.kernel(
                jit.rebind(_choose, game.name, {"INDEX": index, "THIS": bot, "FEWER": chooser})
            )
        names["choose"] = chooser

        def bind(loop: Callable[..., Any]) -> Callable[..., Any]:
            return jit.bind(loop, game.name, Path(game.folder), names, label=game.title)

        self.reset = bind(reset_games)
        self.step = bind(step_games)
        self.observe = bind(observe_games)
        self.sample = bind(sample_games)
        self.choose = bind(choose_games)
        self.play = bind(play_games)
        self.results = bind(result_games)
        self.determinize = bind(determinize_games)
