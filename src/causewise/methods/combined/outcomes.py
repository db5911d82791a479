"""Three outcomes of a pair that add up to one: x → y, y → x, and neither.

*Neither* is a hidden common cause, a mixture or a selection of rows: the columns are related and no arrow joins them.
The score is the log-odds of the two directions. Beside it stands a prior of *neither*, which the reader states, and two
things that are met more or less often without a direction than with one: how large the score is, and how much of the
relation is left in the residual of the direction that fits better. Log-normal and exponential laws of the two, fitted
with a direction and without one, make a likelihood ratio whose logarithm is linear in both.

    odds of neither = prior / (1 − prior) · exp((1 − share) · (a + b · log left) − c · |score|)

Where values repeat in both columns, what is left is what rounding leaves; `share`, that of the regression error, takes
it away.
"""

import math

from causewise.methods.combined.constants import NEITHER

FORWARD, BACKWARD, NO_DIRECTION = "x->y", "y->x", "neither"


def probabilities(score: float, left: float, share: float, prior: float) -> dict[str, float]:
    """Of the three outcomes; exchanging the columns exchanges the first two to the last bit."""
    return divided(score, _neither(abs(score), left, share, prior))


def divided(score: float, neither: float) -> dict[str, float]:
    """What *neither* leaves, divided between the two directions by their log-odds."""
    against = math.exp(-abs(score))
    larger, smaller = (1.0 - neither) / (1.0 + against), (1.0 - neither) * against / (1.0 + against)
    forward, backward = (larger, smaller) if score >= 0 else (smaller, larger)
    return {FORWARD: forward, BACKWARD: backward, NO_DIRECTION: neither}


def in_units(lead: float, other: float, neither: float, units: int = 100) -> tuple[int, int, int]:
    """Probabilities in whole units that add up, per cent or cells of a bar; the lead is rounded down, as everywhere.

    What is left goes to the larger remainder, but the other direction never passes the lead.
    """
    # A probability within 1e-11 of a whole unit is that unit: 100 · 0.58 falls short of 58 in floats.
    whole = [math.floor(units * share + 1e-9) for share in (lead, other, neither)]
    spare = units - sum(whole)
    larger = units * other - whole[1] > units * neither - whole[2]
    raised = int(whole[1] < whole[0] and (spare > 1 or (spare == 1 and larger)))
    return whole[0], whole[1] + raised, whole[2] + spare - raised


def _neither(size: float, left: float, share: float, prior: float) -> float:
    if prior == 0:
        return 0.0
    misfit = NEITHER.level + NEITHER.left * math.log(min(left, 1.0) + NEITHER.smallest)
    ratio = (1.0 - share) * misfit - NEITHER.score * size
    odds = prior / (1.0 - prior) * math.exp(ratio)
    return odds / (1.0 + odds)
