"""Killed, out of disk, or two at once: the final table is that of an undisturbed run, byte for byte."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import drive
import pytest

from causewise.lab.benchmark.rendering import FORMS, Look, render
from causewise.lab.benchmark.scores import summarise
from causewise.lab.benchmark.store import Store

LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
os.execv(sys.argv[1], sys.argv[1:])
"""
"""May write files of 100 kB at most. (A `preexec_fn` would fork this process, which may hold threads.)"""


def start(
    store: Path, prefix: tuple[str, ...] = (), methods: tuple[str, ...] = (), **extra: str
) -> subprocess.Popen[str]:
    command = [*prefix, sys.executable, drive.__file__, str(store), *methods]
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(sys.path)} | extra
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)


def finish(store: Path) -> None:
    process = start(store)
    said = process.communicate()[1]
    assert process.returncode == 0, said


def tables(store: Path) -> dict[str, str]:
    with Store.read(store) as results:
        rows = results.rows()
    assert len(rows) == drive.TOTAL == len({(row.dataset, row.pair_id, row.method) for row in rows})
    summaries = [summarise(rows, metric) for metric in ("accuracy", "audrc")]
    return {f"{s.metric} {form}": render(s, form, Look(True, True)) for s in summaries for form in FORMS}


def stored(store: Path) -> int:
    if not store.exists():
        return 0
    with Store.open(store) as results:
        return len(results.keys())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    store = tmp_path_factory.mktemp("undisturbed") / "s.sqlite"
    finish(store)
    return tables(store)


def kill_at_random(store: Path, chance: random.Random) -> bool:
    """Start a run, let it make at least one row, kill it a moment later; says whether it was still at work."""
    before = stored(store)
    process = start(store)
    while process.poll() is None and stored(store) <= before:
        time.sleep(0.01)
    time.sleep(chance.uniform(0, 0.25))
    workers = children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_for_end(workers)
    return process.returncode == -signal.SIGKILL


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def wait_for_end(workers: list[int]) -> None:
    """Workers of a killed run must not live on."""
    patience = time.monotonic() + 10
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < patience, "a worker outlived its run"
        time.sleep(0.01)


def check_kills(store: Path, kills: int, expected: dict[str, str]) -> None:
    chance = random.Random(kills)
    assert sum(kill_at_random(store, chance) for _ in range(kills)) > 0
    finish(store)
    assert tables(store) == expected


def test_killed_and_resumed_gives_the_same_table(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    check_kills(tmp_path / "s.sqlite", 2, undisturbed)


@pytest.mark.slow
def test_killed_ten_times_and_resumed_gives_the_same_table(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    check_kills(tmp_path / "s.sqlite", 10, undisturbed)


def test_a_full_disk_is_a_sentence_and_the_file_stays_usable(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    store = tmp_path / "s.sqlite"
    process = start(store, (sys.executable, "-c", LIMITED))
    said = process.communicate()[1]
    assert process.returncode == 1, said
    assert "is full" in said
    assert "Traceback" not in said
    assert 0 < stored(store) < drive.TOTAL
    finish(store)
    assert tables(store) == undisturbed


def test_two_runners_share_one_store_and_do_no_pair_twice(tmp_path: Path, undisturbed: dict[str, str]) -> None:
    store, diary = tmp_path / "s.sqlite", tmp_path / "diary"
    runners = [start(store, TOYS_DIARY=str(diary)) for _ in range(2)]
    said = [runner.communicate()[1] for runner in runners]
    assert [runner.returncode for runner in runners] == [0, 0], said
    assert tables(store) == undisturbed
    done = diary.read_text().splitlines()
    assert len(done) == len(set(done)) == 2 * drive.PAIRS
    assert all("by another run" in words for words in said)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a worker ends after its current pair")
def test_workers_do_not_outlive_a_killed_run_even_in_the_middle_of_a_pair(tmp_path: Path) -> None:
    process = start(tmp_path / "s.sqlite", methods=("toys:hangs",), TOYS_DIARY=str(tmp_path / "diary"))
    while process.poll() is None and not (tmp_path / "diary").exists():
        time.sleep(0.01)
    workers = children(process.pid)
    assert workers
    process.kill()
    process.communicate()
    try:
        wait_for_end(workers)
    finally:
        for worker in workers:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_is_finished_and_says_so(tmp_path: Path, number: signal.Signals) -> None:
    store = tmp_path / "s.sqlite"
    process = start(store)
    while process.poll() is None and stored(store) < 3:
        time.sleep(0.01)
    workers = children(process.pid)
    os.killpg(process.pid, number)  # as a terminal does: the workers are told as well
    said = process.communicate()[1]
    assert process.returncode == 130
    assert said == "Stopped; what is finished is kept, and the same command carries on from there.\n"
    assert 3 <= stored(store) < drive.TOTAL
    wait_for_end(workers)
