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


def test_a_file_in_parts_is_there_when_all_are_written(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    with files.writing(path) as file:
        file.write(b"one ")
        assert path.read_text() == "old"
        file.write(b"two")
    assert path.read_text() == "one two"
    with pytest.raises(ZeroDivisionError), files.writing(path) as file:  # noqa: PT012
        file.write(b"three")
        raise ZeroDivisionError
    assert path.read_text() == "one two"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    files.write_file(link, "through")
    assert link.is_symlink()
    assert target.read_text() == "through"


def test_what_can_be_written_is_known_before(tmp_path):
    path = tmp_path / "out.txt"
    files.check_writable(path)
    assert list(tmp_path.iterdir()) == []
    path.write_text("old")
    files.check_writable(path)
    assert path.read_text() == "old"
    files.check_writable(os.devnull)
    for wrong in (tmp_path / "missing" / "out.txt", tmp_path, path / "out.txt"):
        with pytest.raises(OSError, match=r"\[Errno \d+\] .*: ") as caught:
            files.check_writable(wrong)
        assert caught.value.filename == str(wrong)
