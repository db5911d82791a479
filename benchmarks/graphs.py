"""How right `causewise.graph` is on tables with a known graph, beside published packages, and what it costs.

    python benchmarks/graphs.py METHOD,… [--tables 5] [--settings "linear,GP sums"] [--jobs N] [--limit S] [--longest S]
    python benchmarks/graphs.py METHOD,… --again        rows of these methods and settings are thrown away first
    python benchmarks/graphs.py --summary               the rows so far
    python docs/benchmarks/graph_rows.py                keeps them for the tables of the site

Rows are appended to out/graphs.jsonl as they are finished; what is there already is not run again. Methods: causewise,
and RESIT, DirectLiNGAM, CAM-UV, PC, PC-Fisher, GES, GRaSP, BOSS, DAGMA, which run in an environment of their own under
out/peers, or with `--python` and `--path`. Tables: the worlds of `graph_worlds.py`, and the light tunnel of the causal
chambers (Gamella et al. 2025) where `CAUSEWISE_DATA` has it: 1000 of its rows, the 20 usual columns.

Order error: the share of true edges whose child stands before its parent. A method without an order has that of a
topological order of its edges; of edges without a direction, that of a graph without circles that keeps the directions
it gave. Distance (SHD): pairs of columns whose edge differs; one without a direction, where there is one, counts half.
"""

import argparse
import csv
import gzip
import heapq
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import asdict, dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import causewise
from graph_worlds import SETTINGS, Edges, Setting, Table, r2_sortability, simulated
from peers.environment import ONE_THREAD, prepare

ROOT = Path(__file__).parents[1]
STORE, PEERS = ROOT / "out" / "graphs.jsonl", ROOT / "out" / "peers"
WORKER = ROOT / "benchmarks" / "peers" / "graph_worker.py"
CHAMBER = Path(os.environ.get("CAUSEWISE_DATA", ROOT / "data")) / "chamber"
TUNNEL = Setting(20, 1000, 1.95, "recorded: light tunnel")
# fmt: off
TUNNEL_COLUMNS = (
    "red", "green", "blue", "current", "pol_1", "pol_2", "ir_1", "vis_1", "ir_2", "vis_2",
    "ir_3", "vis_3", "angle_1", "angle_2", "l_11", "l_12", "l_21", "l_22", "l_31", "l_32",
)
# fmt: on


@dataclass(frozen=True)
class Outside:
    """How the packages are run."""

    python: str
    path: str
    """A folder beside those of its environment, or nothing."""
    longest: float
    """CPU seconds after which a table is given up."""


def load_table(setting: Setting, seed: int) -> Table:
    """Simulated, or rows of the light tunnel drawn by the seed."""
    return read_tunnel(setting.rows, seed) if setting == TUNNEL else simulated(setting, seed)


def read_tunnel(count: int, seed: int) -> Table:
    """Some rows of the 20 usual columns, all actuators set at random, and the edges by design."""
    with gzip.open(CHAMBER / "uniform_reference.csv.gz", "rt") as lines:
        whole = np.array([[float(row[name]) for name in TUNNEL_COLUMNS] for row in csv.DictReader(lines)])
    rows = whole[np.sort(np.random.default_rng(seed).choice(len(whole), count, replace=False))]
    with (CHAMBER / "dag.csv").open() as lines:
        named = [(row["source"], row["target"]) for row in csv.DictReader(lines)]
    place = {name: k for k, name in enumerate(TUNNEL_COLUMNS)}
    edges = {(place[a], place[b]) for a, b in named if a in place and b in place}
    return Table((rows - rows.mean(axis=0)) / rows.std(axis=0), edges, set())


def warm() -> None:
    """What is loaded with the first answer is no part of its time, here as in the worker of the packages."""
    ours(np.random.default_rng(0).normal(size=(100, 2)))


def ours(rows: np.ndarray) -> dict[str, Any]:
    """`causewise.graph` as it comes."""
    start = time.process_time()
    graph = causewise.graph({f"{k}": column for k, column in enumerate(rows.T)}, engine=causewise.Engine(jobs=1))
    seconds = time.process_time() - start
    answer: dict[str, Any] = {"->": [], "--": [], "<->": []}
    probabilities = []
    for edge in graph.edges:
        pair = [int(edge.parent), int(edge.child)]
        direction, probability = getattr(edge, "direction", "->"), getattr(edge, "direction_probability", None)
        answer[direction].append(pair)
        if probability is not None and direction != "<->":
            probabilities.append([*pair, probability])
    return {
        "order": list(map(int, graph.order)),
        "edges": answer["->"],
        "undirected": answer["--"],
        "two_headed": answer["<->"],
        "probabilities": probabilities,
        "seconds": seconds,
    }


def theirs(method: str, rows: np.ndarray, outside: Outside) -> dict[str, Any]:
    """A published package, in a process of its own that lives for many tables."""
    worker = start_worker(method, outside)
    assert worker.stdin is not None and worker.stdout is not None
    try:
        worker.stdin.write(json.dumps(rows.tolist()) + "\n")
        worker.stdin.flush()
        return json.loads(worker.stdout.readline())
    except (OSError, json.JSONDecodeError):
        start_worker.cache_clear()
        worker.communicate()
        return {"failed": f"ended without an answer, exit {worker.returncode}"}


@cache
def start_worker(method: str, outside: Outside) -> "subprocess.Popen[str]":
    """Once for every process of the run."""
    return subprocess.Popen(
        [outside.python, str(WORKER), method, f"{outside.longest}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": outside.path},
    )


def score_answer(answer: dict[str, Any], table: Table) -> dict[str, Any]:
    """Errors of an answer: of its order, of its edges and their directions."""
    if "failed" in answer:
        return answer
    truth, columns = table.edges, table.rows.shape[1]
    edges = {(int(a), int(b)) for a, b in answer["edges"]}
    undirected, two_headed = (
        {frozenset(map(int, pair)) for pair in answer.get(kind, [])} for kind in ("undirected", "two_headed")
    )
    order = answer["order"] or order_topologically(edges, columns)
    wrong = None if order is None or not truth else float(np.mean([order.index(a) > order.index(b) for a, b in truth]))
    distance, hits = 0.0, 0.0
    for pair in map(frozenset, combinations(range(columns), 2)):
        error, hit = score_pair(pair, edges, undirected, two_headed, table)
        distance, hits = distance + error, hits + hit
    found = len({frozenset(edge) for edge in edges} | undirected | two_headed)
    wanted = len({frozenset(edge) for edge in truth} | table.hidden)
    leans = [(p, (a, b) in truth) for a, b, p in answer.get("probabilities", []) if {(a, b), (b, a)} & truth]
    return {
        "error": wrong,
        "right": len(edges & truth),
        "turned": len(edges & {(b, a) for a, b in truth}),
        "undirected": len(undirected),
        "two_headed": len(two_headed),
        "found": found,
        "edges": len(truth),
        "hidden": len(table.hidden),
        "hidden_found": len(two_headed & table.hidden),
        "distance": distance,
        "f1": 2 * hits / (found + wanted) if found + wanted else None,
        "probabilities": " ".join(f"{p:.3f}{'+' if right else '-'}" for p, right in leans),
        "seconds": answer["seconds"],
    }


def score_pair(
    pair: frozenset[int], edges: Edges, undirected: set[frozenset[int]], two_headed: set[frozenset[int]], table: Table
) -> tuple[float, float]:
    """Distance of one pair of columns, 0, ½ or 1, and how far it is a hit.

    Half: no direction where there is an edge or a hidden cause, a hidden cause alone where there is an edge as well.
    """
    one, other = pair
    both = {(one, other), (other, one)}
    true, found, hidden = both & table.edges, both & edges, pair in table.hidden
    if not (found or pair in undirected or pair in two_headed):
        return float(bool(true) or hidden), 0.0
    if not (true or hidden):
        return 1.0, 0.0
    if pair in undirected:
        return 0.5, 0.5
    hit = hidden * (0.5 if true else 1.0) if pair in two_headed else float(true == found)
    return 1 - hit, hit


def order_topologically(edges: Edges, columns: int) -> list[int] | None:
    """An order along all edges; None where they run in a circle."""
    sorter = TopologicalSorter({k: [a for a, b in edges if b == k] for k in range(columns)})
    try:
        return list(sorter.static_order())
    except CycleError:
        return None


def table_row(method: str, setting: Setting, seed: int, outside: Outside) -> dict[str, Any]:
    """One method on one table."""
    table = load_table(setting, seed)
    answer = ours(table.rows) if method == "causewise" else theirs(method, table.rows, outside)
    row = {"method": method, "setting": setting.name, "seed": seed, **asdict(setting)}
    return row | {"r2_sortability": r2_sortability(table.rows, table.edges)} | score_answer(answer, table)


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
                running[pool.submit(table_row, lane.method, lane.setting, lane.seeds.pop(0), outside)] = spent, now, k
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                spent, since, k = running.pop(done)
                row, took = done.result(), time.monotonic() - since
                stream.write(json.dumps(row) + "\n")
                stream.flush()
                if lanes[k].seeds and "failed" not in row:
                    heapq.heappush(queue, (spent + took, k))


def stored() -> Iterator[dict[str, Any]]:
    """Rows of earlier runs."""
    if STORE.exists():
        yield from map(json.loads, STORE.read_text().splitlines())


def choose(parts: str) -> list[Setting]:
    """The settings whose names have one of these parts."""
    every = [*SETTINGS, *([TUNNEL] if CHAMBER.exists() else [])]
    return [each for each in every if any(part in each.name for part in parts.split(","))]


def main() -> None:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("methods", nargs="?", default="causewise", help="names with commas between")
    parser.add_argument("--tables", type=int, default=5, help="of each setting")
    parser.add_argument("--settings", default="", help="parts of the names of settings, with commas between")
    parser.add_argument("--jobs", type=int, default=1, help="tables at a time, a processor each")
    parser.add_argument("--limit", type=float, default=86400.0, help="seconds after which no table is begun")
    parser.add_argument("--longest", type=float, default=60.0, help="CPU seconds of one table of a package")
    parser.add_argument("--python", default="", help="of the packages, instead of that in out/peers")
    parser.add_argument("--path", default="", help="of the packages, beside their environment")
    parser.add_argument("--again", action="store_true", help="throw away earlier rows of these methods and settings")
    parser.add_argument("--summary", action="store_true", help="print the rows so far")
    said = parser.parse_args()
    if said.summary:
        sys.path.insert(0, str(ROOT / "docs" / "benchmarks"))
        import graph_rows

        print(graph_rows.summarise(graph_rows.read_store(STORE)))
        return
    methods, settings = said.methods.split(","), choose(said.settings)
    python = said.python or str(PEERS / "bin" / "python")
    if not said.python and set(methods) - {"causewise"} and not Path(python).exists():
        prepare(PEERS)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "dagma"], check=False)
    STORE.parent.mkdir(exist_ok=True)
    if said.again:
        names = {setting.name for setting in settings}
        rows = [row for row in stored() if row["method"] not in methods or row["setting"] not in names]
        STORE.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = {(row["method"], row["setting"], row["seed"]) for row in stored()}
    ended = {(row["method"], row["setting"]) for row in stored() if "failed" in row}
    lanes = [
        Lane(method, setting, [k for k in range(said.tables) if (method, setting.name, k) not in done])
        for method in methods
        for setting in settings
        if (method, setting.name) not in ended
    ]
    run(lanes, Outside(python, said.path, said.longest), said.jobs, said.limit)
    print(f"{sum(1 for _ in stored())} rows in {STORE}", file=sys.stderr)


if __name__ == "__main__":
    main()
