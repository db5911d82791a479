"""Who runs on what: contenders (a method, set up, under one seed), items (a labelled pair, perhaps turned round)."""

import hashlib
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from whence.benchmark.row import Outcome, Row
from whence.decision import Direction
from whence.pair import InputError, Pair
from whence.protocol import Method
from whence.version import VERSION

RESOLVER = "whence.benchmark.resolver:build"


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


@dataclass(frozen=True, eq=False)
class Item:
    """A labelled pair as the method will see it, turned round or not; its numbers are read when they are needed."""

    dataset: str
    pair_id: str
    truth: int
    """In file orientation."""
    weight: float
    flipped: bool
    source: Sequence[Any]
    index: int

    @cached_property
    def pair(self) -> Pair:
        """The columns in the order the method sees them."""
        pair: Pair = self.source[self.index].pair
        return pair.swapped() if self.flipped else pair


def enter(source: str | Method, seed: int = 0, resolver: str = RESOLVER) -> Contender:
    """Build the method once, to learn its name, settings and batch size, and to refuse a wrong spec early."""
    method = load(resolver)(source, seed) if isinstance(source, str) else source
    if not callable(getattr(method, "decide_many", None)) or not isinstance(getattr(method, "name", None), str):
        raise InputError(
            f"Got {source!r}, which is no method; expected an object with `name` and `decide_many(pairs)`."
        )
    name = label(source, method)
    text = _settings(name, method)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    version = "+".join(filter(None, (VERSION, str(getattr(method, "version", "")))))
    batch = max(1, int(getattr(method, "batch_size", 1) or 1))
    return Contender(source, name, seed, text, digest, version, batch)


def label(source: str | Method, method: Method) -> str:
    """The name rows are filed under."""
    if not isinstance(source, str):
        return method.name
    head, *parts = source.split(":")
    settings = sorted(part for part in parts if "=" in part)
    imported = len(settings) < len(parts)
    return ":".join([method.name if imported else head, *settings])


def items(dataset: str, pairs: Sequence[Any], seed: int) -> list[Item]:
    """The pairs of a set, each turned round, or not, as the seed says.

    A sequence that reads its files late has `labels`: ids, truths and weights that cost no reading.
    """
    return [
        Item(
            dataset,
            str(each.pair_id),
            int(each.truth),
            float(each.weight),
            flipped(seed, dataset, str(each.pair_id)),
            pairs,
            index,
        )
        for index, each in enumerate(getattr(pairs, "labels", pairs))
    ]


def flipped(seed: int, dataset: str, pair_id: str) -> bool:
    """A fair coin per pair that is the same in every process and on every machine."""
    words = [seed, zlib.crc32(dataset.encode()), zlib.crc32(pair_id.encode())]
    return bool(np.random.SeedSequence(words).generate_state(1)[0] & 1)


def key(contender: Contender, item: Item) -> tuple[str, str, str, int, str, str]:
    """What makes a row the same row."""
    who = (contender.method, contender.seed, contender.settings_hash, contender.version)
    return (item.dataset, item.pair_id, *who)


def row(contender: Contender, item: Item, outcome: Outcome) -> Row:
    """Turn an outcome back into file orientation and judge it."""
    score = math.nan if outcome.status.broken else outcome.score
    forward, backward = outcome.forward, outcome.backward
    if item.flipped:
        score, forward, backward = -score, backward, forward
    return Row(
        *key(contender, item),
        score=score,
        forward=forward,
        backward=backward,
        confidence=math.nan if outcome.status.broken else outcome.confidence,
        decision=Direction.of(score).value,
        withheld=outcome.withheld,
        truth=item.truth,
        weight=item.weight,
        correct=outcome.status.answered and score * item.truth > 0,
        flipped=item.flipped,
        seconds=outcome.seconds,
        status=outcome.status.value,
        message=outcome.message,
        n=item.pair.n,
        settings=contender.settings,
    )


def _settings(name: str, method: Method) -> str:
    """JSON of the method's own settings; the seed stands in a column of its own, so that seeds share a hash."""
    own = getattr(method, "settings", None)
    given = {key: value for key, value in dict(own).items() if key != "seed"} if isinstance(own, Mapping) else {}
    return json.dumps({"method": name, "settings": given}, sort_keys=True, default=str)


def load(path: str) -> Any:
    """The object at `package.module:object`."""
    module, _, name = path.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found
