"""The picture channel: three small convolutional networks that look at five histograms of a direction.

Pictures of u → v, each 32 × 32, the square root of a density: ranks of both; both standardised; rank of u against the
standardised residual of v from a local line (narrow and wide window, the row itself left out); the same with v in
normal scores. Each network has learnt from two thirds of the generated world only (`thirds`, `scripts/picture`); with g
their mean, the channel is g(u, v) − g(v, u). It is the one channel without a model of its own: it knows what the
generated world taught it, so it has to be judged on mechanisms that it was not taught (`stranger`).
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from whence.evidence.convolution import Network, Pictures, network_of, network_values
from whence.evidence.windows import histogram, left_out_line, window_mean
from whence.pair import FloatArray

GRID = 32
CENTRE_LOG_N = 6.0
NETWORKS = {"A": "picture-a.npz", "B": "picture-b.npz", "C": "picture-c.npz"}
"""Third of the world -> the network that has seen nothing of it."""


def pictures(u: FloatArray, v: FloatArray, scores: FloatArray) -> Pictures:
    """Pictures of a direction; rows sorted by u, both columns standardised, `scores` the normal scores of v."""
    n = len(u)
    rank_u = (np.arange(n) + 0.5) / n
    rank_v = np.empty(n)
    rank_v[np.argsort(v, kind="stable")] = rank_u
    fine, coarse, wide = max(4, n // 64), max(6, n // 16), max(6, n // 12)
    z_fine, s_fine = _residual(v, fine, wide)
    z_coarse, s_coarse = _residual(v, coarse, wide)
    z_ranks, s_ranks = _residual(scores, fine, wide)
    shown = ((rank_u, rank_v), (_unit(u), _unit(v)), *((rank_u, _unit(z)) for z in (z_fine, z_coarse, z_ranks)))
    images = np.stack([histogram(a, b, GRID) for a, b in shown]).astype(np.float32)
    return Pictures(images, np.array([np.log(n) - CENTRE_LOG_N, s_fine, s_coarse, s_ranks], dtype=np.float32))


def judge(seen: Sequence[Pictures]) -> FloatArray:
    """The networks' mean value for every direction."""
    return np.asarray(network_values(tuple(map(stored_network, NETWORKS)), seen).mean(axis=1))


def stranger(third: str, seen: Sequence[Pictures]) -> FloatArray:
    """What the network says that has seen nothing of this third of the world."""
    return np.asarray(network_values((stored_network(third),), seen)[:, 0])


@cache
def stored_network(third: str) -> Network:
    """The network that knows the other two thirds, as it ships with the library."""
    with files("whence.evidence").joinpath(NETWORKS[third]).open("rb") as stored, np.load(stored) as found:
        return network_of({name: found[name] for name in found.files})


def _residual(v: FloatArray, half: int, half_scale: int) -> tuple[FloatArray, float]:
    """Residual from the local line in units of its local size, and the mean log of that size."""
    r = v - left_out_line(v, half)
    size = np.abs(r)
    scale = window_mean(size, half_scale) + 1e-2 * np.mean(size) + 1e-6
    return 0.8 * r / scale, float(np.mean(np.log(scale)))


def _unit(z: FloatArray) -> FloatArray:
    return (z + 3.0) / 6.0
