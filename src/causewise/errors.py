"""Input that cannot be used: the one error for it, and the ranges of settings, in one wording.

Every number has both ends: beyond them a setting means hours, all the memory there is, or an overflow, never an answer.
"""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from causewise.formatting import visible


class InputError(ValueError):
    """The input is at fault; the message is one sentence: what was got, what was expected, what to do.

    Examples
    --------
    >>> import causewise
    >>> try:
    ...     causewise.infer([1.0, 2.0], [2.0, 1.0])
    ... except causewise.InputError as refusal:
    ...     print(refusal)
    Got 2 rows; expected at least 10, and a direction is seldom clear below 100.
    """

    def __str__(self) -> str:
        return visible(super().__str__())


class UnclearError(InputError):
    """The table can be read once something is said about it; `answers` are ways to say it on the command line."""

    def __init__(self, message: str, *answers: tuple[str, ...]) -> None:
        super().__init__(message)
        self.answers = answers


SPLINE_DEGREES = (0, 20)
"""The cost of every row grows like the square of the degree."""
SPLINE_KNOTS = (2, 10_000)
"""Matrices are banded: the cost is linear in the knots."""
SIZES = (1, 10_000)
"""Of what costs memory by itself: units of a network, bins, neighbours."""
ITERATIONS = (1, 10_000)
"""Of a fit that ends by itself as soon as it can; one that circles must end too."""
ROUNDS = (1, 100_000)
"""Of what is done to the end: steps of training, epochs, repetitions."""
ROWS = (1, 1_000_000_000)
"""Of what is compared with the rows of a table."""
SEEDS = (0, 2**63 - 1)
"""What a store of results can hold."""
REALS = (1e-30, 1e9)
"""Of penalties, scales and rates; products of a few of them are still numbers."""


def between(method: str, least: int, most: int, **settings: Any) -> None:
    """Reject a setting outside its sensible whole numbers; `method` is empty where none is meant."""
    for name, value in settings.items():
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not (whole and least <= value <= most):
            raise _setting_error(name, value, method, f"a whole number from {least} to {most}")


def positive(method: str, most: float = REALS[1], **settings: float) -> None:
    """Reject a setting that is not a number above zero of a sensible size."""
    for name, value in settings.items():
        if not REALS[0] <= value <= most:
            raise _setting_error(name, value, method, f"a number from {REALS[0]:g} to {most:g}")


def one_of(method: str, allowed: Sequence[str], **settings: str) -> None:
    """Reject a setting that is none of the words it may be."""
    for name, value in settings.items():
        if value not in allowed:
            raise _setting_error(name, value, method, f"one of: {', '.join(allowed)}")


def _setting_error(name: str, value: object, method: str, expected: str) -> InputError:
    return InputError(f"Got {name}={value!r}{f' for {method}' if method else ''}; expected {expected}.")
