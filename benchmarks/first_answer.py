"""What stands between a fresh machine and its first answer: installing, importing, deciding one pair of 500 rows.

    python benchmarks/first_answer.py               install the wheel into an empty environment, ask once and again
    python benchmarks/first_answer.py --peers       the same question to causal-learn, lingam and cdt (installs them)
    python benchmarks/first_answer.py --demo        `make demo` from a bare clone, with and without a C compiler

Every process starts with an empty home folder. Times are CPU seconds of the whole process, threads and children
included, the best of three where nothing is cached between them; `wall` says where they are not.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from peers.environment import ONE_THREAD, WORKER, prepare

ROOT = Path(__file__).parents[1]
COMPILERS = ("cc", "gcc", "clang", "c99", "tcc", "x86_64-linux-gnu-gcc")
PEERS = ("causal-learn ANM", "lingam RESIT", "cdt ANM")
DEPENDENCIES = "import numpy, scipy.linalg, scipy.special, narwhals, rich, typer"
"""What an answer on the command line cannot do without."""


def cpu(command: list[str], environment: dict[str, str], **how: object) -> float:
    """CPU seconds of a command that must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, **how)  # type: ignore[call-overload]  # what is asked for is passed on
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def wall(command: list[str], environment: dict[str, str], **how: object) -> float:
    """Seconds by the clock."""
    start = time.perf_counter()
    cpu(command, environment, **how)
    return time.perf_counter() - start


def bare(home: Path, **more: str) -> dict[str, str]:
    """An environment of variables with an empty home folder and nothing else of this one but the index and the path."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG") or name.startswith("PIP_")}
    home.mkdir(parents=True, exist_ok=True)
    return kept | {"HOME": str(home)} | more


def pair_file(folder: Path) -> tuple[Path, str]:
    """The pair as a file, and as the request that the other packages' worker reads."""
    import numpy as np

    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, 500)
    y = x**3 + rng.normal(size=500)
    file = folder / "pair.csv"
    np.savetxt(file, np.column_stack([x, y]), delimiter=",", header="x,y", comments="")
    return file, json.dumps({"x": x.tolist(), "y": y.tolist()})


def installed(folder: Path) -> Path:
    """The wheel in an environment of its own; prints what it took. Returns its Python."""
    environment = bare(folder / "home")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    built = wall([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], environment)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
    python = folder / "env" / "bin" / "python"
    site = next((folder / "env" / "lib").glob("python*/site-packages"))
    before = size(site)
    seconds = wall([str(python), *pip[1:], "install", "--quiet", str(wheel)], environment)
    listed = subprocess.check_output([str(python), *pip[1:], "list", "--format", "json"], env=environment)
    packages = len(json.loads(listed)) - 2  # pip and setuptools were there
    print(f"wheel: {wheel.name}, {wheel.stat().st_size / 2**20:.2f} MB, built in {built:.0f} s (wall)")
    print(
        f"installing it: {seconds:.0f} s (wall), {packages} packages, {(size(site) - before) / 1e6:.0f} MB (goal: 450)"
    )
    return python


def size(folder: Path) -> int:
    """Bytes of all files."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def first_answer(python: Path, folder: Path) -> None:
    """The first `causewise infer` on a machine against the next ones, and against the bare imports."""
    file, _ = pair_file(folder)
    command = [str(python.parent / "causewise"), "infer", str(file), "--json"]
    first = cpu(command, bare(folder / "first"))
    warm = min(cpu(command, bare(folder / "first")) for _ in range(3))
    imports = min(cpu([str(python), "-c", DEPENDENCIES], bare(folder / "first")) for _ in range(3))
    nothing = min(wall([str(python), "-c", "pass"], bare(folder / "first")) for _ in range(5))
    ours = min(wall([str(python), "-c", "import causewise"], bare(folder / "first")) for _ in range(5))
    print(f"first `causewise infer`, 500 rows: {first:.2f} s of CPU (goal: 3); the next: {warm:.2f} s")
    print(f"  ratio {first / warm:.2f} (goal: at most 1.3); bare imports: {imports:.2f} s")
    print(f"`import causewise`: {(ours - nothing) * 1e3:.0f} ms (wall, goal: 50)")


def peers(folder: Path) -> None:
    """The same pair, to the packages that offer a comparable test: first process, then the best of two more."""
    python, versions = prepare(ROOT / "out" / "peers")
    _, columns = pair_file(folder)
    for peer in PEERS:
        request = json.dumps(json.loads(columns) | {"peer": peer}) + "\n"
        answers = []
        for _ in range(3):
            environment = bare(folder / peer.replace(" ", "-"), **ONE_THREAD, PYTHONWARNINGS="ignore")
            answers.append(cpu([str(python), str(WORKER)], environment, input=request))
        said = versions.get(peer.split()[0], "")
        print(f"{peer} ({said}): first {answers[0]:.2f} s of CPU, the next {min(answers[1:]):.2f} s")


def demo(folder: Path) -> None:
    """`make demo` from a bare clone, as a stranger runs it; by the clock."""
    for name, path in (("a C compiler", os.environ["PATH"]), ("no C compiler", without_compilers(folder / "bin"))):
        clone = folder / name.replace(" ", "-")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        environment = bare(folder / f"home of {name}") | {"PATH": path}
        seconds = wall(["make", "demo", f"PYTHON={sys.executable}"], environment, cwd=clone)
        print(f"`make demo` from a bare clone with {name}: {seconds:.0f} s (wall)")
        shutil.rmtree(clone)


def without_compilers(folder: Path) -> str:
    """A path with all programs of this one but compilers."""
    folder.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*") if Path(place).is_dir() else ():
            if not program.name.startswith(COMPILERS) and not (folder / program.name).exists():
                (folder / program.name).symlink_to(program)
    return str(folder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--demo", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.demo:
            demo(folder)
        else:
            first_answer(installed(folder), folder)
        if asked.peers:
            peers(folder)
