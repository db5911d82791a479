"""Fit the constants of the default method to generated pairs and write them: `python -m training.fit`.

1. The curves: heights and widths of height · tanh(contrast / width) by maximum likelihood on the oriented pairs of the
   first world, with λ in its place.
2. Their size, and the rows at which λ is one half: on a mixture of worlds, two sevenths from the first, two sevenths
   from the second (families that the curves know nothing of) and three sevenths without a direction, whose label is a
   coin toss.
3. Set by hand, because these worlds do not ask for it: the factor of λ for two refused directions (among pairs with
   equally large scores a hidden common cause refuses both hardly more often than a curve that is no location-scale
   model) and that for few distinct values (generated columns have at least five). Both are precautions.

No recorded label and none of the families in `foreign` and `doubtful` is used.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from training import second, tried, world
from training.sets import PAIRS, SEEDS
from training.table import Table, read_all
from whence.combined.constants import TERMS, Term, WeightConstants
from whence.combined.weight import NOTHING_LEFT
from whence.criteria import LEVEL
from whence.pair import FloatArray

VALUES, REFUSAL, FLOOR = 2.0, 0.5, 0.3
"""Set by hand: see 3."""
UNDIRECTED = 3 / 7
"""Share of pairs without a direction when the size is set: what is met in use may be no cause and effect at all."""
SHRINKAGE = 1e-4
TARGET = Path(__file__).parents[1] / "src" / "whence" / "combined" / "constants.toml"


def sums(contrasts: FloatArray, terms: dict[str, Term]) -> FloatArray:
    """Σ height · tanh(contrast / width) of every pair."""
    heights, widths = (np.array([getattr(term, name) for term in terms.values()]) for name in ("height", "width"))
    return np.asarray(np.tanh(contrasts / widths) @ heights)


def weights(found: Table, constants: WeightConstants) -> FloatArray:
    """λ of every pair; the same formula as `combined.weight`, for arrays."""
    against = np.maximum(0.0, np.log10(LEVEL) - found.better_log_p / np.log(10))
    refusal = against * np.minimum(1.0, found.left / NOTHING_LEFT)
    return (
        (found.effective_rows / (found.effective_rows + constants.rows))
        * (found.distinct / (found.distinct + constants.values))
        * (constants.floor + (1 - constants.floor) / (1 + refusal / constants.refusal))
    )


def fit_terms(first: Table, contrasts: FloatArray, names: Sequence[str]) -> dict[str, Term]:
    """Curves by maximum likelihood, together with the rows of λ; widths start at e times the spread of a contrast."""
    spread, k = np.median(np.abs(contrasts), axis=0), len(names)

    def terms(logs: FloatArray) -> dict[str, Term]:
        heights, widths = np.exp(logs[:k]), np.exp(logs[k : 2 * k]) * spread
        return {name: Term(float(h), float(w)) for name, h, w in zip(names, heights, widths, strict=True)}

    def loss(logs: FloatArray) -> float:
        odds = weights(first, constants(logs[-1])) * sums(contrasts, terms(logs))
        return float(np.mean(np.logaddexp(0, -first.truth * odds)) + SHRINKAGE * np.sum((logs - start) ** 2))

    start = np.concatenate([np.zeros(k), np.ones(k), START[1:]])
    return terms(minimize(loss, start, method="L-BFGS-B").x)


def fit_size(worlds: tuple[Table, Table, Table], terms: dict[str, Term]) -> tuple[float, WeightConstants]:
    """The factor of all heights, and the constants of λ."""
    summed = [sums(found.contrasts, terms) for found in worlds]

    def loss(logs: FloatArray) -> float:
        odds = [np.exp(logs[0]) * weights(f, constants(logs[1])) * s for f, s in zip(worlds, summed, strict=True)]
        oriented = [np.mean(np.logaddexp(0, -f.truth * o)) for f, o in zip(worlds[:2], odds[:2], strict=True)]
        tossed = np.mean(0.5 * (np.logaddexp(0, odds[2]) + np.logaddexp(0, -odds[2])))
        mixed = (1 - UNDIRECTED) / 2 * sum(oriented) + UNDIRECTED * tossed
        return float(mixed + SHRINKAGE * np.sum((logs - START) ** 2))

    best = minimize(loss, START, method="Nelder-Mead", options={"maxiter": 4000, "xatol": 1e-6, "fatol": 1e-10}).x
    return float(np.exp(best[0])), constants(best[1])


def constants(log_rows: float) -> WeightConstants:
    """λ with these rows at one half."""
    return WeightConstants(float(np.exp(log_rows)), VALUES, REFUSAL, FLOOR)


START = np.log([0.6, 30.0])


def read_worlds(folder: Path, jobs: int, candidates: Sequence[str] = ()) -> tuple[Table, Table, Table]:
    """Oriented pairs of the first world, the second world, and pairs without a direction; with candidates, if named."""
    first, other = (
        read_all(partial(module.pair, seed=SEEDS[name]), PAIRS[name], jobs, folder / f"{name}.npz")
        for name, module in (("first", world), ("second", second))
    )
    if candidates:
        first, other = (
            found._replace(candidates=tried.read(folder / "tried", name, candidates, jobs))
            for name, found in (("first", first), ("second", other))
        )
    tossed = np.isin(first.family, list(world.DOUBTS))
    return first.where(~tossed), other, first.where(tossed)


def constants_text(terms: dict[str, Term], weight: WeightConstants) -> str:
    """The file, rounded to what the fit can tell."""
    meaning = {
        "description": "difference of the code lengths, in standard errors",
        "independence": "log ratio of the dependence left in the residuals",
        "shape": "log ratio of what rank 1 leaves over of the quantile surfaces",
    }
    parts = [
        "# The default method: score = λ · Σ height · tanh(contrast / width).\n"
        "# Fitted to generated pairs alone; written by `python -m training.fit`.\n"
    ]
    for name, (height, width) in terms.items():
        parts.append(f"[terms.{name}]  # {meaning[name]}\nheight = {_short(height)}\nwidth = {_short(width)}\n")
    parts.append(
        "[weight]  # where a factor of λ is one half\n"
        f"rows = {_short(weight.rows)}  # effective rows\n"
        f"values = {_short(weight.values)}  # distinct values of the coarser column; set by hand\n"
        f"refusal = {_short(weight.refusal)}  # powers of ten below p = {LEVEL}, better direction; set by hand\n"
        f"floor = {_short(weight.floor)}  # of the factor for two refused directions; set by hand\n"
    )
    return "\n".join(parts)


def _short(value: float) -> str:
    return f"{float(f'{value:.3g}')}"


def main() -> None:
    """Read, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--readings", type=Path, default=Path("out/training"), help="folder for what was read")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=TARGET)
    given = parser.parse_args()
    worlds = read_worlds(given.readings, given.jobs)
    terms = fit_terms(worlds[0], worlds[0].contrasts, list(TERMS))
    size, weight = fit_size(worlds, terms)
    sized = {name: Term(size * term.height, term.width) for name, term in terms.items()}
    given.out.write_text(constants_text(sized, weight), encoding="utf-8")


if __name__ == "__main__":
    main()
