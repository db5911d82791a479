"""What `causewise.graph` costs, and what it says of cells.

    python benchmarks/graph_studies.py cost         CPU seconds and memory by columns and rows
    python benchmarks/graph_studies.py versions ../before   CPU seconds of another checkout, built, beside this one's
    python benchmarks/graph_studies.py sachs        the protein-signalling table inside the `cdt` package
    python benchmarks/graph_studies.py hidden       how many pairs with a hidden common cause are marked

Tables are those of `graph_worlds.py`; `cdt` is looked for in out/peers.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import causewise
from graph_worlds import Setting, Table, simulated

ROOT = Path(__file__).parents[1]
PEERS = ROOT / "out" / "peers"
TIMED = (
    *("linear exponential", "GP sums", "sigmoid sums", "polynomial sums", "heteroscedastic", "skewed noise"),
    *("GP of all parents", "natural parameters, log-linear", "natural parameters, log-curved"),
)
"""Worlds on whose tables two versions are timed."""
UNTOUCHED = 853
"""The first rows of the protein-signalling table."""
WORKER = """
import sys, time
import numpy as np
import causewise

def find(rows):
    columns = {f"{k}": column for k, column in enumerate(rows.T)}
    start = time.process_time()
    causewise.graph(columns, bootstrap=0, engine=causewise.Engine(jobs=1))
    return time.process_time() - start

find(np.random.default_rng(0).normal(size=(100, 2)))
for line in sys.stdin:
    print(find(np.load(line.strip())), flush=True)
"""


def cost() -> None:
    """CPU seconds and memory of one sparse table of each size, in a process of its own, without parts of the rows."""
    for size in ((10, 1000), (20, 1000), (20, 4000), (60, 1000), (100, 1000), (200, 1000), (300, 1000)):
        with ProcessPoolExecutor(1, get_context("spawn")) as process:
            print(process.submit(measure, *size).result(), flush=True)


def measure(columns: int, rows: int) -> str:
    """What one table costs, and what is found of its edges."""
    from graphs import warm

    table = simulated(Setting(columns, rows, 1.0, "heteroscedastic"), 0)
    warm()
    start = time.process_time()
    engine = causewise.Engine(jobs=1)
    found = causewise.graph({f"{k}": column for k, column in enumerate(table.rows.T)}, bootstrap=0, engine=engine)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    edges = {(int(edge.parent), int(edge.child)) for edge in found.edges}
    turned = len(table.edges & {(b, a) for a, b in edges})
    return (
        f"{columns} columns × {rows} rows: {seconds:.0f} s, {1000 * seconds / columns:.0f} ms a column, {peak:.0f} MB; "
        f"{len(edges)} edges found, {len(edges & table.edges)} of {len(table.edges)} true ones, {turned} turned"
    )


def versions(before: Path) -> None:
    """CPU seconds of two checkouts, each in a process of its own, on the same tables in turns, without parts."""
    from peers.environment import ONE_THREAD

    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": str(checkout / "src")},
        )
        for checkout in (before, ROOT)
    ]
    total, path = np.zeros(2), ROOT / "out" / "timed.npy"
    path.parent.mkdir(exist_ok=True)
    for world in TIMED:
        seconds = np.zeros(2)
        for seed in range(20, 24):
            np.save(path, simulated(Setting(10, 1000, 2.0, world), seed).rows)
            for k, worker in enumerate(workers):
                assert worker.stdin is not None and worker.stdout is not None
                worker.stdin.write(f"{path}\n")
                worker.stdin.flush()
                seconds[k] += json.loads(worker.stdout.readline())
        total += seconds
        print(
            f"{world:34}{seconds[0] / 4:7.2f} s before{seconds[1] / 4:7.2f} s now{seconds[1] / seconds[0]:6.1f} ×",
            flush=True,
        )
    print(f"{'all of them':34}{total[0] / 4:7.2f} s before{total[1] / 4:7.2f} s now{total[1] / total[0]:6.1f} ×")
    for worker in workers:
        worker.communicate()


def sachs() -> None:
    """11 proteins in the 853 cells that nothing was done to, against the consensus network beside the table."""
    from graphs import ours, score_answer

    sys.path.insert(0, str(ROOT / "docs" / "benchmarks"))
    from graph_rows import count_joined

    folder = next((PEERS / "lib").glob("python*/site-packages/cdt/data/resources"), None)
    if folder is None:
        print("cdt is not installed in out/peers: run a peer of graphs.py first.")
        return
    names = (folder / "cyto_full_data.csv").read_text().split("\n", 1)[0].replace('"', "").split(",")
    lines = (folder / "cyto_full_target.csv").read_text().replace('"', "").split()[1:]
    truth = {(names.index(a), names.index(b)) for a, b in (line.split(",") for line in lines)}
    cells = np.loadtxt(folder / "cyto_full_data.csv", delimiter=",", skiprows=1)[:UNTOUCHED]
    for scale, rows in (("as they are", cells), ("logarithms", np.log(cells))):
        said = score_answer(ours(rows), Table(rows, truth, set()))
        arrows = said["found"] - said["undirected"] - said["two_headed"]
        print(
            f"{scale}: {count_joined(said)} of {said['found']} edges join true neighbours; "
            f"{arrows} arrows, {said['right']} right and {said['turned']} turned round; {said['undirected']} "
            f"lines, {said['two_headed']} two-headed; SHD {said['distance']:g}, of {len(truth)} edges; "
            f"{said['error']:.0%} of them against the order; {said['seconds']:.0f} s"
        )


def hidden() -> None:
    """Marks and pairs of worlds with hidden common causes, ten tables each, without parts of the rows."""
    worlds = ("hidden causes, heteroscedastic", "hidden causes", "held-out: hidden causes")
    tasks = [(world, seed) for world in worlds for seed in range(30, 40)]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        counts = list(pool.map(count_marks, *zip(*tasks, strict=True)))
    for world in worlds:
        rows = [count for (name, _), count in zip(tasks, counts, strict=True) if name == world]
        alone, marked, beside, wrong = np.sum(rows, axis=0)
        print(f"{world}: {marked} of {alone} pairs with a hidden cause alone, {beside} with an edge, {wrong} others")


def count_marks(world: str, seed: int) -> tuple[int, int, int, int]:
    """Pairs with a hidden cause and no edge; how many of these, of those with an edge and of others are marked."""
    from causewise.graphs.graph_columns import Constraints
    from causewise.graphs.graph_search import search_graph
    from causewise.graphs.hidden_causes import join_by_hidden_causes
    from causewise.parallel import one_thread

    table = simulated(Setting(10, 1000, 2.0, world), seed)
    with one_thread():
        found = search_graph(np.ascontiguousarray(table.rows.T), Constraints.none(10), 0.001)
        marks = {frozenset(pair) for pair in join_by_hidden_causes(found).pairs}
    edges = {frozenset(edge) for edge in table.edges}
    alone = table.hidden - edges
    return len(alone), len(marks & alone), len(marks & table.hidden & edges), len(marks - table.hidden)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=("cost", "versions", "sachs", "hidden"))
    parser.add_argument("before", nargs="?", type=Path, help="another checkout of the project, built")
    said = parser.parse_args()
    if said.study == "versions":
        if said.before is None:
            parser.error("name another checkout, as in: versions ../before")
        versions(said.before.resolve())
    else:
        {"cost": cost, "sachs": sachs, "hidden": hidden}[said.study]()
