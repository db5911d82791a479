"""`graph`: a table in, the order of its columns and the parents of each out."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from causewise.errors import SEEDS, InputError, between, positive
from causewise.graphs.causal_graph import CausalGraph, Edge
from causewise.graphs.graph_columns import Constraints, read_graph_columns
from causewise.graphs.order_search import fit_graph, noise_p_values
from causewise.numerics.native import FloatArray
from causewise.parallel import DEFAULT_ENGINE, Engine, one_thread, processors
from causewise.tables.source import READING_OPTIONS, split_reading_options
from causewise.version import VERSION
from causewise.worker_pool import Lost, WorkerError, open_pool

SHARE = 0.8
OnDraw = Callable[[int, int], None]
"""Called with how many parts are done, and of how many."""
Arrows = frozenset[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Draws:
    """Parts of the rows of some columns, each found by its number alone: who finds which does not matter."""

    columns: FloatArray
    constraints: Constraints
    alpha: float
    seed: int

    def arrows(self, number: int) -> Arrows:
        """The edges found on one part."""
        n = self.columns.shape[1]
        rng = np.random.default_rng([self.seed, number])
        rows = np.sort(rng.choice(n, size=round(SHARE * n), replace=False))
        return fit_graph(self.columns[:, rows], self.constraints, self.alpha).arrows


def support(
    draws: Draws, count: int, jobs: int, on_draw: OnDraw = lambda done, of: None
) -> dict[tuple[int, int], float]:
    """The share of parts in which each edge is found, for all edges found in any."""
    times: Counter[tuple[int, int]] = Counter()
    with open_pool(min(jobs, count), nullcontext, [draws]) as pool:
        parts = pool.map(_find_arrows, [[number] for number in range(count)])
        for done, (number, [arrows]) in enumerate(parts, start=1):
            if isinstance(arrows, Lost):
                raise WorkerError(f"The graph of part {number + 1} of the rows could not be found. {arrows.reason}")
            times.update(arrows)
            on_draw(done, count)
    return {arrow: found / count for arrow, found in times.items()}


def _find_arrows(draws: Draws, numbers: Sequence[int]) -> list[Arrows]:
    return [draws.arrows(number) for number in numbers]


DOUBT = 0.01
"""Below this p-value a column's noise is said to depend on its predecessors."""
MOST_DRAWS = 10_000


def graph(
    data: Any,
    *,
    columns: Sequence[str | int] | None = None,
    exclude: Sequence[str | int] = (),
    knowledge: Any = None,
    alpha: float = 0.001,
    bootstrap: int = 0,
    seed: int = 0,
    engine: Engine = DEFAULT_ENGINE,
    **settings: Any,
) -> CausalGraph:
    """Find a causal order of a table's columns, and the parents that affect the mean and the variance of each.

    Every column is modelled as Σ fₚ(parentₚ) + exp(Σ hₚ(parentₚ)) · noise, with smooth functions and noise of any law.
    The order is the one of largest log-likelihood, each column given its predecessors; then parents that do not matter
    are left out. Rows with a missing value in any column are left out.

    Parameters
    ----------
    data
        A table: pandas, polars, Arrow, a dict of columns, a matrix, or the path of a CSV or Parquet file.
    columns, exclude
        Only these columns, by name or number; all but these.
    knowledge
        Background knowledge, as for `scan` (docs/scan.md). Hard statements are applied: the order keeps to tiers,
        "before" and required edges, a required edge stays whatever its test says, a forbidden one never appears. Soft
        ones are a prior of the order: their log-odds are added to its log-likelihood. A column of which one value
        holds a tenth of the rows (few values, counts, a point mass) stands in the graph only where this fixes its
        place.
    alpha
        Significance level of the test that lets a parent into a column's mean or variance.
    bootstrap
        How many random parts of the rows the graph is found anew on, for the support of every edge.
    seed
        For the parts that are drawn.
    engine
        Processes for the parts, and who hears of progress; a cluster and a journal are for scans.
    **settings
        How to read a text file: `decimal`, `header`, `max_bytes`, `max_lines`.

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
    >>> found = causewise.graph({"a": a, "c": c, "b": b})
    >>> for edge in found.edges:
    ...     print(edge)
    b → c (spread)
    a → c (mean)
    """
    positive("graph", 0.5, alpha=alpha)
    between("graph", 0, MOST_DRAWS, bootstrap=bootstrap)
    between("graph", *SEEDS, seed=seed)
    if engine.dask is not None or engine.journal is not None:
        raise InputError("Got a Dask cluster or a journal for a graph; expected an engine without: they are for scans.")
    reading, others = split_reading_options(settings)
    if others:
        raise InputError(f"Got {', '.join(map(repr, others))} for a graph; expected {', '.join(READING_OPTIONS)}.")
    tell = engine.on_progress
    table = read_graph_columns(data, columns, knowledge, exclude, **reading).to_canonical()
    constraints = table.constraints()
    with one_thread():
        fits = fit_graph(table.values, constraints, alpha, lambda done, of: tell("ordering", done, of))
        independence = noise_p_values(table.values, fits)
        draws = Draws(table.values, constraints, alpha, seed)
        workers = processors() if engine.jobs is None else engine.jobs
        shares = support(draws, bootstrap, workers, lambda done, of: tell("drawing", done, of)) if bootstrap else None
    names, edges = table.names, list[Edge]()
    for k, (child, fit) in enumerate(zip(fits.order, fits.fits, strict=True)):
        for parent in fits.order[:k]:
            if p_values := {term.spread: term.p for term in fit.terms if term.parent == parent}:
                edge = Edge(
                    names[parent],
                    names[child],
                    p_values.get(False, 1.0) <= alpha,
                    p_values.get(True, 1.0) <= alpha,
                    p_values.get(False),
                    p_values.get(True),
                    None if shares is None else shares.get((parent, child), 0.0),
                    bool(constraints.required[parent, child]),
                )
                edges.append(edge)
    # Of steps no noise is left that could be independent.
    order = tuple(names[column] for column in fits.order)
    noise = {name: None if name in table.placed else p for name, p in zip(order, independence, strict=True)}
    return CausalGraph(
        order,
        tuple(edges),
        noise,
        fits.log_likelihood,
        table.values.shape[1],
        table.missing,
        table.left_out,
        {name: str(table.kinds[name]) for name in order},
        (*_warn_of_dependence(noise), *_warn_of_unseen(edges), *table.notes),
        {"alpha": alpha, "bootstrap": bootstrap, "seed": seed, "version": VERSION},
    )


def _warn_of_dependence(noise: dict[str, float | None]) -> list[str]:
    return [
        f"The noise of {name!r} depends on columns before it (p = {p:.1g}): a hidden common cause, feedback or a model "
        "too small; its edges and its place are doubtful."
        for name, p in noise.items()
        if p is not None and p < DOUBT
    ]


def _warn_of_unseen(edges: Sequence[Edge]) -> list[str]:
    return [
        f"{edge.parent!r} is required to cause {edge.child!r}, and the rows do not show it (p = {edge.p:.2g})."
        for edge in edges
        if edge.required and not (edge.mean or edge.spread)
    ]
