"""Calculus by machine: exact derivatives of NumPy formulas in two variables, and integrals of smooth functions.

A `Jet` is a function's value with its two first and three second derivatives at many points at once. Sums, products,
quotients and the usual elementary functions of jets are jets, so that `np.sin(x) / (1 + x**2)` written for arrays gives
its derivatives to rounding when x is a jet: forward-mode automatic differentiation (Griewank & Walther 2008, §13),
truncated at the second order. Integrals are Gauss–Legendre in many short panels.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike

from causewise.pair import FloatArray

Derivatives = tuple[Any, Any, Any]

_ORDER = 16


@dataclass(frozen=True, eq=False)
class Jet(NDArrayOperatorsMixin):
    """Value and derivatives; each field has the points' shape, or broadcasts to it."""

    value: Any
    x: Any = 0.0
    y: Any = 0.0
    xx: Any = 0.0
    xy: Any = 0.0
    yy: Any = 0.0

    def through(self, outer: Derivatives) -> "Jet":
        """The jet of F(self), given F, F′ and F″ at self's values (Faà di Bruno)."""
        value, first, second = outer
        return Jet(
            value,
            first * self.x,
            first * self.y,
            first * self.xx + second * self.x * self.x,
            first * self.xy + second * self.x * self.y,
            first * self.yy + second * self.y * self.y,
        )

    def map(self, linear: Callable[[FloatArray], FloatArray]) -> "Jet":
        """Apply a linear operation, a quadrature for instance, to the value and to every derivative."""
        shape = np.broadcast_shapes(*(np.shape(part) for part in self.parts))
        return Jet(*(linear(np.broadcast_to(np.asarray(part, float), shape)) for part in self.parts))

    @property
    def parts(self) -> tuple[Any, ...]:
        """Value, then the derivatives."""
        return self.value, self.x, self.y, self.xx, self.xy, self.yy

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        jets = [each if isinstance(each, Jet) else Jet(each) for each in inputs]
        if ufunc in _BINARY:
            return _BINARY[ufunc](*jets)
        if ufunc in _UNARY:
            return jets[0].through(_UNARY[ufunc](np.asarray(jets[0].value, float)))
        return NotImplemented


def variables(x: ArrayLike, y: ArrayLike) -> tuple[Jet, Jet]:
    """The two coordinates as jets, at the points of two arrays that broadcast."""
    return Jet(np.asarray(x, float), x=1.0), Jet(np.asarray(y, float), y=1.0)


def as_jet(value: Any) -> Jet:
    """A constant is a jet without derivatives."""
    return value if isinstance(value, Jet) else Jet(np.asarray(value, float))


def _sum(a: Jet, b: Jet) -> Jet:
    return Jet(*(np.add(p, q) for p, q in zip(a.parts, b.parts, strict=True)))


def _product(a: Jet, b: Jet) -> Jet:
    u, ux, uy, uxx, uxy, uyy = a.parts
    v, vx, vy, vxx, vxy, vyy = b.parts
    return Jet(
        u * v,
        ux * v + u * vx,
        uy * v + u * vy,
        uxx * v + 2 * ux * vx + u * vxx,
        uxy * v + ux * vy + uy * vx + u * vxy,
        uyy * v + 2 * uy * vy + u * vyy,
    )


def _quotient(a: Jet, b: Jet) -> Jet:
    v = np.asarray(b.value, float)
    return _product(a, b.through((1 / v, -1 / v**2, 2 / v**3)))


def _power(a: Jet, b: Jet) -> Jet:
    if any(np.any(part) for part in b.parts[1:]):
        return as_jet(np.exp(b * np.log(a)))
    u, n = np.asarray(a.value, float), np.asarray(b.value, float)
    first = np.where(n == 0, 0.0, n * u ** np.where(n == 0, 1.0, n - 1))
    flat = (n == 0) | (n == 1)
    return a.through((u**n, first, np.where(flat, 0.0, n * (n - 1) * u ** np.where(flat, 1.0, n - 2))))


def _log_add_exp(a: Jet, b: Jet) -> Jet:
    gap = a - b
    share = 0.5 * (1 + np.tanh(0.5 * gap.value))
    softplus = np.logaddexp(gap.value, 0.0)
    return _sum(b, gap.through((softplus, share, share * (1 - share))))


_BINARY: dict[Any, Callable[[Jet, Jet], Jet]] = {
    np.add: _sum,
    np.subtract: lambda a, b: _sum(a, b.through((np.negative(b.value), -1.0, 0.0))),
    np.multiply: _product,
    np.divide: _quotient,
    np.power: _power,
    np.logaddexp: _log_add_exp,
}

_UNARY: dict[Any, Callable[[FloatArray], Derivatives]] = {
    np.negative: lambda v: (-v, -1.0, 0.0),
    np.positive: lambda v: (v, 1.0, 0.0),
    np.absolute: lambda v: (np.abs(v), np.sign(v), 0.0),
    np.square: lambda v: (v * v, 2 * v, 2.0),
    np.sqrt: lambda v: (np.sqrt(v), 0.5 / np.sqrt(v), -0.25 / v**1.5),
    np.exp: lambda v: (np.exp(v), np.exp(v), np.exp(v)),
    np.log: lambda v: (np.log(v), 1 / v, -1 / v**2),
    np.log1p: lambda v: (np.log1p(v), 1 / (1 + v), -1 / (1 + v) ** 2),
    np.expm1: lambda v: (np.expm1(v), np.exp(v), np.exp(v)),
    np.sin: lambda v: (np.sin(v), np.cos(v), -np.sin(v)),
    np.cos: lambda v: (np.cos(v), -np.sin(v), -np.cos(v)),
    np.tanh: lambda v: (np.tanh(v), 1 - np.tanh(v) ** 2, -2 * np.tanh(v) * (1 - np.tanh(v) ** 2)),
    np.sinh: lambda v: (np.sinh(v), np.cosh(v), np.sinh(v)),
    np.cosh: lambda v: (np.cosh(v), np.sinh(v), np.cosh(v)),
    np.arctan: lambda v: (np.arctan(v), 1 / (1 + v * v), -2 * v / (1 + v * v) ** 2),
}


def panels(low: float, high: float, count: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights; exact for piecewise polynomials of degree 31 on `count` panels of equal length."""
    points, weights = _rule()
    edges = np.linspace(low, high, count + 1)
    half = 0.5 * np.diff(edges)[:, None]
    middle = 0.5 * (edges[1:] + edges[:-1])[:, None]
    return (middle + half * points).ravel(), (half * weights).ravel()


@cache
def _rule() -> tuple[FloatArray, FloatArray]:
    points, weights = np.polynomial.legendre.leggauss(_ORDER)
    return points, weights
