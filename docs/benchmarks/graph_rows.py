"""The kept rows of `benchmarks/graphs.py`, and the tables that pages show of them.

`python docs/benchmarks/graph_rows.py [ROWS.jsonl]` writes graphs.csv beside this file (from out/graphs.jsonl); rows of
methods and settings that are not among the new ones stay.
"""

import csv
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from causewise.formatting import markdown_table

ROOT = Path(__file__).parents[2]
KEPT = Path(__file__).with_name("graphs.csv")
STORE = ROOT / "out" / "graphs.jsonl"
WHOLE = ("columns", "rows", "seed", "right", "turned", "undirected", "two_headed", "found", "edges", "hidden")
REAL = ("parents", "r2_sortability", "error", "distance", "f1", "seconds")
COLUMNS = ("family", "world", "columns", "rows", "parents", "method", "seed", *REAL[1:], *WHOLE[3:])
COLUMNS = (*COLUMNS, "hidden_found", "probabilities", "failed")
KINDS = dict.fromkeys((*WHOLE, "hidden_found"), int) | dict.fromkeys(REAL, float)
FAMILIES = ("fitted", "beyond", "held-out", "recorded")
METHODS = ("causewise", "CAM-UV", "RESIT", "DirectLiNGAM", "GES", "BOSS", "GRaSP", "PC-Fisher", "PC", "DAGMA")
FEW = 3
"""Tables beneath which a mean has no interval."""
THIRDS = ((1 / 2, 2 / 3), (2 / 3, 5 / 6), (5 / 6, 1.0))
"""Of the range of a direction probability."""
Row = dict[str, Any]
Measure = Callable[[Row], float | None]


def read_store(path: Path = STORE, others: Sequence[Row] = ()) -> list[Row]:
    """What `benchmarks/graphs.py` has written so far, each row with the family of its world, in one order.

    With rows of `others` for methods and settings that it lacks.
    """
    rows, families = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()], list_worlds()
    there = {(row["method"], *cell(row)) for row in rows}
    rows += [row for row in others if (row["method"], *cell(row)) not in there]
    rows = [dict.fromkeys(COLUMNS) | row | {"family": families.get(row["world"], "recorded")} for row in rows]
    place = {name: k for k, name in enumerate(families)}
    return sorted(rows, key=lambda row: (place.get(row["world"], len(place)), *cell(row), row["method"], row["seed"]))


def list_worlds() -> dict[str, str]:
    """The family of every world, in their order."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from graph_worlds import WORLDS

    return {name: world.family for name, world in WORLDS.items()}


def read_kept(path: Path = KEPT) -> list[Row]:
    """One row a table and method; what a method did not say is None."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            {name: (KINDS.get(name, str)(text) if text else None) for name, text in row.items()}
            for row in csv.DictReader(lines)
        ]


def keep(rows: Sequence[Row], path: Path = KEPT) -> None:
    """As `read_kept` reads them."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            short = {name: f"{row[name]:.4g}" for name in REAL if row.get(name) is not None}
            writer.writerow(row | short)


def cell(row: Row) -> tuple[Any, ...]:
    """Which tables a row belongs to."""
    return row["world"], row["columns"], row["rows"], row["parents"]


def name_cell(key: tuple[Any, ...]) -> str:
    """Its world, and its size where that is not 10 × 1000."""
    world, columns, rows, _ = key
    return re.sub("^.*?: ", "", world) + ("" if (columns, rows) == (10, 1000) else f", {columns} × {rows}")


def select(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    """Rows with an answer that have these values."""
    return [row for row in rows if not row["failed"] and all(row[name] == value for name, value in wanted.items())]


def list_cells(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """In the order of the rows."""
    return list(dict.fromkeys(map(cell, rows)))


def measure_values(rows: Sequence[Row], measure: Measure) -> list[float]:
    """Of tables that have one."""
    return [value for row in rows if (value := measure(row)) is not None]


def interval(values: Sequence[float], digits: int = 0) -> str:
    """The mean with a 95 % interval from tables drawn anew; of one or two tables no interval can be told."""
    if not len(values):
        return ""
    mean = f"{np.mean(values):.{digits}f}"
    if len(values) < FEW:
        return mean
    drawn = np.random.default_rng(0).integers(len(values), size=(2000, len(values)))
    low, high = np.quantile(np.array(values)[drawn].mean(axis=1), [0.025, 0.975])
    return with_bounds(mean, f"{low:.{digits}f}", f"{high:.{digits}f}")


def with_bounds(mean: str, low: str, high: str) -> str:
    """That no line breaks before the brackets."""
    return f"{mean}\N{NO-BREAK SPACE}[{low}–{high}]"


def rate(hits: int, count: int) -> str:
    """A share in percent with Wilson's 95 % interval."""
    from scipy.stats import binomtest

    if not count:
        return ""
    found = binomtest(hits, count).proportion_ci(method="wilson")
    return with_bounds(*(f"{100 * share:.0f}" for share in (hits / count, found.low, found.high)))


def order_error(row: Row) -> float | None:
    """In percent."""
    return None if row["error"] is None else 100 * row["error"]


def distance(row: Row) -> float | None:
    """Structural Hamming distance."""
    return row["distance"]


def seconds(rows: Sequence[Row]) -> str:
    """The mean."""
    timed = [row["seconds"] for row in rows if row["seconds"] is not None]
    return f"{np.mean(timed):.2g}" if timed else ""


def tabulate_ours(rows: Sequence[Row], family: str, method: str = "causewise") -> str:
    """One method on every world of a family."""
    lines = []
    for key in list_cells(select(rows, family=family, method=method)):
        some = [row for row in select(rows, family=family, method=method) if cell(row) == key]
        total = {name: sum(row[name] for row in some) for name in (*WHOLE[3:], "hidden_found")}
        directed = total["right"] + total["turned"]
        heads = f"{total['two_headed']}" + (
            f", {total['hidden_found']} of {total['hidden']}" if total["hidden"] else ""
        )
        lines.append(
            (
                name_cell(key),
                f"{np.mean([row['r2_sortability'] for row in some]):.2f}",
                interval(measure_values(some, order_error)),
                rate(directed, total["edges"]),
                rate(total["turned"], directed),
                f"{total['undirected'] / len(some):.1f}",
                heads,
                f"{total['found'] / max(total['edges'], 1):.2f}",
                interval(measure_values(some, distance), 1),
                f"{np.mean([row['f1'] for row in some]):.2f}",
                seconds(some),
            )
        )
    heads = ("world", "R²-sort.", "order turns, %", "directed, %", "of these turned, %", "undirected", "two-headed")
    return markdown_table((*heads, "found / true", "SHD", "F1", "CPU s"), lines)


def tabulate_methods(rows: Sequence[Row], measure: Measure, digits: int = 0) -> str:
    """Worlds by methods; the smallest mean in bold."""
    shown = [method for method in METHODS if select(rows, method=method)]
    lines = []
    for key in list_cells(rows):
        here = [row for row in rows if cell(row) == key]
        values = {method: measure_values(select(here, method=method), measure) for method in shown}
        best = min((np.mean(some) for some in values.values() if some), default=None)
        line = [f"{name_cell(key)}{' (held out)' if here[0]['family'] == 'held-out' else ''}"]
        for method, some in values.items():
            stopped = any(row["failed"] for row in here if row["method"] == method)
            text = interval(some, digits) or "stopped" * stopped
            line.append(f"**{text}**" if some and np.mean(some) == best else text)
        lines.append(tuple(line))
    return markdown_table(("world", *shown), lines)


def tabulate_directions(rows: Sequence[Row]) -> str:
    """Worlds by methods: of true edges with a direction how many are turned, and how many have one."""
    shown = [method for method in METHODS if select(rows, method=method)]
    lines = []
    for key in list_cells(rows):
        line = [name_cell(key)]
        for method in shown:
            some = [row for row in select(rows, method=method) if cell(row) == key]
            right, turned, true = (sum(row[name] for row in some) for name in ("right", "turned", "edges"))
            directed = right + turned
            share = f"{100 * turned / directed:.0f}" if directed else "none"
            line.append(f"{share} of {100 * directed / true:.0f}" if true else "")
        lines.append(tuple(line))
    return markdown_table(("world", *shown), lines)


def tabulate_wins(rows: Sequence[Row]) -> str:
    """Worlds in which another method has the smaller mean on the tables that both have answered: the best such."""
    lines = []
    for key in list_cells(rows):
        here = [row for row in rows if cell(row) == key]
        line = [name_cell(key)]
        for measure, digits in ((order_error, 0), (distance, 1)):
            own = {row["seed"]: measure(row) for row in select(here, method="causewise")}
            gaps = {}
            for method in METHODS[1:]:
                other = {row["seed"]: measure(row) for row in select(here, method=method)}
                both = [k for k in own.keys() & other.keys() if None not in (own[k], other[k])]
                if both:
                    means = [float(np.mean([some[k] for k in both])) for some in (own, other)]
                    gaps[method] = means[0] - means[1], *means, len(both)
            method = max(gaps, key=lambda name: gaps[name][0], default="")
            gap, mine, best, count = gaps.get(method, (0.0, 0.0, 0.0, 0))
            line.append(
                f"{method} {best:.{digits}f}, ours {mine:.{digits}f} ({count} table{'s' * (count > 1)})"
                if gap > 0
                else ""
            )
        if any(line[1:]):
            lines.append(tuple(line))
    return markdown_table(("world", "order turns, %", "SHD"), lines, "lll")


def tabulate_calibration(rows: Sequence[Row]) -> str:
    """How often the likelier direction of a found edge between true neighbours is right, by its probability."""
    lines = []
    for family in FAMILIES:
        told = " ".join(row["probabilities"] or "" for row in select(rows, family=family, method="causewise")).split()
        given = [(float(text[:-1]), text[-1] == "+") for text in told]
        sure = [(max(p, 1 - p), right == (p >= 0.5)) for p, right in given]
        for low, high in THIRDS:
            inside = [(p, right) for p, right in sure if low <= p < high or p == high == 1]
            if inside:
                mean, hits = 100 * np.mean([p for p, _ in inside]), sum(right for _, right in inside)
                lines.append(
                    (family, f"{low:.2f}–{high:.2f}", f"{len(inside)}", f"{mean:.0f}", rate(hits, len(inside)))
                )
    return markdown_table(("worlds", "probability", "edges", "stated, %", "right, %"), lines, "llrrr")


def tabulate_recorded(rows: Sequence[Row]) -> str:
    """Precision and recall of directed edges, and of all edges in either direction, on recorded tables."""
    lines = []
    here = [row for row in rows if row["family"] == "recorded"]
    for key in list_cells(here):
        for method in METHODS:
            some = [row for row in select(here, method=method) if cell(row) == key]
            if not some:
                continue
            right, found, true = (sum(row[name] for row in some) for name in ("right", "found", "edges"))
            loose = sum(row["undirected"] + row["two_headed"] for row in some)
            joined, edges = sum(map(count_joined, some)), found - sum(row["two_headed"] for row in some)
            shares = (rate(right, found - loose), rate(right, true), rate(joined, edges), rate(joined, true))
            off = interval(measure_values(some, distance), 1)
            lines.append((name_cell(key), method, f"{len(some)}", *shares, off, seconds(some)))
    heads = ("table", "method", "draws", "arrows: precision, %", "recall, %", "either way: precision, %", "recall, %")
    return markdown_table((*heads, "SHD", "CPU s"), lines, "llrrrrrrr")


def count_joined(row: Row) -> int:
    """The true edges that are found in either direction or in none, where no cause is hidden.

    F1 counts one without a direction half, a turned one not.
    """
    hits = 0.5 * (row["f1"] or 0.0) * (row["found"] + row["edges"])
    return round(row["right"] + row["turned"] + 2 * (hits - row["right"]))


def summarise(rows: Sequence[Row]) -> str:
    """All tables, for a terminal."""
    parts = [f"{family}\n\n{tabulate_ours(rows, family)}" for family in FAMILIES if select(rows, family=family)]
    parts += [
        f"order turns, %\n\n{tabulate_methods(rows, order_error)}",
        f"SHD\n\n{tabulate_methods(rows, distance, 1)}",
    ]
    parts += [f"turned of those directed, % of % of true edges\n\n{tabulate_directions(rows)}"]
    parts += [f"where others win\n\n{tabulate_wins(rows)}", f"calibration\n\n{tabulate_calibration(rows)}"]
    return "\n\n".join([*parts, f"recorded\n\n{tabulate_recorded(rows)}"])


def tabulate_all(path: Path = KEPT) -> dict[str, str]:
    """What the page includes, by file name."""
    rows = read_kept(path)
    return {
        **{f"graphs-{family}.md": tabulate_ours(rows, family) for family in FAMILIES[:3]},
        "graphs-order.md": tabulate_methods(rows, order_error),
        "graphs-distance.md": tabulate_methods(rows, distance, 1),
        "graphs-directions.md": tabulate_directions(rows),
        "graphs-wins.md": tabulate_wins(rows),
        "graphs-calibration.md": tabulate_calibration(rows),
        "graphs-recorded.md": tabulate_recorded(rows),
    }


if __name__ == "__main__":
    keep(read_store(Path(sys.argv[1]) if len(sys.argv) > 1 else STORE, read_kept()))
