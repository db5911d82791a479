"""Random pieces, one row per pair."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FEATURES = 96


def rand(*size: int) -> Tensor:
    """Uniform numbers."""
    return torch.rand(*size, device=DEVICE)


def randn(*size: int) -> Tensor:
    """Normal numbers."""
    return torch.randn(*size, device=DEVICE)


def between(b: int, low: float, high: float) -> Tensor:
    """One uniform number per pair."""
    return low + (high - low) * rand(b, 1)


def gamma(b: int, shape: float, scale: float) -> Tensor:
    """One gamma number per pair."""
    return scale * torch._standard_gamma(torch.full((b, 1), float(shape), device=DEVICE))


def std(v: Tensor) -> Tensor:
    """Mean 0 and variance 1 in every row."""
    v = v - v.mean(1, keepdim=True)
    return v / (v.pow(2).mean(1, keepdim=True).sqrt() + 1e-9)


def choose(b: int, n: int, options: dict[str, Callable[[Tensor], Tensor]], weights: dict[str, float]) -> Tensor:
    """For each of b rows one of the weighted options; an option is called with the rows it is to fill."""
    shares = torch.tensor(list(weights.values()), dtype=torch.float, device=DEVICE)
    which = torch.multinomial(shares, b, replacement=True)
    out = torch.empty(b, n, device=DEVICE)
    for k, name in enumerate(weights):
        rows = (which == k).nonzero()[:, 0]
        if len(rows):
            out[rows] = options[name](rows)
    return out


def process(columns: list[Tensor], lengths: list[Tensor]) -> Tensor:
    """A draw of a Gaussian process by random cosines."""
    b = columns[0].shape[0]
    phase = 2 * math.pi * rand(b, 1, FEATURES)
    for column, length in zip(columns, lengths, strict=True):
        phase = phase + (column / length)[:, :, None] * randn(b, 1, FEATURES)
    return (torch.cos(phase) * randn(b, 1, FEATURES)).sum(2) * math.sqrt(2 / FEATURES)


def increasing(column: Tensor, length: Tensor) -> Tensor:
    """A random increasing map: the integral of the exponential of a process."""
    ordered, order = column.sort(1)
    slope = torch.exp(process([ordered], [length]))
    steps = (slope[:, 1:] + slope[:, :-1]) / 2 * ordered.diff(dim=1)
    mapped = torch.cat([torch.zeros_like(column[:, :1]), steps.cumsum(1)], 1)
    return torch.empty_like(column).scatter_(1, order, mapped)


def ordered_like(column: Tensor, values: Tensor) -> Tensor:
    """The values, in the order of the column."""
    return torch.empty_like(column).scatter_(1, column.argsort(1), values.sort(1).values)


def random_density(b: int, n: int, length: Tensor) -> Tensor:
    """Normals under a random increasing map."""
    return std(increasing(randn(b, n), length))
