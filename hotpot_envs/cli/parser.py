"""The words of the command line. Importing this loads no game and no compiler."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from typing import Any, NoReturn

__all__ = ["make_parser"]

_DESCRIPTION = (
    "Five card games for reinforcement learning: play, watch, compare bots, keep records."
)
_EPILOG = """\
examples:
  hotpot list                                        the games
  hotpot list boil_over                              its options and bots
  hotpot play boil_over --bots heuristic heuristic   you against two bots
  hotpot arena boil_over --bots random heuristic heuristic runs/first/policy.safetensors
  hotpot record boil_over --games 100 --legal -o games.jsonl
  hotpot check games.jsonl
  hotpot watch games.jsonl

'hotpot COMMAND --help' tells more of each command.
Exit codes: 0 success, 1 what was asked for failed, 2 wrong usage.
"""
_BOTS = """\
A bot is a name that 'hotpot list GAME' shows, or the path of a trained policy (.safetensors, or
the folder of its run), which plays its likeliest action; path@sample draws one instead.
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def __init__(self, **arguments: Any) -> None:
        super().__init__(
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **arguments,
        )

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (try: {self.prog} --help)\n")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser; ``run`` of what it parses carries out the command."""
    parser = _Parser(prog="hotpot", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and leave")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    for add in (_list, _play, _watch, _arena, _record, _check, _bench):
        add(commands)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from hotpot_envs import __version__

        print(f"hotpot-envs {__version__}")
        parser.exit()


def _later(module: str) -> Callable[[argparse.Namespace], int]:
    """Return a function that loads a command's module and runs it."""

    def run(arguments: argparse.Namespace) -> int:
        code: int = importlib.import_module(f"hotpot_envs.cli.{module}").run(arguments)
        return code

    return run


def _command(
    commands: Any, name: str, module: str, words: str, epilog: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=words, description=words[0].upper() + words[1:] + ".", epilog=epilog
    )
    parser.set_defaults(run=_later(module))
    return parser


def _list(commands: Any) -> None:
    parser = _command(
        commands,
        "list",
        "listing",
        "list the games, or one game's options and bots",
        "examples:\n  hotpot list\n  hotpot list boil_over\n",
    )
    parser.add_argument("game", nargs="?", metavar="GAME", help="tell of this game")


def _play(commands: Any) -> None:
    parser = _command(
        commands,
        "play",
        "play",
        "play a game in the terminal against bots",
        f"""{_BOTS}
At your turn, type a move as it is shown or its number; '?' shows the table again, and 'q', the
end of input or Ctrl-C leaves the game.

examples:
  hotpot play boil_over
  hotpot play boil_over --bots greedy heuristic --seat 2 --option rounds=1
  hotpot play boil_over --bots runs/first/policy.safetensors heuristic heuristic --seed 7
""",
    )
    _game_arguments(parser)
    _bots_argument(parser, "the others at the table (default: heuristic in every seat)")
    parser.add_argument(
        "--seat", type=_whole(0), default=0, metavar="N", help="your seat, from 0 (default: 0)"
    )


def _watch(commands: Any) -> None:
    parser = _command(
        commands,
        "watch",
        "watch",
        "watch bots play, or go through a record, step by step",
        f"""{_BOTS}
In a terminal, Enter shows the next step and 'q' leaves; --delay goes on by itself.

examples:
  hotpot watch boil_over --bots heuristic heuristic greedy random --delay 1
  hotpot watch games.jsonl --number 3
""",
    )
    parser.add_argument("game", metavar="GAME|FILE", help="a game, or a file of records")
    _option_argument(parser)
    _seed_argument(parser, "the game's seed (default: another each time)")
    _bots_argument(parser, "who plays, seat by seat (default: heuristic in every seat)")
    parser.add_argument(
        "--seat", type=_whole(0), metavar="N", help="see what this seat sees (default: all cards)"
    )
    parser.add_argument(
        "--delay", type=_seconds, metavar="SECONDS", help="go on by itself after so long"
    )
    parser.add_argument(
        "--number", type=_whole(1), metavar="N", help="which record of a file, from 1 (default: 1)"
    )


def _arena(commands: Any) -> None:
    parser = _command(
        commands,
        "arena",
        "arena",
        "let bots play a match: every deal in every rotation of the seats",
        f"""{_BOTS}
There are as many seats as bots named. Intervals are 95% intervals over deals.

examples:
  hotpot arena boil_over --bots random heuristic heuristic heuristic
  hotpot arena boil_over --bots runs/first/policy.safetensors heuristic greedy --deals 500 \\
      --option rounds=4 --json match.json --csv match.csv --plot match.png
""",
    )
    _game_arguments(parser, seed="the match's seed: the same one gives the same table (default: 0)")
    _bots_argument(parser, "who plays, one for each seat", required=True)
    parser.add_argument(
        "--deals", type=_whole(1), default=2500, metavar="N", help="how many (default: 2500)"
    )
    parser.add_argument("--json", metavar="FILE", help="write the result as JSON")
    parser.add_argument("--csv", metavar="FILE", help="write the table as CSV")
    parser.add_argument("--plot", metavar="FILE", help="draw the result as PNG")


def _record(commands: Any) -> None:
    parser = _command(
        commands,
        "record",
        "record",
        "let bots play and write the records of their games",
        f"""{_BOTS}
A record is a line of JSON that anyone can check: every shuffle, deal and draw stands in it.

examples:
  hotpot record boil_over --games 100 --legal -o games.jsonl
  hotpot record boil_over --bots heuristic greedy random --seed 7 | hotpot check -
""",
    )
    _game_arguments(parser, seed="the first game's seed, one more for each other (default: drawn)")
    _bots_argument(parser, "who plays, seat by seat (default: random in every seat)")
    parser.add_argument(
        "--games", type=_whole(0), default=1, metavar="N", help="how many (default: 1)"
    )
    parser.add_argument(
        "--legal", action="store_true", help="write all legal moves beside each move"
    )
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="where to (default: standard output)"
    )


def _check(commands: Any) -> None:
    parser = _command(
        commands,
        "check",
        "check",
        "check a file of game records by the rules",
        """\
Each game is replayed from the chance events that its record holds. What is wrong is told with its
line (from 1) and event (from 0; -1 is what stands before the events, and the number of events
means a missing event or a wrong result).

exit codes: 0 all right, 1 a record is wrong, 2 there is no such file

examples:
  hotpot check games.jsonl
  hotpot check --all games.jsonl
""",
    )
    parser.add_argument("file", metavar="FILE", help="a .jsonl file, or - for standard input")
    parser.add_argument(
        "--all", action="store_true", help="tell of every wrong record, not of the first only"
    )


def _bench(commands: Any) -> None:
    parser = _command(
        commands,
        "bench",
        "bench",
        "measure how many decisions a second the engine makes in random play",
        """\
A quick figure for this machine as it is now; 'python -m benchmarks.engine' in a checkout measures
with care.

examples:
  hotpot bench boil_over
  hotpot bench boil_over --games 1 --option num_players=6
""",
    )
    _game_arguments(parser, seed="the games' seed (default: 0)")
    parser.add_argument(
        "--games", type=_whole(1), default=4096, metavar="N", help="at once (default: 4096)"
    )
    parser.add_argument(
        "--threads", type=_whole(1), default=1, metavar="N", help="share the games (default: 1)"
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=2.0, metavar="S", help="how long (default: 2)"
    )


def _game_arguments(
    parser: argparse.ArgumentParser, seed: str = "the game's seed (default: another each time)"
) -> None:
    parser.add_argument("game", metavar="GAME", help="a game's name, as 'hotpot list' shows it")
    _option_argument(parser)
    _seed_argument(parser, seed)


def _option_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--option",
        dest="options",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the game, as often as needed; 'hotpot list GAME' shows them",
    )


def _seed_argument(parser: argparse.ArgumentParser, words: str) -> None:
    parser.add_argument("--seed", type=_whole(0, 2**64 - 1), metavar="N", help=words)


def _bots_argument(parser: argparse.ArgumentParser, words: str, required: bool = False) -> None:
    parser.add_argument("--bots", nargs="+", required=required, metavar="BOT", help=words)


def _whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers."""
    allowed = f"a whole number from {low}" + ("" if high is None else f" to {high}")

    def read(text: str) -> int:
        # isdecimal: int() would also take '1_0' and ' 1'.
        if not text.isdecimal() or len(text) > 20 or not low <= int(text) <= (high or 2**63):
            raise argparse.ArgumentTypeError(f"{text!r}: allowed is {allowed}")
        return int(text)

    return read


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r}: allowed is a number of seconds from 0 to 3600")
    return value
