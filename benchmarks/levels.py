"""The residual test of the default method: how often it rejects the true direction and the wrong one at p < 0.05.

    python benchmarks/levels.py [--pairs 200] [--rows 300 1000 3000] [--wide]

y = f(x) + g(x)·e, e of mean 0 and standard deviation 1. The first share is the type-I error, wanted at most 0.10; the
share in brackets is the power. The cells with a sine, constant noise and the --rows 1000 3000 are those the fit was
mended for; --wide adds other functions and g(x) = 0.2 + 0.3 |x|, whose kink no spline follows. A line with normal cause
and normal noise has no direction. Seeded: the same table every time.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from causewise.criteria import LEVEL
from causewise.methods.combined.terms import fit_direction
from causewise.pair import FloatArray

Random = np.random.Generator
Draw = Callable[[Random, int], FloatArray]
ROOT_3 = 3**0.5

NOISES: dict[str, Draw] = {
    "exponential": lambda rng, n: rng.exponential(size=n) - 1.0,
    "Laplace": lambda rng, n: rng.laplace(size=n) / 2**0.5,
    "t5": lambda rng, n: rng.standard_t(5, size=n) / (5 / 3) ** 0.5,
    "uniform": lambda rng, n: rng.uniform(-ROOT_3, ROOT_3, n),
    "normal": lambda rng, n: rng.normal(size=n),
}
CAUSES: dict[str, Draw] = {name: NOISES[name] for name in ("normal", "uniform")}
FUNCTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "sin 1.5x": lambda x: np.sin(1.5 * x),
    "tanh 2x": lambda x: np.tanh(2.0 * x),
    "x²": lambda x: x**2,
    "x": lambda x: x,
}
SCALES: dict[str, Callable[[FloatArray], FloatArray]] = {
    "0.4": lambda x: np.full_like(x, 0.4),
    "0.2 + 0.3|x|": lambda x: 0.2 + 0.3 * np.abs(x),
}


class Cell(NamedTuple):
    """One law of pairs."""

    function: str
    scale: str
    cause: str
    noise: str

    def draw(self, seed: int, n: int) -> tuple[FloatArray, FloatArray]:
        """Cause and effect."""
        rng = np.random.default_rng([seed, n])
        x, e = CAUSES[self.cause](rng, n), NOISES[self.noise](rng, n)
        return x, FUNCTIONS[self.function](x) + SCALES[self.scale](x) * e


def cells(wide: bool) -> Iterator[Cell]:
    """Those of the sine with constant noise; all of them if wide."""
    functions, scales = (tuple(FUNCTIONS), tuple(SCALES)) if wide else (("sin 1.5x",), ("0.4",))
    for function in functions:
        for scale in scales:
            for cause in CAUSES:
                yield from (Cell(function, scale, cause, noise) for noise in NOISES)


def rejected(cell: Cell, n: int, pairs: int) -> tuple[float, float]:
    """Shares of p below the level: true direction, wrong direction."""
    counts = np.zeros(2)
    for seed in range(pairs):
        x, y = cell.draw(seed, n)
        counts += [fit_direction(*columns).test.p_value < LEVEL for columns in ((x, y), (y, x))]
    true, wrong = counts / pairs
    return float(true), float(wrong)


def main() -> None:
    """Print the table, a line a cell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--rows", type=int, nargs="+", default=[300, 1000, 3000])
    parser.add_argument("--wide", action="store_true")
    given = parser.parse_args()
    print(f"{'f':9} {'g':13} {'cause':8} {'noise':12}", *(f"{f'n = {n}':>12}" for n in given.rows))
    for cell in cells(given.wide):
        shares = (rejected(cell, n, given.pairs) for n in given.rows)
        found = "  ".join(f"{true:.2f} ({wrong:.2f})" for true, wrong in shares)
        print(f"{cell.function:9} {cell.scale:13} {cell.cause:8} {cell.noise:12}  {found}", flush=True)


if __name__ == "__main__":
    main()
