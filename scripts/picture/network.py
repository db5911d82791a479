"""The picture network: 3 × 3 convolutions, some added to their input, then two dense layers."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from picture.look import pictures
from picture.pieces import DEVICE

WIDTHS = (32, 64, 64, 96, 96, 96)
STRIDES = (1, 2, 1, 2, 1, 2)
SKIPS = (0, 0, 1, 0, 1, 0)
HIDDEN = 64
SCALARS = 4


class Net(nn.Module):
    """Value of one direction; layers marked in SKIPS add their input."""

    def __init__(self) -> None:
        super().__init__()
        widths = (5, *WIDTHS)
        self.convs = nn.ModuleList(
            nn.Conv2d(a, c, 3, stride=s, padding=1) for a, c, s in zip(widths[:-1], widths[1:], STRIDES, strict=True)
        )
        self.norms = nn.ModuleList(nn.BatchNorm2d(c) for c in WIDTHS)
        self.hidden = nn.Linear(WIDTHS[-1] * 16 + SCALARS, HIDDEN)
        self.drop = nn.Dropout(0.1)
        self.last = nn.Linear(HIDDEN, 1)

    def forward(self, images: Tensor, scalars: Tensor) -> Tensor:
        """Values of a batch of directions."""
        h = images
        for conv, norm, skip in zip(self.convs, self.norms, SKIPS, strict=True):
            inside = torch.relu(norm(conv(h)))
            h = h + inside if skip else inside
        return self.last(self.drop(torch.relu(self.hidden(torch.cat([h.flatten(1), scalars], 1)))))[:, 0]


def log_odds(net: nn.Module, u: Tensor, v: Tensor) -> Tensor:
    """g(u, v) − g(v, u)."""
    with torch.no_grad():
        one, two = pictures(u, v), pictures(v, u)
        images, scalars = torch.cat([one[0], two[0]]), torch.cat([one[1], two[1]])
    with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=net.training):
        out = net(images.to(memory_format=torch.channels_last), scalars).float()
    return out[: len(u)] - out[len(u) :]


def folded(net: Net) -> dict[str, NDArray[Any]]:
    """Weights with the batch normalisation folded into the convolutions."""
    out: dict[str, NDArray[Any]] = {"strides": np.array(STRIDES), "skips": np.array(SKIPS)}
    for k, (conv, norm) in enumerate(zip(net.convs, net.norms, strict=True)):
        gain = norm.weight / (norm.running_var + norm.eps).sqrt()
        out[f"w{k}"] = (conv.weight * gain[:, None, None, None]).detach().cpu().numpy().astype(np.float16)
        out[f"b{k}"] = ((conv.bias - norm.running_mean) * gain + norm.bias).detach().cpu().numpy().astype(np.float32)
    for name, layer in (("hidden", net.hidden), ("last", net.last)):
        out[f"w_{name}"] = layer.weight.detach().cpu().numpy().astype(np.float16)
        out[f"b_{name}"] = layer.bias.detach().cpu().numpy().astype(np.float32)
    return out
