"""The files that an assistant may have read and written: those it names, inside the folders that were allowed.

Where a name leads is found out first, links and `..` included, and compared with the folders; only then is anything
asked about it. So what lies elsewhere is answered alike, whether it exists or not.
"""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from causewise.errors import InputError
from causewise.formatting import visible

_URL = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
_SHOWN = 200
"""Letters of a name in a sentence."""


@dataclass(frozen=True)
class AllowedFolders:
    """Folders, links resolved; a relative name is looked for in each of them, the first one first."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, names: Sequence[Path]) -> "AllowedFolders":
        """The folders of these names; the current one unless there are any."""
        if not names:
            here = Path.cwd().resolve()
            if here in (Path(here.anchor), Path.home().resolve()):
                what = "the root of the file system" if here == Path(here.anchor) else "your home folder"
                raise InputError(
                    f"Got no --allow, and the current folder is {what}; expected the folders whose tables may be read: "
                    "causewise mcp --allow DIR."
                )
            names = [here]
        wrong = [name for name in names if not name.is_dir()]
        if wrong:
            raise InputError(f"Got --allow {str(wrong[0])!r}, which is no folder; expected one that exists.")
        return cls(tuple(dict.fromkeys(name.resolve() for name in names)))

    def __str__(self) -> str:
        return ", ".join(repr(visible(folder)) for folder in self.folders)

    @contextmanager
    def open_table(self, name: str, most_bytes: int) -> Iterator[BinaryIO]:
        """The file of a table, open for reading; sentences call it by the name that was given."""
        path, shown = self._locate(name), repr(name[:_SHOWN])

        def open_path(_: str, flags: int) -> int:
            # Without waiting, as a named pipe would for somebody to write; the last part is no link any more.
            return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))

        try:
            stream = open(name, "rb", opener=open_path)  # noqa: SIM115  # a Path has no opener; closed below
        except IsADirectoryError:
            raise InputError(f"Got the folder {shown}; expected a file: name the table inside it.") from None
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(
                f"There is no file {shown} in the allowed folders ({self}); expected the file of a table: check the "
                "name."
            ) from None
        except OSError as problem:
            raise InputError(
                f"May not read {shown} ({_reason(problem)}); expected the readable file of a table."
            ) from None
        with stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise InputError(f"Got the pipe or device {shown}; expected a plain file: write the table to one.")
            if status.st_size > most_bytes:
                raise InputError(
                    f"Got {shown} of {status.st_size:,} bytes; expected at most {most_bytes:,}: give fewer rows or "
                    "columns, or use the command line."
                )
            yield stream

    def new_file(self, name: str, endings: Sequence[str]) -> Path:
        """Where a file of this name may be written: inside an allowed folder, and over no other file."""
        path, shown = self._locate(name), repr(name[:_SHOWN])
        if path.suffix.lower() not in endings:
            raise InputError(f"Got the file name {shown}; expected one that ends in {' or '.join(endings)}.")
        if os.path.lexists(path):
            raise InputError(f"Got {shown}, which exists; expected a new file, since none is replaced: choose another.")
        if not path.parent.is_dir():
            raise InputError(f"Cannot write {shown}: there is no such folder; expected a place in one that exists.")
        return path

    def _locate(self, name: str) -> Path:
        """Where a name leads, links resolved; refused where that is in no allowed folder."""
        if _URL.match(name):
            raise InputError(
                f"Got the address {name[:_SHOWN]!r}; expected the path of a file on this machine: download it first."
            )
        try:
            places = [Path(os.path.realpath(folder / name)) for folder in self.folders]
        except (ValueError, OSError) as problem:  # a NUL in it, a circle of links
            raise InputError(
                f"Got the name {name[:_SHOWN]!r} ({_reason(problem)}); expected the path of a file."
            ) from None
        inside = [place for place in places if any(place.is_relative_to(folder) for folder in self.folders)]
        if not inside:
            raise InputError(
                f"Got {name[:_SHOWN]!r}, which lies outside of the allowed folders ({self}); expected a file inside: "
                "copy it there, or start causewise mcp with --allow and its folder."
            )
        return next((place for place in inside if os.path.lexists(place)), inside[0])


def _reason(problem: Exception) -> str:
    return (getattr(problem, "strerror", None) or str(problem)).lower()
