"""How often CURE is right by the law of the cause and the curve, IGCI beside it: the table of docs/methods/cure.md."""

import numpy as np

from causewise.methods.baselines.cure import score
from causewise.methods.baselines.igci import igci
from causewise.pair import Pair
from causewise.parallel import one_thread

ROWS, PAIRS = 200, 20
NOISE = 0.2
"""In standard deviations of the curve."""
CAUSES = {
    "uniform": lambda rng: rng.uniform(size=ROWS),
    "normal": lambda rng: rng.normal(size=ROWS),
    "exponential": lambda rng: rng.exponential(size=ROWS),
}


def process(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A curve drawn from a Gaussian process of length 0.4."""
    kernel = np.exp(-0.5 * ((x[:, None] - x) / 0.4) ** 2)
    return rng.multivariate_normal(np.zeros(len(x)), kernel, method="eigh")


CURVES = {
    "x": lambda x, rng: x,
    "x²": lambda x, rng: x**2,
    "tanh(6x − 3)": lambda x, rng: np.tanh(6 * x - 3),
    "(2x − 1)²": lambda x, rng: (2 * x - 1) ** 2,
    "a process": process,
}


def drawn(cause: str, curve: str) -> list[Pair]:
    """Pairs whose cause is stretched to [0, 1] before the curve."""
    rng, made = np.random.default_rng(0), []
    for _ in range(PAIRS):
        x = CAUSES[cause](rng)
        x = (x - x.min()) / (x.max() - x.min())
        y = CURVES[curve](x, rng)
        made.append(Pair.of(x, y + NOISE * np.std(y) * rng.normal(size=ROWS)))
    return made


def main() -> None:
    """Draw, decide, count."""
    print(f"| effect, `cure` / `igci` right | {' | '.join(CAUSES)} |")
    print("|---|" + "---:|" * len(CAUSES))
    for curve in CURVES:
        cells = []
        for cause in CAUSES:
            pairs = drawn(cause, curve)
            ours = np.mean([score(pair.x, pair.y).score > score(pair.y, pair.x).score for pair in pairs])
            theirs = np.mean([decision.score > 0 for decision in igci().decide_many(pairs)])
            cells.append(f"{100 * ours:.0f} / {100 * theirs:.0f}")
        print(f"| {curve} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    with one_thread():
        main()
