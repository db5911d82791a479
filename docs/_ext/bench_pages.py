"""The benchmark's tables and figures, computed anew from the kept rows in every build (`docs/benchmarks/keep.py`)."""

import sys
from pathlib import Path
from typing import Any

RECORDED = "Tue"
"""The set of recorded tables: readers see it before all simulated ones."""
FIGURES = ("overall", "decision-rate")


def recorded(summary: Any) -> str:
    """The recorded tables alone: who leans rightly how often, best first; what the default method answers."""
    from whence.markdown import markdown_table

    ranked = sorted(summary.methods, key=lambda method: -summary.value(method, RECORDED))
    rows = []
    for method in ranked:
        low, high = summary.bounds(method, RECORDED)
        rate = summary.answer_rates.get((method, RECORDED))
        answered = (
            f"{rate.share:.0f} %, of which right: {rate.accuracy:.0f} % [{rate.low:.0f}–{rate.high:.0f}]"
            if rate
            else "all"
        )
        rows.append((f"`{method}`", f"{summary.value(method, RECORDED):.0f} % [{low:.0f}–{high:.0f}]", answered))
    best = [row for row in rows if row[0] == "`whence`"]
    others = [row for row in rows if row[0] != "`whence`"]
    return markdown_table(("method", "leans the right way", "answers"), [*best, *others])


def write_pages(app: Any) -> None:
    """Tables as Markdown that pages include, figures as SVG."""
    sys.path.insert(0, str(Path(app.srcdir) / "benchmarks"))
    import graph_rows
    from keep import KEPT, kept

    folder = Path(app.srcdir) / "_benchmarks"
    done = folder / "recorded.md"
    sources = (KEPT, graph_rows.KEPT, Path(graph_rows.__file__), Path(__file__))
    if done.exists() and all(done.stat().st_mtime > source.stat().st_mtime for source in sources):
        return
    from whence.benchmark import rendering
    from whence.benchmark.figures import draw
    from whence.benchmark.publish import write_leaderboard
    from whence.benchmark.scores import summarise

    folder.mkdir(exist_ok=True)
    rows, graphs = kept(), graph_rows.kept()
    accuracy, audrc = summarise(rows, "accuracy"), summarise(rows, "audrc")
    texts = {
        "accuracy": rendering.render(accuracy).split("\n\n")[0],
        "audrc": rendering.render(audrc).split("\n\n")[0],
        "answered": rendering.withheld(accuracy, "whence"),
        "recorded": recorded(accuracy),
        **{f"graphs-{world}": graph_rows.beside(graphs, world) for world in graph_rows.INSIDE},
        "graphs-beyond": graph_rows.beyond(graphs),
        "graphs-cells": graph_rows.every_cell(graphs),
    }
    draw(rows, folder, formats=["svg"])
    write_leaderboard(rows, folder / "leaderboard.html")
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text + "\n", encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
