"""Hashes of an extracted data set: over its files, and over its labels."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from whence.datasets.collection import Label


def tree_sha256(files: Iterable[Path]) -> str:
    """SHA-256 over the lines `name sha256`, sorted by name: what `sha256sum` per file would list.

    The archives differ from host to host and are packed anew; the files inside do not.
    """
    lines = sorted(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def labels_sha256(labels: Iterable[Label]) -> str:
    """SHA-256 over the lines `id truth weight`."""
    lines = [f"{label.pair_id} {label.truth:+d} {label.weight:g}\n" for label in labels]
    return hashlib.sha256("".join(lines).encode()).hexdigest()
