"""Drawings as PNG files and as pixels."""

import io
import sys

import numpy as np
import pytest
from PIL import Image

from hotpot_envs import rendering
from hotpot_envs.core.drawing import SUIT_PATHS, Drawing
from hotpot_envs.rendering import to_png, to_rgb


def square(colour="#ff0000"):
    drawing = Drawing(40, 20, "a test", "#0000ff")
    drawing.rect(10, 5, 10, 10, fill=colour)
    return drawing


def test_pixels():
    pixels = to_rgb(str(square()))
    assert (pixels.shape, pixels.dtype) == ((20, 40, 3), np.uint8)
    assert pixels[10, 15].tolist() == [255, 0, 0]
    assert pixels[10, 25].tolist() == [0, 0, 255]
    assert pixels.flags.writeable


def test_png():
    with Image.open(io.BytesIO(to_png(str(square()), zoom=2))) as picture:
        assert (picture.format, picture.size) == ("PNG", (80, 40))


def test_words_are_set_in_a_font_of_its_own():
    drawing = Drawing(200, 40, "words", "#ffffff")
    drawing.text(5, 30, "<7 & ♥>", 24, fill="#000000")
    pixels = to_rgb(str(drawing))
    assert (pixels < 128).all(axis=2).sum() > 100
    assert (to_rgb(str(drawing)) == pixels).all()
    heavy = Drawing(200, 40, "words", "#ffffff")
    heavy.text(5, 30, "<7 & ♥>", 24, fill="#000000", bold=True)
    assert to_rgb(str(heavy)).sum() < pixels.sum()


@pytest.mark.parametrize("suit", SUIT_PATHS)
def test_suits_fill_their_square_and_no_more(suit):
    drawing = Drawing(100, 100, suit, "#ffffff")
    drawing.suit(suit, 50, 50, 80, "#000000")
    dark = (to_rgb(str(drawing)) < 128).all(axis=2)
    rows, columns = (np.flatnonzero(dark.any(axis=axis)) for axis in (1, 0))
    assert 9 <= rows[0] <= 18
    assert 85 <= rows[-1] <= 90
    assert columns[0] >= 9
    assert columns[0] + columns[-1] == pytest.approx(99, abs=2)


def test_cards():
    for label, suit in (("7", "hearts"), ("10", "spades"), ("100", None)):
        drawing = Drawing(70, 100, "card", "#00ff00")
        drawing.card(0, 0, 100, label, "#000000", suit=suit)
        pixels = to_rgb(str(drawing))
        assert pixels[50, 35].tolist() == [255, 255, 255]
        assert (pixels[60:] < 128).all(axis=2).any()
    back = Drawing(70, 100, "card", "#00ff00")
    back.card_back(0, 0, 100)
    assert to_rgb(str(back))[20, 35].tolist() == [0x8C, 0x3B, 0x2E]


def test_what_is_no_drawing_is_refused():
    with pytest.raises(ValueError, match="SVG"):
        to_png("no drawing")


@pytest.mark.parametrize("module", ["resvg_py", "PIL", "matplotlib"])
def test_without_the_extra_the_error_names_it(module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    if module == "matplotlib":
        monkeypatch.setattr(rendering.importlib.util, "find_spec", lambda name: None)
    rendering._fonts.cache_clear()
    with pytest.raises(ImportError, match=r"pip install 'hotpot-envs\[render\]'"):
        to_rgb(str(square()))
    monkeypatch.undo()
    rendering._fonts.cache_clear()
    assert to_rgb(str(square())).any()
