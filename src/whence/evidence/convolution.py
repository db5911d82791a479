"""A small convolutional network on one core: windows laid out by compiled code, one matrix product a layer.

Every picture goes through by itself: in one product for several, the place of a column in the matrix could change its
last bit, and exchanging the two columns of a pair would no longer negate the answer bit for bit.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Float32 = NDArray[np.float32]


class Layer(NamedTuple):
    """A 3 × 3 convolution: kernel (outputs × inputs·9), bias, stride, and whether its input is added to its output."""

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


class Pictures(NamedTuple):
    """What a network sees of one direction."""

    images: Float32
    """Channel × cause × effect."""
    scalars: Float32


def network_of(arrays: Mapping[str, NDArray[Any]]) -> Network:
    """A network from stored arrays."""
    single = {name: array.astype(np.float32) for name, array in arrays.items()}
    layers = tuple(
        Layer(single[f"w{k}"].reshape(len(single[f"w{k}"]), -1), single[f"b{k}"], int(stride), bool(skip))
        for k, (stride, skip) in enumerate(zip(arrays["strides"], arrays["skips"], strict=True))
    )
    return Network(layers, *(single[name] for name in ("w_hidden", "b_hidden", "w_last", "b_last")))


def network_values(networks: Sequence[Network], seen: Sequence[Pictures]) -> NDArray[np.float64]:
    """Value of every picture (rows) by every network (columns)."""
    # One block of memory for the windows of all layers: fresh pages cost as much as the products themselves.
    size = max(_room(network, pictures.images.shape) for network in networks for pictures in seen)
    room = np.empty(size, dtype=np.float32)
    return np.array([[_value(network, pictures, room) for network in networks] for pictures in seen])


def _room(network: Network, shape: tuple[int, ...]) -> int:
    places, largest = shape[1] * shape[2], 0
    for layer in network.layers:
        places //= layer.stride**2
        largest = max(largest, layer.kernel.shape[1] * places)
    return largest


def _value(network: Network, seen: Pictures, room: Float32) -> float:
    h = seen.images
    for layer in network.layers:
        size = h.shape[1] // layer.stride
        columns = room[: 9 * len(h) * size * size].reshape(9 * len(h), size * size)
        _lay_out(h, layer.stride, columns)
        inside = _rectified(layer.kernel @ columns, layer.bias).reshape(-1, size, size)
        h = h + inside if layer.skip else inside
    flat = np.concatenate((h.ravel(), seen.scalars))
    hidden = np.maximum(network.hidden @ flat + network.hidden_bias, 0.0)
    return float((network.last @ hidden + network.last_bias)[0])


@njit(cache=True, nogil=True)
def _lay_out(h: Float32, stride: int, columns: Float32) -> None:
    """The 3 × 3 surroundings of every place, zeros beyond the border: (channels · 9) × places."""
    size, out = h.shape[1], h.shape[1] // stride
    for row in range(9 * len(h)):
        source, down, across = h[row // 9], row // 3 % 3 - 1, row % 3 - 1
        start, stop = 1 if across < 0 else 0, out if (out - 1) * stride + across < size else out - 1
        for y in range(out):
            line, first = y * stride + down, y * out
            if line < 0 or line >= size:
                columns[row, first : first + out] = 0.0
                continue
            columns[row, first] = columns[row, first + out - 1] = 0.0
            if stride == 1:
                for x in range(start, stop):
                    columns[row, first + x] = source[line, x + across]
            else:
                for x in range(start, stop):
                    columns[row, first + x] = source[line, x * stride + across]


@njit(cache=True, nogil=True)
def _rectified(product: Float32, bias: Float32) -> Float32:
    for i in range(len(product)):
        for j in range(product.shape[1]):
            product[i, j] = max(product[i, j] + bias[i], np.float32(0.0))
    return product
