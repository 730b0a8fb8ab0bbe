"""Help, lists, wrong usage: one line on standard error, exit code 2, nothing done."""

import re
import subprocess
import sys

import pytest

from hotpot_envs.cli import main
from hotpot_envs.core import game_names, get_game

COMMANDS = ["list", "play", "watch", "arena", "record", "check", "bench"]


@pytest.mark.parametrize("command", [[], *([command] for command in COMMANDS)])
def test_help_has_examples(command, capsys):
    assert main([*command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(" ".join(["usage: hotpot", *command]))
    examples = re.findall(r"^  hotpot .*$", shown, re.MULTILINE)
    assert len(examples) >= 2
    for example in examples:
        assert example.split()[1] in COMMANDS


@pytest.mark.parametrize("command", ["play", "watch", "arena", "record", "bench"])
def test_commands_for_games_take_options_and_a_seed(command, capsys):
    main([command, "--help"])
    shown = capsys.readouterr().out
    assert "--option NAME=VALUE" in shown
    assert "--seed N" in shown


def test_version(hotpot):
    done = hotpot("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"hotpot-envs \d+\.\d+\.\d+\n", done.stdout)


def test_list_names_every_game(hotpot):
    done = hotpot("list")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == game_names()
    for line in lines:
        game = get_game(line.split()[0])
        assert line.split()[1] == game.id
        assert game.title in line


@pytest.mark.parametrize("name", game_names())
def test_list_tells_of_a_game(name, capsys):
    assert main(["list", name]) == 0
    shown = capsys.readouterr().out
    game = get_game(name)
    for word in (game.id, "random", *game.bots, *(option.name for option in game.options)):
        assert word in shown


@pytest.mark.parametrize("arguments", [["list"], ["--help"], ["record", "--help"]])
def test_no_compiler_is_loaded_for_lists_and_help(arguments):
    code = (
        "import sys; from hotpot_envs.cli import main; "
        f"assert main({arguments}) == 0; "
        "print([name for name in ('numba', 'torch', 'scipy', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


WRONG = [
    ([], "required: COMMAND"),
    (["deal"], "invalid choice: 'deal'"),
    (["list", "poker"], "no game 'poker'; there are: "),
    (["list", "boil_over", "haricots"], "unrecognized arguments"),
    (["record", "poker"], "no game 'poker'"),
    (["record", "boil_over", "--games", "-1"], "'-1': allowed is a whole number from 0"),
    (["record", "boil_over", "--games", "1.5"], "'1.5': allowed is a whole number from 0"),
    (["record", "boil_over", "--seed", "x"], "'x': allowed is a whole number from 0 to"),
    (["record", "boil_over", "--seed", str(2**64)], "allowed is a whole number from 0 to"),
    (["record", "boil_over", "--option", "limit"], "option 'limit': write it as name=value"),
    (["record", "boil_over", "--option", "limits=1"], "no option 'limits'; its options are"),
    (["record", "boil_over", "--option", "limit=9"], "option limit=9: allowed is a whole number"),
    (["record", "boil_over", "--option", "limit=a"], "option limit='a'"),
    (["record", "boil_over", "--bots", "nobody"] + ["random"] * 3, "no bot 'nobody'"),
    (["record", "boil_over", "--bots", "random"], "option num_players=1: allowed is"),
    (
        ["record", "boil_over", "--bots", *["random"] * 4, "--option", "num_players=3"],
        "4 bots for 3 seats: name one for each seat",
    ),
    (["record", "boil_over", "--bots", "a.safetensors"] + ["random"] * 3, "there is no policy"),
    (["record", "boil_over", "-o", "missing/games.jsonl"], "cannot write missing/games.jsonl"),
    (["record", "boil_over", "-o", "."], "cannot write .: Is a directory"),
    (["arena", "boil_over"], "the following arguments are required: --bots"),
    (["arena", "boil_over", "--bots", *["random"] * 3, "--deals", "0"], "'0': allowed is"),
    (["arena", "boil_over", "--bots", *["random"] * 3, "--plot", "a.jpg"], "ends in .png"),
    (["arena", "boil_over", "--bots", *["random"] * 3, "--json", "no/a"], "cannot write no/a"),
    (["arena", "boil_over", "--bots", *["random"] * 3, "--csv", "no/a"], "cannot write no/a"),
    (
        ["arena", "boil_over", "--bots", *["random"] * 3, "--option", "num_players=4"],
        "3 bots for 4 seats",
    ),
    (["play", "boil_over", "--seat", "4"], "--seat 4: allowed is 0 to 3"),
    (
        ["play", "boil_over", "--bots", *["random"] * 4, "--option", "num_players=4"],
        "4 bots for 3 seats besides you",
    ),
    (["watch", "nothing"], "nothing is no game and no file; the games are "),
    (["watch", "."], "cannot read .: Is a directory"),
    (["watch", "boil_over", "--seat", "4"], "--seat 4: allowed is 0 to 3"),
    (["watch", "boil_over", "--number", "1"], "--number is for files of records"),
    (["watch", "boil_over", "--delay", "soon"], "'soon': allowed is a number of seconds"),
    (["watch", "nothing", "--seed", "1"], "--seed is for games, not for records"),
    (["check"], "the following arguments are required: FILE"),
    (["check", "nothing.jsonl"], "cannot read nothing.jsonl: No such file or directory"),
    (["check", "."], "cannot read .: Is a directory"),
    (["bench", "boil_over", "--seconds", "-1"], "'-1': allowed is a number of seconds"),
    (["bench", "boil_over", "--threads", "0"], "'0': allowed is a whole number from 1"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=range(len(WRONG)))
def test_wrong_usage_is_one_line_and_exit_code_2(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("hotpot")
    assert shown.err.count("\n") == 1
    assert words in shown.err
    assert list(tmp_path.iterdir()) == []


def test_wrong_usage_in_a_process_of_its_own(hotpot):
    done = hotpot("record", "boil_over", "--option", "limit=9")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "hotpot: option limit=9: allowed is a whole number from 10 to 40\n"


def test_what_is_missing_is_named(capsys, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    arguments = ["arena", "boil_over", "--bots", *["random"] * 3, "--plot", "a.png"]
    assert main(arguments) == 1
    assert capsys.readouterr().err == (
        "hotpot: --plot needs matplotlib: pip install 'hotpot-envs[render]'\n"
    )
