"""The paper's own numbers, and which methods and sets its figures show; all of it data, read from one file."""

import math
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def contents() -> dict[str, Any]:
    """The whole file."""
    return tomllib.loads(files("causewise.lab.benchmark").joinpath("paper.toml").read_text(encoding="utf-8"))


def sets() -> list[str]:
    """The paper's thirteen sets, in its order."""
    return list(contents()["sets"])


def methods() -> list[str]:
    """Every method of the paper's tables and figures, in their order."""
    additive = [each["additive"] for each in figures()["counterparts"]]
    return [*contents()["accuracy"], *additive]


def figures() -> dict[str, Any]:
    """What the paper's figures show."""
    return dict(contents()["figures"])


def printed(metric: str, method: str, dataset: str) -> float:
    """The number in the paper, in percent; NaN where it has none. Settings of a method are left aside."""
    values = contents().get(metric, {}).get(method.split(":")[0])
    if values is None or dataset not in sets():
        return math.nan
    return float(values[sets().index(dataset)])
