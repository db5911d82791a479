"""Every bound of the server, in one place."""

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class ServerLimits:
    """What one request, one job and the whole server may take."""

    upload_bytes: int = 64 * MIB
    """Of one request."""
    json_bytes: int = 4 * MIB
    """Of a request in JSON; numbers sent as JSON may be as long as an upload."""
    table_bytes: int = 256 * MIB
    """Of a table once unpacked."""
    rows: int = 2_000_000
    columns: int = 2_000
    in_flight_bytes: int = 256 * MIB
    """Of all requests that are being read, and as much again of those that wait in a queue."""
    cached_tables: int = 32
    cached_answers: int = 200
    cached_bytes: int = 256 * MIB
    """Of all tables, and as much again of all answers."""
    jobs: int = 400
    processes: int = 2
    """For previews and pairs; half as many, but one at least, for whole tables."""
    waiting: int = 32
    """Jobs in a queue."""
    seconds: float = 60.0
    """For a preview or a pair."""
    scan_seconds: float = 900.0
    """For a whole table."""
    memory_bytes: int = 2048 * MIB
    """Of a job, beyond what its process has before it begins."""
    patience: float = 90.0
    """Seconds after which a job that nobody asks about is stopped: browsers let a hidden page ask once a minute."""
    header_seconds: float = 10.0
    """For the head of a request to arrive."""
    pause_seconds: float = 15.0
    """Between two pieces of a body."""
    body_rate: int = 8192
    """Bytes a second that a body must come with, in the mean, once `pause_seconds` have passed."""
