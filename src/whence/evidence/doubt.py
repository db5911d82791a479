"""When an answer is withheld: at low confidence, with a sentence that names the reasons the data show."""

import math

import numpy as np

from whence.decision import Evidence, Reading, percent
from whence.evidence.kinds import KINDS
from whence.pair import Pair

LOW = 0.8
"""Below this confidence the answer is undecided."""
FEW_ROWS = 100
FEW_VALUES = 12
OPPOSED = 0.7
"""Kinds of evidence disagree when those against weigh more than this share of those in favour."""


def abstention(
    pair: Pair, confidence: float, score: float, contributions: dict[str, float], sides: tuple[Evidence, Evidence]
) -> str:
    """Why no answer is given; empty when one is."""
    if confidence >= LOW:
        return ""
    reasons = [
        reason
        for reason in (_rows(pair), _ties(pair), _reading(sides, score), _opposed(contributions, score))
        if reason
    ]
    because = "; ".join(reasons) or "weighed together, the kinds of evidence hardly lean either way"
    cause, effect = (pair.x_name, pair.y_name) if score > 0 else (pair.y_name, pair.x_name)
    return f"Undecided: {percent(confidence)} confidence in {cause} → {effect} is too little; {because}."


def _rows(pair: Pair) -> str:
    return f"{pair.n} rows are few" if pair.n < FEW_ROWS else ""


def _ties(pair: Pair) -> str:
    for name, column in sorted(((pair.x_name, pair.x), (pair.y_name, pair.y)), key=lambda item: item[0]):
        distinct = len(np.unique(column))
        if distinct < min(FEW_VALUES, pair.n):
            return f"{name} has only {distinct} distinct values, too coarse for its shape to be seen"
    return ""


def _reading(sides: tuple[Evidence, Evidence], score: float) -> str:
    reading = Reading.of(sides[0].p_value, sides[1].p_value)
    if reading is Reading.BOTH_FIT:
        return "a location-scale model fits both ways"
    if reading is Reading.NEITHER_FITS:
        return "a location-scale model fits neither way, as under a hidden common cause or a mixture"
    if reading is (Reading.BACKWARD_FITS if score > 0 else Reading.FORWARD_FITS):
        return "the independence test leaves only the other direction standing"
    return ""


def _opposed(contributions: dict[str, float], score: float) -> str:
    signed = {name: math.copysign(1.0, score) * value for name, value in contributions.items()}
    favour = sum(value for value in signed.values() if value > 0)
    against = -sum(value for value in signed.values() if value < 0)
    if against <= OPPOSED * favour or against == 0:
        return ""
    worst = min(signed, key=lambda name: (signed[name], name))
    return f"the kinds of evidence disagree, {KINDS[worst]} speaking loudest against"
