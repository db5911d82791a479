"""What is said of pairs with a point mass, by which rows are scored, what made it, and which column has it.

    python benchmarks/point_masses.py [--pairs 40] [--only floor]

One line a law, right of all answers, with the default prior and with `direct`: `infer`, which follows the rule of
`causewise/point_mass.py`; all rows; the rows beside the point mass. The first column is always the cause, but for
common causes alone, which have no direction: there every answer is wrong. 300 and 1000 rows in turn. A hurdle is 0 the
more often the smaller the value would be, a floor reports the lowest 30 % alike, and zeros fall anywhere; true zeros
are values of the cause, on which the effect depends; a preferred value draws those near it. *In steps* both columns are
recorded in 100 steps. Recorded pairs come first, where CAUSEWISE_DATA names the folder of the data sets.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import causewise
from causewise.column_types import ColumnType, classify_column, drop_point_masses, tally
from causewise.decision import Decision, Direction
from causewise.errors import InputError
from causewise.lab.datasets.laws import CAUSE_LAWS, NOISE_LAWS, NOISE_SD, Columns, draw_any, location_scale
from causewise.lab.datasets.simulators import BASE, WHERE, censor, damage_columns, draw_confounded
from causewise.methods.combined.method import THRESHOLD
from causewise.methods.combined.outcomes import probabilities
from causewise.pair import FloatArray, Pair, standardise
from column_types import inflated
from ordinal_levels import common, held_out
from training.recorded import Case, lisbon, tuebingen

Random = np.random.Generator
Law = Callable[[Random, int], Columns]
ROWS = (300, 1000)


def hurdled(rng: Random, column: FloatArray) -> FloatArray:
    """0 the more often the smaller the value would be, else positive."""
    passed = rng.random(len(column)) < 1 / (1 + np.exp(-rng.uniform(1, 3) * standardise(column)))
    return np.where(passed, column - column.min() + 0.1 * column.std(), 0.0)


def true_zeros(rng: Random, n: int) -> Columns:
    """A positive cause that is 0 in a share of the rows, and an effect of what it is."""
    positive = draw_any(CAUSE_LAWS, rng, n)
    positive = positive - positive.min() + 0.1 * positive.std()
    cause = np.where(rng.random(n) < rng.uniform(0.15, 0.6), 0.0, positive)
    return cause, location_scale(rng, standardise(cause), draw_any(NOISE_LAWS, rng, n), NOISE_SD)


def preferred(rng: Random, column: FloatArray) -> FloatArray:
    """In 30 steps, of which one inside draws nine in ten of those near it."""
    steps = in_steps(30, column)
    value = np.round(np.quantile(steps, rng.uniform(0.3, 0.7)))
    return np.where((np.abs(steps - value) <= 2) & (rng.random(len(column)) < 0.9), value, steps)


def in_steps(steps: int, column: FloatArray) -> FloatArray:
    """Rounded to so many equal steps over its range."""
    return np.round((column - column.min()) / np.ptp(column) * steps)


def heaped(draw: Law, heap: Callable[[Random, FloatArray], FloatArray], where: str, rng: Random, n: int) -> Columns:
    """A pair of which cause, effect or both get a point mass."""
    return damage_columns(heap, where, rng, *draw(rng, n))


def recorded_in_steps(law: Law, rng: Random, n: int) -> Columns:
    """Both columns in 100 steps."""
    cause, effect = law(rng, n)
    return in_steps(100, cause), in_steps(100, effect)


PAIRS: dict[str, Law] = {
    "location-scale": BASE,
    "held-out simulators": held_out,
    "common cause and an arrow": partial(draw_confounded, 1.0),
    "common cause alone": common,
}
HEAPS = {
    "30 % zeros": partial(inflated, 0.3),
    "hurdle": hurdled,
    "floor": partial(censor, 0.3),
    "preferred value": preferred,
}
LAWS: dict[str, Law] = {
    "location-scale, true zeros, cause": true_zeros,
    **{
        f"{pair}, {heap}, {where}": partial(heaped, PAIRS[pair], HEAPS[heap], where)
        for pair in PAIRS
        for heap in HEAPS
        for where in WHERE
    },
}
LAWS |= {
    f"{name}, in steps": partial(recorded_in_steps, LAWS[name])
    for name in LAWS
    if "common cause" not in name and "both" not in name
}


def drawn(law: str, pairs: int) -> list[Pair]:
    """Pairs of a law with a point mass that is seen."""
    found = list[Pair]()
    for k in range(pairs):
        rng = np.random.default_rng(np.random.SeedSequence([k, 77]))
        try:
            pair = Pair.of(*LAWS[law](rng, ROWS[k % 2]))
        except InputError:
            continue
        if ColumnType.POINT_MASS in (classify_column(pair.x), classify_column(pair.y)):
            found.append(pair)
    return found


def recorded(cases: Iterable[Case]) -> dict[str, list[Pair]]:
    """Recorded pairs with a point mass, the cause first, by which column has it."""
    found: dict[str, list[Pair]] = {"cause": [], "effect": [], "both": []}
    for case in cases:
        pair = Pair.of(case.x, case.y, nan_policy="omit")
        pair = pair if case.truth > 0 else pair.swap()
        has = tuple(tally(column).kind is ColumnType.POINT_MASS for column in (pair.x, pair.y))
        where = {(True, False): "cause", (False, True): "effect", (True, True): "both"}.get(has)
        if where:
            found[where].append(pair)
    return found


def answer(decision: Decision, direct: bool) -> Direction:
    """What a decision of the default says, or would say if it were known that one column causes the other."""
    if not direct or decision.leaning is Direction.UNDECIDED:
        return decision.direction
    sure = max(probabilities(decision.score, 1.0, 0.0, prior=0.0).values()) >= THRESHOLD
    return decision.leaning if sure else Direction.UNDECIDED


def told(decisions: Iterable[Decision]) -> str:
    """Right of all answers, default and direct."""
    found = list(decisions)
    counts = []
    for direct in (False, True):
        answers = [answer(decision, direct) for decision in found]
        right, wrong = answers.count(Direction.FORWARD), answers.count(Direction.BACKWARD)
        counts.append(f"{right}/{right + wrong}" if right + wrong else "–")
    return "".join(f"{each:>9}" for each in counts)


def show(name: str, pairs: list[Pair]) -> None:
    """Print a line."""
    method = causewise.method("causewise")
    beside = [rest for pair in pairs if (rest := drop_point_masses(pair))]
    cells = (map(causewise.infer, pairs), method.decide_many(pairs), method.decide_many(beside))
    print(f"{name:<56}{len(pairs):>6}{''.join(map(told, cells))}", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    print(f"{'law':<56}{'pairs':>6}{'infer':>9}{'direct':>9}{'all rows':>9}{'direct':>9}{'beside':>9}{'direct':>9}")
    if os.environ.get("CAUSEWISE_DATA"):
        for name, cases in {"Tübingen": tuebingen, "Lisbon": lisbon}.items():
            for where, pairs in recorded(cases()).items():
                if given.only in (title := f"{name}, {where}"):
                    show(title, pairs)
    for law in (law for law in LAWS if given.only in law):
        show(law, drawn(law, given.pairs))


if __name__ == "__main__":
    main()
