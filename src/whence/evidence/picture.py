"""The picture channel: small convolutional networks that look at five histograms of a direction.

Pictures of u → v, each 32 × 32, the square root of a density: ranks of both; both standardised; rank of u against the
standardised residual of v from a local line (narrow and wide window, the row itself left out); the same with v in
normal scores. Two networks, trained on generated pairs only (`scripts/train_picture.py`), read them; with g their mean,
the channel is g(u, v) − g(v, u). It is the one channel without a model of its own: it knows what the generated world
taught it.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whence.pair import FloatArray

GRID = 32
CENTRE_LOG_N = 6.0
NETWORKS = ("picture-1.npz", "picture-2.npz")
"""Two networks that differ in size and in the worlds they saw; their mean is better calibrated than either."""

Float32 = NDArray[np.float32]


class Pictures(NamedTuple):
    """What the network sees of one direction."""

    images: Float32
    """Channel × cause × effect."""
    scalars: Float32


class Layer(NamedTuple):
    """A convolution: kernel, bias, stride, and whether its input is added to its output."""

    kernel: Float32
    bias: Float32
    stride: int
    skip: bool


class Network(NamedTuple):
    """Convolutions, then one hidden and one last dense layer."""

    layers: tuple[Layer, ...]
    hidden: Float32
    hidden_bias: Float32
    last: Float32
    last_bias: Float32


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
    images = np.stack([_histogram(a, b) for a, b in shown]).astype(np.float32)
    return Pictures(images, np.array([np.log(n) - CENTRE_LOG_N, s_fine, s_coarse, s_ranks], dtype=np.float32))


def judge(seen: Pictures) -> float:
    """The networks' mean value for one direction."""
    return sum(network_value(network, seen) for network in stored_networks()) / len(NETWORKS)


def network_value(network: Network, seen: Pictures) -> float:
    """3 × 3 convolutions, some of them added to their input, then two dense layers."""
    h = seen.images
    for layer in network.layers:
        inside = np.maximum(_convolve(h, layer.kernel, layer.stride) + layer.bias[:, None, None], 0.0)
        h = h + inside if layer.skip else inside
    flat = np.concatenate((h.ravel(), seen.scalars))
    hidden = np.maximum(network.hidden @ flat + network.hidden_bias, 0.0)
    return float((network.last @ hidden + network.last_bias)[0])


@cache
def stored_networks() -> tuple[Network, ...]:
    """The networks that ship with the library."""
    return tuple(_stored(name) for name in NETWORKS)


def _stored(name: str) -> Network:
    with files("whence.evidence").joinpath(name).open("rb") as stored, np.load(stored) as found:
        return network_of({name: found[name] for name in found.files})


def network_of(arrays: Mapping[str, NDArray[Any]]) -> Network:
    """A network from the arrays that `scripts/train_picture.py` writes."""
    single = {name: array.astype(np.float32) for name, array in arrays.items()}
    layers = tuple(
        Layer(single[f"w{k}"], single[f"b{k}"], int(stride), bool(skip))
        for k, (stride, skip) in enumerate(zip(arrays["strides"], arrays["skips"], strict=True))
    )
    return Network(layers, *(single[name] for name in ("w_hidden", "b_hidden", "w_last", "b_last")))


def _convolve(h: Float32, kernel: Float32, stride: int) -> Float32:
    """3 × 3 convolution with a border of zeros, as one matrix product."""
    channels, size, _ = h.shape
    padded = np.zeros((channels, size + 2, size + 2), dtype=np.float32)
    padded[:, 1:-1, 1:-1] = h
    out = size // stride
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))[:, ::stride, ::stride]
    columns = windows.transpose(0, 3, 4, 1, 2).reshape(channels * 9, out * out)
    return np.asarray((kernel.reshape(len(kernel), -1) @ columns).reshape(len(kernel), out, out))


def _residual(v: FloatArray, half: int, half_scale: int) -> tuple[FloatArray, float]:
    """Residual from the local line in units of its local size, and the mean log of that size."""
    r = v - left_out_line(v, half)
    size = np.abs(r)
    scale = _window_mean(size, half_scale) + 1e-2 * np.mean(size) + 1e-6
    return 0.8 * r / scale, float(np.mean(np.log(scale)))


def left_out_line(v: FloatArray, half: int) -> FloatArray:
    """At every row the line through the rows within ± half of it, itself left out; least squares in the row number."""
    i = np.arange(len(v))
    low, high = np.maximum(i - half, 0), np.minimum(i + half, len(v) - 1)
    t0 = _window_sum(v, low, high) - v
    t1 = _window_sum(v * i, low, high) - i * v - i * t0
    a, c = (i - low).astype(float), (high - i).astype(float)
    s0, s1 = a + c, (c * (c + 1) - a * (a + 1)) / 2
    s2 = (c * (c + 1) * (2 * c + 1) + a * (a + 1) * (2 * a + 1)) / 6
    return np.asarray((s2 * t0 - s1 * t1) / (s0 * s2 - s1 * s1))


def _window_mean(v: FloatArray, half: int) -> FloatArray:
    i = np.arange(len(v))
    low, high = np.maximum(i - half, 0), np.minimum(i + half, len(v) - 1)
    return np.asarray(_window_sum(v, low, high) / (high + 1 - low))


def _window_sum(v: FloatArray, low: NDArray[np.intp], high: NDArray[np.intp]) -> FloatArray:
    sums = np.concatenate(([0.0], np.cumsum(v)))
    return np.asarray(sums[high + 1] - sums[low])


def _histogram(a: FloatArray, b: FloatArray) -> FloatArray:
    row, column = (np.clip((w * GRID).astype(np.int64), 0, GRID - 1) for w in (a, b))
    counts = np.bincount(row * GRID + column, minlength=GRID * GRID)
    return np.sqrt(counts * (GRID * GRID / len(a))).reshape(GRID, GRID)


def _unit(z: FloatArray) -> FloatArray:
    return (z + 3.0) / 6.0
