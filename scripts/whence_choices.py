"""How the combination of `whence` was chosen: the log-loss of its alternatives on generated families not seen before.

    python scripts/whence_choices.py --readings out/choices      (fifteen minutes of one core, mostly readings)

Across the halves: trees fitted to one half, pairs of the other, their pictures read by a stranger. Third world: trees
fitted to both halves, pairs of `whence.evidence.unseen`, pictures read as in use. No recorded pair is read.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from whence.evidence import unseen, world
from whence.evidence.channels import CHANNELS, READINGS, Look, read
from whence.evidence.convolution import Pictures
from whence.evidence.fitting import boosted, fit, log_odds, part
from whence.evidence.picture import judge, stranger
from whence.evidence.resolution import resolved
from whence.evidence.training import CHUNK, Labelled, family_of, half_of, pair
from whence.pair import FloatArray, Pair

PAIRS, UNSEEN = 11000, 2000
SEED = 20262
PICTURE = READINGS.index("picture")
OLD: dict[str, Any] = {"monotonic_cst": None, "max_iter": 400, "max_leaf_nodes": 6}


class Material(NamedTuple):
    """Both halves read as in use and by strangers, and the third world read as in use, with the families of each."""

    used: Labelled
    strange: Labelled
    families: np.ndarray
    third: Labelled
    third_families: np.ndarray


def unseen_pair(index: int) -> tuple[str, Pair, int]:
    """Pair `index` of the third world; one in four keeps its marginals."""
    rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(index,)))
    name = unseen.family(rng)
    return name, *world.labelled(rng, unseen.draw(rng, name, plain=index % 4 == 0))


def chunk(kind: str, indices: Sequence[int]) -> dict[str, np.ndarray]:
    """Readings of some pairs, as in use, with what a stranger sees in their pictures beside them."""
    rows: list[tuple[Any, ...]] = []
    for index in indices:
        name, p, truth = (family_of(index), *pair(index)) if kind == "halves" else unseen_pair(index)
        beside: list[FloatArray] = []
        with np.errstate(all="ignore"):
            found = read(resolved(p.x, p.y), _noting(half_of(index), beside))
        rows.append((found.costs, found.context, truth, name, -beside[0]))
    names = (*Labelled._fields, "family", "stranger")
    return {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


def _noting(half: str, beside: list[FloatArray]) -> Look:
    def look(seen: Sequence[Pictures]) -> FloatArray:
        beside.append(stranger(half, seen))
        return judge(seen)

    return look


def material(folder: Path) -> Material:
    """Everything, from the folder where it has it."""
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, dict[str, np.ndarray]] = {}
    for kind, pairs in (("halves", PAIRS), ("unseen", UNSEEN)):
        paths = {start: folder / f"{kind}-{start:06d}.npz" for start in range(0, pairs, CHUNK)}
        for start, path in paths.items():
            if not path.exists():
                np.savez(path, **chunk(kind, range(start, start + CHUNK)))
        chunks = [np.load(path) for path in paths.values()]
        found[kind] = {name: np.concatenate([each[name] for each in chunks]) for name in chunks[0].files}
    used, third = (Labelled(*(found[kind][name] for name in Labelled._fields)) for kind in ("halves", "unseen"))
    strange = used._replace(costs=used.costs.copy())
    strange.costs[:, :, PICTURE] = found["halves"]["stranger"]
    return Material(used, strange, found["halves"]["family"], third, found["unseen"]["family"])


def mixed(m: Material, share: float) -> Labelled:
    """The halves with a share (0, ½ or 1) of the pairs read by strangers."""
    kept = np.arange(len(m.used.truth)) // 2 % 2 < 2 * share
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
    """Both judgements of one alternative."""
    final = fit(train, settings, silent)
    size = np.abs(final.value).sum() / np.abs(boosted(train, settings, silent).value).sum()
    halves = np.array([half_of(index) for index in range(len(train.truth))])
    across = np.empty(len(halves))
    for half in ("A", "B"):
        trees = boosted(part(train, halves != half), settings, silent)
        across[halves == half] = size * log_odds(trees, part(m.strange, halves == half), silent)
    third = log_odds(final, m.third, silent)
    return f"{measured(across * train.truth, m.families)} | {measured(third * m.third.truth, m.third_families)}"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readings", type=Path, default=Path("out/choices"))
    m = material(parser.parse_args().readings)
    half = mixed(m, 0.5)
    rows: dict[str, tuple[Any, ...]] = {
        "shipped: monotone, half of the pairs read by strangers": (half, {}),
        "monotone, none read by strangers": (mixed(m, 0.0), {}),
        "monotone, all read by strangers": (mixed(m, 1.0), {}),
        "free trees, none by strangers": (mixed(m, 0.0), OLD),
        "the same with failing channels: the former way": (with_failures(mixed(m, 0.0), 0.2), OLD),
        "free trees, half by strangers": (half, OLD),
        "shipped with failing channels (0.1)": (with_failures(half, 0.1), {}),
        "additive: two leaves, 600 trees": (half, {"max_leaf_nodes": 2, "max_iter": 600}),
        "six leaves, 400 trees": (half, {"max_leaf_nodes": 6, "max_iter": 400}),
        "without the picture": (half, {}, (PICTURE,)),
    }
    columns = "log-loss | % right | worst family | calibration error"
    sys.stdout.write(f"| | across the halves: {columns} | third world: {columns} |\n" + "|---" * 9 + "|\n")
    for name, alternative in rows.items():
        sys.stdout.write(f"| {name} | {row(m, *alternative)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
