"""Workers that crash, hang, are stopped or killed: each costs its own item at most, and nobody else's."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import psutil
import pytest

from causewise import worker, worker_pool
from causewise.parallel import limit_memory
from causewise.worker import Worker, report
from causewise.worker_pool import InProcess, Lost, WorkerError, WorkerPool, open_pool


def square(shared: int, items: list[int]) -> list[int]:
    return [shared * item**2 for item in items]


def crash_on_three(shared: Any, items: list[int]) -> list[int]:
    if 3 in items:
        os._exit(9)
    return items


def crash_once(place: Path, items: list[int]) -> list[int]:
    if not place.exists():
        place.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return items


def hang_on_three(shared: Any, items: list[int]) -> list[int]:
    report()
    if 3 in items:
        time.sleep(600)
    return items


def raise_problem(shared: Any, items: list[type[BaseException]]) -> list[Any]:
    raise items[0]("the reason")


def process_ids(shared: Any, items: list[Any]) -> list[int]:
    return [os.getpid() for _ in items]


def sizes(shared: Any, items: list[bytes]) -> list[int]:
    return [len(item) for item in items]


def environment(shared: Any, items: list[str]) -> list[str | None]:
    return [os.environ.get(item) for item in items]


def threads(shared: Any, items: list[Any]) -> list[int]:
    import scipy.linalg  # noqa: F401  # brings a BLAS of its own
    from threadpoolctl import threadpool_info

    return [max(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")]


def shout_and_crash(shared: Any, items: list[Any]) -> list[Any]:
    os.write(1, b"to nobody\n")
    os.write(2, b"the last line\n")
    os._exit(7)


class Unpicklable(Exception):
    def __init__(self, first: str, second: str) -> None:
        super().__init__(first)


def raise_unpicklable(shared: Any, items: list[Any]) -> list[Any]:
    raise Unpicklable("the reason", "another")


def refuse() -> Any:
    raise RuntimeError("not here")


def tasks(count: int = 4, size: int = 3) -> list[list[int]]:
    return [list(range(size * k, size * k + size)) for k in range(count)]


@pytest.mark.parametrize("workers", [1, 2])
def test_results_do_not_depend_on_the_number_of_workers(workers: int) -> None:
    with open_pool(workers, nullcontext, [10]) as pool:
        assert isinstance(pool, InProcess) == (workers == 1)
        found = dict(pool.map(square, tasks()))
        again = dict(pool.map(square, tasks(1)))
    assert found == {k: [10 * item**2 for item in items] for k, items in enumerate(tasks())}
    assert again == {0: found[0]}


def test_the_item_that_crashes_its_worker_is_found_by_halves() -> None:
    with WorkerPool(2, nullcontext, [None]) as pool:
        found = dict(pool.map(crash_on_three, tasks()))
        assert isinstance(lost := found[1][0], Lost)
        assert (lost.item, lost.is_late) == (3, False)
        assert "exit code 9" in lost.reason
        assert (found[0], found[1][1:], found[2]) == ([0, 1, 2], [4, 5], [6, 7, 8])


def test_a_task_whose_worker_was_killed_is_done_again(tmp_path: Path) -> None:
    with WorkerPool(1, nullcontext, [tmp_path / "crashed"]) as pool:
        assert dict(pool.map(crash_once, [[1]])) == {0: [1]}
    with WorkerPool(1, nullcontext, [tmp_path / "not again"], retries=0) as pool:
        ((_, [lost]),) = pool.map(crash_once, [[1]])
        assert "SIGKILL" in lost.reason


def test_an_idle_worker_that_was_killed_costs_nothing() -> None:
    with WorkerPool(1, nullcontext, [None], retries=0) as pool:
        ((_, [pid]),) = pool.map(process_ids, [[0]])
        os.kill(pid, signal.SIGKILL)
        ((_, [other]),) = pool.map(process_ids, [[0]])
        assert other != pid


def test_an_item_that_takes_too_long_is_given_up() -> None:
    with WorkerPool(2, nullcontext, [None], seconds=0.3) as pool:
        found = dict(pool.map(hang_on_three, tasks(2, 2)))
    assert found[0] == [0, 1]
    assert (found[1][0], found[1][1].is_late, found[1][1].item) == (2, True, 3)
    assert "0.3 s" in found[1][1].reason


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
def test_a_stopped_worker_blocks_neither_the_sender_nor_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    with WorkerPool(1, nullcontext, [None], seconds=0.3) as pool:
        ((_, [pid]),) = pool.map(process_ids, [[0]])
        os.kill(pid, signal.SIGSTOP)
        monkeypatch.setattr(worker_pool, "START_SECONDS", 0.0)
        ((_, [lost]),) = pool.map(sizes, [[bytes(10**7)]])  # more than any pipe holds
        assert lost.is_late


def test_what_a_task_raises_is_raised_here_and_the_pool_goes_on() -> None:
    with WorkerPool(1, nullcontext, [1]) as pool:
        for kind in (ZeroDivisionError, SystemExit, KeyboardInterrupt):
            with pytest.raises(kind, match="the reason") as caught:
                list(pool.map(raise_problem, [[kind]]))
            assert "raise_problem" in "".join(caught.value.__notes__)
            assert dict(pool.map(square, [[2]])) == {0: [4]}


def test_what_does_not_pickle_is_raised_in_words() -> None:
    with WorkerPool(1, nullcontext, [1]) as pool, pytest.raises(RuntimeError, match="Unpicklable: the reason"):
        list(pool.map(raise_unpicklable, [[0]]))


def test_tasks_that_come_later_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "BEAT_SECONDS", 0.01)
    beats: list[int] = []

    def some() -> Iterator[list[int] | None]:
        yield from ([1], None, None, [2], None)

    with WorkerPool(2, nullcontext, [1]) as pool:
        assert dict(pool.map(square, some(), lambda: beats.append(1))) == {0: [1], 1: [4]}
    assert len(beats) >= 4


def test_leaving_a_map_ends_the_workers_that_are_at_it() -> None:
    before = set(psutil.Process().children())
    with WorkerPool(2, nullcontext, [None], seconds=600.0) as pool:
        finished = pool.map(hang_on_three, [[1], [3], [3]])
        assert next(finished) == (0, [1])
        finished.close()
        assert dict(pool.map(process_ids, [[]])) == {0: []}
    left = set(psutil.Process().children()) - before
    assert not [each for each in left if "resource_tracker" not in " ".join(each.cmdline())]


def test_a_worker_that_cannot_start_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with WorkerPool(1, refuse) as pool, pytest.raises(WorkerError, match=r"could not be started: .*not here"):
        list(pool.map(square, [[1]]))
    monkeypatch.setattr(worker, "_serve", sys.exit)
    with WorkerPool(1, nullcontext, [1]) as pool, pytest.raises(WorkerError, match="could not be started: Its process"):
        list(pool.map(square, [[1]]))


def test_a_limit_of_memory_that_is_passed_already_is_said() -> None:
    with WorkerPool(1, open_limited, [1 << 20]) as pool, pytest.raises(WorkerError, match="MemoryError"):
        list(pool.map(square, [[1]]))


def open_limited(most: int) -> Any:
    limit_memory(most)
    return nullcontext()


def test_workers_have_one_numerical_thread_and_their_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "2")
    with WorkerPool(1, nullcontext, [None], environment={"CAUSEWISE_SOMETHING": "given"}) as pool:
        assert dict(pool.map(threads, [[0]])) == {0: [1]}
        assert dict(pool.map(environment, [["CAUSEWISE_SOMETHING"]])) == {0: ["given"]}


def test_the_last_words_of_a_worker_are_kept_from_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    before = set(Path(worker.tempfile.gettempdir()).glob("causewise-*"))
    with WorkerPool(1, nullcontext, [None], retries=0, captures=True) as pool:
        ((_, [lost]),) = pool.map(shout_and_crash, [[0]])
    assert lost.reason == "Its process ended with exit code 7. Its last words: the last line"
    assert capfd.readouterr() == ("", "")
    assert set(Path(worker.tempfile.gettempdir()).glob("causewise-*")) <= before


def test_reports_come_while_a_task_goes_on() -> None:
    alone = Worker(nullcontext, [None])
    try:
        alone.submit(hang_on_three, [3])
        kinds = [alone.inbox.get(timeout=60)[1][0] for _ in range(3)]
        assert kinds == ["ready", "begun", "report"]
    finally:
        alone.end()
    assert alone.inbox.get(timeout=1)[1] is None
