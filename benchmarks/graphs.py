"""How right `whence.order` is on simulated location-scale graphs, beside published packages, and what it costs.

    python benchmarks/graphs.py run METHOD,… [--tables 10] [--settings heteroscedastic,…]    rows into out/graphs.jsonl
    python benchmarks/graphs.py table           order error, structural Hamming distance and CPU seconds of all rows
    python benchmarks/graphs.py calibration     how often an edge with some support is true, and a warning false
    python benchmarks/graphs.py hidden          how often a hidden common cause is warned of
    python benchmarks/graphs.py cost            CPU seconds by columns and rows
    python benchmarks/graphs.py sachs           the protein-signalling table inside the `cdt` package

Methods: whence, RESIT, DirectLiNGAM, CAM-UV, DAGMA; all but the first run in an environment of their own
under out/peers. Order error: the share of true edges whose child stands before its parent (for methods without an
order: in a topological order of their edges). Distance: pairs of columns whose edge differs. Times are CPU seconds.
"""

import argparse
import json
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import numpy as np

import whence

ROOT = Path(__file__).parents[1]
STORE, PEERS = ROOT / "out" / "graphs.jsonl", ROOT / "out" / "peers"
LONGEST = 900
"""Wall seconds after which a package is stopped."""
Edges = set[tuple[int, int]]


@dataclass(frozen=True)
class Setting:
    """A kind of table; `parents` is the number of edges over the number of columns."""

    columns: int
    rows: int
    parents: float
    heteroscedastic: bool

    @property
    def name(self) -> str:
        """In words."""
        noise = "heteroscedastic" if self.heteroscedastic else "homoscedastic"
        return f"{noise} {self.columns} × {self.rows} {'sparse' if self.parents == 1 else 'dense'}"


SETTINGS = [
    Setting(columns, rows, parents, heteroscedastic)
    for heteroscedastic in (True, False)
    for columns in (5, 10, 20)
    for rows in (500, 2000)
    for parents in (1.0, 2.0)
]


def simulated(setting: Setting, seed: int) -> tuple[np.ndarray, Edges]:
    """Rows of a location-scale model over a random graph, and its edges.

    Every column is standardised before its children are made, and signal and noise have the same share of it wherever
    it stands: neither variance nor noise level tells the order.
    """
    rng = np.random.default_rng([seed, setting.columns, setting.rows, int(setting.parents), setting.heteroscedastic])
    order, n = rng.permutation(setting.columns), setting.rows
    share = min(1.0, 2 * setting.parents / (setting.columns - 1))
    rows, edges = np.zeros((n, setting.columns)), Edges()
    for k, child in enumerate(order):
        parents = [int(other) for other in order[:k] if rng.random() < share]
        edges |= {(parent, int(child)) for parent in parents}
        noise = [rng.normal(size=n), rng.laplace(size=n), rng.uniform(-1, 1, n)][rng.integers(3)]
        noise /= noise.std()
        if parents:
            mean = sum(curve(rng, rows[:, p]) for p in parents)
            bent = [rng.uniform(0.4, 1.0) * curve(rng, rows[:, p]) for p in parents if rng.random() < 0.7]
            scale = np.exp(np.clip(sum(bent), -3, 2)) if setting.heteroscedastic and bent else np.ones(n)
            noise = mean / np.std(mean) + rng.uniform(0.5, 1.0) * scale / np.sqrt(np.mean(scale**2)) * noise
        rows[:, child] = (noise - noise.mean()) / noise.std()
    return rows, edges


def curve(rng: np.random.Generator, u: np.ndarray) -> np.ndarray:
    """One of four kinds of smooth functions."""
    size, shift, pace = rng.uniform(0.5, 2) * rng.choice([-1, 1]), rng.uniform(-1, 1), rng.uniform(0.7, 2)
    return [
        lambda: 1.2 * np.tanh(size * pace * (u - shift)),
        lambda: np.sign(size) * np.sin(pace * u + shift),
        lambda: 0.5 * size * (u - shift) ** 2 / (1 + 0.2 * u**2),
        lambda: 0.5 * size * u + 0.5 * np.sin(2 * u + shift),
    ][rng.integers(4)]()


def ours(rows: np.ndarray) -> dict[str, Any]:
    """`whence.order` as it comes."""
    start = time.process_time()
    found = whence.order({f"{k}": column for k, column in enumerate(rows.T)}, jobs=1)
    seconds = time.process_time() - start
    edges = [(int(edge.parent), int(edge.child)) for edge in found.edges]
    return {"order": list(map(int, found.order)), "edges": edges, "seconds": seconds}


def theirs(method: str, rows: np.ndarray) -> dict[str, Any]:
    """A published package, in a process of its own."""
    from peers.environment import ONE_THREAD, prepare

    python = PEERS / "bin" / "python"
    if not python.exists():
        prepare(PEERS)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "dagma"], check=False)
    worker = ROOT / "benchmarks" / "peers" / "graph_worker.py"
    try:
        done = subprocess.run(
            [str(python), str(worker), method],
            input=json.dumps(rows.tolist()),
            capture_output=True,
            text=True,
            timeout=LONGEST,
            env=ONE_THREAD,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"stopped after {LONGEST} s"}
    except subprocess.CalledProcessError as problem:
        return {"failed": problem.stderr.strip().splitlines()[-1][:200]}
    return json.loads(done.stdout)


def judged(answer: dict[str, Any], truth: Edges, columns: int) -> dict[str, Any]:
    """Order error and distance of an answer."""
    if "failed" in answer:
        return answer
    edges = {(int(a), int(b)) for a, b in answer["edges"]}
    order = answer["order"] or topological(edges, columns)
    wrong = None if order is None else float(np.mean([order.index(a) > order.index(b) for a, b in truth]))
    pairs = [(i, j) for i in range(columns) for j in range(i)]
    distance = sum(((i, j) in edges, (j, i) in edges) != ((i, j) in truth, (j, i) in truth) for i, j in pairs)
    return {"error": wrong, "distance": distance, "edges": len(truth), "seconds": answer["seconds"]}


def topological(edges: Edges, columns: int) -> list[int] | None:
    """An order along all edges; None where they run in a circle."""
    sorter = TopologicalSorter({k: [a for a, b in edges if b == k] for k in range(columns)})
    try:
        return list(sorter.static_order())
    except CycleError:
        return None


def run(methods: list[str], tables: int, settings: list[Setting]) -> None:
    """Every method on every table that is not in the store yet."""
    STORE.parent.mkdir(exist_ok=True)
    done = {(row["method"], row["setting"], row["seed"]) for row in stored()}
    for seed in range(tables):
        for setting in settings:
            rows, truth = simulated(setting, seed)
            for method in methods:
                if not truth or (method, setting.name, seed) in done:
                    continue
                answer = ours(rows) if method == "whence" else theirs(method, rows)
                row = {"method": method, "setting": setting.name, "seed": seed, **asdict(setting)}
                with STORE.open("a") as stream:
                    stream.write(json.dumps(row | judged(answer, truth, setting.columns)) + "\n")


def stored() -> Iterator[dict[str, Any]]:
    """Rows of earlier runs."""
    if STORE.exists():
        yield from map(json.loads, STORE.read_text().splitlines())


def table() -> None:
    """Means over tables, with 95 % intervals from resampled tables."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in stored():
        groups[row["setting"], row["method"]].append(row)
    print("| tables | method | number | order error, % | distance (of edges) | CPU seconds |")
    print("|---|---|---:|---:|---:|---:|")
    for setting in (each.name for each in SETTINGS):
        for (of, method), rows in groups.items():
            if of != setting:
                continue
            whole = [row for row in rows if "failed" not in row]
            errors = [100 * row["error"] for row in whole if row["error"] is not None]
            distances, seconds = [row["distance"] for row in whole], [row["seconds"] for row in whole]
            edges = np.mean([row["edges"] for row in whole]) if whole else np.nan
            told = (
                f"{interval(errors)} | {interval(distances)} of {edges:.0f} | {np.mean(seconds):.1f}"
                if whole
                else "| |"
            )
            print(f"| {setting} | {method} | {len(whole)} of {len(rows)} | {told} |")


def interval(values: list[float]) -> str:
    """Mean and the middle 95 % of means of resampled values."""
    if not values:
        return "none"
    rng = np.random.default_rng(0)
    means = np.mean(rng.choice(values, (2000, len(values))), axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{np.mean(values):.1f} [{low:.1f}–{high:.1f}]"


def calibration(tables: int) -> None:
    """Edges by their support, and warnings where no cause is hidden."""
    counts: dict[float, list[bool]] = defaultdict(list)
    warned = columns = 0
    for seed in range(tables):
        for setting in (Setting(8, 500, 1.0, True), Setting(8, 500, 2.0, True), Setting(8, 500, 1.0, False)):
            rows, truth = simulated(setting, 1000 + seed)
            found = whence.order({f"{k}": column for k, column in enumerate(rows.T)}, bootstrap=20, jobs=1)
            for edge in found.edges:
                assert edge.support is not None
                counts[min(int(edge.support * 5), 4) / 5].append((int(edge.parent), int(edge.child)) in truth)
            warned += sum("noise" in warning for warning in found.warnings)
            columns += len(found.order) - 1
    print(f"{3 * tables} tables of 8 columns × 500 rows, 20 parts each")
    for low, true in sorted(counts.items()):
        print(f"  support {low:.1f}–{low + 0.2:.1f}: {len(true)} edges, {np.mean(true):.0%} true")
    print(f"  warnings without a hidden cause: {warned} of {columns} columns ({warned / columns:.1%})")


def hidden(tables: int) -> None:
    """Tables in which the column with the most children was not measured."""
    warned = 0
    for seed in range(tables):
        rows, truth = simulated(Setting(6, 1000, 1.5, True), 2000 + seed)
        children = [sum(a == k for a, _ in truth) for k in range(6)]
        seen = [k for k in range(6) if k != int(np.argmax(children))]
        warned += bool(whence.order({f"{k}": rows[:, k] for k in seen}, jobs=1).warnings)
    print(f"{tables} tables of 6 columns × 1000 rows less the one with the most children: {warned} have a warning")


def cost() -> None:
    """CPU seconds of one sparse table of each size."""
    for columns, rows in ((10, 500), (20, 500), (30, 500), (40, 500), (20, 1000), (20, 4000)):
        seconds = ours(simulated(Setting(columns, rows, 1.0, True), 0)[0])["seconds"]
        unit = seconds / (columns**2 * rows) * 1e6
        print(f"{columns} columns × {rows} rows: {seconds:.1f} s, {unit:.0f} µs a row and squared column", flush=True)


def sachs() -> None:
    """11 proteins in 7466 cells, against the consensus network that ships with the table."""
    folder = next((PEERS / "lib").glob("python*/site-packages/cdt/data/resources"), None)
    if folder is None:
        print("cdt is not installed in out/peers: run a peer first.")
        return
    lines = (folder / "cyto_full_target.csv").read_text().replace('"', "").split()[1:]
    truth = {(a, b) for a, b in (line.split(",") for line in lines)}
    rows = np.loadtxt(folder / "cyto_full_data.csv", delimiter=",", skiprows=1)
    names = (folder / "cyto_full_data.csv").read_text().split("\n", 1)[0].replace('"', "").split(",")
    for scale, values in (("as they are", rows), ("logarithms", np.log(rows))):
        start = time.process_time()
        found = whence.order(dict(zip(names, values.T, strict=True)), jobs=1)
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
    parser.add_argument("part", choices=("run", "table", "calibration", "hidden", "cost", "sachs"))
    parser.add_argument("methods", nargs="?", default="whence", help="names with commas between")
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--settings", default="", help="parts of the names of settings, with commas between")
    said = parser.parse_args()
    if said.part == "run":
        parts = said.settings.split(",")
        run(said.methods.split(","), said.tables, [each for each in SETTINGS if any(p in each.name for p in parts)])
    elif said.part in ("calibration", "hidden"):
        {"calibration": calibration, "hidden": hidden}[said.part](said.tables)
    else:
        {"table": table, "cost": cost, "sachs": sachs}[said.part]()
