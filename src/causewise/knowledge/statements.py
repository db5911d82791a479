"""What a person may state beforehand about a table's columns: a plain mapping, checked, becomes `Statements`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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

_ENTRIES = {
    "first": "columns",
    "last": "columns",
    "tiers": "a list of columns",
    "soft": "[cause, effect, likely: 0.9] or [cause, effect, log_odds: 2.2]",
}
"""What an entry of such a list is; two columns where nothing is said."""


@dataclass(frozen=True)
class Statements:
    """What was stated, every name a column of the table."""

    tiers: tuple[tuple[str, ...], ...]
    """No column is caused by one of a later tier."""
    before: tuple[Edge, ...]
    """The first may cause the second, never the reverse."""
    required: tuple[Edge, ...]
    """The first causes the second."""
    forbidden: tuple[Edge, ...]
    """The first does not cause the second."""
    soft: Mapping[Edge, float]
    """The log-odds that, of two columns, the first causes the second."""


def check_statements(content: Any, columns: Sequence[str]) -> Statements:
    """The statements of a mapping, or a sentence about the first that is wrong."""
    if not isinstance(content, Mapping):
        raise InputError(
            f"Got {'nothing' if content is None else _shorten(content)} as knowledge; expected a mapping, or a YAML "
            f"or CSV file, with any of the keys {', '.join(KINDS)}: for instance before: {KINDS['before']}."
        )
    if unknown := [key for key in content if key not in KINDS]:
        raise InputError(f"Got the key {_shorten(unknown[0])} in the knowledge; expected one of: {', '.join(KINDS)}.")
    checker = _Checker(content, tuple(columns))
    before, required, forbidden = map(checker.edges, ("before", "required", "forbidden"))
    return Statements(checker.tiers(), (*checker.ends(), *before), required, forbidden, checker.soft())


class _Checker:
    """A mapping of statements, kind by kind; columns are found by name or by number as everywhere else."""

    def __init__(self, content: Mapping[str, Any], columns: tuple[str, ...]) -> None:
        self._content, self._columns, self._names = content, columns, frozenset(columns)

    def tiers(self) -> tuple[tuple[str, ...], ...]:
        tiers = [tuple(self._column("tiers", entry, name) for name in entry) for entry in self._entries("tiers")]
        seen: set[str] = set()
        for column in (column for tier in tiers for column in tier):
            if column in seen:
                raise InputError(f"Got {column!r} twice under tiers; expected every column in one tier: take one out.")
            seen.add(column)
        return tuple(tiers)

    def ends(self) -> list[Edge]:
        """`first: [age, sex]` and `last: [outcome]` as edges: before all other columns, and behind them."""
        first, last = map(self._list_columns, ("first", "last"))
        before = [(one, other) for one in first for other in self._columns if other not in first]
        return before + [(other, one) for one in last for other in self._columns if other not in last]

    def edges(self, kind: str) -> tuple[Edge, ...]:
        return tuple(dict.fromkeys(self._edge(kind, entry) for entry in self._entries(kind, 2)))

    def soft(self) -> dict[Edge, float]:
        soft: dict[Edge, float] = {}
        for entry in self._entries("soft", 3):
            cause, effect = self._edge("soft", entry)
            if (cause, effect) in soft or (effect, cause) in soft:
                raise InputError(
                    f"Got {cause!r} and {effect!r} twice under soft; expected one statement a pair: add their log-odds."
                )
            soft[cause, effect] = _log_odds(entry)
        return soft

    def _entries(self, kind: str, length: int | None = None) -> Sequence[Any]:
        """The list under a key, of lists of that length; a tier has any but none."""
        entries = self._content.get(kind, ())
        if not isinstance(entries, list | tuple):
            raise InputError(
                f"Got {_shorten(entries)} under {kind}; expected a list: for instance {kind}: {KINDS[kind]}."
            )
        for entry in entries:
            if not isinstance(entry, list | tuple) or not entry or (length and len(entry) != length):
                raise _wrong_entry(kind, entry)
        return entries

    def _list_columns(self, kind: str) -> dict[str, None]:
        """The columns under a key: a list, or one name."""
        entries = self._content.get(kind, ())
        if isinstance(entries, str | int):
            entries = [entries]
        if not isinstance(entries, list | tuple):
            raise _wrong_entry(kind, entries)
        return dict.fromkeys(self._column(kind, entry, entry) for entry in entries)

    def _edge(self, kind: str, entry: Any) -> Edge:
        cause, effect = (self._column(kind, entry, name) for name in entry[:2])
        if cause == effect:
            raise InputError(
                f"Got {_shorten(entry)} under {kind}, twice the same column; expected two different ones: no column "
                "causes itself."
            )
        return cause, effect

    def _column(self, kind: str, entry: Any, name: Any) -> str:
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise _wrong_entry(kind, entry)
        if name in self._names:
            return str(name)
        try:
            return self._columns[find_column(self._columns, name)]
        except InputError as problem:
            raise InputError(f"{problem} (In the knowledge: {kind}, {_shorten(entry)}.)") from None


def _log_odds(entry: Any) -> float:
    odds = entry[2]
    if not isinstance(odds, Mapping) or list(odds) not in (["likely"], ["log_odds"]):
        raise _wrong_entry("soft", entry)
    ((scale, value),) = odds.items()
    try:
        number = math.nan if isinstance(value, bool) else float(value)  # files hold numbers as text
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if scale == "log_odds":
        if not math.isfinite(number):
            raise InputError(f"Got {_shorten(entry)} under soft; expected log_odds to be a finite number.")
        return number
    if not 0.0 < number < 1.0:
        raise InputError(
            f"Got {_shorten(entry)} under soft; expected likely to be a probability above 0 and below 1: what is "
            "certain goes under required or forbidden."
        )
    return math.log(number) - math.log1p(-number)


def _wrong_entry(kind: str, entry: Any) -> InputError:
    return InputError(
        f"Got {_shorten(entry)} under {kind}; expected {_ENTRIES.get(kind, 'two columns')}: for instance "
        f"{kind}: {KINDS[kind]}."
    )


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
