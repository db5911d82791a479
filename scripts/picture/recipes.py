"""Published simulators for batches: b pairs of n rows each."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from picture.mechanisms import network
from picture.pieces import DEVICE, between, choose, gamma, process, rand, randn, random_density, std
from whence.evidence.thirds import Third

Columns = tuple[Tensor, Tensor]
Pair = tuple[float, float]


class Settings(NamedTuple):
    """Gamma shapes and scales of SIM and its kin (Mooij et al. 2016)."""

    noise: Pair = (2.0, 20.0)
    error: Pair = (2.0, 0.1)
    gaussian: bool = False
    confounded: bool = False


def simulated(law: Settings, b: int, n: int) -> Columns:
    """SIM and its kin."""

    def noise() -> Tensor:
        return std(randn(b, n)) if law.gaussian else random_density(b, n, gamma(b, 5.0, 0.1))

    hidden = [noise()] if law.confounded else []
    cause = noise()
    if not law.gaussian:
        spread = [gamma(b, *law.noise) for _ in hidden]
        cause = std(process([cause, *hidden], [gamma(b, 2.0, 1.5), *spread]) + 1e-4 * randn(b, n))
    lengths = [gamma(b, 2.0, 3.0), gamma(b, *law.noise), *(gamma(b, *law.noise) for _ in hidden)]
    effect = std(process([cause, noise(), *hidden], lengths) + 1e-4 * randn(b, n))
    return cause + gamma(b, *law.error) * randn(b, n), effect + gamma(b, *law.error) * randn(b, n)


def scale_mixture(b: int, n: int) -> Tensor:
    """Normals whose variance is itself random."""
    return (1 + rand(b, n)).sqrt() * randn(b, n)


def sigmoid(u: Tensor) -> Tensor:
    """A random sigmoid."""
    b = u.shape[0]
    inner = between(b, 0.5, 2) * (rand(b, 1) - 0.5).sign() * (u + between(b, -2, 2))
    return (1 + gamma(b, 1.0, 0.25)) * inner / (1 + inner.abs())


def classic(kind: str, b: int, n: int) -> Columns:
    """AN, ANs, LS, LSs, MNU (Tagasovska et al. 2020)."""
    u = scale_mixture(b, n)
    f = process([u], [torch.ones(b, 1, device=DEVICE)]) if kind in ("AN", "LS") else sigmoid(u)
    if kind == "MNU":
        return u, f * rand(b, n)
    e = 0.2 * scale_mixture(b, n)
    return u, f + e if kind in ("AN", "ANs") else f + (f - f.min(1, keepdim=True).values) * e


def combination(b: int, n: int) -> Columns:
    """Multi (Goudet et al. 2018): sums and products of cause and noise, before or after a simple function."""

    def variable() -> Tensor:
        raw = torch.where(rand(b, 1) < 0.5, randn(b, n), std(rand(b, n)))
        return randn(b, 1) * raw + randn(b, 1)

    u, e = variable(), variable()
    slope, offset, square = randn(b, 1), randn(b, 1), rand(b, 1) < 0.5

    def f(v: Tensor) -> Tensor:
        return slope * torch.where(square, v * v, v) + offset

    kinds = {"pre-sum": f(u + e), "pre-product": f(u * e), "post-sum": f(u) + e, "post-product": f(u) * e}
    options = {name: (lambda r, v=v: v[r]) for name, v in kinds.items()}
    return u, choose(b, n, options, dict.fromkeys(kinds, 1.0))


def of_network(b: int, n: int) -> Columns:
    """Net-like: simple laws, one hidden layer."""
    options: dict[str, Callable[[Tensor], Tensor]] = {
        "normal": lambda r: randn(len(r), n),
        "uniform": lambda r: rand(len(r), n),
        "exponential": lambda r: -torch.log(rand(len(r), n) + 1e-7),
        "lognormal": lambda r: torch.exp(0.5 * randn(len(r), n)),
    }
    u = std(choose(b, n, options, dict.fromkeys(options, 1.0)))
    return u, network(u, randn(b, n))


RECIPES: dict[str, Callable[[int, int], Columns]] = {
    "SIM": lambda b, n: simulated(Settings(), b, n),
    "SIMc": lambda b, n: simulated(Settings(confounded=True), b, n),
    "SIMln": lambda b, n: simulated(Settings(noise=(2.0, 300.0), error=(2.0, 0.01)), b, n),
    "SIMG": lambda b, n: simulated(Settings(gaussian=True), b, n),
    **{kind: (lambda b, n, kind=kind: classic(kind, b, n)) for kind in ("AN", "ANs", "LS", "LSs", "MNU")},
    "Multi": combination,
    "Net": of_network,
}


def published(third: Third, b: int, n: int) -> Columns:
    """About b pairs of a third's recipes, by their weights, in random order."""
    total = sum(third.recipes.values())
    counts = {name: int(b * weight / total) for name, weight in third.recipes.items()}
    drawn = [RECIPES[name](count, n) for name, count in counts.items() if count]
    u, v = (torch.cat([pair[k] for pair in drawn]) for k in (0, 1))
    order = torch.randperm(len(u), device=DEVICE)
    return std(u)[order], std(v)[order]
