"""Install a wheel into an empty environment, take the tour, and run the tests that need nothing more.

    python -m release.fresh out/release/*.whl --at out/release/fresh [--quick]

The tests are laid beside nothing: what they import is the wheel, not the checkout. `--quick` leaves the tests out.
"""

import argparse
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from release.version import stated

ROOT = Path(__file__).parents[1]
PACKAGED = (
    *("tests/numerics", "tests/methods/combined", "tests/lab/theory", "tests/lab/datasets", "tests/report"),
    *("tests/test_infer.py", "tests/test_decision.py", "tests/test_pair.py", "tests/test_criteria.py"),
    *("tests/test_stability.py", "tests/test_formatting.py", "tests/test_data_checks.py", "tests/test_noise_share.py"),
)
"""What runs with the core install, pytest and hypothesis; other tests want an extra or the files of the checkout."""


def environment(at: Path) -> Path:
    """A new empty environment; returns its Python."""
    venv.create(at, clear=True, with_pip=True)
    return at / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def main() -> int:
    """Install, ask for the version, take the tour, run the tests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--at", type=Path, default=ROOT / "out" / "release" / "fresh")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    python, desk = environment(asked.at), asked.at / "desk"
    shutil.copytree(ROOT / "tests", desk / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(ROOT / "pyproject.toml", desk / "pyproject.toml")
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"MPLBACKEND": "Agg"}

    def do(*arguments: str | Path) -> str:
        command = [str(python.absolute()), "-m", *map(str, arguments)]
        return subprocess.run(command, cwd=desk, env=variables, check=True, stdout=subprocess.PIPE, text=True).stdout

    install = ("pip", "install", "--quiet", "--disable-pip-version-check")
    do(*install, asked.wheel.absolute())
    version = stated()["src/causewise/version.py"]
    if (said := do("causewise", "--version")) != f"causewise {version}\n":
        raise SystemExit(f"The wheel says {said!r}; the checkout is version {version}.")
    print(do("causewise", "demo", "--out", "tour"))
    if not asked.quick:
        do(*install, "pytest", "hypothesis")
        print(do("pytest", "-q", *PACKAGED)[-400:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
