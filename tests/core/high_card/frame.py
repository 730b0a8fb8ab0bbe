"""High Card: the table in text and as a drawing."""

from __future__ import annotations


def text(config, state, seat):
    """Return a line for each seat."""
    return "\n".join(
        f"seat {other}: {_card(state, seat, other)}{' (swapped)' * bool(state['swapped'][other])}"
        for other in range(config["num_players"])
    )


def svg(config, state, seat):
    """Return the cards in a row."""
    cards = "".join(
        f'<text x="{20 + 40 * other}" y="30">{_card(state, seat, other)}</text>'
        for other in range(config["num_players"])
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="180" height="50">{cards}</svg>'


def _card(state, seat, other):
    hidden = seat not in (None, other) and not state["terminated"]
    return "?" if hidden else str(int(state["card"][other]))
