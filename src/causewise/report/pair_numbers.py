"""One pair as numbers and words, ready for JSON: what `draw.js` draws in a page, wherever the page comes from.

Everything is rounded to what an eye can tell apart, so that some hundred pairs fit in one file.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from causewise.decision import Decision
from causewise.methods.combined.words import KINDS
from causewise.pair import FloatArray
from causewise.report.geometry import RESIDUAL_LIMIT, Drift, FittedCurve, Range, coarser, pieces
from causewise.report.outcome_bar import outcome_bar
from causewise.report.printed_sum import printed_sum
from causewise.report.sparks import REACH
from causewise.report.stance import Stance, badge, confidence, explanation, sentence
from causewise.report.summary import Side, score, sides_of
from causewise.report.wording import level_of, on_rows, shown

CURVE_POINTS = 40
"""Of a fitted curve in a picture of some hundred pixels."""
STEPS = 1000
"""Into which the range of an axis is divided, or within a factor of three: as fine as a small panel's pixels."""


def pair_numbers(decision: Decision, points: int = 300) -> dict[str, Any]:
    """What a page draws and says of one decision; every number is finite.

    Parameters
    ----------
    decision
        Of any method; panels whose numbers it does not have are None.
    points
        Rows drawn at most, besides the four extremes.

    Returns
    -------
    dict
        `x`, `y`, `verdict`, `badge`, `sentence`, `explanation`, `method`, `rows`, `score`, `confidence` as text;
        `dots`, the columns at the rows drawn; `sides`, forward and backward, each with its names, outcome, axis
        ranges, curve and drift in pieces, residuals at the dots; `outcomes`, the three parts of the bar and its
        threshold; `sum`, the terms of the score and how far their axis reaches; `warnings` with their levels.

    Examples
    --------
    >>> import json, numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2, 2, 500)
    >>> decision = causewise.infer(x, np.sin(2 * x) + (0.1 + 0.2 * np.abs(x)) * rng.normal(size=500))
    >>> numbers = pair_numbers(decision, points=50)
    >>> numbers["verdict"], [side["chosen"] for side in numbers["sides"]]
    ('x → y', [True, False])
    >>> [part["name"] for part in numbers["outcomes"]["parts"]]
    ['x → y', 'y → x', 'neither']
    >>> [term["name"] for term in numbers["sum"]["terms"]]
    ['description length', 'shape along the cause']
    """
    forward, backward = sides_of(decision, points)
    across, up = forward.drawing.cause_range, forward.drawing.effect_range
    return {
        "x": shown(decision.pair.x_name),
        "y": shown(decision.pair.y_name),
        "verdict": shown(decision.verdict),
        "stance": Stance.of(decision).name.lower(),
        "badge": badge(decision),
        "sentence": sentence(decision),
        "explanation": explanation(decision),
        "method": decision.method,
        "rows": on_rows(decision),
        "score": score(decision),
        "confidence": confidence(decision),
        "dots": [rounded(forward.drawing.cause, across), rounded(forward.drawing.effect, up)],
        "sides": [_side(forward), _side(backward)],
        "outcomes": _outcomes(decision),
        "sum": _sum(decision),
        "warnings": [{"level": level_of(text), "text": shown(text)} for text in decision.warnings],
    }


def _side(side: Side) -> dict[str, Any]:
    drawing = coarser(side.drawing, CURVE_POINTS)
    across, up = drawing.cause_range, drawing.effect_range
    return {
        "key": side.key,
        "cause": side.cause,
        "effect": side.effect,
        "outcome": side.outcome,
        "fits": side.fits,
        "chosen": side.chosen,
        "contested": side.contested,
        "across": list(across),
        "up": list(up),
        "curve": [] if drawing.curve is None else [*_borne(drawing.curve, across, up)],
        "residual": None if drawing.residual is None else _residuals(drawing.residual),
        "beyond": drawing.beyond,
        "drift": [] if drawing.drift is None else [*_drift(drawing.drift, across)],
    }


def rounded(values: FloatArray, span: Range) -> list[float]:
    """To the decimals that tell `STEPS` apart in a range; whole numbers without a point, to save letters."""
    width = (span[1] - span[0]) / STEPS
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.round(values, round(-math.log10(width))) if width > 0 else values
    found = np.where(np.isfinite(found), found, values)  # NumPy's rounding multiplies by a power of ten
    return [int(v) if v.is_integer() and abs(v) < 2**53 else v for v in found.tolist()]


def _residuals(values: FloatArray) -> list[float]:
    return rounded(np.clip(values, -RESIDUAL_LIMIT, RESIDUAL_LIMIT), (-RESIDUAL_LIMIT, RESIDUAL_LIMIT))


def _borne(curve: FittedCurve, across: Range, up: Range) -> Iterator[dict[str, list[float]]]:
    """The pieces of a curve that have rows around them, each with its band where there is one."""
    lines = {"mean": curve.location, "low": curve.low, "high": curve.high}
    for piece, borne in pieces(curve.borne):
        if borne:
            found = {name: rounded(line[piece], up) for name, line in lines.items() if line is not None}
            yield {"cause": rounded(curve.cause[piece], across)} | found


def _drift(drift: Drift, across: Range) -> Iterator[dict[str, Any]]:
    for piece, borne in pieces(drift.borne):
        if borne:
            levels = [_residuals(level[piece]) for level in drift.levels]
            yield {"cause": rounded(drift.cause[piece], across), "levels": levels}


def _outcomes(decision: Decision) -> dict[str, Any] | None:
    """The parts of the bar, the more probable direction first."""
    bar = outcome_bar(decision)
    if bar is None:
        return None
    parts = [
        {"kind": part.kind, "name": part.name, "value": round(part.value, 4), "text": part.text} for part in bar.parts
    ]
    return {"parts": parts, "threshold": bar.threshold, "needed": bar.needed}


def _sum(decision: Decision) -> dict[str, Any] | None:
    """The score as a sum, in the digits in which it adds up."""
    found = printed_sum(decision)
    if found is None:
        return None
    return {
        "terms": [
            {"name": KINDS.get(kind, kind), "value": float(text.replace("−", "-")), "text": text}
            for kind, text in found.terms.items()
        ],
        "total": found.total,
        "weight": found.weight,
        "score": found.score,
        "reach": REACH,
    }
