"""Writing files so that nothing half written is ever found."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

__all__ = ["check_writable", "write_file", "writing"]


def write_file(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Put a file in place whole: written beside it under another name, then moved over it.

    Args:
        path: where to; its folder must exist.
        content: bytes, or text to be written as UTF-8.

    Raises:
        OSError: naming ``path``, where it cannot be written; what stood there is untouched.
    """
    with writing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to be put in place whole, as by ``write_file``, when the block ends well.

    Args:
        path: where to; its folder must exist.

    Raises:
        OSError: naming ``path``: before the block where it cannot be written to, after it where
            it cannot be put in place; what stood there is untouched.
    """
    path = Path(path)
    with _naming(path):
        if path.exists() and not (path.is_file() or path.is_dir()):
            with path.open("wb") as file:  # a terminal, a pipe: nothing to move over
                yield file
            return
        target = path.resolve()  # a link stays a link
        temporary = _beside(target)
    try:
        with open(temporary, "wb") as file:
            yield file
            with _naming(path):
                file.flush()
        with _naming(path):
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)  # mkstemp's own is for the user alone
            os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise OSError, naming ``path``, where ``write_file`` could not write: before long work."""
    path = Path(path)
    with _naming(path):
        if path.exists() and not (path.is_file() or path.is_dir()):
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
        os.unlink(_beside(path.resolve()))


def _beside(path: Path) -> str:
    """Make an empty file in the folder of another, and return its path."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:100]}-", dir=path.parent)
    os.close(handle)
    return temporary


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Let errors name the path that was asked for."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
