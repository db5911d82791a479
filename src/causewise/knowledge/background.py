"""Background knowledge about every pair: `Knowledge.of` a mapping or a file, asked `on` two columns.

A mapping is checked first, every name a column of the table (`Statements`).

Hard statements exclude directions. Tiers, "before" and required edges are transitive together: they say which column
comes first, and that there is an edge only where one is required. A forbidden edge concerns its own pair alone. Soft
statements are log-odds, and count where both directions are left.
"""

import math
import os
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

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

Node = str | int
"""A column, or the number of a tier's end: tiers of 1000 columns each would have a million links without it."""

_REQUIRED, _BEFORE, _EARLIER = "required to cause", "before", "in an earlier tier than"
_FORBIDDEN = "forbidden to cause"
_MOST_FACTS = 8
"""In one sentence."""


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


class PairStatement(NamedTuple):
    """What background knowledge says about x and y; nothing by default."""

    direction: Literal["x->y", "y->x"] | None = None
    """The only one that is possible."""
    unrelated: bool = False
    """Neither is possible."""
    log_odds: float = 0.0
    """> 0 favours x → y; 0 where a hard statement decides."""
    why: str = ""
    """The facts, as part of a sentence."""
    required: bool = False
    """Whether there is an edge in that direction, whatever the data say."""


@dataclass(frozen=True)
class Knowledge:
    """Statements about a table's columns that can hold together.

    Examples
    --------
    >>> knowledge = Knowledge.of({"before": [["a", "b"], ["b", "c"]]}, ["a", "b", "c"])
    >>> knowledge.on("c", "a").direction, knowledge.on("c", "a").why
    ('y->x', "'a' before 'b', 'b' before 'c'")
    """

    soft: Mapping[Edge, float]
    forbidden: Mapping[Edge, None]
    """A set that keeps its order, so that its bytes are the same in every process."""
    links: Mapping[Node, Mapping[Node, str]]
    """From a node to those behind it, with the words for it."""
    position: Mapping[Node, int]
    """Of every node, such that all links lead to a later one."""

    @classmethod
    def of(
        cls, source: "Mapping[str, Any] | str | os.PathLike[str] | Knowledge | None", columns: Sequence[str]
    ) -> "Knowledge":
        """Check a mapping, a YAML file that holds one, or a CSV file of statements; None is nothing.

        `columns` are all of the table's, those too that are not scanned. What was checked stays as it is.
        """
        if isinstance(source, Knowledge):
            return source
        content: Any = {} if source is None else source
        if isinstance(source, str | os.PathLike):
            from causewise.knowledge.knowledge_file import read_knowledge_file  # with it comes a reader of YAML

            content = read_knowledge_file(Path(source))
        statements = check_statements(content, columns)
        links = _link_columns(statements)
        position, forbidden = _sort_columns(links), dict.fromkeys(statements.forbidden)
        for cause, effect in statements.required:
            if (cause, effect) in forbidden:
                raise _contradiction([_fact(cause, words, effect) for words in (_REQUIRED, _FORBIDDEN)])
        return cls(statements.soft, forbidden, links, position)

    def on(self, x: str, y: str) -> PairStatement:
        """What is stated about two columns."""
        no_forward, no_backward = self._exclusion(x, y), self._exclusion(y, x)
        if no_forward and no_backward:
            return PairStatement(unrelated=True, why=f"{no_forward}, {no_backward}")
        if no_backward:
            return PairStatement("x->y", why=no_backward, required=self.requires(x, y))
        if no_forward:
            return PairStatement("y->x", why=no_forward, required=self.requires(y, x))
        for sign, (cause, effect) in ((1.0, (x, y)), (-1.0, (y, x))):
            if odds := self.soft.get((cause, effect)):
                why = f"{_fact(cause, 'to cause', effect)} at log-odds {odds:+.4g}"
                return PairStatement(log_odds=sign * odds, why=why)
        return PairStatement()

    def requires(self, cause: str, effect: str) -> bool:
        """Whether the edge itself is required."""
        return self.links.get(cause, {}).get(effect) == _REQUIRED

    def excludes(self, cause: str, effect: str) -> bool:
        """Whether what was stated leaves no edge in this direction."""
        return bool(self._exclusion(cause, effect))

    @property
    def tiers(self) -> list[list[str]]:
        """The tiers that were stated, earliest first; one alone says nothing, and is not kept."""
        ends = sorted(node for node in self.links if isinstance(node, int))
        tiers = [[column for column, behind in self.links.items() if end in behind] for end in ends]
        tiers += [list(self.links[end]) for end in ends[-1:]]
        return [[column for column in tier if isinstance(column, str)] for tier in tiers]

    @property
    def required_columns(self) -> list[str]:
        """The columns of all required edges."""
        return [
            str(column)
            for cause, behind in self.links.items()
            for effect, words in behind.items()
            if words == _REQUIRED
            for column in (cause, effect)
        ]

    def explain_order(self, earlier: str, later: str) -> str:
        """The facts that put one column before the other, fewest first; empty if none do."""
        return _join_facts(_facts(self.links, self._path(earlier, later)))

    def _exclusion(self, cause: str, effect: str) -> str:
        """The facts that exclude a direction; empty if none do."""
        forbidden = _fact(cause, _FORBIDDEN, effect) if (cause, effect) in self.forbidden else ""
        return self.explain_order(effect, cause) or forbidden

    def _path(self, start: str, goal: str) -> list[Node]:
        """The shortest path along the links, searched only between the two positions."""
        end = self.position.get(goal, -1)
        if self.position.get(start, end) >= end:
            return []
        parent: dict[Node, Node] = {}
        waiting: deque[Node] = deque([start])
        while waiting and goal not in parent:
            node = waiting.popleft()
            for behind in self.links.get(node, ()):
                if behind not in parent and self.position[behind] <= end:
                    parent[behind] = node
                    waiting.append(behind)
        path: list[Node] = [goal] if goal in parent else []
        while path and path[-1] != start:
            path.append(parent[path[-1]])
        return path[::-1]


def _link_columns(statements: Statements) -> dict[Node, dict[Node, str]]:
    """Tiers, "before" and required edges in one graph."""
    tiers, links = statements.tiers, dict[Node, dict[Node, str]]()
    stated: Iterable[tuple[Node, Node, str]] = chain(  # the strongest words for a link come first
        ((cause, effect, _REQUIRED) for cause, effect in statements.required),
        ((earlier, later, _BEFORE) for earlier, later in statements.before),
        # From end to end directly, so that a fact about distant tiers names no column between.
        ((end, end + 1, _EARLIER) for end in range(len(tiers) - 2)),
        ((column, end, _EARLIER) for end, tier in enumerate(tiers[:-1]) for column in tier),
        ((end, column, _EARLIER) for end, tier in enumerate(tiers[1:]) for column in tier),
    )
    for earlier, later, words in stated:
        links.setdefault(earlier, {}).setdefault(later, words)
    return links


def _sort_columns(links: Mapping[Node, Mapping[Node, str]]) -> dict[Node, int]:
    """A position for every node; a cycle is refused by name."""
    sorter: TopologicalSorter[Node] = TopologicalSorter()
    for earlier, behind in links.items():
        for later in behind:
            sorter.add(later, earlier)
    try:
        return {node: k for k, node in enumerate(sorter.static_order())}
    except CycleError as error:
        cycle: list[Node] = error.args[1]
        # Begun and closed at a column: ends of tiers alone make no cycle.
        first = next(k for k, node in enumerate(cycle) if isinstance(node, str))
        raise _contradiction(_facts(links, [*cycle[first:-1], *cycle[:first], cycle[first]])) from None


def _facts(links: Mapping[Node, Mapping[Node, str]], path: list[Node]) -> list[str]:
    """What links the columns of a path, one after the other; the ends of tiers are passed over."""
    columns = [node for node in path if isinstance(node, str)]
    return [_fact(one, links[one].get(other, _EARLIER), other) for one, other in pairwise(columns)]


def _fact(one: str, words: str, other: str) -> str:
    return f"{one!r} {words} {other!r}"


def _join_facts(facts: list[str]) -> str:
    rest = f" and {len(facts) - _MOST_FACTS} more" if len(facts) > _MOST_FACTS else ""
    return ", ".join(facts[:_MOST_FACTS]) + rest


def _contradiction(facts: list[str]) -> InputError:
    return InputError(
        f"Got knowledge that contradicts itself: {_join_facts(facts)}; expected statements that can hold together: "
        "take one of these back."
    )


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
        if hasattr(entries, "edges") and hasattr(entries, "is_directed"):
            entries = _list_arrows(kind, entries)
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


def _list_arrows(kind: str, graph: Any) -> list[list[Any]]:
    """The edges of a networkx graph, all of which must be arrows."""
    for one, other, direction in graph.edges(data="direction", default="->"):
        if direction != "->" or not graph.is_directed() or graph.has_edge(other, one):
            raise InputError(
                f"Got a graph under {kind} in which {one!r} and {other!r} are joined without a direction; expected "
                f"arrows only: remove that edge, or state it by itself."
            )
    return [list(edge) for edge in graph.edges()]


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
