"""What was computed once is kept: readings of the channels, and scores of other methods.

`<folder>/<what>/<set>.npz`; a stored array may be longer than the one asked for. What is kept is tried out on some
pairs first, and thrown away where the code now says something else.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # ships no types

from ablation.sets import Set
from whence.catalogue import CATALOGUE, method
from whence.datasets.collection import LabelledPair
from whence.evidence.training import Labelled, readings_of
from whence.pair import FloatArray

CONTROLS = ("control-gaussian", "control-distinct", "control-kurtosis")
NETWORKS = ("nn-loci-h", "nn-loci-m", "nn-anm-h", "nn-anm-m", "roche", "cgnn")
SINGLE = tuple(e.name for e in CATALOGUE if e.name not in ("whence", *CONTROLS, *NETWORKS))
"""Every single method of the library that a CPU can afford here."""
READ = "readings"


@dataclass(frozen=True)
class Store:
    """A folder of arrays."""

    folder: Path

    def path(self, what: str, name: str) -> Path:
        """Where readings, or the scores of a method, of a set lie."""
        return self.folder / what / f"{name.replace('/', '__')}.npz"

    def has(self, what: str, group: Set) -> bool:
        """Whether enough is there already."""
        return self.arrays(what, group) is not None

    def arrays(self, what: str, group: Set) -> dict[str, FloatArray] | None:
        """What is kept of a set, as long as the set; None where it is missing or too short."""
        path = self.path(what, _stored_name(group))
        if not path.exists():
            return None
        with np.load(path) as kept:
            first = {key: kept[key] for key in kept.files}
        long_enough = min(len(array) for array in first.values()) >= len(group)
        return {key: array[: len(group)] for key, array in first.items()} if long_enough else None

    def keep(self, what: str, group: Set, arrays: dict[str, Any]) -> None:
        """Write whole or not at all."""
        path = self.path(what, _stored_name(group))
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez(part, **arrays)
        part.replace(path)

    def readings(self, group: Set) -> Labelled:
        """Readings of a set that `fill` has made."""
        kept = self.arrays(READ, group)
        if kept is None:
            raise FileNotFoundError(f"no readings of {group.name} under {self.folder}")
        return Labelled(kept["costs"], kept["context"], group.truth)

    def scores(self, name: str, group: Set) -> FloatArray | None:
        """Scores of a method on a set; None where it was not run."""
        kept = self.arrays(name, group)
        return None if kept is None else kept["score"]


def fill(store: Store, sets: Sequence[Set], methods: Sequence[str], jobs: int, say: Callable[[str], None]) -> None:
    """Compute what is missing, a set at a time."""
    missing = [(g, tuple(w for w in (READ, *methods) if not store.has(w, g))) for g in sets]
    todo = [(group, what) for group, what in missing if what]
    # One set a process: a library's own threads would only get in the way.
    with ProcessPoolExecutor(jobs, initializer=threadpool_limits, initargs=(1,)) as pool:
        for done, name in enumerate(pool.map(partial(_fill_one, store), *zip(*todo, strict=True)) if todo else ()):
            say(f"{done + 1} of {len(todo)}: {name}")


def forget_changed(store: Store, sets: Sequence[Set], methods: Sequence[str], say: Callable[[str], None]) -> None:
    """Throw away what is no longer the same on the first pair of every third set."""
    for what in (READ, *methods):
        asked = [group for group in sets[::3] if store.has(what, group)]
        now = _computed(what, [next(iter(group.pairs)) for group in asked]) if asked else {}
        kept = [store.arrays(what, group) or {} for group in asked]
        if not all(_alike(now[key], np.array([arrays[key][0] for arrays in kept])) for key in now):
            say(f"{what} changed and are computed anew" if what == READ else f"{what} changed and is run anew")
            for path in store.path(what, "any").parent.glob("*.npz"):
                path.unlink()


def _alike(now: FloatArray, kept: FloatArray) -> bool:
    return now.shape == kept.shape and np.allclose(now, kept, rtol=1e-6, atol=1e-9, equal_nan=True)


def _computed(what: str, pairs: Sequence[LabelledPair]) -> dict[str, FloatArray]:
    """Readings, or the scores of a method."""
    if what == READ:
        found = readings_of([(p.pair, p.truth) for p in pairs])
        return {"costs": found.costs, "context": found.context}
    decided = method(what).decide_many([p.pair for p in pairs])
    return {"score": np.array([np.nan if d.failure else d.score for d in decided])}


def _fill_one(store: Store, group: Set, what: tuple[str, ...]) -> str:
    listed = group.listed()
    for each in what:
        store.keep(each, group, _computed(each, listed))
    return group.name


def _stored_name(group: Set) -> str:
    return f"{group.kind}__{group.name}" if group.kind in ("recorded", "again", "small") else group.name
