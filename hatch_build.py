"""Compiles the C loops of `causewise.numerics.native` when the package is built or installed, editable or not.

Any of gcc and clang will do ($CC, then the names on the path); without one, the index's `ziglang`, which is a compiler
in a wheel, becomes a requirement of the build. No Python headers are needed, and one wheel serves every Python 3.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = Path(__file__).parent / "src" / "causewise" / "numerics" / "native"
SUFFIX = ".dll" if os.name == "nt" else ".so"
# Nothing here may change a result: sums keep their order, products are not fused with sums. What is given up is errno
# and the floating-point exception flags, which nobody reads.
FLAGS = [
    *("-std=c11", "-O3", "-g0", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-psabi"),
    *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),
]
ZIG = [sys.executable, "-m", "ziglang", "cc"]
MISSING = (
    "causewise compiles some loops from C, and found no working C compiler: install gcc (Debian and Ubuntu: apt-get "
    "install gcc libc6-dev; Fedora: dnf install gcc; macOS: xcode-select --install), name one in the environment "
    "variable CC, or pip install ziglang."
)


class LoopsHook(BuildHookInterface[Any]):
    """Hatchling's build hook."""

    def dependencies(self) -> list[str]:
        """What the build needs beside hatchling."""
        return [] if compiler() else ["ziglang"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile beside the sources, and name the platform in the wheel's tag."""
        command = compiler() or (ZIG if works(ZIG) else None)
        if command is None:
            raise SystemExit(MISSING)
        build(command, SOURCES)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def compiler() -> list[str] | None:
    """The C compiler of this machine, if it has a working one."""
    named = [shlex.split(os.environ["CC"])] if os.environ.get("CC") else []
    found = [[name] for name in ("cc", "gcc", "clang") if shutil.which(name)]
    return next((command for command in named + found if works(command)), None)


def works(command: list[str]) -> bool:
    """Whether a command compiles C that includes a header of the C library."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "trial.c")
        source.write_text("#include <math.h>\ndouble trial(double x) { return sqrt(x); }\n")
        trial = [*command, "-shared", "-fPIC", "-O1", str(source), "-o", str(source.with_suffix(SUFFIX))]
        try:
            return subprocess.run(trial, capture_output=True, timeout=300).returncode == 0
        except (OSError, subprocess.TimeoutExpired):
            return False


def simd_levels(command: list[str]) -> dict[str, list[str]]:
    """The name of each library to build and the flags that say which vector units it may use."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return {"loops": ["-mcpu=baseline"] if "ziglang" in command else []}
    # AVX-512 was tried and brings nothing here. Zig compiles for the machine it runs on unless told, and spells the
    # generations of processors with underscores.
    flag, line = ("-mcpu=x86_64", "_") if "ziglang" in command else ("-march=x86-64", "-")
    return {"loops": [flag], "loops-avx2": [f"{flag}{line}v3"]}


def build(command: list[str], folder: Path, extra: tuple[str, ...] = ()) -> None:
    """Compile one library for each SIMD level into a folder."""
    with ThreadPoolExecutor(2) as pool:
        made = (
            pool.submit(link, command, [*flags, *extra], folder / (name + SUFFIX))
            for name, flags in simd_levels(command).items()
        )
        for each in list(made):
            each.result()


def link(command: list[str], flags: list[str], target: Path, sources: list[str] | None = None) -> None:
    """Compile sources, all of them unless named, into one library; it appears whole or not at all."""
    sources = sources or [source.name for source in sorted(SOURCES.glob("*.c"))]
    position = [] if os.name == "nt" else ["-fPIC"]
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        made = Path(folder, target.name)
        done = subprocess.run(
            [*command, *FLAGS, *position, *flags, *sources, "-o", str(made), "-lm"],
            cwd=SOURCES,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"The C compiler {shlex.join(command)} failed on causewise's loops:\n{done.stderr}")
        made.replace(target)
