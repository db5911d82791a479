"""Refusals that an argument can answer, and the arguments that a table may need."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from causewise.errors import InputError

MAX_BYTES, MAX_ROWS = 2**30, 20_000_000


class UnclearError(InputError):
    """The table can be read once something is said about it; `answers` are ways to say it on the command line."""

    def __init__(self, message: str, *answers: tuple[str, ...]) -> None:
        super().__init__(message)
        self.answers = answers


@dataclass(frozen=True)
class Asked:
    """What a caller says about a table, and how much of it may be read."""

    decimal: str | None = None
    """`.` or `,`; None finds out."""
    header: bool | None = None
    """Whether the first line holds names; None finds out."""
    max_bytes: int = MAX_BYTES
    """Of a file as it is and once it is unpacked, or of the columns read from a Parquet file."""
    max_lines: int = MAX_ROWS
    """Lines of a text file, rows of a Parquet file."""

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise InputError(f"Got decimal={self.decimal!r}; expected '.' or ',', or nothing to find out.")
        for name in ("max_bytes", "max_lines"):
            if not getattr(self, name) > 0:
                raise InputError(f"Got {name}={getattr(self, name)!r}; expected a number above 0.")

    def check_bytes(self, size: int, where: str) -> None:
        """Refuse what is too large to be read."""
        if size > self.max_bytes:
            raise UnclearError(
                f"Got more than {self.max_bytes:,} bytes (max_bytes) from {where}, unpacked if it was packed; expected "
                "at most that: give fewer rows and columns, or raise the limit.",
                ("--max-bytes", str(4 * self.max_bytes)),
            )

    def check_rows(self, rows: int, where: str) -> None:
        """Refuse what has too many rows."""
        if rows > self.max_lines:
            raise UnclearError(
                f"Got more than {self.max_lines:,} rows (max_lines) from {where}; expected at most that: give a random "
                "part of the rows, or raise the limit.",
                ("--max-rows", str(4 * self.max_lines)),
            )


READING_OPTIONS = tuple(each.name for each in fields(Asked))


def split_reading_options(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of settings by name, those of `Asked`, which say how a file is read, and the others."""
    reading = {name: value for name, value in settings.items() if name in READING_OPTIONS}
    return reading, {name: value for name, value in settings.items() if name not in READING_OPTIONS}
