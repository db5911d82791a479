"""Laws, functions and mechanisms of one half of the world; names and weights are those of `whence.evidence.halves`."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from picture.pieces import DEVICE, between, choose, gamma, increasing, process, rand, randn, random_density, std
from whence.evidence.halves import Half


def law(half: Half, b: int, n: int) -> Tensor:
    """Columns of random laws."""

    def standard_gamma(m: int, low: float, high: float) -> Tensor:
        return torch._standard_gamma(torch.exp(between(m, low, high)).expand(m, n).contiguous())

    def beta(m: int) -> Tensor:
        one, two = standard_gamma(m, -0.7, 2), standard_gamma(m, -0.7, 2)
        return one / (one + two + 1e-9)

    def mixture(m: int) -> Tensor:
        which = torch.multinomial(torch._standard_gamma(torch.full((m, 4), 1.2, device=DEVICE)), n, replacement=True)
        return (2 * randn(m, 4)).gather(1, which) + torch.exp(0.5 * randn(m, 4) - 0.3).gather(1, which) * randn(m, n)

    def arcsinh(m: int) -> Tensor:
        return torch.sinh((torch.asinh(randn(m, n)) + 0.5 * randn(m, 1)) * torch.exp(0.1 + 0.25 * randn(m, 1)))

    kinds: dict[str, Callable[[int], Tensor]] = {
        "density": lambda m: random_density(m, n, gamma(m, 5, 0.1) * between(m, 0.5, 3)),
        "gamma": lambda m: standard_gamma(m, -0.5, 3),
        "beta": beta,
        "mixture": mixture,
        "arcsinh": arcsinh,
        "student": lambda m: randn(m, n) / (standard_gamma(m, 0.4, 1.9) + 1e-3).sqrt(),
        "laplace": lambda m: torch.log(rand(m, n) + 1e-7) * (rand(m, n) - 0.5).sign(),
        "uniform": lambda m: rand(m, n),
        "lognormal": lambda m: torch.exp(between(m, 0.2, 0.9) * randn(m, n)),
        "normal": lambda m: randn(m, n),
    }
    options = {name: (lambda rows, make=make: make(len(rows))) for name, make in kinds.items()}
    column = choose(b, n, options, half.laws)
    return std(column + 1e-6 * randn(b, n)).clamp(-30, 30) * (rand(b, 1) - 0.5).sign()


def function(half: Half, u: Tensor) -> Tensor:
    """A random function of every column, standardised."""
    b, n = u.shape
    a, slope = randn(b, 1), torch.exp(between(b, -0.7, 1.5))
    inner = slope * (u - a)
    w = u - u.min(1, keepdim=True).values + torch.exp(between(b, -3, 1))
    options: dict[str, Callable[[Tensor], Tensor]] = {
        "process": lambda r: process([u[r]], [torch.exp(between(len(r), -0.5, 2.0))]),
        "increasing": lambda r: increasing(u[r].clamp(-8, 8), torch.exp(between(len(r), -0.5, 1.5))),
        "sigmoid": lambda r: inner[r] / (1 + inner[r].abs()) + between(len(r), 0, 0.3) * u[r],
        "log": lambda r: torch.log(w[r]),
        "power": lambda r: w[r] ** between(len(r), 0.3, 2.5),
        "hinge": lambda r: inner[r].clamp_min(0) + 0.5 * randn(len(r), 1) * u[r],
        "square": lambda r: (u - a)[r] ** 2 + randn(len(r), 1) * u[r],
        "line": lambda r: u[r],
    }
    return std(choose(b, n, options, half.functions) + 1e-6 * u)


def positive(half: Half, u: Tensor) -> Tensor:
    """A random positive function with mean square 1."""
    g = torch.exp(between(u.shape[0], 0.2, 1.0) * function(half, u).clamp(-6, 6))
    return g / g.pow(2).mean(1, keepdim=True).sqrt()


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


def mechanism(half: Half, u: Tensor, e: Tensor) -> Tensor:
    """An effect of every cause and noise."""
    b, n = u.shape
    level = torch.exp(between(b, math.log(0.05), math.log(4.0)))

    def scaled(r: Tensor) -> Tensor:
        return function(half, u[r]) + level[r] * positive(half, u[r]) * e[r]

    def multiplied(r: Tensor) -> Tensor:
        f = function(half, u[r])
        return (f - f.min(1, keepdim=True).values + between(len(r), 0, 0.5)) * (1 + level[r] * e[r])

    def inside(r: Tensor) -> Tensor:
        m = len(r)
        return process([u[r], e[r]], [torch.exp(between(m, -0.3, 2.2)), torch.exp(between(m, 0.3, 4.0))])

    options: dict[str, Callable[[Tensor], Tensor]] = {
        "additive": lambda r: function(half, u[r]) + level[r] * e[r],
        "scaled": scaled,
        "multiplied": multiplied,
        "outer": lambda r: outer(std(scaled(r))),
        "network": lambda r: network(u[r], torch.exp(between(len(r), -1.5, 0.7)) * e[r]),
        "inside": inside,
    }
    return choose(b, n, options, half.mechanisms)
