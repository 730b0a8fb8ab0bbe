"""Boil Over: the table in text and as a drawing."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from hotpot_envs.core.drawing import CARD_WIDTH, Drawing
from hotpot_envs.games.boil_over.notation import cards_in
from hotpot_envs.games.boil_over.state import NUM_POTS, SUIT_SETS, SUITS

SUIT_NAMES = ("hearts", "diamonds", "clubs", "spades")


@dataclasses.dataclass(frozen=True)
class _Player:
    """What is shown of a seat; ``hand`` is ``None`` where it is hidden."""

    seat: int
    name: str
    points: int
    standing: int
    taken: list[int]  # by suit
    hand: list[str] | None
    hand_size: int
    is_dealer: bool
    to_move: bool
    wins: bool


def _players(config: Any, state: Any, viewer: int | None) -> list[_Player]:
    n, over = int(config["num_players"]), bool(state["terminated"])
    points = [int(state["points"][seat]) for seat in range(n)]
    finished = over and int(state["offender"]) < 0
    return [
        _Player(
            seat=seat,
            name=f"seat {seat}" + (" (you)" if seat == viewer else ""),
            points=points[seat],
            standing=int(state["standing"][seat]),
            taken=[int(state["taken"][seat] & suit).bit_count() for suit in SUIT_SETS],
            hand=cards_in(state["hand"][seat]) if viewer in (None, seat) else None,
            hand_size=int(state["hand"][seat]).bit_count(),
            is_dealer=seat == int(state["dealer"]),
            to_move=not over and seat == int(state["to_move"]),
            wins=finished and points[seat] == min(points),
        )
        for seat in range(n)
    ]


def _heading(config: Any, state: Any, players: list[_Player]) -> str:
    rounds = int(config["rounds"])
    if int(state["offender"]) >= 0:
        return f"ended by an illegal action of seat {state['offender']}"
    if state["terminated"]:
        winners = [f"seat {player.seat}" for player in players if player.wins]
        return f"{' and '.join(winners)} {'win' if len(winners) > 1 else 'wins'}"
    return f"round {int(state['round']) + 1} of {rounds}"


def text(config: Any, state: Any, seat: int | None) -> str:
    """Return the table as plain ASCII, cards in the notation of records."""
    players = _players(config, state, seat)
    heading = _heading(config, state, players)
    lines = [f"Boil Over: {heading}; a pot boils over above {config['limit']}", ""]
    lines.append("pot  total  cards")
    for pot in range(NUM_POTS):
        cards = " ".join(cards_in(state["pot"][pot])) or "-"
        lines.append(f"  {SUITS[pot]}  {state['pot_total'][pot]:>5}  {cards}")
    lines += ["", "seat           points  this round  taken H  D  C  S  hand"]
    for player in players:
        arrow = ">" if player.to_move else "*" if player.wins else " "
        marks = [
            mark
            for mark, holds in (("you", player.seat == seat), ("dealer", player.is_dealer))
            if holds
        ]
        taken = "".join(f"{count:>3}" for count in player.taken)
        hand = _hand_text(player.hand, player.hand_size)
        lines.append(
            f"{arrow} {player.seat} {', '.join(marks):<11} {player.points:>6}  "
            f"{player.standing:>10}      {taken}  {hand}"
        )
    if unused := int(state["unused"]):
        hand = _hand_text(cards_in(unused) if seat is None else None, unused.bit_count())
        lines += ["", f"unused: {hand}"]
    return "\n".join(lines) + "\n"


def _hand_text(cards: list[str] | None, size: int) -> str:
    if cards is None:
        return f"{size} card{'' if size == 1 else 's'}"
    return " ".join(cards) or "-"


WIDTH, HEIGHT = 1080, 720
_FELT, _RIM, _CREAM, _FAINT = "#23513f", "#1a3d30", "#fbf5e6", "#7d776a"
_GOLD, _RED, _BLACK, _POISON = "#f2b632", "#c4262e", "#22252b", "#5c2d86"
_COLOURS = (_RED, _RED, _BLACK, _POISON)
_POISON_PAPER = "#efe6f8"
_PANEL_WIDTH, _PANEL_HEIGHT = 246, 126
_HAND_CARD, _POT_CARD = 50, 66
_POT_TOP, _POT_WIDTH, _POT_HEIGHT = 350, 126, 84

# The middles of the players' panels, the lowest first and then clockwise: left is seat + 1.
_PLACES = {
    3: ((540, 632), (360, 90), (720, 90)),
    4: ((540, 632), (152, 360), (540, 88), (928, 360)),
    5: ((540, 632), (152, 430), (360, 90), (720, 90), (928, 430)),
    6: ((540, 632), (152, 490), (152, 230), (540, 88), (928, 230), (928, 490)),
}
_UNUSED_PLACE = (152, 366)


def svg(config: Any, state: Any, seat: int | None) -> str:
    """Return the table as a drawing, the viewer (or seat 0) at the lower edge."""
    players = _players(config, state, seat)
    heading = _heading(config, state, players)
    drawing = Drawing(WIDTH, HEIGHT, f"Boil Over: {heading}", _RIM)
    drawing.rect(10, 10, WIDTH - 20, HEIGHT - 20, fill=_FELT, radius=36)
    drawing.ellipse(WIDTH / 2, HEIGHT / 2, 330, 180, fill="#2b6049")
    drawing.text(34, 50, "Boil Over", 24, fill=_CREAM, bold=True)
    drawing.text(34, 72, heading, 15, fill=_CREAM, opacity=0.85)
    limit = f"boils over above {config['limit']}"
    drawing.text(WIDTH - 34, 50, limit, 15, fill=_CREAM, anchor="end", opacity=0.85)
    legend = "points + this round"
    drawing.text(WIDTH - 34, 72, legend, 13, fill=_CREAM, anchor="end", opacity=0.6)
    for pot in range(NUM_POTS):
        _draw_pot(drawing, config, state, pot, 540 + 174 * (pot - 1))
    places = _PLACES[len(players)]
    for player in players:
        _draw_player(drawing, player, *places[(player.seat - (seat or 0)) % len(players)])
    if unused := int(state["unused"]):
        x, y = _UNUSED_PLACE
        drawing.text(x, y - 36, "unused", 13, fill=_CREAM, anchor="middle", opacity=0.85)
        cards = cards_in(unused) if seat is None else None
        _draw_hand(drawing, cards, unused.bit_count(), x, y - 24)
    return str(drawing)


def _draw_card(drawing: Drawing, card: str, x: float, y: float, height: float) -> None:
    suit = SUITS.index(card[0])
    label = "A" if card[1:] == "1" else card[1:]
    paper = _POISON_PAPER if suit == 3 else "#ffffff"
    drawing.card(x, y, height, label, _COLOURS[suit], suit=SUIT_NAMES[suit], paper=paper)


def _draw_hand(
    drawing: Drawing, cards: list[str] | None, size: int, middle: float, top: float
) -> None:
    """Draw overlapping cards about a middle, backs where they are hidden."""
    step, width = 0.41 * _HAND_CARD, CARD_WIDTH * _HAND_CARD
    left = middle - (step * (size - 1) + width) / 2
    for index in range(size):
        if cards is None:
            drawing.card_back(left + step * index, top, _HAND_CARD)
        else:
            _draw_card(drawing, cards[index], left + step * index, top, _HAND_CARD)


def _draw_pot(drawing: Drawing, config: Any, state: Any, pot: int, x: float) -> None:
    """Draw a pot with its cards looking out, its total and how near it is to boiling over."""
    total, limit = int(state["pot_total"][pot]), int(config["limit"])
    cards = cards_in(state["pot"][pot])
    top, width, height = _POT_TOP, _POT_WIDTH, _POT_HEIGHT
    drawing.ellipse(x, top, width / 2, 17, fill="#30343c")
    card_width = CARD_WIDTH * _POT_CARD
    num_rows = max(1, math.ceil(len(cards) / 5))
    size = max(1, math.ceil(len(cards) / num_rows))
    rows = [cards[start : start + size] for start in range(0, len(cards), size)]
    for number, row in enumerate(rows):
        step = min(25.0, (width - 6 - card_width) / max(1, len(row) - 1))
        row_left = x - (step * (len(row) - 1) + card_width) / 2
        up = 50 + 29 * (len(rows) - 1 - number)
        for index, card in enumerate(row):
            _draw_card(drawing, card, row_left + step * index, top - up, _POT_CARD)
    left, right = x - width / 2, x + width / 2
    for side, out in ((left, -1), (right, 1)):
        drawing.path(
            f"M{side} {top + 22}q{16 * out} 2 {16 * out} 12t{-16 * out} 12",
            fill="none",
            stroke="#3b404a",
            stroke_width=8,
        )
    drawing.path(
        f"M{left} {top}A{width / 2} 17 0 0 0 {right} {top}"
        f"V{top + height - 26}Q{right} {top + height} {right - 30} {top + height}"
        f"H{left + 30}Q{left} {top + height} {left} {top + height - 26}Z",
        fill="#4a505c",
    )
    drawing.path(
        f"M{left} {top}A{width / 2} 17 0 0 0 {right} {top}",
        fill="none",
        stroke="#737b8a",
        stroke_width=4,
    )
    drawing.suit(SUIT_NAMES[pot], x - 38, top + 47, 30, "#f0626a" if pot < 2 else "#e8e6df")
    drawing.text(x + 20, top + 56, str(total), 28, fill="#ffffff", anchor="middle", bold=True)
    full = min(1.0, total / limit)
    colour = "#7fc96b" if full < 0.5 else _GOLD if full < 0.8 else "#f0533f"
    drawing.rect(left + 18, top + height - 17, width - 36, 7, fill="#2d3138", radius=3.5)
    if total:
        drawing.rect(left + 18, top + height - 17, (width - 36) * full, 7, fill=colour, radius=3.5)


def _draw_player(drawing: Drawing, player: _Player, x: float, y: float) -> None:
    """Draw a player's panel about a middle: hand, cards taken by suit, points."""
    left, top = x - _PANEL_WIDTH / 2, y - _PANEL_HEIGHT / 2
    marked = player.to_move or player.wins
    drawing.rect(
        left,
        top,
        _PANEL_WIDTH,
        _PANEL_HEIGHT,
        fill=_CREAM,
        radius=14,
        stroke=_GOLD if marked else "#d8cfb8",
        stroke_width=5 if marked else 1.5,
    )
    drawing.text(left + 14, top + 23, player.name, 15, bold=True)
    if player.is_dealer:
        drawing.ellipse(left + 130, top + 18, 9, fill="#3a6ea5")
        drawing.text(left + 130, top + 22.5, "D", 12, fill="#ffffff", anchor="middle", bold=True)
    points = f"{player.points} + {player.standing}" if player.standing else f"{player.points}"
    right = left + _PANEL_WIDTH - 14
    drawing.text(right, top + 23, points, 15, anchor="end", bold=True)
    if player.hand_size:
        _draw_hand(drawing, player.hand, player.hand_size, x, top + 35)
    else:
        words = "wins" if player.wins else "no cards left"
        drawing.text(x, top + 66, words, 15, fill=_FAINT, anchor="middle", bold=player.wins)
    base = top + _PANEL_HEIGHT - 13
    drawing.text(left + 14, base, "taken", 12, fill=_FAINT)
    for suit, count in enumerate(player.taken):
        place = left + 74 + 43 * suit
        drawing.suit(SUIT_NAMES[suit], place, base - 5, 14, _COLOURS[suit])
        drawing.text(place + 11, base, str(count), 13, bold=count > 0)
