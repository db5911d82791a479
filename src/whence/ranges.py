"""The ranges of a method's settings, refused in one wording."""

import math
from collections.abc import Sequence

from whence.pair import InputError

SPLINE_DEGREES = (0, 20)
"""The cost of every row grows like the square of the degree."""
SPLINE_KNOTS = (2, 10_000)
"""Matrices are banded: the cost is linear in the knots."""


def at_least(method: str, least: int, **settings: int) -> None:
    """Refuse a setting below its least sensible value."""
    for name, value in settings.items():
        if value < least:
            raise InputError(f"Got {name}={value!r} for {method}; expected a whole number of at least {least}.")


def between(method: str, least: int, most: int, **settings: int) -> None:
    """Refuse a setting outside its sensible values."""
    for name, value in settings.items():
        if not least <= value <= most:
            raise InputError(f"Got {name}={value!r} for {method}; expected a whole number from {least} to {most}.")


def positive(method: str, **settings: float) -> None:
    """Refuse a setting that is not a finite number above zero."""
    for name, value in settings.items():
        if not 0 < value < math.inf:
            raise InputError(f"Got {name}={value!r} for {method}; expected a number above 0.")


def one_of(method: str, allowed: Sequence[str], **settings: str) -> None:
    """Refuse a setting that is none of the words it may be."""
    for name, value in settings.items():
        if value not in allowed:
            raise InputError(f"Got {name}={value!r} for {method}; expected one of: {', '.join(allowed)}.")
