"""How well a column is told by those before it: the likelihood that an order of all columns adds up.

Among orders with the true parents before every column, the noise that is left has the least entropy in total. The law of
the noise is not assumed: its density is estimated from the gaps between the residuals.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from whence.models.additive import AdditiveFit, Smooths
from whence.numerics.entropy import log_density_at_rows
from whence.numerics.native import FloatArray


@dataclass(eq=False)
class Likelihoods:
    """Log-likelihoods a row of columns given others, each fitted once."""

    smooths: Smooths
    alpha: float
    """Level of the test that lets a term in."""
    _fits: dict[tuple[int, frozenset[int]], tuple[float, AdditiveFit]] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: Sequence[FloatArray], alpha: float) -> "Likelihoods":
        """For standardised columns without missing values, rows in any fixed order."""
        return cls(Smooths(columns), alpha)

    def fit(self, column: int, earlier: Iterable[int]) -> AdditiveFit:
        """The column given those of the earlier ones that matter."""
        return self._known(column, frozenset(earlier))[1]

    def __call__(self, column: int, earlier: Iterable[int]) -> float:
        """Nats a row."""
        return self._known(column, frozenset(earlier))[0]

    def __len__(self) -> int:
        return len(self._fits)

    def _known(self, column: int, earlier: frozenset[int]) -> tuple[float, AdditiveFit]:
        key = column, earlier
        if key not in self._fits:
            fit = self.smooths.fit(column, earlier, self.alpha)
            self._fits[key] = _likelihood(fit), fit
        return self._fits[key]


def _likelihood(fit: AdditiveFit) -> float:
    density = log_density_at_rows(fit.residual)
    # Ties leave no gaps: then the normal law is all there is.
    told = -0.5 * fit.residual**2 - 0.5 * np.log(2 * np.pi) if density is None else density
    return float(np.mean(told - fit.log_scale))
