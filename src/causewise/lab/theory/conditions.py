"""The identifiability equation (Immer et al. 2023, Theorem 1), evaluated, and families of models whose answer is known.

Let y = f(x) + g(x)·N. If x = h(y) + k(y)·M fits as well, then with ν₁ = log p(y), ν(x | y) the log density of that
backward model, and G = g f′ + g′ (y − f), wherever G ≠ 0,

    0 = ν₁″ + (g′/G) ν₁′ + ∂²ν/∂y² + (g/G) ∂²ν/∂y∂x + (g′/G) ∂ν/∂y.                                        (*)

What ν is put in matters. With the *exact* conditional p(x | y) the left-hand side vanishes for every forward model:
ν₁ + ν is then log p(x, y), and (*) only says that the noise is independent of x. The equation has content when ν is of
location-scale form. The one candidate is fixed by the data: h and k the conditional mean and standard deviation of x
given y, and one law for the noise M, pooled over y. If a backward model exists, the candidate is it, and (*) holds;
if not, the candidate's ν differs from the exact one and (*) fails where it does.

Families: two that fit both ways, random models that do not, and paths between them. The distributions of (x, y) whose
two conditionals are both Gaussian fit in either direction; no data can choose:

    p(x, y) ∝ exp(−½ Σ_{i,j ≤ 2} C[i, j] xⁱ yʲ) = exp(−½ [Q(x) y² − 2 P(x) y + R(x)])

Completing the square in y gives y | x ~ Normal(P/Q, 1/Q), so f = P/Q and g = 1/√Q with the marginal
p(x) ∝ Q^(−½) exp(P²/2Q − R/2). Completing it in x does the same with C transposed: the backward model is of the same
form (Immer et al. 2023; conditionally specified distributions: Arnold, Castillo & Sarabia 1999, §3). Without terms of
degree above 2 in all, it is the bivariate normal: f linear, g constant.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.lab.theory.calculus import Jet, as_jet, panels, variables
from causewise.lab.theory.model import Function, Model, gaussian, scale_mixture, soft_uniform, tabulate
from causewise.pair import FloatArray

TOLERANCE = 1e-6
"""Relative; quadrature and rounding leave about 1e-9 on the models that fit both ways."""


@dataclass(frozen=True, eq=False)
class Balance:
    """The left-hand side on a grid, relative to the sizes of its five terms: |Σ terms| / Σ |terms|, between 0 and 1."""

    x: FloatArray
    y: FloatArray
    relative: FloatArray
    """relative[i, j] belongs to (x[i], y[j])."""
    weight: FloatArray
    """The joint density there, summing to one."""

    @property
    def worst(self) -> float:
        """Largest entry."""
        return float(np.max(self.relative))

    @property
    def typical(self) -> float:
        """Mean, weighted by the density."""
        return float(np.sum(self.weight * self.relative))

    @property
    def backward_can_exist(self) -> bool:
        """Whether the equation holds to numerical accuracy."""
        return self.worst <= TOLERANCE

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        if self.backward_can_exist:
            return (
                f"The equation holds on the whole grid (worst relative residual {self.worst:.1e}): a backward "
                "location-scale model exists, and no data can tell the directions apart."
            )
        i, j = np.unravel_index(np.argmax(self.relative), self.relative.shape)
        return (
            f"The equation fails (relative residual {self.typical:.2g} on average, {self.worst:.2g} at x = "
            f"{self.x[i]:.3g}, y = {self.y[j]:.3g}): no backward location-scale model exists, the direction is "
            "identifiable."
        )


def evaluate(model: Model, points: int = 13, coverage: float = 0.96) -> Balance:
    """Evaluate (*) with the only possible backward model, on a grid that covers both marginals' central part."""
    x, y = grid(model, points, coverage)
    at_x, at_y = variables(x[:, None], y[None, :])
    p_y, mean, sd = model.reverse_moments(at_y)
    s = (at_x - mean) / sd
    q, q1, q2 = (v.reshape(points, points) for v in model.reverse_noise(s.value.ravel()))
    nu = s.through((np.log(q), q1 / q, q2 / q - (q1 / q) ** 2)) - np.log(sd)
    return balance(model, x, y, np.log(p_y), nu)


def evaluate_exact(model: Model, points: int = 13, coverage: float = 0.96) -> Balance:
    """The same with the exact conditional: zero for every model, and so a check of every derivative."""
    x, y = grid(model, points, coverage)
    at_x, at_y = variables(x[:, None], y[None, :])
    log_p_y = np.log(model.reverse_moments(at_y)[0])
    nu = model.log_joint(at_x, at_y) - log_p_y
    return balance(model, x, y, log_p_y, nu)


def balance(model: Model, x: FloatArray, y: FloatArray, nu_1: Jet, nu: Jet) -> Balance:
    """The five terms, multiplied by G so that nothing is divided by zero."""
    at_x, at_y = variables(x[:, None], y[None, :])
    f, g = as_jet(model.location(at_x)), as_jet(model.scale(at_x))
    big_g = g.value * f.x + g.x * (at_y.value - f.value)
    terms = np.stack(np.broadcast_arrays(big_g * nu_1.yy, g.x * nu_1.y, big_g * nu.yy, g.value * nu.xy, g.x * nu.y))
    density = np.exp(np.asarray(model.log_joint(x[:, None], y[None, :])))
    relative = np.abs(terms.sum(axis=0)) / np.maximum(np.abs(terms).sum(axis=0), np.finfo(float).tiny)
    return Balance(x, y, relative, density / density.sum())


def grid(model: Model, points: int, coverage: float) -> tuple[FloatArray, FloatArray]:
    """Equally spaced between the outer quantiles of either marginal."""
    x, x_weights = model.cause_nodes
    y, y_weights = model.effect_nodes
    axes = []
    for nodes, mass in (
        (x, x_weights * np.exp(model.cause.log_density(x))),
        (y, y_weights * model.effect_density(y)),
    ):
        cumulative = np.cumsum(mass)
        low, high = np.interp((0.5 - 0.5 * coverage, 0.5 + 0.5 * coverage), cumulative / cumulative[-1], nodes)
        axes.append(np.linspace(low, high, num=points))
    return axes[0], axes[1]


# ---- families

Mechanism = Callable[[np.random.Generator], Function]

EXPONENT: FloatArray = np.array([[0.0, 2.0, 1.0], [2.0, 4.0, -1.0], [1.0, -1.0, 1.0]])
"""Where the path `temper` starts: a member of the second family that is the same with x and y exchanged."""
_FLOOR = 0.1
"""Keeps scales away from zero and |·| smooth: the equation speaks about densities with two derivatives."""


@dataclass(frozen=True, eq=False)
class BothGaussian:
    """One member; build it with `linear_gaussian`, `rational_gaussian` or one of the random draws."""

    exponent: FloatArray
    """The 3 × 3 matrix C."""

    def forward(self) -> Model:
        """The model x → y."""
        q, p, r = (_quadratic(c) for c in (self.exponent[:, 2], -0.5 * self.exponent[:, 1], self.exponent[:, 0]))
        cause = tabulate(lambda x: -0.5 * np.log(q(x)) + 0.5 * p(x) ** 2 / q(x) - 0.5 * r(x))
        return Model(lambda x: p(x) / q(x), lambda x: 1 / np.sqrt(q(x)), gaussian(), cause)

    def backward(self) -> Model:
        """The model y → x; its cause is y."""
        return BothGaussian(self.exponent.T).forward()

    def sample(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
        """Draw (x, y)."""
        return self.forward().sample(rng, n)


def linear_gaussian(correlation: float, sd_x: float = 1.0, sd_y: float = 1.0) -> BothGaussian:
    """The bivariate normal distribution with mean zero."""
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
    """A random bivariate normal distribution, symmetric in x and y."""
    return linear_gaussian(rng.uniform(0.2, 0.95) * rng.choice([-1.0, 1.0]))


def draw_rational(rng: np.random.Generator) -> BothGaussian:
    """A random member of the second family; C and its transpose are equally likely."""
    # C[0,2] = C[2,0] = 1 fixes the units of both columns.
    c = np.zeros((3, 3))
    c[0, 2] = c[2, 0] = 1.0
    c[2, 2] = np.exp(rng.uniform(np.log(0.1), np.log(3.0)))
    c[1, 2], c[2, 1] = 2 * np.sqrt(c[2, 2]) * rng.uniform(-0.8, 0.8, 2)
    c[0, 1], c[1, 0] = rng.normal(0, 1.5, 2)
    c[1, 1] = rng.normal(0, 1.5)
    return rational_gaussian(c)


def _additive(rng: np.random.Generator, mechanism: Mechanism) -> Model:
    return Model(mechanism(rng), lambda x: 0.2 + 0.0 * x, scale_mixture(), scale_mixture())


def _location_scale(rng: np.random.Generator, mechanism: Mechanism) -> Model:
    f = mechanism(rng)
    least = float(np.min(f(np.linspace(-4.2, 4.2, 2001))))  # of a thousand causes hardly one lies outside
    # √(a² + floor²) in place of a = f − min f, which is zero at one point.
    return Model(f, lambda x: 0.2 * np.sqrt((f(x) - least + _FLOOR) ** 2 + _FLOOR**2), scale_mixture(), scale_mixture())


def _multiplicative(rng: np.random.Generator) -> Model:
    f = sigmoid(rng)
    # y = f·U with U uniform on (0, 1): location f/2, scale |f|, noise uniform on (−½, ½).
    return Model(
        lambda x: 0.5 * f(x), lambda x: np.sqrt(f(x) ** 2 + _FLOOR**2), soft_uniform(-0.5, 0.5), scale_mixture()
    )


def waves(rng: np.random.Generator, count: int = 40) -> Function:
    """√(2/m) Σ cos(ωᵢx + φᵢ), ω ~ N(0, 1): covariance exp(−d²/2)."""
    # Random Fourier features (Rahimi & Recht 2007) for a Gaussian process, which has no formula to differentiate.
    omega, phase = rng.standard_normal(count), rng.uniform(0, 2 * np.pi, count)

    def f(x: Any) -> Any:
        total = 0.0 * x
        for w, p in zip(omega, phase, strict=True):
            total = total + np.cos(w * x + p)
        return np.sqrt(2 / count) * total

    return f


def sigmoid(rng: np.random.Generator) -> Function:
    """c·b(x+a)/(1 + |b(x+a)|) with |·| made smooth at zero."""
    a, b = rng.uniform(-2, 2), rng.uniform(0.5, 2) * rng.choice([-1.0, 1.0])
    c = 1 + rng.exponential(0.25)

    def f(x: Any) -> Any:
        z = b * (x + a)
        return c * z / (1 + np.sqrt(z**2 + _FLOOR**2))

    return f


def bend(t: float) -> Model:
    """From a straight line with constant noise to a bent one whose noise changes; cause and noise stay Gaussian."""
    return Model(
        lambda x: x + t * (np.tanh(2 * x) - x),
        lambda x: 0.5 * np.exp(0.5 * t * np.sin(1.5 * x)),
        gaussian(),
        gaussian(),
    )


def temper(t: float) -> Model:
    """f = P/Q and g = 1/√Q stay, and the cause's distribution becomes the Gaussian with its mean and variance."""
    # Only the marginal changes: what makes the second family exceptional is that the cause's distribution fits f and g.
    start = rational_gaussian(EXPONENT).forward()
    nodes, weights = panels(start.cause.low, start.cause.high, 400)
    mass = weights * np.exp(start.cause.log_density(nodes))
    mean = float(np.sum(mass * nodes))
    target = gaussian(mean, float(np.sqrt(np.sum(mass * (nodes - mean) ** 2))))
    cause = tabulate(lambda x: (1 - t) * start.cause.log_density(x) + t * target.log_density(x))
    return Model(start.location, start.scale, start.noise, cause)


FAMILIES = {"linear": draw_linear, "rational": draw_rational}
"""Fit both ways."""
GENERIC: dict[str, Callable[[np.random.Generator], Model]] = {
    "AN": lambda rng: _additive(rng, waves),
    "ANs": lambda rng: _additive(rng, sigmoid),
    "LS": lambda rng: _location_scale(rng, waves),
    "LSs": lambda rng: _location_scale(rng, sigmoid),
    "MNU": _multiplicative,
}
"""Like the models behind the sets of these names; identifiable."""
PATHS: dict[str, Callable[[float], Model]] = {"bend": bend, "temper": temper}
"""From a model that fits both ways (t = 0) to one that does not (t = 1)."""


def _quadratic(c: FloatArray) -> Function:
    c0, c1, c2 = map(float, c)
    return lambda v: c0 + c1 * v + c2 * v**2
