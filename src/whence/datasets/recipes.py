"""What a generator is: a name and a function that draws one (cause, effect); and how a pair is drawn from a seed."""

import zlib
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from whence.datasets.classic import Draw
from whence.datasets.collection import Label
from whence.pair import Pair


@dataclass(frozen=True)
class Generator:
    """A named law of cause-effect pairs."""

    name: str
    title: str
    draw: Draw = field(repr=False, compare=False)
    stream: str
    """Generators with the same stream see the same random numbers."""
    rows: int = 1000
    """Rows per pair unless asked otherwise."""
    fixed_rows: int | None = None
    """Rows per pair where the number is the point of the cell."""
    citation: str = ""


def label(generator: Generator, index: int, n: int, seed: int) -> Label:
    """Pair `index` (from 0): its id counts from 1, and nothing in it depends on how many others are drawn."""
    truth = 1 if _stream(generator, index, seed, part=1).random() < 0.5 else -1
    return Label(index + 1, truth, 1.0, partial(draw_pair, generator, index, n, seed, truth))


def draw_pair(generator: Generator, index: int, n: int, seed: int, truth: int) -> Pair:
    """The pair in the order that `truth` says."""
    cause, effect = generator.draw(_stream(generator, index, seed, part=0), n)
    return Pair.of(cause, effect) if truth > 0 else Pair.of(effect, cause)


def _stream(generator: Generator, index: int, seed: int, part: int) -> np.random.Generator:
    key = (zlib.crc32(generator.stream.encode()), index, part)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
