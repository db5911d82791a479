"""Everything the page of a scan shows: words, shapes, and numbers in compact JSON for its script.

Pairs are columns of numbers, every sentence and table column stands once. The page is one file of at most 5 MB,
whatever was scanned. Pairs come surest first; what does not fit is left out from the other end, and the page says so.
The reports of pairs take what room is left.
"""

import base64
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causewise.column_types import ColumnType
from causewise.decision import USABLE
from causewise.formatting import format_count, percent, single_line
from causewise.methods.combined.outcomes import in_units
from causewise.methods.combined.words import KINDS
from causewise.parallel import one_thread
from causewise.report import scan_wording as wording
from causewise.report.graph_layout import GraphShapes, shape_graph
from causewise.report.pair_numbers import pair_numbers
from causewise.report.score_bars import REACH, round_together, state_threshold
from causewise.scanning.result import Scan
from causewise.scanning.scan_row import ScanRow

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_ORDERED = 400
"""Columns that are arranged by their scores and drawn as a matrix; of more, a cell would be smaller than a pixel."""
MOST_LISTED = 200
"""Columns listed as left out, or as not continuous; the others are counted."""
MOST_BYTES = 4_700_000
"""Of all numbers of a page; words, style and script take the rest of 5 MB."""
MOST_PAIRS = 12_000
"""A pair takes some hundred bytes."""
MOST_SENTENCES = 600_000
"""Bytes of warnings and messages."""
MOST_SAMPLES = 250_000
"""Values of all columns together, two bytes each."""
MOST_ROWS = 300
"""Rows of which every column's value is kept, for small pictures."""
MOST_REPORTS = 300
MOST_SECONDS = 20.0
"""That the pairs with a report took in the scan: as long it takes to decide them anew."""
REPORT_POINTS = 150
OUTCOMES = ("oriented", "given", "undecided", "failed", "unrelated")
"""Statuses, and `given`, in the order of the table; a row holds the place."""
_GRAIN = 2**16 - 2
"""Steps into which a column's range is divided; the next whole number stands for a missing value."""


class ColumnList(NamedTuple):
    """Columns with a word on each."""

    columns: tuple[tuple[str, str], ...]
    more: int
    """That are not listed."""

    @classmethod
    def of(cls, words: Mapping[str, str]) -> "ColumnList":
        """The first of them."""
        some = list(words.items())[:MOST_LISTED]
        return cls(tuple((wording.column_name(name), single_line(word)) for name, word in some), len(words) - len(some))


@dataclass(frozen=True, eq=False)
class ScanSummary:
    """A scan, ready to be rendered."""

    title: str
    sentence: str
    tone: str
    """Of the answer's colours, as in the page of a pair."""
    key: tuple[tuple[str, str], ...]
    order: str
    quality: str
    left_out: ColumnList
    stepped: ColumnList
    """Columns that are not continuous."""
    notes: tuple[str, ...]
    """What had to be understood to make numbers of columns."""
    drawn: bool
    """Whether the matrix is."""
    graph: GraphShapes | None
    table: "Markup"
    """JSON of names, pairs, sentences and columns."""
    reports: "Markup"
    """JSON of the reports of the first pairs."""
    all_there: bool
    pairs: str
    """How many pairs the table has."""
    of: str
    detailed: str
    """How many have a report."""
    adjusted: str
    usable: str
    """The confidence below which a lean is not worth a number."""
    prior: str
    given: bool
    """Whether background knowledge alone fixed some pair."""
    version: str


def summarise_scan(scan: Scan) -> ScanSummary:
    """Work out what the page shows; the same scan gives the same summary."""
    from markupsafe import Markup

    drawn = len(scan.columns) <= MOST_ORDERED
    order = scan.order() if drawn else None
    arranged = scan.columns if order is None else order.columns
    ranked = sort_surest_first(scan.rows)
    rows = ranked[:MOST_PAIRS]
    table = tabulate(scan, rows, arranged)
    reports = report_pairs(scan, rows, MOST_BYTES - len(table.encode()))
    return ScanSummary(
        title=wording.title(scan),
        sentence=wording.sentence(scan),
        tone="weighed" if scan.counts["oriented"] else "tie",
        key=wording.key_facts(scan),
        order="" if order is None or not order.total else single_line(order.words),
        quality=single_line(scan.quality().words) if sum(row.cause is not None for row in scan.rows) > 1 else "",
        left_out=ColumnList.of(scan.left_out),
        stepped=ColumnList.of({name: kind for name, kind in scan.kinds.items() if kind != ColumnType.CONTINUOUS}),
        notes=tuple(map(single_line, scan.notes[:MOST_LISTED])),
        drawn=drawn,
        graph=shape_graph(ranked, scan.columns, arranged),
        # `json_block` left nothing in them that a page could mistake for markup.
        table=Markup(table),
        reports=Markup(f"[{','.join(reports)}]"),
        all_there=len(rows) == len(scan),
        pairs=format_count(len(rows)),
        of=format_count(len(scan)),
        detailed=format_count(len(reports)),
        adjusted=", ".join(wording.column_name(name) for name in scan.facts.get("adjust", ())),
        usable=percent(USABLE),
        prior=wording.prior(scan),
        given=scan.counts["given"] > 0,
        version=str(scan.facts.get("version", "")),
    )


def tabulate(scan: Scan, rows: Sequence[ScanRow], order: Sequence[str]) -> str:
    """JSON of these pairs and of their columns, in this order, causes first."""
    place = {name: k for k, name in enumerate(scan.columns)}
    used = sorted({place[name] for row in rows for name in (row.x, row.y)})
    names = [scan.columns[k] for k in used]
    at = {name: k for k, name in enumerate(names)}
    sentences = _Sentences(MOST_SENTENCES)
    return json_block(
        {
            "names": [wording.column_name(name) for name in names],
            "recorded": [scan.kinds.get(name, "") for name in names],
            "order": [at[name] for name in order if name in at],
            "statuses": OUTCOMES,
            "threshold": scan.threshold,
            "needed": state_threshold(scan.threshold),
            "usable": USABLE,
            "reach": REACH,
            "kinds": list(KINDS.values()),
            "rows": _rows(rows, at, sentences),
            "sentences": sentences.kept,
            "columns": None if scan.scorer is None else _pack_columns(scan.scorer.values, used),
        }
    )


def sort_surest_first(rows: Iterable[ScanRow]) -> list[ScanRow]:
    """Arrows, then what is given, leanings and the rest, each by confidence, size of the score and dependence."""
    return sorted(
        rows,
        key=lambda row: (
            OUTCOMES.index(row.outcome),
            -(row.confidence or 0.0),
            -abs(row.score or 0.0),
            math.inf if row.dependence_p is None else row.dependence_p,
        ),
    )


def json_block(record: Any) -> str:
    """JSON that may stand inside a `<script>` element: no letter of it can end the element or begin a comment."""
    text = json.dumps(record, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text.encode("utf-8", "replace").decode()


@dataclass
class _Sentences:
    """Each sentence once, as long as there is room."""

    room: int
    """In bytes."""
    kept: list[str] = field(default_factory=list)
    _place: dict[str, int] = field(default_factory=dict)

    def place(self, text: str) -> int:
        """Where a sentence stands; −1 where there is no room for it."""
        if text not in self._place:
            line = single_line(text)
            size = len(line.encode("utf-8", "replace"))
            if size > self.room:
                return -1
            self.room -= size
            self._place[text] = len(self.kept)
            self.kept.append(line)
        return self._place[text]


def _rows(rows: Sequence[ScanRow], at: Mapping[str, int], sentences: _Sentences) -> dict[str, list[Any]]:
    """Column by column."""
    return {
        "x": [at[row.x] for row in rows],
        "y": [at[row.y] for row in rows],
        "status": [OUTCOMES.index(row.outcome) for row in rows],
        "way": [(row.cause == row.x) - (row.cause == row.y) for row in rows],
        # Rounded down, as percentages are: 79.99 % does not become 80.
        "confidence": [None if row.confidence is None else math.floor(1e4 * row.confidence) / 1e4 for row in rows],
        "neither": [_digits(row.neither, 4) for row in rows],
        "percents": [outcome_percents(row) for row in rows],
        "score": [_digits(row.score, 4) for row in rows],
        "n": [row.n for row in rows],
        "missing": [row.dropped_rows for row in rows],
        "p": [_digits(row.adjusted_p, 2) for row in rows],
        "forward": [_digits(row.p_forward, 2) for row in rows],
        "backward": [_digits(row.p_backward, 2) for row in rows],
        "given": [_digits(row.given, 3) for row in rows],
        "halves": [_digits(row.agreement, 2) for row in rows],
        "sum": [_sum(row) for row in rows],
        "warnings": [[sentences.place(text) for text in row.warnings] for row in rows],
        "message": [sentences.place(row.reason) if row.reason else -1 for row in rows],
    }


def outcome_percents(row: ScanRow) -> tuple[int, int, int] | None:
    """Of the direction shown, the other and neither, adding up to 100."""
    if row.confidence is None or row.neither is None:
        return None
    return in_units(row.confidence, 1.0 - row.confidence - row.neither, row.neither)


def _sum(row: ScanRow) -> list[str] | None:
    """The terms, their total, the weight and the weighed total in digits that add up; None for other methods."""
    terms = {kind: getattr(row, kind) for kind in KINDS}
    if row.weight is None or not 0 < row.weight <= 1 or None in terms.values():
        return None
    rounded = round_together(terms, row.weight, {})
    return None if rounded is None else [*rounded.terms.values(), rounded.total, rounded.weight, rounded.score]


def _digits(value: float | None, digits: int) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.{digits}g}")


def _pack_columns(values: Any, used: Sequence[int]) -> dict[str, Any]:
    """The same rows of every column of an array or a memory map, in steps of its range; base64 of two-byte values."""
    n = values.shape[1]
    size = min(n, MOST_ROWS, MOST_SAMPLES // max(len(used), 1))
    rows = np.sort(np.random.default_rng(0).choice(n, size=size, replace=False, shuffle=False))
    lows, highs, packed = [], [], []
    for k in used:
        column = np.asarray(values[k][rows])  # of a memory map only these are read
        present = column[np.isfinite(column)]
        low, high = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)
        with np.errstate(invalid="ignore"):
            steps = np.round((column - low) / ((high - low) or 1.0) * _GRAIN)
        packed.append(np.where(np.isfinite(steps), steps, _GRAIN + 1).astype("<u2").tobytes())
        lows.append(float(f"{low:.7g}"))
        highs.append(float(f"{high:.7g}"))
    return {"rows": size, "low": lows, "high": highs, "values": base64.b64encode(b"".join(packed)).decode()}


def report_pairs(scan: Scan, rows: Sequence[ScanRow], room: int) -> list[str]:
    """JSON of the surest pairs decided anew, as long as there is room and time."""
    if scan.scorer is None:
        return []
    place = {name: k for k, name in enumerate(scan.columns)}
    reports: list[str] = []
    seconds = 0.0
    with one_thread(), scan.scorer.share_columns():
        for row in rows[:MOST_REPORTS]:
            seconds += row.seconds
            if row.status not in ("oriented", "undecided") or seconds > MOST_SECONDS:
                break
            text = json_block(pair_numbers(scan.scorer.decide(place[row.x], place[row.y]), REPORT_POINTS))
            room -= len(text.encode())
            if room < 0:
                break
            reports.append(text)
    return reports
