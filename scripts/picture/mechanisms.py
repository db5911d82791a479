"""Mechanisms of the world for batches, as `whence.evidence.mechanisms` has them: effects of causes u and noises e."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from picture.ingredients import function, law, logistic, positive
from picture.pieces import DEVICE, between, choose, increasing, process, rand, randn, std
from whence.evidence.thirds import Third


def counts(third: Third, u: Tensor, e: Tensor) -> Tensor:
    """Poisson numbers; half of them more spread than that."""
    b, n = u.shape
    rate = torch.exp(between(b, 0.5, 5) + between(b, 0.2, 1.2) * function(third, u).clamp(-8, 8))
    spread = 0.25 * torch._standard_gamma(torch.full((b, n), 4.0, device=DEVICE))
    return torch.poisson(torch.where(rand(b, 1) < 0.5, rate * spread, rate).clamp_max(1e6))


def waiting(third: Third, u: Tensor, e: Tensor) -> Tensor:
    """Weibull times whose scale depends on the cause."""
    b, n = u.shape
    times = (-torch.log(rand(b, n) + 1e-7)).clamp_min(1e-7) ** (1 / between(b, 0.8, 5))
    return torch.exp(between(b, 0.3, 1.5) * function(third, u).clamp(-10, 10)) * times


def growth(third: Third, u: Tensor, e: Tensor) -> Tensor:
    """Small multiplicative steps towards a ceiling, their rate depending on the cause."""
    b, n = u.shape
    rate = 0.15 * torch.exp(between(b, 0.2, 0.8) * function(third, u).clamp(-8, 8))
    v, shake, last = torch.full_like(u, 0.1), between(b, 0.01, 0.2), torch.randint(10, 40, (b, 1), device=DEVICE)
    for step in range(39):
        moved = (v + v * (1 - v) * (rate + shake * logistic(b, n))).clamp(1e-4, 1.0)
        v = torch.where(step < last, moved, v)
    return v


def equilibrium(third: Third, u: Tensor, e: Tensor) -> Tensor:
    """The y that solves y = f(x) + a·tanh(y) + noise."""
    drive, a = function(third, u) + torch.exp(between(len(u), -2, 1)) * e, between(len(u), -0.9, 0.9)
    y = drive
    for _ in range(60):
        y = drive + a * torch.tanh(y)
    return y


def regimes(third: Third, u: Tensor, e: Tensor) -> Tensor:
    """One of two curves, the chance of the second depending on the cause."""
    b, n = u.shape
    second = rand(b, n) < torch.sigmoid(between(b, 0.5, 3) * u - randn(b, 1))
    other = function(third, u) + randn(b, 1)
    return torch.where(second, other, function(third, u)) + torch.exp(between(b, -2, 0.5)) * e


def ratio(third: Third, u: Tensor, e: Tensor) -> Tensor:
    """Cause over a noisy quantity."""
    top, below = (w - w.min(1, keepdim=True).values for w in (u, e))
    return (top + torch.exp(between(len(u), -1, 1))) / (below + torch.exp(between(len(u), -1, 1.5)))


def moved_quantiles(third: Third, u: Tensor, e: Tensor) -> Tensor:
    """Spread and skewness of the effect both follow the cause."""
    tilt = between(len(u), 0, 0.9) * torch.tanh(function(third, u))
    return function(third, u) + torch.exp(between(len(u), -2, 0.8)) * (e + tilt * e.abs())


def ceiling(third: Third, u: Tensor, e: Tensor) -> Tensor:
    """The smaller of what the cause allows and of what something else allows."""
    b, n = u.shape
    return torch.minimum(function(third, u), randn(b, 1) + e) + 0.1 * law(third, b, n)


NATURAL: dict[str, Callable[[Third, Tensor, Tensor], Tensor]] = {
    "counts": counts,
    "waiting": waiting,
    "growth": growth,
    "equilibrium": equilibrium,
    "regimes": regimes,
    "ratio": ratio,
    "moved_quantiles": moved_quantiles,
    "ceiling": ceiling,
}


def network(u: Tensor, e: Tensor, hidden: int = 20) -> Tensor:
    """Random tanh units of cause and noise."""
    b = u.shape[0]
    inside = u[:, :, None] * randn(b, 1, hidden) + e[:, :, None] * randn(b, 1, hidden) + randn(b, 1, hidden)
    return (torch.tanh(inside) * randn(b, 1, hidden)).sum(2)


def outer(v: Tensor) -> Tensor:
    """A fixed or random increasing map of a whole effect."""
    b, n = v.shape
    scaled, inside = (between(b, 0.3, 1.5) * v).clamp(-8, 8), v.clamp(-6, 6)
    options: dict[str, Callable[[Tensor], Tensor]] = {
        "exp": lambda r: torch.exp(scaled[r]),
        "tanh": lambda r: torch.tanh(scaled[r]),
        "cube": lambda r: inside[r] ** 3 + rand(len(r), 1) * v[r],
        "warp": lambda r: increasing(inside[r], torch.exp(between(len(r), -0.5, 1))),
    }
    return choose(b, n, options, dict.fromkeys(options, 1.0))


def mechanism(third: Third, u: Tensor, e: Tensor) -> Tensor:
    """An effect of every cause and noise."""
    b, n = u.shape
    level = torch.exp(between(b, math.log(0.05), math.log(4.0)))

    def scaled(r: Tensor) -> Tensor:
        return function(third, u[r]) + level[r] * positive(third, u[r]) * e[r]

    def multiplied(r: Tensor) -> Tensor:
        f = function(third, u[r])
        return (f - f.min(1, keepdim=True).values + between(len(r), 0, 0.5)) * (1 + level[r] * e[r])

    def inside(r: Tensor) -> Tensor:
        m = len(r)
        return process([u[r], e[r]], [torch.exp(between(m, -0.3, 2.2)), torch.exp(between(m, 0.3, 4.0))])

    options: dict[str, Callable[[Tensor], Tensor]] = {
        "additive": lambda r: function(third, u[r]) + level[r] * e[r],
        "scaled": scaled,
        "multiplied": multiplied,
        "outer": lambda r: outer(std(scaled(r))),
        "network": lambda r: network(u[r], torch.exp(between(len(r), -1.5, 0.7)) * e[r]),
        "inside": inside,
    }
    options |= {name: (lambda r, make=make: make(third, u[r], e[r])) for name, make in NATURAL.items()}
    return choose(b, n, options, third.mechanisms)
