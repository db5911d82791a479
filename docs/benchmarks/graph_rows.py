"""The kept rows of `benchmarks/graphs.py`, and the tables that pages show of them.

`python docs/benchmarks/graph_rows.py [ROWS.jsonl]` writes graphs.csv beside this file (from out/graphs.jsonl).
"""

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

KEPT = Path(__file__).with_name("graphs.csv")
STORE = Path(__file__).parents[2] / "out" / "graphs.jsonl"
COLUMNS = ("world", "columns", "rows", "parents", "method", "seed", "error", "distance", "edges", "seconds", "failed")
NUMBERS = {"columns": int, "rows": int, "parents": float, "seed": int, "error": float, "distance": float, "edges": int}
INSIDE = ("heteroscedastic", "homoscedastic")
METHODS = ("causewise", "sinks", "CAM-UV", "RESIT", "DAGMA", "PC", "DirectLiNGAM")
FEW = 3
"""Tables beneath which a mean has no interval."""
Row = dict[str, Any]


def kept(path: Path = KEPT) -> list[Row]:
    """One row a table and method; what a method did not say is None."""
    kinds = NUMBERS | {"seconds": float}
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            {name: (kinds.get(name, str)(text) if text else None) for name, text in row.items()}
            for row in csv.DictReader(lines)
        ]


def keep(rows: Sequence[Row], path: Path = KEPT) -> None:
    """In one order, whichever was finished first."""
    ordered = sorted(rows, key=lambda row: tuple(row[name] for name in COLUMNS[:6]))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in ordered:
            short = {name: f"{row[name]:.4g}" for name in ("error", "seconds") if row.get(name) is not None}
            writer.writerow(row | short)


def cell(row: Row) -> tuple[Any, ...]:
    """Which tables a row belongs to."""
    return tuple(row[name] for name in COLUMNS[:4])


def interval(cells: Sequence[Sequence[float]]) -> str:
    """The mean over cells of their means, with a 95 % interval from tables drawn anew.

    They are drawn from all cells together: within cells, those of a single table would seem to be sure. Of one or two
    tables no interval can be told.
    """
    values = np.array([value for some in cells for value in some])
    weights = np.array([1 / len(some) for some in cells for _ in some])
    if not len(values):
        return ""
    mean = f"{weights @ values / weights.sum():.0f}"
    if len(values) < FEW:
        return mean
    drawn = np.random.default_rng(0).integers(len(values), size=(2000, len(values)))
    means = (weights[drawn] * values[drawn]).sum(axis=1) / weights[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{mean} [{low:.0f}–{high:.0f}]"


def grouped(rows: Sequence[Row]) -> dict[tuple[Any, ...], list[Row]]:
    """Rows with an answer, by their cell."""
    out: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        if row["failed"] is None:
            out.setdefault(cell(row), []).append(row)
    return out


def errors(rows: Sequence[Row]) -> list[list[float]]:
    """Order errors in percent, a list a cell."""
    return [[100 * row["error"] for row in some if row["error"] is not None] for some in grouped(rows).values()]


def distances(rows: Sequence[Row]) -> list[list[float]]:
    """Distances in percent of the true edges, a list a cell."""
    return [[100 * row["distance"] / row["edges"] for row in some if row["edges"]] for some in grouped(rows).values()]


def beside(rows: Sequence[Row], world: str) -> str:
    """Every method on the cells it could finish, and `causewise` on the same tables."""
    from causewise.formatting import markdown_table

    here = [row for row in rows if row["world"] == world]
    own = {(cell(row), row["seed"]): row for row in here if row["method"] == "causewise" and row["failed"] is None}
    lines = []
    for method in METHODS:
        theirs = [row for row in here if row["method"] == method and row["failed"] is None]
        ours = [own[key] for row in theirs if (key := (cell(row), row["seed"])) in own]
        if not theirs:
            continue
        told = [interval(errors(theirs)), interval(distances(theirs)), seconds(theirs)]
        same = [interval(errors(ours)), interval(distances(ours)), seconds(ours)]
        both = told if method == "causewise" else [f"{one} · {other}" for one, other in zip(told, same, strict=True)]
        lines.append((method, f"{len(grouped(theirs))} · {len(theirs)}", *both))
    return markdown_table(("method", "cells · tables", "order error, %", "distance, % of edges", "CPU seconds"), lines)


def seconds(rows: Sequence[Row]) -> str:
    """The mean over cells."""
    timed = grouped([row for row in rows if row["seconds"] is not None]).values()
    if not timed:
        return ""
    mean = np.mean([np.mean([row["seconds"] for row in some]) for some in timed])
    return f"{mean:.0f}" if mean >= 10 else f"{mean:.2g}"


def beyond(rows: Sequence[Row]) -> str:
    """Order errors in worlds that the model does not describe."""
    from causewise.formatting import markdown_table

    worlds = dict.fromkeys(row["world"] for row in rows if row["world"] not in INSIDE)
    of = {
        (world, method): errors([row for row in rows if (row["world"], row["method"]) == (world, method)])
        for world in worlds
        for method in METHODS
    }
    shown = [method for method in METHODS if any(of[world, method] for world in worlds)]
    lines = [(world, *(interval(of[world, method]) for method in shown)) for world in worlds]
    return markdown_table(("world", *shown), lines)


def every_cell(rows: Sequence[Row]) -> str:
    """All cells, with the reason where a method was given up."""
    from causewise.formatting import markdown_table

    lines = []
    for key in sorted({cell(row) for row in rows}):
        for method in METHODS:
            some = [row for row in rows if cell(row) == key and row["method"] == method]
            whole = [row for row in some if row["failed"] is None]
            if not some:
                continue
            name = f"{key[0]} {key[1]} × {key[2]} {'sparse' if key[3] == 1 else 'dense'}"
            reasons = "; ".join(sorted({row["failed"] for row in some if row["failed"]}))
            told = (
                interval(errors(whole)),
                interval(distances(whole)),
                "; ".join(filter(None, (seconds(whole), reasons))),
            )
            lines.append((name, method, str(len(whole)), *told))
    heads = ("tables", "method", "number", "order error, %", "distance, % of edges", "CPU seconds")
    return markdown_table(heads, lines)


if __name__ == "__main__":
    store = Path(sys.argv[1]) if len(sys.argv) > 1 else STORE
    keep([{"failed": None} | json.loads(line) for line in store.read_text(encoding="utf-8").splitlines()])
