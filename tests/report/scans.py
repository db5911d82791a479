"""Scans built by hand, so that no estimator is needed: rows of every status, names of every kind."""

import math
from collections.abc import Sequence

import numpy as np

from causewise.knowledge.background import Knowledge
from causewise.scanning.pair_scorer import PairScorer
from causewise.scanning.result import Scan
from causewise.scanning.scan_row import ScanRow

HOSTILE = (
    "</script><script>alert(1)",
    "<!--<script>",
    "x" * 300,
    "🌡 temperature",
    "كثافة السكان",
    "\u202eesrever",
    "nul\x00 and \ud800",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }} & 'quotes'",
)


def row(x: str, y: str, k: int, n: int = 300) -> ScanRow:
    """The k-th row: statuses in turn, numbers of every size."""
    status = ("oriented", "undecided", "unrelated", "unrelated", "failed")[k % 5]
    if status == "failed":
        return ScanRow(x, y, n, 0, reason=f"Nothing could be said about {x} and {y}.")
    p = 10.0 ** -(k % 330)
    if status == "unrelated":
        return ScanRow(x, y, n, k % 7, 1.1, max(p, 0.06), max(p, 0.06), status)
    if k % 10 == 6:
        why = f"Undecided: {x} takes only 2 distinct values."
        return ScanRow(x, y, n, 0, 3.0, p, p, status, p_forward=0.41, warnings=(why[11:],), reason=why)
    terms = (math.sin(k) + 2.1 * (status == "oriented"), math.sin(3 * k), 0.1 * math.cos(k), 0.0)
    weight = 0.9 - 0.0001 * (k % 1000)
    score = weight * sum(terms)
    ends = (x, y) if score > 0 else (y, x)
    given = {"direction": "x->y" if score > 0 else "y->x", "cause": ends[0], "effect": ends[1]}
    return ScanRow(
        *(x, y, n, k % 7, 3.0, p, p, status),
        **(given if status == "oriented" else {}),
        confidence=0.95 / (1 + math.exp(-abs(score))),
        neither=0.05,
        score=score,
        **dict(zip(("description", "shape", "recording", "regression"), terms, strict=True)),
        weight=weight,
        p_forward=0.41,
        p_backward=0.0,
        warnings=(f"{x} has only 7 distinct values.",) * (k % 3 == 0),
        reason="" if status == "oriented" else f"Undecided: the evidence leans towards {ends[0]} → {ends[1]}.",
        seconds=0.007,
    )


def drawn_scan(names: Sequence[str], n: int = 300, method: str = "causewise") -> Scan:
    """All pairs of these columns, and the columns themselves."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(len(names), n)) * np.logspace(-3, 6, len(names))[:, None]
    values[0, : n // 10] = np.nan
    pairs = [(x, y) for i, x in enumerate(names) for y in names[i + 1 :]]
    judge = PairScorer(tuple(names), values, method, 0, {}, Knowledge.of(None, list(names)))
    facts = {"method": method, "seed": 0, "fdr": 0.05, "adjust": [], "version": "0"}
    rows = tuple(row(x, y, k, n) for k, (x, y) in enumerate(pairs))
    return Scan(rows, tuple(names), {"</td>site": "it is 1 in every row"}, facts, scorer=judge)
