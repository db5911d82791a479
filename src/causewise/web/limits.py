"""Every bound of the server, beside those of a job."""

from dataclasses import dataclass

from causewise.serving.limits import MIB, JobLimits, RequestError


@dataclass(frozen=True)
class ServerLimits(JobLimits):
    """What one request, one job and the whole server may take."""

    upload_bytes: int = 64 * MIB
    """Of one request."""
    json_bytes: int = 4 * MIB
    """Of a request in JSON; numbers sent as JSON may be as long as an upload."""
    in_flight_bytes: int = 256 * MIB
    """Of all requests that are being read, and as much again of those that wait in a queue."""
    cached_tables: int = 32
    cached_answers: int = 200
    cached_bytes: int = 256 * MIB
    """Of all tables, and as much again of all answers."""
    jobs: int = 400
    patience: float = 90.0
    """Seconds after which a job that nobody asks about is stopped: browsers let a hidden page ask once a minute."""
    header_seconds: float = 10.0
    """For the head of a request to arrive."""
    pause_seconds: float = 15.0
    """Between two pieces of a body."""
    body_rate: int = 8192
    """Bytes a second that a body must come with, in the mean, once `pause_seconds` have passed."""


def not_found_error(what: str, identity: str) -> RequestError:
    """Nothing is cached under this name, or not any more."""
    return RequestError(
        404,
        f"There is no {what} {identity[:40]!r} here; expected one that this server made and still keeps: it may have "
        "made room for newer ones, or the server was started anew. Ask again.",
    )
