"""What happens to pairs of which a column is not continuous: simulated, by type and by which of the two it is.

    python benchmarks/column_types.py [--pairs 60] [--only zero-inflated]

One line a law: the types that are found, what `infer` does, what it would do without a look at them, and what the
methods for levels say (`acting`: ordinal:acting=true). Right is a share of the answers; the first column is always the
cause. The columns come from the location-scale pairs of the robustness grid (random laws of cause and noise, smooth f
and g), 300 and 1000 rows in turn. Where CAUSEWISE_DATA names the folder of the data sets, what would be said of
recorded pairs of which one column is cut into levels comes last: by default, and with `direct`. `point_masses.py` and
`ordinal_levels.py` have more of what their names say.
"""

import argparse
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import causewise
from causewise.column_types import classify_column
from causewise.decision import Decision, Direction
from causewise.errors import InputError
from causewise.lab.datasets.laws import (
    CAUSE_LAWS,
    NOISE_LAWS,
    NOISE_SD,
    Columns,
    draw_any,
    location_scale,
    smooth,
)
from causewise.lab.datasets.simulators import BASE, WHERE, censor, damage_columns, round_column
from causewise.methods.baselines.ordinal import MAX_LEVELS
from causewise.pair import FloatArray, Pair, standardise
from causewise.protocol import Method
from training.recorded import lisbon, tuebingen

Random = np.random.Generator
Law = Callable[[Random, int], Columns]
ColumnLaw = Callable[[Random, FloatArray], FloatArray]
ROWS = (300, 1000)


def changed(change: ColumnLaw, where: str, rng: Random, n: int) -> Columns:
    """A continuous pair of which cause, effect or both are recorded otherwise."""
    return damage_columns(change, where, rng, *BASE(rng, n))


def levelled(levels: int, rng: Random, column: FloatArray) -> FloatArray:
    """Ordered levels: thresholds at random quantiles of the column, the levels numbered."""
    thresholds = np.quantile(column, np.sort(rng.uniform(0.03, 0.97, levels - 1)))
    return np.digitize(column, thresholds).astype(float)


def inflated(share: float, rng: Random, column: FloatArray) -> FloatArray:
    """Positive, and 0 in a share of the rows whatever else they hold."""
    positive = column - column.min() + 0.1 * column.std()
    return np.where(rng.random(len(column)) < share, 0.0, positive)


def partly_rounded(share: float, steps: int, rng: Random, column: FloatArray) -> FloatArray:
    """Rounded in a share of the rows, and as fine as before in the others."""
    return np.where(rng.random(len(column)) < share, round_column(steps, rng, column), column)


def hurdle(rng: Random, n: int) -> Columns:
    """An effect that is 0 the more often the smaller its cause is."""
    cause, effect = BASE(rng, n)
    positive = effect - effect.min() + 0.1 * effect.std()
    return cause, np.where(rng.random(n) < _logistic(-rng.uniform(1, 3) * standardise(cause)), 0.0, positive)


def counted_effect(rng: Random, n: int, cause: FloatArray | None = None) -> Columns:
    """Poisson, the logarithm of its mean a smooth function of the cause."""
    x = draw_any(CAUSE_LAWS, rng, n) if cause is None else cause
    mean = np.exp(rng.uniform(0, 2.5) + rng.uniform(0.4, 0.9) * _curve(rng, x))
    return x, rng.poisson(mean).astype(float)


def counted_cause(rng: Random, n: int) -> Columns:
    """A Poisson cause of a location-scale effect."""
    x = _count(rng, n)
    return x, location_scale(rng, standardise(x), draw_any(NOISE_LAWS, rng, n), NOISE_SD)


def counted_both(rng: Random, n: int) -> Columns:
    """A Poisson effect of a Poisson cause."""
    return counted_effect(rng, n, _count(rng, n))


def overdispersed_effect(rng: Random, n: int) -> Columns:
    """Negative binomial: a Poisson effect whose mean varies by itself as well."""
    x, shape = draw_any(CAUSE_LAWS, rng, n), rng.uniform(0.7, 4)
    mean = np.exp(rng.uniform(0, 2.5) + rng.uniform(0.4, 0.9) * _curve(rng, x)) * rng.gamma(shape, 1 / shape, n)
    return x, rng.poisson(mean).astype(float)


def inflated_count(rng: Random, n: int) -> Columns:
    """A Poisson effect that is 0 in a share of the rows whatever its cause."""
    x, y = counted_effect(rng, n)
    return x, np.where(rng.random(n) < rng.uniform(0.2, 0.6), 0.0, y)


def acting(levels: int, rng: Random, n: int, evenness: float = 3) -> Columns:
    """Levels that act themselves: any mean and spread of the effect at each, and any noise."""
    x = rng.choice(levels, n, p=rng.dirichlet(evenness * np.ones(levels)))
    mean, scale = 1.5 * rng.normal(size=levels), np.exp(0.4 * rng.normal(size=levels))
    return x.astype(float), mean[x] + scale[x] * draw_any(NOISE_LAWS, rng, n)


def rated_cause(rng: Random, n: int) -> Columns:
    """Five to nine levels with any mean and spread of the effect at each."""
    return acting(int(rng.integers(5, 10)), rng, n)


def grouped(levels: int, rng: Random, n: int) -> Columns:
    """So many groups, of more equal size."""
    return acting(levels, rng, n, evenness=5)


def grouped_both(levels: int, rng: Random, n: int) -> Columns:
    """Groups whose effect is recorded in as many levels."""
    cause, effect = grouped(levels, rng, n)
    return cause, levelled(levels, rng, effect)


def binary_cause(rng: Random, n: int) -> Columns:
    """Two groups, another mean and spread in each."""
    x = (rng.random(n) < rng.uniform(0.2, 0.8)).astype(float)
    return x, rng.uniform(0.5, 3) * x + np.where(x > 0, rng.uniform(0.3, 2), 1.0) * draw_any(NOISE_LAWS, rng, n)


def binary_effect(rng: Random, n: int) -> Columns:
    """Yes or no, its log-odds a smooth function of the cause."""
    x = draw_any(CAUSE_LAWS, rng, n)
    return x, (rng.random(n) < _logistic(rng.uniform(1, 4) * _curve(rng, x))).astype(float)


def added_steps(levels: int, rng: Random, n: int) -> Columns:
    """The model of `discrete`: any function of the levels, and noise of five steps."""
    x = rng.choice(levels, n, p=rng.dirichlet(np.ones(levels)))
    noise = rng.choice(5, n, p=rng.dirichlet(np.ones(5)))
    return x.astype(float), (rng.integers(0, levels + 1, levels)[x] + noise).astype(float)


def _logistic(values: FloatArray) -> FloatArray:
    return 1 / (1 + np.exp(-values))


def _curve(rng: Random, x: FloatArray) -> FloatArray:
    return standardise(smooth(rng, standardise(x)))


def _count(rng: Random, n: int) -> FloatArray:
    return rng.poisson(np.exp(rng.uniform(0.5, 2.5)), n).astype(float)


def _everywhere(name: str, change: ColumnLaw) -> dict[str, Law]:
    return {f"{name}, {where}": partial(changed, change, where) for where in WHERE}


LAWS: dict[str, Law] = {
    "continuous": BASE,
    **_everywhere("rounded to 30 steps", partial(round_column, 30)),
    **_everywhere("rounded to 10 steps", partial(round_column, 10)),
    **_everywhere("7 ordered levels", partial(levelled, 7)),
    **_everywhere("4 ordered levels", partial(levelled, 4)),
    **_everywhere("3 ordered levels", partial(levelled, 3)),
    "7 groups, cause": partial(grouped, 7),
    "3 groups, cause": partial(grouped, 3),
    "7 groups, both": partial(grouped_both, 7),
    "3 groups, both": partial(grouped_both, 3),
    "count, effect": counted_effect,
    "count, cause": counted_cause,
    "count, both": counted_both,
    "overdispersed count, effect": overdispersed_effect,
    "rating, cause": rated_cause,
    "two values, cause": binary_cause,
    "two values, effect": binary_effect,
    **_everywhere("zero-inflated by 5 %", partial(inflated, 0.05)),
    **_everywhere("zero-inflated by 20 %", partial(inflated, 0.2)),
    **_everywhere("zero-inflated by 60 %", partial(inflated, 0.6)),
    "hurdle, effect": hurdle,
    "zero-inflated count, effect": inflated_count,
    **_everywhere("floor at the 30 % quantile", partial(censor, 0.3)),
    **_everywhere("60 % rounded to 5 steps", partial(partly_rounded, 0.6, 5)),
    **_everywhere("86 % rounded to 10 steps", partial(partly_rounded, 0.86, 10)),
    "steps added to 3 levels, both": partial(added_steps, 3),
    "steps added to 8 levels, both": partial(added_steps, 8),
}


def drawn(law: str, pairs: int) -> list[Pair]:
    """Pairs of a law; those that are none (a constant effect) are passed over."""
    found = list[Pair]()
    for k in range(pairs):
        rng = np.random.default_rng(np.random.SeedSequence([k, 19]))
        try:
            found.append(Pair.of(*LAWS[law](rng, ROWS[k % 2])))
        except InputError:
            continue
    return found


def cut_recorded(name: str, levels: int, where: str, rows: int = 2000) -> list[Pair]:
    """Recorded pairs, the cause first, of which one column is cut into levels; columns of 12 values at least."""
    found = list[Pair]()
    for k, case in enumerate({"Tübingen": tuebingen, "Lisbon": lisbon}[name]()):
        columns = case.x[:rows], case.y[:rows]
        if min(len(np.unique(column)) for column in columns) < 12:
            continue
        cause, effect = columns if case.truth > 0 else columns[::-1]
        cut = damage_columns(partial(levelled, levels), where, np.random.default_rng(k), cause, effect)
        try:
            found.append(Pair.of(*cut))
        except InputError:  # thresholds at quantiles of many ties leave one level
            continue
    return found


def _bare(method: Method, pair: Pair) -> Decision:
    return method.decide_many([pair])[0]


def _continuous_cause(decision: Decision) -> str:
    column = decision.pair.x if decision.leaning is Direction.FORWARD else decision.pair.y
    return "Withheld." if len(np.unique(column)) > MAX_LEVELS else ""


def told(decisions: Iterable[Decision]) -> str:
    """How many are answered, and how many of these rightly."""
    answers = [decision.direction.value for decision in decisions]
    count = Counter(answers)
    right, wrong = count["x->y"], count["y->x"]
    share = f"{100 * (right + wrong) / len(answers):3.0f} %" if answers else "    –"
    return f"{share} {f'{right}/{right + wrong}':>7}" if right + wrong else f"{share}       –"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    default = causewise.method("causewise")
    discrete, acting = causewise.method("discrete"), causewise.method("ordinal:acting=true")
    head = ("infer", "unchecked", "leans", "discrete", "ordinal", "acting")
    print(f"{'law':<36}{'kinds found':<26}" + "".join(f"{each:>15}" for each in head))
    for law in (law for law in LAWS if given.only in law):
        pairs = drawn(law, given.pairs)
        kinds = Counter((str(classify_column(pair.x)), str(classify_column(pair.y))) for pair in pairs).most_common(1)[
            0
        ][0]
        bare = [_bare(default, pair) for pair in pairs]
        lean = np.mean([decision.score > 0 for decision in bare if math.isfinite(decision.score)])
        steps, acted = ([_bare(method, pair) for pair in pairs] for method in (discrete, acting))
        # Without acting=true the same, but for answers that make levels the effect of a continuous column.
        sure = [replace(each, reason=each.reason or _continuous_cause(each)) for each in acted]
        cells = (
            told(causewise.infer(pair) for pair in pairs),
            told(bare),
            f"{100 * lean:.0f} %",
            *("" if all(each.failed for each in found) else told(found) for found in (steps, sure, acted)),
        )
        print(f"{law:<36}{' → '.join(kinds):<26}" + "".join(f"{cell:>15}" for cell in cells), flush=True)

    if not os.environ.get("CAUSEWISE_DATA"):
        return
    direct = causewise.method("causewise:direct=true")
    for name, levels, where in product(("Tübingen", "Lisbon"), (3, 4), WHERE[:2]):
        if given.only in (title := f"{name}, {where} cut into {levels} levels"):
            pairs = cut_recorded(name, levels, where)
            cells = (told(_bare(method, pair) for pair in pairs) for method in (default, direct))
            print(f"{title:<62}" + "".join(f"{cell:>15}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
