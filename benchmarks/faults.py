"""What is left of a scan when something dies: the file of a quiet run, or a sentence that says what is missing.

    python benchmarks/faults.py                  every fault, on plain processes and on a Dask cluster: some minutes
    ... --engine local|dask|serve|scan|graph     --fault NAME     --columns N     --rows N

Every scan is the command `causewise scan TABLE --out FILE`, in a process of its own. Faults are real: SIGKILL to a
worker (three times), to the scheduler, to the command itself; a file that may not grow any more; a pair whose scoring
kills the process that does it; somebody's file, or another scan's, where pairs are to be kept. Afterwards the same
command is given again where the first one could not end well. Files are compared byte for byte without their column
`seconds`. What is left of servers, of scans of large tables and of graphs is looked at by `process_faults.py`.
"""

import argparse
import csv
import itertools
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from process_faults import FAULTS as OF_PROCESSES  # noqa: E402  # it lies beside this file

KILLS = 3
POISONED = (0, 3)
"""The pair that kills, by the places of its columns."""
_CHILD = "import faults; faults.child()"
_CLUSTER = "import faults; faults.cluster()"
_PATIENCE = 300.0
"""Seconds after which a scan that should have moved on is given up."""


def write_table(path: Path, columns: int, rows: int) -> None:
    """Columns that all hang together, so that every pair is oriented."""
    import pyarrow
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    x = rng.normal(size=rows)
    table = {f"c{k}": np.tanh(x + 0.1 * k) + (0.3 + 0.2 * np.abs(x)) * rng.normal(size=rows) for k in range(columns)}
    parquet.write_table(pyarrow.table(table), path)


# What runs in processes of their own.


def child() -> None:
    """`causewise`, with a fault inside if one is named: the bytes that a file may have, or the pair that kills."""
    from causewise.cli import main
    from causewise.scanning import scanner

    fault = sys.argv.pop(1)
    if fault == "poison":
        scanner.orient_pairs = deadly
    elif fault:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(fault), int(fault)))
    main()


def deadly(scorer: Any, related: Sequence[Any]) -> list[Any]:
    """Orient pairs, unless the poisoned one is among them."""
    from causewise.scanning.pair_scorer import orient_pairs

    if any(tuple(item[:2]) == POISONED for item in related):
        os.kill(os.getpid(), signal.SIGKILL)
    return orient_pairs(scorer, related)


def cluster() -> None:
    """A Dask cluster of two workers that says its address, and after every line read the process ids of its workers."""
    import dask
    from distributed import LocalCluster

    from causewise.scanning.on_dask import LOST_WORKER

    dask.config.set({LOST_WORKER: "10 minutes"})
    settings = {"memory_limit": 0, "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=2, threads_per_worker=1, **settings) as found:
        print(found.scheduler_address, flush=True)
        for _ in sys.stdin:
            # Those that watch over the workers know them; a worker that is just starting has no number yet.
            print(*(nanny.pid for nanny in found.workers.values() if nanny.pid), flush=True)


def environment() -> dict[str, str]:
    """This one's, in which every process finds this file."""
    return dict(os.environ) | {"PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}


@dataclass(frozen=True)
class Cluster:
    """A cluster in a process of its own."""

    process: "subprocess.Popen[str]"
    address: str

    def workers(self) -> list[int]:
        """Their process ids."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [int(word) for word in self.process.stdout.readline().split()]


@contextmanager
def new_cluster() -> Iterator[Cluster]:
    """Started, and killed at the end."""
    command = [sys.executable, "-c", _CLUSTER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes, text=True, env=environment()) as process:
        assert process.stdout is not None
        try:
            yield Cluster(process, process.stdout.readline().strip())
        finally:
            process.kill()


# One scan, with what happens to it.


class Scanning:
    """The command, begun."""

    def __init__(self, table: Path, out: Path, where: Sequence[str], fault: str = "") -> None:
        command = [sys.executable, "-c", _CHILD, fault, "scan", str(table), "--out", str(out), *where]
        self.part = out.with_name(out.name + ".part")
        self._known = self._lines()
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment()
        )

    def _lines(self) -> int:
        return self.part.read_bytes().count(b"\n") if self.part.exists() else 0

    def moved_on(self) -> bool:
        """Wait until it has finished more tiles; False where it has ended instead."""
        latest = time.monotonic() + _PATIENCE
        while self.process.poll() is None and time.monotonic() < latest:
            if (lines := self._lines()) > self._known:
                self._known = lines
                return True
            time.sleep(0.005)
        return False

    def workers(self) -> list[int]:
        """Process ids of those that it has started to work on tiles."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        children = [int(word) for task in tasks for word in task.read_text().split()]
        return [pid for pid in children if b"spawn_main" in _command(pid)]

    def ended(self) -> tuple[int, str]:
        """Exit code, and the last line that was said."""
        _, said = self.process.communicate(timeout=_PATIENCE)
        return self.process.returncode, (said.strip().splitlines() or [""])[-1]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


@dataclass(frozen=True)
class Place:
    """Where scans of one table are tried: its file, a folder, and how to say who works."""

    table: Path
    out: Path
    where: Sequence[str]
    cluster: Cluster | None = None

    def begun(self, fault: str = "") -> Scanning:
        """The scan."""
        return Scanning(self.table, self.out, self.where, fault)

    def again(self) -> tuple[int, str]:
        """The same command on plain processes, to its end."""
        return Scanning(self.table, self.out, ("--jobs", "2")).ended()


def quiet(place: Place) -> str:
    """Nothing happens."""
    return _words(*place.begun().ended())


def worker(place: Place) -> str:
    """A worker is killed, three times."""
    scanning, killed = place.begun(), 0
    while killed < KILLS and scanning.moved_on():
        if pids := scanning.workers() if place.cluster is None else place.cluster.workers():
            os.kill(pids[0], signal.SIGKILL)
            killed += 1
    return _words(*scanning.ended()) + (f", {killed} killed" if killed < KILLS else "")


def scheduler(place: Place) -> str:
    """The scheduler is killed, and the same command given without it."""
    assert place.cluster is not None
    scanning = place.begun()
    _several(scanning)
    place.cluster.process.kill()
    return f"{_words(*scanning.ended())}; again: {_words(*place.again())}"


def client(place: Place) -> str:
    """The command is killed, and given again."""
    scanning = place.begun()
    _several(scanning)
    pids = scanning.workers()
    scanning.process.kill()
    ending = _words(*scanning.ended())
    latest = time.monotonic() + 10
    while (left := [pid for pid in pids if b"spawn_main" in _command(pid)]) and time.monotonic() < latest:
        time.sleep(0.05)
    outlived = f", and {len(left)} of its processes live on" if left else ""
    return f"{ending}{outlived}; again: {_words(*place.again())}"


def disk(place: Place) -> str:
    """No file may grow beyond half of what is to be kept; then there is room again."""
    return f"{_words(*place.begun('100000').ended())}; again: {_words(*place.again())}"


def poison(place: Place) -> str:
    """A pair kills the process that scores it."""
    return _words(*place.begun("poison").ended())


def foreign(place: Place) -> str:
    """Somebody's file stands where pairs are to be kept, then the work of another scan; both are moved away."""
    part, moved, endings = place.out.with_name(place.out.name + ".part"), place.out.with_name("moved"), []
    another = Scanning(place.table, place.out, (*place.where, "--seed", "1"))
    _several(another, 1)
    another.process.kill()
    another.ended()
    for content in (part.read_bytes(), b"precious\n"):
        part.write_bytes(content)
        code, _ = place.begun().ended()
        kept = part.exists() and part.read_bytes() == content and not place.out.exists()
        endings.append("refused" if code == 2 and kept else f"exit code {code}, {'kept' if kept else 'LOST'}")
        part.replace(moved)
    return f"{'; '.join(endings)}; moved away: {_words(*place.begun().ended())}"


def _several(scanning: Scanning, tiles: int = 4) -> None:
    for _ in range(tiles):
        scanning.moved_on()


def _words(code: int, said: str) -> str:
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return "done" if code == 0 else f"exit code {code}: {said}"


FAULTS: dict[str, Callable[[Place], str]] = {
    "quiet": quiet,
    "worker": worker,
    "scheduler": scheduler,
    "client": client,
    "disk": disk,
    "poison": poison,
    "foreign": foreign,
}


def timeless(out: Path) -> list[list[str]]:
    """A scan's file without its seconds."""
    with out.open(newline="") as stream:
        lines = list(csv.reader(stream))
    seconds = lines[0].index("seconds")
    return [line[:seconds] + line[seconds + 1 :] for line in lines]


def compared(fault: str, expected: list[list[str]], out: Path) -> str:
    """How a file differs from that of a quiet run; empty where it is as it must be."""
    if not out.exists():
        return "no file"
    if out.with_name(out.name + ".part").exists():
        return "the journal is left"
    found = timeless(out)
    different = [k for k, (a, b) in enumerate(itertools.zip_longest(expected, found)) if a != b]
    if fault != "poison":
        return f"{len(different)} rows differ" if different else ""
    status = [dict(zip(found[0], found[k], strict=True)) for k in different]
    one = [(row["x"], row["y"], row["status"]) for row in status] == [(*(f"c{k}" for k in POISONED), "failed")]
    return "" if one and "died" in status[0]["reason"] else f"{len(different)} rows differ"


def tried(engine: str, fault: str, table: Path, expected: list[list[str]] | None) -> tuple[str, str, list[list[str]]]:
    """How the scan ended, what is wrong with its file, and the file."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "pairs.csv"
        if engine == "local":
            ending = FAULTS[fault](Place(table, out, ("--jobs", "2")))
        else:
            with new_cluster() as there:
                ending = FAULTS[fault](Place(table, out, ("--dask", there.address), there))
        ending = ending.replace(folder + os.sep, "")
        return ending, compared(fault, expected or timeless(out), out), timeless(out) if out.exists() else []


def try_processes(engine: str | None, fault: str | None, folder: Path) -> int:
    """Print a line for each fault of a server, a large scan or a graph; how many of them left something."""
    wrong = 0
    for command, faults in OF_PROCESSES.items():
        for name, inflict in faults.items():
            if (engine or command, fault or name) != (command, name):
                continue
            with tempfile.TemporaryDirectory(dir=folder) as place:
                amiss = inflict(Path(place))
            wrong += bool(amiss)
            print(f"| {command} | {name} | {inflict.__doc__} | {amiss or 'as it must be'} |", flush=True)
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if any file is not what it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("local", "dask", *OF_PROCESSES))
    parser.add_argument(
        "--fault", choices=sorted({*FAULTS, *(name for each in OF_PROCESSES.values() for name in each)})
    )
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--rows", type=int, default=300)
    asked = parser.parse_args(arguments)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "table.parquet"
        write_table(table, asked.columns, asked.rows)
        expected = None if asked.engine in OF_PROCESSES else tried("local", "quiet", table, None)[2]
        print("| engine | fault | how it ended | what is left |\n|---|---|---|---|", flush=True)
        for engine, fault in itertools.product(("local", "dask"), FAULTS):
            passed_over = (engine, fault) == ("local", "scheduler") or (asked.engine or engine) != engine
            if passed_over or (asked.fault or fault) != fault:
                continue
            ending, amiss, _ = tried(engine, fault, table, expected)
            amiss = amiss or ("somebody's file is lost" if "LOST" in ending else "")
            wrong += bool(amiss)
            same = "that of the quiet run" + (", but for a row that says so" if fault == "poison" else "")
            print(f"| {engine} | {fault} | {ending} | {amiss or same} |", flush=True)
        wrong += try_processes(asked.engine, asked.fault, Path(folder))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
