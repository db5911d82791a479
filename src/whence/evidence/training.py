"""Readings of generated pairs with their labels, computed once and kept in chunks; pair i depends on i only.

python -m whence.evidence.training --pairs 11000 --out out/whence
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whence.evidence import world
from whence.evidence.channels import read
from whence.evidence.halves import HALVES
from whence.evidence.resolution import resolved
from whence.pair import FloatArray, Pair

SEED = 20261
CHUNK = 250
PLAIN_FROM = 8000
"""Pairs from this number on keep their marginals: the world is not always against us."""


class Labelled(NamedTuple):
    """Readings of many pairs: costs (pairs × 2 × readings), context (pairs × context), truth (±1)."""

    costs: FloatArray
    context: FloatArray
    truth: NDArray[np.int64]


def pair(index: int, seed: int = SEED) -> tuple[Pair, int]:
    """Pair `index` of the world, and its label; even numbers are of half A, odd ones of half B."""
    rng, half = _rng(index, seed), HALVES[half_of(index)]
    return world.labelled(rng, world.draw(rng, half, world.family(rng, half), plain=index >= PLAIN_FROM))


def half_of(index: int) -> str:
    """The half to which pair `index` belongs."""
    return "AB"[index % 2]


def family_of(index: int, seed: int = SEED) -> str:
    """The family of pair `index`."""
    return world.family(_rng(index, seed), HALVES[half_of(index)])


def _rng(index: int, seed: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))


def readings_of(pairs: list[tuple[Pair, int]]) -> Labelled:
    """Read every pair."""
    read_all = [read(resolved(p.x, p.y)) for p, _ in pairs]
    return Labelled(
        np.array([r.costs for r in read_all]),
        np.array([r.context for r in read_all]),
        np.array([truth for _, truth in pairs]),
    )


def write_chunks(out: Path, pairs: int, part: int = 0, parts: int = 1) -> None:
    """Readings of the first `pairs` pairs, in files of CHUNK pairs; those already there are kept."""
    out.mkdir(parents=True, exist_ok=True)
    for start in range(part * CHUNK, pairs, parts * CHUNK):
        target = out / f"readings-{start:06d}.npz"
        if not target.exists():
            chunk = readings_of([pair(index) for index in range(start, start + CHUNK)])
            np.savez(target, **chunk._asdict())


def load_chunks(folder: Path) -> Labelled:
    """Everything `write_chunks` has written so far."""
    chunks = [np.load(path) for path in sorted(folder.glob("readings-*.npz"))]
    return Labelled(*(np.concatenate([chunk[name] for chunk in chunks]) for name in Labelled._fields))


def main() -> None:
    """Command line of this module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=11000)
    parser.add_argument("--out", type=Path, default=Path("out/whence"))
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--parts", type=int, default=1)
    given = parser.parse_args()
    write_chunks(given.out, given.pairs, given.part, given.parts)


if __name__ == "__main__":
    main()
