"""A visit to the page: who watches it, the steps of which visits are made, and a tour of everything there is to see."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import causewise
from causewise.examples import make_valley

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "benchmarks"))
sys.path.insert(0, str(Path(__file__).parents[1] / "report"))

TABLE = make_valley()
"""Text, gaps, decimal commas, a column that never varies; temperature → growth is clear, noise is apart."""
PATIENCE = 60_000
"""Milliseconds; a busy machine starts its processes slowly."""


@contextmanager
def open_page(browser: Any, home: str, note: str = "", **look: Any) -> Iterator[Any]:
    """A page of which nothing was complained in the console and nothing was asked off this machine.

    note: part of a complaint that is none, such as the browser's own on a refusal.
    """
    complaints: list[str] = []
    context = browser.new_context(**look)
    context.set_default_timeout(PATIENCE)
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda problem: complaints.append(str(problem.error)))
    allowed = (home, "file:", "data:", "blob:")
    context.on("request", lambda asked: None if asked.url.startswith(allowed) else complaints.append(asked.url))
    page = context.new_page()
    page.goto(home)
    yield page
    context.close()
    assert not [each for each in complaints if not note or note not in each]


def give(page: Any, file: Any) -> None:
    """Choose a file; it is shown as it was understood."""
    page.set_input_files("#file", file)
    page.wait_for_selector("#seen:not([hidden])")


def judge(page: Any, x: str, y: str, verdict: str) -> Any:
    """Judge two columns; the frame with the report, which says the verdict."""
    page.get_by_label("First column").select_option(x)
    page.get_by_label("Second column").select_option(y)
    page.get_by_role("button", name="Decide these two").click()
    return answer(page, verdict)


def judge_all(page: Any) -> Any:
    """Scan the whole table, whose five columns can be; the frame with the scan's page."""
    page.get_by_role("button", name="Scan the whole table").click()
    return answer(page, "10 pairs of 5 columns", "between 5 columns")


def find_graph(page: Any) -> Any:
    """Find the graph of the whole table; the frame with its page."""
    page.get_by_role("button", name="Find its graph").click()
    return answer(page, "between 5 columns of", "between 5 columns")


def answer(page: Any, verdict: str, headline: str = "") -> Any:
    """Wait for an answer to be shown; its frame."""
    page.locator("#verdict", has_text=verdict).wait_for(state="attached")
    report = page.frame_locator("#report")
    report.locator("h1", has_text=headline or verdict).wait_for()
    return report


def pages_as_files(folder: Path) -> dict[str, str]:
    """A pair's page with everything that can be asked for, a scan's, a graph's of every kind of edge, a benchmark's."""
    from causal import mixed_graph

    from causewise.lab.benchmark.publish import write_leaderboard
    from causewise.tables import read_pair
    from keep import kept

    (folder / "valley.csv").write_bytes(TABLE)
    pair = read_pair(folder / "valley.csv", "temperature", "growth")
    causewise.infer(pair).report(folder / "pair.html", stability=True, methods=["loci-h", "reci"])
    causewise.scan(folder / "valley.csv").report(folder / "scan.html")
    mixed_graph().report(folder / "graph.html")
    rows = [
        row for row in kept() if row.method in ("causewise", "loci-h", "loci-m") and row.dataset in ("AN", "LS", "Tue")
    ]
    write_leaderboard(rows, folder / "benchmark.html")
    return {name: (folder / f"{name}.html").as_uri() for name in ("pair", "scan", "graph", "benchmark")}


def tour(page: Any, home: str, table: Path, files: dict[str, str]) -> Iterator[str]:
    """Everything there is to see, one after another; the name of what is before the eyes."""
    yield "start"
    give(page, table)
    yield "preview"
    judge(page, "temperature", "growth", "temperature → growth")
    yield "answer"
    scan = judge_all(page)
    yield "scan"
    scan.locator("#pairs-table tbody button").first.click()
    scan.locator("dialog svg").first.wait_for()
    yield "pair of the scan"
    scan.get_by_role("dialog").press("Escape")
    page.locator("#knowledge summary").click()
    yield "knowledge"
    graph = find_graph(page)
    graph.locator("details.edge summary").first.click()
    graph.locator("details.edge figure").first.wait_for()
    yield "graph"
    page.goto(f"{home}teach")
    page.locator("#drawn figure").first.wait_for()
    yield "teach"
    page.goto(f"{home}answers/gone")
    yield "gone"
    for name, address in files.items():
        page.goto(address)
        yield f"{name} as a file"
