"""Whether the noise that a graph's mechanisms leave is independent of the columns before it (HSIC)."""

from collections.abc import Iterable

from causewise.graphs.graph_search import OrderedFits
from causewise.graphs.mechanisms import Mechanism
from causewise.numerics.hsic import KernelColumn, hsic_test, kernel_column
from causewise.numerics.native import FloatArray
from causewise.pair import standardise


class Kernels:
    """The kernels of columns and of noise, each computed when it is first asked for, and once."""

    def __init__(self, columns: FloatArray) -> None:
        self._columns = columns
        self._known: dict[int, tuple[FloatArray, KernelColumn]] = {}

    def of_column(self, column: int) -> KernelColumn:
        """Of a column of the table."""
        return self._find(column, self._columns[column])

    def of_noise(self, fit: Mechanism) -> KernelColumn:
        """Of what a mechanism leaves."""
        return self._find(id(fit.residual), fit.residual)

    def _find(self, key: int, values: FloatArray) -> KernelColumn:
        if key not in self._known:
            self._known[key] = values, kernel_column(standardise(values))
        return self._known[key][1]


def least_p_value(noise: KernelColumn, others: Iterable[KernelColumn]) -> float:
    """That noise is independent of all others: the smallest of the p-values (HSIC), times their number."""
    p_values = [hsic_test(noise, other).p_value for other in others]
    return min(1.0, len(p_values) * min(p_values))


def noise_p_values(kernels: Kernels, graph: OrderedFits) -> list[float | None]:
    """Of each column in the order: is its noise independent of all its predecessors? None for the first.

    A location-scale model without hidden common causes leaves such noise in the true order, and in no other.
    """
    return [
        least_p_value(kernels.of_noise(fit), [kernels.of_column(other) for other in graph.order[:k]]) if k else None
        for k, fit in enumerate(graph.fits)
    ]
