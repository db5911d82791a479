"""From a path or standard input to bytes, with one sentence for everything that can be wrong with a file.

Nothing is read without bound: what a file, a pipe or an archive yields is counted piece by piece.
"""

import io
import re
import stat
import sys
import zlib
from pathlib import Path
from typing import BinaryIO

from causewise.errors import InputError
from causewise.tables.asking import Asked

_PIECE = 1 << 20
_LONGEST_LINE = 1 << 24  # some 800,000 columns in full precision
_GZIP, PARQUET = b"\x1f\x8b", b"PAR1"
_FOREIGN = re.compile(rb'(\xef\xbb\xbf)?\s*((?P<json>\{\s*"|\[\s*[\[{])|<(!doctype|html|\?xml))', re.IGNORECASE)


def shown(source: str | Path) -> str:
    """The source as it is called in sentences."""
    return "standard input" if str(source) == "-" else f"{str(source)[:120]!r}"


def read(source: str | Path, asked: Asked) -> bytes | Path:
    """The content of a file, unpacked if it is gzipped, or the path of a Parquet file, which is read in parts."""
    where = shown(source)
    content = _bounded(_standard_input(), asked, where) if str(source) == "-" else _file(Path(source), asked, where)
    return content if isinstance(content, Path) else _whole(content, asked, where)


def read_stream(stream: BinaryIO, asked: Asked, where: str) -> bytes:
    """The content of a file that is open already, unpacked if it is gzipped."""
    return _whole(_bounded(stream, asked, where), asked, where)


def _whole(content: bytes, asked: Asked, where: str) -> bytes:
    if content.startswith(_GZIP):
        content = _unpacked(content, asked, where)
    if not content or content.isspace():
        raise InputError(
            f"Got an empty table from {where}; expected two columns of numbers: check that the export worked."
        )
    return content


def _bounded(stream: BinaryIO, asked: Asked, where: str) -> bytes:
    """Everything there is, unless it is too much, or of the wrong kind, which its beginning tells."""
    content, lines, line, packed = io.BytesIO(), 0, 0, False
    while piece := stream.read(_PIECE):
        if content.tell() == 0:
            packed = piece.startswith((_GZIP, PARQUET))
            if not packed:
                _check_kind(piece, where)
        content.write(piece)
        asked.check_bytes(content.tell(), where)
        if not packed:
            lines += piece.count(b"\n") or piece.count(b"\r")
            asked.check_rows(lines, where)
            line = len(piece) - end if (end := 1 + max(map(piece.rfind, (b"\n", b"\r")))) else line + len(piece)
            _check_line(line, where)
    return content.getvalue()


def _check_line(length: int, where: str) -> None:
    if length > _LONGEST_LINE:
        raise InputError(
            f"Got a line of more than {_LONGEST_LINE:,} bytes in {where}; expected one line per row: check that the "
            "file is a table with line ends."
        )


def _check_kind(beginning: bytes, where: str) -> None:
    """Refuse what is no table, without waiting for its end."""
    if beginning[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"Got {where} in UTF-16; expected UTF-8: save it as UTF-8 (in a spreadsheet: CSV UTF-8).")
    if beginning[:2] == b"PK" or b"\0" in beginning:
        kind = "a spreadsheet or zip archive" if beginning[:2] == b"PK" else "a binary file"
        raise InputError(f"Got {kind}, {where}; expected a text table or Parquet: export it as CSV first.")
    if foreign := _FOREIGN.match(beginning):
        kind = "JSON" if foreign["json"] else "a web page"
        raise InputError(f"Got {kind} in {where}; expected a text table or Parquet: write it as CSV first.")


def _file(path: Path, asked: Asked, where: str) -> bytes | Path:
    # Named pipes are read, for `causewise infer <(command)`; devices such as /dev/zero would never end.
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"Got the folder {where}; expected a file: name the CSV or Parquet file inside it.")
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
            raise InputError(f"Got the device {where}; expected a CSV or Parquet file, or - for standard input.")
        with path.open("rb") as stream:
            if stat.S_ISREG(status.st_mode):
                if stream.read(4) == PARQUET:
                    return path
                stream.seek(0)
                asked.check_bytes(status.st_size, where)
            return _bounded(stream, asked, where)
    except InputError:
        raise
    except PermissionError:
        raise InputError(f"May not read {where} (permission denied); expected a readable file.") from None
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"There is no file {where}; expected a CSV or Parquet file{_near(path)}.") from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise InputError(f"Could not read {where} ({reason}); expected a CSV or Parquet file.") from None


def _near(path: Path) -> str:
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


def _unpacked(content: bytes, asked: Asked, where: str) -> bytes:
    import gzip

    try:
        return _bounded(gzip.open(io.BytesIO(content)), asked, where)  # type: ignore[arg-type]  # it reads bytes
    except (OSError, EOFError, zlib.error):
        raise InputError(
            f"Could not unpack {where}; expected a whole gzip file: it is damaged or cut short, make it again."
        ) from None
