"""Readings of generated pairs with their labels, computed once and kept in chunks; pair i depends on i only.

Every other pair of each third is read as a stranger: by the network of the other two thirds alone, which has seen no
law, no function and no mechanism of its kind. The rest is read as in use, by the mean of the three networks, two of
which know it. So the combination learns what the picture is worth when half of the pairs it meets are like nothing it
knows.

python -m whence.evidence.training --pairs 12000 --out out/whence      (about eleven minutes of one core)
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whence.evidence import world
from whence.evidence.channels import Look, read
from whence.evidence.picture import judge, stranger
from whence.evidence.resolution import resolved
from whence.evidence.thirds import THIRDS
from whence.pair import FloatArray, Pair

SEED = 20261
CHUNK = 250
PLAIN_FROM = 9000
"""Pairs from this number on keep their marginals: the world is not always against us."""


class Labelled(NamedTuple):
    """Readings of many pairs: costs (pairs × 2 × readings), context (pairs × context), truth (±1)."""

    costs: FloatArray
    context: FloatArray
    truth: NDArray[np.int64]


def pair(index: int, seed: int = SEED) -> tuple[Pair, int]:
    """Pair `index` of the world, and its label; the thirds take turns."""
    rng, third = _rng(index, seed), THIRDS[third_of(index)]
    return world.labelled(rng, world.draw(rng, third, world.family(rng, third), plain=index >= PLAIN_FROM))


def third_of(index: int) -> str:
    """The third to which pair `index` belongs."""
    return "ABC"[index % 3]


def family_of(index: int, seed: int = SEED) -> str:
    """The family of pair `index`."""
    return world.family(_rng(index, seed), THIRDS[third_of(index)])


def _rng(index: int, seed: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))


def look_of(index: int) -> Look:
    """How the pictures of pair `index` are read: by a stranger or, as in use, by all networks."""
    return partial(stranger, third_of(index)) if index // 3 % 2 == 0 else judge


def readings_of(pairs: list[tuple[Pair, int]], looks: Sequence[Look] | None = None) -> Labelled:
    """Read every pair, as in use unless `looks` says how."""
    listed = looks or [judge] * len(pairs)
    with np.errstate(all="ignore"):
        read_all = [read(resolved(p.x, p.y), look) for (p, _), look in zip(pairs, listed, strict=True)]
    return Labelled(
        np.array([r.costs for r in read_all]),
        np.array([r.context for r in read_all]),
        np.array([truth for _, truth in pairs]),
    )


def numbered(indices: Sequence[int]) -> Labelled:
    """Readings of the pairs with these numbers, each read as it is for the fit."""
    return readings_of([pair(index) for index in indices], [look_of(index) for index in indices])


def write_chunks(out: Path, pairs: int, part: int = 0, parts: int = 1) -> None:
    """Readings of the first `pairs` pairs, in files of CHUNK pairs; those already there are kept."""
    out.mkdir(parents=True, exist_ok=True)
    for start in range(part * CHUNK, pairs, parts * CHUNK):
        target = out / f"readings-{start:06d}.npz"
        if not target.exists():
            np.savez(target, **numbered(range(start, min(start + CHUNK, pairs)))._asdict())


def load_chunks(folder: Path) -> Labelled:
    """Everything `write_chunks` has written so far."""
    chunks = [np.load(path) for path in sorted(folder.glob("readings-*.npz"))]
    return Labelled(*(np.concatenate([chunk[name] for chunk in chunks]) for name in Labelled._fields))


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=12000)
    parser.add_argument("--out", type=Path, default=Path("out/whence"))
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--parts", type=int, default=1)
    given = parser.parse_args()
    write_chunks(given.out, given.pairs, given.part, given.parts)


if __name__ == "__main__":
    main()
