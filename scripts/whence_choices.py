"""How the combination of `whence` was chosen: the log-loss of its alternatives on generated families not seen before.

    python scripts/whence_choices.py --readings out/choices      (fifteen minutes of one core, mostly readings)

Trees fitted to two thirds of the world are asked about the last one, of which neither they nor the network that reads
its pictures know any law, function or mechanism. Beside it, what the same alternative makes of known families: trees
fitted to three quarters of all pairs, the last quarter read as in use. No recorded pair is read.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whence.evidence.channels import CHANNELS, READINGS, Look, read
from whence.evidence.convolution import Pictures
from whence.evidence.fitting import boosted, fit, log_odds, part
from whence.evidence.picture import judge, stranger
from whence.evidence.resolution import resolved
from whence.evidence.training import CHUNK, Labelled, family_of, pair, third_of
from whence.pair import FloatArray

PAIRS = 12000
PICTURE = READINGS.index("picture")
FREE: dict[str, Any] = {"monotonic_cst": None, "max_iter": 400, "max_leaf_nodes": 6}


class Material(NamedTuple):
    """The world read as in use and by strangers, with the third and the family of every pair."""

    used: Labelled
    strange: Labelled
    thirds: np.ndarray
    families: np.ndarray


def chunk(indices: Sequence[int]) -> dict[str, np.ndarray]:
    """Readings of some pairs, as in use, with what a stranger sees in their pictures beside them."""
    rows: list[tuple[Any, ...]] = []
    for index in indices:
        beside: list[FloatArray] = []
        p, truth = pair(index)
        with np.errstate(all="ignore"):
            found = read(resolved(p.x, p.y), _noting(third_of(index), beside))
        rows.append((found.costs, found.context, truth, family_of(index), -beside[0]))
    names = (*Labelled._fields, "family", "stranger")
    return {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def _noting(third: str, beside: list[FloatArray]) -> Look:
    def look(seen: Sequence[Pictures]) -> FloatArray:
        beside.append(stranger(third, seen))
        return judge(seen)

    return look


def write(folder: Path, part: int = 0, parts: int = 1) -> None:
    """The readings that are not in the folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for start in range(part * CHUNK, PAIRS, parts * CHUNK):
        path = folder / f"thirds-{start:06d}.npz"
        if not path.exists():
            np.savez(path, **chunk(range(start, start + CHUNK)))


def material(folder: Path) -> Material:
    """Everything in the folder."""
    chunks = [np.load(path) for path in sorted(folder.glob("thirds-*.npz"))]
    found = {name: np.concatenate([each[name] for each in chunks]) for name in chunks[0].files}
    used = Labelled(*(found[name] for name in Labelled._fields))
    strange = used._replace(costs=used.costs.copy())
    strange.costs[:, :, PICTURE] = found["stranger"]
    return Material(used, strange, np.array([third_of(i) for i in range(len(used.truth))]), found["family"])


def mixed(m: Material, share: float) -> Labelled:
    """The pairs with a share (0, ½ or 1) of them read by strangers; ½ as in `training.look_of`."""
    kept = np.arange(len(m.used.truth)) // 3 % 2 < 2 * share
    return m.used._replace(costs=np.where(kept[:, None, None], m.strange.costs, m.used.costs))


def with_failures(labelled: Labelled, failure: float) -> Labelled:
    """Every channel's readings, now and then, replaced by another pair's, either way round."""
    rng, costs = np.random.default_rng(0), labelled.costs.copy()
    for names in CHANNELS.values():
        places = [READINGS.index(name) for name in names]
        hit = np.flatnonzero(rng.random(len(costs)) < failure)
        others = labelled.costs[rng.permutation(len(costs))[: len(hit)]]
        turned = np.where(rng.random(len(hit))[:, None, None] < 0.5, others, others[:, ::-1])
        costs[np.ix_(hit, np.arange(2), places)] = turned[:, :, places]
    return labelled._replace(costs=costs)


def measured(odds: FloatArray, families: np.ndarray) -> str:
    """Log-loss, accuracy, the worst family's log-loss and the calibration error of log-odds, positive where right."""
    loss, confidence = np.logaddexp(0.0, -odds), 1 / (1 + np.exp(-np.abs(odds)))
    place = np.minimum(((confidence - 0.5) * 20).astype(int), 9)
    gap = sum(abs(np.sum(((odds > 0) - confidence)[place == b])) for b in range(10)) / len(odds)
    worst = max(loss[families == name].mean() for name in np.unique(families))
    return f"{loss.mean():.3f} | {100 * np.mean(odds > 0):.1f} | {worst:.2f} | {gap:.3f}"


def row(m: Material, train: Labelled, settings: dict[str, Any], silent: tuple[int, ...] = ()) -> str:
    """One alternative, over all thirds and on each, and on known families."""
    final = fit(train, settings, silent)
    size = np.abs(final.value).sum() / np.abs(boosted(train, settings, silent).value).sum()

    def left_out(group: np.ndarray, asked: Labelled) -> FloatArray:
        odds = np.empty(len(group))
        for each in np.unique(group):
            trees = boosted(part(train, group != each), settings, silent)
            odds[group == each] = size * log_odds(trees, part(asked, group == each), silent)
        return odds * train.truth

    strange = left_out(m.thirds, m.strange)
    known = left_out(np.random.default_rng(0).permutation(len(m.thirds)) % 4, m.used)
    each = [f"{_loss(strange[m.thirds == third]):.3f}" for third in np.unique(m.thirds)]
    return " | ".join([measured(strange, m.families), *each, f"{_loss(known):.3f}", f"{100 * np.mean(known > 0):.1f}"])


def _loss(odds: FloatArray) -> float:
    return float(np.logaddexp(0.0, -odds).mean())


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readings", type=Path, default=Path("out/choices"))
    parser.add_argument(
        "--part", type=int, default=0, help="write only every PARTS-th chunk of readings, from this one"
    )
    parser.add_argument("--parts", type=int, default=1)
    given = parser.parse_args()
    write(given.readings, given.part, given.parts)
    if given.parts == 1:
        compare(material(given.readings))


def compare(m: Material) -> None:
    """Print every alternative."""
    half, marginals = mixed(m, 0.5), tuple(READINGS.index(name) for name in CHANNELS["marginals"])
    rows: dict[str, tuple[Any, ...]] = {
        "shipped: monotone, half of the pairs read by strangers": (half, {}),
        "monotone, none read by strangers": (mixed(m, 0.0), {}),
        "monotone, all read by strangers": (mixed(m, 1.0), {}),
        "free trees, half by strangers": (half, FREE),
        "shipped with failing channels (0.1)": (with_failures(half, 0.1), {}),
        "additive: two leaves, 600 trees": (half, {"max_leaf_nodes": 2, "max_iter": 600}),
        "six leaves, 400 trees": (half, {"max_leaf_nodes": 6, "max_iter": 400}),
        "without the marginals": (half, {}, marginals),
        "without the picture": (half, {}, (PICTURE,)),
    }
    head = "| | log-loss | % right | worst family | calibration error | A | B | C | known: log-loss | % right |"
    sys.stdout.write(f"{head}\n{'|---' * 10}|\n")
    for name, alternative in rows.items():
        sys.stdout.write(f"| {name} | {row(m, *alternative)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
