"""The benchmark's tables and figures, computed anew from the kept rows in every build (`docs/benchmarks/keep.py`)."""

import sys
from pathlib import Path
from typing import Any

RECORDED = "Tue"
"""The set of recorded tables: readers see it before all simulated ones."""
SHOWN = 10
"""So many methods stand beside the default one where all would be a page by themselves."""
CONTROL = "control-gaussian"


def recorded(summary: Any) -> str:
    """The recorded tables alone: who leans rightly how often, best first; what the default method answers."""
    from causewise.formatting import markdown_table

    by_value = sorted(summary.methods, key=lambda method: -summary.value(method, RECORDED))
    best = [method for method in by_value if method not in ("causewise", CONTROL)][:SHOWN]
    ranked = [method for method in by_value if method in ("causewise", CONTROL, *best)]
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
    rows.sort(key=lambda row: row[0] != "`causewise`")
    return markdown_table(("method", "leans the right way", "answers"), rows)


def write_pages(app: Any) -> None:
    """Tables as Markdown that pages include, figures as SVG."""
    sys.path.insert(0, str(Path(app.srcdir) / "benchmarks"))
    import every_method
    import graph_rows
    from keep import KEPT, kept

    folder = Path(app.srcdir) / "_benchmarks"
    done = folder / "recorded.md"
    code = (Path(module.__file__) for module in (every_method, graph_rows))
    sources = (KEPT, graph_rows.KEPT, *code, Path(__file__))
    if done.exists() and all(done.stat().st_mtime > source.stat().st_mtime for source in sources):
        return
    from causewise.lab.benchmark import rendering
    from causewise.lab.benchmark.publish import draw, write_leaderboard
    from causewise.lab.benchmark.scores import summarise

    folder.mkdir(exist_ok=True)
    rows = kept()
    accuracy, audrc = summarise(rows, "accuracy"), summarise(rows, "audrc")
    pages = every_method.method_pages(Path(app.srcdir) / "methods" / "README.md")
    texts = {
        "every-accuracy.html": every_method.table(accuracy, pages, seconds=True),
        "every-audrc.html": every_method.table(audrc, pages, seconds=False),
        "every-standing.md": every_method.standing(accuracy, pages),
        "every-published.md": every_method.listed(),
        "answered.md": rendering.withheld_table(accuracy, "causewise"),
        "recorded.md": recorded(accuracy),
        **graph_rows.tabulate_all(),
    }
    draw(rows, folder, formats=["svg"])
    write_leaderboard(rows, folder / "leaderboard.html")
    for name, text in texts.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
