"""What others have published of each method, number by number: the LOCI paper's tables first, then published.toml."""

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from causewise.lab.benchmark import paper

PAPER = "immer2023"
"""The source of the numbers in paper.toml."""


@dataclass(frozen=True)
class Protocol:
    """How a number came about that was not found as the benchmark here finds its own."""

    name: str
    mark: str
    """One letter, beside the number."""
    says: str
    other: bool
    """Whether the number answers another question, so that a difference says nothing of either program."""
    sets: tuple[str, ...] = ()
    """The only sets it concerns; empty: all."""


@dataclass(frozen=True)
class PublishedRow:
    """The numbers of one method in one source."""

    method: str
    metric: str
    source: str
    protocol: tuple[Protocol, ...]
    values: Mapping[str, float]
    """In percent, by set."""

    def number(self, dataset: str) -> "Published | None":
        """What it says of one set."""
        if dataset not in self.values:
            return None
        marked = tuple(each for each in self.protocol if not each.sets or dataset in each.sets)
        return Published(float(self.values[dataset]), self.source, marked)


@dataclass(frozen=True)
class Published:
    """One published number, or the mean of several."""

    value: float
    """In percent."""
    source: str
    protocol: tuple[Protocol, ...] = ()

    @property
    def marks(self) -> str:
        """The letters of its protocol."""
        return "".join(each.mark for each in self.protocol)

    @property
    def comparable(self) -> bool:
        """Whether it answers the question that the benchmark here asks."""
        return not any(each.other for each in self.protocol)


def published(metric: str, method: str, columns: Iterable[str]) -> Published | None:
    """The number of a set, or the mean over several; None where one of them has none, or from another source.

    Settings of a method are left aside, but for `published=true`, which is the form that the number is of.

    Examples
    --------
    >>> from causewise.lab.benchmark.published import published
    >>> published("accuracy", "loci-h", ["LS"]).value
    85.0
    >>> published("accuracy", "velocity", ["Tue"]).marks
    'stu'
    >>> [published("accuracy", name, ["AN"]).marks for name in ("reci", "reci:published=true")]
    ['rf', 'r']
    >>> published("accuracy", "kcdc", ["Tue"]) is None
    True
    """
    base, *settings = method.split(":")
    found = [_first(metric, base, name) for name in columns]
    known = [each for each in found if each is not None]
    if not known or len(known) < len(found) or len({each.source for each in known}) > 1:
        return None
    same = ("form",) if "published=true" in settings else ()
    protocol = tuple(dict.fromkeys(mark for each in known for mark in each.protocol if mark.name not in same))
    return Published(math.fsum(each.value for each in known) / len(known), known[0].source, protocol)


@cache
def rows() -> tuple[PublishedRow, ...]:
    """Every row of every source, the LOCI paper's first."""
    printed = (
        PublishedRow(method, metric, PAPER, (), dict(zip(paper.sets(), map(float, values), strict=True)))
        for metric in ("accuracy", "audrc")
        for method, values in paper.contents()[metric].items()
    )
    known = protocols()
    others = (
        PublishedRow(**row | {"protocol": tuple(known[name] for name in row.get("protocol", ()))})
        for row in _contents()["row"]
    )
    return (*printed, *others)


@cache
def protocols() -> dict[str, Protocol]:
    """By name."""
    found = _contents()["protocols"]
    return {
        name: Protocol(name=name, **facts | {"sets": tuple(facts.get("sets", ()))}) for name, facts in found.items()
    }


def sources() -> dict[str, str]:
    """What each source is, by its key."""
    return dict(_contents()["sources"])


@cache
def _contents() -> dict[str, Any]:
    return tomllib.loads(files("causewise.lab.benchmark").joinpath("published.toml").read_text(encoding="utf-8"))


@cache
def _first(metric: str, method: str, dataset: str) -> Published | None:
    mine = (row.number(dataset) for row in rows() if (row.metric, row.method) == (metric, method))
    return next((number for number in mine if number is not None), None)
