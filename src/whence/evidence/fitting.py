"""Fit the combination to the readings of generated pairs, and write it as flat trees.

Two things keep it honest outside the generated world. Every tree may only rise with the difference of a reading: what
speaks against a direction can weigh little or nothing, but never turn into praise, which is how trees fitted freely
follow the accidents of the families they know. And the size of the log-odds is set across the thirds (`thirds`): trees
fitted to two predict the last, of which they know no law, no function and no mechanism.

python -m whence.evidence.training --pairs 12000 --out out/whence      (about eleven minutes of one core)
python -m whence.evidence.fitting --readings out/whence --out src/whence/evidence/trees.npz
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whence.evidence.channels import CONTEXT, READINGS
from whence.evidence.training import SEED, Labelled, load_chunks, third_of
from whence.evidence.trees import Trees, exported, row_sum
from whence.pair import FloatArray

BOOSTING: dict[str, Any] = {
    "learning_rate": 0.03,
    "max_iter": 250,
    "max_leaf_nodes": 4,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 0,
}
SAMPLE = 20
"""Pairs whose readings are stored with the trees, so that a test can tell whether the code still gives them."""


def fit(labelled: Labelled, settings: dict[str, Any] | None = None, silent: tuple[int, ...] = ()) -> Trees:
    """Calibrated trees; readings named in `silent` are held at zero."""
    trees = boosted(labelled, settings, silent)
    return trees._replace(value=_size(left_out_odds(labelled, settings, silent) * labelled.truth) * trees.value)


def left_out_odds(
    labelled: Labelled, settings: dict[str, Any] | None = None, silent: tuple[int, ...] = ()
) -> FloatArray:
    """Log-odds of every pair by trees that were fitted to the other two thirds, before their size is set."""
    thirds = np.array([third_of(index) for index in range(len(labelled.truth))])
    out = np.empty(len(thirds))
    for third in np.unique(thirds):
        trees = boosted(part(labelled, thirds != third), settings, silent)
        out[thirds == third] = log_odds(trees, part(labelled, thirds == third), silent)
    return out


def boosted(labelled: Labelled, settings: dict[str, Any] | None = None, silent: tuple[int, ...] = ()) -> Trees:
    """Trees that rise with every reading, before their size is set."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it has no stubs

    rows, labels = mirrored(labelled, silent)
    rising = np.arange(rows.shape[1]) < labelled.costs.shape[2]
    asked = {"monotonic_cst": rising.astype(int)} | BOOSTING | (settings or {})
    with threadpool_limits(1):  # sums over threads would depend, in their last bits, on how many there are
        return exported(HistGradientBoostingClassifier(**asked).fit(rows, labels))


def _size(odds: FloatArray) -> float:
    """The factor by which log-odds, positive where right, predict best."""
    from scipy.optimize import minimize_scalar

    return float(
        minimize_scalar(lambda s: np.mean(np.logaddexp(0.0, -s * odds)), bounds=(0.2, 5.0), method="bounded").x
    )


def log_odds(trees: Trees, labelled: Labelled, silent: tuple[int, ...] = ()) -> FloatArray:
    """Log-odds of every pair, > 0 for x → y."""
    rows, _ = mirrored(labelled, silent)
    sums = np.array([row_sum(trees, row) for row in rows])
    return np.asarray(0.5 * (sums[: len(labelled.truth)] - sums[len(labelled.truth) :]))


def part(labelled: Labelled, which: NDArray[np.bool_]) -> Labelled:
    """Some of the pairs."""
    return Labelled(labelled.costs[which], labelled.context[which], labelled.truth[which])


def mirrored(labelled: Labelled, silent: tuple[int, ...] = ()) -> tuple[FloatArray, NDArray[np.int64]]:
    """Each pair twice, as drawn and with its columns exchanged."""
    differences = labelled.costs[:, 1] - labelled.costs[:, 0]
    differences[:, list(silent)] = 0.0
    rows = [np.concatenate([sign * differences, labelled.context], axis=1) for sign in (1.0, -1.0)]
    return np.concatenate(rows), np.concatenate([labelled.truth, -labelled.truth])


def write(trees: Trees, path: Path, labelled: Labelled) -> None:
    """Narrow arrays, where they come from, and the first readings they were fitted to."""
    provenance = {
        "pairs": len(labelled.truth),
        "seed": SEED,
        "boosting": BOOSTING,
        "readings": READINGS,
        "context": CONTEXT,
    }
    stored: dict[str, Any] = {name: _narrow(array) for name, array in trees._asdict().items()}
    stored |= {"sample_costs": labelled.costs[:SAMPLE], "sample_context": labelled.context[:SAMPLE]}
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
    write(fit(labelled), given.out, labelled)


if __name__ == "__main__":
    main()
