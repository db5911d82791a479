"""The laws of (x, y) whose two conditionals are both Gaussian: every direction fits, no data can choose.

    p(x, y) ∝ exp(−½ Σ_{i,j ≤ 2} C[i, j] xⁱ yʲ) = exp(−½ [Q(x) y² − 2 P(x) y + R(x)])

Completing the square in y gives y | x ~ Normal(P/Q, 1/Q), so f = P/Q and g = 1/√Q with the marginal
p(x) ∝ Q^(−½) exp(P²/2Q − R/2). Completing it in x does the same with C transposed: the backward model is of the same
form (Immer et al. 2023; conditionally specified laws: Arnold, Castillo & Sarabia 1999, §3). Without terms of degree
above 2 in all, the law is the bivariate normal one: f linear, g constant.
"""

from dataclasses import dataclass

import numpy as np

from whence.pair import FloatArray, InputError
from whence.theory.laws import Function, gaussian, tabulated
from whence.theory.model import Model


@dataclass(frozen=True, eq=False)
class BothGaussian:
    """One law of the family; build it with `linear_gaussian`, `rational_gaussian` or one of the random draws."""

    exponent: FloatArray
    """The 3 × 3 matrix C."""

    def forward(self) -> Model:
        """The model x → y."""
        q, p, r = self._polynomials(self.exponent)
        cause = tabulated(lambda x: -0.5 * np.log(q(x)) + 0.5 * p(x) ** 2 / q(x) - 0.5 * r(x))
        return Model(lambda x: p(x) / q(x), lambda x: 1 / np.sqrt(q(x)), gaussian(), cause)

    def backward(self) -> Model:
        """The model y → x; its cause is y."""
        return BothGaussian(self.exponent.T).forward()

    def sample(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
        """Draw (x, y)."""
        return self.forward().sample(rng, n)

    @staticmethod
    def _polynomials(c: FloatArray) -> tuple[Function, Function, Function]:
        return _quadratic(c[:, 2]), _quadratic(-0.5 * c[:, 1]), _quadratic(c[:, 0])


def linear_gaussian(correlation: float, sd_x: float = 1.0, sd_y: float = 1.0) -> BothGaussian:
    """The bivariate normal law with mean zero."""
    if not -1 < correlation < 1:
        raise InputError(f"Got a correlation of {correlation:g}; expected a number between −1 and 1.")
    free = 1 - correlation**2
    c = np.zeros((3, 3))
    c[2, 0], c[0, 2] = 1 / (free * sd_x**2), 1 / (free * sd_y**2)
    c[1, 1] = -2 * correlation / (free * sd_x * sd_y)
    return BothGaussian(c)


def rational_gaussian(exponent: FloatArray) -> BothGaussian:
    """Any C whose density can be integrated, with both precisions positive everywhere."""
    c = np.asarray(exponent, float)
    corners = c[2, 2] > 0 and c[0, 2] > 0 and c[2, 0] > 0
    # Q > 0 needs the first; the tail of p(x), R − P²/Q → ∞, the second, which is also what Q > 0 means backwards.
    if not (corners and c[1, 2] ** 2 < 4 * c[2, 2] * c[0, 2] and c[2, 1] ** 2 < 4 * c[2, 2] * c[2, 0]):
        raise InputError(
            "Got an exponent whose density has no finite integral or no positive variance; expected C[2,2], C[0,2], "
            "C[2,0] > 0, C[1,2]² < 4 C[2,2] C[0,2] and C[2,1]² < 4 C[2,2] C[2,0]."
        )
    return BothGaussian(c)


def draw_linear(rng: np.random.Generator) -> BothGaussian:
    """A random bivariate normal law, symmetric in x and y."""
    return linear_gaussian(rng.uniform(0.2, 0.95) * rng.choice([-1.0, 1.0]))


def draw_rational(rng: np.random.Generator) -> BothGaussian:
    """A random law of the second kind; C and its transpose are equally likely, and C[0,2] = C[2,0] fixes the units."""
    c = np.zeros((3, 3))
    c[0, 2] = c[2, 0] = 1.0
    c[2, 2] = np.exp(rng.uniform(np.log(0.1), np.log(3.0)))
    c[1, 2], c[2, 1] = 2 * np.sqrt(c[2, 2]) * rng.uniform(-0.8, 0.8, 2)
    c[0, 1], c[1, 0] = rng.normal(0, 1.5, 2)
    c[1, 1] = rng.normal(0, 1.5)
    return rational_gaussian(c)


FAMILIES = {"linear": draw_linear, "rational": draw_rational}


def _quadratic(c: FloatArray) -> Function:
    c0, c1, c2 = map(float, c)
    return lambda v: c0 + c1 * v + c2 * v**2
