"""JAX for the rest of the package: imported on first use, precision by scope, devices, compiled programs.

Nothing here changes a flag of the host program.

Compiled programs are kept on disk, one file each, so that the next process need not compile: a convenience, never a
need. A file is the SHA-256 of a pickle and the pickle. Whoever can write a pickle can run code when it is loaded, so it
is read only from a folder, and through a path, that nobody else can write; a file that is damaged is as good as absent.
Where there is no such folder, or no room in it, programs live as long as the process, and one line says so.
"""

import hashlib
import logging
import os
import pickle
import platform
import stat
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from causewise.errors import InputError

Device = Literal["auto", "cpu", "gpu"]
INSTALL = 'This method needs JAX, which is not installed; install it with: pip install ".[nn]".'
CACHE_VARIABLE = "CAUSEWISE_CACHE"
_DIGEST = hashlib.sha256().digest_size
_loaded: dict[str, Any] = {}
_warned: list[str] = []


def jax() -> Any:
    """The module jax, or the sentence that installs it."""
    try:
        import jax as module
    except ImportError:
        raise InputError(INSTALL) from None
    return module


def is_installed() -> bool:
    """Whether there is JAX, without loading it."""
    return find_spec("jax") is not None


def precision_scope(precision: str) -> AbstractContextManager[Any]:
    """A scope in which JAX computes in the precision asked for, whatever the host program set."""
    module = jax()
    # Until JAX 0.8 it lived in jax.experimental.
    home = module if hasattr(module, "enable_x64") else import_module("jax.experimental")
    scope: AbstractContextManager[Any] = home.enable_x64(precision == "float64")
    return scope


def choose_device(device: Device) -> str:
    """`cpu` or `gpu`; `auto` takes the GPU where JAX sees one."""
    if device == "cpu":
        return "cpu"
    visible = jax().default_backend() == "gpu"
    if device == "gpu" and not visible:
        raise InputError(
            'Got device=gpu, but JAX sees no GPU here; use device=cpu, or install JAX for it: pip install ".[gpu]".'
        )
    return "gpu" if visible else "cpu"


def place(tree: Any, precision: str, device: Any) -> Any:
    """Arrays on a device, floating ones in the precision asked for."""
    module = jax()
    cast = module.tree.map(lambda a: a.astype(precision) if a.dtype.kind == "f" else a, tree)
    return module.device_put(cast, device)


def has_gpu() -> bool:
    """Whether this machine seems to have an NVIDIA GPU; asks the system, not JAX, and so costs and reserves nothing."""
    return Path("/dev/nvidiactl").exists()


def compile_program(function: Callable[..., Any], name: str, arguments: tuple[Any, ...]) -> Any:
    """`function` compiled for the shapes and device of `arguments`, from memory or disk if it has been before."""
    # JAX has a compilation cache of its own, but it is switched on by a global flag, which is the host program's.
    module = jax()
    lowered = module.jit(function).lower(*arguments)
    device = module.tree.leaves(arguments)[0].devices().pop()
    identity = (
        lowered.as_text(),
        str(lowered.in_tree),
        module.__version__,
        device.client.platform_version,
        device.device_kind,
        _processor(),
    )
    key = name + "-" + hashlib.sha256(repr(identity).encode()).hexdigest()[:32]
    if key not in _loaded:
        program = load_program(key)
        if program is None:
            program = lowered.compile()
            keep_program(key, program)
        _loaded[key] = program
    return _loaded[key]


def _processor() -> str:
    # A program compiled for one CPU's instructions must not be loaded on another that lacks them.
    try:
        flags = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")][:1]
    except OSError:
        flags = []
    return "".join([platform.machine(), platform.processor(), *flags])


def load_program(name: str) -> Any:
    """The program kept under this name, or None."""
    from jax.experimental import serialize_executable

    try:
        content = _read(_folder() / name)
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError) as problem:
        _warn(problem)
        return None
    digest, pickled = content[:_DIGEST], content[_DIGEST:]
    if hashlib.sha256(pickled).digest() != digest:
        return None
    try:
        return serialize_executable.deserialize_and_load(*pickle.loads(pickled))
    except Exception:  # whole but foreign, as after a change of JAX that kept its version: compile
        return None


def keep_program(name: str, program: Any) -> None:
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
    except (OSError, RuntimeError) as problem:
        _warn(problem)


def _folder() -> Path:
    # Path.home() is a RuntimeError for a user without one.
    home = os.environ.get(CACHE_VARIABLE) or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home).resolve() / "causewise" / "programs"


def _read(path: Path) -> bytes:
    _check(path.parent)
    with path.open("rb") as stream:
        if not _is_ours(os.fstat(stream.fileno())):
            raise RuntimeError(f"{str(path)!r} can be written by others")
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
    """Raise for a folder that others can write, or exchange by writing a folder above it."""
    if not _is_ours(folder.lstat()):
        raise RuntimeError(f"{str(folder)!r} can be written by others")
    for above in folder.parents:
        about = above.stat()
        # In a sticky folder such as /tmp nobody can rename what belongs to another.
        if not _is_ours(about) and not about.st_mode & stat.S_ISVTX:
            raise RuntimeError(f"{str(above)!r} can be written by others")


def _is_ours(about: os.stat_result) -> bool:
    # Windows has neither owners nor these bits: there the user's folders are the user's by their access lists.
    if not hasattr(os, "geteuid"):
        return True
    return about.st_uid in (0, os.geteuid()) and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _warn(problem: Exception) -> None:
    """One line a process; a logger without a handler prints it on standard error, and a host program can silence it."""
    if _warned:
        return
    reason = f"{problem.strerror}: {problem.filename!r}" if isinstance(problem, OSError) else str(problem)
    _warned.append(reason)
    logging.getLogger("causewise").warning(
        "Compiled network programs are not kept (%s), which costs time but changes no answer; expected a folder that "
        "only you can write: take the right from others (chmod go-w) or name another folder in %s.",
        reason,
        CACHE_VARIABLE,
    )
