"""One small table, written in many ways, and the pair that every way must give."""

from pathlib import Path

import numpy as np

from causewise.pair import Pair

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=30), RNG.lognormal(size=30) * 1e6


def lines(separator: str = ",", header: str | None = "rain,river", decimal: str = ".", end: str = "\n") -> str:
    head = [] if header is None else [header.replace(",", separator)]
    body = [separator.join(repr(float(v)).replace(".", decimal) for v in row) for row in zip(X, Y, strict=True)]
    return end.join([*head, *body]) + end


def save(folder: Path, content: str | bytes, name: str = "table.csv") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


def assert_same(pair: Pair, names: tuple[str, str] | None = ("rain", "river")) -> None:
    np.testing.assert_array_equal(pair.x, X)
    np.testing.assert_array_equal(pair.y, Y)
    if names is not None:
        assert (pair.x_name, pair.y_name) == names
