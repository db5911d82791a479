"""A scan as one HTML file that opens offline: what was found, the matrix, the graph, and every pair to look into."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from causewise.column_types import ColumnType
from causewise.decision import USABLE, percent
from causewise.files import replace_with
from causewise.report.scan_numbers import ScanNumbers, brief, scan_numbers
from causewise.report.scan_svg import graph_shapes
from causewise.report.templating import environment
from causewise.report.wording import count, number, shown
from causewise.scanning.result import Scan

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_ORDERED = 400
"""Columns that are arranged by their scores and drawn as a matrix; of more, a cell would be smaller than a pixel."""
MOST_LISTED = 200
"""Columns listed as left out, or as not continuous; the others are counted."""


class Listed(NamedTuple):
    """Columns with a word on each."""

    columns: tuple[tuple[str, str], ...]
    more: int
    """That are not listed."""

    @classmethod
    def of(cls, told: Mapping[str, str]) -> "Listed":
        """The first of them."""
        some = list(told.items())[:MOST_LISTED]
        return cls(tuple((brief(name), shown(what)) for name, what in some), len(told) - len(some))


class ScanSummary(NamedTuple):
    """What the page says, ready to be rendered."""

    title: str
    sentence: str
    tone: str
    """Of the answer's colours, as in the page of a pair."""
    key: tuple[tuple[str, str], ...]
    order: str
    quality: str
    left_out: Listed
    stepped: Listed
    """Columns that are not continuous."""
    notes: tuple[str, ...]
    """What had to be understood to make numbers of columns."""
    drawn: bool
    """Whether the matrix is."""
    all_there: bool
    pairs: str
    """How many pairs the table has."""
    of: str
    detailed: str
    adjusted: str
    usable: str
    """The confidence below which a lean is not worth a number."""
    prior: str
    """How often two related columns are taken to have no direction; empty for methods without such a prior."""
    version: str


def render(scan: Scan, nonce: str = "") -> str:
    """The page as a string; the same scan gives the same string.

    nonce: that of the Content-Security-Policy under which a server sends the page; a file of its own needs none.
    """
    drawn = len(scan.columns) <= MOST_ORDERED
    found = scan.order() if drawn else None
    arranged = scan.columns if found is None else found.columns
    numbers = scan_numbers(scan, arranged)
    told = _summary(scan, numbers, "" if found is None or not found.total else shown(found.words), drawn)
    graph = graph_shapes(scan.rows, scan.columns, arranged)
    template = environment().get_template("scan.html")
    return template.render(s=told, graph=graph, table=_safe(numbers.table), reports=_safe(numbers.reports), nonce=nonce)


def write(scan: Scan, path: str | os.PathLike[str]) -> None:
    """Write the page, whole or not at all."""
    replace_with(path, render(scan).encode("utf-8", errors="replace"))


def _safe(block: str) -> "Markup":
    from markupsafe import Markup

    return Markup(block)  # `json_block` left nothing in it that a page could mistake for markup


def _summary(scan: Scan, numbers: ScanNumbers, order: str, drawn: bool) -> ScanSummary:
    stepped = {name: kind for name, kind in scan.kinds.items() if kind != ColumnType.CONTINUOUS}
    return ScanSummary(
        title=_title(scan),
        sentence=_sentence(scan),
        tone="weighed" if scan.counts["oriented"] else "tie",
        key=_key(scan),
        order=order,
        quality=shown(scan.quality().words) if scan.counts["oriented"] > 1 else "",
        left_out=Listed.of(scan.left_out),
        stepped=Listed.of(stepped),
        notes=tuple(map(shown, scan.notes[:MOST_LISTED])),
        drawn=drawn,
        all_there=numbers.pairs == len(scan),
        pairs=count(numbers.pairs),
        of=count(len(scan)),
        detailed=count(numbers.detailed),
        adjusted=", ".join(brief(name) for name in scan.facts.get("adjust", ())),
        usable=percent(USABLE),
        prior=_prior(scan),
        version=str(scan.facts.get("version", "")),
    )


def _prior(scan: Scan) -> str:
    stated = None if scan.scorer is None else getattr(scan.scorer.build_method(), "neither", None)
    return "" if stated is None else f"{number(100 * stated, 3)} %"


def _title(scan: Scan) -> str:
    arrows, columns = scan.counts["oriented"], f"{count(len(scan.columns))} columns"
    if not arrows:
        return f"No arrows between {columns}"
    return f"{count(arrows)} arrow{'s' * (arrows != 1)} between {columns}"


def _sentence(scan: Scan) -> str:
    counts = scan.counts
    words = {
        "oriented": ("has a direction", "have a direction"),
        "undecided": ("is related but undecided", "are related but undecided"),
        "unrelated": ("is unrelated", "are unrelated"),
        "failed": ("could not be judged", "could not be judged"),
    }
    told = [f"{count(n)} {words[status][n != 1]}" for status, n in counts.items() if n]
    listed = told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}" if told else "none was judged"
    return f"Of {count(len(scan))} pair{'s' * (len(scan) != 1)}, {listed}."


def _key(scan: Scan) -> tuple[tuple[str, str], ...]:
    facts = scan.facts
    rows = max((row.n + row.dropped_rows for row in scan.rows), default=0)
    found = [("Method", str(facts.get("method", ""))), ("Rows", count(rows)), ("Columns", count(len(scan.columns)))]
    if "fdr" in facts:
        found.append(("False discoveries at most", f"{number(100 * facts['fdr'], 3)} %"))
    if facts.get("threshold") is not None:
        found.append(("Confidence asked for", percent(facts["threshold"])))
    return tuple(found)
