"""Every bridge beside the real package, each in an environment of its own: python tests/bridges/run.py [dowhy pgmpy …].

A package that the index does not give in time is named and passed over; a package that is there must pass its tests.
At the end the index is asked whether all of them fit into one environment with whence and its extras.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / "out" / "bridges"
UV = ROOT / "out" / "uv" / "bin" / "uv"


class Bridge(NamedTuple):
    requirement: str
    module: str
    tests: str


BRIDGES = {
    "dowhy": Bridge("dowhy>=0.14", "dowhy.gcm", "test_dowhy_bridge.py"),
    "causal-learn": Bridge("causal-learn>=0.1.4", "causallearn", "test_causallearn_bridge.py"),
    "pgmpy": Bridge("pgmpy>=1.1", "pgmpy.causal_discovery", "test_pgmpy_bridge.py"),
    "lingam": Bridge("lingam>=1.13", "lingam", "test_lingam_beside.py"),
    "skpro": Bridge("skpro>=2.9", "skpro.regression.base", "test_skpro_beside.py"),
}
SHARED = ["test_orienting.py", "test_bridges_page.py"]
SHOWN = ["numpy", "scipy", "scikit-learn", "pandas", "networkx"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Test every bridge beside the real package.")
    parser.add_argument("names", nargs="*", default=list(BRIDGES), help=f"of {', '.join(BRIDGES)}")
    parser.add_argument("--limit", type=float, default=300.0, help="Seconds one installation may take.")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(BRIDGES):
        parser.error(f"Got {', '.join(sorted(unknown))}; expected some of {', '.join(BRIDGES)}.")
    results = {name: tested(name, asked.limit) for name in asked.names}
    results["together"] = together(asked.limit)
    say("\n".join(["", *(f"{name}: {told}" for name, (_, told) in results.items())]))
    return int(any(failed for failed, _ in results.values()))


def tested(name: str, limit: float) -> tuple[bool, str]:
    """Whether it failed, and what became of it."""
    bridge, home = BRIDGES[name], ENVIRONMENTS / name
    python = str(home / "bin" / "python")
    say(f"== {name}")
    wanted = ["-e", ".", bridge.requirement, "pytest", "hypothesis"]
    made = run(limit, UV, "venv", "--quiet", "--allow-existing", "--python", sys.executable, home) and run(
        limit, UV, "pip", "install", "--quiet", "--python", python, *wanted
    )
    if not made:
        return False, f"not tested, since the index did not give {bridge.requirement} within {limit:g} s"
    # Without this a package that is installed and broken would count as one that is absent.
    if not run(limit, python, "-c", f"import {bridge.module}"):
        return True, f"installed, but `import {bridge.module}` fails"
    versions = (
        f"import importlib.metadata as m; print(*(f'{{n}} {{m.version(n)}}' for n in {[name, *SHOWN]}), sep=', ')"
    )
    told = subprocess.run([python, "-c", versions], capture_output=True, text=True).stdout.strip()
    # Warnings of other packages, about other packages, are theirs.
    files = [str(Path(__file__).parent / file) for file in (bridge.tests, *SHARED)]
    passed = run(2 * limit, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", *files)
    return not passed, f"{'passed' if passed else 'FAILED'} ({told})"


def together(limit: float) -> tuple[bool, str]:
    """Whether one environment has room for all of them; nothing is installed."""
    home = ENVIRONMENTS / "together"
    wanted = [each.requirement for each in BRIDGES.values()]
    if not run(limit, UV, "venv", "--quiet", "--clear", "--python", sys.executable, home):
        return False, "not tried"
    command = [UV, "pip", "install", "--dry-run", "--python", home, "-e", ".[all]", *wanted]
    found = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if found.returncode:
        return "offline" not in found.stderr and "No solution" in found.stderr, found.stderr.strip()
    names = {"whence", *BRIDGES, *SHOWN}
    lines = [line.removeprefix(" + ") for line in found.stderr.splitlines() if line.startswith(" + ")]
    chosen = [line.replace("==", " ") for line in lines if line.partition("==")[0] in names]
    return False, f"whence[all] and all of them resolve: {', '.join(chosen)}"


def run(limit: float, *command: object) -> bool:
    try:
        return subprocess.run(list(map(str, command)), cwd=ROOT, timeout=limit).returncode == 0
    except (subprocess.TimeoutExpired, OSError):
        return False


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
