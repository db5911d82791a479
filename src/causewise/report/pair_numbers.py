"""One pair as numbers and words, ready for JSON: what `draw.js` draws in a page, wherever the page comes from.

Everything is rounded to what an eye can tell apart, so that some hundred pairs fit in one file.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from causewise.decision import Decision
from causewise.formatting import single_line
from causewise.methods.combined.words import KINDS
from causewise.pair import FloatArray
from causewise.report import decision_wording as wording
from causewise.report.decision_summary import Side, build_sides
from causewise.report.geometry import RESIDUAL_LIMIT, Drift, FittedCurve, Range, coarsen_curve, split_pieces
from causewise.report.score_bars import REACH, outcome_bar, round_score

CURVE_POINTS = 40
"""Of a fitted curve in a picture of some hundred pixels."""
STEPS = 1000
"""Into which the range of an axis is divided, or within a factor of three: as fine as a small panel's pixels."""


def pair_numbers(decision: Decision, points: int = 300) -> dict[str, Any]:
    """What a page draws and says of one decision of any method; every number is finite.

    points: rows drawn at most, besides the four extremes. Each of the two `sides` has its names, outcome, axis ranges,
    curve and drift in pieces, and residuals at the dots; panels whose numbers a method lacks are None.

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
    forward, backward = build_sides(decision, points)
    dots, across, up = forward.drawing, forward.drawing.cause_range, forward.drawing.effect_range
    return {
        "x": single_line(decision.pair.x_name),
        "y": single_line(decision.pair.y_name),
        "verdict": single_line(decision.verdict),
        "stance": wording.Stance.of(decision).name.lower(),
        "badge": wording.badge(decision),
        "sentence": wording.sentence(decision),
        "explanation": wording.explanation(decision),
        "method": decision.method,
        "rows": wording.rows_text(decision),
        "score": wording.score(decision),
        "confidence": wording.confidence(decision),
        "dots": [round_to_pixels(dots.cause[dots.sample], across), round_to_pixels(dots.effect[dots.sample], up)],
        "sides": [_side(forward), _side(backward)],
        "outcomes": _outcomes(decision),
        "sum": _sum(decision),
        "warnings": [{"level": wording.severity(text), "text": single_line(text)} for text in decision.warnings],
    }


def _side(side: Side) -> dict[str, Any]:
    drawing = coarsen_curve(side.drawing, CURVE_POINTS)
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
        "curve": [] if drawing.curve is None else [*_curve_pieces(drawing.curve, across, up)],
        "residual": None if drawing.residual is None else _residuals(drawing.residual[drawing.sample]),
        "beyond": drawing.beyond,
        "drift": [] if drawing.drift is None else [*_drift_pieces(drawing.drift, across)],
    }


def round_to_pixels(values: FloatArray, span: Range) -> list[float]:
    """To the decimals that tell `STEPS` apart in a range; whole numbers without a point, to save letters."""
    width = (span[1] - span[0]) / STEPS
    with np.errstate(over="ignore", invalid="ignore"):
        near = np.round(values, round(-math.log10(width))) if width > 0 else values
    near = np.where(np.isfinite(near), near, values)  # NumPy's rounding multiplies by a power of ten
    return [int(v) if v.is_integer() and abs(v) < 2**53 else v for v in near.tolist()]


def _residuals(values: FloatArray) -> list[float]:
    return round_to_pixels(np.clip(values, -RESIDUAL_LIMIT, RESIDUAL_LIMIT), (-RESIDUAL_LIMIT, RESIDUAL_LIMIT))


def _curve_pieces(curve: FittedCurve, across: Range, up: Range) -> Iterator[dict[str, list[float]]]:
    """The pieces of a curve that have rows around them, each with its band where there is one."""
    lines = {"mean": curve.location, "low": curve.low, "high": curve.high}
    for piece, supported in split_pieces(curve.supported):
        if supported:
            heights = {name: round_to_pixels(line[piece], up) for name, line in lines.items() if line is not None}
            yield {"cause": round_to_pixels(curve.cause[piece], across)} | heights


def _drift_pieces(drift: Drift, across: Range) -> Iterator[dict[str, Any]]:
    for piece, supported in split_pieces(drift.supported):
        if supported:
            lines = [_residuals(line[piece]) for line in drift.quantiles]
            yield {"cause": round_to_pixels(drift.cause[piece], across), "levels": lines}


def _outcomes(decision: Decision) -> dict[str, Any] | None:
    """The parts of the bar, the more probable direction first."""
    bar = outcome_bar(decision)
    if bar is None:
        return None
    parts = [part._asdict() | {"value": round(part.value, 4)} for part in bar.parts]
    return {"parts": parts, "threshold": bar.threshold, "needed": bar.needed}


def _sum(decision: Decision) -> dict[str, Any] | None:
    """The score as a sum, in the digits in which it adds up."""
    rounded = round_score(decision)
    if rounded is None:
        return None
    return {
        "terms": [
            {"name": KINDS.get(kind, kind), "value": float(text.replace("−", "-")), "text": text}
            for kind, text in rounded.terms.items()
        ],
        "total": rounded.total,
        "weight": rounded.weight,
        "score": rounded.score,
        "reach": REACH,
    }
