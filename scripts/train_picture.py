"""Train the picture channel of `whence` on generated pairs; needs PyTorch and a GPU, which the library itself does not.

    python scripts/train_picture.py --seconds 420 --out out/picture

Every step draws new pairs (the recipes of `whence.evidence.world`, written for batches), turns each direction into the
pictures of `whence.evidence.picture`, and takes a gradient step on the log-odds g(x, y) − g(y, x). No recorded pair and
no benchmark file is read. Writes `picture.npz` (float16 weights, batch normalisation folded in) and `check.npz` (pairs
with their log-odds, from which a test can tell that the library evaluates the same function).
"""

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

GRID = 32
WIDTHS = (48, 96, 96, 128, 128, 128)
STRIDES = (1, 2, 1, 2, 1, 2)
SKIPS = (0, 0, 1, 0, 1, 0)
HIDDEN = 64
SCALARS = 4
FEATURES = 96
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


# ---------------------------------------------------------------- random pieces, one row per pair
def rand(*size: int) -> Tensor:
    return torch.rand(*size, device=DEVICE)


def randn(*size: int) -> Tensor:
    return torch.randn(*size, device=DEVICE)


def between(b: int, low: float, high: float) -> Tensor:
    return low + (high - low) * rand(b, 1)


def gamma(b: int, shape: float, scale: float) -> Tensor:
    return scale * torch._standard_gamma(torch.full((b, 1), float(shape), device=DEVICE))


def std(v: Tensor) -> Tensor:
    v = v - v.mean(1, keepdim=True)
    return v / (v.pow(2).mean(1, keepdim=True).sqrt() + 1e-9)


def choose(b: int, n: int, options: list[tuple[float, Callable[[Tensor], Tensor]]]) -> Tensor:
    """For each of b rows one of the options, drawn by weight; an option is called with the rows it is to fill."""
    weights = torch.tensor([float(weight) for weight, _ in options], device=DEVICE)
    which = torch.multinomial(weights, b, replacement=True)
    out = torch.empty(b, n, device=DEVICE)
    for k, (_, make) in enumerate(options):
        rows = (which == k).nonzero()[:, 0]
        if len(rows):
            out[rows] = make(rows)
    return out


def process(columns: list[Tensor], lengths: list[Tensor]) -> Tensor:
    """A draw of a Gaussian process by random cosines."""
    b = columns[0].shape[0]
    phase = 2 * math.pi * rand(b, 1, FEATURES)
    for column, length in zip(columns, lengths, strict=True):
        phase = phase + (column / length)[:, :, None] * randn(b, 1, FEATURES)
    return (torch.cos(phase) * randn(b, 1, FEATURES)).sum(2) * math.sqrt(2 / FEATURES)


def increasing(column: Tensor, length: Tensor) -> Tensor:
    ordered, order = column.sort(1)
    slope = torch.exp(process([ordered], [length]))
    steps = (slope[:, 1:] + slope[:, :-1]) / 2 * ordered.diff(dim=1)
    mapped = torch.cat([torch.zeros_like(column[:, :1]), steps.cumsum(1)], 1)
    return torch.empty_like(column).scatter_(1, order, mapped)


def ordered_like(column: Tensor, values: Tensor) -> Tensor:
    return torch.empty_like(column).scatter_(1, column.argsort(1), values.sort(1).values)


def random_density(b: int, n: int, length: Tensor) -> Tensor:
    return std(increasing(randn(b, n), length))


def law(b: int, n: int) -> Tensor:
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

    def laplace(m: int) -> Tensor:
        return torch.log(rand(m, n) + 1e-7) * (rand(m, n) - 0.5).sign()

    kinds: list[tuple[float, Callable[[int], Tensor]]] = [
        (3, lambda m: random_density(m, n, gamma(m, 5, 0.1) * between(m, 0.5, 3))),
        (2, lambda m: standard_gamma(m, -0.5, 3)),
        (2, beta),
        (2, mixture),
        (2, arcsinh),
        (1, lambda m: randn(m, n) / (standard_gamma(m, 0.4, 1.9) + 1e-3).sqrt()),
        (1, laplace),
        (1.5, lambda m: rand(m, n)),
        (1, lambda m: torch.exp(between(m, 0.2, 0.9) * randn(m, n))),
        (2.5, lambda m: randn(m, n)),
    ]
    column = choose(b, n, [(weight, lambda rows, make=make: make(len(rows))) for weight, make in kinds])
    return std(column + 1e-6 * randn(b, n)).clamp(-30, 30) * (rand(b, 1) - 0.5).sign()


def function(u: Tensor) -> Tensor:
    b, n = u.shape
    a, slope = randn(b, 1), torch.exp(between(b, -0.7, 1.5))
    inner = slope * (u - a)
    w = u - u.min(1, keepdim=True).values + torch.exp(between(b, -3, 1))
    f = choose(b, n, [
        (3, lambda r: process([u[r]], [torch.exp(between(len(r), -0.5, 2.0))])),
        (2, lambda r: increasing(u[r].clamp(-8, 8), torch.exp(between(len(r), -0.5, 1.5)))),
        (1, lambda r: inner[r] / (1 + inner[r].abs()) + between(len(r), 0, 0.3) * u[r]),
        (0.5, lambda r: torch.log(w[r])),
        (0.5, lambda r: w[r] ** between(len(r), 0.3, 2.5)),
        (0.5, lambda r: inner[r].clamp_min(0) + 0.5 * randn(len(r), 1) * u[r]),
        (0.5, lambda r: (u - a)[r] ** 2 + randn(len(r), 1) * u[r]),
        (1, lambda r: u[r]),
    ])  # fmt: skip
    return std(f + 1e-6 * u)


def positive(u: Tensor) -> Tensor:
    g = torch.exp(between(u.shape[0], 0.2, 1.0) * function(u).clamp(-6, 6))
    return g / g.pow(2).mean(1, keepdim=True).sqrt()


def network(u: Tensor, e: Tensor, hidden: int = 20) -> Tensor:
    b = u.shape[0]
    inside = u[:, :, None] * randn(b, 1, hidden) + e[:, :, None] * randn(b, 1, hidden) + randn(b, 1, hidden)
    return (torch.tanh(inside) * randn(b, 1, hidden)).sum(2)


def outer(v: Tensor) -> Tensor:
    b, n = v.shape
    scaled, inside = (between(b, 0.3, 1.5) * v).clamp(-8, 8), v.clamp(-6, 6)
    return choose(b, n, [
        (1, lambda r: torch.exp(scaled[r])),
        (1, lambda r: torch.tanh(scaled[r])),
        (1, lambda r: inside[r] ** 3 + rand(len(r), 1) * v[r]),
        (1, lambda r: increasing(inside[r], torch.exp(between(len(r), -0.5, 1)))),
    ])  # fmt: skip


def mechanism(u: Tensor, e: Tensor) -> Tensor:
    b, n = u.shape
    level = torch.exp(between(b, math.log(0.05), math.log(4.0)))

    def scaled(r: Tensor) -> Tensor:
        return function(u[r]) + level[r] * positive(u[r]) * e[r]

    def multiplied(r: Tensor) -> Tensor:
        f = function(u[r])
        return (f - f.min(1, keepdim=True).values + between(len(r), 0, 0.5)) * (1 + level[r] * e[r])

    def noise_inside(r: Tensor) -> Tensor:
        m = len(r)
        return process([u[r], e[r]], [torch.exp(between(m, -0.3, 2.2)), torch.exp(between(m, 0.3, 4.0))])

    return choose(b, n, [
        (2, lambda r: function(u[r]) + level[r] * e[r]),
        (3, scaled),
        (1, multiplied),
        (1, lambda r: outer(std(scaled(r)))),
        (1, lambda r: network(u[r], torch.exp(between(len(r), -1.5, 0.7)) * e[r])),
        (2, noise_inside),
    ])  # fmt: skip


# ---------------------------------------------------------------- published recipes
SIM = {"density": (5.0, 0.1), "cause": (2.0, 1.5), "noise": (2.0, 20.0), "error": (2.0, 0.1)}
SIMLN = SIM | {"noise": (2.0, 300.0), "error": (2.0, 0.01)}
SIMG = SIM | {"density": None, "cause": None}


def simulated(b: int, n: int, law: dict, confounded: bool = False) -> tuple[Tensor, Tensor]:
    def noise() -> Tensor:
        return std(randn(b, n)) if law["density"] is None else random_density(b, n, gamma(b, *law["density"]))

    hidden = [noise()] if confounded else []
    spread = [gamma(b, *law["noise"]) for _ in hidden]
    if law["cause"] is None and not hidden:
        cause = noise()
    else:
        first = torch.full((b, 1), 1e3, device=DEVICE) if law["cause"] is None else gamma(b, *law["cause"])
        cause = std(process([noise(), *hidden], [first, *spread]) + 1e-4 * randn(b, n))
    lengths = [gamma(b, 2.0, 3.0), gamma(b, *law["noise"]), *(gamma(b, *law["noise"]) for _ in hidden)]
    effect = std(process([cause, noise(), *hidden], lengths) + 1e-4 * randn(b, n))
    return cause + gamma(b, *law["error"]) * randn(b, n), effect + gamma(b, *law["error"]) * randn(b, n)


def scale_mixture(b: int, n: int) -> Tensor:
    return (1 + rand(b, n)).sqrt() * randn(b, n)


def sigmoid(u: Tensor) -> Tensor:
    b = u.shape[0]
    inner = between(b, 0.5, 2) * (rand(b, 1) - 0.5).sign() * (u + between(b, -2, 2))
    return (1 + gamma(b, 1.0, 0.25)) * inner / (1 + inner.abs())


def classic(b: int, n: int, kind: str) -> tuple[Tensor, Tensor]:
    u = scale_mixture(b, n)
    f = process([u], [torch.ones(b, 1, device=DEVICE)]) if kind in ("AN", "LS") else sigmoid(u)
    if kind == "MNU":
        return u, f * rand(b, n)
    e = 0.2 * scale_mixture(b, n)
    return u, f + e if kind in ("AN", "ANs") else f + (f - f.min(1, keepdim=True).values) * e


def combination(b: int, n: int) -> tuple[Tensor, Tensor]:
    def variable() -> Tensor:
        raw = torch.where(rand(b, 1) < 0.5, randn(b, n), std(rand(b, n)))
        return randn(b, 1) * raw + randn(b, 1)

    u, e = variable(), variable()
    slope, offset = randn(b, 1), randn(b, 1)
    square = rand(b, 1) < 0.5

    def f(v: Tensor) -> Tensor:
        return slope * torch.where(square, v * v, v) + offset

    kinds = [f(u + e), f(u * e), f(u) + e, f(u) * e]
    return u, choose(b, n, [(1, lambda r, v=v: v[r]) for v in kinds])


PUBLISHED = {
    "SIM": lambda b, n: simulated(b, n, SIM),
    "SIMc": lambda b, n: simulated(b, n, SIM, True),
    "SIMln": lambda b, n: simulated(b, n, SIMLN),
    "SIMG": lambda b, n: simulated(b, n, SIMG),
    "AN": lambda b, n: classic(b, n, "AN"),
    "ANs": lambda b, n: classic(b, n, "ANs"),
    "LS": lambda b, n: classic(b, n, "LS"),
    "LSs": lambda b, n: classic(b, n, "LSs"),
    "MNU": lambda b, n: classic(b, n, "MNU"),
    "Multi": combination,
    "Net": lambda b, n: (u := law(b, n), network(u, randn(b, n))),
}
SHARES = {"SIM": 3, "SIMc": 3, "SIMln": 3, "SIMG": 3, "Multi": 2, "Net": 2}


# ---------------------------------------------------------------- the world
def core(b: int, n: int) -> tuple[Tensor, Tensor]:
    """Direct effects, effects through a hidden step (a tenth), effects beside a hidden common cause (an eighth)."""
    u = law(b, n)
    stepped, beside = b // 10, b // 8
    share, hidden = between(beside, 0.2, 1.0), law(beside, n)
    u[:beside] = std(u[:beside] + share * function(hidden))
    v = std(mechanism(u, law(b, n))).clamp(-20, 20)
    v[:beside] = v[:beside] + share * function(hidden)
    v[beside : beside + stepped] = mechanism(v[beside : beside + stepped], law(stepped, n))
    order = torch.randperm(b, device=DEVICE)
    return u[order], v[order]


def remarginalised(u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Rows in three blocks (they come in random order): warped, given new laws, exchanged; the rest stays."""
    b, n = u.shape
    warped, renewed, exchanged = (slice(int(b * i), int(b * j)) for i, j in ((0, 0.25), (0.25, 0.6), (0.6, 0.8)))
    out = []
    for w, other in ((u, v), (v, u)):
        new = w.clone()
        part = w[warped]
        new[warped] = increasing(part.clamp(-8, 8), torch.exp(between(len(part), -0.5, 1)))
        new[renewed] = ordered_like(w[renewed], law(len(w[renewed]), n))
        new[exchanged] = ordered_like(w[exchanged], other[exchanged])
        out.append(std(new))
    return out[0], out[1]


def recorded(u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    b, n = u.shape
    error, outlying, coarse = (rand(b, 1) < p for p in (0.4, 0.1, 0.65))
    out = []
    for w in (u, v):
        w = torch.where(error, w + gamma(b, 2.0, 0.07) * randn(b, n), w)
        hit = rand(b, n) < between(b, 0.002, 0.03)
        w = torch.where(outlying & hit, w + (4 + 4 * rand(b, n)) * (rand(b, n) - 0.5).sign(), w)
        ordered, share = w.sort(1).values, between(b, 0.02, 0.4)
        low, high = (ordered.gather(1, (q * (n - 1)).long()) for q in (share, 1 - share))
        cut = rand(b, 1)
        w = torch.where(coarse & (cut < 0.1), torch.maximum(w, low), w)
        w = torch.where(coarse & (cut > 0.95), torch.minimum(w, high), w)
        step = 4.5 / torch.exp(between(b, math.log(6), math.log(400)))
        # Rounded, then spread evenly over the cell, as the library does with ties.
        rounded = (torch.round(w / step) + rand(b, n) - 0.5) * step
        w = torch.where(coarse & (rand(b, 1) < 0.85), rounded, w)
        out.append(w + 1e-5 * randn(b, n))
    return out[0], out[1]


def batch(b: int, n: int) -> tuple[Tensor, Tensor]:
    """Cause and effect of b pairs; a third follow published recipes, half of these neither warped nor damaged."""
    third = b // 3
    names = list(PUBLISHED)
    weights = np.array([SHARES.get(name, 1) for name in names], float)
    counts = np.floor(third * weights / weights.sum()).astype(int)
    drawn = [PUBLISHED[name](int(c), n) for name, c in zip(names, counts, strict=True) if c]
    u1, v1 = (torch.cat([pair[k] for pair in drawn]) for k in (0, 1))
    order = torch.randperm(len(u1), device=DEVICE)
    u1, v1 = std(u1)[order], std(v1)[order]
    keep = rand(len(u1), 1) < 0.6
    spoiled = recorded(*remarginalised(u1, v1))
    u1, v1 = torch.where(keep, u1, spoiled[0]), torch.where(keep, v1, spoiled[1])
    u2, v2 = core(b - len(u1), n)
    u2, v2 = recorded(*remarginalised(std(u2), std(v2)))
    u, v = torch.cat([u1, u2]), torch.cat([v1, v2])
    good = torch.isfinite(u).all(1) & torch.isfinite(v).all(1) & (u.std(1) > 0) & (v.std(1) > 0)
    return std(u[good]), std(v[good])


# ---------------------------------------------------------------- pictures
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
    b, n = v.shape
    i = torch.arange(n, device=v.device)
    low, high = (i - half).clamp_min(0), (i + half).clamp_max(n - 1)
    sums = torch.cat([torch.zeros(b, 1, device=v.device, dtype=v.dtype), v.cumsum(1)], 1)
    return (sums[:, high + 1] - sums[:, low]) / (high + 1 - low)


def residual(v: Tensor, half: int, half_scale: int) -> tuple[Tensor, Tensor]:
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
    return (z + 3) / 6


def pictures(u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
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
    scalars = torch.stack([torch.full_like(s_fine, math.log(n) - 6), s_fine, s_coarse, s_ranks], 1)
    return torch.stack(stack, 1), scalars.float()


class Net(nn.Module):
    """3 × 3 convolutions; layers marked in SKIPS add their input."""

    def __init__(self) -> None:
        super().__init__()
        widths = (5, *WIDTHS)
        self.convs = nn.ModuleList(
            nn.Conv2d(a, c, 3, stride=s, padding=1) for a, c, s in zip(widths[:-1], widths[1:], STRIDES, strict=True)
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(c) for c in WIDTHS)
        self.hidden = nn.Linear(WIDTHS[-1] * 16 + SCALARS, HIDDEN)
        self.drop = nn.Dropout(0.1)
        self.last = nn.Linear(HIDDEN, 1)

    def forward(self, images: Tensor, scalars: Tensor) -> Tensor:
        h = images
        for conv, norm, skip in zip(self.convs, self.norms, SKIPS, strict=True):
            inside = torch.relu(norm(conv(h)))
            h = h + inside if skip else inside
        return self.last(self.drop(torch.relu(self.hidden(torch.cat([h.flatten(1), scalars], 1)))))[:, 0]


def log_odds(net: nn.Module, u: Tensor, v: Tensor) -> Tensor:
    with torch.no_grad():
        one, two = pictures(u, v), pictures(v, u)
        images, scalars = torch.cat([one[0], two[0]]), torch.cat([one[1], two[1]])
    with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=net.training):
        out = net(images.to(memory_format=torch.channels_last), scalars).float()
    return out[: len(u)] - out[len(u) :]


def folded(net: Net) -> dict[str, np.ndarray]:
    """Weights with the batch normalisation folded into the convolutions."""
    out: dict[str, np.ndarray] = {"strides": np.array(STRIDES), "skips": np.array(SKIPS)}
    for k, (conv, norm) in enumerate(zip(net.convs, net.norms, strict=True)):
        gain = norm.weight / (norm.running_var + norm.eps).sqrt()
        out[f"w{k}"] = (conv.weight * gain[:, None, None, None]).detach().cpu().numpy().astype(np.float16)
        out[f"b{k}"] = ((conv.bias - norm.running_mean) * gain + norm.bias).detach().cpu().numpy().astype(np.float32)
    for name, layer in (("hidden", net.hidden), ("last", net.last)):
        out[f"w_{name}"] = layer.weight.detach().cpu().numpy().astype(np.float16)
        out[f"b_{name}"] = layer.bias.detach().cpu().numpy().astype(np.float32)
    return out


def evaluate(net: nn.Module, pairs: int = 600, n: int = 1000) -> str:
    training = net.training
    net.eval()
    found = []
    with torch.no_grad():
        for name, make in {**PUBLISHED, "world": batch}.items():
            scores = []
            while sum(map(len, scores)) < pairs:
                u, v = make(200, n)
                good = torch.isfinite(u).all(1) & torch.isfinite(v).all(1)
                scores.append(log_odds(net, std(u[good]), std(v[good])))
            s = torch.cat(scores)
            right = (s > 0).float()[s.abs().argsort(descending=True)]
            curve = right.cumsum(0) / torch.arange(1, len(s) + 1, device=s.device)
            found.append(f"{name} {100 * right.mean():.1f}/{100 * curve.mean():.1f}")
    net.train(training)
    return "  ".join(found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=420)
    parser.add_argument("--points", type=int, default=250_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--out", type=Path, default=Path("out/picture"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(given.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    rng = np.random.default_rng(given.seed)
    net = Net().to(DEVICE).to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=given.rate, weight_decay=1e-2)
    start, last, step, seen, running = time.time(), 0.0, 0, 0, 0.0
    while (spent := time.time() - start) < given.seconds:
        done = spent / given.seconds
        for group in optimiser.param_groups:
            group["lr"] = given.rate * min(1.0, (step + 1) / 300) * 0.5 * (1 + math.cos(math.pi * done))
        n = int(np.exp(rng.uniform(np.log(60), np.log(2000))))
        with torch.no_grad():
            u, v = batch(min(1024, max(128, given.points // n)), n)
        loss = nn.functional.softplus(-log_odds(net, u, v)).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        average.update_parameters(net)
        step, seen = step + 1, seen + len(u)
        running = 0.99 * running + 0.01 * float(loss.detach())
        if spent - last > 120:
            last = spent
            print(f"{spent:.0f} s, step {step}, pairs {seen}, loss {running:.4f}", evaluate(average.module), flush=True)
    final = average.module.eval()
    print(f"end: step {step}, pairs {seen}, loss {running:.4f}\n  {evaluate(final, 2000)}", flush=True)
    np.savez_compressed(given.out / "picture.npz", steps=step, pairs=seen, **folded(final))
    with torch.no_grad():
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
        checks = [(u[:3], v[:3], log_odds(final, u, v)[:3]) for u, v in (batch(128, n) for n in (100, 500, 1000))]
    np.savez_compressed(
        given.out / "check.npz",
        **{f"{name}{k}": t.cpu().numpy() for k, row in enumerate(checks) for name, t in zip("uvs", row, strict=True)},
    )


if __name__ == "__main__":
    main()
