"""`order`: a table in, the order of its columns and the parents of each out."""

from collections.abc import Callable, Sequence
from typing import Any

from causewise.errors import SEEDS, between, positive
from causewise.graphs.complete_rows import graph_columns
from causewise.graphs.constraints import Constraints
from causewise.graphs.edges import CausalGraph, Edge
from causewise.graphs.found import find, independence
from causewise.graphs.support import Draws, support
from causewise.models.additive import AdditiveFit
from causewise.parallel import one_thread, processors
from causewise.version import VERSION

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how many."""
DOUBT = 0.01
"""Below this p-value a column's noise is said to depend on what comes before it."""
MOST_DRAWS = 10_000


def order(
    data: Any,
    *,
    columns: Sequence[str | int] | None = None,
    known: Any = None,
    alpha: float = 0.001,
    bootstrap: int = 0,
    seed: int = 0,
    jobs: int | None = None,
    on_progress: OnProgress | None = None,
    **asked: Any,
) -> CausalGraph:
    """Find a causal order of a table's columns, and which of them move the mean and the spread of which.

    Every column is modelled as Σ fₚ(parentₚ) + exp(Σ hₚ(parentₚ)) · noise, with smooth functions and noise of any law.
    Of all orders the one is looked for in which the columns are told best, each by those before it; then the parents
    that do not matter are left out. Rows with a missing value in any column are left out.

    Parameters
    ----------
    data
        A table: pandas, polars, Arrow, a dict of columns, a matrix, or the path of a CSV or Parquet file.
    columns
        Only these columns, by name or number.
    known
        What is known already, as for `scan` (docs/scan.md). Hard statements are obeyed: the order keeps to tiers,
        "before" and required edges, a required edge stays whatever its test says, a forbidden one never appears. Soft
        ones are a prior of the order: their log-odds are added to its log-likelihood. A column of which one value
        holds a tenth of the rows (few levels, counts, heaps) stands in the graph only where this fixes its place.
    alpha
        Level of the test that lets a parent into a column's mean or spread.
    bootstrap
        How many random parts of the rows the graph is found anew on, for the support of every edge.
    seed
        For the parts that are drawn.
    jobs
        Processes for the parts; as many as there are processors unless told. The result does not depend on it.
    on_progress
        Called as the work goes on.
    **asked
        How to read a text file: `decimal`, `header`, `max_bytes`, `max_rows`.

    Returns
    -------
    CausalGraph
        The order, the edges, and a warning for each column whose noise still depends on columns before it.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.uniform(-2, 2, 500), rng.normal(size=500)
    >>> c = np.sin(2 * a) + np.exp(0.6 * b) * 0.3 * rng.normal(size=500)
    >>> found = causewise.order({"a": a, "c": c, "b": b})
    >>> for edge in found.edges:
    ...     print(edge)
    b → c (spread)
    a → c (mean)
    """
    positive("order", 0.5, alpha=alpha)
    between("order", 0, MOST_DRAWS, bootstrap=bootstrap)
    between("order", *SEEDS, seed=seed)
    if jobs is not None:
        between("order", 1, 10_000, jobs=jobs)
    tell = on_progress or (lambda what, done, of: None)
    table = graph_columns(data, columns, known, **asked).canonical()
    constraints = table.constraints()
    with one_thread():
        found = find(table.values, constraints, alpha, lambda done, of: tell("ordering", done, of))
        p_values = independence(table.values, found)
        draws = Draws(table.values, constraints, alpha, seed)
        workers = processors() if jobs is None else jobs
        shares = support(draws, bootstrap, workers, lambda done, of: tell("drawing", done, of)) if bootstrap else None
    names = table.names
    edges = tuple(
        _edge(names, fit, parent, child, alpha, constraints, shares)
        for k, (child, fit) in enumerate(zip(found.order, found.fits, strict=True))
        for parent in found.order[:k]
        if any(term.parent == parent for term in fit.terms)
    )
    # Of steps no noise is left that could be independent.
    tested = {names[column]: p for column, p in zip(found.order, p_values, strict=True)}
    noise = {name: None if name in table.placed else p for name, p in tested.items()}
    return CausalGraph(
        tuple(names[column] for column in found.order),
        edges,
        noise,
        found.log_likelihood,
        table.values.shape[1],
        table.missing,
        table.left_out,
        {names[column]: str(table.kinds[names[column]]) for column in found.order},
        (*_doubts(noise), *_unseen(edges), *table.notes),
        {"alpha": alpha, "bootstrap": bootstrap, "seed": seed, "version": VERSION},
    )


def _edge(
    names: Sequence[str],
    fit: AdditiveFit,
    parent: int,
    child: int,
    alpha: float,
    constraints: Constraints,
    shares: dict[tuple[int, int], float] | None,
) -> Edge:
    p_values = {term.spread: term.p for term in fit.terms if term.parent == parent}
    return Edge(
        names[parent],
        names[child],
        p_values.get(False, 1.0) <= alpha,
        p_values.get(True, 1.0) <= alpha,
        p_values.get(False),
        p_values.get(True),
        None if shares is None else shares.get((parent, child), 0.0),
        bool(constraints.required[parent, child]),
    )


def _doubts(noise: dict[str, float | None]) -> list[str]:
    return [
        f"The noise of {name!r} depends on columns before it (p = {p:.1g}): a hidden common cause, feedback or a model "
        "too small; its edges and its place are doubtful."
        for name, p in noise.items()
        if p is not None and p < DOUBT
    ]


def _unseen(edges: Sequence[Edge]) -> list[str]:
    return [
        f"{edge.parent!r} is required to cause {edge.child!r}, and the rows do not show it (p = {edge.p:.2g})."
        for edge in edges
        if edge.required and not (edge.mean or edge.spread)
    ]
