"""What support of an edge and warnings of `causewise.order` are worth, what it costs, and what it says of cells.

    python benchmarks/graph_studies.py support [--tables 10] [--shares 0.8] how often an edge with some support is true
    python benchmarks/graph_studies.py warnings [--tables 50] [--jobs N]    with a hidden common cause, and without
    python benchmarks/graph_studies.py cost                                 CPU seconds by columns and rows
    python benchmarks/graph_studies.py sachs        the protein-signalling table inside the `cdt` package

Tables are those of `graph_worlds.py`; `cdt` is looked for in out/peers.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import causewise
from graph_worlds import Setting, simulated

PEERS = Path(__file__).parents[1] / "out" / "peers"
SHARES = (0.5, 0.632, 0.8, 0.9)
"""Of the rows in a part: candidates for that of `graphs/support.py`."""
PARTS = 20
INSIDE = [
    Setting(8, 500, 1.0, "heteroscedastic"),
    Setting(8, 500, 2.0, "heteroscedastic"),
    Setting(8, 500, 1.0, "homoscedastic"),
]
OUTSIDE = [
    Setting(8, 500, 2.0, world)
    for world in ("skewed noise", "products", "network", "post-nonlinear", "linear, not normal")
]
Task = tuple[Setting, int]
"""A setting and the seed of one of its tables."""
Arrow = tuple[float, float, bool, bool]
"""Share of the rows; support; whether the edge is in the graph of all rows; whether it is true."""


def over(tasks: Iterable[Task], work: Callable[[Task], Any], jobs: int) -> list[Any]:
    """What comes of every task, in their order."""
    if jobs == 1:
        return [work(task) for task in tasks]
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        return list(pool.map(work, tasks))


def arrows(shares: tuple[float, ...], task: Task) -> list[Arrow]:
    """Every edge found on all rows or on a part of one table."""
    from causewise.graphs.graph_columns import Constraints
    from causewise.graphs.order_search import fit_graph
    from causewise.parallel import one_thread

    table = simulated(*task)
    rows, truth = table.rows, table.edges
    nothing, out = Constraints.none(rows.shape[1]), list[Arrow]()
    with one_thread():
        answer = fit_graph(rows.T, nothing, 1e-3).arrows
        for share in shares:
            times: dict[tuple[int, int], int] = defaultdict(int, dict.fromkeys(answer, 0))
            for number in range(PARTS):
                rng = np.random.default_rng([task[1], number])
                some = np.sort(rng.choice(len(rows), round(share * len(rows)), replace=False))
                for arrow in fit_graph(rows[some].T, nothing, 1e-3).arrows:
                    times[arrow] += 1
            out += [(share, found / PARTS, arrow in answer, arrow in truth) for arrow, found in times.items()]
    return out


def support(tables: int, jobs: int, shares: tuple[float, ...]) -> None:
    """Edges by their support, for several sizes of a part."""
    for name, settings in (("tables that the model can describe", INSIDE), ("tables beyond it", OUTSIDE)):
        tasks = list(product(settings, range(1000, 1000 + tables)))
        seen = [arrow for some in over(tasks, partial(arrows, shares), jobs) for arrow in some]
        print(f"{name}: {len(tasks)} of 8 columns × 500 rows, {PARTS} parts each", flush=True)
        for share, whole in product(shares, (True, False)):
            chosen = [(given, true) for of, given, inside, true in seen if of == share and (inside or not whole)]
            supports, truths = (np.array(column, dtype=float) for column in zip(*chosen, strict=True))
            which = "edges of the answer" if whole else "all edges found on any part"
            told = f"mean support {supports.mean():.2f}, true {truths.mean():.2f}"
            print(f"  {share:.0%} of the rows, {which}: {told}, Brier {np.mean((supports - truths) ** 2):.3f}")
            for low in np.arange(5) / 5:
                inside = (np.minimum(supports, 0.999) // 0.2).astype(int) == round(5 * low)
                print(f"    support {low:.1f}–{low + 0.2:.1f}: {rate(truths[inside])} true", flush=True)


def rate(hits: np.ndarray) -> str:
    """A share in percent, with Wilson's 95 % interval."""
    from scipy.stats import binomtest

    if not len(hits):
        return "none"
    found = binomtest(int(hits.sum()), len(hits)).proportion_ci(method="wilson")
    return f"{int(hits.sum())} of {len(hits)}, {hits.mean():.0%} [{found.low:.0%}–{found.high:.0%}]"


def doubts(task: Task) -> tuple[int, int, bool]:
    """Columns with a warning, and of how many, where all were measured; and whether there is one with a hidden cause.

    The column with the most children is the one that is then left out.
    """
    table = simulated(*task)
    rows, truth = table.rows, table.edges
    columns = range(rows.shape[1])
    whole = causewise.graph({f"{k}": rows[:, k] for k in columns}, engine=causewise.Engine(jobs=1))
    children = [sum(a == k for a, _ in truth) for k in columns]
    seen = [k for k in columns if k != int(np.argmax(children))]
    part = causewise.graph({f"{k}": rows[:, k] for k in seen}, engine=causewise.Engine(jobs=1))
    return sum("noise" in said for said in whole.warnings), len(columns) - 1, bool(part.warnings)


def warnings(tables: int, jobs: int) -> None:
    """How often a hidden common cause is warned of, and how often one that is not there."""
    for setting in (*INSIDE, Setting(6, 1000, 1.5, "heteroscedastic"), *OUTSIDE):
        tasks = list(product([setting], range(2000, 2000 + tables)))
        told = over(tasks, doubts, jobs)
        false = np.concatenate([np.arange(of) < some for some, of, _ in told])
        one = np.array([some > 0 for some, _, _ in told])
        hidden = np.array([warned for _, _, warned in told])
        print(f"{setting.name}: columns with a warning {rate(false)}; tables with one {rate(one)}")
        print(f"  tables with one where the cause of most columns is hidden: {rate(hidden)}", flush=True)


def cost() -> None:
    """CPU seconds of one sparse table of each size."""
    from graphs import ours, warm

    warm()
    for columns, rows in ((10, 500), (20, 500), (30, 500), (40, 500), (20, 1000), (20, 4000)):
        seconds = ours(simulated(Setting(columns, rows, 1.0, "heteroscedastic"), 0).rows)["seconds"]
        unit = seconds / (columns**2 * rows) * 1e6
        print(f"{columns} columns × {rows} rows: {seconds:.1f} s, {unit:.0f} µs a row and squared column", flush=True)


def sachs() -> None:
    """11 proteins in 7466 cells, against the consensus network that ships with the table."""
    folder = next((PEERS / "lib").glob("python*/site-packages/cdt/data/resources"), None)
    if folder is None:
        print("cdt is not installed in out/peers: run a peer of graphs.py first.")
        return
    lines = (folder / "cyto_full_target.csv").read_text().replace('"', "").split()[1:]
    truth = {(a, b) for a, b in (line.split(",") for line in lines)}
    rows = np.loadtxt(folder / "cyto_full_data.csv", delimiter=",", skiprows=1)
    names = (folder / "cyto_full_data.csv").read_text().split("\n", 1)[0].replace('"', "").split(",")
    for scale, values in (("as they are", rows), ("logarithms", np.log(rows))):
        start = time.process_time()
        found = causewise.graph(dict(zip(names, values.T, strict=True)), engine=causewise.Engine(jobs=1))
        seconds = time.process_time() - start
        known = {(a, b) for a, b in truth if a in found.order and b in found.order}
        right = sum(found.order.index(a) < found.order.index(b) for a, b in known)
        edges = {(edge.parent, edge.child) for edge in found.edges}
        turned = len(edges & {(b, a) for a, b in known})
        print(f"{scale}: {right} of {len(known)} consensus edges agree with the order; {seconds:.1f} s")
        print(f"  {len(edges)} edges: {len(edges & known)} in the consensus, {turned} turned round; {found.order}")
        print(f"  {len(found.warnings)} warnings; left out: {dict(found.left_out)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=("support", "warnings", "cost", "sachs"))
    parser.add_argument("--tables", type=int, default=10, help="of each setting")
    parser.add_argument("--jobs", type=int, default=1, help="tables at a time")
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES, help="of the rows in a part")
    said = parser.parse_args()
    if said.study == "support":
        support(said.tables, said.jobs, tuple(said.shares))
    elif said.study == "warnings":
        warnings(said.tables, said.jobs)
    else:
        {"cost": cost, "sachs": sachs}[said.study]()
