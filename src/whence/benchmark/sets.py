"""From the words after --datasets to labelled pairs: a published set, or one drawn on the spot.

`LS` reads files; `gen:LS:seed=1:pairs=50:n=500` and `grid/laws/uniform-laplace` draw. Rows of a drawn set are filed
under the words themselves, so that two different draws never mix.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from whence.benchmark import paper
from whence.datasets import Collection, load
from whence.datasets.registry import published_sets
from whence.datasets.storage import AbsentError, all_missing, data_folder
from whence.pair import InputError

PREFIX = "gen:"
DRAWN = 100
"""Pairs of a drawn set whose words name no other number."""


def open_set(spec: str, data_dir: str | Path | None = None, limit: int | None = None) -> Collection:
    """The labelled pairs that `spec` names, the first `limit` of them."""
    if not _is_drawn(spec):
        return load(spec, data_dir, limit)
    from whence.datasets.generators import generate

    name, *words = spec.removeprefix(PREFIX).split(":")
    drawn = generate(name, **{"pairs": DRAWN, **dict(_setting(word, spec) for word in words)})
    return replace(drawn, name=spec, pairs=drawn.pairs[:limit])


def whole(spec: str) -> int | None:
    """How many pairs there are in all; None where it is not known."""
    if not _is_drawn(spec):
        return next((known.pairs for known in published_sets() if known.name == spec), None)
    named = re.findall(r":pairs=(\d+)", spec)
    return int(named[-1]) if named else DRAWN


def counted(spec: str, pairs: int, seeds: int = 1) -> str:
    """`5 of 100` where that is not all of the set under every seed, else `100`."""
    there = seeds * (whole(spec) or 0)
    return f"{pairs} of {there}" if pairs < there else str(pairs)


def present(data_dir: str | Path | None = None, limit: int | None = None) -> tuple[list[Collection], list[str]]:
    """The paper's sets that are at hand, a sentence on all that are not, and one for each that cannot be read."""
    found: list[Collection] = []
    absent: list[str] = []
    unreadable: list[str] = []
    for name in paper.sets():
        try:
            found.append(load(name, data_dir, limit))
        except AbsentError:
            absent.append(name)
        except InputError as problem:
            unreadable.append(str(problem))
    said = [str(all_missing(absent, data_folder(data_dir)))] if absent else []
    return found, said + unreadable


def _is_drawn(spec: str) -> bool:
    return spec.startswith(PREFIX) or "/" in spec


def _setting(word: str, spec: str) -> tuple[str, Any]:
    key, equals, value = word.partition("=")
    if not equals or key not in ("seed", "pairs", "n") or not value.isdecimal():
        raise InputError(
            f"Got {word!r} in the data set {spec!r}; expected seed, pairs or n with a whole number, as in "
            "gen:LS:seed=1:pairs=50."
        )
    return key, int(value)
