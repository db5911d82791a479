"""The Hilbert–Schmidt independence criterion of two columns and its test, in time and memory linear in the rows.

`statistic` holds the test; `column` what it needs of one column alone; `bandwidth` the kernel's width; `chebyshev` the
sums over the rows of long columns; `moments` the exact moments of the null law, and `tails` its tail.
"""

from causewise.numerics.hsic.bandwidth import median_sq_distance
from causewise.numerics.hsic.column import KernelColumn, kernel_column
from causewise.numerics.hsic.statistic import GammaTest, HsicTest, hsic_gamma_test, hsic_test, p_value_at

__all__ = [
    "GammaTest",
    "HsicTest",
    "KernelColumn",
    "hsic_gamma_test",
    "hsic_test",
    "kernel_column",
    "median_sq_distance",
    "p_value_at",
]
