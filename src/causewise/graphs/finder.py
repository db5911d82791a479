"""`graph`: a table in, the order of its columns and the parents of each out."""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from causewise.decision import Decision, Direction
from causewise.errors import SEEDS, InputError, between, positive
from causewise.graphs.causal_graph import ARROW, LINE, TWO_HEADED, CausalGraph, Edge
from causewise.graphs.cross_checks import compare_with_logs, compare_with_pairs
from causewise.graphs.direction import (
    DirectionEvidence,
    direction_probability,
    explain_open,
    gather_evidence,
)
from causewise.graphs.effect import Effect
from causewise.graphs.graph_columns import Constraints, GraphColumns, read_graph_columns
from causewise.graphs.graph_search import search_graph
from causewise.graphs.hidden_causes import join_by_hidden_causes
from causewise.graphs.interventions import Structure
from causewise.graphs.mechanisms import Mechanism
from causewise.graphs.noise import Kernels, noise_p_values
from causewise.graphs.reversals import Arrow
from causewise.graphs.row_parts import Draws, Part, Whole, find_on_parts, open_parts_cluster, share_of_parts
from causewise.graphs.structural_model import build_model
from causewise.numerics.row_sampling import MAX_ROWS, sample_rows
from causewise.parallel import DEFAULT_ENGINE, Engine, one_thread, processors
from causewise.scanning.journal import Journal
from causewise.tables.source import READING_OPTIONS, split_reading_options
from causewise.version import VERSION
from causewise.worker_pool import TaskPool, open_pool

PARTS = 8
"""How many parts of the rows are drawn unless told."""
THRESHOLD = 0.9
"""The probability of a direction from which an arrow is drawn."""
LEAST_SUPPORT = 1 / 2
"""The share of parts in which an edge must be found to be one (stability selection, Meinshausen and Bühlmann 2010).

Of edges that three of eight show half are true, and one without a direction is worth drawing where two thirds are.
"""
FALSE_DISCOVERIES = 50.0
"""Times alpha the share of edges that may be there by chance: of many columns this asks for more than alpha does."""
WORTH_A_PROCESS = 4.0
"""Seconds that all parts together must take about, for processes to be started for them."""
OF_PAIRS = 0.01
"""Significance level of what an oriented pair's cause does to mean and variance: that it does something is told."""
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
    threshold: float = THRESHOLD,
    bootstrap: int = PARTS,
    seed: int = 0,
    engine: Engine = DEFAULT_ENGINE,
    **settings: Any,
) -> CausalGraph:
    """Find a causal order of a table's columns, and the parents that affect the mean and the variance of each.

    Every column comes from its parents by straight lines, sums of smooth functions in its mean and in the logarithm of
    its scale, a Gaussian process of all of them, natural parameters that add up, or a monotone sensor over one of
    these, and noise of any law: whichever has the shortest code. The order is the one of largest log-likelihood, each
    column given its predecessors; then parents that do not matter are left out. Where the direction of an edge is not
    clear, it has none. Rows with a missing value in any column are left out.

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
    threshold
        The probability of a direction from which an edge is an arrow; below it has no direction.
    bootstrap
        How many random halves of the rows the graph is found anew on, for the probability of directions and the support
        of edges. Each costs nearly what the graph does; with 0 directions are less sure than they are said.
    seed
        For the parts that are drawn.
    engine
        Processes or a Dask cluster for the parts, a journal of finished ones to go on from, and who hears of progress.
    **settings
        How to read a file: `decimal`, `header`, `sep`, `sheet`, `max_bytes`, `max_lines`.

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
    if not 0.5 <= threshold <= 1.0:
        raise InputError(f"Got threshold={threshold!r} for a graph; expected a probability from 0.5 to 1.")
    between("graph", 0, MOST_DRAWS, bootstrap=bootstrap)
    between("graph", *SEEDS, seed=seed)
    reading, others = split_reading_options(settings)
    if others:
        raise InputError(f"Got {', '.join(map(repr, others))} for a graph; expected {', '.join(READING_OPTIONS)}.")
    tell = engine.on_progress
    recorded = read_graph_columns(data, columns, knowledge, exclude, **reading)
    table = recorded.to_canonical()
    constraints = table.constraints()
    draws = Draws(table.values, constraints, alpha, seed)
    journal = Journal(None if engine.journal is None else Path(engine.journal), draws.identity)
    start = time.monotonic()
    with ExitStack() as opened:
        # A cluster that is not there is refused before anything is searched.
        cluster = (
            opened.enter_context(open_parts_cluster(draws, engine)) if engine.dask is not None and bootstrap else None
        )
        opened.enter_context(one_thread())
        found = search_graph(table.values, constraints, alpha, lambda done, of: tell("ordering", done, of))
        joined = join_by_hidden_causes(found)
        found = found._replace(graph=joined.graph)
        kernels = Kernels(table.values)
        independence = noise_p_values(kernels, joined.joint)
        evidence = gather_evidence(table.values, found, kernels, joined.doubtful)
        workers = processors() if engine.jobs is None else engine.jobs
        if engine.jobs is None and (time.monotonic() - start) * bootstrap < WORTH_A_PROCESS:
            workers = 1
        here: AbstractContextManager[TaskPool] = open_pool(min(workers, max(bootstrap, 1)), nullcontext, [draws])
        pool = cluster or opened.enter_context(here)
        whole = Whole(sorted(found.graph.arrows | joined.pairs), found.guide)
        parts = find_on_parts(bootstrap, whole, pool, journal, lambda done, of: tell("drawing", done, of))
    edges = [
        _describe_hidden_cause(table, (parent, child), joined.reasons[parent, child], joint, parts, alpha)
        if (parent, child) in joined.pairs
        else _describe_edge(table, constraints, (parent, child), fit, evidence[parent, child], parts, alpha, threshold)
        for k, (child, fit, joint) in enumerate(
            zip(found.graph.order, found.graph.fits, joined.joint.fits, strict=True)
        )
        for parent in found.graph.order[:k]
        if parent in fit.parents or (parent, child) in joined.pairs
    ]
    chance = _list_chance(edges, len(table.names), alpha)
    edges = [edge for edge in edges if edge not in chance]
    unstable = [edge for edge in edges if edge.support is not None and edge.support < LEAST_SUPPORT]
    unstable = [edge for edge in unstable if not edge.required]
    edges, contradictions = compare_with_pairs(table, [edge for edge in edges if edge not in unstable], seed)
    edges, in_logs = compare_with_logs(recorded, alpha, edges)
    # Of steps no noise is left that could be independent.
    order = tuple(table.names[column] for column in found.graph.order)
    noise = {name: None if name in table.placed else p for name, p in zip(order, independence, strict=True)}
    warnings = (
        *_warn_of_dependence(noise),
        *_warn_of_unseen(edges),
        *_warn_of_chance(chance),
        *_warn_of_unstable(unstable),
        *contradictions,
        *in_logs,
        *table.notes,
    )
    return CausalGraph(
        order,
        tuple(edges),
        noise,
        {name: str(fit) for name, fit in zip(order, found.graph.fits, strict=True)},
        found.graph.log_likelihood,
        table.values.shape[1],
        table.missing,
        table.left_out,
        {name: str(table.kinds[name]) for name in order},
        warnings,
        {"alpha": alpha, "threshold": threshold, "bootstrap": bootstrap, "seed": seed, "version": VERSION},
        dict(zip(recorded.names, recorded.values, strict=True)),
        recorded.knowledge,
        journal.close,
        Structure.of(
            recorded,
            table,
            build_model(table.values, found, _name_to_arrows(table, [*chance, *unstable])),
            [part.model for part in parts],
            partial(draws.fit, guide=found.guide),
        ),
    )


def estimate_pair_effect(decision: Decision, at: Any, level: float, bootstrap: int, seed: int) -> Effect:
    """What becomes of the effect of an oriented pair where its cause is set: that of a graph whose order is given."""
    pair = decision.pair
    if decision.cause is None:
        raise InputError(
            f"Got {decision.verdict}; expected a pair whose direction is told: without it setting one column may do "
            "nothing to the other. If you know the direction, ask graph(…, knowledge={'before': [[cause, effect]]})."
        )
    names = ("x", "y") if pair.x_name == pair.y_name else (pair.x_name, pair.y_name)
    cause, effect = names if decision.direction is Direction.FORWARD else names[::-1]
    rows = sample_rows(pair.x, pair.y, MAX_ROWS)
    found = graph(
        dict(zip(names, (pair.x[rows], pair.y[rows]), strict=True)),
        knowledge={"before": [[cause, effect]]},
        alpha=OF_PAIRS,
        bootstrap=bootstrap,
        seed=seed,
        engine=Engine(jobs=1),
    )
    out = found.effect(cause, effect, at, level=level)
    sure = 1.0 if decision.confidence is None else decision.confidence
    return replace(out, probability=out.probability * sure)


def _list_chance(edges: Sequence[Edge], columns: int, alpha: float) -> list[Edge]:
    """Those that are not required and may be there by chance, where every column may be a parent of every other.

    The rest have the false discovery rate (Benjamini and Hochberg 1995).
    """
    count = columns * (columns - 1)
    ranked = enumerate(sorted(edge.p for edge in edges), start=1)
    limit = max((p for k, p in ranked if p <= FALSE_DISCOVERIES * alpha * k / count), default=0.0)
    return [edge for edge in edges if edge.p > limit and not edge.required]


def _name_to_arrows(table: GraphColumns, edges: Sequence[Edge]) -> frozenset[Arrow]:
    return frozenset((table.names.index(edge.parent), table.names.index(edge.child)) for edge in edges)


def _describe_edge(
    table: GraphColumns,
    constraints: Constraints,
    arrow: Arrow,
    fit: Mechanism,
    evidence: DirectionEvidence,
    parts: Sequence[Part],
    alpha: float,
    threshold: float,
) -> Edge:
    parent, child = arrow
    p_values = _find_p_values(fit, parent)
    is_given = bool(constraints.before[arrow])
    leans = [part.leans[arrow] for part in parts]
    shown, turned = (share_of_parts(parts, each) for each in (arrow, (child, parent))) if parts else (None, None)
    probability = direction_probability(evidence.loss, leans)
    reason = "" if is_given else explain_open(evidence, probability, shown, leans, threshold)
    return Edge(
        table.names[parent],
        table.names[child],
        LINE if reason else ARROW,
        p_values.get(False, 1.0) <= alpha,
        p_values.get(True, 1.0) <= alpha,
        p_values.get(False),
        p_values.get(True),
        None if is_given else probability,
        None if shown is None or turned is None else shown + turned,
        bool(constraints.required[arrow]),
        is_given,
        reason,
    )


def _describe_hidden_cause(
    table: GraphColumns, pair: Arrow, reason: str, fit: Mechanism, parts: Sequence[Part], alpha: float
) -> Edge:
    parent, child = pair
    p_values = _find_p_values(fit, parent + len(table.names))
    return Edge(
        table.names[parent],
        table.names[child],
        TWO_HEADED,
        p_values.get(False, 1.0) <= alpha,
        p_values.get(True, 1.0) <= alpha,
        p_values.get(False),
        p_values.get(True),
        None,
        share_of_parts(parts, pair) + share_of_parts(parts, (child, parent)) if parts else None,
        reason=reason,
    )


def _find_p_values(fit: Mechanism, parent: int) -> dict[bool, float]:
    """That a parent does not affect the mean, and (True) not the variance; of what is in the model."""
    return {
        spread: min(1.0, len(each) * min(each))
        for spread in (False, True)
        if (each := [term.p for term in fit.terms if term.spread == spread and term.parent == parent])
    }


def _warn_of_dependence(noise: dict[str, float | None]) -> list[str]:
    return [
        f"The noise of {name!r} depends on columns before it (p = {p:.1g}): a hidden common cause, feedback or a model "
        "too small; its edges and its place are doubtful."
        for name, p in noise.items()
        if p is not None and p < DOUBT
    ]


def _warn_of_chance(edges: Sequence[Edge]) -> list[str]:
    listed = ", ".join(f"{edge.parent!r} — {edge.child!r} (p = {edge.p:.1g})" for edge in edges)
    return [f"Edges that may be there by chance, among so many columns, are left out: {listed}."] if edges else []


def _warn_of_unstable(edges: Sequence[Edge]) -> list[str]:
    listed = ", ".join(f"{edge.parent!r} — {edge.child!r} ({edge.support:.0%})" for edge in edges)
    few = "Edges that fewer than half of the parts of the rows show are left out"
    return [f"{few}: {listed}."] if edges else []


def _warn_of_unseen(edges: Sequence[Edge]) -> list[str]:
    return [
        f"{edge.parent!r} is required to cause {edge.child!r}, and the rows do not show it (p = {edge.p:.2g})."
        for edge in edges
        if edge.required and not (edge.mean or edge.spread)
    ]
