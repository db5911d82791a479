"""Errors of a request: a status and one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from causewise.formatting import visible


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
