"""What a person may state beforehand about a table's columns, checked: from a plain mapping to `Statements`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from causewise.errors import InputError
from causewise.tables.choose import find_column

Edge = tuple[str, str]

KINDS = {
    "first": "[age, sex]",
    "last": "[outcome]",
    "tiers": "[[age], [pressure, cholesterol]]",
    "before": "[[age, pressure]]",
    "required": "[[age, pressure]]",
    "forbidden": "[[pressure, age]]",
    "soft": "[[pressure, cholesterol, likely: 0.9]]",
}
"""Every kind of statement, with an example of a list of them."""

_ONE = {
    "first": "columns",
    "last": "columns",
    "tiers": "a list of columns",
    "soft": "[cause, effect, likely: 0.9] or [cause, effect, log_odds: 2.2]",
}
"""What an entry of such a list is; two columns where nothing is said."""


@dataclass(frozen=True)
class Statements:
    """What was stated, every name a column of the table."""

    tiers: tuple[tuple[str, ...], ...] = ()
    """No column is caused by one of a later tier."""
    before: tuple[Edge, ...] = ()
    """The first may cause the second, never the reverse."""
    required: tuple[Edge, ...] = ()
    """The first causes the second."""
    forbidden: tuple[Edge, ...] = ()
    """The first does not cause the second."""
    soft: Mapping[Edge, float] = field(default_factory=dict)
    """The log-odds that, of two columns, the first causes the second."""


def checked(content: Any, columns: Sequence[str]) -> Statements:
    """The statements of a mapping, or a sentence about the first that is wrong."""
    if not isinstance(content, Mapping):
        raise InputError(
            f"Got {'nothing' if content is None else _shown(content)} as knowledge; expected a mapping, or a YAML "
            f"or CSV file, with any of the keys {', '.join(KINDS)}: for instance before: {KINDS['before']}."
        )
    if unknown := [key for key in content if key not in KINDS]:
        raise InputError(f"Got the key {_shown(unknown[0])} in the knowledge; expected one of: {', '.join(KINDS)}.")
    names = _Names(columns)
    return Statements(
        _tiers(content, names),
        (*_ends(content, names), *_edges("before", content, names)),
        _edges("required", content, names),
        _edges("forbidden", content, names),
        _soft(content, names),
    )


class _Names:
    """The table's columns, found by name or by number as everywhere else."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        self.known = frozenset(columns)

    def of(self, kind: str, entry: Any, name: Any) -> str:
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise _wrong(kind, entry)
        if name in self.known:
            return str(name)
        try:
            return self.columns[find_column(self.columns, name)]
        except InputError as problem:
            raise InputError(f"{problem} (In the knowledge: {kind}, {_shown(entry)}.)") from None

    def edge(self, kind: str, entry: Any) -> Edge:
        cause, effect = (self.of(kind, entry, name) for name in entry[:2])
        if cause == effect:
            raise InputError(
                f"Got {_shown(entry)} under {kind}, twice the same column; expected two different ones: no column "
                "causes itself."
            )
        return cause, effect


def _tiers(content: Mapping[str, Any], names: _Names) -> tuple[tuple[str, ...], ...]:
    tiers = []
    seen: set[str] = set()
    for entry in _entries("tiers", content):
        tier = tuple(names.of("tiers", entry, name) for name in entry)
        for column in tier:
            if column in seen:
                raise InputError(f"Got {column!r} twice under tiers; expected every column in one tier: take one out.")
            seen.add(column)
        tiers.append(tier)
    return tuple(tiers)


def _ends(content: Mapping[str, Any], names: _Names) -> list[Edge]:
    """`first: [age, sex]` and `last: [outcome]` as edges: before all other columns, and behind them."""
    first, last = (_listed(kind, content, names) for kind in ("first", "last"))
    before = [(one, other) for one in first for other in names.columns if other not in first]
    return before + [(other, one) for one in last for other in names.columns if other not in last]


def _listed(kind: str, content: Mapping[str, Any], names: _Names) -> dict[str, None]:
    """The columns under a key: a list, or one name."""
    entries = content.get(kind, ())
    if isinstance(entries, str | int):
        entries = [entries]
    if not isinstance(entries, list | tuple):
        raise _wrong(kind, entries)
    return dict.fromkeys(names.of(kind, entry, entry) for entry in entries)


def _edges(kind: str, content: Mapping[str, Any], names: _Names) -> tuple[Edge, ...]:
    return tuple(dict.fromkeys(names.edge(kind, entry) for entry in _entries(kind, content, 2)))


def _soft(content: Mapping[str, Any], names: _Names) -> dict[Edge, float]:
    soft: dict[Edge, float] = {}
    for entry in _entries("soft", content, 3):
        cause, effect = names.edge("soft", entry)
        if (cause, effect) in soft or (effect, cause) in soft:
            raise InputError(
                f"Got {cause!r} and {effect!r} twice under soft; expected one statement a pair: add their log-odds."
            )
        soft[cause, effect] = _log_odds(entry)
    return soft


def _log_odds(entry: Any) -> float:
    said = entry[2]
    if not isinstance(said, Mapping) or list(said) not in (["likely"], ["log_odds"]):
        raise _wrong("soft", entry)
    ((scale, value),) = said.items()
    number = _number(value)
    if scale == "log_odds":
        if not math.isfinite(number):
            raise InputError(f"Got {_shown(entry)} under soft; expected log_odds to be a finite number.")
        return number
    if not 0.0 < number < 1.0:
        raise InputError(
            f"Got {_shown(entry)} under soft; expected likely to be a probability above 0 and below 1: what is certain "
            "goes under required or forbidden."
        )
    return math.log(number) - math.log1p(-number)


def _number(value: Any) -> float:
    """NaN for what is none; files hold numbers as text."""
    if isinstance(value, bool) or not isinstance(value, str | Real):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def _entries(kind: str, content: Mapping[str, Any], length: int | None = None) -> Sequence[Any]:
    """The list under a key, of lists of that length; a tier has any but none."""
    entries = content.get(kind, ())
    if not isinstance(entries, list | tuple):
        raise InputError(f"Got {_shown(entries)} under {kind}; expected a list: for instance {kind}: {KINDS[kind]}.")
    for entry in entries:
        if not isinstance(entry, list | tuple) or not entry or (length and len(entry) != length):
            raise _wrong(kind, entry)
    return entries


def _wrong(kind: str, entry: Any) -> InputError:
    return InputError(
        f"Got {_shown(entry)} under {kind}; expected {_ONE.get(kind, 'two columns')}: for instance "
        f"{kind}: {KINDS[kind]}."
    )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
