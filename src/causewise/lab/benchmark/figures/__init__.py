"""The paper's figures and two more, drawn from rows into one folder, each saved as PDF, SVG, PNG."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from causewise.decision import Decision
from causewise.lab.benchmark import paper
from causewise.lab.benchmark.figures.accuracy import by_set, cost, improvement, overall
from causewise.lab.benchmark.figures.curves import decision_rate, example
from causewise.lab.benchmark.figures.style import FORMATS, look, save
from causewise.lab.benchmark.row import Row
from causewise.lab.benchmark.scores import grouped, summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(
    rows: Sequence[Row],
    folder: Path,
    decisions: Mapping[str, Decision] | None = None,
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Draw what the rows allow; `decisions` are those of the example pair, by the name of the model."""
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    with look():
        for name, figure in _figures(rows, decisions or {}):
            if figure is not None:
                paths += save(figure, folder, name, formats)
    return paths


def _figures(rows: Sequence[Row], decisions: Mapping[str, Decision]) -> "Iterator[tuple[str, Figure | None]]":
    shown = paper.figures()
    accuracy, audrc = summarise(rows, "accuracy"), summarise(rows, "audrc")
    where = shown["example"]
    yield "example", example(decisions, f"{where['dataset']}, pair {where['pair_id']}")
    yield "accuracy-bars", by_set(accuracy, shown["bars"])
    yield "improvement", improvement(accuracy, shown["improvement"], shown["counterparts"])
    yield "overall", overall([accuracy, audrc])
    yield "decision-rate", decision_rate(audrc, grouped(rows))
    yield "cost", cost(accuracy)
