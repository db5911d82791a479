"""Antisymmetric boosted trees: the fitted combination, as flat arrays evaluated by compiled code.

With h the sum of the trees, d the differences of the readings and c the context, the log-odds are

    g(d, c) = ½ [h(d, c) − h(−d, c)],

so that exchanging the columns, which turns d into −d and leaves c, negates g bit for bit.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Trees(NamedTuple):
    """Nodes of all trees one after another; `feature` is −1 at a leaf, children are absolute places."""

    root: IntArray
    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray
    value: FloatArray

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> "Trees":
        """From stored arrays of any width."""
        root, feature, left, right = (arrays[name].astype(np.int64) for name in ("root", "feature", "left", "right"))
        threshold, value = (arrays[name].astype(np.float64) for name in ("threshold", "value"))
        return cls(root, feature, threshold, left, right, value)


def one_sided(trees: Trees, differences: FloatArray, context: FloatArray) -> float:
    """h of one pair as it stands; with negated differences, of the same pair turned round."""
    return row_sum(trees, np.concatenate((differences, context)))


def row_sum(trees: Trees, row: FloatArray) -> float:
    """h of one row of differences and context."""
    return float(_sum(*trees, row))


@njit(cache=True, nogil=True)
def _sum(
    root: IntArray,
    feature: IntArray,
    threshold: FloatArray,
    left: IntArray,
    right: IntArray,
    value: FloatArray,
    row: FloatArray,
) -> float:
    total = 0.0
    for start in root:
        node = start
        while feature[node] >= 0:
            node = left[node] if row[feature[node]] <= threshold[node] else right[node]
        total += value[node]
    return total


def exported(boosted: Any) -> Trees:
    """The trees of a fitted scikit-learn HistGradientBoostingClassifier without missing or categorical values."""
    columns: dict[str, list[float]] = {name: [] for name in Trees._fields}
    for (predictor,) in boosted._predictors:  # scikit-learn has no public view of its trees
        offset = len(columns["feature"])
        columns["root"].append(offset)
        for node in predictor.nodes:
            leaf = bool(node["is_leaf"])
            columns["feature"].append(-1 if leaf else int(node["feature_idx"]))
            columns["threshold"].append(0.0 if leaf else float(node["num_threshold"]))
            columns["left"].append(offset + int(node["left"]))
            columns["right"].append(offset + int(node["right"]))
            columns["value"].append(float(node["value"]))
    return Trees.of({name: np.array(column) for name, column in columns.items()})
