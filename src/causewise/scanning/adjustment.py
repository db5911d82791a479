"""Columns adjusted for others: what a location-scale spline of those leaves of them, in standard deviations.

Two effects of a common cause are unrelated once adjusted for it. A direction survives where the others act beside the
cause; where they act through it on a curved effect, what is left is no location-scale model any more, and the pair is
undecided more often. The spline is additive over several columns. Its knots lie at their quantiles: equally spaced
ones leave most of a skewed column between two of them, and what is not fitted there shows as a relation.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from causewise.column_types import explain_unusable
from causewise.errors import InputError
from causewise.models.spline import DEGREE
from causewise.pair import MIN_ROWS, FloatArray, standard_deviation, standardise

KNOTS = 10
"""A column. The 25 of a lone fit follow the noise of both columns enough to halve the evidence for a direction."""
ROWS_A_FEATURE = 5
"""With fewer, a spline follows single rows, and what it leaves of two columns is alike: few rows get fewer knots."""
FEWEST_ROWS = ROWS_A_FEATURE * (DEGREE + 1)
"""Rows a column that the plainest spline, of two knots, needs."""
NOTHING_LEFT = 0.005
"""Share of a column's standard deviation; the prior of the spline leaves as much of an exact function."""


@dataclass(frozen=True, eq=False)
class Adjustment:
    """The columns that others are adjusted for; none leave every column as it is."""

    names: tuple[str, ...] = ()
    columns: tuple[FloatArray, ...] = ()

    @classmethod
    def of(cls, others: Mapping[str, FloatArray]) -> "Adjustment":
        """Refused where one does not vary, or there are too few rows for a spline of all of them."""
        for name, column in others.items():
            if why := explain_unusable(column, MIN_ROWS, dated=True):  # a trend along the rows is a thing to adjust for
                raise InputError(f"Got the column {name!r} to adjust for, and {why}; expected numbers that vary.")
        names, columns = tuple(others), tuple(others.values())
        complete = int(np.count_nonzero(~np.isnan(columns).any(axis=0))) if columns else 0
        if complete < FEWEST_ROWS * len(columns):
            present, them = ("is", "it") if len(names) == 1 else ("are all", "them")
            raise InputError(
                f"Got {complete} rows in which {_quote(names)} {present} present; expected at least "
                f"{FEWEST_ROWS * len(columns)} to adjust for {them}: give more rows, or adjust for fewer columns."
            )
        return cls(names, columns)

    def residual(self, column: FloatArray) -> FloatArray | str:
        """What is left of a column, missing where one of the others is; or why nothing can be said about it."""
        if not self.names:
            return column
        complete = ~np.isnan([column, *self.columns]).any(axis=0)
        target, needed = column[complete], FEWEST_ROWS * len(self.names)
        if len(target) < needed:
            return f"it has {len(target)} rows together with {_quote(self.names)} where at least {needed} are needed"
        if np.min(target) == np.max(target):
            return f"it is {target[0]:g} in every row in which {_quote(self.names)} can be adjusted for"
        inputs = np.column_stack([each[complete] for each in self.columns])
        # Summed in the order of the values, so that the order of the rows changes nothing.
        order = np.lexsort((target, *inputs.T[::-1]))
        v = standardise(target[order])
        mean, scale = _fit_moments(_standardise_all(inputs[order]), v)
        if standard_deviation(v - mean) <= NOTHING_LEFT:
            return f"nothing is left of it once it is adjusted for {_quote(self.names)}"
        left = np.full(len(column), np.nan)
        left[np.flatnonzero(complete)[order]] = (v - mean) / scale
        return left


def _standardise_all(inputs: FloatArray) -> FloatArray:
    """Columns of any unit; one that varies only where others are missing stays as it is and explains nothing."""
    return np.column_stack([standardise(u) if np.min(u) < np.max(u) else np.zeros(len(u)) for u in inputs.T])


def _fit_moments(inputs: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of v in every row."""
    # scikit-learn takes a second to import, which no scan without columns to adjust for should wait.
    from sklearn.exceptions import ConvergenceWarning

    from causewise.models.estimator import LocationScaleRegressor

    rows, count = inputs.shape
    knots = min(KNOTS, rows // (ROWS_A_FEATURE * count) - DEGREE + 1)
    with warnings.catch_warnings():
        # What a fit a little short of its optimum leaves are residuals all the same.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LocationScaleRegressor(n_knots=knots, knots="quantile").fit(inputs, v)
    mean, scale = model.predict(inputs, return_std=True)
    return mean, scale


def _quote(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
