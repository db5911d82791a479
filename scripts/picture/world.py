"""Batches of pairs of the world: mechanisms, marginals that give nothing away, what recording does."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from picture.ingredients import function, law
from picture.mechanisms import mechanism
from picture.pieces import DEVICE, between, gamma, increasing, ordered_like, rand, randn, std
from picture.recipes import Columns, published
from whence.evidence.thirds import Third
from whence.evidence.world import COARSEST, FINEST

KEPT = 0.6
"""Share of pairs of published recipes that are neither warped nor damaged."""


def batch(thirds: Sequence[Third], b: int, n: int) -> Columns:
    """Cause and effect of about b pairs, as many of each third."""
    drawn = [_batch(third, b // len(thirds), n) for third in thirds]
    return torch.cat([u for u, _ in drawn]), torch.cat([v for _, v in drawn])


def _batch(third: Third, b: int, n: int) -> Columns:
    recipes = int(third.published * b)
    u, v = core(third, b - recipes, n)
    u, v = recorded(*remarginalised(third, std(u), std(v)))
    if recipes:
        u1, v1 = published(third, recipes, n)
        keep = rand(len(u1), 1) < KEPT
        spoiled = recorded(*remarginalised(third, u1, v1))
        u, v = torch.cat([u, torch.where(keep, u1, spoiled[0])]), torch.cat([v, torch.where(keep, v1, spoiled[1])])
    good = torch.isfinite(u).all(1) & torch.isfinite(v).all(1) & (u.std(1) > 0) & (v.std(1) > 0)
    return std(u[good]), std(v[good])


def core(third: Third, b: int, n: int) -> Columns:
    """Direct effects, effects through a hidden step, effects beside a hidden common cause."""
    u = law(third, b, n)
    stepped, beside = int(third.hidden_step * b), int(third.common_cause * b)
    if beside:
        share, hidden = between(beside, 0.2, 1.0), law(third, beside, n)
        u[:beside] = std(u[:beside] + share * function(third, hidden))
    v = std(mechanism(third, u, law(third, b, n))).clamp(-20, 20)
    if beside:
        v[:beside] = v[:beside] + share * function(third, hidden)
    if stepped:
        v[-stepped:] = mechanism(third, v[-stepped:], law(third, stepped, n))
    order = torch.randperm(b, device=DEVICE)
    return u[order], v[order]


def remarginalised(third: Third, u: Tensor, v: Tensor) -> Columns:
    """Rows in three blocks (they come in random order): warped, given new laws, exchanged; the rest stays."""
    b, n = u.shape
    warped, renewed, exchanged = (slice(int(b * i), int(b * j)) for i, j in ((0, 0.25), (0.25, 0.6), (0.6, 0.8)))
    out = []
    for w, other in ((u, v), (v, u)):
        new = w.clone()
        part = w[warped]
        new[warped] = increasing(part.clamp(-8, 8), torch.exp(between(len(part), -0.5, 1)))
        new[renewed] = ordered_like(w[renewed], law(third, len(w[renewed]), n))
        new[exchanged] = ordered_like(w[exchanged], other[exchanged])
        out.append(std(new))
    return out[0], out[1]


def recorded(u: Tensor, v: Tensor) -> Columns:
    """What measuring and writing down does, drawn anew for each column."""
    b = len(u)
    error, outlying, coarse = (rand(b, 1) < p for p in (0.4, 0.1, 0.65))
    one, two = (_recorded(w, error, outlying, coarse) for w in (u, v))
    return one, two


def _recorded(w: Tensor, error: Tensor, outlying: Tensor, coarse: Tensor) -> Tensor:
    b, n = w.shape
    w = torch.where(error, w + gamma(b, 2.0, 0.07) * randn(b, n), w)
    hit = rand(b, n) < between(b, 0.002, 0.03)
    w = torch.where(outlying & hit, w + (4 + 4 * rand(b, n)) * (rand(b, n) - 0.5).sign(), w)
    ordered, share = w.sort(1).values, between(b, 0.02, 0.4)
    low, high = (ordered.gather(1, (q * (n - 1)).long()) for q in (share, 1 - share))
    cut = rand(b, 1)
    w = torch.where(coarse & (cut < 0.1), torch.maximum(w, low), w)
    w = torch.where(coarse & (cut > 0.95), torch.minimum(w, high), w)
    step = 4.5 / torch.exp(between(b, math.log(COARSEST), math.log(FINEST)))
    # Rounded, then spread evenly over the cell, as the library does with ties.
    rounded = (torch.round(w / step) + rand(b, n) - 0.5) * step
    w = torch.where(coarse & (rand(b, 1) < 0.85), rounded, w)
    return w + 1e-5 * randn(b, n)
