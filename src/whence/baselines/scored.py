"""Moved to `whence.protocol`."""

from whence.protocol import Directional as Directional
from whence.protocol import Joint as Joint
from whence.protocol import PairScore as PairScore
