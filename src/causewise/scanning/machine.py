"""What this machine has for a scan: memory that is free."""

import os
from pathlib import Path


def available_memory(root: Path = Path("/")) -> int | None:
    """Bytes that programs can still get, in a container no more than its limit; None where nobody says."""
    said = [_unused(root / "proc" / "meminfo"), _limit(root / "sys" / "fs" / "cgroup" / "memory.max")]
    return min((each for each in said if each is not None), default=None)


def _unused(place: Path) -> int | None:
    try:
        lines = place.read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return _physical()


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _limit(place: Path) -> int | None:
    try:
        return int(place.read_text())
    except (OSError, ValueError):  # "max" where there is none
        return None
