"""What `infer` says of pairs with a heap, of which it judges the other rows: by what made the heap, and where it is.

    python benchmarks/heaps.py [--pairs 80] [--only floor]

The first column is always the cause, but for common causes alone, which have no direction: there every answer is wrong.
300 and 1000 rows in turn. A hurdle is 0 the more often the smaller the value would be, a floor reports the lowest 30 %
alike, and zeros fall anywhere; true zeros are values of the cause, on which the effect depends.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import whence
from kinds import inflated, told
from ordinal_levels import common, foreign
from whence.datasets.laws import CAUSE_LAWS, NOISE_LAWS, Columns, any_of
from whence.datasets.mechanisms import LEVEL, location_scale
from whence.datasets.robustness import BASE, WHERE, confounded, damage_columns, floored
from whence.kinds import Kind, kind_of
from whence.pair import FloatArray, InputError, Pair, standardise

Random = np.random.Generator
Law = Callable[[Random, int], Columns]
ROWS = (300, 1000)


def hurdled(rng: Random, column: FloatArray) -> FloatArray:
    """0 the more often the smaller the value would be, else positive."""
    passed = rng.random(len(column)) < 1 / (1 + np.exp(-rng.uniform(1, 3) * standardise(column)))
    return np.where(passed, column - column.min() + 0.1 * column.std(), 0.0)


def true_zeros(rng: Random, n: int) -> Columns:
    """A positive cause that is 0 in a share of the rows, and an effect of what it is."""
    positive = any_of(CAUSE_LAWS, rng, n)
    positive = positive - positive.min() + 0.1 * positive.std()
    cause = np.where(rng.random(n) < rng.uniform(0.15, 0.6), 0.0, positive)
    return cause, location_scale(rng, standardise(cause), any_of(NOISE_LAWS, rng, n), LEVEL)


def heaped(draw: Law, heap: Callable[[Random, FloatArray], FloatArray], where: str, rng: Random, n: int) -> Columns:
    """A pair of which cause, effect or both get a heap."""
    return damage_columns(heap, where, rng, *draw(rng, n))


PAIRS: dict[str, Law] = {
    "location-scale": BASE,
    "foreign families": foreign,
    "common cause and an arrow": partial(confounded, 1.0),
    "common cause alone": common,
}
HEAPS = {"30 % zeros": partial(inflated, 0.3), "hurdle": hurdled, "floor": partial(floored, 0.3)}
LAWS: dict[str, Law] = {
    "location-scale, true zeros, cause": true_zeros,
    **{
        f"{pair}, {heap}, {where}": partial(heaped, PAIRS[pair], HEAPS[heap], where)
        for pair in PAIRS
        for heap in HEAPS
        for where in WHERE
    },
}


def drawn(law: str, pairs: int) -> list[Pair]:
    """Pairs of a law with a heap that is seen."""
    found = list[Pair]()
    for k in range(pairs):
        rng = np.random.default_rng(np.random.SeedSequence([k, 77]))
        try:
            pair = Pair.of(*LAWS[law](rng, ROWS[k % 2]))
        except InputError:
            continue
        if Kind.HEAPED in (kind_of(pair.x), kind_of(pair.y)):
            found.append(pair)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=80)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    print(f"{'law':<48}{'pairs':>7}  answered, right")
    for law in (law for law in LAWS if given.only in law):
        pairs = drawn(law, given.pairs)
        print(f"{law:<48}{len(pairs):>7}  {told(whence.infer(pair) for pair in pairs)}", flush=True)


if __name__ == "__main__":
    main()
