"""Train the picture network that knows nothing of one third: `picture-x.npz`, float16, the normalisation folded in.

`check-x.npz` holds pairs with their log-odds, from which one can tell that the library evaluates the same function.
"""

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from picture.network import Net, folded, log_odds
from picture.pieces import DEVICE, std
from picture.recipes import RECIPES
from picture.world import batch
from whence.evidence.thirds import THIRDS, Third

ROWS = (60, 2000)
POINTS = 250_000
"""Rows of all pairs of a step together."""
RATE = 2e-3


def evaluate(net: nn.Module, pairs: int) -> str:
    """Accuracy on new pairs of every recipe and of every third."""
    training = net.training
    net.eval()
    makers = RECIPES | {name: (lambda b, n, third=third: batch([third], b, n)) for name, third in THIRDS.items()}
    found = []
    with torch.no_grad():
        for name, make in makers.items():
            u, v = make(pairs, 1000 if name in RECIPES else 500)
            good = torch.isfinite(u).all(1) & torch.isfinite(v).all(1)
            right = (log_odds(net, std(u[good]), std(v[good])) > 0).float()
            found.append(f"{name} {100 * right.mean():.1f}")
    net.train(training)
    return "  ".join(found)


def trained(
    thirds: Sequence[Third], seconds: float, seed: int, until: float, state: Path
) -> tuple[Net, dict[str, Any]]:
    """A network after so many seconds of steps: the running mean of its weights.

    At `until` it stops before its time and keeps its state, from which the next call goes on.
    """
    torch.manual_seed(seed)
    net = Net().to(DEVICE).to(memory_format=torch.channels_last)
    average = torch.optim.swa_utils.AveragedModel(
        net, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=1e-2)
    parts = {"net": net, "average": average, "optimiser": optimiser}
    before, last, step, seen, running = 0.0, 0.0, 0, 0, torch.zeros((), device=DEVICE)
    if state.exists():
        kept = torch.load(state, map_location=DEVICE, weights_only=True)
        before, step, seen = kept["spent"], kept["step"], kept["seen"]
        for name, part in parts.items():
            part.load_state_dict(kept[name])
    torch.manual_seed(seed + step)
    rng = np.random.default_rng([seed, step])
    start = time.time()
    while (spent := before + time.time() - start) < min(seconds, until):
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 300) * 0.5 * (1 + math.cos(math.pi * spent / seconds))
        n = int(np.exp(rng.uniform(*np.log(ROWS))))
        with torch.no_grad():
            u, v = batch(thirds, min(1024, max(128, POINTS // n)), n)
        loss = nn.functional.softplus(-log_odds(net, u, v)).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        average.update_parameters(net)
        step, seen = step + 1, seen + len(u)
        running = 0.99 * running + 0.01 * loss.detach()
        if spent - last > 150:
            last = spent
            print(f"{spent:.0f} s, step {step}, pairs {seen}, loss {running:.4f}", evaluate(net, 300), flush=True)
    torch.save({"spent": spent, "step": step, "seen": seen} | {n: p.state_dict() for n, p in parts.items()}, state)
    print(f"end: step {step}, pairs {seen}, loss {running:.4f}", flush=True)
    return average.module.eval(), {"steps": step, "pairs": seen}


def checks(net: Net, thirds: Sequence[Third], sizes: tuple[int, ...] = (100, 500, 1000)) -> dict[str, Any]:
    """A few pairs with their log-odds, in full precision."""
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    out = {}
    with torch.no_grad():
        for n in sizes:
            u, v = batch(thirds, 128, n)
            found = zip("uvs", (u, v, log_odds(net, u, v)), strict=True)
            out |= {f"{name}{n}": array[:3].cpu().numpy() for name, array in found}
    return out


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", choices=list(THIRDS), required=True, help="the third it never sees")
    parser.add_argument("--seconds", type=float, default=1000)
    parser.add_argument("--until", type=float, default=math.inf, help="stop here; the same command goes on later")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/picture"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    thirds, name = [third for name, third in THIRDS.items() if name != given.without], given.without.lower()
    net, counts = trained(thirds, given.seconds, given.seed, given.until, given.out / f"state-{name}.pt")
    np.savez_compressed(given.out / f"picture-{name}.npz", **counts, **folded(net))
    print(evaluate(net, 2000), flush=True)
    np.savez_compressed(given.out / f"check-{name}.npz", **checks(net, thirds))


if __name__ == "__main__":
    main()
