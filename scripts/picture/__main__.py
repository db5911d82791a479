"""Train the picture network of one half: writes `picture-HALF.npz`, float16 weights with the normalisation folded in.

`check-HALF.npz` holds pairs with their log-odds, from which one can tell that the library evaluates the same function.
"""

import argparse
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from picture.network import Net, folded, log_odds
from picture.pieces import DEVICE, std
from picture.recipes import RECIPES
from picture.world import batch
from whence.evidence.halves import HALVES, Half

ROWS = (60, 2000)
POINTS = 250_000
"""Rows of all pairs of a step together."""
RATE = 2e-3


def evaluate(net: nn.Module, pairs: int) -> str:
    """Accuracy on new pairs of every recipe and of either half."""
    training = net.training
    net.eval()
    makers = RECIPES | {name: (lambda b, n, half=half: batch(half, b, n)) for name, half in HALVES.items()}
    found = []
    with torch.no_grad():
        for name, make in makers.items():
            u, v = make(pairs, 1000 if name in RECIPES else 500)
            good = torch.isfinite(u).all(1) & torch.isfinite(v).all(1)
            right = (log_odds(net, std(u[good]), std(v[good])) > 0).float()
            found.append(f"{name} {100 * right.mean():.1f}")
    net.train(training)
    return "  ".join(found)


def trained(half: Half, seconds: float, seed: int) -> tuple[Net, dict[str, Any]]:
    """A network after so many seconds of steps: the running mean of its weights."""
    rng = np.random.default_rng(seed)
    net = Net().to(DEVICE).to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=1e-2)
    start, last, step, seen, running = time.time(), 0.0, 0, 0, torch.zeros((), device=DEVICE)
    while (spent := time.time() - start) < seconds:
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 300) * 0.5 * (1 + math.cos(math.pi * spent / seconds))
        n = int(np.exp(rng.uniform(*np.log(ROWS))))
        with torch.no_grad():
            u, v = batch(half, min(1024, max(128, POINTS // n)), n)
        loss = nn.functional.softplus(-log_odds(net, u, v)).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        average.update_parameters(net)
        step, seen = step + 1, seen + len(u)
        running = 0.99 * running + 0.01 * loss.detach()
        if spent - last > 120:
            last = spent
            print(f"{spent:.0f} s, step {step}, pairs {seen}, loss {running:.4f}", evaluate(net, 300), flush=True)
    print(f"end: step {step}, pairs {seen}, loss {running:.4f}", flush=True)
    return average.module.eval(), {"steps": step, "pairs": seen}


def checks(net: Net, half: Half, sizes: tuple[int, ...] = (100, 500, 1000)) -> dict[str, Any]:
    """A few pairs with their log-odds, in full precision."""
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    out = {}
    with torch.no_grad():
        for n in sizes:
            u, v = batch(half, 128, n)
            found = zip("uvs", (u, v, log_odds(net, u, v)), strict=True)
            out |= {f"{name}{n}": array[:3].cpu().numpy() for name, array in found}
    return out


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=list(HALVES), required=True)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/picture"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(given.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    half = HALVES[given.half]
    net, counts = trained(half, given.seconds, given.seed)
    np.savez_compressed(given.out / f"picture-{given.half}.npz", **counts, **folded(net))
    print(evaluate(net, 2000), flush=True)
    np.savez_compressed(given.out / f"check-{given.half}.npz", **checks(net, half))


if __name__ == "__main__":
    main()
