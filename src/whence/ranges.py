"""Moved to `whence.protocol`."""

from whence.protocol import SPLINE_DEGREES as SPLINE_DEGREES
from whence.protocol import SPLINE_KNOTS as SPLINE_KNOTS
from whence.protocol import at_least as at_least
from whence.protocol import between as between
from whence.protocol import one_of as one_of
from whence.protocol import positive as positive
