"""Whether a column's noise still depends on its parents: a flexible regression of it on rows held out.

A mechanism that fits leaves noise of which the parents say nothing, neither about its mean nor about its size nor about
its skew. Ridge regression on random features of a Gaussian kernel (Rahimi & Recht 2007) of all parents together, learnt
on one half of the rows and tested on the other, sees what single parents do not: products, sensors, noise that is no
term of a sum.
"""

from typing import NamedTuple

import numpy as np

from causewise.numerics.native import FloatArray

MUCH = 0.2
"""The share from which a mechanism is said not to fit."""
FEATURES = 100
_RIDGES = 10.0 ** np.arange(-3, 3)
_MOST_ROWS = 2000


class Misfit(NamedTuple):
    """Shares of the variance of the noise, of its size and of its skew that the parents predict on rows held out."""

    mean: float
    size: float
    skew: float

    def describe(self) -> str:
        """What the mechanism missed, where it is much; else nothing."""
        share, what = max(
            (self.mean, "the parents act together in another way"),
            (self.size, "they move the size of its noise in another way"),
            (self.skew, "they move the shape of its noise, as noise inside a function or a sensor would"),
        )
        return f"{what} ({share:.0%} of it on rows held out)" if share > MUCH else ""


def measure_misfit(inputs: FloatArray, residual: FloatArray) -> Misfit:
    """What the inputs, one line each and standardised, say about the residual."""
    n = min(len(residual), _MOST_ROWS)
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.permutation(len(residual))[:n])
    noise = residual[chosen]
    noise = np.clip((noise - noise.mean()) / noise.std(), -4, 4)
    targets = np.column_stack([noise, np.abs(noise), noise * np.abs(noise)])
    targets[:, 2] -= 1.6 * noise
    d = len(inputs)
    waves = np.clip(inputs[:, chosen], -4, 4).T @ (rng.normal(size=(d, FEATURES)) / np.sqrt(d))
    features = np.cos(1.5 * waves + rng.uniform(0, 2 * np.pi, FEATURES))
    fold = rng.permutation(n) % 2
    errors = np.zeros((len(_RIDGES), 3))
    total = np.zeros(3)
    for k in range(2):
        learn, test = fold != k, fold == k
        middle, x_middle = targets[learn].mean(axis=0), features[learn].mean(axis=0)
        x = features[learn] - x_middle
        sizes, axes = np.linalg.eigh(x.T @ x)
        right = axes.T @ (x.T @ (targets[learn] - middle))
        seen = (features[test] - x_middle) @ axes
        total += np.sum((targets[test] - middle) ** 2, axis=0)
        for j, ridge in enumerate(_RIDGES):
            guess = seen @ (right / (sizes + ridge * n / 100)[:, None])
            errors[j] += np.sum((targets[test] - middle - guess) ** 2, axis=0)
    return Misfit(*np.maximum(0.0, 1 - errors.min(axis=0) / total).tolist())
