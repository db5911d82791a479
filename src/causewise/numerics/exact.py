"""Numbers of any length as doubles, such that different numbers stay different.

A double holds 53 binary digits: clock ticks since 1970 or long account numbers fall together in it. What tells them
apart is their distance from the least of them, which is subtracted exactly, before any rounding.
"""

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

Exact = int | Decimal
EXACT = 2**53
"""Up to here every whole number is a double."""

_DIGITS = 1000  # more than any two doubles are apart: 1e308 − 1e-324 has 632


def is_long(rounded: FloatArray) -> bool:
    """Whether whole numbers may have been rounded."""
    return bool(np.any(np.abs(rounded) > EXACT - 1))


def has_ties(rounded: FloatArray) -> bool:
    """Whether different numbers may have been rounded to the same one."""
    ranked = np.sort(rounded)
    return bool(np.any(ranked[1:] == ranked[:-1]))


def apart(values: Sequence[Any], rounded: FloatArray) -> tuple[FloatArray, Exact] | None:
    """Doubles that are as distinct as `values` and what was subtracted from each; None where no offset achieves that.

    `values` are whole numbers, decimals or doubles, `rounded` the same as doubles; what is not finite there is left.
    """
    finite = np.isfinite(rounded)
    with localcontext(Context(prec=_DIGITS)):
        exact = [_exact(value) for value, kept in zip(values, finite, strict=True) if kept]
        distinct, doubles = len(set(exact)), rounded[finite]
        merged = distinct > len(np.unique(doubles))
        if not exact or not (merged or _some_rounded(exact, doubles)):
            return rounded, 0
        low = min(exact)
        if not merged and max(exact) - low > EXACT:
            return rounded, 0
        shifted = rounded.copy()
        try:
            shifted[finite] = [float(value - low) for value in exact]
        except OverflowError:
            return None
    return (shifted, low) if len(np.unique(shifted[finite])) == distinct else None


def _some_rounded(exact: list[Exact], doubles: FloatArray) -> bool:
    """Whether a number written as a whole one is not its double; 1.2e25 claims its leading digits only."""
    return any(
        abs(double) >= EXACT and (isinstance(value, int) or value.as_tuple().exponent == 0) and int(double) != value
        for value, double in zip(exact, doubles.tolist(), strict=True)
    )


def _exact(value: Any) -> Exact:
    plain = value.item() if isinstance(value, np.generic) else value
    return (
        plain
        if isinstance(plain, int)
        else Decimal(plain if isinstance(plain, (float, str, Decimal)) else float(plain))
    )
