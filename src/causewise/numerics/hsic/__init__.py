"""The Hilbert–Schmidt independence criterion of two columns and its test, in time and memory linear in the rows.

`statistic` holds the test; `null_law` the moments of the statistic under permutation and its tail; `chebyshev` the sums
over the rows of long columns.
"""

from causewise.numerics.hsic.statistic import (
    GammaTest,
    HsicTest,
    KernelColumn,
    hsic_gamma_test,
    hsic_test,
    kernel_column,
    p_value_at,
)

__all__ = ["GammaTest", "HsicTest", "KernelColumn", "hsic_gamma_test", "hsic_test", "kernel_column", "p_value_at"]
