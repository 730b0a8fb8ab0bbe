"""The frames of every game: whole, self-contained, and silent on what their seat cannot see."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from hotpot_envs.core import Engine, game_names, get_game
from hotpot_envs.rendering import to_rgb

GAMES = game_names()


def positions(name, count=8):
    """Engines of each option corner, at points spread over a game, its end among them."""
    for seed, corner in enumerate(get_game(name).corners):
        engine = Engine(name, 1, options=corner)
        engine.reset(seed)
        buffers, generators = engine.buffers(), engine.generators(seed + 1)
        states = []
        engine.observe(buffers)
        while not engine.over[0]:
            states.append(engine.save())
            engine.step(engine.sample(buffers.action_masks, generators), buffers)
        states.append(engine.save())
        for index in np.linspace(0, len(states) - 1, count).astype(int):
            engine.restore(states[index])
            yield engine


@pytest.mark.parametrize("name", GAMES)
def test_frames_are_whole(name):
    size = None
    for engine in positions(name):
        config, state, game = engine.config[0], engine.states[0], engine.game
        before = state.tobytes()
        for seat in (None, *range(engine.num_players)):
            text = game.text(config, state, seat)
            assert text.endswith("\n")
            assert text.isascii()
            assert max(map(len, text.splitlines())) <= 120
            picture = game.svg(config, state, seat)
            root = ElementTree.fromstring(picture)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert "href" not in picture
            assert "url(" not in picture
            assert not any("id" in element.attrib for element in root.iter())
            assert size in (None, (root.get("width"), root.get("height")))
            size = root.get("width"), root.get("height")
        assert state.tobytes() == before


@pytest.mark.parametrize("name", GAMES)
def test_frames_show_nothing_that_their_seat_cannot_see(name):
    for engine in positions(name):
        config, game, saved = engine.config[0], engine.game, engine.save()
        for seat in range(engine.num_players):
            engine.restore(saved)
            state = engine.states[0]
            shown = game.text(config, state, seat), game.svg(config, state, seat)
            for seed in range(2):
                engine.determinize(np.array([seat]), engine.generators(seed))
                assert (game.text(config, state, seat), game.svg(config, state, seat)) == shown


@pytest.mark.parametrize("name", GAMES)
def test_frames_can_be_drawn(name):
    for engine in positions(name, count=2):
        pixels = to_rgb(engine.game.svg(engine.config[0], engine.states[0], None))
        assert pixels.dtype == np.uint8
        colors = pixels.astype(np.uint32) @ np.array([1, 256, 65536], np.uint32)
        assert len(np.unique(colors)) > 10


@pytest.mark.parametrize("name", GAMES)
def test_an_illegal_end_is_told(name):
    engine = Engine(name)
    engine.reset(0)
    buffers = engine.buffers()
    engine.observe(buffers)
    engine.step(np.flatnonzero(buffers.action_masks[0] == 0)[:1], buffers)
    offender = int(engine.states["offender"][0])
    for frame in (engine.game.text, engine.game.svg):
        shown = frame(engine.config[0], engine.states[0], None)
        assert f"illegal action of seat {offender}" in shown
