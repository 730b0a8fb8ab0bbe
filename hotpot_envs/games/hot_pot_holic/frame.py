"""Hot Pot Holic: the table in text and as a drawing."""

from __future__ import annotations

import dataclasses
from typing import Any

from hotpot_envs.core.drawing import CARD_WIDTH, Drawing
from hotpot_envs.games.hot_pot_holic.notation import CARDS, cards_in
from hotpot_envs.games.hot_pot_holic.state import (
    ACT,
    CHOOSE,
    COLORS,
    DECLARE,
    KING_HIGH,
    LAST,
    NUM_ROUNDS,
    NUMBERS,
    PLAY,
    SCORING_CARDS,
    TOP_HEAT,
    UNDECLARED,
)

_PHASES = {
    CHOOSE: "choosing plates",
    DECLARE: "declaring the strongest",
    PLAY: "playing cards",
    ACT: "picking or eating",
    LAST: "eating at the end",
}
_NAMES = {"in_between": "in-between", "last_and_least": "last & least"}


@dataclasses.dataclass(frozen=True)
class _Player:
    """What is shown of a seat; lists are ``None`` where they are hidden."""

    seat: int
    is_robot: bool
    hand: list[str] | None  # the robot's: its pile, in order
    hand_size: int
    was_shown: bool  # the others see the hand, with the card of it that lies face down
    plate: list[str] | None
    plate_size: int
    belly: list[str]
    played: str | None  # "" for a card of which only the back is seen
    face_down: bool
    place: int
    heat: int
    points: int
    has_token: bool
    to_move: bool
    acts: bool  # the turn is this seat's, whoever makes it
    wins: bool

    @property
    def name(self) -> str:
        return "robot" if self.is_robot else f"seat {self.seat}"


def _players(config: Any, state: Any, viewer: int | None) -> list[_Player]:
    num_players = int(config["num_players"])
    over = bool(state["terminated"])
    phase, actor = int(state["phase"]), int(state["actor"])
    ranks = [(int(state["parts"][seat].sum()), int(state["heat"][seat])) for seat in range(4)]
    best = max(ranks[:num_players])
    players = []
    for seat in range(int(config["num_markers"])):
        robot = seat == num_players
        open_to_viewer = viewer is None or (viewer == seat and not robot)
        face_down, was_shown = bool(state["hidden"][seat]), bool(state["shown"][seat])
        card = int(state["lying"][seat])
        played = None if card < 0 else CARDS[card]
        hand: list[str] | None = cards_in(state["hand"][seat])
        if robot:
            pile = state["robot"][_num_revealed(state) :]
            hand = [CARDS[card] for card in pile]
        size = len(hand or ())
        if was_shown and not open_to_viewer:
            hand = sorted([*(hand or ()), *([CARDS[card]] if face_down else ())], key=CARDS.index)
        elif not open_to_viewer:
            hand = None
        plate: list[str] | None = cards_in(state["plate"][seat])
        plate_size = len(plate or ())
        if phase == CHOOSE and not robot and not open_to_viewer:
            plate = None
        players.append(
            _Player(
                seat=seat,
                is_robot=robot,
                hand=hand,
                hand_size=size,
                was_shown=was_shown and not over,
                plate=plate,
                plate_size=plate_size,
                belly=cards_in(state["belly"][seat]),
                played="" if face_down and not open_to_viewer else played,
                face_down=face_down,
                place=int(state["place"][seat]),
                heat=int(state["heat"][seat]),
                points=int(state["parts"][seat].sum()),
                has_token=seat == int(state["token"]),
                to_move=not over and seat == int(state["to_move"]),
                acts=not over and phase == ACT and seat == actor,
                wins=over and int(state["offender"]) < 0 and not robot and ranks[seat] == best,
            )
        )
    return players


def _num_revealed(state: Any) -> int:
    """Return how many cards of the robot's pile were turned up."""
    return int(state["round"]) + (PLAY <= int(state["phase"]) <= ACT)


def _heading(state: Any, players: list[_Player]) -> str:
    if int(state["offender"]) >= 0:
        return f"ended by an illegal action of seat {state['offender']}"
    if state["terminated"]:
        winners = [player.name for player in players if player.wins]
        return f"{' and '.join(winners)} {'win' if len(winners) > 1 else 'wins'}"
    phase = _PHASES[int(state["phase"])]
    if not PLAY <= int(state["phase"]) <= ACT:
        return phase
    robot = any(player.acts and player.is_robot for player in players)
    return f"round {int(state['round']) + 1} of {NUM_ROUNDS}, {phase}{' for the robot' * robot}"


def _strength(config: Any, state: Any) -> str:
    if int(state["strongest"]) == UNDECLARED:
        return "strongest not declared"
    numbers = [number for number in NUMBERS if not config["few"] or number not in "45"]
    if int(state["strongest"]) == KING_HIGH:
        numbers.reverse()
    return " > ".join(numbers)


def _scoring(state: Any) -> list[str]:
    names = [cards[card] for cards, card in zip(SCORING_CARDS, state["scoring"])]
    return [_NAMES.get(name, name.replace("_", " ")) for name in names]


def text(config: Any, state: Any, seat: int | None) -> str:
    """Return the table as plain ASCII, cards in the notation of records."""
    players = _players(config, state, seat)
    lines = [
        f"Hot Pot Holic: {_heading(state, players)}; {_strength(config, state)}",
        f"scoring: {', '.join(_scoring(state))}",
        "",
        f"pot: {' '.join(cards_in(state['pot'])) or '-'}",
        "",
        "seat              heat  points  played  place",
    ]
    for player in players:
        arrow = ">" if player.to_move or player.acts else "*" if player.wins else " "
        marks = [
            mark
            for mark, holds in (
                ("robot", player.is_robot),
                ("you", player.seat == seat),
                ("token", player.has_token),
            )
            if holds
        ]
        played = "-" if player.played is None else player.played or "back"
        played += "?" * (player.face_down and player.played != "")
        points = "" if player.is_robot else player.points
        lines += [
            f"{arrow} {player.seat} {', '.join(marks):<13} {player.heat:>4}  {points:>6}  "
            f"{played:>6}  {player.place or '-':>5}",
            f"    {'pile ' if player.is_robot else 'hand '} {_hand_text(player)}",
            f"    plate {_cards_text(player.plate, player.plate_size)}",
            f"    belly {_cards_text(player.belly, 0)}",
        ]
    return "\n".join(lines) + "\n"


def _cards_text(cards: list[str] | None, size: int) -> str:
    if cards is None:
        return f"{size} card{'' if size == 1 else 's'}"
    return " ".join(cards) or "-"


def _hand_text(player: _Player) -> str:
    words = _cards_text(player.hand, player.hand_size)
    if player.was_shown and player.hand is not None:
        words += ", shown"
        if len(player.hand) > player.hand_size:
            words += "; one of them lies face down"
    return words


WIDTH, HEIGHT = 1180, 772
_TABLE, _RIM, _CREAM, _FAINT, _GOLD = "#6b2f24", "#4a1f18", "#fbf5e6", "#7d776a", "#f2b632"
_INKS = ("#c4262e", "#2f7d3b", "#1f5fa8", "#96690a")  # by colour of the card
_PAPERS = ("#fdeeec", "#edf6ea", "#e9f1fb", "#fff5d6")
_GLYPHS = (
    # meat, leaf, fish, star, each in a square from −1 to 1
    "M-.2-.9C.6-1 1-.3 .8 .2C.6 .8-.2 1-.7 .7C-1.1 .4-.9-.2-.6-.4C-.5-.6-.5-.85-.2-.9Z",
    "M0-1C.9-.5 .8 .6 0 1C-.8 .6-.9-.5 0-1Z",
    "M-.95 0C-.5-.7 .3-.6 .5-.1L1-.5V.5L.5 .1C.3 .6-.5 .7-.95 0Z",
    "M0-1L.24-.32L.95-.31L.38 .12L.59 .81L0 .4L-.59 .81L-.38 .12L-.95-.31L-.24-.32Z",
)
_PANEL_WIDTH, _PANEL_HEIGHT = 340, 192
_CARD, _STEP = 46, 19
_POT_CARD, _PLAYED_CARD = 56, 50

# Upper left corners of the players' panels and of the cards they have played, the lowest first and
# then clockwise: the next seat is on the left.
_PLACES = {
    3: ((420, 562), (20, 150), (820, 150)),
    4: ((420, 562), (20, 304), (420, 48), (820, 304)),
}
_PLAYED_PLACES = {
    3: ((572, 506), (366, 246), (778, 246)),
    4: ((572, 506), (366, 375), (572, 246), (778, 375)),
}


def svg(config: Any, state: Any, seat: int | None) -> str:
    """Return the table as a drawing, the viewer (or seat 0) at the lower edge."""
    players = _players(config, state, seat)
    heading = _heading(state, players)
    drawing = Drawing(WIDTH, HEIGHT, f"Hot Pot Holic: {heading}", _RIM)
    drawing.rect(10, 10, WIDTH - 20, HEIGHT - 20, fill=_TABLE, radius=36)
    drawing.text(34, 50, "Hot Pot Holic", 24, fill=_CREAM, bold=True)
    drawing.text(34, 72, heading, 15, fill=_CREAM, opacity=0.85)
    drawing.text(34, 94, _strength(config, state), 15, fill=_CREAM, opacity=0.85)
    for index, (sort, name) in enumerate(zip(("numbers", "colours", "heat"), _scoring(state))):
        words, base = f"{sort}: {name}", 50 + 22 * index
        drawing.text(WIDTH - 34, base, words, 15, fill=_CREAM, anchor="end", opacity=0.85)
    _draw_pot(drawing, cards_in(state["pot"]))
    num_players, size = int(config["num_players"]), len(players)
    for player in players:
        turned = player.seat
        if not player.is_robot:
            turned = (player.seat - (seat or 0)) % num_players
        _draw_player(drawing, player, player.seat == seat, *_PLACES[size][turned])
        if player.played is not None:
            _draw_played(drawing, player, *_PLAYED_PLACES[size][turned])
    return str(drawing)


def _draw_card(drawing: Drawing, card: str, x: float, y: float, height: float) -> None:
    color = COLORS.index(card[0])
    drawing.card(x, y, height, card[1], _INKS[color], paper=_PAPERS[color])
    place = f"translate({x + 0.18 * height:.2f} {y + 0.45 * height:.2f})"
    drawing.path(_GLYPHS[color], fill=_INKS[color], transform=f"{place} scale({0.11 * height:.2f})")


def _draw_cards(
    drawing: Drawing, cards: list[str] | None, size: int, left: float, top: float
) -> None:
    """Draw overlapping cards, backs where they are hidden."""
    for index in range(size if cards is None else len(cards)):
        if cards is None:
            drawing.card_back(left + _STEP * index, top, _CARD)
        else:
            _draw_card(drawing, cards[index], left + _STEP * index, top, _CARD)


def _draw_pot(drawing: Drawing, cards: list[str]) -> None:
    """Draw the pot in the middle with its cards, six in a row."""
    middle, centre = WIDTH / 2, 402
    drawing.rect(middle - 168, centre - 98, 336, 196, fill="#2f333b", radius=84)
    drawing.rect(middle - 158, centre - 88, 316, 176, fill="#d8973c", radius=76)
    for x, y in ((-110, -52), (84, -58), (-40, 62), (120, 40), (-128, 30), (30, -10)):
        drawing.ellipse(middle + x, centre + y, 9, 7, fill="#e9b768")
    rows = [cards[start : start + 6] for start in range(0, len(cards), 6)]
    width, step = CARD_WIDTH * _POT_CARD, CARD_WIDTH * _POT_CARD + 5
    for number, row in enumerate(rows):
        left = middle - (step * (len(row) - 1) + width) / 2
        top = centre - (60 * len(rows) - 4) / 2 + 60 * number
        for index, card in enumerate(row):
            _draw_card(drawing, card, left + step * index, top, _POT_CARD)


def _draw_played(drawing: Drawing, player: _Player, x: float, y: float) -> None:
    """Draw the card that a player has played this round, and the place it won."""
    if player.face_down:
        drawing.card_back(x, y, _PLAYED_CARD)
        if player.played:
            drawing.text(
                x + 17, y + 29, player.played, 12, fill="#ffffff", anchor="middle", bold=True
            )
    else:
        _draw_card(drawing, str(player.played), x, y, _PLAYED_CARD)
    if player.place:
        drawing.ellipse(x + 36, y + 3, 10, fill=_GOLD)
        drawing.text(x + 36, y + 7.5, str(player.place), 13, anchor="middle", bold=True)


def _draw_player(drawing: Drawing, player: _Player, is_viewer: bool, x: float, y: float) -> None:
    """Draw a player's panel: heat and points, hand and plate, belly."""
    marked = player.to_move or player.acts or player.wins
    drawing.rect(
        x,
        y,
        _PANEL_WIDTH,
        _PANEL_HEIGHT,
        fill=_CREAM,
        radius=14,
        stroke=_GOLD if marked else "#d8cfb8",
        stroke_width=5 if marked else 1.5,
    )
    left, right = x + 14, x + _PANEL_WIDTH - 14
    drawing.text(left, y + 25, f"{player.name}{' (you)' * is_viewer}", 15, bold=True)
    if player.has_token:
        drawing.ellipse(left + 120, y + 20, 9, fill="#3a6ea5")
        drawing.text(left + 120, y + 24.5, "S", 12, fill="#ffffff", anchor="middle", bold=True)
    for space in range(TOP_HEAT):
        fill = "#e2582c" if space < player.heat else "#e6dcc4"
        drawing.ellipse(left + 149 + 15 * space, y + 20, 5.5, fill=fill)
    if not player.is_robot:
        words = f"{player.points}{' wins' * player.wins}"
        drawing.text(right, y + 25, words, 15, anchor="end", bold=True)
    _draw_labels(drawing, player, left, right, y + 48)
    _draw_cards(drawing, player.hand, player.hand_size, left, y + 53)
    plate_left = right - CARD_WIDTH * _CARD - _STEP * (player.plate_size - 1)
    _draw_cards(drawing, player.plate, player.plate_size, plate_left, y + 53)
    _draw_cards(drawing, player.belly, 0, left, y + 133)


def _draw_labels(drawing: Drawing, player: _Player, left: float, right: float, base: float) -> None:
    hand = f"pile of {player.hand_size}" if player.is_robot else "hand"
    if player.was_shown and player.hand is not None:
        hand = "hand, shown"
        if len(player.hand) > player.hand_size:
            hand += "; one card lies face down"
    drawing.text(left, base, hand, 12, fill=_FAINT)
    drawing.text(right, base, "plate", 12, fill=_FAINT, anchor="end")
    drawing.text(left, base + 80, f"belly {len(player.belly) or ''}", 12, fill=_FAINT)
