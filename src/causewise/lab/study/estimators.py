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

from causewise.lab.benchmark.metrics import median_interval
from causewise.lab.plotting import canvas, draw_line, draw_reference, figure_style, line_style
from causewise.lab.study.running import Cell, Row, Scale, StudyTable, select, values_of
from causewise.models.spline import alternate, information_factor, standard_errors
from causewise.numerics import gaussian
from causewise.numerics.gaussian import KKT_CERTIFIED, fit_natural
from causewise.numerics.splines import Design, additive_design, spline_rows, uniform_knots
from causewise.pair import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME, REVISION = "estimators", 1

# The paper's sizes are truncated powers of ten; the 1e-12 keeps rounding from turning 1000 into 999.
SIZES = tuple(int(10**power) for power in np.linspace(2, 4, 11) + 1e-12)
KNOTS = {"sqrt": lambda n: math.isqrt(n), "tenth": lambda n: n // 10}
EDGE, DEGREE, DELTA, SMALLEST_PRECISION = 4 * math.pi, 5, 1e-6, 1e-7
POINTS = 10_000

# The part `consistency`: the truth is itself a spline with these knots and coefficients, p > 0 everywhere.
RIGHT_DEGREE = 2
RIGHT_KNOTS = uniform_knots(-1.0, 1.0, 5, RIGHT_DEGREE)
RIGHT_PRECISION = 1.5 + np.sin(np.arange(6.0))
RIGHT_LOCATION = 2.0 * RIGHT_PRECISION * np.cos(1.3 * np.arange(6.0))
RIGHT_COEFFICIENTS = np.column_stack([RIGHT_LOCATION, RIGHT_PRECISION]).ravel()
RIGHT_SIZES = (500, 1000, 2000, 4000, 8000, 16_000, 32_000)
COVERAGE_SIZE, COVERAGE_TIMES = 2000, 4

_TITLES = {"sqrt": "√T knots", "tenth": "T/10 knots"}
_NAMES = {"concave": "concave estimator", "ifgls": "iterated least squares (IFGLS)"}


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
    """Rows sorted by x."""
    rng = np.random.default_rng([711, seed])
    x = np.sort(rng.uniform(-EDGE, EDGE, n))
    mean, sd = truth(x)
    return x, mean + sd * rng.standard_normal(n)


def fit_estimator(
    estimator: str, x: FloatArray, y: FloatArray, n_knots: int, at: FloatArray
) -> tuple[FloatArray, FloatArray, Row]:
    """Mean and standard deviation at other points, and how the fit went."""
    knots = uniform_knots(-EDGE, EDGE, n_knots, DEGREE)
    rows, points = (additive_design([spline_rows(u, knots, DEGREE)]) for u in (x, at))
    start = time.perf_counter()
    if estimator == "ifgls":
        fit = alternate(rows, y)
        mean, sd = fit.predict(points)
        diagnostics: Row = {"iterations": fit.passes, "converged": bool(fit.change < 1e-6)}
    else:
        end = fit_natural(rows, y, np.ones(len(y)), DELTA, 500)
        mean, sd = mean_and_sd(points, end.coefficients)
        diagnostics = {"iterations": end.n_iter, "converged": bool(end.kkt <= KKT_CERTIFIED)}
    return mean, sd, diagnostics | {"seconds": time.perf_counter() - start}


def divergence(x: FloatArray, mean: FloatArray, sd: FloatArray) -> float:
    """Average of KL(Normal(m, s²) ‖ Normal(m̂, ŝ²)) over the points."""
    m, s = truth(x)
    return float(np.mean(np.log(sd / s) + (s**2 + (m - mean) ** 2) / (2 * sd**2) - 0.5))


def mean_and_sd(design: Design, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of the Gaussian whose natural parameters are these coefficients' splines."""
    e, p = design.predict(coefficients)
    # Inside a gap of its rows a fit knows nothing and p falls to zero; the floor keeps the scale finite there.
    p = np.maximum(p, SMALLEST_PRECISION)
    return np.asarray(gaussian.location(e, p)), np.sqrt(gaussian.variance(p))


def _appendix(cell: Cell) -> Row:
    x, y = draw(cell["n"], cell["seed"])
    at = np.linspace(-EDGE, EDGE, POINTS)
    row: Row = {}
    for estimator in ("concave", "ifgls"):
        mean, sd, diagnostics = fit_estimator(estimator, x, y, KNOTS[cell["knots"]](cell["n"]), at)
        row |= {f"{estimator}_{name}": value for name, value in diagnostics.items()}
        row[f"{estimator}_kl"] = divergence(at, mean, sd)
    return row


def _right_design(x: FloatArray) -> Design:
    return additive_design([spline_rows(x, RIGHT_KNOTS, RIGHT_DEGREE)])


def _right_draw(n: int, seed: int) -> tuple[Design, FloatArray]:
    rng = np.random.default_rng([712, seed])
    design = _right_design(np.sort(rng.uniform(-1, 1, n)))
    mean, sd = mean_and_sd(design, RIGHT_COEFFICIENTS)
    return design, mean + sd * rng.standard_normal(n)


def _consistency(cell: Cell) -> Row:
    design, y = _right_draw(cell["n"], cell["seed"])
    end = fit_natural(design, y, np.ones(len(y)), DELTA, 500)
    points = _right_design(np.linspace(-0.95, 0.95, 20))
    factor = information_factor(end.hessian * len(y), end.coefficients)
    estimate, true = (mean_and_sd(points, w) for w in (end.coefficients, RIGHT_COEFFICIENTS))
    errors = standard_errors(points, end.coefficients, factor)
    covered: Row = {
        f"covered_{name}": float(np.mean(np.abs(a - b) < 1.959964 * error))
        for name, error, a, b in zip(("mean", "sd"), errors, estimate, true, strict=True)
    }
    return covered | {"error": float(np.sqrt(np.mean((end.coefficients - RIGHT_COEFFICIENTS) ** 2)))}


def _starts(cell: Cell) -> Row:
    from scipy.optimize import minimize

    design, y = _right_draw(300, cell["seed"])
    end = fit_natural(design, y, np.ones(len(y)), DELTA, 500)
    # Nothing of the estimator under test is used from here on: dense features, another algorithm, a random start.
    dense = np.zeros((len(y), design.size))
    for r, columns in enumerate(design.index):
        rows = slice(design.bounds[r], design.bounds[r + 1])
        dense[rows, columns] = design.block(r).T
    rng = np.random.default_rng([713, cell["seed"]])
    start = np.concatenate([rng.normal(0, 5, design.size), np.exp(rng.normal(0, 1.5, design.size))])
    bounds = [(None, None)] * design.size + [(1e-9, None)] * design.size
    options = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-9, "maxcor": 30}
    other = minimize(_objective, start, (dense, y), "L-BFGS-B", jac=True, bounds=bounds, options=options)
    first = _objective(start, dense, y)[0]
    return {"start_gap": first - end.objective, "end_gap": float(other.fun) - end.objective}


def _objective(w: FloatArray, features: FloatArray, y: FloatArray) -> tuple[float, FloatArray]:
    """The criterion of `numerics.gaussian` with dense features, and its gradient."""
    # The density is an exponential family: with respect to e and p, minus its logarithm has the derivatives
    # E[y] − y and y² − E[y²], and E[y²] = mean² + variance.
    n, size = features.shape
    e, p = features @ w[:size], features @ w[size:]
    mean, variance = gaussian.location(e, p), gaussian.variance(p)
    value = -np.sum(gaussian.log_density(e, p, np.log(2 * p), y)) + 0.5 * DELTA * np.sum(w * w)
    slope = np.concatenate([features.T @ each for each in gaussian.loss_gradient(mean, variance, y)]) + DELTA * w
    return float(value) / n, slope / n


def tables(rows: Sequence[Row]) -> list[StudyTable]:
    """Medians with intervals, the slope of the error, coverage, starts, and the time."""
    return [_medians(rows), _errors(rows), _claims(rows)]


def _medians(rows: Sequence[Row]) -> StudyTable:
    appendix = select(rows, part="appendix")
    body = []
    for rule in values_of(appendix, "knots"):
        for n in values_of(appendix, "n"):
            some = select(appendix, knots=rule, n=n)
            concave, ifgls = (median_interval([row[f"{name}_kl"] for row in some]) for name in _NAMES)
            body.append((rule, n, KNOTS[rule](n), *concave, *ifgls, ifgls[0] / concave[0]))
    names = ("concave", "concave low", "concave high", "ifgls", "ifgls low", "ifgls high", "ratio of medians")
    title = "Average KL(true ‖ estimated): medians with 95 % intervals"
    return StudyTable("divergence", title, ("knots", "T", "number of knots", *names), tuple(body))


def _errors(rows: Sequence[Row]) -> StudyTable:
    right = select(rows, part="consistency")
    body = []
    for n in values_of(right, "n"):
        some = select(right, n=n)
        covered = [100 * float(np.mean([row[f"covered_{name}"] for row in some])) for name in ("mean", "sd")]
        error = math.sqrt(float(np.mean([row["error"] ** 2 for row in some])))
        body.append((n, len(some), error, *covered))
    title = "The right features: root mean square error of the coefficients, and coverage of 95 % intervals"
    columns = ("T", "data sets", "error", "covers mean (%)", "covers sd (%)")
    return StudyTable("consistency", title, columns, tuple(body))


def slope(rows: Sequence[Row]) -> float:
    """Of log error against log T; 1/√T is −½."""
    table = _errors(rows)
    return float(np.polyfit(np.log(table.column("T")), np.log(table.column("error")), 1)[0])


def _claims(rows: Sequence[Row]) -> StudyTable:
    appendix, starts = select(rows, part="appendix"), select(rows, part="starts")
    body: list[tuple[Any, ...]] = [
        ("slope of log error against log T", slope(rows)),
        ("largest distance of a random start from the optimum (nats a row)", max(row["start_gap"] for row in starts)),
        ("largest distance after L-BFGS-B from there", max(abs(row["end_gap"]) for row in starts)),
    ]
    # Ratios on the same data, not a ratio of medians: the variation between data sets cancels.
    largest = select(appendix, knots="sqrt", n=max(values_of(appendix, "n")))
    ratios = median_interval([row["concave_kl"] / row["ifgls_kl"] for row in largest])
    for name, ratio in zip(("median", "lower end", "upper end"), ratios, strict=True):
        body.append((f"concave / ifgls on the same data, √T knots, largest T: {name}", ratio))
    for name in _NAMES:
        converged = np.mean([row[f"{name}_converged"] for row in appendix])
        body.append((f"{name}: fits that converged (%)", 100 * float(converged)))
        seconds: float = sum(row[f"{name}_seconds"] for row in appendix)
        body.append((f"{name}: seconds for all {len(appendix)} fits", seconds))
    return StudyTable("claims", "Consistency, optimum and cost", ("what", "value"), tuple(body))


def figures(rows: Sequence[Row]) -> "dict[str, Figure]":
    """Divergence against T, the example with a thousand rows, and the error with the right features."""
    with figure_style():
        return {
            "divergence": _divergence_figure(_medians(rows)),
            "example": _example_figure(),
            "consistency": _consistency_figure(_errors(rows), slope(rows)),
        }


def _divergence_figure(table: StudyTable) -> "Figure":
    """Median KL against T with intervals, one panel per rule for the knots."""
    figure, axes = canvas(1, 2, 8.4, 3.6, sharey=True, sharex=True)
    for panel, (rule, title) in zip(axes, _TITLES.items(), strict=True):
        mine = table.where(knots=rule)
        for index, (name, label) in enumerate(_NAMES.items()):
            t, low, high = mine.column("T"), mine.column(f"{name} low"), mine.column(f"{name} high")
            panel.fill_between(t, low, high, color=line_style(index)["color"], alpha=0.2, lw=0)
            draw_line(panel, t, mine.column(name), label, index)
        panel.set(xscale="log", yscale="log", title=title, xlabel="rows T")
    axes[0].set_ylabel("median of KL(true ‖ estimated)")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def _example_figure(n: int = 1000, seed: int = 0) -> "Figure":
    """Both estimators on one data set: mean and ±2 standard deviations beside the truth."""
    x, y = draw(n, seed)
    at = np.linspace(-EDGE, EDGE, 2000)
    figure, axes = canvas(2, 2, 8.4, 5.4, sharex=True, sharey=True)
    for index, panel in enumerate(axes):
        rule, estimator = list(_TITLES)[index // 2], list(_NAMES)[index % 2]
        n_knots = KNOTS[rule](n)
        mean, sd, _ = fit_estimator(estimator, x, y, n_knots, at)
        kl = divergence(at, mean, sd)
        panel.plot(x, y, ".", color="#b0b0b0", markersize=2, zorder=0, rasterized=True)
        _band(panel, at, *truth(at), "#202020", "truth ± 2 sd", "--")
        _band(panel, at, mean, sd, line_style(index % 2)["color"], "estimate ± 2 sd", "-")
        panel.set(title=f"{_NAMES[estimator]}, {n_knots} knots: KL {kl:.2g}", ylim=(-5.5, 5.5))
    for panel in axes[2:]:
        panel.set_xlabel("x")
    for panel in axes[::2]:
        panel.set_ylabel("y")
        panel.legend(loc="lower left", ncols=2, fontsize=8, borderaxespad=0.1)
    return figure


def _consistency_figure(table: StudyTable, slope: float) -> "Figure":
    """Error against T beside 1/√T, and coverage."""
    t, error = np.array(table.column("T"), float), np.array(table.column("error"))
    figure, (left, right) = canvas(1, 2, 8.4, 3.4)
    draw_line(left, t, error, f"measured, slope {slope:.3f}", 0, markersize=5)
    # The line 1/√T through the middle of the points, on logarithmic axes.
    height = np.exp(np.mean(np.log(error * np.sqrt(t))))
    left.plot(t, height / np.sqrt(t), color="#202020", linestyle=":", label="1/√T")
    left.set(xscale="log", yscale="log", xlabel="rows T", ylabel="error of the coefficients")
    left.legend(loc="upper right")
    right.axhspan(93, 97, color="#e4e4e4", lw=0)
    draw_reference(right, 95)
    for index, name in enumerate(("mean", "sd")):
        draw_line(right, t, table.column(f"covers {name} (%)"), f"of the {name}", index, markersize=5)
    right.set(xscale="log", xlabel="rows T", ylabel="coverage of 95 % intervals (%)", ylim=(90, 100))
    right.legend(loc="upper right", ncols=2)
    return figure


def _band(panel: "Axes", x: np.ndarray, mean: np.ndarray, sd: np.ndarray, colour: str, label: str, dashes: str) -> None:
    panel.plot(x, mean, color=colour, linestyle=dashes, linewidth=1.2, label=label)
    for sign in (-2, 2):
        panel.plot(x, mean + sign * sd, color=colour, linestyle=dashes, linewidth=0.9)
