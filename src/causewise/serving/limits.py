"""The bounds of a job, and the error with which a server rejects a request: a status and one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from causewise.formatting import visible

MIB = 1 << 20


@dataclass(frozen=True)
class JobLimits:
    """What one job, and all of them together, may take."""

    table_bytes: int = 256 * MIB
    """Of a table once unpacked."""
    rows: int = 2_000_000
    columns: int = 2_000
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
