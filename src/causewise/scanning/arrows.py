"""The graph of a scan: an arrow for every oriented pair.

Pairwise arrows are no multivariate discovery: a pair that only a third column ties together may have an arrow too.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from causewise.scanning.scan_row import ScanRow

if TYPE_CHECKING:
    from networkx import DiGraph


def graph(rows: Iterable[ScanRow], columns: Sequence[str]) -> "DiGraph":
    """All columns as nodes, in the table's order, and an edge from cause to effect for every oriented row.

    An edge has `weight` (the confidence; 1.0 where the method gives none, so that weighted algorithms count each such
    arrow once), `n`, and, where they exist, `score` (> 0 favours the edge's own direction), `p_forward` (of the edge's
    direction) and `p_backward`.
    """
    import networkx as nx

    found = nx.DiGraph()
    found.add_nodes_from(columns)
    for row in rows:
        if row.status == "oriented":
            found.add_edge(row.cause, row.effect, **_attributes(row))
    return found


def _attributes(row: ScanRow) -> dict[str, float]:
    """Seen from the cause: a reader of an edge does not know which column came first in the table."""
    forward = row.cause == row.x
    p_values = (row.p_forward, row.p_backward)
    known = {
        "weight": 1.0 if row.confidence is None else row.confidence,
        "score": row.score if forward or row.score is None else -row.score,
        "p_forward": p_values[not forward],
        "p_backward": p_values[forward],
        "n": row.n,
    }
    return {name: value for name, value in known.items() if value is not None}
