"""Moved to `whence.catalogue`."""

from whence.catalogue import UNIT as UNIT
from whence.catalogue import Cost as Cost
from whence.catalogue import cost as cost
