"""How often entropic inference is right, by the entropy of the noise: cause, noise and function drawn at random.

Prints the table of docs/methods/entropic.md. Beside it stands what the two columns' entropies alone would say.
"""

import numpy as np

from causewise.methods.baselines.discrete import entropy
from causewise.methods.baselines.discrete import score_entropic as score

LEVELS, ROWS, PAIRS = 8, 5000, 200
SPREADS = (0.02, 0.1, 0.3, 1.0, 10.0)
"""Of the Dirichlet law that the noise's law is drawn from: the larger, the more even and the more random."""


def main() -> None:
    """Draw, decide, count."""
    print("| law of the cause | bits of noise | entropic | smaller column entropy |")
    print("|---|---:|---:|---:|")
    for told, even in (("drawn", False), ("even", True)):
        for spread in SPREADS:
            rng = np.random.default_rng(0)
            found = [one(rng, even, spread) for _ in range(PAIRS)]
            bits, ours, marginal = np.mean([each for each in found if each is not None], axis=0)
            print(f"| {told} | {bits:.1f} | {100 * ours:.0f} | {100 * marginal:.0f} |")


def one(rng: np.random.Generator, even: bool, spread: float) -> tuple[float, bool, bool] | None:
    """Bits of noise, whether the method is right, and whether the smaller entropy is the cause's."""
    of_cause = np.full(LEVELS, 1 / LEVELS) if even else rng.dirichlet(np.ones(LEVELS))
    of_noise = rng.dirichlet(np.full(4 * LEVELS, spread))
    function = rng.integers(0, LEVELS, (LEVELS, 4 * LEVELS))
    cause, noise = rng.choice(LEVELS, ROWS, p=of_cause), rng.choice(4 * LEVELS, ROWS, p=of_noise)
    effect = function[cause, noise]
    if len(set(effect)) < 2:
        return None
    x, y = cause.astype(float), effect.astype(float)
    h_x, h_y = (entropy(np.bincount(column) / ROWS) for column in (cause, effect))
    return entropy(of_noise), score(x, y) > score(y, x), h_x < h_y


if __name__ == "__main__":
    main()
