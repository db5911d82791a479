"""What a scan of a whole table costs, as ratios within one run, and how right it is on tables with a known graph.

    python benchmarks/scan.py cost        a pair in a scan against a lone `infer`; growth; two processes against one
    python benchmarks/scan.py large       200 columns × 1000 rows end to end; 2000 × 500 against one target; memory
    python benchmarks/scan.py rows        10⁵, 10⁶ and 10⁷ rows of a Parquet file: one `infer`, a scan; time and memory
    python benchmarks/scan.py peers       10 columns, beside loops over causal-learn's and gCastle's ANM
    python benchmarks/scan.py truth       generated graphs: false discoveries, arrows; order against lingam's

Times are CPU seconds of one process unless a line says wall.
"""

import argparse
import itertools
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np

import causewise
from causewise.knowledge.background import Knowledge
from causewise.parallel import one_thread
from causewise.scanning.pair_scorer import PairScorer

ROOT = Path(__file__).parents[1]
Table = dict[str, np.ndarray]


def graph_table(columns: int, rows: int, seed: int, parents: float = 1.5) -> tuple[Table, set[tuple[str, str]]]:
    """A location-scale model over a random graph: each column a sum of smooth functions of its parents, with noise
    whose size changes with one of them; and the edges. Columns come shuffled.
    """
    rng = np.random.default_rng(seed)
    names = [f"v{k}" for k in rng.permutation(columns)]
    table: Table = {}
    edges: set[tuple[str, str]] = set()
    for k, name in enumerate(names):
        causes = [other for other in names[:k] if rng.uniform() < parents / max(k, 1)]
        noise = rng.normal(size=rows) if rng.uniform() < 0.5 else rng.uniform(-1.7, 1.7, size=rows)
        total, size = np.zeros(rows), np.full(rows, 0.5)
        for cause in causes:
            u, bend, shift = table[cause], rng.uniform(1, 2.5), rng.uniform(-1, 1)
            curve = np.tanh if rng.uniform() < 0.5 else np.sin
            total += rng.choice([-1, 1]) * curve(bend * u + shift)
            size = size + 0.3 * np.abs(u)
            edges.add((cause, name))
        column = total + (size if causes else 1.0) * noise
        table[name] = (column - column.mean()) / column.std()
    order = sorted(table)
    return {name: table[name] for name in order}, edges


def related_table(columns: int, rows: int) -> Table:
    """Columns that all hang together, so that every pair is oriented."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=rows)
    return {f"c{k}": np.tanh(x + 0.1 * k) + (0.3 + 0.2 * np.abs(x)) * rng.normal(size=rows) for k in range(columns)}


def scorer_of(table: Table, method: str) -> PairScorer:
    """The columns of a table, ready to be scored."""
    return PairScorer(
        tuple(table), np.array(list(table.values())), method, 0, {}, Knowledge.of(None, list(table)), stability=False
    )


def in_scan(table: Table, method: str, remember: bool = True) -> None:
    """Screen and orient every pair, in this process."""
    scorer = scorer_of(table, method)
    with one_thread(), scorer.share_columns() if remember else nullcontext():
        for i, j in itertools.combinations(range(len(table)), 2):
            scorer.orient(scorer.screen(i, j), 0.0)


def lone(table: Table, method: str) -> None:
    """The same pairs, one `infer` each."""
    for a, b in itertools.combinations(table, 2):
        causewise.infer(table, a, b, method=method)


def in_turns(calls: Sequence[Callable[[], None]], rounds: int = 3) -> list[float]:
    """Best CPU seconds of some calls, taken in turns."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            start = time.process_time()
            call()
            best[k] = min(best[k], time.process_time() - start)
    return best


def cost() -> None:
    """A pair in a scan."""
    table = related_table(14, 1000)
    pairs = len(table) * (len(table) - 1) // 2
    for method in ("loci-h", "causewise"):
        ways = [partial(lone, table, method), partial(in_scan, table, method), partial(in_scan, table, method, False)]
        alone, scanned, forgetful = in_turns(ways)
        print(
            f"{method}, n = 1000: {scanned / pairs * 1e3:.2f} ms a pair in a scan, {alone / pairs * 1e3:.2f} ms alone"
        )
        print(f"  ratio {scanned / alone:.2f} (goal: at most 0.7); without remembering {forgetful / alone:.2f}")
    for rows in (1000, 10_000):
        small, large = in_turns([partial(in_scan, related_table(columns, rows), "causewise") for columns in (8, 16)])
        growth = large / 120 * 28 / small
        print(f"causewise, n = {rows}: 28 pairs {small:.2f} s, 120 pairs {large:.2f} s: a pair costs × {growth:.2f}")
    workers()


def workers(columns: int = 200, rows: int = 1000) -> None:
    """One process against two, by the clock; starting one takes a second, so that a short scan gains less."""
    table, seconds = related_table(columns, rows), {}
    for jobs in (1, 2):
        start = time.perf_counter()
        causewise.scan(table, engine=causewise.Engine(jobs=jobs))
        seconds[jobs] = time.perf_counter() - start
    efficiency = seconds[1] / seconds[2] / 2
    print(f"{columns * (columns - 1) // 2} pairs, wall: one process {seconds[1]:.1f} s, two {seconds[2]:.1f} s")
    print(f"  efficiency {efficiency:.2f} (goal: 0.85)")


def large() -> None:
    """Tables of many columns."""
    table, _ = graph_table(200, 1000, seed=0)
    start = time.perf_counter()
    found = causewise.scan(table)
    print(f"200 columns × 1000 rows, wall {time.perf_counter() - start:.0f} s: {found}")
    rng = np.random.default_rng(0)
    wide = {f"g{k}": rng.normal(size=500) for k in range(2000)}
    wide["target"] = np.tanh(wide["g7"]) + 0.5 * rng.normal(size=500)
    start = time.perf_counter()
    found = causewise.scan(wide, pairs="target")
    print(f"2000 columns × 500 rows against one target, wall {time.perf_counter() - start:.0f} s: {found}")
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 2**20
    print(f"peak memory of the largest process: {peak:.2f} GiB")


ALONE = """
import sys, time, causewise
path, what = sys.argv[1:]
start = time.process_time()
if what == "infer":
    causewise.infer(path, "c0", "c1")
else:
    causewise.scan(path, target="c0", jobs=1)
# VmHWM starts anew with the program; ru_maxrss would be inherited from this one.
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(time.process_time() - start, peak * 1024)
"""


def rows(sizes: Sequence[int] = (10**5, 10**6, 10**7)) -> None:
    """Long tables, each in a process of its own: the floor is two columns of doubles."""
    before: dict[str, float] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            for columns, what in ((2, "infer"), (4, "scan"), (8, "scan")):
                file = Path(folder) / f"{columns}.parquet"
                long_file(file, columns, size)
                call = [sys.executable, "-c", ALONE, str(file), what]
                seconds, peak = map(float, subprocess.check_output(call, text=True).split())
                file.unlink()
                name = f"{what} of {columns} columns" if what == "infer" else f"scan of {columns} columns, one target"
                grown = f", × {seconds / before[name]:.1f}" if name in before else ""
                before[name] = seconds
                print(f"n = {size:>10,}  {name:<32}{seconds:7.1f} s{grown:<9}  peak {peak / 2**20:6.0f} MiB", end="")
                print(f" = {peak / (16 * size):.1f} × two columns, {peak / (8 * columns * size):.1f} × the table")


def long_file(file: Path, columns: int, size: int) -> None:
    """A Parquet file whose columns all hang together, written column by column."""
    import pyarrow
    from pyarrow.parquet import write_table

    rng = np.random.default_rng(0)
    x = rng.normal(size=size)
    drawn = [np.tanh(x + 0.1 * k) + (0.3 + 0.2 * np.abs(x)) * rng.normal(size=size) for k in range(1, columns)]
    write_table(pyarrow.table({f"c{k}": column for k, column in enumerate([x, *drawn])}), file)


def peers() -> None:
    """Ten columns, every pair."""
    from peers.environment import Worker, prepare

    table = related_table(10, 500)
    ours, _ = in_turns([lambda: in_scan(table, "causewise"), lambda: None], rounds=2)
    python, versions = prepare(ROOT / "out" / "peers")
    print(f"causewise: 45 pairs of 500 rows in {ours:.2f} s")
    for peer in ("causal-learn ANM", "gcastle ANM"):
        worker, total, failed = Worker(python), 0.0, ""
        for a, b in itertools.combinations(table, 2):
            answer = worker.ask(peer, table[a], table[b])
            total += answer.get("seconds", 0.0)
            failed = answer.get("error", failed)
        worker.close()
        package = versions.get({"causal-learn ANM": "causal-learn", "gcastle ANM": "gcastle"}[peer], "")
        print(f"{peer} ({package}): {total:.1f} s, × {total / ours:.0f}" + (f" ({failed})" if failed else ""))


def truth(tables: int = 20) -> None:
    """Generated graphs of 10 to 20 columns and 1000 rows."""
    screened = false = unrelated = direct = found = answered = right = leaning = 0
    for seed in range(tables):
        table, edges = graph_table(10 + seed % 11, 1000, seed)
        ancestors = closure(edges)
        joined = {frozenset(pair) for pair in ancestors} | siblings(ancestors)
        for row in causewise.scan(table, engine=causewise.Engine(jobs=1)):
            pair = frozenset((row.x, row.y))
            screened += row.status != "unrelated"
            false += row.status != "unrelated" and pair not in joined
            unrelated += pair not in joined
            true = (row.x, row.y) if (row.x, row.y) in edges else (row.y, row.x) if (row.y, row.x) in edges else None
            if true is None:
                continue
            direct += 1
            found += row.status != "unrelated"
            answered += row.status == "oriented"
            right += row.status == "oriented" and (row.cause, row.effect) == true
            leaning += row.score is not None and (row.score > 0) == (true == (row.x, row.y))
    print(f"{tables} tables, {unrelated} pairs without a path or a common ancestor")
    print(f"  of {screened} pairs called related {false} are of these ({false / screened:.1%}; bound 5 %)")
    print(f"  direct edges: {found} of {direct} related, {leaning / found:.0%} lean right")
    print(f"  {answered / found:.0%} answered, of these {right / max(answered, 1):.0%} right")
    orders(tables)


def orders(tables: int, resit_tables: int = 5) -> None:
    """The order of all columns against lingam's, on the same tables; RESIT takes minutes a table, and gets a few."""
    from peers.environment import Worker, prepare

    python, versions = prepare(ROOT / "out" / "peers")
    made = [graph_table(10 + seed % 11, 1000, seed) for seed in range(tables)]
    ours = [_our_order(table) for table, _ in made]
    for peer, count in (("lingam DirectLiNGAM", tables), ("lingam RESIT", resit_tables)):
        worker = Worker(python)
        answers = [worker.ask_order(peer, list(table.values())) for table, _ in made[:count]]
        worker.close()
        theirs = [
            ([list(table)[k] for k in answer["verdict"]], answer["seconds"])
            for (table, _), answer in zip(made, answers, strict=False)
            if "verdict" in answer
        ]
        failed = [answer["error"] for answer in answers if "error" in answer]
        print(f"order, {count} tables; pairs of an ancestor and a descendant, the ancestor first:")
        for name, found in (("causewise", ours[:count]), (f"{peer} {versions['lingam']}", theirs)):
            if len(found) == count:
                print(f"  {name}: {_agreement(made, found)}")
        if failed:
            print(f"  {peer}: {len(failed)} tables failed ({failed[0]})")


def _our_order(table: Table) -> tuple[list[str], float]:
    """The order, and CPU seconds."""
    start = time.process_time()
    found = causewise.scan(table, engine=causewise.Engine(jobs=1)).order()
    return list(found.columns), time.process_time() - start


def _agreement(made: Sequence[tuple[Table, set[tuple[str, str]]]], found: Sequence[tuple[Sequence[str], float]]) -> str:
    """Share of pairs in the right order; the interval is from drawing the tables anew, whose pairs hang together."""
    counts = []
    for (_, edges), (order, _) in zip(made, found, strict=False):
        place = {name: k for k, name in enumerate(order)}
        ancestors = closure(edges)
        counts.append((sum(place[a] < place[d] for a, d in ancestors), len(ancestors)))
    right, total = np.array(counts).T
    drawn = np.random.default_rng(0).integers(0, len(counts), (10_000, len(counts)))
    low, high = np.quantile(right[drawn].sum(axis=1) / total[drawn].sum(axis=1), (0.025, 0.975))
    seconds = sum(each for _, each in found) / len(found)
    share = right.sum() / total.sum()
    return f"{share:.0%} of {total.sum()} (95 % from {low:.0%} to {high:.0%}), {seconds:.2f} s a table"


def closure(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Every ancestor with its descendant."""
    found = set(edges)
    while more := {(a, d) for a, b in found for c, d in edges if b == c} - found:
        found |= more
    return found


def siblings(ancestors: set[tuple[str, str]]) -> set[frozenset[str]]:
    """Pairs with a common ancestor."""
    return {frozenset((b, d)) for (a, b), (c, d) in itertools.product(ancestors, repeat=2) if a == c and b != d}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("cost", "large", "rows", "peers", "truth"))
    {"cost": cost, "large": large, "rows": rows, "peers": peers, "truth": truth}[parser.parse_args().part]()
