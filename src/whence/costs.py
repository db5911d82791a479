"""What a method costs to run, as measured; the numbers are in costs.toml, beside the command that wrote them."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

UNIT = "loci-h"
"""The method whose cost is 1 on every machine."""


@dataclass(frozen=True)
class Cost:
    """One decision on a pair of 1000 rows, one core, nothing left to compile."""

    seconds: float
    """On the machine of the measurement."""
    relative: float
    """In decisions of `UNIT`: about the same on any machine."""


def cost(name: str) -> Cost | None:
    """The measured cost of a method of the catalogue; None where it was not measured."""
    seconds = _measured()
    return Cost(seconds[name], seconds[name] / seconds[UNIT]) if name in seconds else None


@cache
def _measured() -> dict[str, float]:
    text = (files("whence") / "costs.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text)["seconds"])
