"""One reader per file format: a folder and a registry entry in, labels with a way to read each pair out."""

from collections.abc import Callable
from pathlib import Path

from whence.datasets.collection import Label
from whence.datasets.readers import cells, indexed_csv, whitespace
from whence.datasets.registry import Entry

Reader = Callable[[Path, Entry], list[Label]]

FORMATS: dict[str, Reader] = {
    "indexed-csv": indexed_csv.read,
    "whitespace": whitespace.read,
    "cells": cells.read,
}
