"""Train the networks that `whence_ablation.py` compares with splines, and keep their parameters.

    python benchmarks/whence_networks.py --device gpu

On one H200 it takes a minute or two; on a CPU, some seconds a pair. `--cgnn` adds scores of cgnn on a few pairs a cell.
"""

import argparse
from pathlib import Path

import numpy as np

from ablation.sets import grid
from ablation.train_networks import PAIRS, imitated, learnt
from whence.models.network_training import Training


def main() -> None:
    """Command line of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/ablation/networks"))
    parser.add_argument("--device", choices=("auto", "cpu", "gpu"), default="auto")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="pairs a cell")
    parser.add_argument("--cells", type=int, default=None, help="the first cells only")
    parser.add_argument("--cgnn", type=int, default=0, help="pairs a cell for cgnn, which takes long")
    parser.add_argument("--steps", type=int, default=5000)
    given = parser.parse_args()
    sets = grid(given.pairs)[: given.cells]
    found = learnt(sets, Training(precision="float32", device=given.device, steps=given.steps))
    given.out.mkdir(parents=True, exist_ok=True)
    for name, theta in found.items():
        np.save(given.out / f"{name}.npy", theta)
    if given.cgnn:
        np.save(given.out / "cgnn.npy", imitated(grid(given.cgnn)[: given.cells], given.device))


if __name__ == "__main__":
    main()
