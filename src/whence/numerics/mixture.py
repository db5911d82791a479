"""The density of one column as a mixture of normals, its size chosen by BIC; deterministic.

The sorted column is first condensed into at most `CHUNKS` runs of equal count (mean, variance within), on which the EM
steps run; so the cost of the search does not grow with the rows. The code length is that of all the rows.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from whence.native import FloatArray

CHUNKS = 80
MAX_COMPONENTS = 5
STEPS = 25
TOLERANCE = 1e-4
"""EM stops when a step gains less than this many nats a row."""
FLOOR = 0.02
"""Smallest standard deviation of a component, in standard deviations of the column: a spike is no free density."""
_LOG_2PI = float(np.log(2.0 * np.pi))


class Mixture(NamedTuple):
    """Weights, means and standard deviations, and the two parts of the code length in nats a row."""

    weight: FloatArray
    mean: FloatArray
    sd: FloatArray
    data_cost: float
    parameter_cost: float

    @property
    def cost(self) -> float:
        """Nats a row for data and parameters together."""
        return self.data_cost + self.parameter_cost


def fit_mixture(column: FloatArray, max_components: int = MAX_COMPONENTS) -> Mixture:
    """The mixture of 1 … `max_components` normals with the shortest code (BIC) for the column."""
    ordered = np.sort(column)
    weight, mean, sd, data_cost = _search(ordered, *_chunks(ordered), max_components)
    return Mixture(weight, mean, sd, data_cost, _parameter_cost(len(weight), len(column)))


def log_density(mixture: Mixture, values: FloatArray) -> FloatArray:
    """Log density at each value."""
    out = np.empty(len(values))
    _log_density(values, mixture.weight, mixture.mean, mixture.sd, out)
    return out


@njit(cache=True, nogil=True)
def _parameter_cost(k: int, n: int) -> float:
    return 0.5 * (3 * k - 1) * np.log(n) / n


@njit(cache=True, nogil=True)
def _chunks(s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    n = len(s)
    m = min(n, CHUNKS)
    share, centre, within = np.empty(m), np.empty(m), np.empty(m)
    for j in range(m):
        part = s[j * n // m : -(-(j + 1) * n // m)]  # rounded outwards: the runs of −s are those of s, mirrored
        share[j] = 1.0 / m
        centre[j] = part.mean()
        within[j] = part.var()
    return share, centre, within


@njit(cache=True, nogil=True)
def _search(
    s: FloatArray, share: FloatArray, centre: FloatArray, within: FloatArray, max_components: int
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    n = len(s)
    mean_all = (share * centre).sum()
    sd_all = np.sqrt((share * (within + (centre - mean_all) ** 2)).sum())
    floor = FLOOR * sd_all
    w, m, d = np.ones(1), np.array([mean_all]), np.array([sd_all])
    best_w, best_m, best_d = w, m, d
    best_data = _negative_mean_log_density(s, w, m, d)
    best_total = best_data + _parameter_cost(1, n)
    # Each size is started twice, from equal shares of the quantiles and from the smaller mixture with its heaviest
    # component split into a narrow and a wide one (the start that finds heavy tails). scikit-learn's `GaussianMixture`
    # starts from k-means, which needs random numbers, and each of its steps passes over all rows.
    for k in range(2, max_components + 1):
        w1, m1, d1 = _quantile_start(share, centre, within, k, floor)
        w2, m2, d2 = _split_start(w, m, d)
        gain1 = _climb(share, centre, within, w1, m1, d1, floor)
        gain2 = _climb(share, centre, within, w2, m2, d2, floor)
        if gain1 >= gain2:
            w, m, d = w1, m1, d1
        else:
            w, m, d = w2, m2, d2
        data = _negative_mean_log_density(s, w, m, d)
        total = data + _parameter_cost(k, n)
        if total < best_total:
            best_w, best_m, best_d, best_data, best_total = w, m, d, data, total
        elif k >= 3 and total > best_total + _parameter_cost(2, n) - _parameter_cost(1, n):
            break  # two sizes in a row paid for themselves less than their parameters cost
    return best_w, best_m, best_d, best_data


@njit(cache=True, nogil=True)
def _quantile_start(
    share: FloatArray, centre: FloatArray, within: FloatArray, k: int, floor: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    m = len(centre)
    w, mean, sd = np.empty(k), np.empty(k), np.empty(k)
    for j in range(k):
        part = slice(j * m // k, -(-(j + 1) * m // k))
        total = share[part].sum()
        w[j] = 1.0 / k
        mean[j] = (share[part] * centre[part]).sum() / total
        variance = (share[part] * (within[part] + (centre[part] - mean[j]) ** 2)).sum() / total
        sd[j] = max(np.sqrt(variance), floor)
    return w, mean, sd


@njit(cache=True, nogil=True)
def _split_start(w: FloatArray, m: FloatArray, d: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    k = len(w)
    heaviest = np.argmax(w)
    w2, m2, d2 = np.empty(k + 1), np.empty(k + 1), np.empty(k + 1)
    w2[:k], m2[:k], d2[:k] = w, m, d
    w2[heaviest], w2[k] = 0.6 * w[heaviest], 0.4 * w[heaviest]
    m2[k] = m[heaviest]
    d2[heaviest], d2[k] = 0.6 * d[heaviest], 1.5 * d[heaviest]
    return w2, m2, d2


@njit(cache=True, nogil=True)
def _climb(
    share: FloatArray, centre: FloatArray, within: FloatArray, w: FloatArray, m: FloatArray, d: FloatArray, floor: float
) -> float:
    """EM in place; returns the mean log density of the condensed column at the last but one step."""
    k, last = len(w), -np.inf
    r, front, half = np.empty(k), np.empty(k), np.empty(k)
    s0, s1, s2 = np.empty(k), np.empty(k), np.empty(k)
    for _ in range(STEPS):
        value = 0.0
        s0[:], s1[:], s2[:] = 0.0, 0.0, 0.0
        for j in range(k):
            front[j] = np.log(w[j] / d[j])
            half[j] = 0.5 / (d[j] * d[j])
        for i in range(len(share)):
            top = -np.inf
            for j in range(k):
                z = centre[i] - m[j]
                r[j] = front[j] - half[j] * (z * z + within[i])
                top = max(top, r[j])
            total = 0.0
            for j in range(k):
                r[j] = np.exp(r[j] - top)
                total += r[j]
            value += share[i] * (top + np.log(total))
            for j in range(k):
                part = share[i] * r[j] / total
                s0[j] += part
                s1[j] += part * centre[i]
                s2[j] += part * (centre[i] * centre[i] + within[i])
        for j in range(k):
            w[j] = max(s0[j], 1e-8)
            m[j] = s1[j] / max(s0[j], 1e-300)
            d[j] = max(np.sqrt(max(s2[j] / max(s0[j], 1e-300) - m[j] * m[j], 0.0)), floor)
        if value - last < TOLERANCE:
            break
        last = value
    w /= w.sum()
    return value


@njit(cache=True, nogil=True)
def _negative_mean_log_density(s: FloatArray, w: FloatArray, m: FloatArray, d: FloatArray) -> float:
    out = np.empty(len(s))
    _log_density(s, w, m, d, out)
    return -out.mean()


@njit(cache=True, nogil=True)
def _log_density(s: FloatArray, w: FloatArray, m: FloatArray, d: FloatArray, out: FloatArray) -> None:
    k = len(w)
    front, half, r = np.log(w / d), 0.5 / (d * d), np.empty(len(w))
    for i in range(len(s)):
        top = -np.inf
        for j in range(k):
            z = s[i] - m[j]
            r[j] = front[j] - half[j] * z * z
            top = max(top, r[j])
        density = 0.0
        for j in range(k):
            density += np.exp(r[j] - top)
        out[i] = top + np.log(density) - 0.5 * _LOG_2PI
