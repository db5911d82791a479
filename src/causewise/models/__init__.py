"""Conditional models of an effect given a cause, and the record that every fit returns.

A model is a function (cause, effect) → `Fit` of two standardised columns whose rows are sorted by the cause.
"""

from dataclasses import dataclass, field

from causewise.pair import FloatArray


@dataclass(frozen=True, eq=False)
class Fit:
    """Location and scale of the effect given the cause, on standardised columns, in the order of the rows."""

    log_likelihood: float
    """Mean log density per row in nats, without prior terms."""
    location: FloatArray = field(repr=False)
    scale: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    """(effect − location) / scale."""
    converged: bool = True
    n_iter: int | None = None
    kkt: float | None = None
    message: str = ""
    """Why the numbers are approximate, as a sentence; empty if they are not."""

    @classmethod
    def of(
        cls,
        effect: FloatArray,
        location: FloatArray,
        scale: FloatArray,
        log_likelihood: float,
        *,
        n_iter: int | None = None,
        kkt: float | None = None,
        message: str = "",
    ) -> "Fit":
        """The fit of an effect; it converged if there is no message."""
        residual = (effect - location) / scale
        return cls(log_likelihood, location, scale, residual, not message, n_iter, kkt, message)
