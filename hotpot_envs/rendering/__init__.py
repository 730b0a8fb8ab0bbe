"""Pictures of a table: a game's drawing (SVG) as PNG or as an array of pixels.

Drawing an SVG is the work of resvg; it, Pillow and the fonts come with the extra ``render``.
Words are always set in the DejaVu fonts that matplotlib brings, whatever fonts the system has,
so that a picture is the same everywhere.
"""

from __future__ import annotations

import functools
import importlib.util
import io
from pathlib import Path

import numpy as np

__all__ = ["to_png", "to_rgb"]


def to_png(svg: str, *, zoom: float = 1.0) -> bytes:
    """Return a drawing as a PNG file.

    Args:
        svg: a whole SVG document, as ``Game.svg`` returns it.
        zoom: how many pixels for one of the drawing's.

    Raises:
        ImportError: where the extra ``render`` is not installed.
        ValueError: for what is no SVG.
    """
    try:
        import resvg_py
    except ImportError:
        raise _missing() from None
    fonts = _fonts()
    try:
        png = resvg_py.svg_to_bytes(
            svg_string=svg, zoom=zoom, skip_system_fonts=True, font_files=fonts
        )
    except ValueError as error:
        raise ValueError(f"this is no SVG document: {error}") from None
    return bytes(png)


def to_rgb(svg: str, *, zoom: float = 1.0) -> np.ndarray:
    """Return a drawing as pixels, uint8 ``[H, W, 3]``: see ``to_png``."""
    png = to_png(svg, zoom=zoom)
    try:
        from PIL import Image
    except ImportError:
        raise _missing() from None
    with Image.open(io.BytesIO(png)) as picture:
        return np.array(picture.convert("RGB"))


@functools.cache
def _fonts() -> list[str]:
    """Return matplotlib's font files, without the third of a second that importing it takes."""
    spec = importlib.util.find_spec("matplotlib")
    if spec is None or spec.origin is None:
        raise _missing()
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    return [str(folder / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")]


def _missing() -> ImportError:
    return ImportError("a picture needs the extra render: pip install 'hotpot-envs[render]'")
