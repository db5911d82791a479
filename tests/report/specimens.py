"""Decisions of every kind, built by hand from a known location-scale relation, so that no estimator is needed here."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from causewise.data_checks import DataWarning, Severity
from causewise.decision import USABLE, Decision, Evidence
from causewise.inference import Stability
from causewise.methods.combined.method import NEITHER_PRIOR
from causewise.pair import Pair
from causewise.protocol import record_failure

HOSTILE = '"><script>alert(1)</script> & $x_1$ \\frac{ {{ 7*7 }} #ffffff \x00\u202e font-family: a; '


def pair(n: int = 120, x: str = "altitude", y: str = "temperature", seed: int = 0) -> Pair:
    rng = np.random.default_rng(seed)
    cause = rng.normal(size=n)
    return Pair.of(cause, location(cause) + scale(cause) * rng.normal(size=n), x_name=x, y_name=y)


def location(cause: np.ndarray) -> np.ndarray:
    return 2 * np.tanh(1.5 * cause) + 0.4 * cause


def scale(cause: np.ndarray) -> np.ndarray:
    return 0.25 + 0.35 * np.abs(cause)


def decided(rows: Pair, p_forward: float = 0.41, p_backward: float = 2e-9, score: float = 0.0037) -> Decision:
    """A decision with everything a method can give."""
    forward = evidence(rows.x, rows.y, p_forward, score)
    backward = evidence(rows.y, rows.x, p_backward, 0.0)
    settings = {"n_knots": 25, "degree": 5}
    return Decision("loci-h", rows, score, forward, backward, settings=settings, warnings=("Few rows: get more.",))


def evidence(cause: np.ndarray, effect: np.ndarray, p: float, score: float) -> Evidence:
    mean, sd = location(cause), scale(cause)
    fit: dict[str, Any] = {"location": mean, "scale": sd, "residual": (effect - mean) / sd}
    log_p = math.log(p) if p > 0 else -1000.0
    return Evidence(score, -0.7, 0.004, p, log_p, converged=True, n_iter=14, kkt=1e-9, **fit)


TERMS = (1.8449, 1.3149, 0.0349, 0.0)


def weighed(
    rows: Pair, terms: tuple[float, ...] = TERMS, threshold: float = 0.8, prior: float = 0.1, distinct: int = 60
) -> Decision:
    """A decision of the kind the default method gives: score = weight · Σ contributions, and three outcomes."""
    named = dict(zip(("description", "shape", "recording", "regression"), terms, strict=True))
    parts = {"rows": 0.951, "values": 0.99}
    weight = math.prod(parts.values())
    score = weight * sum(terms)
    larger = (1 - prior) / (1 + math.exp(-abs(score)))
    ways = (larger, 1 - prior - larger) if score >= 0 else (1 - prior - larger, larger)
    costs = {"description": 2.05, "shape": 0.051, "recording": float(distinct), "regression": 0.11}
    plain = decided(rows, score=score)
    towards = math.copysign(1.0, score)
    told = f"description length ({towards * named['description']:+.2f}: it takes the shorter code)"
    lean = "no usable lean" if larger < USABLE else f"leaning with {math.floor(100 * larger)} %"
    return replace(
        plain,
        method="causewise",
        settings={
            "max_rows": 20_000,
            "threshold": threshold,
            "neither": NEITHER_PRIOR if prior else 0.0,
            "recording": True,
        },
        forward=replace(plain.forward, score=score / 2, costs=costs),
        backward=replace(plain.backward, score=-score / 2, costs={kind: 1.5 * cost for kind, cost in costs.items()}),
        confidence=larger,
        probabilities=dict(zip(("x->y", "y->x", "neither"), (*ways, prior), strict=True)),
        contributions=named,
        weight=weight,
        weight_parts=parts,
        rows_judged=min(rows.n, 20_000),
        dependence_p=1e-9,
        carried_by=f"What speaks for it: {told}.",
        reason=f"Undecided: {lean}; {told}." if larger < threshold else "",
    )


def unrelated(rows: Pair) -> Decision:
    told = "Unrelated: an independence test finds no relation (p = 0.74), so there is no direction to find."
    nothing: dict[str, Any] = {"confidence": None, "probabilities": {}, "dependence_p": 0.74, "reason": told}
    return replace(weighed(rows, (0.3, -0.1, 0.02, 0.0)), unrelated=True, **nothing)


def stopped(rows: Pair) -> Decision:
    """What is left of a decision where a data check finds that no direction can be told."""
    warning = DataWarning(
        "'altitude' takes only 2 distinct values, too few for a direction.", Severity.STOPS, "few_levels"
    )
    return replace(
        weighed(rows),
        score=math.nan,
        confidence=None,
        probabilities={},
        contributions={},
        carried_by="",
        reason=f"Undecided: {warning}",
        warnings=(warning,),
    )


WARNINGS = (
    DataWarning("The rows are few.", Severity.LOWERS, "few_rows"),
    "The fit took long.",
    DataWarning("On a line.", Severity.STOPS, "exact_line"),
)


def without_arrays(decision: Decision) -> Decision:
    bare: dict[str, Any] = {"location": None, "scale": None, "residual": None}
    return replace(decision, forward=replace(decision.forward, **bare), backward=replace(decision.backward, **bare))


def _all() -> dict[str, Decision]:
    rows = pair()
    plain = decided(rows)
    short = replace(plain.forward, converged=False, message="stopped after 500 steps; raise max_iter.")
    return {
        "clear": plain,
        "backward": decided(rows, 2e-9, 0.41, -0.0037),
        "both fit": decided(rows, 0.41, 0.2),
        "neither fits": decided(rows, 1e-5, 0.0),
        "contradicted": decided(rows, 2e-9, 0.41, 0.0037),
        "tie": decided(rows, score=0.0),
        "failed": record_failure(rows, "loci-h", "loci-h broke down on this pair."),
        "score only": Decision("igci", rows, 0.3, Evidence(0.2), Evidence(-0.1)),
        "no arrays": without_arrays(plain),
        "no scale": replace(plain, forward=replace(plain.forward, scale=None)),
        "one side bare": replace(plain, backward=Evidence(-0.1)),
        "not converged": replace(plain, forward=short),
        "unknown method": Decision("homemade", rows, 0.3, Evidence(0.2), Evidence(-0.1), seed=7),
        "confident": weighed(rows),
        "confident backward": weighed(rows, (-1.8449, -1.3149, 0.0349, 0.0)),
        "direct": weighed(rows, prior=0.0),
        "withheld": weighed(rows, (0.9049, 0.7149, -0.1049, 0.0)),
        "withheld backward": weighed(rows, (-0.2049, 0.1149, 0.0449, -1.4049)),
        "no usable lean": weighed(rows, (0.2449, 0.1149, -0.0349, 0.0)),
        "faint": weighed(rows, (0.4449, 0.1149, -0.0349, 0.0), threshold=0.5),
        "stopped": stopped(rows),
        "unrelated": unrelated(rows),
        "thinned": weighed(pair(21_000)),
        "warned": replace(weighed(rows), warnings=WARNINGS),
        "repeated": replace(weighed(rows), half_samples=Stability(0.95, 0.61, 1.23, 20)),
        "confident without a reason": replace(plain, method="homemade", confidence=0.93),
        "ten rows": decided(pair(10)),
        "many rows": decided(pair(30_000)),
        "hostile names": decided(pair(x=HOSTILE, y="年齢 " * 40)),
        "huge values": Decision("igci", Pair.of(rows.x * 1e300, rows.y * 1e-300), 0.3, Evidence(0.2), Evidence(-0.1)),
        "tied values": decided(Pair.of(np.round(rows.x), rows.y)),
        "dropped rows": replace(plain, pair=replace(rows, dropped=3)),
    }


SPECIMENS = _all()
