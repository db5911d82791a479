"""Laws and functions of the world; names and weights are those of `whence.evidence.thirds`."""

from collections.abc import Callable

import torch
from torch import Tensor

from picture.pieces import DEVICE, between, choose, gamma, increasing, process, rand, randn, random_density, std
from whence.evidence.thirds import Third


def inner_rand(b: int, n: int) -> Tensor:
    """Uniform numbers, 0 and 1 left out."""
    return rand(b, n).clamp(1e-6, 1 - 1e-6)


def logistic(b: int, n: int) -> Tensor:
    """Logistic numbers."""
    return torch.logit(inner_rand(b, n))


def law(third: Third, b: int, n: int) -> Tensor:
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

    def triangular(m: int) -> Tensor:
        top, p = rand(m, 1), rand(m, n)
        return torch.where(p < top, (p * top).sqrt(), 1 - ((1 - p) * (1 - top)).sqrt())

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
        "weibull": lambda m: (-torch.log(rand(m, n) + 1e-7)).clamp_min(1e-7) ** (1 / between(m, 0.8, 4)),
        "logistic": lambda m: logistic(m, n),
        "gumbel": lambda m: -torch.log(-torch.log(inner_rand(m, n))),
        "triangular": triangular,
        "censored": lambda m: torch.maximum(randn(m, n) + between(m, -0.5, 2), 1e-3 * rand(m, n)),
        "wave": lambda m: torch.sin(between(m, 0.5, 3) * rand(m, n) + between(m, 0, 3)) + 0.1 * logistic(m, n),
        "binomial": lambda m: (rand(m, n, 30) < 0.3).sum(2) + rand(m, n),
    }
    options = {name: (lambda rows, make=make: make(len(rows))) for name, make in kinds.items()}
    column = choose(b, n, options, third.laws)
    return std(column + 1e-6 * randn(b, n)).clamp(-30, 30) * (rand(b, 1) - 0.5).sign()


def function(third: Third, u: Tensor) -> Tensor:
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
        "sine": lambda r: torch.sin(between(len(r), 0.4, 2) * u[r] + between(len(r), 0, 6)) + 0.5 * a[r] * u[r],
        "saturation": lambda r: saturation(u[r]),
        "steps": lambda r: steps(u[r]),
        "cubic": lambda r: a[r] * u[r] + 0.5 * randn(len(r), 1) * u[r] ** 2 + 0.2 * randn(len(r), 1) * u[r] ** 3,
    }
    return std(choose(b, n, options, third.functions) + 1e-6 * u)


def saturation(u: Tensor) -> Tensor:
    """Rises from the smallest value, more and more slowly."""
    power, low = between(len(u), 1, 3), (u - u.min(1, keepdim=True).values).clamp_min(1e-6)
    return low**power / (between(len(u), 0.3, 3) ** power + low**power)


def steps(u: Tensor) -> Tensor:
    """Four steps, more or less steep."""
    b = len(u)
    inside = between(b, 1, 6)[:, :, None] * (u[:, :, None] - randn(b, 1, 4))
    return (torch.tanh(inside) * randn(b, 1, 4)).sum(2)


def positive(third: Third, u: Tensor) -> Tensor:
    """A random positive function with mean square 1."""
    g = torch.exp(between(u.shape[0], 0.2, 1.0) * function(third, u).clamp(-6, 6))
    return g / g.pow(2).mean(1, keepdim=True).sqrt()
