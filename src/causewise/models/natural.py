"""A column given several others whose natural parameters add up: Normal(η/λ, 1/λ), η = Σ aₚ(uₚ), λ = r · s(Σ bₚ(uₚ)).

The log-likelihood ½ log λ − ½ λ v² + η v − η²/2λ is concave in η and λ (Immer et al. 2023). A plain sum must be
positive at every row, so that straight lines, unbounded, could not be used; s is the softplus function log(1 + exp z),
which is the sum itself where that is large and its exponential where it is far below zero. The rate r says how much of
either: as it grows, all of z moves below zero, and λ = exp(Σ bₚ(uₚ)), as in Duong and Nguyen (2023). Means are
quotients here: parents that add up in neither mean nor log-variance add up in these.

Fisher's scoring with shortened steps climbs it. With ε the standardised residual of a row, its information matrix of η
and λ has a Cholesky factor under which the score is (ε, (1 − ε²)/√2): so a step is a least-squares fit of these two
numbers a row, and the test of a further term as well.
"""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.special import chdtrc, expit

from causewise.models.additive import ROWS_A_COEFFICIENT
from causewise.numerics.native import FloatArray, IntArray

RIDGES = (1.0, 0.1, 0.01)
"""Prior precisions of every coefficient, each optimum the start for the next: the likelihood has several."""
_STEPS = 40
_SHORTEST = 1e-6
"""Share of a step below which there is none."""
_LEAST = 1e-6
"""Precision, in units of the column's own."""
_GAIN = 1e-4
"""Nats a row that a step must promise to be taken."""
_RATE_PRECISION = 0.05
"""Prior precision of the logarithm of the rate: beyond a few units it changes next to nothing."""
_NEAR = 0.1
"""Ridge of the regressions that give coefficients near another model."""
_FAR = 20.0
"""Log-units beneath, or units above their median, beyond which the precisions of another model are not followed."""
_MOVES = 2
"""How many of the most promising changes of the parents are tried before there is none."""


class NaturalUnits(NamedTuple):
    """In which the two sums are meant."""

    middle: float
    unit: float
    """Of the targets."""
    log_rate: float

    def in_units(self, v: FloatArray) -> FloatArray:
        """Targets as the sums mean them."""
        return (v - self.middle) / self.unit

    def divide(self, location: FloatArray, precision: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and log-scale of the targets, where the sums are these."""
        rates = _soften(precision, self.log_rate)
        return self.middle + self.unit * location / rates, math.log(self.unit) - 0.5 * np.log(rates)


class NaturalFit(NamedTuple):
    """Coefficients of both sums over the same features, the first of which is the constant."""

    location: FloatArray
    precision: FloatArray
    mean: FloatArray
    log_scale: FloatArray
    residual: FloatArray
    scale: NaturalUnits
    log_likelihood: float
    """Of all rows, less the prior."""

    @property
    def coefficients(self) -> int:
        """Beside the two constants: the rate is one."""
        return 2 * len(self.location) - 1

    @property
    def vector(self) -> FloatArray:
        """All of them in a line, the logarithm of the rate last."""
        return np.concatenate([self.location, self.precision, [self.scale.log_rate]])


def fit_natural_sums(features: FloatArray, v: FloatArray, start: FloatArray | None = None) -> NaturalFit:
    """The fit of targets v given features with a constant in front, from the coefficients of an earlier fit if any.

    Parameters belong to v in units of the quartiles' distance, so that the prior means the same for long columns.
    """
    if start is not None:
        return _climb(features, v, start, RIDGES[-1:])
    w = np.zeros(2 * features.shape[1] + 1)
    u, _, _ = _in_quartiles(v)
    rate = 1.0 / float(np.var(u))
    w[features.shape[1]] = _harden(rate)
    w[0] = float(np.mean(u)) * rate
    return _climb(features, v, w, RIDGES)


def fit_natural_sums_near(features: FloatArray, v: FloatArray, mean: FloatArray, log_scale: FloatArray) -> NaturalFit:
    """The better of the fit from the constants alone and the fit from the mean and scale of another model."""
    _, middle, unit = _in_quartiles(v)
    log_rates = 2.0 * (math.log(unit) - log_scale)
    log_rate = float(np.median(log_rates))
    steps = np.clip(log_rates - log_rate, -_FAR, _FAR)
    weighted, prior = features * np.exp(-0.5 * steps)[:, None], np.sqrt(_NEAR) * np.eye(features.shape[1])
    # The first sum is the mean times the rate: its rows weigh as the noise of the mean does.
    product = np.clip((mean - middle) / unit, -1 / _LEAST, 1 / _LEAST) * np.exp(0.5 * steps + log_rate)
    location = np.linalg.lstsq(np.vstack([weighted, prior]), np.append(product, np.zeros(len(prior))))[0]
    sums = _harden(np.exp(np.minimum(steps, math.log(_FAR))))
    precision = np.linalg.lstsq(np.vstack([features, prior]), np.append(sums, np.zeros(len(prior))))[0]
    there = _climb(features, v, np.concatenate([location, precision, [log_rate]]), RIDGES)
    return max(fit_natural_sums(features, v), there, key=lambda fit: fit.log_likelihood)


def _in_quartiles(v: FloatArray) -> tuple[FloatArray, float, float]:
    """Targets about their median, in units of the quartiles' distance, and these two."""
    low, middle, high = np.quantile(v, (0.25, 0.5, 0.75))
    unit = max(float(high - low) / 1.35, 1e-9)
    return (v - middle) / unit, float(middle), unit


def _climb(features: FloatArray, v: FloatArray, w: FloatArray, ridges: Sequence[float]) -> NaturalFit:
    """The optimum that is reached from some coefficients, the prior weaker from one optimum to the next."""
    (n, size), (u, middle, unit) = features.shape, _in_quartiles(v)
    lines = np.ascontiguousarray(features.T)
    eta, z = w[:size] @ lines, w[size:-1] @ lines
    for ridge in ridges:
        prior = _prior(size, ridge)
        value = _measure(eta, z, w[-1], u) - 0.5 * float(prior @ w**2)
        for _ in range(_STEPS):
            slope, curvature = _differentiate(eta, z, w[-1], lines, u)
            curvature.flat[:: 2 * size + 2] = curvature.flat[:: 2 * size + 2] * (1.0 + 1e-10) + prior
            _, step, info = dposv(curvature, slope - prior * w, lower=1)
            promise, length = float((slope - prior * w) @ step), 1.0
            if info or promise < _GAIN * n:
                break
            # Both sums are straight along the step.
            eta_step, z_step = step[:size] @ lines, step[size:-1] @ lines
            while length > _SHORTEST:
                to, new_eta, new_z = w + length * step, eta + length * eta_step, z + length * z_step
                there = _measure(new_eta, new_z, to[-1], u) - 0.5 * float(prior @ to**2)
                if there >= value + 1e-4 * length * promise:
                    break
                length /= 2
            else:
                break
            w, value, eta, z = to, there, new_eta, new_z
    rates = _soften(z, w[-1])
    scale = NaturalUnits(middle, unit, float(w[-1]))
    residual = (u - eta / rates) * np.sqrt(rates)
    return NaturalFit(w[:size], w[size:-1], *scale.divide(eta, z), residual, scale, value - n * math.log(unit))


def select_natural_sums(
    blocks: Sequence[FloatArray],
    v: FloatArray,
    chosen: Sequence[int],
    cost: float,
    required: Collection[int] = (),
    start: FloatArray | None = None,
) -> tuple[NaturalFit, list[int]]:
    """The fit given some of the parents, whose functions are the blocks, and which those are.

    Beginning with the chosen ones, parents go, unless they are required, or come one at a time while the
    log-likelihood, less the cost of the coefficients, rises.
    """
    chosen = list(chosen)
    fit = fit_natural_sums(stack_blocks(blocks, chosen), v, start)
    tried = {frozenset(chosen)}
    while True:
        moves = [move for _, move in _rank_moves(blocks, v, fit, chosen, cost, required)[:_MOVES]]
        for move in moves:
            if frozenset(move) in tried:
                continue
            tried.add(frozenset(move))
            there = fit_natural_sums(stack_blocks(blocks, move), v, _transfer(fit, blocks, chosen, move))
            if there.log_likelihood - fit.log_likelihood > cost * (there.coefficients - fit.coefficients):
                fit, chosen = there, move
                break
        else:
            return fit, chosen


def find_p_values(fit: NaturalFit, blocks: Sequence[FloatArray], v: FloatArray) -> list[tuple[float, float]]:
    """Of each parent, whose functions are a block: the p-values that the first and the second sum do not need it.

    Wald's test, its variance estimated from the rows (White 1980). Score tests, taken where a parent is left out, see
    little once its effect is strong: what it leaves is then nothing like noise.
    """
    features = stack_blocks(blocks, range(len(blocks)))
    n, size = features.shape
    slopes, scores = _linearise(_Rows.at(fit.vector, features), features, fit.scale.in_units(v))
    inverse = np.linalg.inv(slopes.T @ slopes + np.diag(_prior(size, RIDGES[-1])))
    influence = slopes * scores[:, None]
    influence = (influence[:n] + influence[n:]) @ inverse
    covariance = influence.T @ influence * (1.0 + 2 * size / n)
    tests, at = [], 1
    for block in blocks:
        first = at + np.arange(block.shape[1])
        at += len(first)
        statistics = [_wald(fit.vector, covariance, places) for places in (first, size + first)]
        tests.append((float(chdtrc(len(first), statistics[0])), float(chdtrc(len(first), statistics[1]))))
    return tests


def _wald(w: FloatArray, covariance: FloatArray, places: IntArray) -> float:
    inside = covariance[np.ix_(places, places)]
    return float(w[places] @ np.linalg.lstsq(inside, w[places])[0])


def _rank_moves(
    blocks: Sequence[FloatArray],
    v: FloatArray,
    fit: NaturalFit,
    chosen: list[int],
    cost: float,
    required: Collection[int],
) -> list[tuple[float, list[int]]]:
    """Parents with one left out or added, the most promising first, as Wald's and Rao's statistics have it."""
    features = stack_blocks(blocks, chosen)
    n, size = features.shape
    rows, moves, at = _Rows.at(fit.vector, features), [], 1
    slopes, scores = _linearise(rows, features, fit.scale.in_units(v))
    inverse = np.linalg.inv(slopes.T @ slopes + np.diag(_prior(size, RIDGES[-1])))
    for k in chosen:
        places = at + np.arange(blocks[k].shape[1])
        at += len(places)
        if k not in required:
            places = np.concatenate([places, size + places])
            w = fit.vector[places]
            loss = 0.5 * float(w @ np.linalg.solve(inverse[np.ix_(places, places)], w))
            moves.append((cost * len(places) - loss, [each for each in chosen if each != k]))
    for k, block in enumerate(blocks):
        if k not in chosen and 2 * ROWS_A_COEFFICIENT * (size + block.shape[1]) <= n:
            new = rows.slopes(block)
            inner = new.T @ new
            across = slopes.T @ new
            inner -= across.T @ inverse @ across
            inner.flat[:: len(inner) + 1] += 1e-6 * np.trace(inner) / len(inner)
            score = new.T @ scores - across.T @ (inverse @ (slopes.T @ scores))
            gain = 0.5 * float(score @ np.linalg.lstsq(inner, score)[0])
            moves.append((gain - cost * len(score), [*chosen, k]))
    return sorted((move for move in moves if move[0] > 0), key=lambda move: -move[0])


class _Rows(NamedTuple):
    """Both natural parameters at the rows, as a rate and a mean, and how the rate rises with its sum."""

    rates: FloatArray
    mean: FloatArray
    steepness: FloatArray

    @classmethod
    def at(cls, w: FloatArray, features: FloatArray) -> "_Rows":
        size = features.shape[1]
        eta, z = features @ w[:size], features @ w[size:-1]
        rates = _soften(z, w[-1])
        return cls(rates, eta / rates, math.exp(w[-1]) * expit(z))

    def slopes(self, block: FloatArray, of_rate: FloatArray | None = None) -> FloatArray:
        """By the coefficients of functions in both sums, under the Cholesky factor of the information: two lines a row.

        `of_rate` are slopes of the rate by coefficients of the second sum, where these are not the block's alone.
        """
        n, width = block.shape
        of_rate = block * self.steepness[:, None] if of_rate is None else of_rate
        root = np.sqrt(self.rates)
        out = np.zeros((2 * n, width + of_rate.shape[1]))
        out[:n, :width] = block / root[:, None]
        out[:n, width:] = of_rate * (-self.mean / root)[:, None]
        out[n:, width:] = of_rate / (math.sqrt(2.0) * self.rates)[:, None]
        return out


def stack_blocks(blocks: Sequence[FloatArray], chosen: Sequence[int]) -> FloatArray:
    """The functions of the chosen parents behind the constant."""
    return np.hstack([np.ones((len(blocks[0]), 1)), *(blocks[k] for k in chosen)])


def widen(fit: NaturalFit, had: Sequence[int], widths: Sequence[int]) -> FloatArray:
    """The coefficients of the same parents with more functions each; those of new ones are zero."""
    ends = np.cumsum([1, *had])

    def move(w: FloatArray) -> FloatArray:
        parts = (w[end - old : end] for old, end in zip(had, ends[1:], strict=True))
        return np.concatenate(
            [w[:1], *(np.pad(part, (0, new - len(part))) for part, new in zip(parts, widths, strict=True))]
        )

    return np.concatenate([move(fit.location), move(fit.precision), [fit.scale.log_rate]])


def _transfer(fit: NaturalFit, blocks: Sequence[FloatArray], old: Sequence[int], new: Sequence[int]) -> FloatArray:
    """The coefficients of parents that stay; those of new ones are zero."""
    ends = np.cumsum([1, *(blocks[k].shape[1] for k in old)])
    places = {k: slice(ends[j], ends[j + 1]) for j, k in enumerate(old)}

    def move(w: FloatArray) -> FloatArray:
        return np.concatenate([w[:1], *(w[places[k]] if k in places else np.zeros(blocks[k].shape[1]) for k in new)])

    return np.concatenate([move(fit.location), move(fit.precision), [fit.scale.log_rate]])


def _linearise(rows: _Rows, features: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slopes by all coefficients, that of the rate last, and scores."""
    slopes = rows.slopes(features, np.column_stack([features * rows.steepness[:, None], rows.rates]))
    residual = (v - rows.mean) * np.sqrt(rows.rates)
    return slopes, np.concatenate([residual, (1.0 - residual**2) / math.sqrt(2.0)])


def _prior(size: int, ridge: float) -> FloatArray:
    out = np.full(2 * size + 1, ridge)
    out[[0, size]], out[-1] = 1e-6, _RATE_PRECISION
    return out


def _measure(eta: FloatArray, z: FloatArray, log_rate: float, v: FloatArray) -> float:
    """The log-likelihood, up to a constant."""
    with np.errstate(over="ignore", invalid="ignore"):
        rates = _soften(z, log_rate)
        value = 0.5 * float(np.sum(np.log(rates)) - np.sum((v * rates - eta) ** 2 / rates))
    return value if math.isfinite(value) else -math.inf


def _differentiate(
    eta: FloatArray, z: FloatArray, log_rate: float, lines: FloatArray, v: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Slopes of the log-likelihood by all coefficients, and Fisher's information."""
    size, n = lines.shape
    rates = _soften(z, log_rate)
    mean, steep = eta / rates, math.exp(log_rate) * expit(z)
    by_rate = 0.5 / rates - 0.5 * (v - mean) * (v + mean)
    ratio, twice = steep / rates, 0.5 + mean**2 * rates
    firsts = np.stack([v - mean, by_rate * steep, -mean, twice * ratio]) @ lines.T
    slope = np.concatenate([firsts[0], firsts[1], [float(by_rate @ rates)]])
    weights = np.stack([1.0 / rates, -mean * ratio, twice * ratio**2])
    inside = ((weights[:, None, :] * lines).reshape(-1, n) @ lines.T).reshape(3, size, size)
    information = np.empty((2 * size + 1, 2 * size + 1))
    information[:size, :size], information[size:-1, size:-1] = inside[0], inside[2]
    information[size:-1, :size] = information[:size, size:-1] = inside[1]
    information[-1, :-1] = information[:-1, -1] = np.concatenate([firsts[2], firsts[3]])
    information[-1, -1] = float(np.sum(twice))
    return slope, information


def _soften(z: FloatArray, log_rate: float) -> FloatArray:
    return np.exp(log_rate) * (np.maximum(z, 0.0) + np.log1p(np.exp(-np.abs(z)))) + _LEAST


def _harden(sums: FloatArray | float) -> FloatArray:
    """What the softplus function makes these of."""
    return np.asarray(sums + np.log(-np.expm1(-np.asarray(sums))))
