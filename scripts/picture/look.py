"""The pictures of a direction, for batches: the same numbers as `whence.evidence.picture.pictures` gives."""

import math

import torch
from torch import Tensor

from picture.pieces import std
from whence.evidence.picture import CENTRE_LOG_N, GRID


def left_out_line(v: Tensor, half: int) -> Tensor:
    """Local linear fit in the row number, window of ± half rows, the row itself left out."""
    b, n = v.shape
    i = torch.arange(n, device=v.device)
    low, high = (i - half).clamp_min(0), (i + half).clamp_max(n - 1)
    sums = torch.cat([torch.zeros(b, 1, device=v.device, dtype=v.dtype), v.cumsum(1)], 1)
    weighted = torch.cat([torch.zeros(b, 1, device=v.device, dtype=v.dtype), (v * i).cumsum(1)], 1)
    t0 = sums[:, high + 1] - sums[:, low] - v
    t1 = weighted[:, high + 1] - weighted[:, low] - i * v - i * t0
    a, c = (i - low).to(v.dtype), (high - i).to(v.dtype)
    s0 = a + c
    s1 = (c * (c + 1) - a * (a + 1)) / 2
    s2 = (c * (c + 1) * (2 * c + 1) + a * (a + 1) * (2 * a + 1)) / 6
    return (s2 * t0 - s1 * t1) / (s0 * s2 - s1 * s1)


def window_mean(v: Tensor, half: int) -> Tensor:
    """Mean over the rows within ± half."""
    b, n = v.shape
    i = torch.arange(n, device=v.device)
    low, high = (i - half).clamp_min(0), (i + half).clamp_max(n - 1)
    sums = torch.cat([torch.zeros(b, 1, device=v.device, dtype=v.dtype), v.cumsum(1)], 1)
    return (sums[:, high + 1] - sums[:, low]) / (high + 1 - low)


def residual(v: Tensor, half: int, half_scale: int) -> tuple[Tensor, Tensor]:
    """Residual from the local line in units of its local size, and the mean log of that size."""
    r = v - left_out_line(v, half)
    size = r.abs()
    scale = window_mean(size, half_scale) + 1e-2 * size.mean(1, keepdim=True) + 1e-6
    return 0.8 * r / scale, scale.log().mean(1)


def histogram(a: Tensor, c: Tensor) -> Tensor:
    """Square root of the density on the unit square, 32 × 32 cells."""
    b, n = a.shape
    cell = (a * GRID).long().clamp(0, GRID - 1) * GRID + (c * GRID).long().clamp(0, GRID - 1)
    ones = torch.ones_like(a, dtype=torch.float)
    counts = torch.zeros(b, GRID * GRID, device=a.device).scatter_add_(1, cell, ones)
    return (counts * (GRID * GRID / n)).sqrt().view(b, GRID, GRID)


def unit(z: Tensor) -> Tensor:
    """−3 … 3 to 0 … 1."""
    return (z + 3) / 6


def pictures(u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Images and scalars of every direction u → v."""
    b, n = u.shape
    order = u.argsort(1)
    u, v = std(u.gather(1, order).double()), std(v.gather(1, order).double())
    rank_u = ((torch.arange(n, device=u.device, dtype=u.dtype) + 0.5) / n).expand(b, n)
    rank_v = torch.empty_like(v).scatter_(1, v.argsort(1), rank_u)
    scores = std(torch.special.ndtri(rank_v))
    fine, coarse, wide = max(4, n // 64), max(6, n // 16), max(6, n // 12)
    z_fine, s_fine = residual(v, fine, wide)
    z_coarse, s_coarse = residual(v, coarse, wide)
    z_ranks, s_ranks = residual(scores, fine, wide)
    stack = [histogram(rank_u, rank_v), histogram(unit(u), unit(v)), histogram(rank_u, unit(z_fine)),
             histogram(rank_u, unit(z_coarse)), histogram(rank_u, unit(z_ranks))]  # fmt: skip
    scalars = torch.stack([torch.full_like(s_fine, math.log(n) - CENTRE_LOG_N), s_fine, s_coarse, s_ranks], 1)
    return torch.stack(stack, 1), scalars.float()
