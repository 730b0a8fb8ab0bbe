"""Hot Pot Holic: bots as kernels over what their seat sees."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hotpot_envs.core.bits import bit, lowest, popcount
from hotpot_envs.core.game import Kernel
from hotpot_envs.core.jit import kernel
from hotpot_envs.games.hot_pot_holic.observation import (
    ASIDE,
    BELLY,
    CARDS_LEFT,
    FACE_DOWN,
    FOR_ROBOT,
    HEAT,
    LYING_NUMBER,
    NUM_PLAYERS,
    OWN_HAND,
    PHASE,
    PLACE,
    PLATE,
    POT,
    ROBOT_BELLY,
    ROBOT_HEAT,
    ROBOT_NUMBER,
    ROBOT_PLACE,
    ROBOT_PLATE,
    STRONGEST,
    TURN,
)
from hotpot_envs.games.hot_pot_holic.rules import card_of, with_card, without_card
from hotpot_envs.games.hot_pot_holic.scoring import color_points, heat_points, number_points
from hotpot_envs.games.hot_pot_holic.state import (
    CHAMPION,
    CHOOSE,
    DECLARE,
    EATING,
    FIRST_EAT,
    FIRST_PICK,
    FIRST_PLATE,
    FIRST_PLAY,
    KEEP,
    KING,
    LAST,
    LAST_AND_LEAST,
    MAX_PLAYERS,
    NUM_CARDS,
    NUM_NUMBERS,
    NUMBER_OF,
    NUMBER_SETS,
    ONCE,
    PICKING,
    PLATE_SIZE,
    PLAY,
    ROBOT,
    TOP_HEAT,
    ZERO,
)
from hotpot_envs.games.hot_pot_holic.valuing import (
    W_CHAMPION,
    W_CROWD,
    W_DENY,
    W_EXTREME,
    W_HEAT_NOW,
    W_LEAST,
    W_PERFECT,
    W_POT,
    W_PROGRESS,
    W_TAKEN,
    WORST,
    both,
    favorite,
    plan_eat,
    plan_pick,
    read_cards,
    read_rules,
    worth_of,
)

_NONE, _ONE = np.uint64(0), np.uint64(1)


@kernel
def greedy(observation, mask, rng):
    """Take the card that adds most to the own points, as if eaten at once; play the weakest.

    Of equals, eating goes before picking. For the robot, take what would add least.
    """
    rules = read_rules(observation)
    belly = read_cards(observation, BELLY)
    best, chosen = WORST, -1
    for action in range(KEEP, -1, -1):
        if mask[action] == 0:
            continue
        gain = 0
        if FIRST_PLAY <= action < FIRST_PICK:
            gain = NUMBER_OF[action - FIRST_PLAY]
            if observation[STRONGEST] == 1:
                gain = -gain
        elif FIRST_PLATE <= action < KEEP:
            card = (action - FIRST_PLATE) % NUM_CARDS
            gain = _gain(belly, card, rules)
            if observation[FOR_ROBOT] == 1:
                gain = -gain
        if gain > best:
            best, chosen = gain, action
    return chosen


@kernel
def _gain(belly, card, rules):
    """Return how many points more a belly has with a card."""
    more = with_card(belly, card)
    return (
        number_points(rules.number, more, rules.few)
        - number_points(rules.number, belly, rules.few)
        + color_points(rules.color, more)
        - color_points(rules.color, belly)
    )


@kernel
def _height(number, rules):
    """Return where a number stands among those in the game, from 0."""
    if number == KING and rules.few == 1:
        return 4
    return number


@kernel
def _middle(rules):
    if rules.few == 1:
        return 2.0
    return 3.0


@kernel
def _step_worth(observation, rules, seat):
    """Return what a step on the heat track is worth to the seat that looks; ``seat`` takes it."""
    num_players = np.int64(observation[NUM_PLAYERS])
    heat = np.zeros(MAX_PLAYERS, np.int64)
    for other in range(num_players):
        heat[other] = observation[HEAT + other]
    num_markers = num_players
    if num_players == ROBOT:
        heat[ROBOT] = observation[ROBOT_HEAT]
        num_markers += 1
    if heat[seat] == TOP_HEAT:
        return 0.0
    before = heat_points(rules.heat, heat, np.int64(0), num_markers)
    heat[seat] += 1
    change = float(heat_points(rules.heat, heat, np.int64(0), num_markers) - before)
    if rules.rounds == 0 or seat != 0:
        return change
    later = W_PROGRESS
    if rules.heat == CHAMPION:
        later = W_CHAMPION
    elif rules.heat == LAST_AND_LEAST:
        later = W_LEAST
    return W_HEAT_NOW * change + (1.0 - W_HEAT_NOW) * later


@kernel
def _declare(hand, rules):
    """Make the hand's numbers weak ones, on average: the weak take more cards."""
    middle, total = _middle(rules), 0.0
    rest = hand
    while rest != _NONE:
        total += _height(NUMBER_OF[card_of(lowest(rest))], rules) - middle
        rest &= rest - _ONE
    if total > 0:
        return 1
    return 0


@kernel
def _take_for_robot(observation, mask, belly, plate, pot, hand, rules):
    """Pick what the other player needs more than oneself; make a perfect eat that does no harm."""
    eat, can_pick = -1, False
    for card in range(NUM_CARDS):
        if mask[FIRST_EAT + card] == 1:
            eat = FIRST_EAT + card
        can_pick |= mask[FIRST_PICK + card] == 1
    if not can_pick:
        return eat
    size = popcount(read_cards(observation, ROBOT_PLATE))
    if eat >= 0 and size == observation[ROBOT_PLACE]:
        if _step_worth(observation, rules, np.int64(ROBOT)) > 0:
            return eat
    own = both(belly, plate)
    other = both(
        read_cards(observation, BELLY + NUM_CARDS), read_cards(observation, PLATE + NUM_CARDS)
    )
    best, chosen = WORST, -1
    rest = pot & ONCE
    while rest != _NONE:
        card = lowest(rest)
        gain = _gain(other, card, rules) - W_DENY * _gain(own, card, rules)
        if gain > best:
            best, chosen = gain, card
        rest &= rest - _ONE
    return FIRST_PICK + chosen


@kernel
def _count_unseen(observation, rules, out_unseen):
    """Write how many cards of each number the seat has not seen."""
    for number in range(NUM_NUMBERS):
        out_unseen[number] = 8.0
        if rules.few == 1 and 4 <= number < KING:
            out_unseen[number] = 0.0
    for card in range(NUM_CARDS):
        seen = observation[OWN_HAND + card] + observation[POT + card]
        seen += observation[ROBOT_PLATE + card] + observation[ROBOT_BELLY + card]
        for seat in range(MAX_PLAYERS):
            seen += observation[PLATE + NUM_CARDS * seat + card]
            seen += observation[BELLY + NUM_CARDS * seat + card]
        out_unseen[NUMBER_OF[card]] -= seen


@kernel
def _play(observation, values, cards, hand, rules):
    """Play the number whose place is worth most, in the colour that is worth least in hand."""
    num_seats, unseen = len(values) - 1, np.zeros(NUM_NUMBERS)
    _count_unseen(observation, rules, unseen)
    lying, later = _NONE, num_seats - 1
    for seat in range(MAX_PLAYERS):
        later -= observation[FACE_DOWN + seat]
        for number in range(NUM_NUMBERS):
            if observation[LYING_NUMBER + NUM_NUMBERS * seat + number] == 1:
                lying |= bit(number)
    for number in range(NUM_NUMBERS):
        if observation[ROBOT_NUMBER + number] == 1:
            lying |= bit(number)
        if lying & bit(number) != _NONE:
            later -= 1
            unseen[number] -= 1.0
    free = _NONE
    for number in range(NUM_NUMBERS):
        if lying & bit(number) == _NONE:
            free |= hand & NUMBER_SETS[number]
    rest, best, chosen = free & ONCE, WORST, -1
    if rest == _NONE:
        rest = hand & ONCE
    while rest != _NONE:
        card = lowest(rest)
        rest &= rest - _ONE
        number, left = NUMBER_OF[card], without_card(hand, card)
        worth = values[num_seats]
        if free != _NONE:
            worth = _mean_value(observation, values, number, lying, later, unseen)
        worth -= W_EXTREME * abs(_height(number, rules) - _middle(rules))
        worth += favorite(left, cards)
        if rules.rounds > 0:
            worth += W_POT * worth_of(with_card(cards, card), hand, rules)
        if worth > best:
            best, chosen = worth, card
    return FIRST_PLAY + chosen


@kernel
def _mean_value(observation, values, number, lying, later, unseen):
    """Return the mean value of the places that a number may bring, ``later`` seats yet to play.

    Each of them is taken to be stronger with the share that the stronger have of the cards that
    the seat has not seen, of numbers that don't lie yet.
    """
    king_high = observation[STRONGEST] == 1
    if number in (ZERO, KING) and lying & bit(KING - number) != _NONE:
        king_high = not king_high
    ahead, total, stronger = 0, 1e-9, 0.0
    for other in range(NUM_NUMBERS):
        if other == number:
            continue
        is_stronger = (other > number) == king_high
        if lying & bit(other) != _NONE:
            ahead += is_stronger
        else:
            total += unseen[other]
            if is_stronger:
                stronger += unseen[other]
    chance = min((stronger / total) ** W_CROWD, 0.999)
    mean, likely = 0.0, (1.0 - chance) ** later
    for more in range(later + 1):
        mean += likely * values[1 + ahead + more]
        likely *= chance / (1.0 - chance) * (later - more) / (more + 1.0)
    return mean


@kernel
def _turn(observation, place, now, step, belly, plate, pot, hand, rules):
    """Return what a turn in a place is worth at best, and the move that begins it (or goes on).

    Place 0 is no turn at all. In the first phase the pot may be poorer when the turn comes.
    """
    size, playing = popcount(plate), observation[PHASE + PLAY] == 1
    eating, picking = observation[TURN + 1] == 1, observation[TURN] == 1
    count = place
    if eating or picking:
        count = np.int64(observation[CARDS_LEFT])
    best, action = WORST, -1
    for kind in (EATING, PICKING):
        if kind == EATING:
            if picking or (place > 0 and size == 0) or observation[PHASE + CHOOSE] == 1:
                continue
            after, to_eat, move = plate, min(count, size), FIRST_EAT
        else:
            if eating or place == 0 or observation[PHASE + LAST] == 1:
                continue
            count = min(count, PLATE_SIZE - size)
            after, card = plan_pick(belly, plate, pot, count, hand, rules)
            if card < 0:
                continue
            to_eat, move = 0, FIRST_PICK + card
        worth, card = plan_eat(belly, after, to_eat, hand, rules)
        if kind == EATING:
            move += card
            if size == place > 0 and not eating and observation[PHASE + LAST] == 0:
                worth += step + W_PERFECT
        elif playing and worth > now:
            worth = now + (worth - now) * W_TAKEN ** (place - 1)
        if worth > best:
            best, action = worth, move
    if playing and place == 1:
        best += step
    return best, action


@kernel
def heuristic(observation, mask, rng):
    """Weigh what the own plate and belly are worth after each possible turn.

    A card's worth is the change in the points it makes, and in what may still become of straights,
    pairs, sets and colours. In the first phase that is reckoned for each place, and a number is
    played for the place it will likely bring; the colour that scores best is kept for the end.
    """
    rules, hand = read_rules(observation), read_cards(observation, OWN_HAND)
    if observation[PHASE + DECLARE] == 1:
        return _declare(hand, rules)
    belly, plate = read_cards(observation, BELLY), read_cards(observation, PLATE)
    pot = read_cards(observation, POT)
    if observation[FOR_ROBOT] == 1:
        return _take_for_robot(observation, mask, belly, plate, pot, hand, rules)
    first = last = np.int64(observation[PLACE])
    if observation[PHASE + CHOOSE] == 1:
        # As if a card were picked from the hand.
        plate, pot = read_cards(observation, ASIDE), hand
        first = last = np.int64(1)
    elif observation[PHASE + LAST] == 1:
        first, last = np.int64(0), np.int64(1)
    elif observation[PHASE + PLAY] == 1:
        first, last = np.int64(0), np.int64(max(observation[NUM_PLAYERS], 3))
    values, action = np.zeros(last + 1), -1
    step = _step_worth(observation, rules, np.int64(0))
    for place in range(first, last + 1):
        values[place], action = _turn(
            observation, place, values[0], step, belly, plate, pot, hand, rules
        )
    if observation[PHASE + PLAY] == 1:
        return _play(observation, values, both(belly, plate), hand, rules)
    if observation[PHASE + CHOOSE] == 1:
        return action - FIRST_PICK + FIRST_PLATE
    if observation[PHASE + LAST] == 1 and values[0] >= values[1]:
        return KEEP
    return action


BOTS: Mapping[str, Kernel] = {"greedy": greedy, "heuristic": heuristic}
