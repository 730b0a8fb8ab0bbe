"""``hotpot play``, ``watch``, ``arena`` and ``bench``, as processes."""

import csv
import json
import os
import re
import signal
import subprocess
import sys

import pytest

if sys.platform != "win32":
    import pty

QUICK = ("--option", "rounds=1")


def test_play_to_the_end(hotpot, local):
    arguments = ("--bots", "greedy", "heuristic", "--seat", 1, "--seed", 3)
    done = hotpot("play", "boil_over", *arguments, *QUICK, input="1\n" * 20)
    assert (done.returncode, done.stderr) == (0, "")
    shown = done.stdout
    assert shown.startswith("Boil Over, seed 3. You are seat 1.\n")
    assert "Legal moves:\n  1 H" in shown
    assert shown.count("Your move: ") in (9, 10)
    assert "seat 0 (greedy): " in shown
    assert "seat 1 (you): " in shown
    assert re.search(
        r"^Seat \d \(\w+\)( and seat \d \(\w+\))* (wins|share the win)\.$", shown, re.M
    )
    assert shown.splitlines()[-1].startswith("Points: seat 0 (greedy): ")
    again = local("play", "boil_over", *arguments, *QUICK, input="1\n" * 20)
    assert again.stdout == shown


def test_play_hides_the_other_hands(local):
    done = local("play", "boil_over", "--seed", 1, input="")
    (row,) = re.findall(r"0 you.*? ((?:[HDCS]\d+ ?){9,10}) ", done.stdout)
    assert done.stdout.count(" cards ") + done.stdout.count("cards │") >= 3
    assert 9 <= len(row.split()) <= 10


def test_play_takes_words_and_numbers_and_refuses_the_rest(local):
    start = local("play", "boil_over", "--seed", 3, input="").stdout
    word = re.search(r"^  1 (\w+)", start, re.M).group(1)
    answers = f"x\n0\n99\n\n?\n{word.lower()}\n"
    done = local("play", "boil_over", "--seed", 3, input=answers)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("is no legal move") == 3
    assert f"seat 0 (you): {word}\n" in done.stdout
    assert "'x' is no legal move: type one of those shown or its number" in done.stdout


@pytest.mark.parametrize("answers", ["", "q\n", "1\nquit\n"])
def test_play_is_left_cleanly(local, answers):
    done = local("play", "boil_over", *QUICK, input=answers)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("You left the game.\n")


def test_play_is_left_by_control_c():
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "hotpot_envs", "play", "boil_over"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        shown = b""
        while b"Your move" not in shown:
            shown += os.read(process.stdout.fileno(), 4096)
        process.send_signal(signal.SIGINT)
        rest, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert rest.endswith(b"You left the game.\n")
    assert b"Traceback" not in error


def test_watch_a_game(hotpot):
    bots = ("--bots", "random", "greedy", "heuristic")
    done = hotpot("watch", "boil_over", *bots, "--seed", 4, *QUICK)
    assert (done.returncode, done.stderr) == (0, "")
    shown = done.stdout
    assert shown.startswith("Boil Over, seed 4\n")
    # 29 cards are played, and the unused hand is seen.
    assert len(re.findall(r"^  seat \d \(\w+\): \w+(>\w)?$", shown, re.M)) == 29
    assert shown.count("round 1 of 1") == 29
    assert "unused: " in shown
    assert "event 30 of 30" in shown
    assert "wins" in shown.splitlines()[-2] or "share the win" in shown.splitlines()[-2]


def test_watch_a_record(local, tmp_path):
    path = tmp_path / "games.jsonl"
    local("record", "boil_over", "--games", 2, "--seed", 4, *QUICK, "-o", path)
    done = local("watch", path, "--number", 2, "--seat", 3, "--delay", 0)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Boil Over, seed 5\n")
    assert "3 you" in done.stdout
    assert "10 cards" in done.stdout
    done = local("watch", path, "--number", 3)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"hotpot: {path} has no record 3: it holds 2\n"


def test_watch_a_wrong_record_up_to_where_it_is_wrong(local, tmp_path):
    record = json.loads(local("record", "boil_over", "--seed", 4, *QUICK).stdout)
    record["events"][5]["seat"] = 8
    record["players"] = {"not": "looked at"}
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(record))
    done = local("watch", path)
    assert done.returncode == 1
    assert "event 5 of 39" in done.stdout
    assert "event 6 of 39" not in done.stdout
    assert done.stderr.startswith(f"hotpot: {path}: line 1, event 5: seat is 8: seat ")
    path.write_text("{")
    done = local("watch", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"hotpot: {path}: line 1, event -1: no JSON: ")


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_watch_waits_in_a_terminal():
    main, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "hotpot_envs", "watch", "boil_over"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
    ) as process:
        os.close(terminal)
        shown = b""
        while b"[Enter: next, q: leave]" not in shown:
            shown += os.read(main, 4096)
        os.write(main, b"\n")
        while shown.count(b"[Enter: next, q: leave]") < 2:
            shown += os.read(main, 4096)
        os.write(main, b"q\n")
        assert process.wait(timeout=60) == 0
    os.close(main)
    assert b"event 1 of" in shown
    assert b"event 2 of" in shown
    assert b"event 3 of" not in shown


def test_arena(hotpot, local, tmp_path):
    arguments = ("arena", "boil_over", "--bots", "random", "heuristic", "random", "--deals", 20)
    files = ("--json", "match.json", "--csv", "match.csv", "--plot", "match.png")
    done = hotpot(*arguments, *QUICK, "--seed", 5, *files)
    assert (done.returncode, done.stderr) == (0, "")
    assert "20 deals × 3 rotations = 60 games" in done.stdout
    result = json.loads((tmp_path / "match.json").read_text())
    assert {key: result[key] for key in ("game", "options", "seed", "deals", "games")} == {
        "game": "boil_over",
        "options": {"num_players": 3, "limit": 20, "rounds": 1},
        "seed": 5,
        "deals": 20,
        "games": 60,
    }
    assert [bot["name"] for bot in result["bots"]] == ["random", "heuristic", "random"]
    assert [bot["seat"] for bot in result["bots"]] == [0, 1, 2]
    with open(tmp_path / "match.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, bot in zip(rows, result["bots"], strict=True):
        assert (row["name"], float(row["win_share"])) == (bot["name"], bot["win_share"]["mean"])
    assert (tmp_path / "match.png").read_bytes().startswith(b"\x89PNG")
    assert local(*arguments, *QUICK, "--seed", 5).stdout == done.stdout
    assert local(*arguments, *QUICK, "--seed", 6).stdout != done.stdout


def test_bench(hotpot):
    done = hotpot(
        "bench", "boil_over", "--games", 16, "--seconds", 0.1, "--option", "num_players=3"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        r"Boil Over: [\d.,]+( million)? decisions/s in random play, with masks and observations; "
        r"16 games at once, 1 thread\n",
        done.stdout,
    )


def test_a_terminal_that_lacks_letters(hotpot):
    for arguments in (["list"], ["watch", "boil_over", *QUICK]):
        done = hotpot(*arguments, env={"PYTHONIOENCODING": "ascii"}, encoding="ascii")
        assert (done.returncode, done.stderr) == (0, "")
