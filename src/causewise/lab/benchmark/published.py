"""What others have published of each method, number by number: the LOCI paper's tables first, then published.toml.

The paper's own numbers, and which methods and sets its figures show, are in paper.toml.
"""

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

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


def published_number(metric: str, method: str, columns: Iterable[str], source: str = "") -> Published | None:
    """The number of a set, or the mean over several; None where one of them has none, or from another source.

    Settings of a method are left aside, but for `published=true`, which is the form that the number is of. Where no
    source is named, the first that has a number is taken.

    Examples
    --------
    >>> from causewise.lab.benchmark.published import published_number
    >>> published_number("accuracy", "loci-h", ["LS"]).value
    85.0
    >>> published_number("accuracy", "velocity", ["Tue"]).marks
    'stu'
    >>> [published_number("accuracy", name, ["AN"]).marks for name in ("reci", "reci:published=true")]
    ['rf', 'r']
    >>> published_number("accuracy", "kcdc", ["Tue"]) is None
    True
    """
    base, *settings = method.split(":")
    numbers = [_first(metric, base, name, source) for name in columns]
    known = [number for number in numbers if number is not None]
    if not known or len(known) < len(numbers) or len({number.source for number in known}) > 1:
        return None
    same = ("form",) if "published=true" in settings else ()
    protocol = tuple(dict.fromkeys(mark for number in known for mark in number.protocol if mark.name not in same))
    return Published(math.fsum(number.value for number in known) / len(known), known[0].source, protocol)


@cache
def _first(metric: str, method: str, dataset: str, source: str) -> Published | None:
    for row in rows():
        if (row.metric, row.method) == (metric, method) and dataset in row.values and source in ("", row.source):
            protocol = tuple(each for each in row.protocol if not each.sets or dataset in each.sets)
            return Published(float(row.values[dataset]), row.source, protocol)
    return None


@cache
def rows() -> tuple[PublishedRow, ...]:
    """Every row of every source, the LOCI paper's first."""
    printed = (
        PublishedRow(method, metric, PAPER, (), dict(zip(paper_sets(), map(float, values), strict=True)))
        for metric in ("accuracy", "audrc")
        for method, values in _table("paper")[metric].items()
    )
    others = (
        PublishedRow(**row | {"protocol": tuple(protocols()[name] for name in row.get("protocol", ()))})
        for row in _table("published")["row"]
    )
    return (*printed, *others)


@cache
def protocols() -> dict[str, Protocol]:
    """By name."""
    return {
        name: Protocol(name=name, **facts | {"sets": tuple(facts.get("sets", ()))})
        for name, facts in _table("published")["protocols"].items()
    }


def sources() -> dict[str, str]:
    """What each source is, by its key."""
    return dict(_table("published")["sources"])


def paper_sets() -> list[str]:
    """The paper's thirteen sets, in its order."""
    return list(_table("paper")["sets"])


def paper_methods() -> list[str]:
    """Every method of the paper's tables and figures, in their order."""
    return [*_table("paper")["accuracy"], *(couple["additive"] for couple in paper_figures()["counterparts"])]


def paper_figures() -> dict[str, Any]:
    """What the paper's figures show."""
    return dict(_table("paper")["figures"])


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("causewise.lab.benchmark").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
