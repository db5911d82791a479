"""Every integration beside the real package, in its own environment: python tests/integrations/run.py [dowhy pgmpy …].

A package that the index does not give in time is named and passed over; a package that is there must pass its tests.
At the end the index is asked whether those that are there fit into one environment with causewise and its extras.
"""

import argparse
import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / "out" / "bridges"
UV = ROOT / "out" / "uv" / "bin" / "uv"


class Outcome(Enum):
    PASSED, FAILED, ABSENT = range(3)


class Integration(NamedTuple):
    requirement: str
    module: str
    tests: str


INTEGRATIONS = {
    "dowhy": Integration("dowhy>=0.14", "dowhy.gcm", "test_dowhy_integration.py"),
    "causal-learn": Integration("causal-learn>=0.1.4", "causallearn", "test_causallearn_integration.py"),
    "pgmpy": Integration("pgmpy>=1.1", "pgmpy.causal_discovery", "test_pgmpy_integration.py"),
    "lingam": Integration("lingam>=1.13", "lingam", "test_lingam_beside.py"),
    "skpro": Integration("skpro>=2.9", "skpro.regression.base", "test_skpro_beside.py"),
}
SHARED = ["test_orientation.py", "test_integrations_page.py"]
SHOWN = ["numpy", "scipy", "scikit-learn", "pandas", "networkx"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Test every integration beside the real package.")
    parser.add_argument("names", nargs="*", default=list(INTEGRATIONS), help=f"of {', '.join(INTEGRATIONS)}")
    parser.add_argument("--limit", type=float, default=300.0, help="Seconds one installation may take.")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(INTEGRATIONS):
        parser.error(f"Got {', '.join(sorted(unknown))}; expected some of {', '.join(INTEGRATIONS)}.")
    results = {name: tested(name, asked.limit) for name in asked.names}
    if there := [name for name, (outcome, _) in results.items() if outcome is not Outcome.ABSENT]:
        results["together"] = together(there, asked.limit)
    say("\n".join(["", *(f"{name}: {told}" for name, (_, told) in results.items())]))
    return int(any(outcome is Outcome.FAILED for outcome, _ in results.values()))


def tested(name: str, limit: float) -> tuple[Outcome, str]:
    """What became of one integration, in a word and in words."""
    integration, home = INTEGRATIONS[name], ENVIRONMENTS / name
    python = str(home / "bin" / "python")
    say(f"== {name}")
    wanted = ["-e", ".", integration.requirement, "pytest", "hypothesis"]
    made = run(limit, UV, "venv", "--quiet", "--allow-existing", "--python", sys.executable, home) and run(
        limit, UV, "pip", "install", "--quiet", "--python", python, *wanted
    )
    if not made:
        return Outcome.ABSENT, f"not tested, since the index did not give {integration.requirement} within {limit:g} s"
    # Without this a package that is installed and broken would count as one that is absent.
    if not run(limit, python, "-c", f"import {integration.module}"):
        return Outcome.FAILED, f"FAILED: installed, but `import {integration.module}` fails"
    versions = (
        f"import importlib.metadata as m; print(*(f'{{n}} {{m.version(n)}}' for n in {[name, *SHOWN]}), sep=', ')"
    )
    told = subprocess.run([python, "-c", versions], capture_output=True, text=True).stdout.strip()
    # Warnings of other packages, about other packages, are theirs.
    files = [str(Path(__file__).parent / file) for file in (integration.tests, *SHARED)]
    passed = run(2 * limit, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", *files)
    return (Outcome.PASSED, f"passed ({told})") if passed else (Outcome.FAILED, f"FAILED ({told})")


def together(names: list[str], limit: float) -> tuple[Outcome, str]:
    """Whether one environment has room for all of them; nothing is installed."""
    home = ENVIRONMENTS / "together"
    run(limit, UV, "venv", "--quiet", "--clear", "--python", sys.executable, home)
    wanted = [INTEGRATIONS[name].requirement for name in names]
    command = [UV, "pip", "install", "--dry-run", "--python", home, "-e", ".[all]", *wanted]
    found = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=ROOT)
    if found.returncode:
        return Outcome.FAILED, f"FAILED: {found.stderr.strip()}"
    shown = {*names, *SHOWN}
    lines = [line.removeprefix(" + ") for line in found.stderr.splitlines() if line.startswith(" + ")]
    chosen = [line.replace("==", " ") for line in lines if line.partition("==")[0] in shown]
    return Outcome.PASSED, f"causewise[all] and all of these resolve: {', '.join(chosen)}"


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
