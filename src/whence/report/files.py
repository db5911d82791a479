"""Writing a file whole or not at all."""

import secrets
from pathlib import Path

from whence.pair import InputError


def replace_with(path: str | Path, content: bytes) -> None:
    """Write to a temporary file beside `path`, then move it into place: no reader ever sees half a file."""
    target = Path(path)
    # What is neither a file nor nothing, such as a device, is written to: a file moved over it would take its place.
    moved = target.is_file() or not target.exists()
    temporary = target.with_name(f".whence-{secrets.token_hex(8)}.part") if moved else target
    try:
        # Opened with "x" rather than by tempfile, which makes files private whatever the user's umask says.
        with temporary.open("xb" if moved else "wb") as stream:
            stream.write(content)
        if moved:
            temporary.replace(target)
    except (OSError, ValueError) as problem:
        if moved:
            _forget(temporary)
        raise InputError(
            f"Could not write {str(target)!r} ({_reason(problem)}); expected a file name in a folder that exists and "
            "can be written to: choose another place."
        ) from None


def _forget(temporary: Path) -> None:
    try:
        temporary.unlink(missing_ok=True)
    except (OSError, ValueError):
        return


def _reason(problem: Exception) -> str:
    return (getattr(problem, "strerror", None) or str(problem)).lower()
