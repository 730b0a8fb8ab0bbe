"""Checks of games being run: order, rewards, seeds, batches, threads, saving, illegal actions."""

from __future__ import annotations

import numpy as np

from hotpot_envs.core import loops
from hotpot_envs.core.checks.trial import Trial
from hotpot_envs.core.engine import Engine, get_loops

__all__ = [
    "check_batches",
    "check_bots",
    "check_illegal_actions",
    "check_progress",
    "check_results",
    "check_rewards",
    "check_saving",
    "check_seeds",
    "check_threads",
]


def check_progress(trial: Trial) -> None:
    """Each move counts one, somebody is to move until the end, and after it nothing changes."""
    engine, n = trial.engine(), trial.num_players
    buffers = engine.buffers()
    engine.reset(trial.seeds)
    trial.require(~engine.over, "a new game is over before its first move", move=0)
    trial.require(engine.states["num_moves"] == 0, "a new game's num_moves is not 0", move=0)
    for move in trial.replay(engine, buffers):
        states, played = engine.states, np.minimum(move + 1, trial.num_moves)
        trial.require(states["num_moves"] == played, "num_moves is not how many", move=move)
        mover = states["to_move"]
        trial.require((mover >= 0) & (mover < n), "to_move is no seat at the table", move=move)
        both = states["terminated"] & states["truncated"]
        trial.require(~both, "a game is terminated and truncated at once", move=move)
        trial.require(states["offender"] == -1, "a legal move sets offender", move=move)
    states = engine.save()
    for action in (-1, 0, engine.game.actions.size - 1):
        engine.step(np.full(trial.num_games, action), buffers)
        trial.same_states(engine.states, states, "an action after the end changes the game")
        trial.require(buffers.status == loops.FINISHED, "an action after the end is not FINISHED")
        trial.require(buffers.rewards == 0, "an action after the end pays")


def check_rewards(trial: Trial) -> None:
    """Rewards of all modes add up to 0 at every move, come when they should, and are right."""
    engines = {mode: trial.engine(reward=mode) for mode in loops.REWARDS}
    buffers = {mode: engine.buffers() for mode, engine in engines.items()}
    totals = {mode: np.zeros((trial.num_games, trial.num_players)) for mode in engines}
    for engine in engines.values():
        engine.reset(trial.seeds)
    for move, actions in enumerate(trial.moves):
        last = trial.num_moves == move + 1
        for mode, engine in engines.items():
            paid = buffers[mode].rewards
            engine.step(actions, buffers[mode], show="nothing")
            sums = abs(paid.sum(axis=1))
            trial.require(sums < 1e-6, f"{mode} rewards do not add up to 0", move=move)
            if mode != "dense":
                trial.require(
                    last | (paid == 0).all(axis=1),
                    f"a {mode} reward is paid at another move than the last",
                    move=move,
                )
            totals[mode] += paid
    wanted = _final_rewards(trial, engines["win"])
    for mode, total in totals.items():
        right = abs(total - wanted[mode]) < 1e-6
        trial.require(right, f"a game's {mode} rewards are not those of its results")


def _final_rewards(trial: Trial, engine: Engine) -> dict[str, np.ndarray]:
    """Return what finished games pay in all, by mode, from their results: float64 ``[B, n]``."""
    n = trial.num_players
    points, won, places = engine.results()
    finished = engine.states["terminated"][:, None]
    shares = won / np.maximum(won.sum(axis=1, keepdims=True), 1)
    others = (points.sum(axis=1, keepdims=True) - points) / (n - 1)
    score = (points - others) * trial.game.score_sign / trial.game.score_scale
    return {
        "win": np.where(finished, (shares - 1 / n) * n / (n - 1), 0),
        "rank": np.where(finished, 1 - 2 * places / (n - 1), 0),
        "score": score,
        "dense": score,
    }


def check_results(trial: Trial) -> None:
    """A terminated game has winners, on the best places; no other game has any."""
    engine = trial.engine()
    engine.reset(trial.seeds)
    for move in trial.replay(engine, engine.buffers()):
        _, won, _ = engine.results()
        terminated = engine.states["terminated"]
        trial.require(won.any(axis=1) | ~terminated, "a terminated game has no winner", move=move)
        trial.require(~won.any(axis=1) | terminated, "an unfinished game has winners", move=move)
    points, won, places = engine.results()
    for seat in range(trial.num_players):
        margin = (points[:, [seat]] - points) * trial.game.score_sign
        margin = np.where(won[:, [seat]] != won, np.where(won[:, [seat]], 1, -1), margin)
        better = (margin < 0).sum(axis=1) + ((margin == 0).sum(axis=1) - 1) / 2
        trial.require(places[:, seat] == better, f"seat {seat} is not on its place")


def check_seeds(trial: Trial) -> None:
    """A seed gives the same game whatever came before; other seeds, and no seed, give others."""
    engine, used = trial.engine(), trial.engine()
    engine.reset(trial.seeds)
    first = engine.save()
    if trial.num_games > 1:
        games = {state.tobytes() for state in trial.without_rng(first)}
        trial.require(len(games) > 1, "all seeds give the same game")
    used.reset(trial.seed + trial.num_games)
    bots = np.zeros((trial.num_games, trial.num_players), np.int64)
    used.play(bots, used.generators(trial.seed), used.buffers())
    where = np.arange(trial.num_games) % 2 == 0
    before = used.save()
    used.reset(trial.seeds, where)
    trial.same_states(used.states[where], first[where], "reset leaves something of an old game")
    trial.same_states(used.states[~where], before[~where], "reset changes games left out")
    used.reset(trial.seeds)
    for engine_at in (engine, used):
        for _ in trial.replay(engine_at, engine_at.buffers()):
            pass
        engine_at.reset()
    trial.same_states(used.states, engine.states, "games reset without a seed differ")
    trial.require(engine.states["rng"] != first["rng"], "without a seed the old game is repeated")


def check_batches(trial: Trial) -> None:
    """Games in a batch go as they do in another order, and alone, to the byte."""
    engine = trial.engine()
    buffers = engine.buffers()
    engine.reset(trial.seeds)
    backwards = np.arange(trial.num_games)[::-1]
    games = [backwards, *(backwards[i : i + 1] for i in range(0, trial.num_games, 11))]
    copies = [trial.engine(len(chosen)) for chosen in games]
    shown = [copy.buffers() for copy in copies]
    for chosen, copy in zip(games, copies, strict=True):
        copy.reset(trial.seeds[chosen])
    for move, actions in enumerate(trial.moves):
        engine.step(actions, buffers)
        for chosen, copy, out in zip(games, copies, shown, strict=True):
            copy.step(actions[chosen], out)
            problem = f"games {list(chosen)} go another way in a batch of their own"
            trial.same_states(copy.states, engine.states[chosen], problem, move=move)
            trial.same_buffers(out, trial.part(buffers, chosen), problem, move=move)


def check_threads(trial: Trial) -> None:
    """Three threads do what one does, to the byte."""
    one, three = trial.engine(), trial.engine(num_threads=3)
    shown = one.buffers(), three.buffers()
    for engine in (one, three):
        engine.reset(trial.seeds)
    for move, actions in enumerate(trial.moves):
        for engine, out in zip((one, three), shown, strict=True):
            engine.step(actions, out)
        trial.same_states(three.states, one.states, "three threads are not as one", move=move)
        trial.same_buffers(shown[1], shown[0], "three threads are not as one", move=move)
    three.close()


def check_saving(trial: Trial) -> None:
    """Games go on from saved states, in any engine, as they went on before."""
    engine, other = trial.engine(), trial.engine()
    buffers, shown = engine.buffers(), other.buffers()
    middle = int(np.random.default_rng(trial.seed).integers(len(trial.moves)))
    engine.reset(trial.seeds)
    for _ in trial.replay(engine, buffers, stop=middle):
        pass
    saved = engine.save()
    for _ in trial.replay(engine, buffers, start=middle):
        pass
    final = engine.save()
    trial.same_states(saved, trial.at(middle)[0].states, "playing on changes what was saved")
    where = np.arange(trial.num_games) % 2 == 1
    engine.restore(saved[where], where)
    trial.same_states(engine.states[where], saved[where], "restore is not what was saved")
    trial.same_states(engine.states[~where], final[~where], "restore changes games left out")
    engine.restore(saved)
    other.reset(trial.seed + trial.num_games)
    other.restore(saved)
    for move in trial.replay(engine, buffers, start=middle):
        other.step(trial.moves[move], shown)
        trial.same_states(other.states, engine.states, "a restored game goes otherwise", move=move)
        trial.same_buffers(shown, buffers, "a restored game shows something else", move=move)
    trial.same_states(engine.states, final, "a restored game ends otherwise")


def check_illegal_actions(trial: Trial) -> None:
    """What the mask allows is taken, and nothing else; what is refused changes nothing."""
    size = trial.game.actions.size
    crowd = trial.engine(size, illegal="report")
    out = crowd.buffers()
    for move in trial.stops(8):
        engine, live = trial.at(move)
        for index in np.flatnonzero(live)[:3]:
            state = engine.save()[[index] * size]
            crowd.restore(state)
            crowd.observe(out)
            legal = out.action_masks[0] != 0
            crowd.step(np.arange(size), out, show="nothing")
            for action in range(size):
                what = (
                    f"game {index}: action {action}, {trial.describe(trial.game.actions, action)},"
                )
                changed = crowd.states[action].tobytes() != state[action].tobytes()
                taken = out.status[action] == loops.OK
                if taken != legal[action]:
                    trial.fail(
                        f"{what} is {'taken' if taken else 'refused'} against the mask", move=move
                    )
                if changed and not taken:
                    trial.fail(f"{what} is illegal, but changes the state", move=move)
            if not legal.all():
                _check_forfeit(trial, state[:1], int(np.argmin(legal)), move)


def _check_forfeit(trial: Trial, state: np.ndarray, action: int, move: int) -> None:
    """An illegal action ends the game, at the offender's cost, and changes nothing else."""
    n = trial.num_players
    for mode in loops.REWARDS:
        engine = trial.engine(1, reward=mode)
        buffers = engine.buffers()
        engine.restore(state)
        engine.step(np.array([action]), buffers)
        offender = int(state["to_move"][0])
        wanted = np.full(n, 1 / (n - 1))
        wanted[offender] = -1
        right = abs(buffers.rewards[0] - wanted).max() < 1e-6
        trial.require(right, f"an illegal action pays {buffers.rewards[0]} ({mode})", move=move)
        ended = engine.save()
        right = ended["terminated"][0] and ended["offender"][0] == offender
        trial.require(right, "an illegal action does not end the game", move=move)
        trial.require(not buffers.action_masks.any(), "the mask is not empty", move=move)
        ended["terminated"], ended["offender"] = False, -1
        trial.same_states(ended, state, "an illegal action changes more than the end", move=move)


def check_bots(trial: Trial) -> None:
    """Each bot plays legally in all seats, twice the same, and changes nothing that it is shown."""
    engine = trial.engine()
    buffers, shape = engine.buffers(), (trial.num_games, trial.num_players)
    for number, name in enumerate(engine.bots):
        ends = []
        for _ in range(2):
            engine.reset(trial.seeds)
            generators = engine.generators(trial.seed + 2)
            engine.play(np.full(shape, number), generators, buffers)
            ends.append(engine.save())
        trial.require(ends[0]["offender"] == -1, f"the bot {name} makes an illegal move")
        trial.require(engine.over, f"games of the bot {name} do not end")
        trial.same_states(ends[1], ends[0], f"the bot {name} does not play the same twice")
        for move in trial.stops(6):
            other, _ = trial.at(move)
            other.observe(buffers)
            shown = buffers.copy()
            actions = np.empty(trial.num_games, np.int64)
            get_loops(trial.game).choose(
                np.full(trial.num_games, number),
                buffers.observations,
                buffers.action_masks,
                other.generators(move),
                actions,
                0,
                trial.num_games,
            )
            trial.same_buffers(buffers, shown, f"the bot {name} changes what it sees", move=move)
