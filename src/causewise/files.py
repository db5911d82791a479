"""How a file reaches the disk: whole or not at all."""

import os
import secrets
from pathlib import Path

from causewise.errors import InputError


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
