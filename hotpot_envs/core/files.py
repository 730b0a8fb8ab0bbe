"""Writing files so that nothing half written is ever found."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

__all__ = ["write_file"]


def write_file(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Put a file in place whole: written beside it under another name, then moved over it.

    Args:
        path: where to; its folder must exist.
        content: bytes, or text to be written as UTF-8.

    Raises:
        OSError: naming ``path``, where it cannot be written; what stood there is untouched.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            path.write_bytes(data)  # a terminal, a pipe: nothing to move over
            return
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:100]}-", dir=path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)  # mkstemp's own is for the user alone
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
