"""The constants of the default method, read from `constants.toml`; `python -m training.fit` writes them."""

import tomllib
from importlib.resources import files
from typing import NamedTuple


class Term(NamedTuple):
    """a(d) = height · tanh(d / width): odd, rising, at most ± height."""

    height: float
    width: float


class WeightConstants(NamedTuple):
    """Half-way points of the factors of λ."""

    rows: float
    values: float


class NeitherConstants(NamedTuple):
    """Of the likelihood ratio of *neither* to a direction: its level, and its slopes in what it is seen by."""

    level: float
    left: float
    score: float
    smallest: float


_STORED = tomllib.loads((files("causewise.methods.combined") / "constants.toml").read_text(encoding="utf-8"))

TERMS: dict[str, Term] = {name: Term(**constants) for name, constants in _STORED["terms"].items()}
WEIGHT = WeightConstants(**_STORED["weight"])
NEITHER = NeitherConstants(**_STORED["neither"])
FOLDS: tuple[dict[str, Term], ...] = tuple(
    TERMS | {name: Term(**fold[name]) for name in ("recording", "regression")} for fold in _STORED["folds"]
)
"""The terms as they were fitted without the sources of one fold of the Tübingen pairs."""
CROSS_FITTED = "Tue"
"""The data set whose labels set constants."""
_FOLD_OF = {pair: k for k, fold in enumerate(_STORED["folds"]) for pair in fold["tuebingen"]}


def fold_of(dataset: str, pair_id: str) -> int | None:
    """The fold whose constants know nothing of a labelled pair's source; None where no constant knows of any."""
    return _FOLD_OF[int(pair_id)] if dataset == CROSS_FITTED else None
