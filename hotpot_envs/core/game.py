"""The contract that every game keeps: dtypes, kernels, layouts, options, notation, drawing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hotpot_envs.core.layout import Layout

__all__ = ["HEADER", "Choice", "Game", "Kernel", "Notation", "Option", "Symmetry", "Whole"]

Kernel = Callable[..., Any]

#: What every STATE begins with. ``offender``: whose illegal action ended the game, or −1.
HEADER: list[Any] = [
    ("rng", np.uint64, (1,)),
    ("num_moves", np.int32),
    ("to_move", np.int8),
    ("phase", np.int8),
    ("terminated", np.bool_),
    ("truncated", np.bool_),
    ("offender", np.int8),
    ("padding", np.int8, (7,)),
]


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of a game: its name, what it means, and its default.

    Attributes:
        name: the keyword.
        meaning: one sentence for tables and help texts.
        default: the default, or a function of the options before it, in the game's order.
        default_text: how tables show a default that is a function.
        omittable: a game record may leave the option out where it has its default value (a pack
            of the project's own); the others all stand there.
    """

    name: str
    meaning: str
    default: Any
    default_text: str = dataclasses.field(default="", kw_only=True)
    omittable: bool = dataclasses.field(default=False, kw_only=True)

    @property
    def allowed(self) -> str:
        """What values are allowed, in words."""
        raise NotImplementedError

    def convert(self, value: Any) -> Any:
        """Return the value in its one plain form (an int, a str, a dict), or raise ValueError."""
        raise NotImplementedError

    def parse(self, text: str) -> Any:
        """Read the value from the command line."""
        return self.convert(text)

    def from_record(self, value: Any) -> Any:
        """Read the value from a game record, which holds plain forms only (no path of a file)."""
        return self.convert(value)

    def _refuse(self, value: Any) -> ValueError:
        return ValueError(f"option {self.name}={value!r}: allowed is {self.allowed}")


@dataclasses.dataclass(frozen=True)
class Whole(Option):
    """An option whose value is a whole number from ``low`` to ``high``."""

    low: int
    high: int

    @property
    def allowed(self) -> str:  # noqa: D102
        return f"a whole number from {self.low} to {self.high}"

    def convert(self, value: Any) -> int:  # noqa: D102
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise self._refuse(value)
        if not self.low <= value <= self.high:
            raise self._refuse(value)
        return int(value)

    def parse(self, text: str) -> int:  # noqa: D102
        try:
            value = int(text)
        except ValueError:
            raise self._refuse(text) from None
        return self.convert(value)


@dataclasses.dataclass(frozen=True)
class Choice(Option):
    """An option whose value is one of a few words, or of ``False`` and ``True``."""

    choices: tuple[str | bool, ...]

    @property
    def allowed(self) -> str:  # noqa: D102
        return "one of " + ", ".join(str(choice).lower() for choice in self.choices)

    def convert(self, value: Any) -> str | bool:  # noqa: D102
        for choice in self.choices:
            if type(choice) is type(value) and choice == value:
                return choice
        raise self._refuse(value)

    def parse(self, text: str) -> str | bool:  # noqa: D102
        for choice in self.choices:
            if str(choice).lower() == text.lower():
                return choice
        raise self._refuse(text)


@dataclasses.dataclass(frozen=True)
class Notation:
    """A game's words: moves and chance events of a record. Plain Python over one state.

    ``config`` and ``state`` are single records (``configs[0]``, ``states[0]``). Whatever is wrong
    with an event or a word raises ``ValueError`` with a sentence (``core.words`` helps). Whoever
    reads a record has seen to it that events are objects, that ``move`` and ``chance`` are
    strings, and compares afterwards with what ``move`` and ``chance`` write, keys included; but
    all else in an event may be anything that JSON holds.

    Attributes:
        move: ``(config, state, action) -> dict``: the event's ``move`` and, for a move made for
            another seat, ``for``.
        action: ``(config, state, event) -> int``: the action that a move event's ``move`` (and
            ``for``) means for the seat to move; whether it is legal is not looked at, but a word
            that names no move of the game at all is refused.
        chance: ``(config, before, action, after) -> list of events``: what chance decided between
            the two states, in order; ``before`` is ``None`` for the events at a game's start.
            Fields that no later record of ``before`` could hold must still be in ``after``.
        prepare: ``(config, state, events)``: called before the move is applied, with the chance
            events that a record has between this move and the next: put into the state what must
            be known while ``apply`` runs (a queue of forced draws). ``None``: nothing.
        overwrite: ``(config, before, action, after, events)``: called after the move was applied
            (or the game reset, with ``before`` ``None``): check the events' contents and write
            them over ``after``. Must leave ``after`` as if chance had fallen so.
        result: ``(config, state) -> dict``: what the game's page wants in ``result`` beyond
            ``winners`` and ``end``; ``scores`` first.
        secret: ``(config, state, action) -> bool``: whether the other seats don't learn, when the
            move is made, which one it was (a card laid face down): the terminal then doesn't say
            it. ``None``: no move of the game is such a one.
    """

    move: Callable[[Any, Any, int], dict[str, Any]]
    action: Callable[[Any, Any, Mapping[str, Any]], int]
    chance: Callable[[Any, Any, int, Any], list[dict[str, Any]]]
    overwrite: Callable[[Any, Any, int, Any, Sequence[Mapping[str, Any]]], None]
    result: Callable[[Any, Any], dict[str, Any]]
    prepare: Callable[[Any, Any, Sequence[Mapping[str, Any]]], None] | None = None
    secret: Callable[[Any, Any, int], bool] | None = None


class Symmetry(NamedTuple):
    """A renaming (of suits, say) under which a game's rules are the same.

    Attributes:
        observations: ``view[observations]`` is what a seat sees when everything is renamed, int64
            ``[D]``.
        actions: the same for action masks, int64 ``[A]``: after the renaming, action ``a`` does
            what ``actions[a]`` did.
    """

    observations: np.ndarray
    actions: np.ndarray


@dataclasses.dataclass(frozen=True, eq=False)
class Game:
    """Everything about one game. This docstring is the contract; ``check_game`` is it as code.

    The rules are kernels (``core.jit.kernel``) over two structured dtypes:

    * ``CONFIG``: what does not change in a game. Begins with ``num_players``. One record for a
      whole batch.
    * ``STATE``: what changes. Begins with ``HEADER``; fixed size, no pointers, so that a game is
      saved, copied and compared by its bytes.

    Kernels get single records and write into what they are given; ``out_*`` arrays come zeroed.

    Attributes:
        name: the folder's name, for example ``boil_over``.
        title: the name in print, for example ``Boil Over``.
        version: the ``N`` of the id ``hotpot_envs/BoilOver-vN``.
        folder: where the game's files lie.
        options: all options in order; the first is ``num_players``.
        config_dtype: the structured dtype of CONFIG.
        state_dtype: the structured dtype of STATE.
        observations: layout of observations, sized for the most players, whatever the options.
        actions: layout of actions; every entry is one action number.
        configure: ``(options) -> np.ndarray`` of shape ``(1,)`` and ``config_dtype``. Plain Python.
        reset: ``(config, state)``: set up a new game from ``state["rng"]``; all of the state but
            ``rng`` comes zeroed, with ``offender`` −1.
        legal: ``(config, state, out_mask)``: set 1 (int8) for each legal action. Not called when
            the game is over.
        apply: ``(config, state, action) -> bool``: one decision and all that follows from it up to
            the next one, chance included. An illegal action returns False and changes nothing.
            Sets ``to_move``, ``terminated``, ``truncated`` and counts ``num_moves``. ``action`` is
            within the action space, the game not over.
        observe: ``(config, state, seat, out_observation)``: what that seat knows, and no more
            (int16). Seats are relative: own first, then clockwise; absent ones are zeros.
        scores: ``(config, state, out_scores)``: int64 ``[num_players]``: each seat's points in the
            game's own points as they publicly stand; final when the game is over.
        winners: ``(config, state, out_winners)``: bool ``[num_players]``: who shares the win of a
            finished game. Not called for a truncated one.
        determinize: ``(config, state, seat, rng)``: redraw what the seat does not know, among all
            that fits what it does know; ``rng`` is a generator as in ``core.rng``. ``state["rng"]``
            is renewed afterwards: chance to come is not known either.
        bots: name → ``(observation, mask, rng) -> action``: kernels that see what their seat sees.
            Every game has ``heuristic``; ``random`` is everybody's and not listed here.
        notation: the words of the game's records.
        text: ``(config, state, seat) -> str``: the table in plain text, as ``seat`` sees it, or
            with open cards for ``seat`` ``None``.
        svg: ``(config, state, seat) -> str``: the same as a drawing, a whole SVG document.
        score_sign: 1 where more points are better, −1 where fewer are.
        score_scale: the points' spread, which divides ``score`` and ``dense`` rewards.
        score_name: what the points are called.
        max_num_moves: no game is longer, whatever the options.
        corners: option sets that tests run, the default first, each reaching what others don't.
        symmetries: renamings under which the rules are the same, whatever the options; those that
            come of doing one after another need not be named. Training makes use of them.
    """

    name: str
    title: str
    version: int
    folder: Path
    options: tuple[Option, ...]
    config_dtype: np.dtype
    state_dtype: np.dtype
    observations: Layout
    actions: Layout
    configure: Callable[[Mapping[str, Any]], np.ndarray]
    reset: Kernel
    legal: Kernel
    apply: Kernel
    observe: Kernel
    scores: Kernel
    winners: Kernel
    determinize: Kernel
    bots: Mapping[str, Kernel]
    notation: Notation
    text: Callable[[Any, Any, int | None], str]
    svg: Callable[[Any, Any, int | None], str]
    score_sign: int
    score_scale: float
    score_name: str
    max_num_moves: int
    corners: tuple[Mapping[str, Any], ...]
    symmetries: tuple[Symmetry, ...] = ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self  # nothing in it changes

    def __reduce__(self) -> tuple[Any, ...]:
        from hotpot_envs.core import registry  # it imports this module

        if self.name not in registry.game_names() or registry.get_game(self.name) is not self:
            raise TypeError(
                f"{self.title} cannot be pickled: another process would not find it; make it "
                "known with register_game"
            )
        return registry.get_game, (self.name,)

    @property
    def class_name(self) -> str:
        """The name in ids: ``boil_over`` → ``BoilOver``."""
        return "".join(word.capitalize() for word in self.name.split("_"))

    @property
    def id(self) -> str:
        """The environment id, for example ``hotpot_envs/BoilOver-v0``."""
        return f"hotpot_envs/{self.class_name}-v{self.version}"

    @property
    def max_num_players(self) -> int:
        """The most players that the game takes."""
        option = self.options[0]
        assert isinstance(option, Whole)
        return option.high

    def resolve_options(self, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return every option with its value, defaults filled in.

        Raises:
            ValueError: for an unknown name or a value that is not allowed.
        """
        given = dict(given or {})
        known = [option.name for option in self.options]
        if unknown := sorted(set(given) - set(known)):
            raise ValueError(
                f"{self.title} has no option {unknown[0]!r}; its options are {', '.join(known)}"
            )
        resolved: dict[str, Any] = {}
        for option in self.options:
            value = given.get(option.name)
            if value is None:
                value = option.default(resolved) if callable(option.default) else option.default
            resolved[option.name] = option.convert(value)
        return resolved

    def parse_options(self, texts: Sequence[str]) -> dict[str, Any]:
        """Read options written as ``name=value``; later ones win. Defaults are not filled in.

        Raises:
            ValueError: for a text without ``=``, an unknown name or a value that is not allowed.
        """
        options = {option.name: option for option in self.options}
        parsed: dict[str, Any] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not equals:
                raise ValueError(f"option {text!r}: write it as name=value")
            if name not in options:
                raise ValueError(
                    f"{self.title} has no option {name!r}; its options are {', '.join(options)}"
                )
            parsed[name] = options[name].parse(value)
        return parsed
