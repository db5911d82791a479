"""One BLAS thread inside, whatever was set before outside; the number is said in one file only."""

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import threadpoolctl
from threadpoolctl import threadpool_info, threadpool_limits

import causewise
from causewise.parallel import one_thread, prepare_spawn, single_threaded

PACKAGE = Path(causewise.__file__).parent
WORDS = ("NUM_THREADS", "MAXIMUM_THREADS", "threadpool", "set_num_threads", "multi_thread_eigen", "n_jobs")


def blas() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def let_go() -> None:
    """From version 3.7 on threadpoolctl lets one Python thread alone set the number for OpenBLAS: give that up."""
    clear = getattr(getattr(threadpoolctl, "OpenBLASController", None), "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


@pytest.fixture(params=[1, 2, 3])
def before(request: pytest.FixtureRequest) -> Iterator[set[int]]:
    """BLAS with some number of threads, as a user may have set it."""
    import scipy.linalg  # noqa: F401  # brings a BLAS of its own

    let_go()
    limits = threadpool_limits(request.param, user_api="blas")
    let_go()
    yield blas()
    let_go()
    limits.restore_original_limits()
    let_go()


def test_there_is_one_thread_inside_and_the_former_number_outside(before: set[int]) -> None:
    with one_thread():
        assert blas() == {1}
    assert blas() == before


def test_nested_limits_are_lifted_by_the_outermost(before: set[int]) -> None:
    with one_thread():
        with one_thread(), one_thread():
            assert blas() == {1}
        assert blas() == {1}
    assert blas() == before


def test_overlapping_limits_are_lifted_by_the_last_one_out(before: set[int]) -> None:
    first, second = one_thread(), one_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas() == {1}
    second.__exit__(None, None, None)
    assert blas() == before


def test_an_exception_lifts_the_limit(before: set[int]) -> None:
    with pytest.raises(RuntimeError, match="inside"), one_thread(), one_thread():
        raise RuntimeError("inside")
    assert blas() == before
    with one_thread():
        assert blas() == {1}
    assert blas() == before


def in_a_thread(work: Callable[[], None]) -> None:
    worker = threading.Thread(target=work)
    worker.start()
    worker.join()


@pytest.mark.parametrize("before", [2], indirect=True)
def test_every_thread_gets_one_thread_inside_and_not_only_the_first(before: set[int]) -> None:
    inside: list[set[int]] = []

    def work() -> None:
        with one_thread():
            inside.append(blas())

    for run in (work, partial(in_a_thread, work), work, partial(in_a_thread, work)):
        run()
        assert blas() == before
    assert inside == 4 * [{1}]


@pytest.mark.parametrize("before", [2], indirect=True)
def test_a_limit_set_in_one_thread_is_lifted_in_another(before: set[int]) -> None:
    entered, leave, left, end = (threading.Event() for _ in range(4))

    def work() -> None:
        with one_thread():
            entered.set()
            leave.wait()
        left.set()
        end.wait()

    worker = threading.Thread(target=work)
    worker.start()
    entered.wait()
    with one_thread():
        leave.set()
        left.wait()
        assert blas() == {1}
    found = blas()
    end.set()
    worker.join()
    assert found == before


def test_four_threads_at_once_work_with_one_thread_each(before: set[int]) -> None:
    inside, go = [], threading.Barrier(4)

    def work() -> None:
        go.wait()
        for _ in range(20):
            with one_thread():
                inside.append(blas())
        go.wait()

    workers = [threading.Thread(target=work) for _ in range(4)]
    with one_thread():
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert blas() == {1}
    assert inside == 80 * [{1}]
    assert blas() == before


def test_infer_leaves_the_number_alone_even_where_it_fails(before: set[int]) -> None:
    class Broken:
        name = "broken"

        def decide_many(self, pairs: object) -> list[causewise.Decision]:
            assert blas() == {1}
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        causewise.infer(np.arange(20.0), np.arange(20.0) ** 2, method=Broken())
    assert blas() == before


def test_stability_works_with_one_thread(before: set[int], monkeypatch: pytest.MonkeyPatch) -> None:
    from causewise.methods.combined.method import Causewise

    decide, inside = Causewise.decide_many, []

    def watched(self: Causewise, pairs: list[causewise.Pair]) -> list[causewise.Decision]:
        inside.append(blas())
        return decide(self, pairs)

    monkeypatch.setattr(Causewise, "decide_many", watched)
    x = np.random.default_rng(0).normal(size=60)
    causewise.infer(x, x**2).stability(2)
    assert inside == [{1}, {1}]
    assert blas() == before


def test_infer_gives_the_same_bytes_whatever_the_number_was() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=1500)
    y = np.tanh(x) + 0.3 * rng.normal(size=1500)
    found = []
    for number in (1, 2):
        let_go()
        with threadpool_limits(number, user_api="blas"):
            assert blas() == {number}
            decision = causewise.infer(x, y)
        arrays = [
            getattr(side, name) for side in (decision.forward, decision.backward) for name in ("residual", "scale")
        ]
        found.append((json.dumps(decision.to_dict()), [array.tobytes() for array in arrays]))
    assert found[0] == found[1]


def test_a_child_gets_one_thread_and_the_rest_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("CAUSEWISE_SOMETHING", "kept")
    child = single_threaded()
    assert child["CAUSEWISE_SOMETHING"] == "kept"
    assert {value for name, value in child.items() if name.endswith("_NUM_THREADS")} == {"1"}
    assert {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"} <= set(child)


def test_no_other_file_says_a_number_of_threads() -> None:
    said = [
        f"{path.relative_to(PACKAGE)}: {word}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name != "parallel.py"
        for word in WORDS
        if word in path.read_text(encoding="utf-8")
    ]
    assert not said
    assert all(word in (PACKAGE / "parallel.py").read_text(encoding="utf-8") for word in WORDS[:2])


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are a POSIX thing")
def test_an_interrupt_that_another_thread_hears_waits_until_the_process_is_spawned() -> None:
    begun, is_spawned = threading.Event(), False

    def interrupt() -> None:
        begun.wait()
        signal.raise_signal(signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()  # before the signal is blocked, which threads inherit
    with pytest.raises(KeyboardInterrupt), prepare_spawn():
        begun.set()
        sender.join()
        time.sleep(0.01)
        is_spawned = True
    assert is_spawned
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
