"""What is answered instead of an answer: a status and one sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from causewise.formatting import visible


@dataclass(eq=False)
class Refusal(Exception):
    """Why there is no answer; the sentence goes to whoever asked, and nothing else does."""

    status: int
    sentence: str
    choices: tuple[dict[str, Any], ...] = ()
    """Settings, each of which would make a table clear."""
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return visible(self.sentence)

    @property
    def record(self) -> dict[str, Any]:
        """The body of the answer."""
        return {"detail": str(self)} | ({"choices": list(self.choices)} if self.choices else {})


def nowhere(what: str, identity: str) -> Refusal:
    """Nothing is kept under a link, or not any more."""
    return Refusal(
        404,
        f"There is no {what} {identity[:40]!r} here; expected one that this server made and still keeps: it may have "
        "made room for newer ones, or the server was started anew. Ask again.",
    )


def busy(waiting: int, what: str = "jobs") -> Refusal:
    """The queue is full."""
    return Refusal(
        503,
        f"{waiting} {what} are waiting already, as many or as large as may; expected a shorter queue: try again in a "
        "moment.",
        headers={"Retry-After": "5"},
    )


def choices(problem: Exception) -> tuple[dict[str, Any], ...]:
    """What the command line would offer for an unclear table, as settings."""
    said: list[dict[str, Any]] = []
    for option, *value in getattr(problem, "answers", ()):
        if option == "--decimal":
            said.append({"decimal": value[0]})
        elif option in ("--header", "--no-header"):
            said.append({"header": option == "--header"})
    return tuple(said)
