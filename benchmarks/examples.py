"""What the recorded pairs of `causewise demo` were picked from: every pair of the tables inside scikit-learn.

    python benchmarks/examples.py

One line for each answered pair, with its warnings, and how many pairs were asked about. The cars of the tour come last.
"""

from itertools import combinations

import numpy as np
from sklearn import datasets
from sklearn.utils import Bunch

import causewise
from causewise.examples import load_cars

TABLES = {
    "diabetes": lambda: datasets.load_diabetes(scaled=False),
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
}
"""Linnerud's twenty rows are too few, and the digits are pixels."""


def columns(table: Bunch) -> dict[str, np.ndarray]:
    """The measurements by name; of diabetes also what they are to predict, taken a year later."""
    named = dict(zip(map(str, table.feature_names), table.data.T, strict=True))
    return named if "target_names" in table else named | {"progression": table.target}


def main() -> None:
    """Ask about every pair and print the answers."""
    for title, load in TABLES.items():
        table = columns(load())
        pairs = list(combinations(table, 2))
        answered = [each for x, y in pairs if (each := causewise.infer(table, x, y)).cause]
        print(f"{title}: {len(pairs)} pairs, {len(answered)} answered")
        for decision in answered:
            print(f"  {decision}", *decision.warnings, sep="\n      ")
    pair = load_cars().pair
    decision = causewise.infer(pair.x, pair.y)
    print(f"cars: {decision}; {decision.stability()}")


if __name__ == "__main__":
    main()
