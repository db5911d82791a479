"""From a path or standard input to bytes, with one sentence for everything that can be wrong with a file."""

import stat
import sys
import zlib
from pathlib import Path

from whence.pair import InputError


def shown(source: str | Path) -> str:
    """The source as it is called in sentences."""
    return "standard input" if str(source) == "-" else f"{str(source)[:120]!r}"


def read_bytes(source: str | Path) -> bytes:
    """The content of a file, unpacked if it is gzipped; `-` is standard input."""
    content = _standard_input() if str(source) == "-" else _file(Path(source))
    if content[:2] == b"\x1f\x8b":
        content = _unpacked(content, shown(source))
    if not content or content.isspace():
        raise InputError(
            f"Got an empty table from {shown(source)}; expected two columns of numbers: check that the export worked."
        )
    return content


def _file(path: Path) -> bytes:
    where = shown(path)
    # Named pipes are read, for `whence infer <(command)`; devices such as /dev/zero would never end.
    try:
        mode = path.stat().st_mode
        content = path.read_bytes() if stat.S_ISREG(mode) or stat.S_ISFIFO(mode) else b""
    except PermissionError:
        raise InputError(f"May not read {where} (permission denied); expected a readable file.") from None
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"There is no file {where}; expected a CSV or Parquet file{_near(path)}.") from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise InputError(f"Could not read {where} ({reason}); expected a CSV or Parquet file.") from None
    if stat.S_ISDIR(mode):
        raise InputError(f"Got the folder {where}; expected a file: name the CSV or Parquet file inside it.")
    if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
        raise InputError(f"Got the device {where}; expected a CSV or Parquet file, or - for standard input.")
    return content


def _near(path: Path) -> str:
    import difflib

    try:
        here = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())[:2000]
    except OSError:
        return f": the folder {str(path.parent)[:120]!r} does not exist or cannot be read"
    near = difflib.get_close_matches(path.name[:200], here, n=1, cutoff=0.8)
    return f", perhaps {str(path.parent / near[0])!r}" if near else ": check the path"


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError(
            "Nothing is piped into standard input; expected a table there, for instance: whence infer - < table.csv"
        )
    return sys.stdin.buffer.read()


def _unpacked(content: bytes, where: str) -> bytes:
    import gzip

    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        raise InputError(
            f"Could not unpack {where}; expected a whole gzip file: it is damaged or cut short, make it again."
        ) from None
