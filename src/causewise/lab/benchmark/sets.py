"""Labelled pairs: from the words after --datasets to a set, and from a set to what a method sees.

`LS` reads files; `gen:LS:seed=1:pairs=50:n=500` and `grid/laws/uniform-laplace` draw. Rows of a drawn set are filed
under the words themselves, so that two different draws never mix. Every pair is swapped, or not, by a fair coin: a
method that always answers the same is right half the time.
"""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from causewise.errors import InputError
from causewise.lab.benchmark.published import paper_sets
from causewise.lab.datasets import Collection, LabelledPair, generate, load
from causewise.lab.datasets.storage import AbsentError, absent_sets_error, data_folder, published_sets
from causewise.pair import Pair

PREFIX = "gen:"
DRAWN = 100
"""Pairs of a drawn set whose words name no other number."""


@dataclass(frozen=True, eq=False)
class Item:
    """A labelled pair as the method will see it, swapped or not; its numbers are read when they are needed."""

    dataset: str
    pair_id: str
    truth: int
    """In file orientation."""
    weight: float
    flipped: bool
    source: Sequence[LabelledPair]
    index: int

    @cached_property
    def pair(self) -> Pair:
        """The columns in the order the method sees them."""
        pair = self.source[self.index].pair
        return pair.swap() if self.flipped else pair


def open_set(spec: str, data_dir: str | Path | None = None, limit: int | None = None) -> Collection:
    """The labelled pairs that `spec` names, the first `limit` of them."""
    if not _is_drawn(spec):
        return load(spec, data_dir, limit)
    name, *words = spec.removeprefix(PREFIX).split(":")
    drawn = generate(name, **{"pairs": DRAWN, **dict(_setting(word, spec) for word in words)})
    return replace(drawn, name=spec, pairs=drawn.pairs[:limit])


def set_size(spec: str) -> int | None:
    """How many pairs there are in all; None where it is not known."""
    if not _is_drawn(spec):
        return next((known.pairs for known in published_sets() if known.name == spec), None)
    numbers = re.findall(r":pairs=(\d+)", spec)
    return int(numbers[-1]) if numbers else DRAWN


def count_pairs(spec: str, pairs: int, seeds: int = 1) -> str:
    """`5 of 100` where that is not all of the set under every seed, else `100`."""
    there = seeds * (set_size(spec) or 0)
    return f"{pairs} of {there}" if pairs < there else str(pairs)


def load_present(data_dir: str | Path | None = None, limit: int | None = None) -> tuple[list[Collection], list[str]]:
    """The paper's sets that are at hand, a sentence on all that are not, and one for each that cannot be read."""
    present: list[Collection] = []
    absent: list[str] = []
    unreadable: list[str] = []
    for name in paper_sets():
        try:
            present.append(load(name, data_dir, limit))
        except AbsentError:
            absent.append(name)
        except InputError as problem:
            unreadable.append(str(problem))
    remarks = [str(absent_sets_error(absent, data_folder(data_dir)))] if absent else []
    return present, remarks + unreadable


def items(dataset: str, pairs: Sequence[LabelledPair], seed: int) -> list[Item]:
    """The pairs of a set, each swapped, or not, as the seed says.

    A sequence that reads its files late has `labels`: ids, truths and weights that cost no reading.
    """
    return [
        Item(
            dataset,
            str(each.pair_id),
            int(each.truth),
            float(each.weight),
            is_flipped(seed, dataset, str(each.pair_id)),
            pairs,
            index,
        )
        for index, each in enumerate(getattr(pairs, "labels", pairs))
    ]


def is_flipped(seed: int, dataset: str, pair_id: str) -> bool:
    """A fair coin per pair that is the same in every process and on every machine."""
    # Python's own hash() differs from process to process; a checksum does not.
    words = [seed, zlib.crc32(dataset.encode()), zlib.crc32(pair_id.encode())]
    return bool(np.random.SeedSequence(words).generate_state(1)[0] & 1)


def _is_drawn(spec: str) -> bool:
    return spec.startswith(PREFIX) or "/" in spec


def _setting(word: str, spec: str) -> tuple[str, Any]:
    key, equals, value = word.partition("=")
    if not equals or key not in ("seed", "pairs", "n") or not (value.isdecimal() and len(value) < 20):
        raise InputError(
            f"Got {word!r} in the data set {spec!r}; expected seed, pairs or n with a whole number, as in "
            "gen:LS:seed=1:pairs=50."
        )
    return key, int(value)
