"""Where the rows are, when they are too many for dots: hexagons shaded by how many rows lie in each."""

import math
from typing import NamedTuple

import numpy as np

from causewise.pair import FloatArray

LEVELS = 6
"""Shades; more could not be told apart."""
_ROW = math.sqrt(3) / 2
"""Distance of two rows of hexagons, in units of the distance of two neighbours in a row."""

Range = tuple[float, float]


class Shade(NamedTuple):
    """The centres of all hexagons of one shade."""

    x: FloatArray
    y: FloatArray
    level: int
    """From 1, the fewest rows, to `LEVELS`."""


def hexagons(
    x: FloatArray, y: FloatArray, x_range: Range, y_range: Range, across: float, down: float
) -> tuple[list[Shade], int]:
    """The occupied hexagons by shade, and how many rows the fullest of them holds.

    across, down: the size of the panel over these ranges, in distances of two hexagons side by side.

    Shades go by the logarithm of the count: on a plain scale a million rows would hide all but their centre.
    """
    u = (x - x_range[0]) * (across / (x_range[1] - x_range[0]))
    v = (y - y_range[0]) * (down / _ROW / (y_range[1] - y_range[0]))
    # Hexagons are the nearest centres of two rectangular lattices, the second half a step further in both directions.
    row, between = np.rint(v / 2) * 2, np.floor(v / 2) * 2 + 1
    column, beside = np.rint(u), np.floor(u) + 0.5
    near = (u - column) ** 2 + ((v - row) * _ROW) ** 2 <= (u - beside) ** 2 + ((v - between) * _ROW) ** 2
    half_columns = np.where(near, 2 * column, 2 * beside).astype(np.int64)
    rows = np.where(near, row, between).astype(np.int64)
    width = 2 * math.ceil(across) + 2
    counts = np.bincount(rows * width + half_columns)
    code = np.flatnonzero(counts)
    count = counts[code]
    at_x = x_range[0] + code % width / 2 * ((x_range[1] - x_range[0]) / across)
    at_y = y_range[0] + code // width * (_ROW * (y_range[1] - y_range[0]) / down)
    most = int(count.max())
    level = 1 + np.minimum(LEVELS * np.log(count) / math.log(most + 1), LEVELS - 1).astype(np.int64)
    found = [(level == k, k) for k in range(1, LEVELS + 1)]
    return [Shade(at_x[these], at_y[these], k) for these, k in found if these.any()], most
