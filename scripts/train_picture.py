"""Train the picture channel of `whence` on generated pairs; needs PyTorch and a GPU, neither of which the library needs.

    python scripts/train_picture.py --seconds 420 --out out/picture

Every step draws new pairs (the recipes of `whence.evidence.world`, written for batches), turns each direction into the
pictures of `whence.evidence.picture`, and takes a gradient step on the log-odds g(x, y) − g(y, x). No recorded pair and
no benchmark file is read. Writes `picture.npz` (float16 weights, batch normalisation folded in) and `check.npz` (pairs
with their log-odds, from which a test can tell that the library evaluates the same function).
"""

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

GRID = 32
WIDTHS = (40, 80, 112, 112)
HIDDEN = 96
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


def pick(options: list[Tensor], p: list[float] | None = None) -> Tensor:
    """For each row one of the options."""
    b = options[0].shape[0]
    weights = torch.tensor(p or [1.0] * len(options), device=DEVICE, dtype=torch.float)
    which = torch.multinomial(weights.expand(b, -1), 1)
    return torch.stack(options, 1).gather(1, which[:, :, None].expand(-1, -1, options[0].shape[1]))[:, 0]


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
    one = torch.ones(b, n, device=DEVICE)
    gam = torch._standard_gamma(one * torch.exp(between(b, -0.5, 3)))
    beta_a = torch._standard_gamma(one * torch.exp(between(b, -0.7, 2)))
    beta_b = torch._standard_gamma(one * torch.exp(between(b, -0.7, 2)))
    k = 4
    share = torch._standard_gamma(torch.full((b, k), 1.2, device=DEVICE))
    which = torch.multinomial(share, n, replacement=True)
    mix = (2 * randn(b, k)).gather(1, which) + torch.exp(0.5 * randn(b, k) - 0.3).gather(1, which) * randn(b, n)
    arcsinh = torch.sinh((torch.asinh(randn(b, n)) + 0.5 * randn(b, 1)) * torch.exp(0.1 + 0.25 * randn(b, 1)))
    student = randn(b, n) / (torch._standard_gamma(one * 1.5 * torch.exp(between(b, 0, 1.5))) + 1e-3).sqrt()
    laplace = torch.log(rand(b, n) + 1e-7) * (rand(b, n) - 0.5).sign()
    uniform = rand(b, n)
    column = pick(
        [random_density(b, n, gamma(b, 5, 0.1) * between(b, 0.5, 3)), gam, beta_a / (beta_a + beta_b + 1e-9), mix,
         arcsinh, student, laplace, uniform, torch.exp(between(b, 0.2, 0.9) * randn(b, n)), randn(b, n)],
        [3, 2, 2, 2, 2, 1, 1, 1.5, 1, 2.5],
    )  # fmt: skip
    return std(column + 1e-6 * randn(b, n)).clamp(-30, 30) * (rand(b, 1) - 0.5).sign()


def function(u: Tensor) -> Tensor:
    b = u.shape[0]
    a, slope = randn(b, 1), torch.exp(between(b, -0.7, 1.5))
    inner = slope * (u - a)
    w = u - u.min(1, keepdim=True).values + torch.exp(between(b, -3, 1))
    f = pick(
        [process([u], [torch.exp(between(b, -0.7, 1.6))]), inner / (1 + inner.abs()) + between(b, 0, 0.3) * u,
         torch.log(w), w ** between(b, 0.3, 2.5), (u - a).clamp_min(0) * slope + 0.5 * randn(b, 1) * u,
         (u - a) ** 2 + randn(b, 1) * u, u],
        [3, 1, 0.5, 0.5, 0.5, 0.5, 1],
    )  # fmt: skip
    return std(f + 1e-6 * u)


def positive(u: Tensor) -> Tensor:
    g = torch.exp(between(u.shape[0], 0.2, 1.0) * function(u).clamp(-6, 6))
    return g / g.pow(2).mean(1, keepdim=True).sqrt()


def network(u: Tensor, e: Tensor, hidden: int = 20) -> Tensor:
    b = u.shape[0]
    inside = u[:, :, None] * randn(b, 1, hidden) + e[:, :, None] * randn(b, 1, hidden) + randn(b, 1, hidden)
    return (torch.tanh(inside) * randn(b, 1, hidden)).sum(2)


def outer(v: Tensor) -> Tensor:
    b = v.shape[0]
    scaled = (between(b, 0.3, 1.5) * v).clamp(-8, 8)
    warped = increasing(v.clamp(-6, 6), torch.exp(between(b, -0.5, 1)))
    return pick([torch.exp(scaled), torch.tanh(scaled), v.clamp(-6, 6) ** 3 + rand(b, 1) * v, warped])


def mechanism(u: Tensor, e: Tensor) -> Tensor:
    b = u.shape[0]
    level = torch.exp(between(b, math.log(0.05), math.log(1.5)))
    f, scaled = function(u), level * positive(u) * e
    shifted = f - f.min(1, keepdim=True).values + between(b, 0, 0.5)
    lengths = [torch.exp(between(b, -0.3, 2.2)), torch.exp(between(b, 0.3, 4.0))]
    return pick(
        [f + level * e, f + scaled, shifted * (1 + level * e), outer(std(f + scaled)),
         network(u, torch.exp(between(b, -1.5, 0.7)) * e), process([u, e], lengths)],
        [2, 3, 1, 1, 1, 2],
    )  # fmt: skip


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
        raw = pick([randn(b, n), std(rand(b, n))])
        return randn(b, 1) * raw + randn(b, 1)

    u, e = variable(), variable()
    slope, offset = randn(b, 1), randn(b, 1)
    power = pick([torch.ones(b, 1, device=DEVICE), 2 * torch.ones(b, 1, device=DEVICE)])

    def f(v: Tensor) -> Tensor:
        return slope * torch.where(power == 1, v, v * v) + offset

    return u, pick([f(u + e), f(u * e), f(u) + e, f(u) * e])


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
    u = law(b, n)
    direct = mechanism(u, law(b, n))
    stepped = mechanism(std(direct).clamp(-20, 20), law(b, n))
    hidden, share = law(b, n), between(b, 0.2, 1.0)
    mixed = std(u + share * function(hidden))
    confounded = std(mechanism(mixed, law(b, n))) + share * function(hidden)
    kind = rand(b, 1)
    cause = torch.where(kind < 0.12, mixed, u)
    return cause, torch.where(kind < 0.12, confounded, torch.where(kind < 0.22, stepped, direct))


def remarginalised(u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    b, n = u.shape
    kind = rand(b, 1)
    bent = [increasing(w.clamp(-8, 8), torch.exp(between(b, -0.5, 1))) for w in (u, v)]
    new = [ordered_like(u, law(b, n)), ordered_like(v, law(b, n))]
    exchanged = [ordered_like(u, v), ordered_like(v, u)]
    out = []
    for plain, a, c, d in zip((u, v), bent, new, exchanged, strict=True):
        out.append(torch.where(kind < 0.35, plain, torch.where(kind < 0.6, a, torch.where(kind < 0.85, c, d))))
    return std(out[0]), std(out[1])


def recorded(u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    b, n = u.shape
    error, outlying, coarse = (rand(b, 1) < p for p in (0.4, 0.1, 0.4))
    out = []
    for w in (u, v):
        w = torch.where(error, w + gamma(b, 2.0, 0.07) * randn(b, n), w)
        hit = rand(b, n) < between(b, 0.002, 0.03)
        w = torch.where(outlying & hit, w + (4 + 4 * rand(b, n)) * (rand(b, n) - 0.5).sign(), w)
        step = 4.5 / torch.exp(between(b, math.log(5), math.log(300)))
        # Rounded, then spread evenly over the cell, as the library does with ties.
        rounded = (torch.round(w / step) + rand(b, n) - 0.5) * step
        w = torch.where(coarse & (rand(b, 1) < 0.75), rounded, w)
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
    u1, v1 = std(u1), std(v1)
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
    counts = torch.zeros(b, GRID * GRID, device=a.device).scatter_add_(1, cell, torch.ones_like(a, dtype=torch.float))
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
    def __init__(self) -> None:
        super().__init__()
        widths = (5, *WIDTHS)
        strides = (1, 2, 2, 2)
        self.convs = nn.ModuleList(
            nn.Conv2d(a, c, 3, stride=s, padding=1) for a, c, s in zip(widths[:-1], widths[1:], strides, strict=True)
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(c) for c in WIDTHS)
        self.hidden = nn.Linear(WIDTHS[-1] * 16 + SCALARS, HIDDEN)
        self.drop = nn.Dropout(0.1)
        self.last = nn.Linear(HIDDEN, 1)

    def forward(self, images: Tensor, scalars: Tensor) -> Tensor:
        h = images
        for conv, norm in zip(self.convs, self.norms, strict=True):
            h = torch.relu(norm(conv(h)))
        return self.last(self.drop(torch.relu(self.hidden(torch.cat([h.flatten(1), scalars], 1)))))[:, 0]


def log_odds(net: nn.Module, u: Tensor, v: Tensor) -> Tensor:
    with torch.no_grad():
        one, two = pictures(u, v), pictures(v, u)
        images, scalars = torch.cat([one[0], two[0]]), torch.cat([one[1], two[1]])
    out = net(images, scalars)
    return out[: len(u)] - out[len(u) :]


def folded(net: Net) -> dict[str, np.ndarray]:
    """Weights with the batch normalisation folded into the convolutions."""
    out = {}
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
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--out", type=Path, default=Path("out/picture"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    rng = np.random.default_rng(1)
    net = Net().to(DEVICE)
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
            print(f"{spent:.0f} s, step {step}, pairs {seen}, loss {running:.4f}\n  {evaluate(average.module)}", flush=True)
    final = average.module.eval()
    print(f"end: step {step}, pairs {seen}, loss {running:.4f}\n  {evaluate(final, 2000)}", flush=True)
    np.savez_compressed(given.out / "picture.npz", steps=step, pairs=seen, **folded(final))
    with torch.no_grad():
        checks = [(u[:3], v[:3], log_odds(final, u, v)[:3]) for u, v in (batch(128, n) for n in (100, 500, 1000))]
    np.savez_compressed(
        given.out / "check.npz",
        **{f"{name}{k}": t.cpu().numpy() for k, row in enumerate(checks) for name, t in zip("uvs", row, strict=True)},
    )


if __name__ == "__main__":
    main()
