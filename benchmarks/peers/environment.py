"""The environment of the published packages: theirs alone, made once under out/peers, asked by lines of JSON.

Loads no numerical library, so that `ONE_THREAD` can still be set by whoever imports it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

PACKAGES = ("cdt", "causal-learn", "lingam", "gcastle")
EXTRA = ("torch", "setuptools<80")
"""cdt, causal-learn's PNL and gcastle import torch, and cdt needs setuptools, without asking for them."""
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL", "VECLIB_MAXIMUM")}
WORKER = Path(__file__).with_name("worker.py")


def prepare(folder: Path) -> tuple[Path, dict[str, str]]:
    """Make the environment if it is not there; its Python, and of each package the version or why there is none."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    found = _versions(python)
    said = {name: _install(python, name) for name in (*PACKAGES, *EXTRA) if name.split("<")[0] not in found}
    found = _versions(python)
    return python, {name: found.get(name) or said[name] for name in (*PACKAGES, "torch")}


def _install(python: Path, package: str) -> str:
    print(f"installing {package} ...", file=sys.stderr, flush=True)
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package],
        capture_output=True,
        text=True,
        check=False,
    )
    errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return f"not installed ({errors[0][:120]})" if errors else "not installed"


def _versions(python: Path) -> dict[str, str]:
    listed = subprocess.run(
        [str(python), "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {row["name"].lower(): row["version"] for row in json.loads(listed.stdout)}


class Worker:
    """One process of the other environment."""

    def __init__(self, python: Path) -> None:
        environment = {**os.environ, **ONE_THREAD, "PYTHONWARNINGS": "ignore"}
        self._process = subprocess.Popen(
            [str(python), str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def ask(self, peer: str, x: "np.ndarray", y: "np.ndarray") -> dict[str, Any]:
        """Time one call there."""
        return self._asked({"peer": peer, "x": x.tolist(), "y": y.tolist()})

    def ask_order(self, peer: str, columns: "Sequence[np.ndarray]") -> dict[str, Any]:
        """Time one call on a whole table; the verdict is the order of its columns."""
        return self._asked({"peer": peer, "columns": [column.tolist() for column in columns]})

    def _asked(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        return json.loads(line) if line else {"error": "the process ended without an answer"}

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
