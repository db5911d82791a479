"""The concave estimator against iterated least squares (Immer et al. 2023, appendix), and its own consistency.

appendix      x ~ U(−4π, 4π), y ~ Normal(sin x, (0.1·(4π − |x|) + 0.2)²); T rows, √T or T/10 knots of degree 5; average
              KL(true ‖ estimated) over 10⁴ points
consistency   the truth lies in the span of the features: error of the coefficients, coverage of 95 % intervals
starts        another algorithm (L-BFGS-B) from random starts: does it end where projected Newton does?
"""

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from whence.models.fgls import alternate
from whence.models.fisher import information_factor, standard_errors
from whence.numerics import gaussian
from whence.numerics.design import Design, additive_design, block, predict_rows
from whence.numerics.newton import KKT_CERTIFIED, Solution, fit_natural
from whence.numerics.splines import spline_rows, uniform_knots
from whence.pair import FloatArray
from whence.study.ledger import Cell, Row
from whence.study.output import Table, median_interval, select, values_of
from whence.study.study import Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, REVISION = "estimators", 1

SIZES = tuple(int(10**power) for power in np.linspace(2, 4, 11) + 1e-12)
KNOTS = {"sqrt": lambda n: math.isqrt(n), "tenth": lambda n: n // 10}
EDGE, DEGREE, DELTA, SMALLEST_PRECISION = 4 * math.pi, 5, 1e-6, 1e-7
POINTS = 10_000

RIGHT_DEGREE = 2
RIGHT_KNOTS = uniform_knots(-1.0, 1.0, 5, RIGHT_DEGREE)
RIGHT_PRECISION = 1.5 + np.sin(np.arange(6.0))
RIGHT_LOCATION = 2.0 * RIGHT_PRECISION * np.cos(1.3 * np.arange(6.0))
RIGHT_SIZES = (500, 1000, 2000, 4000, 8000, 16_000, 32_000)
COVERAGE_SIZE, COVERAGE_TIMES = 2000, 4


def cells(scale: Scale) -> list[Cell]:
    """Three parts; in the fast version up to a thousand rows."""
    seeds = range(scale.repetitions(100, 5))
    most = 1000 if scale.fast else 10**9
    appendix = [
        {"part": "appendix", "knots": rule, "n": n, "seed": seed}
        for rule in KNOTS
        for n in SIZES
        if n <= most
        for seed in seeds
    ]
    right = [
        {"part": "consistency", "n": n, "seed": seed}
        for n in RIGHT_SIZES
        if n <= 2 * most
        for seed in range(len(seeds) * (COVERAGE_TIMES if n == COVERAGE_SIZE else 1))
    ]
    return appendix + right + [{"part": "starts", "seed": seed} for seed in seeds[:20]]


def measure(cell: Cell) -> list[Row]:
    """One data set."""
    parts = {"appendix": _appendix, "consistency": _consistency, "starts": _starts}
    return [parts[cell["part"]](cell)]


def truth(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of the appendix' example."""
    return np.sin(x), 0.1 * (EDGE - np.abs(x)) + 0.2


def draw(n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Rows sorted by x; the random numbers of a seed are the same for every n."""
    rng = np.random.default_rng([711, seed])
    x = np.sort(rng.uniform(-EDGE, EDGE, n))
    mean, sd = truth(x)
    return x, mean + sd * rng.standard_normal(n)


def fitted(
    estimator: str, x: FloatArray, y: FloatArray, n_knots: int, at: FloatArray
) -> tuple[FloatArray, FloatArray, Row]:
    """Mean and standard deviation at other points, and how the fit went."""
    knots = uniform_knots(-EDGE, EDGE, n_knots, DEGREE)
    rows, points = (additive_design([spline_rows(u, knots, DEGREE)]) for u in (x, at))
    start = time.perf_counter()
    if estimator == "ifgls":
        found = alternate(rows, y)
        mean, sd = found.predict(points)
        went: Row = {"iterations": found.passes, "converged": bool(found.change < 1e-6)}
    else:
        end = fit_natural(rows, y, np.ones(len(y)), DELTA, 500)
        e, p = _natural(points, end)
        mean, sd = gaussian.location(e, p), np.sqrt(gaussian.variance(p))
        went = {"iterations": end.n_iter, "converged": bool(end.kkt <= KKT_CERTIFIED)}
    return mean, sd, went | {"seconds": time.perf_counter() - start}


def divergence(x: FloatArray, mean: FloatArray, sd: FloatArray) -> float:
    """Average of KL(Normal(m, s²) ‖ Normal(m̂, ŝ²)) over the points."""
    m, s = truth(x)
    return float(np.mean(np.log(sd / s) + (s**2 + (m - mean) ** 2) / (2 * sd**2) - 0.5))


def _natural(design: Design, end: Solution) -> tuple[FloatArray, FloatArray]:
    e, p = predict_rows(design.values, design.bounds, design.index, end.coefficients)
    return e, np.maximum(p, SMALLEST_PRECISION)


def _appendix(cell: Cell) -> Row:
    x, y = draw(cell["n"], cell["seed"])
    at = np.linspace(-EDGE, EDGE, POINTS)
    row: Row = {}
    for estimator in ("concave", "ifgls"):
        mean, sd, went = fitted(estimator, x, y, KNOTS[cell["knots"]](cell["n"]), at)
        row |= {f"{estimator}_{name}": value for name, value in went.items()}
        row[f"{estimator}_kl"] = divergence(at, mean, sd)
    return row


def _right_design(x: FloatArray) -> Design:
    return additive_design([spline_rows(x, RIGHT_KNOTS, RIGHT_DEGREE)])


def _right_draw(n: int, seed: int) -> tuple[Design, FloatArray]:
    rng = np.random.default_rng([712, seed])
    design = _right_design(np.sort(rng.uniform(-1, 1, n)))
    e, p = predict_rows(design.values, design.bounds, design.index, _right_coefficients())
    return design, gaussian.location(e, p) + np.sqrt(gaussian.variance(p)) * rng.standard_normal(n)


def _right_coefficients() -> FloatArray:
    return np.column_stack([RIGHT_LOCATION, RIGHT_PRECISION]).ravel()


def _consistency(cell: Cell) -> Row:
    design, y = _right_draw(cell["n"], cell["seed"])
    end = fit_natural(design, y, np.ones(len(y)), DELTA, 500)
    points = _right_design(np.linspace(-0.95, 0.95, 20))
    factor = information_factor(end.hessian * len(y), end.coefficients)
    inside: Row = {}
    found = predict_rows(points.values, points.bounds, points.index, end.coefficients)
    true = predict_rows(points.values, points.bounds, points.index, _right_coefficients())
    for name, error, of in zip(
        ("mean", "sd"), standard_errors(points, end.coefficients, factor), (_location, _scale), strict=True
    ):
        inside[f"covered_{name}"] = float(np.mean(np.abs(of(*found) - of(*true)) < 1.959964 * error))
    miss = end.coefficients - _right_coefficients()
    return inside | {"error": float(np.sqrt(np.mean(miss**2)))}


def _location(e: FloatArray, p: FloatArray) -> FloatArray:
    return np.asarray(gaussian.location(e, p))


def _scale(e: FloatArray, p: FloatArray) -> FloatArray:
    return np.sqrt(gaussian.variance(p))


def _starts(cell: Cell) -> Row:
    from scipy.optimize import minimize

    design, y = _right_draw(300, cell["seed"])
    end = fit_natural(design, y, np.ones(len(y)), DELTA, 500)
    dense = np.zeros((len(y), design.size))
    for r, columns in enumerate(design.index):
        rows = slice(design.bounds[r], design.bounds[r + 1])
        dense[rows, columns] = block(design.values, design.bounds, r, len(columns)).T
    rng = np.random.default_rng([713, cell["seed"]])
    start = np.concatenate([rng.normal(0, 5, design.size), np.exp(rng.normal(0, 1.5, design.size))])
    bounds = [(None, None)] * design.size + [(1e-9, None)] * design.size
    options = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
    other = minimize(_objective, start, (dense, y), "L-BFGS-B", jac=True, bounds=bounds, options=options)
    begun = _objective(start, dense, y)[0]
    return {"start_gap": begun - end.objective, "end_gap": float(other.fun) - end.objective}


def _objective(w: FloatArray, features: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    """The criterion of `numerics.newton` with dense features, and its gradient."""
    n, size = features.shape
    e, p = features @ w[:size], features @ w[size:]
    mean, variance = gaussian.location(e, p), gaussian.variance(p)
    value = -np.sum(gaussian.log_density(e, p, np.log(2 * p), y)) + 0.5 * DELTA * np.sum(w * w)
    slope = np.concatenate([features.T @ each for each in gaussian.loss_gradient(mean, variance, y)]) + DELTA * w
    return float(value) / n, slope / n


def tables(rows: Sequence[Row]) -> list[Table]:
    """Medians with intervals, the slope of the error, coverage, starts, and the time."""
    return [_medians(rows), _errors(rows), _claims(rows)]


def _medians(rows: Sequence[Row]) -> Table:
    appendix = select(rows, part="appendix")
    body = []
    for rule in values_of(appendix, "knots"):
        for n in values_of(appendix, "n"):
            some = select(appendix, knots=rule, n=n)
            pairs = [median_interval([row[f"{name}_kl"] for row in some]) for name in ("concave", "ifgls")]
            body.append((rule, n, KNOTS[rule](n), *pairs[0], *pairs[1], pairs[1][0] / pairs[0][0]))
    names = ("concave", "concave low", "concave high", "ifgls", "ifgls low", "ifgls high", "ratio of medians")
    title = "Average KL(true ‖ estimated): medians with 95 % intervals"
    return Table("divergence", title, ("knots", "T", "number of knots", *names), tuple(body))


def _errors(rows: Sequence[Row]) -> Table:
    right = select(rows, part="consistency")
    body = []
    for n in values_of(right, "n"):
        some = select(right, n=n)
        covered = [100 * float(np.mean([row[f"covered_{name}"] for row in some])) for name in ("mean", "sd")]
        error = math.sqrt(float(np.mean([row["error"] ** 2 for row in some])))
        body.append((n, len(some), error, *covered))
    title = "The right features: root mean square error of the coefficients, and coverage of 95 % intervals"
    return Table("consistency", title, ("T", "data sets", "error", "covers mean (%)", "covers sd (%)"), tuple(body))


def slope(rows: Sequence[Row]) -> float:
    """Of log error against log T; 1/√T is −½."""
    table = _errors(rows)
    return float(np.polyfit(np.log(table.column("T")), np.log(table.column("error")), 1)[0])


def _claims(rows: Sequence[Row]) -> Table:
    appendix, starts = select(rows, part="appendix"), select(rows, part="starts")
    total: dict[str, float] = {name: sum(row[f"{name}_seconds"] for row in appendix) for name in ("concave", "ifgls")}
    settled = {name: np.mean([row[f"{name}_converged"] for row in appendix]) for name in ("concave", "ifgls")}
    body: list[tuple[Any, ...]] = [
        ("slope of log error against log T", slope(rows)),
        ("largest distance of a random start from the optimum (nats a row)", max(row["start_gap"] for row in starts)),
        ("largest distance after L-BFGS-B from there", max(abs(row["end_gap"]) for row in starts)),
    ]
    largest = select(appendix, knots="sqrt", n=max(values_of(appendix, "n")))
    ratios = median_interval([row["concave_kl"] / row["ifgls_kl"] for row in largest])
    for name, ratio in zip(("median", "lower end", "upper end"), ratios, strict=True):
        body.append((f"concave / ifgls on the same data, √T knots, largest T: {name}", ratio))
    for name in ("concave", "ifgls"):
        body.append((f"{name}: fits that converged (%)", 100 * float(settled[name])))
        body.append((f"{name}: seconds for all {len(appendix)} fits", total[name]))
    return Table("claims", "Consistency, optimum and cost", ("what", "value"), tuple(body))


def figures(rows: Sequence[Row]) -> "dict[str, Figure]":
    """Divergence against T, the example with a thousand rows, and the error with the right features."""
    from whence.study.estimator_figures import consistency, divergence_curves, example

    return {
        "divergence": divergence_curves(_medians(rows)),
        "example": example(),
        "consistency": consistency(_errors(rows), slope(rows)),
    }
