"""What may be asked in JSON: checked in one place, for the server, for its workers and for /openapi.json."""

import json
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from causewise.errors import SEEDS
from causewise.web.refusal import Refusal

Q = TypeVar("Q", bound="Question")
Name = Annotated[str, Field(max_length=10_000)]
Place = Annotated[str, Field(max_length=10_000, description="A column by its name, or its number counted from 1.")]
Method = Annotated[
    str, Field(max_length=300, description="A name from `causewise methods`, with settings as NAME:key=value.")
]


class Question(BaseModel):
    """Only what is known may be asked."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class Asking(Question):
    """How a table is read where it can be read in two ways."""

    decimal: Literal[".", ","] | None = Field(None, description="Decimal mark of a text table; found out unless told.")
    header: bool | None = Field(None, description="Whether its first line holds names; found out unless told.")


class Stating(Question):
    """How a direction is found."""

    method: Method = "causewise"
    threshold: float | None = Field(None, description="Confidence an answer needs; below it the pair is undecided.")
    neither: float | None = Field(
        None, description="How often two related columns have no direction, from 0 to 0.99; for the default method."
    )
    direct: bool | None = Field(None, description="That one of the two causes the other, which is `neither` = 0.")
    recording: bool | None = Field(
        None, description="Whether the default method counts how coarsely the columns are recorded."
    )
    seed: int = Field(0, ge=SEEDS[0], le=SEEDS[1])


class Judging(Stating):
    """How two columns are judged."""

    nan_policy: Literal["raise", "omit"] = Field(
        "raise", description="Rows with a missing value: refused, or left out."
    )


class Arrays(Judging):
    """Two columns, sent along."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"x": [float(k) for k in range(12)], "y": [float(k * k) for k in range(12)]}]}
    )
    x: list[int | float | None]
    y: list[int | float | None]


class Columns(Judging, Asking):
    """Two columns of a file that is sent along; without names it must have exactly two columns of numbers."""

    x: Place | None = None
    y: Place | None = None


class Upload(Asking):
    """A file that is sent along."""


class Paste(Asking):
    """A table as text, or the name of an example."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"example": "dose"}]})
    text: str | None = Field(None, description="The lines of a table.")
    example: Literal["dose", "patients", "valley", "invisible"] | None = None


class Pairing(Judging):
    """Two columns of a table that is kept."""

    table: Name
    x: Place
    y: Place


class Scanning(Stating):
    """Every pair of a table."""

    columns: list[Place] | None = Field(None, description="Only these columns; all columns of numbers unless told.")
    target: Place | None = Field(None, description="Only pairs with this column.")
    fdr: float = Field(0.05, description="Share of unrelated pairs that may pass for related ones.")


class FileScanning(Scanning, Asking):
    """Every pair of a file that is sent along."""


class TableScanning(Scanning):
    """Every pair of a table that is kept."""

    table: Name


def parsed(kind: type[Q], content: bytes) -> Q:
    """A question in JSON."""
    try:
        return kind.model_validate_json(content)
    except ValidationError as problem:
        raise _refused(problem, kind) from None


def filled(kind: type[Q], fields: dict[str, Any]) -> Q:
    """A question in the fields of a form, in which everything is text and a list is JSON."""
    given = {name: _list(text) if name == "columns" else text for name, text in fields.items() if text != ""}
    try:
        return kind.model_validate(given)
    except ValidationError as problem:
        raise _refused(problem, kind) from None


def _list(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return [name.strip() for name in text.split(",")]


def _refused(problem: ValidationError, kind: type[Question]) -> Refusal:
    first = problem.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))[:80]
    said = first["msg"].removeprefix("Input should be ").rstrip(".")
    if first["type"] == "json_invalid":
        return Refusal(400, f"Got a body that is no JSON ({said[:200]}); expected an object: check how it was written.")
    known = ", ".join(kind.model_fields)
    if first["type"] == "extra_forbidden":
        return Refusal(422, f"Got the field {place!r}; expected some of: {known}.")
    if first["type"] == "missing":
        return Refusal(422, f"Got no field {place!r}; expected it, among: {known}.")
    return Refusal(422, f"Got a wrong value in {place or 'the body'!r}; expected {said[:200]}.")
