"""What may be asked of a server: the fields of a question, checked in one place."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from causewise.errors import SEEDS
from causewise.serving.limits import RequestError

Q = TypeVar("Q", bound="Question")
ColumnName = Annotated[str, Field(max_length=10_000, description="A column by its name, or its number counted from 1.")]
MethodName = Annotated[
    str, Field(max_length=300, description="A name from `causewise methods`, with settings as NAME:key=value.")
]


_LISTS = ("columns", "exclude", "first", "last", "tiers", "required", "forbidden")
"""Fields of a form that hold a list: JSON, or names with a comma between."""


class Question(BaseModel):
    """The fields of a request; no others are taken."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class ReadingOptions(Question):
    """How a table is read where it can be read in two ways."""

    decimal: Literal[".", ","] | None = Field(None, description="Decimal mark of a text table; detected unless given.")
    header: bool | None = Field(None, description="Whether its first line holds names; detected unless given.")
    sheet: str | None = Field(None, max_length=300, description="Sheet of a workbook, by name or number from 1.")


class MethodOptions(Question):
    """How a direction is inferred."""

    method: MethodName = "causewise"
    threshold: float | None = Field(None, description="Confidence an answer needs; below it the pair is undecided.")
    neither: float | None = Field(
        None, description="How often two related columns have no direction, from 0 to 0.99; for the default method."
    )
    direct: bool | None = Field(None, description="That one of the two causes the other, which is `neither` = 0.")
    recording: bool | None = Field(
        None, description="Whether the default method counts how coarsely the columns are recorded."
    )
    seed: int = Field(0, ge=SEEDS[0], le=SEEDS[1])


class PairOptions(MethodOptions):
    """How the direction of two columns is inferred."""

    nan_policy: Literal["raise", "omit"] = Field(
        "raise", description="Rows with a missing value: refused, or left out."
    )


class KnowledgeOptions(Question):
    """Background knowledge, as `--known`, `--first` and `--last` give it."""

    knowledge: dict[str, Any] | str | None = Field(
        None, max_length=1 << 20, description="The text of a YAML or CSV file of knowledge, or what it holds."
    )
    first: list[ColumnName] | None = Field(None, description="Columns that no other column causes.")
    last: list[ColumnName] | None = Field(None, description="Columns that cause no other.")
    tiers: list[list[ColumnName]] | None = Field(None, description="Columns by tiers: none causes one of an earlier.")
    required: list[list[ColumnName]] | None = Field(None, description="Edges that there are: [cause, effect] each.")
    forbidden: list[list[ColumnName]] | None = Field(None, description="Edges that there are not.")


class ScanOptions(MethodOptions, KnowledgeOptions):
    """Every pair of a table."""

    columns: list[ColumnName] | None = Field(
        None, description="Only these columns; all columns of numbers unless given."
    )
    target: ColumnName | None = Field(None, description="Only pairs with this column.")
    fdr: float = Field(0.05, description="False discovery rate of the test of relation.")


class GraphOptions(KnowledgeOptions):
    """All columns of a table together."""

    columns: list[ColumnName] | None = Field(None, description="Only these columns; all that can be used unless given.")
    exclude: list[ColumnName] | None = Field(None, description="All columns but these.")
    alpha: float | None = Field(None, description="Significance level of the tests of edges.")
    threshold: float | None = Field(None, description="The probability of a direction that an arrow needs.")
    bootstrap: int | None = Field(None, description="Random halves of the rows, for directions and support.")
    seed: int = Field(0, ge=SEEDS[0], le=SEEDS[1])


def parse(model: type[Q], content: bytes | Mapping[str, str]) -> Q:
    """A question in JSON, or in the fields of a form, in which everything is text and a list is JSON."""
    try:
        if isinstance(content, bytes):
            return model.model_validate_json(content)
        texts = {name: text for name, text in content.items() if text != ""}
        return model.model_validate(texts | {name: _split(texts[name]) for name in _LISTS if name in texts})
    except ValidationError as problem:
        raise _describe(problem, model) from None


def _split(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return [name.strip() for name in text.split(",")]


def _describe(problem: ValidationError, model: type[Question]) -> RequestError:
    first = problem.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))[:80]
    expected = first["msg"].removeprefix("Input should be ").rstrip(".")[:200]
    if first["type"] == "json_invalid":
        return RequestError(
            400, f"Got a body that is no JSON ({expected}); expected an object: check how it was written."
        )
    fields = ", ".join(model.model_fields)
    if first["type"] == "extra_forbidden":
        return RequestError(422, f"Got the field {place!r}; expected some of: {fields}.")
    if first["type"] == "missing":
        return RequestError(422, f"Got no field {place!r}; expected it, among: {fields}.")
    return RequestError(422, f"Got a wrong value in {place or 'the body'!r}; expected {expected}.")
