"""JAX for the rest of the package: imported on first use, precision by scope, devices, compiled programs.

Nothing here changes a flag of the host program.
"""

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from causewise.errors import InputError
from causewise.models.network import programs

Device = Literal["auto", "cpu", "gpu"]
INSTALL = 'This method needs JAX, which is not installed; install it with: pip install ".[nn]".'
_loaded: dict[str, Any] = {}


def jax() -> Any:
    """The module jax, or the sentence that installs it."""
    try:
        import jax as module
    except ImportError:
        raise InputError(INSTALL) from None
    return module


def installed() -> bool:
    """Whether there is JAX, without loading it."""
    return find_spec("jax") is not None


def precision_scope(precision: str) -> AbstractContextManager[Any]:
    """A scope in which JAX computes in the precision asked for, whatever the host program set."""
    module = jax()
    # Until JAX 0.8 it lived in jax.experimental.
    home = module if hasattr(module, "enable_x64") else import_module("jax.experimental")
    scope: AbstractContextManager[Any] = home.enable_x64(precision == "float64")
    return scope


def chosen_device(device: Device) -> str:
    """`cpu` or `gpu`; `auto` takes the GPU where JAX sees one."""
    if device == "cpu":
        return "cpu"
    found = jax().default_backend() == "gpu"
    if device == "gpu" and not found:
        raise InputError(
            'Got device=gpu, but JAX sees no GPU here; use device=cpu, or install JAX for it: pip install ".[gpu]".'
        )
    return "gpu" if found else "cpu"


def placed(tree: Any, precision: str, device: Any) -> Any:
    """Arrays on a device, floating ones in the precision asked for."""
    module = jax()
    cast = module.tree.map(lambda a: a.astype(precision) if a.dtype.kind == "f" else a, tree)
    return module.device_put(cast, device)


def gpu_in_sight() -> bool:
    """Whether this machine seems to have an NVIDIA GPU; asks the system, not JAX, and so costs and reserves nothing."""
    return Path("/dev/nvidiactl").exists()


def compiled(function: Callable[..., Any], name: str, arguments: tuple[Any, ...]) -> Any:
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
        program = programs.load(key)
        if program is None:
            program = lowered.compile()
            programs.keep(key, program)
        _loaded[key] = program
    return _loaded[key]


def _processor() -> str:
    # A program compiled for one CPU's instructions must not be loaded on another that lacks them.
    import platform

    try:
        flags = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")][:1]
    except OSError:
        flags = []
    return "".join([platform.machine(), platform.processor(), *flags])
