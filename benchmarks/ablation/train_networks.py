"""The networks of the comparison "spline or network".

Three views of a pair are learnt, both ways each: as it is (nn-loci, nn-anm, roche), as the channels of `whence` see it
(ties spread), and in normal scores.
"""

from collections.abc import Callable

import numpy as np

from ablation.sets import Set
from whence.evidence.channels import normal_scores
from whence.evidence.resolution import resolved
from whence.models.network_fits import networks
from whence.models.network_heads import ADDITIVE, LOCATION_SCALE, STUDENT, Head
from whence.models.network_training import Training
from whence.pair import FloatArray, Pair

VIEWS = ("raw", "seen", "ranks")
TRAINED: dict[str, tuple[Head, tuple[str, ...]]] = {
    "scale": (LOCATION_SCALE, VIEWS),
    "additive": (ADDITIVE, ("raw", "seen")),
    "student": (STUDENT, ("raw",)),
}
"""Name of a head -> the head, and the views it learns."""


def view(pair: Pair, name: str) -> tuple[FloatArray, FloatArray]:
    """The two columns in one of the three views."""
    if name == "raw":
        return pair.x, pair.y
    columns = resolved(pair.x, pair.y)
    return (columns.x, columns.y) if name == "seen" else (_in_scores(columns.x), _in_scores(columns.y))


def _in_scores(column: FloatArray) -> FloatArray:
    out = np.empty_like(column)
    out[np.argsort(column, kind="stable")] = normal_scores(len(column))
    return out


def learnt(group: Set, training: Training, say: Callable[[str], None]) -> dict[str, FloatArray]:
    """`<head>-<view>` -> parameters, pair by pair, forwards then backwards; NaN where training came to nothing."""
    pairs = [p.pair for p in group.listed()]
    found = {}
    for head_name, (head, views) in TRAINED.items():
        shown = [(name, view(pair, name)) for name in views for pair in pairs]
        trained = networks([way for _, (x, y) in shown for way in ((x, y), (y, x))], head, training)
        theta = np.array([net.trained.theta if net.trained.usable else np.nan * net.trained.theta for net in trained])
        for place, name in enumerate(views):
            block = theta.reshape(len(views), len(pairs), 2, -1)[place]
            found[f"{head_name}-{name}"] = block.astype(np.float32)
        say(f"{head_name}: {len(trained)} networks")
    return found
