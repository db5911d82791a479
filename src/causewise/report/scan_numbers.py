"""A scan as numbers for its page, in compact JSON: pairs as columns of numbers, every sentence and table column once.

The page is one file of at most 5 MB, whatever was scanned. Pairs come surest first; what does not fit is left out from
the other end, and the page says so. The reports of pairs take what room is left.
"""

import base64
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from causewise.decision import USABLE
from causewise.methods.combined.outcomes import in_units
from causewise.methods.combined.words import KINDS
from causewise.parallel import one_thread
from causewise.report.outcome_bar import needed
from causewise.report.pair_numbers import pair_numbers
from causewise.report.printed_sum import round_together
from causewise.report.sparks import REACH
from causewise.report.wording import short, shown
from causewise.scanning.pair_scorer import PairScorer
from causewise.scanning.result import Scan
from causewise.scanning.scan_row import ScanRow

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
NAME = 120
"""Letters of a name; longer ones are cut in the middle."""
STATUSES = ("oriented", "undecided", "failed", "unrelated")
"""In the order of the table; a row holds the place."""
_GRAIN = 2**16 - 2
"""Steps into which a column's range is divided; the next whole number stands for a missing value."""


@dataclass(frozen=True, eq=False)
class ScanNumbers:
    """What a page embeds."""

    table: str
    """JSON of names, pairs, sentences and columns."""
    reports: str
    """JSON of the reports of the first pairs."""
    pairs: int
    """How many of the scan's pairs are there."""
    detailed: int
    """How many have a report."""


def scan_numbers(scan: Scan, order: Sequence[str]) -> ScanNumbers:
    """The numbers of a page that shows the columns in this order, causes first."""
    rows = surest_first(scan.rows)[:MOST_PAIRS]
    place = {name: k for k, name in enumerate(scan.columns)}
    used = sorted({place[name] for row in rows for name in (row.x, row.y)})
    names = [scan.columns[k] for k in used]
    at = {name: k for k, name in enumerate(names)}
    sentences = _Sentences(MOST_SENTENCES)
    table = json_block(
        {
            "names": [brief(name) for name in names],
            "recorded": [scan.kinds.get(name, "") for name in names],
            "order": [at[name] for name in order if name in at],
            "statuses": STATUSES,
            "threshold": scan.threshold,
            "needed": needed(scan.threshold),
            "usable": USABLE,
            "reach": REACH,
            "kinds": list(KINDS.values()),
            "rows": _rows(rows, at, sentences),
            "sentences": sentences.kept,
            "columns": None if scan.scorer is None else _columns(scan.scorer, used),
        }
    )
    room = MOST_BYTES - len(table.encode())
    reports = [] if scan.scorer is None else list(_reports(scan.scorer, rows, place, room))
    return ScanNumbers(table, f"[{','.join(reports)}]", len(rows), len(reports))


def surest_first(rows: Iterable[ScanRow]) -> list[ScanRow]:
    """Arrows, then leanings, then the rest, each by confidence, size of the score and dependence."""
    return sorted(
        rows,
        key=lambda row: (
            STATUSES.index(row.status),
            -(row.confidence or 0.0),
            -abs(row.score or 0.0),
            math.inf if row.dependence_p is None else row.dependence_p,
        ),
    )


def brief(name: str) -> str:
    """A column's name as the page has it."""
    return short(shown(name), NAME)


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
            told = shown(text)
            size = len(told.encode("utf-8", "replace"))
            if size > self.room:
                return -1
            self.room -= size
            self._place[text] = len(self.kept)
            self.kept.append(told)
        return self._place[text]


def _rows(rows: Sequence[ScanRow], at: Mapping[str, int], sentences: _Sentences) -> dict[str, list[Any]]:
    """Column by column."""
    sums = [_sum(row) for row in rows]
    return {
        "x": [at[row.x] for row in rows],
        "y": [at[row.y] for row in rows],
        "status": [STATUSES.index(row.status) for row in rows],
        "way": [(row.cause == row.x) - (row.cause == row.y) for row in rows],
        # Rounded down, as percentages are: 79.99 % does not become 80.
        "confidence": [None if row.confidence is None else math.floor(1e4 * row.confidence) / 1e4 for row in rows],
        "neither": [_digits(row.neither, 4) for row in rows],
        "percents": [_percents(row) for row in rows],
        "score": [_digits(row.score, 4) for row in rows],
        "n": [row.n for row in rows],
        "missing": [row.dropped_rows for row in rows],
        "p": [_digits(row.adjusted_p, 2) for row in rows],
        "forward": [_digits(row.p_forward, 2) for row in rows],
        "backward": [_digits(row.p_backward, 2) for row in rows],
        "given": [_digits(row.given, 3) for row in rows],
        "halves": [_digits(row.agreement, 2) for row in rows],
        "sum": sums,
        "warnings": [[sentences.place(text) for text in row.warnings] for row in rows],
        "message": [sentences.place(row.reason) if row.reason else -1 for row in rows],
    }


def _percents(row: ScanRow) -> tuple[int, int, int] | None:
    """Of the direction shown, the other and neither, adding up to 100."""
    if row.confidence is None or row.neither is None:
        return None
    return in_units(row.confidence, 1.0 - row.confidence - row.neither, row.neither)


def _sum(row: ScanRow) -> list[str] | None:
    """The terms, their total, the weight and the weighed total in digits that add up; None for other methods."""
    terms = {kind: getattr(row, kind) for kind in KINDS}
    if row.weight is None or not 0 < row.weight <= 1 or None in terms.values():
        return None
    found = round_together(terms, row.weight, {})
    return None if found is None else [*found.terms.values(), found.total, found.weight, found.score]


def _digits(value: float | None, digits: int) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.{digits}g}")


def _columns(judge: PairScorer, used: Sequence[int]) -> dict[str, Any]:
    """The same rows of every column, in steps of its range; base64 of two bytes a value, the lesser first."""
    n = judge.values.shape[1]
    size = min(n, MOST_ROWS, MOST_SAMPLES // max(len(used), 1))
    rows = np.sort(np.random.default_rng(0).choice(n, size=size, replace=False, shuffle=False))
    lows, highs, packed = [], [], []
    for k in used:
        column = np.asarray(judge.values[k][rows])  # of a memory map only these are read
        present = column[np.isfinite(column)]
        low, high = (float(present.min()), float(present.max())) if len(present) else (0.0, 0.0)
        with np.errstate(invalid="ignore"):
            steps = np.round((column - low) / ((high - low) or 1.0) * _GRAIN)
        packed.append(np.where(np.isfinite(steps), steps, _GRAIN + 1).astype("<u2").tobytes())
        lows.append(float(f"{low:.7g}"))
        highs.append(float(f"{high:.7g}"))
    return {"rows": size, "low": lows, "high": highs, "values": base64.b64encode(b"".join(packed)).decode()}


def _reports(judge: PairScorer, rows: Sequence[ScanRow], place: Mapping[str, int], room: int) -> Iterator[str]:
    """The surest pairs decided anew, as long as there is room and time."""
    seconds = 0.0
    with one_thread(), judge.share_columns():
        for row in rows[:MOST_REPORTS]:
            seconds += row.seconds
            if row.status not in ("oriented", "undecided") or seconds > MOST_SECONDS:
                return
            text = json_block(pair_numbers(judge.decide(place[row.x], place[row.y]), REPORT_POINTS))
            room -= len(text.encode())
            if room < 0:
                return
            yield text
