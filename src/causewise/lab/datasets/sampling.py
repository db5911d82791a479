"""Labelled pairs drawn from a seed: from the law of a generator, or as random subsets of the rows of other pairs.

Every pair has a random stream of its own, keyed by its place, so that nothing in it depends on how many others are
drawn or in what order.
"""

import zlib
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from causewise.errors import InputError
from causewise.lab.datasets.collection import Collection, Label, LabelledPair, LazyPairs
from causewise.lab.datasets.laws import PairLaw
from causewise.pair import MIN_ROWS, Pair


@dataclass(frozen=True)
class Generator:
    """A named law of cause-effect pairs."""

    name: str
    title: str
    draw: PairLaw = field(repr=False, compare=False)
    stream: str
    """Generators with the same stream see the same random numbers."""
    rows: int = 1000
    """Rows per pair unless asked otherwise."""
    fixed_rows: int | None = None
    """Rows per pair where the number is the point of the generator."""
    citation: str = ""


def draw_label(generator: Generator, index: int, n: int, seed: int) -> Label:
    """The label of pair `index` (from 0; its id counts from 1); the numbers are drawn when the pair is read."""
    # The coin has a stream of its own: the label says nothing about the numbers, and they can be drawn later.
    truth = 1 if _stream(generator, index, seed, part=1).random() < 0.5 else -1
    return Label(index + 1, truth, 1.0, partial(draw_pair, generator, index, n, seed, truth))


def draw_pair(generator: Generator, index: int, n: int, seed: int, truth: int) -> Pair:
    """The pair in the order that `truth` says."""
    cause, effect = generator.draw(_stream(generator, index, seed, part=0), n)
    return Pair.of(cause, effect) if truth > 0 else Pair.of(effect, cause)


def _stream(generator: Generator, index: int, seed: int, part: int) -> np.random.Generator:
    # crc32 and not hash(), which Python salts anew in every process.
    key = (zlib.crc32(generator.stream.encode()), index, part)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def subsample(collection: Collection, rows: int, draws: int = 10, seed: int = 0) -> Collection:
    """`draws` random subsets of `rows` rows of every pair that has more; ids are `<id>.<draw>`, weights shared.

    Examples
    --------
    >>> from causewise.lab.datasets import generate, subsample
    >>> thin = subsample(generate("LS", pairs=2, n=100), rows=50, draws=3)
    >>> len(thin), thin.pairs[0].pair_id, thin.pairs[0].pair.n
    (6, '1.1', 50)
    """
    if rows < MIN_ROWS or draws < 1:
        raise InputError(f"Got {rows} rows and {draws} draws; expected at least {MIN_ROWS} rows and one draw.")
    name = f"{collection.name}-{rows}"
    # The draws of one pair share its weight, so that a pair counts as much as before.
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
