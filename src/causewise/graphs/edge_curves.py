"""What is drawn of an edge: its two columns by themselves, the mean and the scale of each given the other.

The tests of an edge are given all other edges; these curves are not, and show what can be seen in a scatter plot.
"""

import warnings
from collections.abc import Iterable, Mapping

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from causewise.graphs.causal_graph import DirectionCurve, Edge, EdgeCurve
from causewise.models.estimator import LocationScaleRegressor
from causewise.models.smoothness import choose_smoothness
from causewise.numerics.native import FloatArray
from causewise.numerics.row_sampling import scramble
from causewise.pair import standardise

GRID = 40
"""Values at which a curve is measured; all values of a column that has no more."""
MOST_POINTS = 300
MOST_FITTED = 2000
"""Rows that a curve is fitted to."""
_DEGREE = 3


def measure_edge_curves(columns: Mapping[str, FloatArray], edges: Iterable[Edge]) -> dict[tuple[str, str], EdgeCurve]:
    """Of each edge whose columns are there: both directions fitted, and the rows that are drawn.

    Examples
    --------
    >>> u = np.linspace(-1, 1, 200)
    >>> edge = Edge("u", "v", "->", True, False, 1e-9, None, 0.99)
    >>> curve = measure_edge_curves({"u": u, "v": 3 * u + 0.1 * np.cos(99 * u)}, [edge])["u", "v"]
    >>> len(curve.forward.grid), bool(np.allclose(curve.forward.mean, 3 * np.array(curve.forward.grid), atol=0.1))
    (40, True)
    """
    return {
        (edge.parent, edge.child): measure_edge(columns[edge.parent], columns[edge.child])
        for edge in edges
        if edge.parent in columns and edge.child in columns
    }


def measure_edge(parent: FloatArray, child: FloatArray) -> EdgeCurve:
    """Two columns, each given the other."""
    # By the hash of their place, such that the drawn rows are among the fitted ones.
    chosen = np.argsort(scramble(np.arange(len(parent), dtype=np.uint64)), kind="stable")
    fitted, drawn = chosen[:MOST_FITTED], np.sort(chosen[:MOST_POINTS])
    u, v = parent[fitted], child[fitted]
    return EdgeCurve(
        _measure_curve(u, v), _measure_curve(v, u), tuple(parent[drawn].tolist()), tuple(child[drawn].tolist())
    )


def _measure_curve(given: FloatArray, other: FloatArray) -> DirectionCurve:
    values = np.unique(given)
    low, high = float(values[0]), float(values[-1])
    grid, width = values if len(values) <= GRID else np.linspace(low, high, GRID), (high - low) or 1.0
    rows = ((given - low) / width)[:, None]
    smooth = choose_smoothness(rows, standardise(other), np.ones(len(other)), _DEGREE, "uniform")
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):  # near enough for a picture
        model = LocationScaleRegressor(smooth.n_knots, _DEGREE, delta=smooth.delta).fit(rows, other)
    mean, scale = model.predict(((grid - low) / width)[:, None], return_std=True)
    return DirectionCurve(tuple(grid.tolist()), tuple(mean.tolist()), tuple(scale.tolist()))
