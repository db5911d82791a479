"""ANM-MM on tables that mix two mechanisms, as in its paper: is the direction right, are the rows told apart?

python benchmarks/mixtures.py --pairs 20
"""

import argparse
from collections.abc import Callable

import numpy as np

import causewise
from causewise.methods.baselines.anm_mm import mechanisms

FAMILIES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "1 / (1.5 + θx²)": lambda x, t: 1 / (1.5 + t * x**2),
    "2 x^(θ − ¼)": lambda x, t: 2 * x ** (t - 0.25),
    "exp(−θx)": lambda x, t: np.exp(-t * x),
    "tanh(θx)": lambda x, t: np.tanh(t * x),
}
METHODS = ("anm-mm", "anm-h", "loci-h")


def drawn(family: str, seed: int, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cause, effect, and which mechanism every row follows: θ about 1 or about 3, noise of standard deviation 0.05."""
    rng = np.random.default_rng(seed)
    x, which = rng.uniform(0, 1, rows), rng.integers(0, 2, rows)
    theta = np.where(which == 0, rng.uniform(1, 1.1, rows), rng.uniform(3, 3.3, rows))
    return x, FAMILIES[family](x, theta) + 0.05 * rng.normal(size=rows), which


def _forward(name: str, x: np.ndarray, y: np.ndarray, weight: dict[str, float]) -> bool:
    return causewise.infer(x, y, method=causewise.method(name, **(weight if name == "anm-mm" else {}))).score > 0


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--seed", type=int, default=100, help="of the first mixture")
    parser.add_argument("--independence", type=float, default=0.01, help="anm-mm's weight of log HSIC")
    given = parser.parse_args()
    weight = {"independence": given.independence}
    print(f"{'percent':<18}" + "".join(f"{name:>9}" for name in METHODS) + f"{'rows told apart':>18}")
    for family in FAMILIES:
        made = [drawn(family, seed, given.rows) for seed in range(given.seed, given.seed + given.pairs)]
        right = [np.mean([_forward(name, x, y, weight) for x, y, _ in made]) for name in METHODS]
        found = [np.mean(mechanisms(x, y, **weight) == which) for x, y, which in made]
        apart = np.mean([max(share, 1 - share) for share in found])
        print(f"{family:<18}" + "".join(f"{100 * share:9.0f}" for share in right) + f"{100 * apart:18.0f}", flush=True)


if __name__ == "__main__":
    main()
