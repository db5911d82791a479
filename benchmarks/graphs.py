"""How right `causewise.order` is on simulated graphs, beside published packages, and what it costs.

    python benchmarks/graphs.py METHOD,… [--tables 20] [--settings "5 × 500,…"] [--jobs N] [--limit S] [--longest S]
    python docs/benchmarks/graph_rows.py        the rows so far, for the tables of the site

Rows are appended to out/graphs.jsonl as they are finished; what is there already is not run again.
Methods: causewise; sinks (the same model, the order found as RESIT finds it); RESIT, DirectLiNGAM, CAM-UV, PC, DAGMA,
which run in an environment of their own under out/peers, or with `--python` and `--path`.

Order error: the share of true edges whose child stands before its parent. A method without an order is judged by a
topological order of its edges. PC leaves some edges without a direction: its order is that of a graph without circles
that keeps the directions it gave.
Distance: pairs of columns whose edge differs; one without a direction, where there is one, counts half.
"""

import argparse
import heapq
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from graphlib import CycleError, TopologicalSorter
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import causewise
from graph_worlds import SETTINGS, Edges, Setting, simulated
from peers.environment import ONE_THREAD, prepare

ROOT = Path(__file__).parents[1]
STORE, PEERS = ROOT / "out" / "graphs.jsonl", ROOT / "out" / "peers"
WORKER = ROOT / "benchmarks" / "peers" / "graph_worker.py"


@dataclass(frozen=True)
class Outside:
    """How the packages are run."""

    python: str
    path: str
    """A folder beside those of its environment, or nothing."""
    longest: float
    """Wall seconds after which a table is given up."""


def warm() -> None:
    """What is loaded with the first answer is no part of its time, here as in the worker of the packages."""
    ours(np.random.default_rng(0).normal(size=(100, 2)))


def ours(rows: np.ndarray) -> dict[str, Any]:
    """`causewise.order` as it comes."""
    start = time.process_time()
    found = causewise.graph({f"{k}": column for k, column in enumerate(rows.T)}, engine=causewise.Engine(jobs=1))
    seconds = time.process_time() - start
    edges = [(int(edge.parent), int(edge.child)) for edge in found.edges]
    return {"order": list(map(int, found.order)), "edges": edges, "seconds": seconds}


def sinks(rows: np.ndarray) -> dict[str, Any]:
    """The last column is the one whose noise, given all others, is most independent of them; then the last but one …"""
    from causewise.models.additive import Smooths
    from causewise.numerics.hsic import hsic_test, kernel_column
    from causewise.pair import standardise
    from causewise.parallel import one_thread

    start = time.process_time()
    with one_thread():
        smooths = Smooths([standardise(column) for column in rows.T])
        kernels = [kernel_column(column) for column in smooths.columns]
        left, order, edges = set(range(rows.shape[1])), list[int](), list[tuple[int, int]]()
        while left:
            fits = {k: smooths.fit(k, left - {k}, 1e-3) for k in left}
            noises = {k: kernel_column(standardise(fit.residual)) for k, fit in fits.items()}
            logs = {k: [hsic_test(noises[k], kernels[other]).log_p_value for other in left - {k}] for k in left}
            last = max(left, key=lambda k: min(logs[k], default=0.0))
            left.remove(last)
            order.insert(0, last)
            kept = smooths.prune(last, fits[last], 1e-3)
            edges += sorted({(term.parent, last) for term in kept.terms})
    return {"order": order, "edges": edges, "seconds": time.process_time() - start}


def theirs(method: str, rows: np.ndarray, outside: Outside) -> dict[str, Any]:
    """A published package, in a process of its own."""
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": outside.path}
    try:
        done = subprocess.run(
            [outside.python, str(WORKER), method],
            input=json.dumps(rows.tolist()),
            capture_output=True,
            text=True,
            timeout=outside.longest,
            env=environment,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"stopped after {outside.longest:.0f} s"}
    except subprocess.CalledProcessError as problem:
        return {"failed": (problem.stderr.strip().splitlines() or [f"exit {problem.returncode}"])[-1][:200]}
    return json.loads(done.stdout)


def judged(answer: dict[str, Any], truth: Edges, columns: int) -> dict[str, Any]:
    """Order error and distance of an answer."""
    if "failed" in answer:
        return answer
    edges = {(int(a), int(b)) for a, b in answer["edges"]}
    loose = {frozenset(pair) for pair in answer.get("undirected", [])}
    order = answer["order"] or topological(edges, columns)
    wrong = None if order is None or not truth else float(np.mean([order.index(a) > order.index(b) for a, b in truth]))
    distance = 0.0
    for i in range(columns):
        for j in range(i):
            true, found = ((i, j) in truth, (j, i) in truth), ((i, j) in edges, (j, i) in edges)
            distance += (0.5 if any(true) else 1.0) if frozenset((i, j)) in loose else float(true != found)
    return {"error": wrong, "distance": distance, "edges": len(truth), "seconds": answer["seconds"]}


def topological(edges: Edges, columns: int) -> list[int] | None:
    """An order along all edges; None where they run in a circle."""
    sorter = TopologicalSorter({k: [a for a, b in edges if b == k] for k in range(columns)})
    try:
        return list(sorter.static_order())
    except CycleError:
        return None


def table_row(method: str, setting: Setting, seed: int, outside: Outside) -> dict[str, Any]:
    """One method on one table."""
    table = simulated(setting, seed)
    rows, truth = table.rows, table.edges
    here = {"causewise": ours, "sinks": sinks}.get(method)
    answer = here(rows) if here else theirs(method, rows, outside)
    row = {"method": method, "setting": setting.name, "seed": seed, **asdict(setting)}
    return row | judged(answer, truth, setting.columns)


@dataclass
class Lane:
    """The tables of one method and setting, one after the other."""

    method: str
    setting: Setting
    seeds: list[int]


def run(lanes: list[Lane], outside: Outside, jobs: int, limit: float) -> None:
    """Always the lane next on which the least time was spent: cheap ones are soon done, and none waits for ever.

    A lane ends with the first table that is given up.
    """
    end = time.monotonic() + limit
    queue = [(0.0, k) for k, lane in enumerate(lanes) if lane.seeds]
    running: dict[Future[dict[str, Any]], tuple[float, float, int]] = {}
    with ProcessPoolExecutor(jobs, get_context("spawn"), warm) as pool, STORE.open("a") as stream:
        while queue or running:
            while queue and len(running) < jobs and time.monotonic() < end:
                spent, k = heapq.heappop(queue)
                now, lane = time.monotonic(), lanes[k]
                cut = Outside(outside.python, outside.path, min(outside.longest, end - now))
                running[pool.submit(table_row, lane.method, lane.setting, lane.seeds.pop(0), cut)] = spent, now, k
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                spent, since, k = running.pop(done)
                row, took = done.result(), time.monotonic() - since
                if "failed" in row and time.monotonic() >= end:
                    continue  # cut off by the limit of the whole run, which says nothing of the method
                stream.write(json.dumps(row) + "\n")
                stream.flush()
                if lanes[k].seeds and "failed" not in row:
                    heapq.heappush(queue, (spent + took, k))


def stored() -> Iterator[dict[str, Any]]:
    """Rows of earlier runs."""
    if STORE.exists():
        yield from map(json.loads, STORE.read_text().splitlines())


def chosen(parts: str) -> list[Setting]:
    """The settings whose names have one of these parts."""
    return [each for each in SETTINGS if any(part in each.name for part in parts.split(","))]


def main() -> None:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("methods", nargs="?", default="causewise", help="names with commas between")
    parser.add_argument("--tables", type=int, default=20, help="of each setting")
    parser.add_argument("--settings", default="", help="parts of the names of settings, with commas between")
    parser.add_argument("--jobs", type=int, default=1, help="tables at a time, a processor each")
    parser.add_argument("--limit", type=float, default=86400.0, help="seconds of the whole run")
    parser.add_argument("--longest", type=float, default=900.0, help="seconds of one table of a package")
    parser.add_argument("--python", default="", help="of the packages, instead of that in out/peers")
    parser.add_argument("--path", default="", help="of the packages, beside their environment")
    said = parser.parse_args()
    methods = said.methods.split(",")
    python = said.python or str(PEERS / "bin" / "python")
    if not said.python and set(methods) - {"causewise", "sinks"} and not Path(python).exists():
        prepare(PEERS)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "dagma"], check=False)
    done = {(row["method"], row["setting"], row["seed"]) for row in stored()}
    ended = {(row["method"], row["setting"]) for row in stored() if "failed" in row}
    lanes = [
        Lane(method, setting, [k for k in range(said.tables) if (method, setting.name, k) not in done])
        for method in methods
        for setting in chosen(said.settings)
        if (method, setting.name) not in ended
    ]
    STORE.parent.mkdir(exist_ok=True)
    run(lanes, Outside(python, said.path, said.longest), said.jobs, said.limit)
    print(f"{sum(1 for _ in stored())} rows in {STORE}", file=sys.stderr)


if __name__ == "__main__":
    main()
