"""Fit the combination to the readings of generated pairs, and write it as flat trees.

python -m whence.evidence.training --pairs 11000 --out out/whence      (some ten minutes of one core)
python -m whence.evidence.fitting --readings out/whence --out src/whence/evidence/trees.npz
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whence.evidence.channels import CONTEXT, READINGS
from whence.evidence.training import SEED, Labelled, load_chunks
from whence.evidence.trees import Trees, exported
from whence.pair import FloatArray

BOOSTING: dict[str, Any] = {
    "learning_rate": 0.03,
    "max_iter": 300,
    "max_leaf_nodes": 6,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 0,
}


def fit(labelled: Labelled, settings: dict[str, Any] | None = None, silent: tuple[int, ...] = ()) -> Trees:
    """Boosted trees on every pair and its mirror image; readings named in `silent` are held at zero."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows, labels = mirrored(labelled, silent)
    boosted = HistGradientBoostingClassifier(**(BOOSTING | (settings or {}))).fit(rows, labels)
    return exported(boosted)


def mirrored(labelled: Labelled, silent: tuple[int, ...] = ()) -> tuple[FloatArray, NDArray[np.int64]]:
    """Each pair twice, as drawn and with its columns exchanged."""
    differences = labelled.costs[:, 1] - labelled.costs[:, 0]
    differences[:, list(silent)] = 0.0
    rows = [np.concatenate([sign * differences, labelled.context], axis=1) for sign in (1.0, -1.0)]
    return np.concatenate(rows), np.concatenate([labelled.truth, -labelled.truth])


def write(trees: Trees, path: Path, pairs: int) -> None:
    """Narrow arrays and where they come from."""
    provenance = {"pairs": pairs, "seed": SEED, "boosting": BOOSTING, "readings": READINGS, "context": CONTEXT}
    stored: dict[str, Any] = {name: _narrow(array) for name, array in trees._asdict().items()}
    np.savez_compressed(path, provenance=np.array(json.dumps(provenance)), **stored)


def _narrow(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(np.int32) if array.dtype.kind == "i" else array


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readings", type=Path, default=Path("out/whence"))
    parser.add_argument("--out", type=Path, default=Path("src/whence/evidence/trees.npz"))
    given = parser.parse_args()
    labelled = load_chunks(given.readings)
    write(fit(labelled), given.out, len(labelled.truth))


if __name__ == "__main__":
    main()
