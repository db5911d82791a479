"""Worker processes that hang, die and eat: each costs one task its answer, and nothing else."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import pytest

from causewise.serving.job_pool import JobPool, PoolTask
from causewise.serving.limits import RequestError as Refusal

MIB = 1 << 20


@contextmanager
def pool(workers: int = 1, waiting: int = 4, seconds: float = 30.0, memory: int = 256 * MIB) -> Iterator[JobPool]:
    jobs = JobPool(workers, waiting, seconds, memory, "toy_work")
    jobs.start()
    try:
        yield jobs
    finally:
        jobs.close()


@pytest.fixture(scope="module")
def one() -> Iterator[JobPool]:
    with pool() as jobs:
        yield jobs


def answer(jobs: JobPool, work: str, **settings: Any) -> Any:
    return jobs.submit(work, settings, b"content").future.result(60)


def refused(jobs: JobPool, work: str, **settings: Any) -> Refusal:
    with pytest.raises(Refusal) as caught:
        answer(jobs, work, **settings)
    return caught.value


def eventually(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def works(task: PoolTask) -> Callable[[], bool]:
    return lambda: task.working


def test_what_goes_in_comes_out(one: JobPool) -> None:
    settings, content, _ = answer(one, "echo", a=1)
    assert (settings, content) == ({"a": 1}, b"content")


def test_a_process_is_used_again(one: JobPool) -> None:
    assert answer(one, "echo")[2] == answer(one, "echo")[2]


def test_input_at_fault_is_a_sentence(one: JobPool) -> None:
    found = refused(one, "refuse")
    assert (found.status, str(found)) == (422, "Got nothing; expected something.")


def test_what_the_command_line_would_offer_becomes_settings(one: JobPool) -> None:
    assert refused(one, "unclear").choices == ({"decimal": "."}, {"decimal": ","}, {"header": False})


def test_a_failure_of_ours_tells_the_terminal_and_nobody_else(one: JobPool, caplog: pytest.LogCaptureFixture) -> None:
    found = refused(one, "fail")
    assert found.status == 500
    assert "secret" not in str(found)
    assert "the secret" in caplog.text


def test_a_process_that_dies_costs_one_task_its_answer(one: JobPool) -> None:
    before = answer(one, "echo")[2]
    assert "died" in str(refused(one, "die"))
    assert answer(one, "echo")[2] != before


def test_an_idle_process_that_was_killed_costs_nothing(one: JobPool) -> None:
    pid = answer(one, "echo")[2]
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    assert answer(one, "echo")[2] != pid


def test_a_process_that_no_longer_reads_costs_one_task_its_answer() -> None:
    with pool(seconds=1.0) as jobs:
        pid = answer(jobs, "echo")[2]
        os.kill(pid, signal.SIGSTOP)
        found = jobs.submit("echo", {}, bytes(MIB))
        with pytest.raises(Refusal, match="longer than the 1 seconds"):
            found.future.result(60)
        assert answer(jobs, "echo")[2] != pid


def test_a_process_that_died_at_rest_is_replaced_before_it_is_needed(one: JobPool) -> None:
    pid = answer(one, "echo")[2]
    before = set(psutil.Process().children())
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: set(psutil.Process().children()) - before)
    assert not psutil.pid_exists(pid)
    assert answer(one, "echo")[2] != pid


def test_a_closed_pool_says_so() -> None:
    jobs = JobPool(1, 4, 30.0, 256 * MIB, "toy_work")
    jobs.close()
    with pytest.raises(Refusal, match="The server is closing") as caught:
        jobs.submit("echo", {}, b"")
    assert caught.value.status == 503


def test_memory_beyond_the_limit_is_refused(one: JobPool) -> None:
    assert answer(one, "eat", bytes=32 * MIB) == 32 * MIB
    found = refused(one, "eat", bytes=512 * MIB)
    assert (found.status, "256 MiB" in str(found)) == (413, True)
    assert answer(one, "echo")


def test_a_task_that_takes_too_long_is_ended() -> None:
    with pool(seconds=0.3) as jobs:
        found = refused(jobs, "sleep", seconds=600)
        assert (found.status, "0.3 seconds" in str(found)) == (422, True)
        assert answer(jobs, "echo")


def test_a_full_queue_says_how_long_it_is(one: JobPool) -> None:
    tasks = [one.submit("sleep", {"seconds": 600}, b"")]
    eventually(works(tasks[0]))
    tasks += [one.submit("sleep", {"seconds": 600}, b"") for _ in range(4)]
    assert [one.ahead(task) for task in tasks] == [0, 0, 1, 2, 3]
    with pytest.raises(Refusal, match="4 jobs are waiting") as caught:
        one.submit("echo", {}, b"")
    assert caught.value.status == 503
    assert "Retry-After" in caught.value.headers
    for task in tasks:
        one.stop(task, Refusal(409, "Cancelled."))
    for task in tasks:
        with pytest.raises(Refusal, match=r"Cancelled\."):
            task.future.result(60)
    assert answer(one, "echo")


def test_a_queue_of_large_tasks_is_full_sooner() -> None:
    jobs = JobPool(1, 4, 30.0, 256 * MIB, "toy_work", held=3 * MIB)  # never started: what is put there waits
    jobs.submit("echo", {}, bytes(2 * MIB))
    with pytest.raises(Refusal, match="1 jobs are waiting"):
        jobs.submit("echo", {}, bytes(2 * MIB))
    jobs.submit("echo", {}, bytes(MIB))
    jobs.close()


def test_progress_is_heard_while_the_work_goes_on(one: JobPool) -> None:
    task = one.submit("steps", {"of": 3}, b"")
    eventually(lambda: task.progress and task.progress.done == 3)
    assert task.progress is not None
    assert task.progress[:3] == ("walking", 3, 3)
    one.stop(task, Refusal(409, "Cancelled."))
    with pytest.raises(Refusal):
        task.future.result(60)


def test_closing_ends_every_process_and_every_task() -> None:
    before = set(psutil.Process().children())
    with pool(workers=2) as jobs:
        working = jobs.submit("sleep", {"seconds": 600}, b"")
        eventually(works(working))
        waiting = [jobs.submit("sleep", {"seconds": 600}, b"") for _ in range(3)]
        started = set(psutil.Process().children()) - before
    for task in (working, *waiting):
        with pytest.raises(Refusal, match="closing"):
            task.future.result(60)
    left = [each for each in started if each.is_running() and "resource_tracker" not in " ".join(each.cmdline())]
    assert not left
