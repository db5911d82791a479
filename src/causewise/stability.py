"""Stability by half-sampling: how far an answer depends on which rows happened to be there."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.catalogue import accepts, method, takes_seed
from causewise.decision import Decision, Direction
from causewise.errors import SEEDS, InputError, between
from causewise.pair import Pair
from causewise.parallel import one_thread
from causewise.protocol import Method

BLOCK = 50
"""Rows of a block where rows resemble their neighbours: halves of single rows would look like independent ones."""
MOST_DRAWS = 1000


class Stability(NamedTuple):
    """What halves of the rows say.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2, 2, 300)
    >>> halves = causewise.infer(x, np.sin(2 * x) + 0.1 * rng.normal(size=300)).stability(draws=5)
    >>> halves.agreement, halves.draws
    (1.0, 5)
    """

    agreement: float
    """Share of the halves that lean the way all rows do."""
    low: float
    high: float
    """Smallest and largest score of a half."""
    draws: int
    seed: int = 0
    scores: tuple[float, ...] = ()
    """Of every half, in the order they were drawn."""

    def to_dict(self) -> dict[str, Any]:
        """What they come to, without every score."""
        return {name: value for name, value in self._asdict().items() if name != "scores"}


def half_samples(decision: Decision, draws: int = 20, seed: int = 0, built: Method | None = None) -> Stability:
    """The decision's own method on `draws` halves of its rows."""
    between("", 1, MOST_DRAWS, draws=draws)
    between("", *SEEDS, seed=seed)
    if decision.failed or decision.stopped:
        raise InputError(f"{decision.method} gave no answer on this pair, so there is nothing to repeat on its halves.")
    halves = [half for rows in _draw_halves(decision, draws, seed) if (half := _take_rows(decision.pair, rows))]
    with one_thread():
        decisions = (built or _rebuild_method(decision)).decide_many(halves)
    scores = [each.score for each in decisions if not each.failed and math.isfinite(each.score)]
    if not scores:
        raise InputError(
            f"{decision.method} has no answer on any half of these {decision.pair.n} rows: they are too few."
        )
    agreement = sum(Direction.of(score) is Direction.of(decision.score) for score in scores) / len(scores)
    return Stability(agreement, min(scores), max(scores), len(scores), seed, tuple(scores))


def _rebuild_method(decision: Decision) -> Method:
    settings: dict[str, Any] = {k: v for k, v in decision.settings.items() if accepts(decision.method, k)}
    if decision.seed is not None and takes_seed(decision.method, settings):
        settings["seed"] = decision.seed
    return method(decision.method, **settings)


def _draw_halves(decision: Decision, draws: int, seed: int) -> list[NDArray[np.intp]]:
    """Half of the blocks, drawn anew for every half; without dependence among rows a block is one row."""
    n = decision.pair.n
    dependent = any(getattr(warning, "kind", "") == "dependent_rows" for warning in decision.warnings)
    length = BLOCK if dependent and n >= 4 * BLOCK else 1
    blocks = np.array_split(np.arange(n), n // length)
    rng = np.random.default_rng(seed)
    return [
        np.concatenate([blocks[b] for b in np.sort(rng.choice(len(blocks), (len(blocks) + 1) // 2, replace=False))])
        for _ in range(draws)
    ]


def _take_rows(pair: Pair, rows: NDArray[np.intp]) -> Pair | None:
    try:
        return Pair.of(pair.x[rows], pair.y[rows], x_name=pair.x_name, y_name=pair.y_name)
    except InputError:  # a half can be constant or too short where the whole is not
        return None
