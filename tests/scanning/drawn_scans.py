"""Rows of a scan made up from scores, so that no estimator is needed here."""

import math
from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from causewise.scanning.scan_row import ScanRow

HOSTILE = (
    'a "quoted" name',
    "two\nlines",
    "back\\slash",
    'ends in \\"',
    "\\",
    "Δ温度 🌡",
    "<b>&amp;</b>",
    "a -> b; }",
    "",
    "\r\t ",
)
UNSEEN = ("\x1b[31m", "nul\x00", "\ud800", "\\x1b[31m")


def row(x: str, y: str, score: float, threshold: float = 0.0) -> ScanRow:
    """A row whose score is a log-odds; below the threshold it is undecided."""
    if abs(score) <= threshold:
        return ScanRow(x, y, 100, 0, status="undecided", score=score, confidence=logistic(score))
    cause, effect = (x, y) if score > 0 else (y, x)
    direction = "x->y" if score > 0 else "y->x"
    ends = {"cause": cause, "effect": effect, "direction": direction}
    return ScanRow(x, y, 100, 0, status="oriented", score=score, confidence=logistic(score), **ends)


def logistic(score: float) -> float:
    return 1 / (1 + math.exp(-abs(score)))


def rows_of(scores: Mapping[tuple[int, int], float], names: Sequence[str], threshold: float = 0.0) -> list[ScanRow]:
    return [row(names[i], names[j], score, threshold) for (i, j), score in scores.items()]


def letters(count: int) -> list[str]:
    return [chr(ord("a") + k) for k in range(count)]


@st.composite
def scans(draw: st.DrawFn, most: int = 7) -> tuple[list[ScanRow], list[str]]:
    """Rows over all, some or none of the pairs; small whole scores, so that ties are common."""
    count = draw(st.integers(1, most))
    names = letters(count)
    scores = {
        (i, j): draw(st.integers(-4, 4)) * 0.5 for i in range(count) for j in range(i + 1, count) if draw(st.booleans())
    }
    return rows_of(scores, names, threshold=0.6), names
