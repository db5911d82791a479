"""Train the networks that `whence_ablation.py` compares with splines, and keep their parameters.

    python benchmarks/whence_networks.py

Some three seconds a pair and core, a quarter of an hour in all. Single precision, otherwise as published.
"""

import argparse
from pathlib import Path

import numpy as np

from ablation.sets import PAIRS, small
from ablation.train_networks import learnt
from whence.models.network_training import Training


def main() -> None:
    """Command line of this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out/ablation/networks"))
    parser.add_argument("--device", choices=("auto", "cpu", "gpu"), default="cpu")
    parser.add_argument("--pairs", type=int, default=PAIRS["small"], help="pairs a cell")
    parser.add_argument("--steps", type=int, default=5000)
    given = parser.parse_args()
    training = Training(precision="float32", device=given.device, steps=given.steps)
    given.out.mkdir(parents=True, exist_ok=True)
    for name, theta in learnt(small(given.pairs), training, print).items():
        np.save(given.out / f"{name}.npy", theta)


if __name__ == "__main__":
    main()
