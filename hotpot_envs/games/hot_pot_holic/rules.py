"""Hot Pot Holic: the rules as kernels. Clauses (R1, …) are those of RULES.md."""

from __future__ import annotations

import numpy as np

from hotpot_envs.core.bits import lowest, popcount
from hotpot_envs.core.jit import kernel
from hotpot_envs.core.rng import below, shuffle
from hotpot_envs.games.hot_pot_holic.scoring import count_belly, count_favorites, count_heat
from hotpot_envs.games.hot_pot_holic.state import (
    ACT,
    CHOOSE,
    COPY,
    DECK_SIZE,
    DECLARE,
    EATING,
    FIRST_EAT,
    FIRST_PICK,
    FIRST_PLATE,
    FIRST_PLAY,
    HAND,
    KING,
    KING_HIGH,
    LAST,
    MAX_HAND,
    MAX_PLAYERS,
    NUM_CARDS,
    NUM_PARTS,
    NUM_ROUNDS,
    NUMBER_OF,
    NUMBER_SETS,
    ONCE,
    PICKING,
    PLATE_SIZE,
    PLAY,
    RANDOM,
    ROBOT,
    START_PLATE,
    TOP_HEAT,
    UNDECIDED,
    ZERO,
    ZERO_HIGH,
)

_NONE, _ONE = np.uint64(0), np.uint64(1)
_WORD = 64

# The legal actions of a phase are a set of numbers from the phase's first action on.
_FIRST_ACTION = np.array([FIRST_PLATE, 0, FIRST_PLAY, FIRST_PICK, FIRST_EAT], dtype=np.int64)
_KING_OR_ZERO = np.uint64(3)
_KEEP = np.uint64(1 << NUM_CARDS)


@kernel
def with_card(cards, card):
    """Return a set with one card more."""
    first = _ONE << np.uint64(card)
    if cards & first != _NONE:
        return cards | first << COPY
    return cards | first


@kernel
def without_card(cards, card):
    """Return a set with one card less; it must hold the card."""
    first = _ONE << np.uint64(card)
    second = first << COPY
    if cards & second != _NONE:
        return cards ^ second
    return cards ^ first


@kernel
def card_of(member):
    """Return the card that a member of a set is, whichever of its two copies."""
    if member >= NUM_CARDS:
        return member - NUM_CARDS
    return member


@kernel
def add_cards(counts, first, cards, sign):
    """Add a set's cards to (or take them off) counts by card, which begin at ``first``."""
    while cards != _NONE:
        counts[first + card_of(lowest(cards))] += sign
        cards &= cards - _ONE


@kernel
def next_seat(seat, num_players):
    """Return the next player clockwise."""
    if seat + 1 == num_players:
        return 0
    return seat + 1


@kernel
def playable(hand, blocked):
    """Return what a hand may play: numbers that don't lie yet; otherwise any card, face down."""
    free = hand & ONCE & ~blocked
    if free != _NONE:
        return free
    return hand & ONCE


@kernel
def choices(state):
    """Return the legal actions as a set, from the phase's first on (R6, R7, R10, R11, R19–R27)."""
    phase = state["phase"]
    if phase == ACT:
        plate, kind = state["plate"][state["actor"]], state["kind"]
        actions = _NONE
        if kind != EATING and popcount(plate) < PLATE_SIZE:
            actions = state["pot"] & ONCE
        if kind != PICKING:
            actions |= (plate & ONCE) << COPY
        return actions
    if phase == PLAY:
        return playable(state["hand"][state["to_move"]], state["blocked"])
    if phase == LAST:
        return state["plate"][state["to_move"]] & ONCE | _KEEP
    if phase == CHOOSE:
        return state["hand"][state["to_move"]] & ONCE
    return _KING_OR_ZERO


@kernel
def legal(config, state, out_mask):
    """Mark the legal actions."""
    actions = choices(state)
    first = _FIRST_ACTION[state["phase"]]
    while actions != _NONE:
        out_mask[first + lowest(actions)] = 1
        actions &= actions - _ONE


@kernel
def apply(config, state, action):
    """Make a move, and all that follows from it up to the next one.

    What ends a turn, a round and the game is called from here only: Numba makes a copy of a
    kernel for each place that calls it.
    """
    phase = state["phase"]
    index = action - _FIRST_ACTION[phase]
    if index < 0 or index >= _WORD or choices(state) >> np.uint64(index) & _ONE == _NONE:
        return False
    state["num_moves"] += 1
    if phase == PLAY:
        play(config, state, index)
    elif phase == ACT:
        take(config, state, index)
    elif phase == LAST:
        if index < NUM_CARDS:
            eat(config, state, index)
        state["turn"] += 1
    elif phase == CHOOSE:
        put_on_plate(config, state, index)
    else:
        state["strongest"] = KING_HIGH + index
        begin_round(config, state)
    if state["phase"] == ACT and state["cards_left"] == 0:
        next_turn(config, state)
    if state["phase"] == LAST:
        ask_last(config, state)
    return True


@kernel
def reset(config, state):
    """Deal, draw the start player and the scoring cards (R1–R8)."""
    rng, num_players = state["rng"], config["num_players"]
    deck = np.empty(DECK_SIZE, np.int8)
    count = 0
    rest = config["deck"]
    while rest != _NONE:
        deck[count] = card_of(lowest(rest))
        count += 1
        rest &= rest - _ONE
    shuffle(rng, deck, count)
    hand_size, plate_size = HAND, START_PLATE
    if config["choose_plate"] == 1:
        hand_size, plate_size = MAX_HAND, 0
    for seat in range(config["num_markers"]):
        if seat == num_players:
            hand_size, plate_size = 0, START_PLATE
        count -= hand_size
        state["hand"][seat] = set_of(deck, count, hand_size)
        count -= plate_size
        state["plate"][seat] = set_of(deck, count, plate_size)
    if num_players == ROBOT:
        for index in range(HAND):
            count -= 1
            state["robot"][index] = deck[count]
    count -= config["pot_size"]
    state["pot"] = set_of(deck, count, config["pot_size"])
    for seat in range(MAX_PLAYERS):
        state["lying"][seat] = -1
    state["token"] = below(rng, num_players)
    # Drawn last, so that the deal does not depend on which scoring cards were named.
    for sort in range(3):
        state["scoring"][sort] = config["scoring"][sort]
        if config["scoring"][sort] == RANDOM:
            state["scoring"][sort] = below(rng, 3)
    count_heat(config, state)
    state["to_move"] = state["token"]
    state["phase"] = DECLARE
    if config["choose_plate"] == 1:
        state["phase"] = CHOOSE


@kernel
def set_of(deck, start, count):
    """Return a few cards of a deck as a set."""
    cards = _NONE
    for index in range(start, start + count):
        cards = with_card(cards, np.int64(deck[index]))
    return cards


@kernel
def put_on_plate(config, state, card):
    """Choose a card of the hand for the plate; each player two, then the declaration (R6)."""
    seat = np.int64(state["to_move"])
    state["hand"][seat] = without_card(state["hand"][seat], card)
    state["plate"][seat] = with_card(state["plate"][seat], card)
    if popcount(state["plate"][seat]) < START_PLATE:
        return
    left = next_seat(seat, config["num_players"])
    state["to_move"] = left
    if left == state["token"]:
        state["phase"] = DECLARE


@kernel
def begin_round(config, state):
    """Begin the first phase with the robot's card, where there is one (R9, R17)."""
    state["phase"] = PLAY
    state["to_move"] = state["token"]
    if config["num_players"] == ROBOT:
        lay(state, np.int64(ROBOT), np.int64(state["robot"][state["round"]]))


@kernel
def lay(state, seat, card):
    """Lay a card face up; K and 0 turn the strength card round (R9, R10, R14)."""
    state["lying"][seat] = card
    number = NUMBER_OF[card]
    blocked = state["blocked"] | NUMBER_SETS[number] & ONCE
    state["blocked"] = blocked
    if number in (ZERO, KING):
        if blocked & NUMBER_SETS[ZERO] != _NONE and blocked & NUMBER_SETS[KING] != _NONE:
            state["strongest"] = KING_HIGH + ZERO_HIGH - state["strongest"]


@kernel
def play(config, state, card):
    """Play a card, face down and with the hand shown where no other way (R9–R12)."""
    seat = np.int64(state["to_move"])
    state["hand"][seat] = without_card(state["hand"][seat], card)
    if state["blocked"] >> np.uint64(card) & _ONE == _NONE:
        lay(state, seat, card)
    else:
        state["lying"][seat] = card
        state["hidden"][seat] = 1
        state["shown"][seat] = 1
    left = next_seat(seat, config["num_players"])
    if left != state["token"]:
        state["to_move"] = left
    else:
        resolve(config, state)


@kernel
def resolve(config, state):
    """Order the seats by strength; the first goes up and takes the token (R13, R15–R17)."""
    num_players, num_markers = config["num_players"], config["num_markers"]
    lying, hidden, order, place = state["lying"], state["hidden"], state["order"], state["place"]
    king_high = state["strongest"] == KING_HIGH
    seat = np.int64(state["token"])
    if num_players == ROBOT:
        seat = np.int64(ROBOT)
    for count in range(num_markers):
        strength = -1
        if hidden[seat] == 0:
            strength = NUMBER_OF[lying[seat]]
            if not king_high:
                strength = KING - strength
        # Sorted in, the later behind its equals; until all are, ``place`` holds the strengths.
        place[seat] = strength
        spot = count
        while spot > 0 and place[order[spot - 1]] < strength:
            order[spot] = order[spot - 1]
            spot -= 1
        order[spot] = seat
        if seat == num_players:  # after the robot
            seat = np.int64(state["token"])
        else:
            seat = next_seat(seat, num_players)
    for spot in range(num_markers):
        place[order[spot]] = spot + 1
    state["token"] = order[0]
    if order[0] == num_players:
        state["token"] = order[1]
    state["phase"] = ACT
    state["turn"] = -1
    state["actor"] = order[0]
    state["climbs"] = True


@kernel
def next_turn(config, state):
    """End a turn; the next is of a seat that can pick or eat, or else the round ends (R18, R22).

    A marker moves up first: the strongest card's before the turns, a perfect eater's after his
    (R16, R24).
    """
    num_markers, order, plates = config["num_markers"], state["order"], state["plate"]
    if state["climbs"]:
        state["climbs"] = False
        if state["heat"][state["actor"]] < TOP_HEAT:
            state["heat"][state["actor"]] += 1
            count_heat(config, state)
    state["kind"] = UNDECIDED
    turn = np.int64(state["turn"]) + 1
    while turn < num_markers and state["pot"] == _NONE and plates[order[turn]] == _NONE:
        turn += 1
    if turn == num_markers:
        end_round(config, state)
        return
    state["turn"] = turn
    state["actor"] = state["to_move"] = order[turn]
    if order[turn] == config["num_players"]:
        state["to_move"] = state["token"]  # R25


@kernel
def take(config, state, index):
    """Pick or eat a card; a turn's first fixes its kind and how many (R19, R20, R23, R24)."""
    seat = np.int64(state["actor"])
    if state["kind"] == UNDECIDED:
        place, size = np.int64(state["place"][seat]), popcount(state["plate"][seat])
        if index < NUM_CARDS:
            state["kind"] = PICKING
            state["cards_left"] = min(place, min(PLATE_SIZE - size, popcount(state["pot"])))
        else:
            state["kind"] = EATING
            state["cards_left"] = min(place, size)
            state["climbs"] = place == size
    state["cards_left"] -= 1
    if index < NUM_CARDS:
        state["pot"] = without_card(state["pot"], index)
        state["plate"][seat] = with_card(state["plate"][seat], index)
    else:
        eat(config, state, index - NUM_CARDS)


@kernel
def eat(config, state, card):
    """Move a card from plate to belly; the robot's belly is not counted (R20, R40)."""
    seat = np.int64(state["actor"])
    state["plate"][seat] = without_card(state["plate"][seat], card)
    state["belly"][seat] = with_card(state["belly"][seat], card)
    if seat < config["num_players"]:
        count_belly(config, state, seat)


@kernel
def end_round(config, state):
    """Put the cards played into the pot; begin the next round or the end (R26, R27)."""
    lying, hidden, place = state["lying"], state["hidden"], state["place"]
    pot = state["pot"]
    for seat in range(config["num_markers"]):
        pot = with_card(pot, np.int64(lying[seat]))
        lying[seat] = -1
        hidden[seat] = 0
        place[seat] = 0
    state["pot"] = pot
    state["blocked"] = _NONE
    state["round"] += 1
    if state["round"] < NUM_ROUNDS:
        begin_round(config, state)
    else:
        state["phase"] = LAST
        state["turn"] = 0


@kernel
def ask_last(config, state):
    """Ask the next player with a card on the plate, or end the game (R27, R28)."""
    num_players, plates = config["num_players"], state["plate"]
    for turn in range(np.int64(state["turn"]), num_players):
        seat = state["token"] + turn
        if seat >= num_players:
            seat -= num_players
        if plates[seat] != _NONE:
            state["turn"] = turn
            state["actor"] = state["to_move"] = seat
            return
    for seat in range(num_players):
        state["shown"][seat] = 1
    count_favorites(config, state)
    state["terminated"] = True


@kernel
def points(parts, seat):
    """Return a player's points as they publicly stand: the favourite's at the end (R29)."""
    total = 0
    for part in range(NUM_PARTS):
        total += parts[seat, part]
    return total


@kernel
def scores(config, state, out_scores):
    """Write each player's points as they publicly stand (R29, R40)."""
    parts = state["parts"]
    for seat in range(config["num_players"]):
        out_scores[seat] = points(parts, seat)


@kernel
def winners(config, state, out_winners):
    """Mark who has most points, of these who is highest on the heat track (R40, R41)."""
    heat, parts = state["heat"], state["parts"]
    best = -(1 << 30)
    for again in range(2):
        for seat in range(config["num_players"]):
            rank = 8 * points(parts, seat) + heat[seat]  # heat is below 8
            if again == 1:
                out_winners[seat] = rank == best
            elif rank > best:
                best = rank
