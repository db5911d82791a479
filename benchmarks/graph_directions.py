"""What speaks for the direction of an edge, measured on simulated tables, and the probability that is fitted to it.

    python benchmarks/graph_directions.py collect [--tables 3] [--from 0] [--settings "linear,GP"] [--jobs N]
    python benchmarks/graph_directions.py support   how many edges are true, by the share of halves that show them
    python benchmarks/graph_directions.py fit       the constants of `causewise/graphs/direction.py`, and how they hold

Rows, one an edge, are appended to out/graph_directions.jsonl. Constants are fitted to the edges of worlds that are not
held out (`graph_worlds.py`), and shown on those that are.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from causewise.graphs.direction import weigh_parts
from causewise.graphs.finder import LEAST_SUPPORT
from graph_worlds import Setting
from graphs import choose, load_table

STORE = Path(__file__).parents[1] / "out" / "graph_directions.jsonl"
PARTS = 8


def collect(setting: Setting, seed: int) -> list[dict[str, Any]]:
    """The evidence for every edge of the graph that is found in one table."""
    from causewise.graphs.direction import gather_evidence
    from causewise.graphs.graph_columns import Constraints
    from causewise.graphs.graph_search import search_graph
    from causewise.graphs.noise import Kernels
    from causewise.graphs.row_parts import Draws, Whole, share_of_parts
    from causewise.parallel import one_thread

    table = load_table(setting, seed)
    columns, constraints = np.ascontiguousarray(table.rows.T), Constraints.none(table.rows.shape[1])
    with one_thread():
        found = search_graph(columns, constraints, 0.001)
        evidence = gather_evidence(columns, found, Kernels(columns))
        draws = Draws(columns, constraints, 0.001, seed)
        whole = Whole(sorted(evidence), found.guide)
        parts = [draws.find(k, whole) for k in range(PARTS)]
    fits = dict(zip(found.graph.order, found.graph.fits, strict=True))
    rows = []
    for (parent, child), each in evidence.items():
        truth = 1 if (parent, child) in table.edges else -1 if (child, parent) in table.edges else 0
        told = asdict(each)
        told["misfit"] = list(each.misfit)
        rows.append(
            {
                "world": setting.world,
                "setting": setting.name,
                "seed": seed,
                "edge": [parent, child],
                "truth": truth,
                "hidden": frozenset((parent, child)) in table.hidden,
                "edges": len(table.edges),
                "forward": share_of_parts(parts, (parent, child)),
                "backward": share_of_parts(parts, (child, parent)),
                "leans": [part.leans[parent, child] for part in parts],
                "kinds": [str(fits[parent]), str(fits[child])],
                "p": min((t.p for t in fits[child].terms if t.parent == parent), default=1.0),
                **told,
            }
        )
    return rows


def read_rows() -> list[dict[str, Any]]:
    """The edges so far that an answer has, and whose table has a true one between the same columns."""
    rows = map(json.loads, STORE.read_text().splitlines())
    return [row for row in rows if row["truth"] and row["forward"] + row["backward"] >= LEAST_SUPPORT]


def describe_support() -> None:
    """A table for the page."""
    from causewise.formatting import markdown_table

    rows = [json.loads(line) for line in STORE.read_text().splitlines()]
    shares = np.array([row["forward"] + row["backward"] for row in rows])
    lines = []
    for family, chosen in (("all but held out", False), ("held out, recorded", True)):
        for low, high in ((0, 1 / 2), (1 / 2, 3 / 4), (3 / 4, 0.99), (0.99, 1.01)):
            inside = (shares >= low) & (shares < high)
            true = [
                bool(row["truth"])
                for row, here in zip(rows, inside, strict=True)
                if here and is_held_out(row) == chosen
            ]
            name = "all" if low > 0.9 else f"{low:.0%} to {high:.0%}"
            lines.append((family, name, f"{len(true)}", f"{100 * np.mean(true):.0f}" if true else ""))
    print(markdown_table(("worlds", "halves", "edges", "true, %"), lines, "llrr"))


def list_evidence(rows: list[dict[str, Any]], with_parts: bool) -> np.ndarray:
    """What the probability is made of, a line each."""
    if with_parts:
        return np.array([[weigh_parts(row["loss"], row["leans"])] for row in rows])
    return np.log1p(np.maximum([[row["loss"]] for row in rows], 0.0))


def compare(rows: list[dict[str, Any]]) -> None:
    """Log-likelihood an edge of the probability and of others, each world by weights that saw none of its tables."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    truth, worlds = np.array([row["truth"] > 0 for row in rows]), [row["world"] for row in rows]
    loss, parts = list_evidence(rows, False), list_evidence(rows, True)
    agreement = np.array([[row["forward"] - row["backward"]] for row in rows])
    both = np.hstack([loss, agreement])
    choices = {"nats of all rows": loss, "share of halves": agreement, "both": both, "nats of halves": parts}
    for name, columns in choices.items():
        values = np.zeros(len(rows))
        for learn, test in GroupKFold(8).split(columns, truth, worlds):
            model = LogisticRegression(C=1e6, fit_intercept=name != "nats of halves")
            chance = model.fit(columns[learn], truth[learn]).predict_proba(columns[test])
            values[test] = np.log(chance[np.arange(len(test)), truth[test].astype(int)])
        print(f"{name}: {values.mean():.4f}")


def fit() -> None:
    """The constants, from worlds that are not held out, each table with the same weight."""
    from sklearn.linear_model import LogisticRegression

    rows = read_rows()
    fitted = [row for row in rows if not is_held_out(row)]
    tables = {}
    for row in fitted:
        tables[row["setting"], row["seed"]] = tables.get((row["setting"], row["seed"]), 0) + 1
    weight = np.array([1 / tables[row["setting"], row["seed"]] for row in fitted])
    truth = np.array([row["truth"] > 0 for row in fitted])
    compare(rows)
    for with_parts in (True, False):
        model = LogisticRegression(C=1e6, fit_intercept=False)
        model.fit(list_evidence(fitted, with_parts), truth, weight / weight.mean())
        print(f"parts: {with_parts}; per log nat {model.coef_[0, 0]:.2f}")
        for name, some in (("fitted to", fitted), ("held out", [row for row in rows if is_held_out(row)])):
            print(f"  {name}: {describe_calibration(model.predict_proba(list_evidence(some, with_parts))[:, 1], some)}")


def is_held_out(row: dict[str, Any]) -> bool:
    """Whether nothing may be fitted to it: worlds that are held out, and recorded tables."""
    return row["world"].startswith(("held-out", "recorded"))


def describe_calibration(probability: np.ndarray, rows: list[dict[str, Any]]) -> str:
    """Stated and true in each third of the range of the probability of the likelier direction."""
    right = np.array([row["truth"] > 0 for row in rows])
    right, probability = np.where(probability < 0.5, ~right, right), np.maximum(probability, 1 - probability)
    said = []
    for low in (1 / 2, 2 / 3, 5 / 6):
        here = (probability >= low) & (probability < low + 1 / 6 + 1e-9)
        if here.any():
            said.append(f"{here.sum()} edges {probability[here].mean():.2f} stated, {right[here].mean():.2f} right")
    return "; ".join(said)


def main() -> None:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("collect", "support", "fit"))
    parser.add_argument("--tables", type=int, default=3, help="of each setting")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("--settings", default="", help="parts of the names of settings, with commas between")
    parser.add_argument("--jobs", type=int, default=1)
    said = parser.parse_args()
    if said.what != "collect":
        {"fit": fit, "support": describe_support}[said.what]()
    else:
        STORE.parent.mkdir(exist_ok=True)
        done = set()
        if STORE.exists():
            done = {(row["setting"], row["seed"]) for row in map(json.loads, STORE.open())}
        tasks = [
            (setting, seed)
            for seed in range(said.first, said.first + said.tables)
            for setting in choose(said.settings)
            if (setting.name, seed) not in done
        ]
        with ProcessPoolExecutor(said.jobs, get_context("spawn")) as pool, STORE.open("a") as stream:
            for done in as_completed([pool.submit(collect, *task) for task in tasks]):
                stream.writelines(json.dumps(row) + "\n" for row in done.result())
                stream.flush()


if __name__ == "__main__":
    main()
