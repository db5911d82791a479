"""Compiled programs on disk, one file each, so that the next process need not compile: a convenience, never a need.

A file is the SHA-256 of a pickle and the pickle. Whoever can write a pickle can run code when it is loaded, so it is
read only from a folder, and through a path, that nobody else can write; a file that is damaged is as good as absent.
Where there is no such folder, or no room in it, programs live as long as the process, and one line says so.
"""

import hashlib
import logging
import os
import pickle
import stat
import tempfile
from pathlib import Path
from typing import Any

VARIABLE = "CAUSEWISE_CACHE"
_DIGEST = hashlib.sha256().digest_size
_said: list[str] = []


class _UnsafeError(Exception):
    """The folder is not the user's alone; the message says why."""


def load(name: str) -> Any:
    """The program kept under this name, or None."""
    from jax.experimental import serialize_executable

    try:
        content = _read(_folder() / name)
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError, _UnsafeError) as problem:
        _say(problem)
        return None
    digest, pickled = content[:_DIGEST], content[_DIGEST:]
    if hashlib.sha256(pickled).digest() != digest:
        return None
    try:
        return serialize_executable.deserialize_and_load(*pickle.loads(pickled))
    except Exception:  # whole but foreign, as after a change of JAX that kept its version: compile
        return None


def keep(name: str, program: Any) -> None:
    """Write a program for the next process, whole or not at all."""
    from jax.experimental import serialize_executable

    try:
        pickled = pickle.dumps(serialize_executable.serialize(program))
    except Exception:  # not every backend can
        return
    try:
        folder = _folder()
        for each in (*reversed(folder.parents), folder):  # `parents=True` would give the parents another mode
            each.mkdir(mode=0o700, exist_ok=True)
        _check(folder)
        _write(folder / name, hashlib.sha256(pickled).digest() + pickled)
    except (OSError, RuntimeError, _UnsafeError) as problem:
        _say(problem)


def _folder() -> Path:
    # Path.home() is a RuntimeError for a user without one.
    home = os.environ.get(VARIABLE) or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home).resolve() / "causewise" / "programs"


def _read(path: Path) -> bytes:
    _check(path.parent)
    with path.open("rb") as stream:
        if not _is_ours(os.fstat(stream.fileno())):
            raise _UnsafeError(f"{str(path)!r} can be written by others")
        return stream.read()


def _write(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)


def _check(folder: Path) -> None:
    """Refuse a folder that others can write, or exchange by writing a folder above it."""
    if not _is_ours(folder.lstat()):
        raise _UnsafeError(f"{str(folder)!r} can be written by others")
    for above in folder.parents:
        about = above.stat()
        # In a sticky folder such as /tmp nobody can rename what belongs to another.
        if not _is_ours(about) and not about.st_mode & stat.S_ISVTX:
            raise _UnsafeError(f"{str(above)!r} can be written by others")


def _is_ours(about: os.stat_result) -> bool:
    # Windows has neither owners nor these bits: there the user's folders are the user's by their access lists.
    if not hasattr(os, "geteuid"):
        return True
    return about.st_uid in (0, os.geteuid()) and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _say(problem: Exception) -> None:
    """One line a process; a logger without a handler prints it on standard error, and a host program can silence it."""
    if _said:
        return
    reason = f"{problem.strerror}: {problem.filename!r}" if isinstance(problem, OSError) else str(problem)
    _said.append(reason)
    logging.getLogger("causewise").warning(
        "Compiled network programs are not kept (%s), which costs time but changes no answer; expected a folder that "
        "only you can write: take the right from others (chmod go-w) or name another folder in %s.",
        reason,
        VARIABLE,
    )
