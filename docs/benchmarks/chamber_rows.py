"""What causewise says of a machine whose graph is known, the light tunnel of the causal chambers, kept in chamber.csv.

`python docs/benchmarks/chamber_rows.py` writes the file beside this one, from the rows that CAUSEWISE_DATA/chamber has
(Gamella, Peters and Bühlmann 2025, CC BY 4.0, which are not ours to ship); two minutes on one core. A line is a pair of
columns: what it is by the machine's design, what a scan of 1000 rows answers, and what the graphs of the same rows say,
one with nothing given and one with the actuators given as first.
"""

import csv
import sys
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import causewise

KEPT = Path(__file__).with_name("chamber.csv")
ROOT = Path(__file__).parents[2]
ROWS, SEED = 1000, 0
ACTUATORS = ("red", "green", "blue", "pol_1", "pol_2", "l_11", "l_12", "l_21", "l_22", "l_31", "l_32")
"""What the machine sets."""
SENSORS = ("current", "ir_1", "vis_1", "ir_2", "vis_2", "ir_3", "vis_3", "angle_1", "angle_2")
"""What it measures."""
LOOKS = {
    "right": {"color": "#0067a5", "linewidth": 1.4},
    "wrong": {"color": "#b84e00", "linewidth": 2.2},
    "undecided": {"color": "#5b6673", "linewidth": 0.9},
    "missed": {"color": "#9aa5b1", "linewidth": 0.9, "linestyle": (0, (2, 3))},
}
"""Of a line between two columns."""
COLUMNS = ("x", "y", "design", "status", "cause", "confidence", "neither", "graph", "given")
Arrows = set[tuple[str, str]]


def read_tunnel() -> tuple[dict[str, np.ndarray], Arrows]:
    """1000 of its rows, as `benchmarks/graphs.py` draws them, and the edges by design."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from graphs import TUNNEL_COLUMNS
    from graphs import read_tunnel as read

    table = read(ROWS, SEED)
    names = TUNNEL_COLUMNS
    return dict(zip(names, table.rows.T, strict=True)), {(names[a], names[b]) for a, b in table.edges}


def name_design(x: str, y: str, edges: Arrows) -> str:
    """`->` or `<-`, `<->` for two sensors of one actuator, or nothing; no path is longer than an edge."""
    if (x, y) in edges or (y, x) in edges:
        return "->" if (x, y) in edges else "<-"
    return "<->" if {a for a, b in edges if b == x} & {a for a, b in edges if b == y} else ""


def mark(graph: causewise.CausalGraph) -> Mapping[tuple[str, str], str]:
    """How a graph joins two columns, both ways round."""
    turned = {"->": "<-", "--": "--", "<->": "<->"}
    joined = {(edge.parent, edge.child): edge.direction for edge in graph.edges}
    return joined | {(b, a): turned[direction] for (a, b), direction in joined.items()}


def keep() -> None:
    """Scan, find both graphs, and write a line for every pair."""
    table, edges = read_tunnel()
    scan = {(row.x, row.y): row for row in causewise.scan(table)}
    engine = causewise.Engine(jobs=1)
    free, given = (
        mark(causewise.graph(table, knowledge=knowledge, engine=engine))
        for knowledge in (None, {"first": list(ACTUATORS)})
    )
    with KEPT.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(COLUMNS)
        for x, y in combinations(table, 2):
            row = scan[x, y]
            numbers = ("" if value is None else f"{value:.3f}" for value in (row.confidence, row.neither))
            found = (free.get((x, y), ""), given.get((x, y), ""))
            writer.writerow((x, y, name_design(x, y, edges), row.status, row.cause or "", *numbers, *found))


def kept(path: Path = KEPT) -> list[dict[str, str]]:
    """The lines of the file."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def count(rows: Iterable[Mapping[str, str]], column: str) -> dict[str, dict[str, int]]:
    """Of edges, of sensors with a common cause and of other pairs: how often a scan or a graph says what."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        design = {"": "apart", "<->": "common cause"}.get(row["design"], "edge")
        said = name_answer(row) if column == "status" else name_edge(row, column)
        of = found.setdefault(design, {})
        of[said] = of.get(said, 0) + 1
    return found


def name_answer(row: Mapping[str, str]) -> str:
    """What the scan says of a pair, against the design."""
    if row["status"] != "oriented":
        return row["status"]
    cause = {"->": row["x"], "<-": row["y"]}.get(row["design"])
    return "right" if row["cause"] == cause else "wrong"


def name_edge(row: Mapping[str, str], column: str) -> str:
    """What a graph says of a pair, against the design."""
    match row[column]:
        case "":
            return "no edge"
        case "--":
            return "open"
        case "<->":
            return "common cause"
        case direction:
            return "right" if direction == row["design"] else "wrong"


def look(row: Mapping[str, str], column: str) -> str:
    """Which of LOOKS a pair has in the picture; nothing where there is nothing to draw."""
    said = name_answer(row) if column == "status" else name_edge(row, column)
    if said in ("unrelated", "no edge"):
        return "missed" if row["design"] in ("->", "<-") else ""
    return said if said in ("right", "wrong") else "undecided"


def draw(axis: Any, rows: Iterable[Mapping[str, str]], column: str) -> None:
    """Actuators at the left, sensors at the right, what is said of each pair between; `design` draws the machine."""
    from matplotlib.patches import FancyArrowPatch

    axis.set(xlim=(-0.42, 1.8), ylim=(-0.6, 10.6))
    axis.axis("off")
    places = {name: (0.0, 10.0 - k) for k, name in enumerate(ACTUATORS)}
    places |= {name: (1.0, 10 - 10 * k / (len(SENSORS) - 1)) for k, name in enumerate(SENSORS)}
    for name, (x, y) in places.items():
        side = "right" if x == 0 else "left"
        axis.text(x - 0.04 if x == 0 else x + 0.04, y, name, ha=side, va="center", fontsize=8, color="#1b2430")
    for row in rows:
        kind = look(row, column) if column != "design" else "right" if row["design"] in ("->", "<-") else ""
        if not kind:
            continue
        told = column == "status" and row["cause"]
        turned = row["cause"] == row["y"] if told else "<-" in (row[column], row["design"])
        cause, effect = (row["y"], row["x"]) if turned else (row["x"], row["y"])
        sensors = places[cause][0] == places[effect][0] == 1.0
        gap = 0.30 if sensors else 0.0  # an arc begins behind the names of the sensors
        (a, b), (c, d) = places[cause], places[effect]
        arrow = FancyArrowPatch(
            (a + gap, b),
            (c + gap, d),
            arrowstyle="-|>" if kind in ("right", "wrong") else "-",
            connectionstyle="arc3,rad=0.45" if sensors and b < d else "arc3,rad=-0.45" if sensors else "arc3",
            mutation_scale=7,
            clip_on=False,
            shrinkA=1,
            shrinkB=1,
            zorder=list(LOOKS)[::-1].index(kind),
            **LOOKS[kind],
        )
        axis.add_patch(arrow)


if __name__ == "__main__":
    keep()
    for column in ("status", "graph", "given"):
        print(column, count(kept(), column))
