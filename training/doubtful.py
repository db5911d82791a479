"""Pairs on which a method should hold back: rows that depend on each other, no direction, or none to be found."""

from collections.abc import Callable

import numpy as np
from scipy.signal import lfilter

from training.held_out import Columns, Draw, FloatArray, Rng, draw_pairs, rounded, settled

Curve = Callable[[FloatArray], FloatArray]


def dependent(rng: Rng, n: int) -> Columns:
    """A cause that is an AR(1) process, an effect of it, and noise that in half of the pairs is AR(1) as well."""
    cause = _margin(rng, _autoregressive(rng, n))
    noise = _autoregressive(rng, n) if rng.random() < 0.5 else rng.normal(size=n)
    z = _unit(cause)
    scale = rng.uniform(0.2, 0.6) * np.exp(0.5 * _unit(_blend(rng)(z)))
    return cause, _margin(rng, _unit(_blend(rng)(z)) + scale * noise)


def walks(rng: Rng, n: int) -> Columns:
    """Two AR(1) processes that have nothing to do with each other: a spurious relation (Granger and Newbold 1974)."""
    return _margin(rng, _autoregressive(rng, n)), _margin(rng, _autoregressive(rng, n))


def common_cause(rng: Rng, n: int) -> Columns:
    """Two effects of an unseen cause, with noise of 0.15 to 0.6 of the signal: no direction."""
    return _effects(rng, n, rng.uniform(0.15, 0.6))


def common_cause_strict(rng: Rng, n: int) -> Columns:
    """Two effects of an unseen cause, with noise of 0.3 of the signal: no direction."""
    return _effects(rng, n, 0.3)


def independent(rng: Rng, n: int) -> Columns:
    """Two columns of assorted laws that have nothing to do with each other."""
    return _assorted(rng, n), _assorted(rng, n)


def linear_gaussian(rng: Rng, n: int) -> Columns:
    """A straight line in normal columns, in any units: the direction leaves no trace."""
    x, rho = rng.normal(size=n), rng.uniform(0.3, 0.95) * rng.choice((-1.0, 1.0))
    y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=n)
    (a, b), (c, d) = rng.normal(size=(2, 2))
    return a + np.exp(b) * x, c + np.exp(d) * y


def pairs(
    family: str, count: int, seed: int, rows: tuple[int, int] = (200, 1500)
) -> list[tuple[FloatArray, FloatArray, int]]:
    """Pairs of one of `DOUBTFUL`; where there is no direction the truth is a coin toss."""
    return draw_pairs(DOUBTFUL, family, count, seed, rows)


def _autoregressive(rng: Rng, n: int) -> FloatArray:
    """A stationary AR(1) process of unit variance with a coefficient near one."""
    keep = rng.uniform(0.9, 0.995)
    shocks = np.sqrt(1 - keep**2) * rng.normal(size=n)
    shocks[0] = rng.normal()
    return np.asarray(lfilter([1.0], [1.0, -keep], shocks), float)


def _margin(rng: Rng, column: FloatArray) -> FloatArray:
    """The column as it is, or in a third of the cases its exponential or its square."""
    way = rng.random()
    return np.exp(column) if way < 1 / 6 else column**2 if way < 1 / 3 else column


def _unit(column: FloatArray) -> FloatArray:
    return np.asarray((column - column.mean()) / np.std(column))


def _effects(rng: Rng, n: int, noise: float) -> Columns:
    z = _hidden(rng, n)
    first, second = _unit(_curve(rng)(z)), _unit(_curve(rng)(z))
    return first + noise * rng.normal(size=n), second + noise * rng.normal(size=n)


def _hidden(rng: Rng, n: int) -> FloatArray:
    """A normal or uniform column, or one of two groups."""
    groups = np.where(rng.random(n) < rng.uniform(0.3, 0.7), 1.2, -1.2) + 0.6 * rng.normal(size=n)
    return (rng.normal(size=n), rng.uniform(-1.8, 1.8, n), groups)[rng.integers(3)]


def _curve(rng: Rng) -> Curve:
    """A smooth function: a blend, a polynomial, or a draw from a Gaussian process."""
    return (_blend, _polynomial, _process)[rng.integers(3)](rng)


def _blend(rng: Rng) -> Curve:
    """A mixture of tanh, sine and cubic."""
    weight = rng.dirichlet((1.0, 1.0, 1.0)) * rng.choice((-1.0, 1.0), 3)
    speed, shift = rng.uniform(0.7, 2.5, 2), rng.normal(size=2)
    return lambda z: (
        weight[0] * np.tanh(speed[0] * z + shift[0])
        + weight[1] * np.sin(speed[1] * z + 3 * shift[1])
        + weight[2] * np.clip(z, -3, 3) ** 3 / 3
    )


def _polynomial(rng: Rng) -> Curve:
    """Degree one to four, with normal coefficients that fall."""
    degree = rng.integers(1, 5)
    coefficients = rng.normal(size=degree + 1) / np.arange(1, degree + 2)
    return lambda z: np.asarray(np.polynomial.polynomial.polyval(np.clip(z, -3, 3), coefficients), float)


def _process(rng: Rng) -> Curve:
    """A draw from a Gaussian process with squared-exponential kernel, by random Fourier features."""
    speed, shift = rng.normal(0, rng.uniform(0.5, 1.5), 60), rng.uniform(0, 2 * np.pi, 60)
    weight = rng.normal(size=60)
    return lambda z: np.cos(np.outer(z, speed) + shift) @ weight


def _assorted(rng: Rng, n: int) -> FloatArray:
    """Normal, uniform, heavy-tailed, skewed, of two groups, or of few values; a quarter of them rounded."""
    laws: tuple[Callable[[], FloatArray], ...] = (
        lambda: rng.normal(size=n),
        lambda: rng.uniform(size=n),
        lambda: rng.standard_t(rng.uniform(1.5, 4), n),
        lambda: rng.lognormal(0.0, rng.uniform(0.4, 1.2), n),
        lambda: rng.choice((-2.0, 2.0), n) + rng.normal(0, rng.uniform(0.4, 1), n),
        lambda: rng.poisson(rng.uniform(2, 20), n).astype(float),
    )
    column = laws[rng.integers(len(laws))]()
    return rounded(rng, column) if rng.random() < 0.25 else column


_DRAWS: dict[str, Draw] = {
    "dependent": dependent,
    "walks": walks,
    "common_cause": common_cause,
    "common_cause_strict": common_cause_strict,
    "independent": independent,
    "linear_gaussian": linear_gaussian,
}

DOUBTFUL: dict[str, Draw] = {name: settled(draw) for name, draw in _DRAWS.items()}
