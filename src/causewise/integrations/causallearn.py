"""Background knowledge of causal-learn and ours, each made from the other.

Both exclude directions and require edges, by name. causal-learn's is asked pair by pair; ours also follows from tiers,
"before" and required edges together which column comes first. So what ours excludes is spelt out, and of what is read
from causal-learn tiers stay tiers, while patterns, which are regular expressions, and tiers without edges inside become
the edges that they mean for the columns at hand.
"""

import re
from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

from causewise.errors import InputError
from causewise.knowledge.background import Knowledge

if TYPE_CHECKING:
    from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge


def to_background_knowledge(knowledge: Any, columns: Sequence[str]) -> "BackgroundKnowledge":
    """Make causal-learn's BackgroundKnowledge from background knowledge as `scan` and `graph` take it.

    Parameters
    ----------
    knowledge
        A mapping or a file of statements, or the `knowledge` of a graph. Soft statements (`likely: 0.9`) are refused:
        causal-learn's are certain.
    columns
        The names of the columns, which are those of causal-learn's nodes (`node_names=`).

    Returns
    -------
    causallearn.utils.PCUtils.BackgroundKnowledge.BackgroundKnowledge
        For `pc(…, background_knowledge=…)` and other searches: tiers, required edges, and every direction that what was
        stated excludes.

    Raises
    ------
    InputError
        If it has soft statements, contradicts itself or names no column.

    Examples
    --------
    >>> from causewise.integrations.causallearn import to_background_knowledge
    >>> known = to_background_knowledge({"first": ["age"], "required": [["age", "dose"]]}, ["age", "dose", "answer"])
    >>> sorted((cause.get_name(), effect.get_name()) for cause, effect in known.forbidden_rules_specs)
    [('answer', 'age'), ('dose', 'age')]
    """
    try:
        from causallearn.graph.GraphNode import GraphNode
        from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge
    except ImportError:
        raise InputError("BackgroundKnowledge needs causal-learn; install it with: pip install causal-learn.") from None
    checked = Knowledge.of(knowledge, columns)
    if checked.soft:
        cause, effect = next(iter(checked.soft))
        raise InputError(
            f"Got a soft statement about {cause!r} and {effect!r} for causal-learn, whose background knowledge is "
            "certain; expected none: take it out, or make it a required or forbidden edge."
        )
    nodes, made = {name: GraphNode(name) for name in columns}, BackgroundKnowledge()
    for place, tier in enumerate(checked.tiers):
        for name in tier:
            made.add_node_to_tier(nodes[name], place)
    for cause, effect in permutations(columns, 2):
        if checked.requires(cause, effect):
            made.add_required_by_node(nodes[cause], nodes[effect])
        if not made.is_forbidden(nodes[cause], nodes[effect]) and checked.excludes(cause, effect):
            made.add_forbidden_by_node(nodes[cause], nodes[effect])
    return made


def from_background_knowledge(background: Any, columns: Sequence[str]) -> dict[str, list[list[str]]]:
    """Make background knowledge for `scan`, `graph` and `orient` from causal-learn's BackgroundKnowledge.

    Parameters
    ----------
    background
        A BackgroundKnowledge of causal-learn. It is not changed.
    columns
        The names of the table's columns, among which patterns are sought.

    Returns
    -------
    dict
        Tiers, required and forbidden edges: `knowledge=` of other functions.

    Raises
    ------
    InputError
        If it contradicts itself, or names no column.

    Examples
    --------
    >>> from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge
    >>> from causewise.integrations.causallearn import from_background_knowledge
    >>> known = BackgroundKnowledge().add_forbidden_by_pattern("out.*", "age|sex")
    >>> from_background_knowledge(known, ["age", "sex", "outcome"])
    {'forbidden': [['outcome', 'age'], ['outcome', 'sex']]}
    """
    edges = {kind: dict.fromkeys(_list_edges(background, kind, columns)) for kind in ("required", "forbidden")}
    tiers: dict[int, list[str]] = {}
    for node, place in background.tier_value_map.items():
        tiers.setdefault(place, []).append(node.get_name())
    for place in getattr(background, "forbidden_within_tiers", ()):
        edges["forbidden"] |= dict.fromkeys(permutations(sorted(tiers.get(place, ())), 2))
    content = {"tiers": [sorted(tiers[place]) for place in sorted(tiers)]}
    content |= {kind: [list(edge) for edge in stated] for kind, stated in edges.items()}
    Knowledge.of(content, columns)
    return {kind: stated for kind, stated in content.items() if stated}


def _list_edges(background: Any, kind: str, columns: Sequence[str]) -> list[tuple[str, str]]:
    """Required or forbidden edges, by node and by pattern, sorted."""
    by_node = getattr(background, f"{kind}_rules_specs")
    by_pattern = getattr(background, f"{kind}_pattern_rules_specs")
    named = {(one.get_name(), other.get_name()) for one, other in by_node}
    if kind == "forbidden":  # that a column does not cause itself says nothing
        named = {(one, other) for one, other in named if one != other}
    for first, second in by_pattern:
        causes, effects = (_match_columns(pattern, columns) for pattern in (first, second))
        named |= {(one, other) for one in causes for other in effects if one != other}
    return sorted(named)


def _match_columns(pattern: str, columns: Sequence[str]) -> list[str]:
    """As causal-learn does: from the beginning of a name, and not to its end."""
    try:
        return [name for name in columns if re.match(pattern, name)]
    except re.error as problem:
        raise InputError(
            f"Got the pattern {pattern!r} in causal-learn's background knowledge ({problem}); expected a regular "
            "expression: correct it."
        ) from None
