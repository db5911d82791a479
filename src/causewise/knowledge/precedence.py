"""Which column comes before which: tiers, "before" and required edges in one graph, which must have no cycle."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain, pairwise

from causewise.errors import InputError
from causewise.knowledge.statements import Statements

Node = str | int
"""A column, or the number of a tier's end: tiers of 1000 columns each would have a million links without it."""

REQUIRED, BEFORE, EARLIER = "required to cause", "before", "in an earlier tier than"
_TOLD = 8


@dataclass(frozen=True)
class Precedence:
    """The links, and a position for every node such that all links lead to a later one."""

    links: Mapping[Node, Mapping[Node, str]]
    """From a node to those behind it, with the words for it."""
    position: Mapping[Node, int]

    @classmethod
    def of(cls, statements: Statements) -> "Precedence":
        """Join the statements; a cycle among them is refused by name."""
        links: dict[Node, dict[Node, str]] = {}
        for earlier, later, words in _stated(statements):
            links.setdefault(earlier, {}).setdefault(later, words)
        sorter: TopologicalSorter[Node] = TopologicalSorter()
        for earlier, behind in links.items():
            for later in behind:
                sorter.add(later, earlier)
        try:
            order = list(sorter.static_order())
        except CycleError as knot:
            raise contradiction(_facts(links, _from_a_column(knot.args[1]))) from None
        return cls(links, {node: k for k, node in enumerate(order)})

    def requires(self, cause: str, effect: str) -> bool:
        """Whether the edge itself is required."""
        return self.links.get(cause, {}).get(effect) == REQUIRED

    def told(self, earlier: str, later: str) -> str:
        """The facts that put one column before the other, fewest first; empty if none do."""
        return listed(_facts(self.links, self._path(earlier, later)))

    def _path(self, start: str, goal: str) -> list[Node]:
        """The shortest way along the links, looked for only between the two positions."""
        end = self.position.get(goal, -1)
        if self.position.get(start, end) >= end:
            return []
        came: dict[Node, Node] = {}
        waiting: deque[Node] = deque([start])
        while waiting and goal not in came:
            node = waiting.popleft()
            for behind in self.links.get(node, ()):
                if behind not in came and self.position[behind] <= end:
                    came[behind] = node
                    waiting.append(behind)
        if goal not in came:
            return []
        path: list[Node] = [goal]
        while path[-1] != start:
            path.append(came[path[-1]])
        return path[::-1]


def contradiction(facts: list[str]) -> InputError:
    """The refusal of facts that cannot hold together."""
    return InputError(
        f"Got knowledge that contradicts itself: {listed(facts)}; expected statements that can hold together: "
        "take one of these back."
    )


def fact(one: str, words: str, other: str) -> str:
    """A statement in words."""
    return f"{one!r} {words} {other!r}"


def listed(facts: list[str]) -> str:
    """Facts for a sentence, shortened when there are many."""
    rest = f" and {len(facts) - _TOLD} more" if len(facts) > _TOLD else ""
    return ", ".join(facts[:_TOLD]) + rest


def _stated(statements: Statements) -> Iterable[tuple[Node, Node, str]]:
    """Every link, the strongest words for it first."""
    tiers = statements.tiers
    return chain(
        ((cause, effect, REQUIRED) for cause, effect in statements.required),
        ((earlier, later, BEFORE) for earlier, later in statements.before),
        # From end to end directly, so that a fact about distant tiers names no column between.
        ((end, end + 1, EARLIER) for end in range(len(tiers) - 2)),
        ((column, end, EARLIER) for end, tier in enumerate(tiers[:-1]) for column in tier),
        ((end, column, EARLIER) for end, tier in enumerate(tiers[1:]) for column in tier),
    )


def _facts(links: Mapping[Node, Mapping[Node, str]], path: list[Node]) -> list[str]:
    """What links the columns of a path, one after the other; the ends of tiers are passed over."""
    columns = [node for node in path if isinstance(node, str)]
    return [fact(one, links[one].get(other, EARLIER), other) for one, other in pairwise(columns)]


def _from_a_column(cycle: list[Node]) -> list[Node]:
    """The same cycle, begun and closed at a column: ends of tiers alone make none."""
    first = next(k for k, node in enumerate(cycle) if isinstance(node, str))
    return [*cycle[first:-1], *cycle[:first], cycle[first]]
