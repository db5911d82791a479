"""What is left of a server, a scan or a graph whose processes are killed, stopped or told to end: `faults.py` runs it.

A table beyond what is kept in memory lies in a file without a name. It must be gone, and so must every process, however
the work ends. Each fault is tried in a folder of its own for temporary files; what is wrong is said in a few words.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np

PATIENCE = 120.0
LARGE = (24, 400_000)
"""Columns and rows of a table beyond 64 MiB."""
PLAIN = """
import numpy as np, causewise
rng = np.random.default_rng(0)
a = rng.uniform(-2, 2, 200)
table = {"a": a, "b": np.sin(2 * a) + 0.3 * rng.normal(size=200), "c": rng.normal(size=200)}
print(causewise.graph(table, bootstrap=4, engine=causewise.Engine(jobs=2)))
"""
"""A script without the guard that Python asks for around new processes."""


@dataclass(frozen=True)
class Begun:
    """A command with a folder of its own for temporary files."""

    process: "subprocess.Popen[str]"
    folder: Path

    def processes(self) -> list[int]:
        """Those that it has started, and theirs."""
        return list(_descendants(self.process.pid))

    def workers(self) -> list[int]:
        """Those of them that work."""
        return [pid for pid in self.processes() if b"spawn_main" in _read(f"/proc/{pid}/cmdline")]

    def holds_table(self) -> bool:
        """Whether any of them has a file without a name open."""
        return any(
            str(self.folder) in name for pid in [self.process.pid, *self.processes()] for name in _open_files(pid)
        )

    def left(self, processes: list[int]) -> str:
        """What is left of it once it has ended."""
        wait_for(lambda: not any(map(_lives, processes)))
        alive, files = [pid for pid in processes if _lives(pid)], list(self.folder.rglob("*"))
        words = [f"{len(alive)} processes live on"] * bool(alive) + [f"{len(files)} files are left"] * bool(files)
        return ", ".join(words)


def _descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, _read(task).split()):
            yield child
            yield from _descendants(child)


def _read(path: str | Path) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


def _open_files(pid: int) -> list[str]:
    found = []
    for each in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            found.append(str(each.readlink()))
        except OSError:
            continue
    return found


def _lives(pid: int) -> bool:
    return _read(f"/proc/{pid}/stat").rpartition(b") ")[2][:1] not in (b"", b"Z")


def wait_for(is_so: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether something becomes true in time."""
    latest = time.monotonic() + seconds
    while not (answer := is_so()) and time.monotonic() < latest:
        time.sleep(0.02)
    return answer


@contextmanager
def begin(folder: Path, *arguments: str) -> Iterator[Begun]:
    """`causewise` with these arguments; killed at the end."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    environment = dict(os.environ) | {"TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", "from causewise.cli import main; main()", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True, env=environment) as process:
        try:
            yield Begun(process, temporary)
        finally:
            process.kill()


@contextmanager
def begin_server(folder: Path, *arguments: str) -> Iterator[tuple[Begun, httpx.Client]]:
    """A server, once its workers are ready, and a client of it."""
    with begin(folder, "serve", "--port", "0", "--no-browser", "--jobs", "1", *arguments) as server:
        assert server.process.stdout is not None
        address = server.process.stdout.readline().split()[3]
        with httpx.Client(base_url=address, timeout=PATIENCE, trust_env=False) as client:
            client.post("/api/infer", json={"x": list(range(20)), "y": [k * k for k in range(20)]})
            yield server, client


def write_large(path: Path) -> Path:
    """A table that is short as a file and long in memory."""
    import pyarrow
    from pyarrow import parquet

    if not path.exists():
        columns, rows = LARGE
        rng = np.random.default_rng(0)
        parquet.write_table(pyarrow.table({f"c{k}": rng.integers(0, 1000, rows) for k in range(columns)}), path)
    return path


def _scan_large(server: Begun, client: httpx.Client, folder: Path) -> str:
    """Begin a scan of the large table, and return its job once the table lies in a file."""
    content = write_large(folder.parent / "large.parquet").read_bytes()
    job = client.post("/api/scan", files={"file": ("t.parquet", content)}).json()["id"]
    wait_for(server.holds_table)
    return str(job)


def delete(folder: Path) -> str:
    """The job of a large table is deleted."""
    with begin_server(folder, "--max-seconds", "100000") as (server, client):
        job = _scan_large(server, client, folder)
        if not server.holds_table():
            return "the table never was in a file"
        client.delete(f"/api/jobs/{job}")
        if not wait_for(lambda: not server.holds_table()):
            return "the table is still held"
        return server.left([])


def refusal(folder: Path) -> str:
    """A large table takes longer than is allowed."""
    with begin_server(folder, "--max-seconds", "1") as (server, client):
        job = _scan_large(server, client, folder)
        wait_for(lambda: client.get(f"/api/jobs/{job}").json()["state"] not in ("waiting", "working"))
        state = client.get(f"/api/jobs/{job}").json()["state"]
        if not wait_for(lambda: not server.holds_table()):
            return "the table is still held"
        return "" if state == "failed" and not server.left([]) else f"{state} {server.left([])}"


def _end_server(number: int, code: int) -> Callable[[Path], str]:
    def end(folder: Path) -> str:
        with begin_server(folder, "--max-seconds", "100000") as (server, client):
            _scan_large(server, client, folder)
            processes = server.processes()
            return _end(server, processes, number, code)

    end.__doc__ = f"{signal.Signals(number).name} while a large table is scanned."
    return end


def _end(begun: Begun, processes: list[int], number: int, code: int) -> str:
    begun.process.send_signal(number)
    if not wait_for(lambda: begun.process.poll() is not None, 30):
        return "it did not end"
    wrong = "" if begun.process.returncode == code else f"exit code {begun.process.returncode}, "
    return wrong + begun.left(processes)


def _end_scan(number: int) -> Callable[[Path], str]:
    def end(folder: Path) -> str:
        table = write_large(folder.parent / "large.parquet")
        with begin(folder, "scan", str(table), "--jobs", "2", "--yes") as scanning:
            if not wait_for(lambda: scanning.holds_table() and len(scanning.workers()) > 1):
                return "the table never was in a file"
            return _end(scanning, scanning.processes(), number, -number)

    end.__doc__ = f"{signal.Signals(number).name} to the scan of a large table."
    return end


def _stop_worker(number: int, code: int) -> Callable[[Path], str]:
    def stop(folder: Path) -> str:
        with begin_server(folder) as (server, client):
            processes = server.processes()
            for pid in server.workers():
                os.kill(pid, signal.SIGSTOP)
            content = b"a,b\n" + b"1,2\n" * 250_000
            threading.Thread(target=_post, args=(client, content), daemon=True).start()
            time.sleep(2)
            return _end(server, processes, number, code)

    stop.__doc__ = f"SIGSTOP to the workers, an upload of 1 MB, {signal.Signals(number).name}."
    return stop


def _post(client: httpx.Client, content: bytes) -> None:
    try:
        client.post("/api/tables", files={"file": ("t.csv", content)})
    except httpx.HTTPError:  # the server has ended, as it was told
        return


def idle(folder: Path) -> str:
    """Workers at rest are killed; others take their place, and answer."""
    with begin_server(folder) as (server, client):
        before = server.workers()
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        if not wait_for(lambda: len(set(server.workers()) - set(before)) == len(before)):
            return "they are not replaced"
        answer = client.post("/api/infer", json={"x": list(range(20)), "y": [k * k for k in range(20)]})
        return "" if answer.status_code == 200 else answer.text


def plain(folder: Path) -> str:
    """A bootstrap in a script without the guard around new processes."""
    (folder / "script.py").write_text(PLAIN)
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, str(folder / "script.py")], capture_output=True, text=True, env=environment)
    return "" if done.returncode == 0 and not done.stderr else done.stderr.strip().splitlines()[-1]


def bootstrap(folder: Path) -> str:
    """A worker of a bootstrap is killed; the graph is that of a quiet run."""
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, 400)
    b = np.sin(2 * a) + 0.3 * rng.normal(size=400)
    table = np.column_stack([a, b, b**2 + 0.3 * rng.normal(size=400)])
    np.savetxt(folder / "t.csv", table, delimiter=",", header="a,b,c", comments="")
    found = []
    for kills in (0, 1):
        with begin(folder, "graph", str(folder / "t.csv"), "--bootstrap", "60", "--jobs", "2", "--json") as finding:
            if kills and wait_for(lambda: len(finding.workers()) == 2):
                time.sleep(1)  # at work by then
                os.kill(finding.workers()[0], signal.SIGKILL)
            out, said = finding.process.communicate(timeout=PATIENCE)
        if finding.process.returncode:
            return said.strip().splitlines()[-1]
        found.append(json.loads(out))
    return "" if found[0] == found[1] else "the graph is another"


FAULTS: dict[str, dict[str, Callable[[Path], str]]] = {
    "serve": {
        "delete": delete,
        "refusal": refusal,
        "interrupt": _end_server(signal.SIGINT, 130),
        "kill": _end_server(signal.SIGKILL, -signal.SIGKILL),
        "stopped-int": _stop_worker(signal.SIGINT, 130),
        "stopped-term": _stop_worker(signal.SIGTERM, 0),
        "idle": idle,
    },
    "scan": {"hangup": _end_scan(signal.SIGHUP), "kill": _end_scan(signal.SIGKILL)},
    "graph": {"plain": plain, "bootstrap": bootstrap},
}
