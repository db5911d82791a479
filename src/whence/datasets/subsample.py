"""Smaller copies of a collection: every pair cut down to a few rows, several times."""

from functools import partial

import numpy as np

from whence.datasets.collection import Collection, Label, LabelledPair, LazyPairs
from whence.pair import MIN_ROWS, InputError, Pair


def subsample(collection: Collection, rows: int, draws: int = 10, seed: int = 0) -> Collection:
    """`draws` random subsets of `rows` rows of every pair that has more; ids are `<id>.<draw>`, weights shared."""
    if rows < MIN_ROWS or draws < 1:
        raise InputError(f"Got {rows} rows and {draws} draws; expected at least {MIN_ROWS} rows and one draw.")
    name = f"{collection.name}-{rows}"
    labels = [
        Label(
            f"{whole.pair_id}.{draw}", whole.truth, whole.weight / draws, partial(_cut, whole, rows, seed, place, draw)
        )
        for place, whole in enumerate(collection.pairs)
        if whole.pair.n > rows
        for draw in range(1, draws + 1)
    ]
    title = f"{collection.title}; {draws} random subsets of {rows} rows, seed {seed}"
    return Collection(name, LazyPairs(name, labels), title, collection.citation)


def _cut(whole: LabelledPair, rows: int, seed: int, place: int, draw: int) -> Pair:
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place, draw)))
    for _ in range(100):  # a column of few values can come out constant; then draw again
        kept = np.sort(rng.permutation(whole.pair.n)[:rows])
        x, y = whole.pair.x[kept], whole.pair.y[kept]
        if x.min() < x.max() and y.min() < y.max():
            break
    return Pair.of(x, y, x_name=whole.pair.x_name, y_name=whole.pair.y_name)
