"""The pairs of every set by name, in a fixed order: a pair has the same number wherever it is read."""

from collections.abc import Callable
from types import ModuleType

import numpy as np

from causewise.pair import FloatArray
from training import doubtful, held_out, simulator_a, simulator_b
from training.recorded import Case, lisbon, tuebingen

SEEDS = {"first": 1, "second": 2}
PAIRS = {"first": 6000, "second": 2000}
SEED = 77
COUNT = {"held-out": 100, "doubtful": 200}
"""Of every family."""
SIMULATED = ("AN", "ANs", "LS", "LSs", "MNU", "SIM", "SIMc", "SIMln", "SIMG")
STEPS = 30
"""To which generated columns are rounded."""
EVERY = 5
"""One in so many generated pairs is rounded."""


def held_out_pairs() -> list[Case]:
    """Families that no constant was fitted to."""
    return [
        Case(x, y, truth, 1.0, name)
        for name in held_out.FAMILIES
        for x, y, truth in held_out.pairs(name, COUNT["held-out"], SEED)
    ]


def doubtful_pairs() -> list[Case]:
    """Pairs on which an answer should be withheld; a hidden common cause at the 600 rows of the trial."""
    rows = {"common_cause_strict": (600, 600)}
    return [
        Case(x, y, truth, 1.0, name)
        for name in doubtful.DOUBTFUL
        for x, y, truth in doubtful.pairs(name, COUNT["doubtful"], SEED, rows.get(name, (200, 1500)))
    ]


def simulated_pairs() -> list[Case]:
    """The nine simulated public sets, from the folder that `CAUSEWISE_DATA` names."""
    from causewise.lab.datasets import load

    return [Case(p.pair.x, p.pair.y, p.truth, p.weight, name) for name in SIMULATED for p in load(name).pairs]


def rounded_pairs(which: str) -> list[Case]:
    """Generated pairs without ties, the `cause`, the `effect` or `both` rounded to 30 steps of its range, or `none`."""
    drawn = [*_generated("first", simulator_a), *held_out_pairs()]
    usable = [case for case in drawn if case.family not in simulator_a.DOUBTS and _without_ties(case)]
    return [_rounded(case, which) for case in usable[::EVERY]]


def _without_ties(case: Case) -> bool:
    return all(len(np.unique(column)) == len(column) for column in (case.x, case.y))


def _rounded(case: Case, which: str) -> Case:
    cause, effect = (case.x, case.y) if case.truth > 0 else (case.y, case.x)
    cause = _in_steps(cause) if which in ("cause", "both") else cause
    effect = _in_steps(effect) if which in ("effect", "both") else effect
    x, y = (cause, effect) if case.truth > 0 else (effect, cause)
    return case._replace(x=x, y=y)


def _in_steps(column: FloatArray) -> FloatArray:
    step = np.ptp(column) / STEPS
    return np.asarray(np.round(column / step) * step)


def _generated(name: str, module: ModuleType) -> list[Case]:
    drawn = (module.pair(index, SEEDS[name]) for index in range(PAIRS[name]))
    return [Case(pair.x, pair.y, pair.truth, 1.0, pair.family) for pair in drawn]


SETS: dict[str, Callable[[], list[Case]]] = {
    "first": lambda: _generated("first", simulator_a),
    "second": lambda: _generated("second", simulator_b),
    "held-out": held_out_pairs,
    "doubtful": doubtful_pairs,
    "simulated": simulated_pairs,
    "tuebingen": tuebingen,
    "lisbon": lisbon,
    **{f"rounded {which}": lambda which=which: rounded_pairs(which) for which in ("none", "cause", "effect", "both")},
}
