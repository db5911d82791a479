"""Templates in, whole files out: where pages come from and how they reach the disk."""

import functools
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from causewise.pair import InputError

if TYPE_CHECKING:
    from jinja2 import Environment


@functools.cache
def environment(package: str = "causewise.report") -> "Environment":
    """The templates in a package's folder `templates`; everything is escaped unless it was marked safe in Python."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.globals["nonce"] = ""  # of a page that is sent by a server; see base.html
    return found


def replace_with(path: str | os.PathLike[str], content: bytes) -> None:
    """Write to a temporary file beside `path`, then move it into place: no reader ever sees half a file.

    A link stays a link: the file it leads to is replaced.
    """
    target = Path(path)
    if target.is_symlink():
        target = Path(os.path.realpath(target))
    # What is neither a file nor nothing, such as a device, is written to: a file moved over it would take its place.
    moved = target.is_file() or not target.exists()
    temporary = target.with_name(f".causewise-{secrets.token_hex(8)}.part") if moved else target
    try:
        # Opened with "x" rather than by tempfile, which makes files private whatever the user's umask says.
        with temporary.open("xb" if moved else "wb") as stream:
            stream.write(content)
        if moved:
            temporary.replace(target)
    except (OSError, ValueError) as problem:
        raise InputError(
            f"Could not write {str(path)!r} ({_reason(problem)}); expected a file name in a folder that exists and "
            "can be written to: choose another place."
        ) from None
    finally:
        if moved:
            _remove(temporary)


def _remove(temporary: Path) -> None:
    try:
        temporary.unlink(missing_ok=True)
    except (OSError, ValueError):
        return


def _reason(problem: Exception) -> str:
    return (getattr(problem, "strerror", None) or str(problem)).lower()
