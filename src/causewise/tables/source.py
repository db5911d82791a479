"""From a path, an open file or standard input to bytes, with one sentence for everything that can be wrong with a file.

Nothing is read without bound: what a file, a pipe or an archive yields is counted piece by piece.
"""

import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO

from causewise.errors import InputError, UnclearError
from causewise.formatting import shell_word

Source = str | os.PathLike[str] | BinaryIO
"""The path of a file, `-` for standard input, or a file that is open for reading bytes."""

MAX_BYTES, MAX_ROWS = 2**30, 20_000_000
SEPARATORS = (",", ";", "\t", "|", " ")
"""What may stand between the cells of a text table."""
_PIECE = 1 << 20
_LONGEST_LINE = 1 << 24  # some 800,000 columns in full precision
_GZIP, PARQUET = b"\x1f\x8b", b"PAR1"
_BEGINNINGS: Mapping[str, tuple[bytes, ...]] = {
    "parquet": (PARQUET,),
    "arrow": (b"ARROW1\0\0",),
    "sheet": (b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    "stata": (
        b"<stata_dta>",
        *(bytes([release, order, 1, 0]) for release in (105, 108, 110, 111, 113, 114, 115) for order in (1, 2)),
    ),
    "spss": (b"$FL2", b"$FL3"),
    "sas": (b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf",),
    "sas transport": (b"HEADER RECORD*******LIB",),
}
"""How files that are no text begin."""
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_FOREIGN = re.compile(rb'(\xef\xbb\xbf)?\s*((?P<json>\{\s*"|\[\s*[\[{])|<(!doctype|html|\?xml))', re.IGNORECASE)


@dataclass(frozen=True)
class ReadOptions:
    """What a caller says about a table, and how much of it may be read."""

    decimal: str | None = None
    """`.` or `,`; None finds out."""
    header: bool | None = None
    """Whether the first line holds names; None finds out."""
    sep: str | None = None
    """What stands between the cells of a text table; None finds out."""
    sheet: str | int | None = None
    """The sheet of a workbook, by name or number from 1; None takes the first with a table."""
    max_bytes: int = MAX_BYTES
    """Of a file as it is and once it is unpacked, or of the columns read from a Parquet or Arrow file."""
    max_lines: int = MAX_ROWS
    """Lines of a text file, rows of any other."""

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise InputError(f"Got decimal={self.decimal!r}; expected '.' or ',', or nothing to find out.")
        if self.sep not in (None, *SEPARATORS):
            raise InputError(f"Got sep={self.sep!r}; expected one of {', '.join(map(repr, SEPARATORS))}.")
        for name in ("max_bytes", "max_lines"):
            if not getattr(self, name) > 0:
                raise InputError(f"Got {name}={getattr(self, name)!r}; expected a number above 0.")

    def check_bytes(self, size: int, where: str) -> None:
        """Reject what is too large to be read."""
        if size > self.max_bytes:
            raise UnclearError(
                f"Got more than {self.max_bytes:,} bytes (max_bytes) from {where}, unpacked if it was packed; expected "
                "at most that: give fewer rows and columns, or raise the limit.",
                ("--max-bytes", str(4 * self.max_bytes)),
            )

    def check_rows(self, rows: int, where: str) -> None:
        """Reject what has too many rows."""
        if rows > self.max_lines:
            raise UnclearError(
                f"Got more than {self.max_lines:,} rows (max_lines) from {where}; expected at most that: give a random "
                "part of the rows, or raise the limit.",
                ("--max-rows", str(4 * self.max_lines)),
            )


def find_format(beginning: bytes) -> str:
    """What a file is by how it begins; empty for text and for what is not known."""
    return next((name for name, known in _BEGINNINGS.items() if beginning.startswith(known)), "")


READING_OPTIONS = tuple(each.name for each in fields(ReadOptions))


def split_reading_options(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of settings by name, those of `ReadOptions`, which say how a file is read, and the others."""
    reading = {name: value for name, value in settings.items() if name in READING_OPTIONS}
    return reading, {name: value for name, value in settings.items() if name not in READING_OPTIONS}


def describe_source(source: str | Path) -> str:
    """The source as it is called in sentences."""
    return "standard input" if str(source) == "-" else f"{str(source)[:120]!r}"


def read_source(source: Source, options: ReadOptions) -> tuple[bytes | Path, str]:
    """The content, unpacked if it is gzipped, or the path of a Parquet file, which is read in parts; and its name."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        where = describe_source(path)
        if _URL.match(str(path)):
            raise InputError(
                f"Got the address {where}; expected a file on this machine: download it first, for instance with "
                f"curl -LO {shell_word(str(path)[:200])}."
            )
        content = _read_bounded(_standard_input(), options, where) if path == "-" else _read_file(path, options, where)
    else:
        where = describe_source(str(getattr(source, "name", "the table")))
        content = _read_bounded(source, options, where)
    if isinstance(content, Path):
        return content, where
    if content.startswith(_GZIP):
        content = _unpack(content, options, where)
    if not content or content.isspace():
        raise InputError(
            f"Got an empty table from {where}; expected two columns of numbers: check that the export worked."
        )
    return content, where


def _read_bounded(stream: BinaryIO, options: ReadOptions, where: str) -> bytes:
    """Everything there is, unless it is too much, or of the wrong format, which its beginning shows."""
    content, lines, line, packed = io.BytesIO(), 0, 0, False
    while piece := stream.read(_PIECE):
        if content.tell() == 0:
            packed = piece.startswith(_GZIP) or bool(find_format(piece))
            if not packed:
                _check_format(piece, where)
        content.write(piece)
        options.check_bytes(content.tell(), where)
        if not packed:
            lines += piece.count(b"\n") or piece.count(b"\r")
            options.check_rows(lines, where)
            line = len(piece) - end if (end := 1 + max(map(piece.rfind, (b"\n", b"\r")))) else line + len(piece)
            if line > _LONGEST_LINE:
                raise InputError(
                    f"Got a line of more than {_LONGEST_LINE:,} bytes in {where}; expected one line per row: check "
                    "that the file is a table with line ends."
                )
    return content.getvalue()


def _check_format(beginning: bytes, where: str) -> None:
    """Reject what is no table, without waiting for its end."""
    if beginning[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"Got {where} in UTF-16; expected UTF-8: save it as UTF-8 (in a spreadsheet: CSV UTF-8).")
    if b"\0" in beginning:
        raise InputError(f"Got a binary file, {where}; expected a table: export it as CSV first.")
    if foreign := _FOREIGN.match(beginning):
        kind = "JSON" if foreign["json"] else "a web page"
        raise InputError(f"Got {kind} in {where}; expected a table: write it as CSV first.")


def _read_file(name: str, options: ReadOptions, where: str) -> bytes | Path:
    # Named pipes are read, for `causewise infer <(command)`; devices such as /dev/zero would never end.
    path = Path(name)
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"Got the folder {where}; expected a file: name the table inside it.")
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
            raise InputError(f"Got the device {where}; expected the file of a table, or - for standard input.")
        with path.open("rb") as stream:
            if stat.S_ISREG(status.st_mode):
                if stream.read(4) == PARQUET:
                    return path
                stream.seek(0)
                options.check_bytes(status.st_size, where)
            return _read_bounded(stream, options, where)
    except InputError:
        raise
    except PermissionError:
        raise InputError(f"May not read {where} (permission denied); expected a readable file.") from None
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"There is no file {where}; expected the file of a table{_suggest_path(path)}.") from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise InputError(f"Could not read {where} ({reason}); expected the file of a table.") from None


def _suggest_path(path: Path) -> str:
    import difflib

    try:
        here = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())[:2000]
    except OSError:
        return f": the folder {str(path.parent)[:120]!r} does not exist or cannot be read"
    near = difflib.get_close_matches(path.name[:200], here, n=1, cutoff=0.8)
    return f", perhaps {str(path.parent / near[0])!r}" if near else ": check the path"


def _standard_input() -> BinaryIO:
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError(
            "Nothing is piped into standard input; expected a table there, for instance: causewise infer - < table.csv"
        )
    return sys.stdin.buffer


def _unpack(content: bytes, options: ReadOptions, where: str) -> bytes:
    import gzip

    try:
        return _read_bounded(gzip.open(io.BytesIO(content)), options, where)  # type: ignore[arg-type]  # it reads bytes
    except (OSError, EOFError, zlib.error):
        raise InputError(
            f"Could not unpack {where}; expected a whole gzip file: it is damaged or cut short, make it again."
        ) from None
