"""What is benchmarked: labelled pairs, and methods with their settings, each under one seed.

`LS` reads files; `gen:LS:seed=1:pairs=50:n=500` and `grid/laws/uniform-laplace` draw. Rows of a drawn set are filed
under the words themselves, so that two different draws never mix. Every pair is swapped, or not, by a fair coin: a
method that always answers the same is right half the time.

A method named in words is built again in every worker process, by a *resolver*: a function `(spec, seed) -> Method`,
itself named by its import path, so that it can be handed over as text. The default one is the catalogue's.

Cross-fitting: a labelled pair that set constants of a method is scored with constants that know nothing of it. Rows are
filed under the method's own name, since every pair has one row; what was fitted is said beside the numbers.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import causewise.catalogue as catalogue
from causewise.errors import SEEDS, InputError, between
from causewise.lab.benchmark.published import paper_sets
from causewise.lab.datasets import Collection, LabelledPair, generate, load
from causewise.lab.datasets.storage import AbsentError, absent_sets_error, data_folder, published_sets
from causewise.methods.combined.terms import CROSS_FITTED, fold_of
from causewise.pair import Pair
from causewise.protocol import Method, batch_size
from causewise.version import VERSION

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


# ---- methods

RESOLVER = f"{catalogue.__name__}:{catalogue.resolve_method.__name__}"
CROSS_FITTING_REMARK = (
    f"{catalogue.DEFAULT} on {CROSS_FITTED} is cross-fitted: two of its terms were fitted to Tübingen pairs, and each "
    "pair is scored with constants fitted without its source table"
)


@dataclass(frozen=True)
class Contender:
    """A method as it enters the benchmark."""

    source: str | Method
    """What the resolver understands, or the method itself (it must pickle)."""
    method: str
    """The name its rows are filed under: the spec with its settings in alphabetical order."""
    seed: int
    settings: str
    settings_hash: str
    version: str
    batch_size: int = 1


def contender(source: str | Method, seed: int = 0, resolver: str = RESOLVER) -> Contender:
    """Build the method once, to learn its name, settings and batch size, and to refuse a wrong spec early."""
    between("", *SEEDS, seed=seed)
    method = catalogue.import_object(resolver)(source, seed) if isinstance(source, str) else source
    if not callable(getattr(method, "decide_many", None)) or not isinstance(getattr(method, "name", None), str):
        raise InputError(
            f"Got {source!r}, which is no method; expected an object with `name` and `decide_many(pairs)`."
        )
    name = label(source, method)
    own = getattr(method, "settings", None)
    # Without the seed, which stands in a column of its own: several seeds of one method share a hash.
    settings = {key: value for key, value in dict(own).items() if key != "seed"} if isinstance(own, Mapping) else {}
    text = json.dumps({"method": name, "settings": settings}, sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    version = "+".join(filter(None, (VERSION, str(getattr(method, "version", "")))))
    return Contender(source, name, seed, text, digest, version, batch_size(method))


def contenders(methods: Sequence[str | Method], seeds: Sequence[int], resolver: str = RESOLVER) -> list[Contender]:
    """Every method under every seed."""
    return [contender(source, seed, resolver) for source in methods for seed in seeds]


def available_methods(names: Iterable[str], resolver: str = RESOLVER) -> tuple[list[str], list[str]]:
    """Those that can be built, in their published form if they have one, and why the others cannot."""
    specs, missing = [], []
    for name in names:
        # The published form is the one whose score can be compared with the paper's; not every method has it.
        for spec in (f"{name}:published=true", name):
            try:
                contender(spec, 0, resolver)
            except (InputError, ImportError, AttributeError) as problem:
                reason = str(problem)
                continue
            specs.append(spec)
            break
        else:
            missing.append(f"{name} is left out: {reason}")
    return specs, missing


def label(source: str | Method, method: Method) -> str:
    """The name rows are filed under."""
    if not isinstance(source, str):
        return method.name
    head, *parts = source.split(":")
    settings = sorted(part for part in parts if "=" in part)
    imported = len(settings) < len(parts)
    return ":".join([method.name if imported else head, *settings])


def by_fold(contender: Contender, items: Sequence[Item]) -> Iterator[tuple[Contender, Sequence[Item]]]:
    """The items of a set by the constants with which they are scored; one group where nothing was fitted to them."""
    source = contender.source
    if not isinstance(source, str) or source.split(":")[0] != catalogue.DEFAULT:
        yield contender, items
        return
    groups: dict[int | None, list[Item]] = {}
    for item in items:
        groups.setdefault(fold_of(item.dataset, item.pair_id), []).append(item)
    for fold, part in groups.items():
        yield contender if fold is None else replace(contender, source=f"{source}:fold={fold}"), part


def is_cross_fitted(method: str, dataset: str) -> bool:
    """Whether the rows of a method on a set are cross-fitted."""
    return method.split(":")[0] == catalogue.DEFAULT and dataset == CROSS_FITTED
