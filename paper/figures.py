"""The figures of the paper, and its tables, computed from the kept rows: `python paper/figures.py [FOLDER]`.

pair.png is the generated pair of `causewise demo`, tunnel.png what docs/benchmarks/chamber_rows.py has kept. Tables
stand in paper.md behind `<!-- NAME -->`, and are written anew there.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "docs" / folder) for folder in ("benchmarks", "pictures")]

import causewise
import chamber_rows
import draw
import graph_rows
import keep
from causewise.examples import make_dose_response
from causewise.formatting import markdown_table
from causewise.lab.benchmark.scores import MEAN, summarise

PAIRWISE = ("causewise", "slope", "grci", "qccd", "heci", "igci", "loci-h", "loci-m", "anm-h", "lingam")
CONTROL = "control-gaussian"
RECORDED = "Tue"
GRAPHS = ("causewise", "DirectLiNGAM", "GES", "BOSS", "GRaSP", "PC-Fisher")
FAMILIES = {"fitted": "described", "beyond": "beyond", "held-out": "held out", "recorded": "light tunnel"}
SEEN = {"right": "right", "wrong": "wrong", "undecided": "related, no direction", "missed": "edge not seen"}
PANELS = {"design": "By design", "status": "Pairs", "graph": "Graph"}


def draw_tunnel() -> Figure:
    """The machine, what a scan says of its pairs, and its graph."""
    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    rows = chamber_rows.kept()
    for panel, (column, title) in zip(figure.subplots(1, 3), PANELS.items(), strict=True):
        chamber_rows.draw(panel, rows, column)
        panel.set_title(title, fontsize=10)
    lines = [Line2D([], [], **chamber_rows.LOOKS[kind]) for kind in SEEN]
    figure.legend(lines, SEEN.values(), loc="outside lower center", ncols=4, frameon=False, fontsize=9)
    return figure


def draw_figures(folder: Path) -> None:
    """Both, as files."""
    draw.save(causewise.infer(make_dose_response().pair).plot(), folder / "pair.png", dpi=170)
    draw.save(draw_tunnel(), folder / "tunnel.png", dpi=200)


def tabulate_pairs() -> str:
    """Methods on pairs: the recorded ones, and the mean of ten sets."""
    summary = summarise([row for row in keep.kept() if row.method in (*PAIRWISE, CONTROL)], "accuracy")
    lines = []
    for method in (*PAIRWISE, CONTROL):
        low, high = summary.bounds(method, RECORDED)
        rate = summary.answer_rates.get((method, RECORDED))
        answers = f"{rate.share:.0f} ({rate.accuracy:.0f})" if rate else "100"
        leans = f"{summary.value(method, RECORDED):.0f} [{low:.0f}–{high:.0f}]"
        lines.append((f"`{method}`", answers, leans, f"{summary.value(method, MEAN):.0f}"))
    head = ("Method", "Answered (of these right)", "All pairs, by lean", "Ten sets, by lean")
    return markdown_table(head, lines)


def tabulate_graphs() -> str:
    """Methods on graphs, on the tables that all of them have answered."""
    rows, lines = read_shared(), []
    for method in GRAPHS:
        own = [row for row in rows if row["method"] == method]
        cells = [tell_directions([row for row in own if row["family"] == family]) for family in FAMILIES]
        distance = sum(row["distance"] for row in own) / len(own)
        lines.append((method, *cells, f"{distance:.1f}"))
    return markdown_table(("Method", *(name.capitalize() for name in FAMILIES.values()), "Mean SHD"), lines)


def read_shared() -> list[dict[str, Any]]:
    """The kept rows of the tables that all methods have answered."""
    rows = [row for row in graph_rows.read_kept() if row["method"] in GRAPHS and not row["failed"]]
    answered = [{(*graph_rows.cell(row), row["seed"]) for row in rows if row["method"] == name} for name in GRAPHS]
    shared = set.intersection(*answered)
    return [row for row in rows if (*graph_rows.cell(row), row["seed"]) in shared]


def tell_directions(rows: Sequence[dict[str, Any]]) -> str:
    """Percent of true edges that are found with a direction, and of these percent turned round."""
    right, turned, true = (sum(row[name] for row in rows) for name in ("right", "turned", "edges"))
    return f"{100 * (right + turned) / true:.0f} ({100 * turned / (right + turned):.0f})"


def fill_tables(text: str) -> str:
    """The paper with its tables computed anew."""
    for name, tabulate in (("pairs", tabulate_pairs), ("graphs", tabulate_graphs)):
        lines = f"<!-- {name} -->\n\n{tabulate()}\n"
        text, count = re.subn(rf"<!-- {name} -->\n+(?:\|.*\n)*", lambda _, lines=lines: lines, text)
        assert count == 1, name
    return text


def main(folder: Path = HERE) -> None:
    """Draw the figures into a folder, and the tables into the paper."""
    draw_figures(folder)
    paper = HERE / "paper.md"
    paper.write_text(fill_tables(paper.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
