"""``hotpot record`` and ``hotpot check``, as processes."""

import json
import os
import signal
import stat
import subprocess
import sys
import time

import pytest


def test_records_that_are_written_are_right(hotpot, tmp_path):
    path = tmp_path / "games.jsonl"
    arguments = ["--games", 3, "--seed", 7, "--legal", "--option", "rounds=1"]
    bots = ["--bots", "heuristic", "greedy", "random", "random", "heuristic"]
    done = hotpot("record", "boil_over", *arguments, *bots, "-o", path)
    assert (done.returncode, done.stdout) == (0, "")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [record["seed"] for record in records] == [7, 8, 9]
    assert records[0]["options"] == {"num_players": 5, "limit": 20, "rounds": 1}
    assert records[0]["players"] == ["heuristic", "greedy", "random", "random", "heuristic"]
    assert all("legal" in event for event in records[0]["events"][1:])
    done = hotpot("check", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{path}: 3 records, all right\n"


def test_random_bots_sit_where_none_are_named_and_the_seed_decides(local):
    arguments = ("record", "boil_over", "--option", "rounds=1", "--option", "rounds=2")
    first, second = (local(*arguments, "--seed", 1).stdout for _ in range(2))
    assert first == second
    record = json.loads(first)
    assert record["players"] == ["random"] * 4
    assert record["options"]["rounds"] == 2
    assert not any("legal" in event for event in record["events"])
    assert json.loads(local(*arguments).stdout)["events"] != record["events"]


def test_from_one_command_to_the_other(hotpot):
    records = hotpot("record", "boil_over", "--games", 2, "--option", "rounds=1").stdout
    done = hotpot("check", "-", input=records)
    assert (done.returncode, done.stdout) == (0, "standard input: 2 records, all right\n")
    assert hotpot("check", "-", input="").returncode == 0


def wrong_lines(local):
    lines = local("record", "boil_over", "--games", 3, "--seed", 0).stdout.splitlines()
    records = [json.loads(line) for line in lines]
    records[1]["events"][40]["seat"] = 9
    records[2]["result"]["scores"] = []
    return records


def test_wrong_records(local, tmp_path):
    records = wrong_lines(local)
    path = tmp_path / "games.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    done = local("check", path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"hotpot: {path}: line 2, event 40: seat is 9: seat ")
    done = local("check", "--all", path)
    first, second, last = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1, "")
    assert first.startswith(f"{path}: line 2, event 40: ")
    assert second.startswith(f"{path}: line 3, event {len(records[2]['events'])}: scores is []")
    assert last == f"hotpot: {path}: 2 of 3 records wrong"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", 0),
        (b"\n", 1),
        (b"\xff\xfe", 1),
        (b"[" * 200_000, 1),
        (b"7" * 200_000, 1),
        (b'{"record": 1, "game": "\\ud800\\u001b[31m"}\n', 1),
        (b"\xef\xbb\xbf{}\n", 1),
        (b"\0" * 1000, 1),
    ],
    ids=range(8),
)
def test_files_of_anything_are_no_crash(local, tmp_path, content, code):
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    done = local("check", path)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr
    assert done.stderr.count("\n") == code


def test_no_such_file(hotpot):
    done = hotpot("check", "nothing.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "hotpot: cannot read nothing.jsonl: No such file or directory\n"


def test_a_broken_pipe_is_no_failure_to_tell_of(tmp_path, hotpot):
    reading, writing = os.pipe()
    os.close(reading)
    done = hotpot("record", "boil_over", capture_output=False, stdout=writing, stderr=-1)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk(hotpot):
    with open("/dev/full", "w") as full:
        done = hotpot("list", capture_output=False, stdout=full, stderr=-1)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr


def test_closed_streams(tmp_path):
    done = subprocess.run(
        f'"{sys.executable}" -m hotpot_envs list >&- 2>&- <&-', shell=True, check=False
    )
    assert done.returncode == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_leaves_the_old_file(tmp_path, number, code):
    path = tmp_path / "games.jsonl"
    path.write_text("old")
    arguments = ["record", "boil_over", "--games", "1000000", "-o", str(path)]
    with subprocess.Popen(
        [sys.executable, "-m", "hotpot_envs", *arguments], stderr=subprocess.PIPE, text=True
    ) as process:
        for _ in range(600):  # until some games are written
            others = [other for other in tmp_path.iterdir() if other != path]
            if others and others[0].stat().st_size:
                break
            time.sleep(0.1)
        assert others
        process.send_signal(number)
        error = process.communicate(timeout=60)[1]
    assert process.returncode == code
    assert "Traceback" not in error
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == "old"


def test_a_new_file_has_the_usual_rights(local, tmp_path):
    assert local("record", "boil_over", "-o", "games.jsonl").returncode == 0
    (tmp_path / "plain").write_text("")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1
