"""How often KCDC is right on additive and multiplicative pairs, by the width of its kernels and by its ridge λ.

Prints the table of docs/methods/kcdc.md.
"""

import numpy as np

from causewise.methods.baselines.cds import score_kcdc as score
from causewise.parallel import one_thread

SETTINGS = ((1.0, 1e-3), (0.3, 1e-3), (0.1, 1e-3), (1.0, 1e-1), (1.0, 1e-2), (1.0, 1e-5))
"""Width and ridge; the first are the method's own."""
ROWS, PAIRS = 100, 50
NOISES = {
    "normal": lambda rng: rng.normal(size=ROWS),
    "uniform": lambda rng: rng.uniform(size=ROWS),
    "exponential": lambda rng: rng.exponential(size=ROWS),
}
CURVES = {
    "x³ + x + e": lambda x, e: x**3 + x + e,
    "tanh x + e/2": lambda x, e: np.tanh(x) + 0.5 * e,
    "sin 3x + e/3": lambda x, e: np.sin(3 * x) + e / 3,
    "(x³ + x) exp(e)": lambda x, e: (x**3 + x) * np.exp(e),
}


def _forward(x: np.ndarray, y: np.ndarray, width: float, ridge: float) -> bool:
    return score(x, y, width=width, ridge=ridge) > score(y, x, width=width, ridge=ridge)


def main() -> None:
    """Draw, decide, count."""
    print(f"| effect | noise e | {' | '.join(f'{width:g}, {ridge:g}' for width, ridge in SETTINGS)} |")
    print("|---|---|" + "---:|" * len(SETTINGS))
    for curve, function in CURVES.items():
        for noise, draw in NOISES.items():
            rng = np.random.default_rng(0)
            pairs = [(x := rng.normal(size=ROWS), function(x, draw(rng))) for _ in range(PAIRS)]
            right = [np.mean([_forward(x, y, *setting) for x, y in pairs]) for setting in SETTINGS]
            print(f"| {curve} | {noise} | {' | '.join(f'{100 * share:.0f}' for share in right)} |")


if __name__ == "__main__":
    with one_thread():
        main()
