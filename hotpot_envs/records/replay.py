"""Replaying a game record by the rules, event by event, from the chance that stands in it."""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hotpot_envs.core import Engine, Game, get_game
from hotpot_envs.core.words import show
from hotpot_envs.records.read import RecordError, Unreadable
from hotpot_envs.records.words import VERSION, legal_words, result_of

__all__ = ["Position", "Replay"]

_KEYS = ("record", "game", "options", "events", "result")
_REMARKS = ("seed", "players")
_MOVE_KEYS = ("seat", "move", "for", "legal")


@dataclasses.dataclass(frozen=True)
class Position:
    """A game at a point of its record.

    Attributes:
        num_events: how many events of the record stand before it.
        events: those since the position before: a move and what chance decided after it; at a
            game's start what chance decided at first.
        state: the game, a single record of STATE, not changed any more.
    """

    num_events: int
    events: list[Mapping[str, Any]]
    state: Any


class Replay:
    """A record's game, replayed as it is iterated over: its positions, the start's first.

    All of a record that was iterated over to its end is right. The recorded chance events are
    used, the seed is not.

    Args:
        record: a record, as ``json.loads`` returns it.

    Attributes:
        game: the game.
        options: its options, every one with its value.
        config: the game's CONFIG, a single record.

    Raises:
        RecordError: here when what stands before the events is wrong, otherwise while iterating.

    Example:
        >>> replay = Replay(json.loads(line))
        >>> for position in replay:
        ...     print(replay.game.text(replay.config, position.state, None))
    """

    def __init__(self, record: Mapping[str, Any]) -> None:
        if not isinstance(record, Mapping):
            raise RecordError(-1, f"a record is a JSON object, not {show(record)}")
        self.game, self._engine = _start(record)
        self.options = self._engine.options
        self.config = self._engine.config[0]
        self._buffers = self._engine.buffers()
        self._record = record
        self._events: list[Any] = record["events"]

    def __iter__(self) -> Iterator[Position]:
        number = self._settle(None, -1, 0)
        yield self._position(0, number)
        while number < len(self._events):
            first = number
            action = self._read_move(number)
            number = self._settle(self._engine.states.copy(), action, number + 1)
            yield self._position(first, number)
        if not self._engine.over[0]:
            raise RecordError(
                number,
                f"the events end here, but seat {self._to_move} is to move: the game goes on",
            )
        self._check_result()

    @property
    def _state(self) -> Any:
        return self._engine.states[0]

    @property
    def _to_move(self) -> int:
        return int(self._engine.to_move[0])

    def _position(self, first: int, number: int) -> Position:
        return Position(number, self._events[first:number], self._engine.states.copy()[0])

    def _settle(self, before: np.ndarray | None, action: int, first: int) -> int:
        """Apply an action with the chance events that follow it from number ``first`` on.

        Without ``before``, set up the game. Returns the number of the next event.
        """
        last = first
        while last < len(self._events) and _is_chance(self._events[last]):
            last += 1
        try:
            due = self._apply(before, action, first, last)
        except RecordError:
            # Which event is it? The last of the fewest with which it fails.
            for stop in range(first + 1, last + 1):
                if before is not None:
                    self._engine.restore(before)
                self._apply(before, action, first, stop)
            raise
        if len(due) < last - first:
            where = first + len(due)
            found = show(self._events[where]["chance"])
            raise RecordError(where, f"found the chance event {found}; the rules have none here")
        if len(due) > last - first:
            found = show(self._events[last]) if last < len(self._events) else "no more events"
            missing = due[last - first]["chance"]
            raise RecordError(last, f'found {found}; the rules have the chance event "{missing}"')
        self._engine.observe(self._buffers)
        return last

    def _apply(
        self, before: np.ndarray | None, action: int, first: int, stop: int
    ) -> list[dict[str, Any]]:
        """Apply an action with the chance events from ``first`` to ``stop`` (not included).

        ``before`` is a copy of the state that the engine is in; without it, the game is set up.
        Returns what chance decided, as it is written; as much as was given is compared with it.
        """
        notation, engine, config, state = self.game.notation, self._engine, self.config, self._state
        given = self._events[first:stop]
        with _at(max(first, stop - 1)):
            for event in given:
                if not isinstance(event["chance"], str):
                    raise ValueError(f'"chance" is {show(event["chance"])}: it must be a word')
            if before is None:
                engine.reset(0)
            else:
                if notation.prepare is not None:
                    notation.prepare(config, state, given)
                engine.step(np.array([action]), self._buffers, show="nothing")
            old = None if before is None else before[0]
            notation.overwrite(config, old, action, state, given)
            due = notation.chance(config, old, action, state)
        for number, (event, word) in enumerate(zip(given, due, strict=False), first):
            if not _same(event, word, ordered=False):
                raise RecordError(number, f"found {show(event)}; the rules have {show(word)}")
        return due

    def _read_move(self, number: int) -> int:
        """Check the move event with this number; return its action."""
        event, notation = self._events[number], self.game.notation
        if self._engine.over[0]:
            raise RecordError(number, f"found {show(event)} after the game's end")
        with _at(number):
            _check_move_keys(event)
            if type(event["seat"]) is not int or event["seat"] != self._to_move:
                raise ValueError(f"seat is {show(event['seat'])}: seat {self._to_move} is to move")
            if not isinstance(event["move"], str):
                raise ValueError(f"move is {show(event['move'])}: it must be a word")
            action = notation.action(self.config, self._state, event)
            mask = self._buffers.action_masks[0]
            if not (0 <= action < len(mask) and mask[action]):
                legal = ", ".join(legal_words(self.game, self.config, self._state, mask))
                raise ValueError(f"{show(event['move'])} is not legal here: legal is {legal}")
            word = notation.move(self.config, self._state, action)
            if event["move"] != word["move"]:
                raise ValueError(f"move is {show(event['move'])}: it is written {word['move']}")
            _check_for(event, word)
            if "legal" in event:
                legal_now = legal_words(self.game, self.config, self._state, mask)
                _check_legal(event["legal"], legal_now)
        return action

    def _check_result(self) -> None:
        where = len(self._events)
        if "result" not in self._record:
            raise RecordError(where, 'no "result": a record of a finished game has one')
        found, due = self._record["result"], result_of(self._engine, 0)
        if not isinstance(found, dict):
            raise RecordError(where, f"result is {show(found)}: it must be an object")
        _check_keys(found, tuple(due), (), "the result", where)
        for key, value in due.items():
            given = found[key]
            if key == "winners" and isinstance(given, list) and len(given) == len(value):
                right = _same(given, value, ordered=False)
            else:
                right = _same(given, value)
            if not right:
                raise RecordError(where, f"{key} is {show(given)} in the result: it is {value}")


def _start(record: Mapping[str, Any]) -> tuple[Game, Engine]:
    """Check what stands before the events, and the kind of all that stands in their place."""
    # A missing result is told at the end: it may be the record of a game still going on.
    _check_keys(record, _KEYS[:-1], (*_KEYS, *_REMARKS), "a record", -1)
    if type(record["record"]) is not int or record["record"] != VERSION:
        raise RecordError(-1, f"record is {show(record['record'])}: the version must be {VERSION}")
    for remark in _REMARKS:
        if (wrong := _unreadable(record.get(remark))) is not None:
            raise RecordError(-1, f"{remark} holds {wrong}")
    if not isinstance(record["game"], str):
        raise RecordError(-1, f"game is {show(record['game'])}: it must be a game's name")
    with _at(-1):
        game = get_game(record["game"])
        engine = Engine(game, 1, options=_read_options(game, record["options"]), illegal="report")
    if not isinstance(record["events"], list):
        raise RecordError(-1, f"events is {show(record['events'])}: it must be a list")
    return game, engine


def _read_options(game: Game, found: object) -> dict[str, Any]:
    if not isinstance(found, Mapping):
        raise RecordError(-1, f"options is {show(found)}: it must be an object")
    needed = tuple(option.name for option in game.options if not option.omittable)
    known = tuple(option.name for option in game.options)
    _check_keys(found, needed, known, "the options", -1)
    return {
        option.name: option.from_record(found[option.name])
        for option in game.options
        if option.name in found
    }


def _check_keys(
    found: Mapping[str, Any], needed: tuple[str, ...], known: tuple[str, ...], what: str, where: int
) -> None:
    """Check that all keys needed are there, and none but them and those known."""
    allowed = dict.fromkeys((*needed, *known))
    for key in found:
        if key not in allowed:
            raise RecordError(
                where, f"unknown key {show(key)} in {what}: allowed is {', '.join(allowed)}"
            )
    for key in needed:
        if key not in found:
            raise RecordError(where, f'no "{key}" in {what}: it must have {", ".join(needed)}')


def _check_move_keys(event: object) -> None:
    if not isinstance(event, dict):
        raise ValueError(f"an event is an object, not {show(event)}")
    for key in event:
        if key not in _MOVE_KEYS:
            raise ValueError(f"unknown key {show(key)} in a move: it has {', '.join(_MOVE_KEYS)}")
    for key in _MOVE_KEYS[:2]:
        if key not in event:
            raise ValueError(f'no "{key}" in a move, nor "chance" of a chance event')


def _check_for(event: Mapping[str, Any], word: Mapping[str, Any]) -> None:
    """Check ``for``, which a move made for another seat has, and only such a one."""
    if "for" not in word:
        if "for" in event:
            raise ValueError(f'"for" is {show(event["for"])}: the move is made for oneself')
    elif "for" not in event:
        raise ValueError(f'no "for" in a move made for seat {word["for"]}')
    elif not _same(event["for"], word["for"]):
        raise ValueError(f'"for" is {show(event["for"])}: the move is made for seat {word["for"]}')


def _check_legal(found: object, due: list[str]) -> None:
    if not isinstance(found, list):
        raise ValueError(f"legal is {show(found)}: it must be a list of moves")
    for index, word in enumerate(found):
        if not isinstance(word, str) or word not in due:
            raise ValueError(f"legal holds {show(word)}: legal here is {', '.join(due)}")
        if word in found[:index]:
            raise ValueError(f"legal holds {show(word)} twice")
    if missing := [word for word in due if word not in found]:
        raise ValueError(f"legal lacks {missing[0]}: legal here is {', '.join(due)}")


def _is_chance(event: object) -> bool:
    return isinstance(event, dict) and "chance" in event


def _same(found: Any, due: Any, *, ordered: bool = True) -> bool:
    """Whether a value is what it must be, ``True`` being no 1 and 1.0 neither.

    Not ``ordered``: lists without lists and objects in them (hands) may be in any order. Where
    the page gives an order a meaning, ``Notation.overwrite`` has put the recorded one into the
    state, and ``due`` was written from there.
    """
    if type(found) is not type(due):
        return False
    if isinstance(due, dict):
        return found.keys() == due.keys() and all(
            _same(found[key], value, ordered=ordered) for key, value in due.items()
        )
    if isinstance(due, list):
        if len(found) != len(due):
            return False
        if not ordered and not any(isinstance(item, (dict, list)) for item in (*due, *found)):
            return Counter((type(x), x) for x in found) == Counter((type(x), x) for x in due)
        return all(_same(a, b, ordered=ordered) for a, b in zip(found, due, strict=True))
    return bool(found == due)


def _unreadable(value: object) -> Unreadable | None:
    """Return the first ``Unreadable`` in a value."""
    if isinstance(value, Unreadable):
        return value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((wrong for part in parts if (wrong := _unreadable(part)) is not None), None)


@contextlib.contextmanager
def _at(where: int) -> Iterator[None]:
    """Tell where a notation found something wrong.

    What a record holds may trip a notation in other ways than by a sentence; that is no reason to
    crash (``tests/records`` sees to it that no game's own does so).
    """
    try:
        yield
    except RecordError:
        raise
    except ValueError as error:
        raise RecordError(where, str(error)) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
        raise RecordError(where, f"not understood: {type(error).__name__}: {error}") from error
