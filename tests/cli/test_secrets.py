"""What a game says of moves made in hiding is what its observations say."""

import numpy as np
import pytest

from hotpot_envs.core import Engine, game_names, get_game


def positions(name):
    """States in which somebody is to move, spread over a game of each of a few corners."""
    for seed, corner in enumerate(get_game(name).corners[:3]):
        engine = Engine(name, 1, options=corner)
        engine.reset(seed)
        buffers, generators = engine.buffers(), engine.generators(seed)
        engine.observe(buffers)
        states = []
        while not engine.over[0]:
            states.append((engine.save(), np.flatnonzero(buffers.action_masks[0])))
            engine.step(engine.sample(buffers.action_masks, generators), buffers)
        for index in np.linspace(0, len(states) - 1, 25).astype(int):
            yield (engine, *states[index])


@pytest.mark.parametrize("name", game_names())
def test_a_move_that_is_no_secret_is_seen_by_all(name):
    notation = get_game(name).notation
    compared = 0
    for engine, saved, actions in positions(name):
        if len(actions) < 2:
            continue
        config, before = engine.config[0], saved[0]
        mover = int(before["to_move"])
        trial = Engine(name, len(actions), options=engine.options)
        trial.restore(np.repeat(saved, len(actions)))
        buffers = trial.buffers()
        trial.step(actions, buffers, show="nothing")
        # What chance shows after a move, or the game's end, may make two moves look alike.
        settled = [
            bool(not trial.over[row])
            and not notation.chance(config, before, int(action), trial.states[row])
            for row, action in enumerate(actions)
        ]
        for seat in range(engine.num_players):
            if seat == mover:
                continue
            trial.observe(buffers, np.full(len(actions), seat))
            for row, action in enumerate(actions):
                if not settled[row]:
                    continue
                alike = (buffers.observations == buffers.observations[row]).all(axis=1)
                secret = notation.secret is not None and notation.secret(
                    config, before, int(action)
                )
                compared += 1
                assert secret or alike.sum() == 1, notation.move(config, before, int(action))
    assert compared
