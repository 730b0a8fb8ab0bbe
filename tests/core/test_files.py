"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat

import pytest

from hotpot_envs.core import files


def test_bytes_and_text_are_written_over_what_was_there(tmp_path):
    path = tmp_path / "out.txt"
    files.write_file(path, "old")
    files.write_file(path, "grün")
    assert path.read_bytes() == "grün".encode()
    files.write_file(str(path), b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_rights_that_any_other_gets(tmp_path):
    files.write_file(tmp_path / "ours", "a")
    (tmp_path / "plain").write_text("a")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ours", "plain")]
    assert modes[0] == modes[1]


def test_a_pipe_is_written_to_not_replaced(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    files.write_file(path, "hello")
    assert os.read(reader, 10) == b"hello"
    os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize("name", ["missing/out.txt", "."])
def test_an_error_names_the_path_asked_for(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(OSError, match=r"\[Errno \d+\] .*: ") as caught:
        files.write_file(path, "text")
    assert caught.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.write_file(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
