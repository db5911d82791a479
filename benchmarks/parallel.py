"""Two workers against one, as threads and as processes: which of the two should scans and benchmarks use?

    python benchmarks/parallel.py [--jobs 2]

The compiled loops let other threads run, the Python between them does not. Wall-clock seconds for the same pairs, the
best of three, every way in turn; processes are started once and warm, as in a long run.
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import causewise
from causewise.pair import Pair
from causewise.parallel import one_thread
from peers.pairs import pairs

SIZES = {300: 200, 1000: 100, 10_000: 24, 100_000: 6}
"""Rows, and how many pairs of that length."""


def decide(name: str, batch: list[Pair]) -> list[float]:
    """Scores of some pairs."""
    with one_thread():
        return [decision.score for decision in causewise.method(name).decide_many(batch)]


def spread(pool: Executor, jobs: int, name: str, work: list[Pair]) -> list[float]:
    """The same, in as many parts as there are workers, twice over."""
    parts = [work[k :: 2 * jobs] for k in range(2 * jobs)]
    found = list(pool.map(decide, [name] * len(parts), parts))
    scores = [0.0] * len(work)
    for k, part in enumerate(found):
        scores[k :: 2 * jobs] = part
    return scores


def best(calls: dict[str, Callable[[], list[float]]]) -> dict[str, float]:
    """Best seconds of each call, taken in turns; all must give the same scores."""
    scores = [call() for call in calls.values()]
    if any(found != scores[0] for found in scores):
        raise SystemExit("the scores depend on the way they are computed")
    seconds = dict.fromkeys(calls, float("inf"))
    for _ in range(3):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds


def main(jobs: int) -> None:
    """One line a method and length."""
    with ProcessPoolExecutor(jobs, get_context("spawn")) as processes, ThreadPoolExecutor(jobs) as threads:
        for name in ("loci-h", "causewise"):
            for rows, count in SIZES.items():
                work = pairs(rows, count)
                seconds = best(
                    {
                        "one": lambda: decide(name, work),  # noqa: B023  # called within the turn
                        "threads": lambda: spread(threads, jobs, name, work),  # noqa: B023  # as above
                        "processes": lambda: spread(processes, jobs, name, work),  # noqa: B023  # as above
                    }
                )
                gain = {way: seconds["one"] / seconds[way] for way in ("threads", "processes")}
                print(
                    f"{name}, {count} pairs of {rows} rows: one {seconds['one']:.2f} s; "
                    f"{jobs} threads × {gain['threads']:.2f}, {jobs} processes × {gain['processes']:.2f}"
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2)
    main(parser.parse_args().jobs)
