"""Fit the combination to the readings of generated pairs, and write it as flat trees.

Data outside the generated world will mislead some channel. The trees are therefore shown a world in which every channel
fails now and then: with probability `FAILURE`, independently of the others, its readings are those of another pair,
either way round. What they learn is to want agreement. The size of the log-odds is then set on pairs that the trees
have not seen, with every channel intact.

python -m whence.evidence.training --pairs 11000 --out out/whence      (some ten minutes of one core)
python -m whence.evidence.fitting --readings out/whence --out src/whence/evidence/trees.npz
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whence.evidence.channels import CHANNELS, CONTEXT, READINGS
from whence.evidence.training import SEED, Labelled, load_chunks
from whence.evidence.trees import Trees, exported, row_sum
from whence.pair import FloatArray

BOOSTING: dict[str, Any] = {
    "learning_rate": 0.03,
    "max_iter": 400,
    "max_leaf_nodes": 6,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 0,
}


FAILURE = 0.2
"""Chosen among 0, 0.1, 0.2 and 0.35 for the best worst decile and AUDRC on the robustness grid."""
COPIES = 3
"""Times every pair is shown, with other failures each time."""
HELD_OUT = 5
"""One pair in this many is kept from the trees while the size of the log-odds is set."""


def fit(labelled: Labelled, settings: dict[str, Any] | None = None, silent: tuple[int, ...] = ()) -> Trees:
    """Calibrated trees; readings named in `silent` are held at zero."""
    kept = np.arange(len(labelled.truth)) % HELD_OUT == 0
    trial = _boosted(_part(labelled, ~kept), settings, silent)
    factor = _size(trial, _part(labelled, kept), silent)
    trees = _boosted(labelled, settings, silent)
    return trees._replace(value=factor * trees.value)


def _boosted(labelled: Labelled, settings: dict[str, Any] | None, silent: tuple[int, ...]) -> Trees:
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows, labels = mirrored(with_failures(labelled), silent)
    return exported(HistGradientBoostingClassifier(**(BOOSTING | (settings or {}))).fit(rows, labels))


def with_failures(labelled: Labelled, failure: float = FAILURE, copies: int = COPIES, seed: int = 0) -> Labelled:
    """Every pair some times over, in each copy with some channels' readings replaced by those of other pairs."""
    rng = np.random.default_rng(seed)
    shown = [_failing(labelled.costs, failure, rng) for _ in range(copies)]
    return Labelled(np.concatenate(shown), np.tile(labelled.context, (copies, 1)), np.tile(labelled.truth, copies))


def _failing(costs: FloatArray, failure: float, rng: np.random.Generator) -> FloatArray:
    out = costs.copy()
    for names in CHANNELS.values():
        places = np.array([READINGS.index(name) for name in names], dtype=np.int64)
        places = places[places < costs.shape[2]]
        hit = np.flatnonzero(rng.random(len(costs)) < failure)
        others = costs[rng.permutation(len(costs))[: len(hit)]]
        turned = np.where(rng.random(len(hit))[:, None, None] < 0.5, others, others[:, ::-1])
        out[np.ix_(hit, np.arange(2), places)] = turned[:, :, places]
    return out


def _size(trees: Trees, labelled: Labelled, silent: tuple[int, ...]) -> float:
    """The factor by which the log-odds of these pairs predict their labels best."""
    from scipy.optimize import minimize_scalar

    odds = log_odds(trees, labelled, silent) * labelled.truth
    return float(
        minimize_scalar(lambda s: np.mean(np.logaddexp(0.0, -s * odds)), bounds=(0.2, 5.0), method="bounded").x
    )


def log_odds(trees: Trees, labelled: Labelled, silent: tuple[int, ...] = ()) -> FloatArray:
    """Log-odds of every pair, > 0 for x → y."""
    rows, _ = mirrored(labelled, silent)
    sums = np.array([row_sum(trees, row) for row in rows])
    return np.asarray(0.5 * (sums[: len(labelled.truth)] - sums[len(labelled.truth) :]))


def _part(labelled: Labelled, which: NDArray[np.bool_]) -> Labelled:
    return Labelled(labelled.costs[which], labelled.context[which], labelled.truth[which])


def mirrored(labelled: Labelled, silent: tuple[int, ...] = ()) -> tuple[FloatArray, NDArray[np.int64]]:
    """Each pair twice, as drawn and with its columns exchanged."""
    differences = labelled.costs[:, 1] - labelled.costs[:, 0]
    differences[:, list(silent)] = 0.0
    rows = [np.concatenate([sign * differences, labelled.context], axis=1) for sign in (1.0, -1.0)]
    return np.concatenate(rows), np.concatenate([labelled.truth, -labelled.truth])


def write(trees: Trees, path: Path, pairs: int) -> None:
    """Narrow arrays and where they come from."""
    provenance = {
        "pairs": pairs,
        "seed": SEED,
        "failure": FAILURE,
        "boosting": BOOSTING,
        "readings": READINGS,
        "context": CONTEXT,
    }
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
