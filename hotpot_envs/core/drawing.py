"""Drawing a table as SVG: shapes, words and cards, for the games' ``frame.py``.

A drawing refers to nothing outside itself and defines no ids, so that any number of them can
stand in one page.
"""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

__all__ = ["FONT", "Drawing"]

FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"

_INK, _PAPER, _EDGE, _BACK = "#22252b", "#ffffff", "#b9b4a7", "#8c3b2e"

#: Width of a card, where its height is 1.
CARD_WIDTH = 0.7

#: Suits as paths in a square from −1 to 1.
SUIT_PATHS = {
    "hearts": "M0 .95C-.5 .5-1 .1-1-.4A.5 .5 0 0 1 0-.55 .5 .5 0 0 1 1-.4C1 .1 .5 .5 0 .95Z",
    "diamonds": "M0-1 .75 0 0 1-.75 0Z",
    "clubs": "M-.35 1C-.1 .75-.08 .5-.08 .3A.48 .48 0 1 1-.4-.25 .48 .48 0 1 1 .4-.25"
    " .48 .48 0 1 1 .08 .3C.08 .5 .1 .75 .35 1Z",
    "spades": "M0-1C.5-.5 .95-.15 .95 .25A.46 .46 0 0 1 .08 .42C.08 .6 .12 .8 .35 1H-.35"
    "C-.12 .8-.08 .6-.08 .42A.46 .46 0 0 1-.95 .25C-.95-.15-.5-.5 0-1Z",
}


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Drawing:
    """A picture of ``width`` by ``height``, built up from back to front.

    Lengths are in pixels, from the upper left corner; colours as in CSS.

    Args:
        width: the picture's width.
        height: the picture's height.
        title: what it shows, for those who cannot see it.
        background: its colour.
    """

    def __init__(self, width: int, height: int, title: str, background: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" font-family="{FONT}">',
            f"<title>{escape(title)}</title>",
        ]
        self.rect(0, 0, width, height, fill=background)

    def __str__(self) -> str:
        return "".join([*self._parts, "</svg>"])

    def _add(self, tag: str, content: str | None = None, **attributes: object) -> None:
        """Add an element; an attribute that is ``None`` is left out."""
        words = [tag]
        for name, value in attributes.items():
            if value is not None:
                shown = _number(value) if isinstance(value, (int, float)) else str(value)
                words.append(f"{name.replace('_', '-')}={quoteattr(shown)}")
        opening = " ".join(words)
        self._parts.append(f"<{opening}/>" if content is None else f"<{opening}>{content}</{tag}>")

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str,
        radius: float | None = None,
        stroke: str | None = None,
        stroke_width: float | None = None,
        opacity: float | None = None,
    ) -> None:
        """Draw a rectangle, its corners rounded by ``radius``."""
        self._add(
            "rect",
            x=x,
            y=y,
            width=width,
            height=height,
            rx=radius,
            fill=fill,
            stroke=stroke,
            stroke_width=stroke_width,
            opacity=opacity,
        )

    def ellipse(
        self,
        x: float,
        y: float,
        radius_x: float,
        radius_y: float | None = None,
        *,
        fill: str,
        stroke: str | None = None,
        stroke_width: float | None = None,
        opacity: float | None = None,
    ) -> None:
        """Draw an ellipse about a point; a circle without ``radius_y``."""
        self._add(
            "ellipse",
            cx=x,
            cy=y,
            rx=radius_x,
            ry=radius_x if radius_y is None else radius_y,
            fill=fill,
            stroke=stroke,
            stroke_width=stroke_width,
            opacity=opacity,
        )

    def path(
        self,
        data: str,
        *,
        fill: str,
        transform: str | None = None,
        stroke: str | None = None,
        stroke_width: float | None = None,
        opacity: float | None = None,
    ) -> None:
        """Draw a path (SVG's path data)."""
        self._add(
            "path",
            d=data,
            fill=fill,
            transform=transform,
            stroke=stroke,
            stroke_width=stroke_width,
            stroke_linecap=None if stroke is None else "round",
            opacity=opacity,
        )

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        *,
        fill: str = _INK,
        anchor: str = "start",
        bold: bool = False,
        opacity: float | None = None,
    ) -> None:
        """Write words whose base line is at ``y``; ``anchor``: ``start``, ``middle``, ``end``."""
        self._add(
            "text",
            escape(words),
            x=x,
            y=y,
            font_size=size,
            fill=fill,
            text_anchor=None if anchor == "start" else anchor,
            font_weight="bold" if bold else None,
            opacity=opacity,
        )

    def suit(self, name: str, x: float, y: float, size: float, fill: str) -> None:
        """Draw one of ``SUIT_PATHS`` about a point, ``size`` high."""
        scale = _number(size / 2)
        self.path(
            SUIT_PATHS[name],
            fill=fill,
            transform=f"translate({_number(x)} {_number(y)}) scale({scale})",
        )

    def card(
        self,
        x: float,
        y: float,
        height: float,
        label: str,
        colour: str,
        *,
        suit: str | None = None,
        paper: str = _PAPER,
    ) -> None:
        """Draw a card face up: label and suit in its corner, and large below.

        The corner is ``0.36 * height`` wide: as much as must be left bare where cards overlap.
        """
        width = CARD_WIDTH * height
        self.rect(x, y, width, height, fill=paper, radius=height / 12, stroke=_EDGE, stroke_width=1)
        size = height * (0.28 if len(label) == 1 else 0.22 if len(label) == 2 else 0.18)
        corner = x + 0.18 * height
        self.text(corner, y + 0.29 * height, label, size, fill=colour, anchor="middle", bold=True)
        if suit is not None:
            self.suit(suit, corner, y + 0.44 * height, 0.2 * height, colour)
            self.suit(suit, x + 0.62 * width, y + 0.72 * height, 0.36 * height, colour)
        else:
            middle = x + 0.58 * width
            self.text(middle, y + 0.86 * height, label, 1.6 * size, fill=colour, anchor="middle")

    def card_back(self, x: float, y: float, height: float, *, fill: str = _BACK) -> None:
        """Draw a card face down."""
        width, edge = CARD_WIDTH * height, height / 14
        self.rect(
            x, y, width, height, fill=_PAPER, radius=height / 12, stroke=_EDGE, stroke_width=1
        )
        self.rect(
            x + edge,
            y + edge,
            width - 2 * edge,
            height - 2 * edge,
            fill=fill,
            radius=height / 18,
        )
        self.path(
            "M0-1 .6 0 0 1-.6 0Z",
            fill="none",
            stroke="#f3e3c8",
            stroke_width=0.12,
            transform=f"translate({_number(x + width / 2)} {_number(y + height / 2)}) "
            f"scale({_number(0.26 * height)})",
        )
