"""Ctrl-C is Ctrl-C: exit code 130, one line, what is finished is kept; in Python, KeyboardInterrupt alone."""

import importlib.util
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trial import run

import causewise
from causewise.files import replace_with

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are a POSIX thing")

ROOT = Path(__file__).parents[2]
EXEC = """
import sys
def _(*_):
    raise KeyboardInterrupt
sys.modules["causewise.cli.app"] = type(sys)("app")
sys.modules["causewise.cli.app"].app = lambda prog_name: exec("_()", {"_": _})
from causewise.cli import main
main()
"""


def script() -> Any:
    spec = importlib.util.spec_from_file_location("interrupts", ROOT / "benchmarks" / "interrupts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "causewise", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def interrupt(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Ctrl-C, and what was said; pressed again where it fell just before a read that waits, which CPython lets wait."""
    while True:
        os.killpg(process.pid, signal.SIGINT)
        try:
            return process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            continue


def finished_cells(folder: Path) -> int:
    try:
        with sqlite3.connect(f"file:{folder / 'rows.sqlite'}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT COUNT(*) FROM finished").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_infer_ends_with_130_and_one_line_at_any_moment() -> None:
    interrupts = script()
    found = interrupts.outcomes(tries=2, rows=3000, seed=0)
    assert set(found) <= {interrupts.STOPPED, interrupts.DONE}


@pytest.mark.parametrize("seconds", [0.03, 0.1])
def test_ctrl_c_while_modules_are_imported_is_the_same(seconds: float, table: Path) -> None:
    interrupts = script()
    assert interrupts.interrupted(["infer", str(table)], seconds)[0] == interrupts.STOPPED


def test_ctrl_c_inside_an_exec_of_text_has_the_same_exit_code(tmp_path: Path) -> None:
    (tmp_path / "stand_in.py").write_text(EXEC)
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, "-m", "stand_in"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (130, "Stopped before the answer was ready.\n")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_study_keeps_what_is_finished_and_carries_on(jobs: int, tmp_path: Path) -> None:
    process = start("study", "estimators", "--fast", "--jobs", str(jobs), "--out", str(tmp_path))
    while process.poll() is None and finished_cells(tmp_path) < 3:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    out, said = process.communicate()
    assert (process.returncode, out) == (130, "")
    told = "Stopped; what is finished is kept, and the same command carries on from there."
    assert said.splitlines()[-1] == told  # a slow machine says before how far it is
    assert "Traceback" not in said
    assert finished_cells(tmp_path) >= 3


@pytest.mark.parametrize(("jobs", "number"), [(1, signal.SIGINT), (2, signal.SIGTERM)])
def test_a_scan_names_what_it_keeps_and_carries_on(jobs: int, number: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    columns = [np.tanh(x + 0.1 * k) + 0.3 * rng.normal(size=300) for k in range(18)]
    header = ",".join(f"c{k}" for k in range(18))
    np.savetxt(tmp_path / "t.csv", np.column_stack(columns), delimiter=",", header=header, comments="")
    part = tmp_path / "pairs.csv.part"
    command = ("scan", str(tmp_path / "t.csv"), "--out", str(tmp_path / "pairs.csv"), "--jobs", str(jobs))
    process = start(*command)
    while process.poll() is None and not (part.exists() and part.stat().st_size > 1000):
        time.sleep(0.01)
    os.killpg(process.pid, number)
    out, said = process.communicate()
    assert (process.returncode, out) == (130, "")
    told = f"Stopped; what is finished is kept in {part}, and the same command carries on from there."
    assert said.splitlines()[-1] == told  # what it may take comes before
    assert "Traceback" not in said
    assert part.exists()
    assert run(*command[:-1], "1").exit_code == 0
    assert (part.exists(), (tmp_path / "pairs.csv").exists()) == (False, True)


def test_nobodys_file_is_said_to_keep_what_is_finished(tmp_path: Path) -> None:
    """Stopped while the table, here a pipe that never ends, is being read."""
    os.mkfifo(tmp_path / "t.csv")
    (tmp_path / "pairs.csv.part").write_text("precious\n")
    process = start("scan", str(tmp_path / "t.csv"), "--out", str(tmp_path / "pairs.csv"))
    with (tmp_path / "t.csv").open("w") as pipe:  # opens when the other side is
        pipe.write("a,b\n1,2\n")
        pipe.flush()
        said = interrupt(process)[1]
    assert (process.returncode, said) == (130, "Stopped before the answer was ready.\n")
    assert (tmp_path / "pairs.csv.part").read_text() == "precious\n"


def test_a_study_that_has_just_started_its_processes_says_one_line(tmp_path: Path) -> None:
    process = start("study", "estimators", "--fast", "--jobs", "2", "--out", str(tmp_path))
    while process.poll() is None and not (tmp_path / "rows.sqlite").exists():
        time.sleep(0.01)
    time.sleep(0.3)  # its workers are importing now
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode == 130
    assert said.count("\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker ends after its current cell")
def test_the_processes_of_a_killed_study_end_with_it(tmp_path: Path) -> None:
    process = start("study", "estimators", "--fast", "--jobs", "2", "--out", str(tmp_path))
    while process.poll() is None and finished_cells(tmp_path) < 1:
        time.sleep(0.01)
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.wait()  # not for its output, which a worker that lives on would hold open
    patience = time.monotonic() + 10
    while left := [worker for worker in workers if Path(f"/proc/{worker}").exists()]:
        if time.monotonic() > patience:
            for worker in left:
                os.kill(int(worker), signal.SIGKILL)
            pytest.fail("a worker outlived its study")
        time.sleep(0.01)
    process.communicate()


@pytest.mark.parametrize("delay", [0.001, 0.05])
def test_python_gets_a_keyboard_interrupt_and_goes_on_as_before(delay: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=5000)
    y = np.tanh(x) + 0.3 * rng.normal(size=5000)
    before = json.dumps(causewise.infer(x, y).to_dict())
    # An interrupt that falls into a callback of the garbage collector is lost, so it is sent until it is heard.
    heard = threading.Event()

    def interrupt() -> None:
        time.sleep(delay)
        while not heard.is_set():
            signal.raise_signal(signal.SIGINT)
            heard.wait(5.0)

    sender = threading.Thread(target=interrupt)
    with pytest.raises(KeyboardInterrupt):
        sender.start()
        while True:
            causewise.infer(x, y)
    heard.set()
    sender.join()
    assert json.dumps(causewise.infer(x, y).to_dict()) == before


def test_half_a_file_is_left_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "report.html").write_text("old")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace_with(tmp_path / "report.html", b"new")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]
