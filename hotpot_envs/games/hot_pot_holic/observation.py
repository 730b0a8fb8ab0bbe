"""Hot Pot Holic: layouts of actions and observations, and what a seat sees."""

from __future__ import annotations

import numpy as np

from hotpot_envs.core.bits import popcount
from hotpot_envs.core.jit import kernel
from hotpot_envs.core.layout import Field, Layout
from hotpot_envs.core.seats import relative_seat
from hotpot_envs.games.hot_pot_holic.rules import add_cards, points, with_card
from hotpot_envs.games.hot_pot_holic.state import (
    ACT,
    CHOOSE,
    COLOR_OF,
    HAND,
    MAX_HAND,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_CARDS,
    NUM_COLORS,
    NUM_NUMBERS,
    NUM_PHASES,
    NUM_ROUNDS,
    NUMBER_OF,
    PLATE_SIZE,
    PLAY,
    ROBOT,
    TOP_HEAT,
    UNDECIDED,
    UNDECLARED,
)

_CARDS = "red 0–5 and K, then green, blue, yellow"

ACTIONS = Layout(
    Field("strong", (2,), 0, 1, "declare K, or 0, the strongest"),
    Field("plate", (NUM_CARDS,), 0, 1, f"put this card on the own plate before the game: {_CARDS}"),
    Field("play", (NUM_CARDS,), 0, 1, "play this card; face down where its number lies already"),
    Field("pick", (NUM_CARDS,), 0, 1, "take this card from the pot to the plate"),
    Field("eat", (NUM_CARDS,), 0, 1, "move this card from the plate to the belly"),
    Field("keep", (), 0, 1, "eat nothing after the last round"),
)

# Points: a belly holds at most 16 cards. At least 14 green ones and last in heat, −14 − 8; at most
# eight 0s and eight Ks in pairs (54), two colours of eight (64), the top of the track (18) and, at
# the end, 13 of the favourite's colour (26).
MIN_SCORE, MAX_SCORE = -22, 162


def _seats(name: str, high: int, meaning: str, shape: tuple[int, ...] = (), low: int = 0) -> Field:
    """Return a public field with an entry, or a row of them, for each player."""
    return Field(name, (MAX_PLAYERS, *shape), low, high, meaning, per_seat=True)


OBSERVATIONS = Layout(
    Field("hand", (NUM_CARDS,), 0, 2, f"own cards, by kind: {_CARDS}", private=True),
    Field(
        "aside",
        (NUM_CARDS,),
        0,
        2,
        "own cards that nobody else sees: chosen for the plate, or lying face down",
        private=True,
    ),
    Field("pot", (NUM_CARDS,), 0, 2, "cards in the pot"),
    _seats("plate", 2, "cards on each plate; zeros while plates are chosen", (NUM_CARDS,)),
    _seats("belly", 2, "cards in each belly", (NUM_CARDS,)),
    _seats(
        "shown",
        2,
        "each hand that was shown, with the card of it that lies face down: all know it",
        (NUM_CARDS,),
    ),
    _seats("lying_number", 1, "number of each seat's card lying face up, one-hot", (NUM_NUMBERS,)),
    _seats("lying_color", 1, "its colour, one-hot", (NUM_COLORS,)),
    _seats("face_down", 1, "each seat's card lies face down"),
    _seats("hand_size", MAX_HAND, "cards in each hand"),
    _seats("heat", TOP_HEAT, "each marker's space on the heat track"),
    _seats(
        "score",
        MAX_SCORE,
        "each player's points if the game ended now, the favourite's only at the end",
        low=MIN_SCORE,
    ),
    _seats("place", MAX_PLAYERS, "each seat's place in the round; zeros while cards are played"),
    _seats("token", 1, "who holds the start player token, one-hot"),
    _seats("to_move", 1, "whose move it is, one-hot; zeros after the end"),
    Field("for_robot", (), 0, 1, "the move is made for the robot"),
    Field("robot_plate", (NUM_CARDS,), 0, 2, "cards on the robot's plate"),
    Field("robot_belly", (NUM_CARDS,), 0, 2, "cards in the robot's belly"),
    Field("robot_number", (NUM_NUMBERS,), 0, 1, "number of the robot's card, one-hot"),
    Field("robot_color", (NUM_COLORS,), 0, 1, "its colour, one-hot"),
    Field("robot_heat", (), 0, TOP_HEAT, "the robot's space on the heat track"),
    Field("robot_place", (), 0, 3, "the robot's place in the round"),
    Field("robot_pile", (), 0, HAND, "cards in the robot's pile"),
    Field(
        "phase",
        (NUM_PHASES,),
        0,
        1,
        "choosing plates, declaring, playing, picking or eating, eating at the end: one-hot; "
        "zeros after the end",
    ),
    Field("turn", (2,), 0, 1, "the turn that was begun is a pick, an eat"),
    Field("cards_left", (), 0, PLATE_SIZE, "cards still to take in a turn that was begun"),
    Field("perfect_eat", (), 0, 1, "the eat that was begun is a perfect one"),
    Field("strongest", (2,), 0, 1, "K, or 0, is the strongest; zeros before it is declared"),
    Field(
        "scoring",
        (3, 3),
        0,
        1,
        "scoring cards, one-hot: straight, identical, pairs; balance, in-between, protein feast; "
        "champion, last & least, progress",
    ),
    Field("rounds_left", (), 0, NUM_ROUNDS, "rounds not over yet, this one included"),
    Field("num_players", (), 0, MAX_PLAYERS, f"players at the table, from {MIN_PLAYERS}"),
)


def _start(name: str) -> np.int64:
    """Return where a field begins. An int would be a type of its own to Numba, at each call."""
    return np.int64(OBSERVATIONS.start(name))


OWN_HAND = _start("hand")
ASIDE = _start("aside")
POT = _start("pot")
PLATE = _start("plate")
BELLY = _start("belly")
SHOWN = _start("shown")
LYING_NUMBER = _start("lying_number")
LYING_COLOR = _start("lying_color")
FACE_DOWN = _start("face_down")
HAND_SIZE = _start("hand_size")
HEAT = _start("heat")
SCORE = _start("score")
PLACE = _start("place")
TOKEN = _start("token")
TO_MOVE = _start("to_move")
FOR_ROBOT = _start("for_robot")
ROBOT_PLATE = _start("robot_plate")
ROBOT_BELLY = _start("robot_belly")
ROBOT_NUMBER = _start("robot_number")
ROBOT_COLOR = _start("robot_color")
ROBOT_HEAT = _start("robot_heat")
ROBOT_PLACE = _start("robot_place")
ROBOT_PILE = _start("robot_pile")
PHASE = _start("phase")
TURN = _start("turn")
CARDS_LEFT = _start("cards_left")
PERFECT_EAT = _start("perfect_eat")
STRONGEST = _start("strongest")
SCORING = _start("scoring")
ROUNDS_LEFT = _start("rounds_left")
NUM_PLAYERS = _start("num_players")


@kernel
def observe(config, state, seat, out_observation):
    """Write what a seat knows: its hand, and all that lies open or was shown (R5, R6, R12)."""
    num_players, phase = config["num_players"], state["phase"]
    hands, plates, bellies = state["hand"], state["plate"], state["belly"]
    lying, hidden, shown = state["lying"], state["hidden"], state["shown"]
    heat, place, parts = state["heat"], state["place"], state["parts"]
    add_cards(out_observation, OWN_HAND, hands[seat], 1)
    add_cards(out_observation, POT, state["pot"], 1)
    if phase == CHOOSE:
        add_cards(out_observation, ASIDE, plates[seat], 1)
    elif hidden[seat] == 1:
        out_observation[ASIDE + lying[seat]] = 1
    for relative in range(num_players):
        other = seat + relative
        if other >= num_players:
            other -= num_players
        add_cards(out_observation, BELLY + NUM_CARDS * relative, bellies[other], 1)
        if phase != CHOOSE:
            add_cards(out_observation, PLATE + NUM_CARDS * relative, plates[other], 1)
        hand, card = hands[other], np.int64(lying[other])
        out_observation[HAND_SIZE + relative] = popcount(hand)
        if hidden[other] == 1:
            out_observation[FACE_DOWN + relative] = 1
            hand = with_card(hand, card)
        elif card >= 0:
            out_observation[LYING_NUMBER + NUM_NUMBERS * relative + NUMBER_OF[card]] = 1
            out_observation[LYING_COLOR + NUM_COLORS * relative + COLOR_OF[card]] = 1
        if shown[other] == 1:
            add_cards(out_observation, SHOWN + NUM_CARDS * relative, hand, 1)
        out_observation[HEAT + relative] = heat[other]
        out_observation[PLACE + relative] = place[other]
        out_observation[SCORE + relative] = points(parts, other)
    out_observation[TOKEN + relative_seat(state["token"], seat, num_players)] = 1
    if not state["terminated"]:
        out_observation[TO_MOVE + relative_seat(state["to_move"], seat, num_players)] = 1
        out_observation[PHASE + phase] = 1
    if state["kind"] != UNDECIDED:
        out_observation[TURN + state["kind"] - 1] = 1
        out_observation[CARDS_LEFT] = state["cards_left"]
        out_observation[PERFECT_EAT] = state["climbs"]
    if state["strongest"] != UNDECLARED:
        out_observation[STRONGEST + state["strongest"] - 1] = 1
    scoring = state["scoring"]
    for sort in range(3):
        out_observation[SCORING + 3 * sort + scoring[sort]] = 1
    out_observation[ROUNDS_LEFT] = NUM_ROUNDS - state["round"]
    out_observation[NUM_PLAYERS] = num_players
    if num_players == ROBOT:
        observe_robot(state, out_observation)


@kernel
def observe_robot(state, out_observation):
    """Write all of the robot but its pile's cards (R8, R17, R25)."""
    phase, card = state["phase"], np.int64(state["lying"][ROBOT])
    add_cards(out_observation, ROBOT_PLATE, state["plate"][ROBOT], 1)
    add_cards(out_observation, ROBOT_BELLY, state["belly"][ROBOT], 1)
    if card >= 0:
        out_observation[ROBOT_NUMBER + NUMBER_OF[card]] = 1
        out_observation[ROBOT_COLOR + COLOR_OF[card]] = 1
    out_observation[ROBOT_HEAT] = state["heat"][ROBOT]
    out_observation[ROBOT_PLACE] = state["place"][ROBOT]
    out_observation[ROBOT_PILE] = HAND - state["round"]
    if PLAY <= phase <= ACT:
        out_observation[ROBOT_PILE] -= 1
    if phase == ACT and not state["terminated"]:
        out_observation[FOR_ROBOT] = state["actor"] == ROBOT
