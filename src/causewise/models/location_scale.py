"""What the two location-scale estimators share: checking the rows, and everything that follows from a fitted law."""

import warnings
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from causewise.numerics import gaussian
from causewise.numerics.arrays import weighted_moments
from causewise.pair import FloatArray


class LocationScaleEstimator(RegressorMixin, BaseEstimator, ABC):
    """A scikit-learn regressor of y given x as Normal(μ(x), σ²(x)), fitted in natural parameters.

    A concrete class has `fit`, which begins with `_prepared` and ends with `_finished`, and `_natural`.
    """

    y_mean_: float
    y_scale_: float

    @abstractmethod
    def _natural(self, rows: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """e, p and log 2p (see `causewise.numerics.gaussian`) at checked rows, for a standardised target."""

    def predict(self, X: ArrayLike, return_std: bool = False) -> Any:
        """Predict the mean of y, and its standard deviation if asked for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.
        return_std : bool, default=False
            Whether to return the standard deviation too.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            Predicted means, in the units of y.
        std : ndarray of shape (n_samples,)
            Predicted standard deviations of y; only if `return_std`.
        """
        e, p, _ = self._natural(self._checked(X))
        mean = self.y_mean_ + self.y_scale_ * gaussian.location(e, p)
        return (mean, self.y_scale_ * np.sqrt(gaussian.variance(p))) if return_std else mean

    def predict_dist(self, X: ArrayLike) -> Any:
        """Predict the law of y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.

        Returns
        -------
        law : frozen scipy.stats.norm
            With one mean and one standard deviation for each row.
        """
        from scipy.stats import norm

        return norm(*self.predict(X, return_std=True))

    def predict_quantile(self, X: ArrayLike, q: ArrayLike = 0.5) -> FloatArray:
        """Predict quantiles of y.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.
        q : float or array-like of shape (n_levels,), default=0.5
            Levels strictly between 0 and 1.

        Returns
        -------
        quantiles : ndarray of shape (n_samples,) or (n_samples, n_levels)
            One column for each level; no column axis for a single number.
        """
        from scipy.special import ndtri

        levels = np.asarray(q, dtype=np.float64)
        if not np.all((levels > 0) & (levels < 1)):
            raise ValueError(f"Got quantile levels {q!r}; expected numbers strictly between 0 and 1.")
        mean, std = self.predict(X, return_std=True)
        if levels.ndim == 0:
            return np.asarray(mean + std * ndtri(levels))
        return np.asarray(mean[:, None] + std[:, None] * ndtri(levels))

    def sample_y(self, X: ArrayLike, n_samples: int = 1, random_state: Any = None) -> FloatArray:
        """Draw from the predicted law.

        Parameters
        ----------
        X : array-like of shape (n_samples_X, n_features_in)
            Inputs.
        n_samples : int, default=1
            Draws for each row.
        random_state : int, RandomState instance or None, default=None
            The same integer gives the same draws.

        Returns
        -------
        draws : ndarray of shape (n_samples_X, n_samples)
            One row for each row of X.
        """
        mean, std = self.predict(X, return_std=True)
        noise = check_random_state(random_state).standard_normal((len(mean), n_samples))
        return np.asarray(mean[:, None] + std[:, None] * noise)

    def log_likelihood(self, X: ArrayLike, y: ArrayLike) -> FloatArray:
        """Evaluate the log density of every y at its X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            In nats, with y in its own units.
        """
        e, p, log_2p = self._natural(self._checked(X))
        target = (np.asarray(y, dtype=np.float64) - self.y_mean_) / self.y_scale_
        return np.asarray(gaussian.log_density(e, p, log_2p, target) - np.log(self.y_scale_))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Evaluate the mean log-likelihood (not R²).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_in)
            Inputs.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows; None weighs all alike.

        Returns
        -------
        score : float
            In nats per row: higher is better, comparable between models of the same y.
        """
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return float(np.average(self.log_likelihood(X, y), weights=weights))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # `score` is a log-likelihood, not R²
        return tags

    def _prepared(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rows of positive weight, their standardised targets and their weights."""
        rows, targets = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        weights = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
        # A row of weight 0 must not even widen the range of the knots or the standardising: it is left out.
        counted = weights > 0
        rows, targets, weights = rows[counted], targets[counted].astype(np.float64), weights[counted]
        self.y_mean_, self.y_scale_ = map(float, weighted_moments(targets, weights))
        return rows, (targets - self.y_mean_) / self.y_scale_, weights

    def _finished(self, n_iter: int, message: str) -> None:
        self.n_iter_, self.message_, self.converged_ = n_iter, message, not message
        if message:
            warnings.warn(message, ConvergenceWarning, stacklevel=4)  # the line that called `fit`

    def _checked(self, X: ArrayLike) -> FloatArray:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, dtype=np.float64, reset=False))
