"""Every bound of the server, and the error with which it rejects a request: a status and one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from causewise.formatting import visible

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


@dataclass(eq=False)
class RequestError(Exception):
    """Why a request has no result; the client gets the sentence and nothing else."""

    status: int
    sentence: str
    choices: tuple[dict[str, Any], ...] = ()
    """Settings, each of which would make a table clear."""
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return visible(self.sentence)

    @property
    def record(self) -> dict[str, Any]:
        """The body of the response."""
        return {"detail": str(self)} | ({"choices": list(self.choices)} if self.choices else {})


def not_found_error(what: str, identity: str) -> RequestError:
    """Nothing is cached under this name, or not any more."""
    return RequestError(
        404,
        f"There is no {what} {identity[:40]!r} here; expected one that this server made and still keeps: it may have "
        "made room for newer ones, or the server was started anew. Ask again.",
    )


def queue_full_error(waiting: int, what: str = "jobs") -> RequestError:
    """As many jobs wait as may."""
    return RequestError(
        503,
        f"{waiting} {what} are waiting already, as many or as large as may; expected a shorter queue: try again in a "
        "moment.",
        headers={"Retry-After": "5"},
    )


def closing_error() -> RequestError:
    """The server was told to end."""
    return RequestError(503, "The server is closing; expected one that runs: start it anew.")


def list_choices(problem: Exception) -> tuple[dict[str, Any], ...]:
    """The options that the command line would offer for an unclear table, as settings of a request."""
    choices: list[dict[str, Any]] = []
    for option, *value in getattr(problem, "answers", ()):
        if option == "--decimal":
            choices.append({"decimal": value[0]})
        elif option in ("--header", "--no-header"):
            choices.append({"header": option == "--header"})
    return tuple(choices)
