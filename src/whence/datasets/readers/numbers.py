"""Text of a table of numbers -> array; tolerant of trailing blanks and empty lines, strict about everything else."""

from pathlib import Path

import numpy as np

from whence.pair import FloatArray, InputError


def parse_table(text: bytes, columns: int, path: Path, least: int = 1) -> FloatArray:
    """Numbers separated by white space, `columns` to a row, which must be at least `least`.

    Splitting the bytes and converting them at once is some ten times faster than a CSV parser on these small files.
    """
    try:
        if columns < least:
            raise ValueError("too few columns")
        return np.array(text.split(), dtype=np.float64).reshape(-1, columns)
    except ValueError:
        raise InputError(
            f"Could not read {path} as a table of numbers with {max(columns, least)} columns; expected the file as "
            "published: fetch or copy it again."
        ) from None


def read_bytes(path: Path) -> bytes:
    """The file's bytes, or a sentence."""
    try:
        return path.read_bytes()
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise InputError(
            f"Could not read {path} ({reason}); expected a readable file of the data set: fetch or copy it again."
        ) from None


def read_lines(path: Path) -> list[str]:
    """Lines of a label file that are not empty, without the blanks around them."""
    return [line.strip() for line in read_bytes(path).decode("utf-8", "replace").splitlines() if line.strip()]


def bad_label(path: Path, line: str, expected: str) -> InputError:
    """The sentence for a line of a label file that makes no sense."""
    return InputError(f"Got the line {line!r} in {path}; expected {expected}: fetch or copy the file again.")
