"""Build the wheel and the source archive twice, as differently as two machines would, and compare the bytes.

    python -m release.twice out/release

The second time the checkout lies elsewhere, its files are new and listed in another order, and time zone, language,
umask and home folder are others. The wheel is built a third time from the source archive, as an installer does that
finds no wheel. Only what git tracks takes part, so that nothing left lying about is released.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
EPOCH = "1580601600"
"""2020-02-02, hatchling's own; a packager's SOURCE_DATE_EPOCH takes its place."""
STRANGER = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "LANG": "C", "PYTHONHASHSEED": "7", "HOME": "/nonexistent"}


def tracked() -> list[str]:
    """The files of the checkout, without those that git ignores."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in names.split("\0") if name and (ROOT / name).is_file())


def lay(target: Path, names: list[str]) -> Path:
    """Copy the named files, without their times."""
    for name in names:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target / name)
    return target


def build(checkout: Path, out: Path, kind: str, umask: int = 0o022, **environment: str) -> Path:
    """One build by hatchling, with the packages of this environment; returns the file made."""
    variables = {"SOURCE_DATE_EPOCH": EPOCH} | os.environ | environment
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    done = subprocess.run(command, cwd=checkout, env=variables, umask=umask, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"The {kind} could not be built:\n{done.stdout}{done.stderr}")
    (made,) = out.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return made


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> int:
    """Build, compare, keep one of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder for the wheel and the source archive")
    out = parser.parse_args().out
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        here, there = Path(folder, "here"), Path(folder, "a quite different place", "there")
        names = tracked()
        lay(here, names)
        lay(there, names[::-1])
        archives = build(here, here / "dist", "sdist"), build(there, there / "dist", "sdist", 0o077, **STRANGER)
        with tarfile.open(archives[0]) as archive:
            archive.extractall(folder, filter="data")
        unpacked = Path(folder, archives[0].name.removesuffix(".tar.gz"))
        wheels = (
            build(here, here / "dist", "wheel"),
            build(there, there / "dist", "wheel", 0o077, **STRANGER),
            build(unpacked, unpacked / "dist", "wheel"),
        )
        out.mkdir(parents=True, exist_ok=True)
        for copies in (archives, wheels):
            sums = [digest(each) for each in copies]
            same = len(set(sums)) == 1
            different += not same
            print(f"{copies[0].name}: {len(copies)} builds, {'the same bytes' if same else 'DIFFERENT bytes'}")
            print("\n".join(f"  sha256 {each}" for each in dict.fromkeys(sums)))
            for older in out.glob("*.whl" if copies[0].suffix == ".whl" else "*.tar.gz"):
                older.unlink()
            shutil.copyfile(copies[0], out / copies[0].name)
    return min(different, 1)


if __name__ == "__main__":
    sys.exit(main())
