"""The one door to Numba: compiling kernels, binding batch loops to a game, and their disk cache.

Numba keys a cached function by its own file only: after a change in a file that the function
calls into, it would go on serving the old machine code. So everything compiled here is cached in
a folder whose name hashes all sources that can have part in it (``core`` and the game's folder),
the compiler's flags and the versions (``tests/core/test_jit.py`` edits a rule and looks).
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config as numba_config
from numba.core.caching import FunctionCache

__all__ = [
    "BOUNDS_CHECKED",
    "COMPILED",
    "bind",
    "borrow",
    "cache_folder",
    "kernel",
    "rare",
    "rebind",
]

#: False under ``NUMBA_DISABLE_JIT=1``: kernels then run as plain Python.
COMPILED: bool = not numba_config.DISABLE_JIT
#: True under ``NUMBA_BOUNDSCHECK=1``.
BOUNDS_CHECKED: bool = bool(numba_config.BOUNDSCHECK)

_FLAGS = {"nogil": True, "error_model": "numpy"}
_CORE = Path(__file__).parent
# Of core, these have no part in any machine code. Whatever else is added there counts.
_APART = {"drawing.py", "engine.py", "files.py", "registry.py", "words.py"}
_lock = threading.RLock()
_announced: set[str] = set()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a kernel: a function called only by other kernels and by bound batch loops.

    It is put into its callers whole, which saves counting references to the arrays it is given.
    Not cached by itself: the batch loops, which contain it, are.
    """
    return numba.njit(forceinline=True, **_FLAGS)(function) if COMPILED else function


def rare(function: Callable[..., Any]) -> Any:
    """Compile a kernel that is seldom called (the end of a round, a deal), apart from its callers.

    What is left of these then fits the registers: 6% less time for a step, a fifth less to compile.
    """
    return numba.njit(**_FLAGS)(function) if COMPILED else function


if COMPILED:
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic
    def borrow(typing_context, array):  # type: ignore[no-untyped-def]
        """Return an array without its reference count, for as long as the caller keeps it.

        Slices of it then cost nothing to make: counting takes two locked instructions for each,
        20 ns, and a batch loop makes four slices a game.
        """

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            view = context.make_array(signature.args[0])(context, builder, arguments[0])
            view.meminfo = cgutils.get_null_value(view.meminfo.type)
            view.parent = cgutils.get_null_value(view.parent.type)
            return view._getvalue()

        return array(array), generate

else:

    def borrow(array: Any) -> Any:
        """Return the array."""
        return array


def rebind(
    function: Callable[..., Any], name: str, replaced: Mapping[str, Any]
) -> Callable[..., Any]:
    """Return a copy of a function, named after a game, that finds ``replaced`` as its globals."""
    copy = types.FunctionType(
        function.__code__,
        {**function.__globals__, **replaced},
        name=f"{name}_{function.__name__}",
        argdefs=function.__defaults__,
    )
    copy.__qualname__ = copy.__name__
    copy.__module__ = function.__module__
    copy.__doc__ = function.__doc__
    return copy


def bind(
    template: Callable[..., Any],
    name: str,
    folder: Path,
    kernels: Mapping[str, Any],
    *,
    label: str,
) -> Callable[..., Any]:
    """Compile a batch loop with a game's kernels in place of the names it uses.

    Numba's disk cache finds a function by file, qualified name and line, and never one that takes
    kernels as arguments or closes over them. So the loop is copied, the kernels put into the
    copy's globals, and the copy named after the game.

    Args:
        template: a plain function whose globals name kernels (``apply``, ``legal``, …).
        name: the prefix that tells one game's copies from another's.
        folder: the folder with the sources of the kernels, part of the cache's key.
        kernels: the functions to put in place of names.
        label: what to call the game when saying that it is being compiled.

    Returns:
        The function, compiled when first called.
    """
    copy = rebind(template, name, kernels)
    if not COMPILED:
        return _quiet(copy)
    with _lock:
        base = cache_folder(folder, _sources(kernels))
        previous, numba_config.CACHE_DIR = numba_config.CACHE_DIR, str(base)
        try:
            compiled = numba.njit(**_FLAGS)(copy)
            compiled._cache = _Cache(copy)
        finally:
            numba_config.CACHE_DIR = previous
    if not any(base.glob(f"*/*.{copy.__name__}-*.nbi")):
        return _announcing(compiled, label)
    cached: Callable[..., Any] = compiled
    return cached


def _announcing(compiled: Any, label: str) -> Callable[..., Any]:
    """Say once per process and game, before the first call compiles, what takes the time."""

    @functools.wraps(compiled.py_func)
    def call(*arguments: Any) -> Any:
        if not compiled.signatures:
            with _lock:
                if label not in _announced:
                    _announced.add(label)
                    print(
                        f"hotpot_envs: compiling the rules of {label}, once (up to a minute) …",
                        file=sys.stderr,
                        flush=True,
                    )
                return compiled(*arguments)
        return compiled(*arguments)

    return call


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Interpreted kernels wrap around on uint64 as the compiled ones do, without warnings."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return call


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's disk cache, of which a full disk or a damaged file costs time, not the run."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # unpickling what is damaged raises anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            return
        except Exception:  # the index is damaged: begin a new one
            with contextlib.suppress(OSError):
                self.flush()
                super().save_overload(sig, data)


def _sources(kernels: Mapping[str, Any]) -> frozenset[Path]:
    """Return the files that kernels were written in."""
    functions = (getattr(value, "py_func", None) for value in kernels.values())
    return frozenset(Path(function.__code__.co_filename) for function in functions if function)


@functools.cache
def cache_folder(folder: Path, others: frozenset[Path] = frozenset()) -> Path:
    """Return the folder for machine code made from ``core`` and the sources in ``folder``.

    ``others`` are sources that lie elsewhere: a game may take a kernel from another package. The
    folder lies under ``HOTPOT_ENVS_CACHE_DIR``, otherwise the user's cache folder. Where that
    cannot be written to, or a source is no file (a notebook's cell), it is a temporary one that
    is removed when the process ends.
    """
    digest = hashlib.sha256()
    core = {source for source in _CORE.glob("*.py") if source.name not in _APART}
    sources = core | {source for source in others if source.is_file()}
    for source in sorted({*sources, *folder.glob("*.py")}):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    facts = (
        sys.version,
        platform.machine(),
        numba.__version__,
        np.__version__,
        sorted(_FLAGS.items()),
        numba_config.BOUNDSCHECK,
        numba_config.OPT,
        numba_config.DEBUG,
    )
    digest.update(repr(facts).encode())
    leaf = f"{folder.name}-{digest.hexdigest()[:16]}"
    for base in _cache_bases() if sources >= others else []:
        path = base / leaf
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                return path
        except OSError:
            continue
    path = Path(tempfile.mkdtemp(prefix="hotpot_envs-")) / leaf
    path.mkdir()
    atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
    return path


def _cache_bases() -> list[Path]:
    if chosen := os.environ.get("HOTPOT_ENVS_CACHE_DIR"):
        return [Path(chosen)]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return [Path(home) / "hotpot_envs"]
