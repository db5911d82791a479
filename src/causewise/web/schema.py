"""What may be asked and what is answered: the models of /openapi.json, checked in one place."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from causewise.errors import SEEDS
from causewise.web.limits import RequestError

Q = TypeVar("Q", bound="Question")
TableName = Annotated[str, Field(max_length=10_000)]
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


class ArrayPair(PairOptions):
    """Two columns, sent along."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"x": [float(k) for k in range(12)], "y": [float(k * k) for k in range(12)]}]}
    )
    x: list[int | float | None]
    y: list[int | float | None]


class FilePair(PairOptions, ReadingOptions):
    """Two columns of a file that is sent along; without names it must have exactly two columns of numbers."""

    x: ColumnName | None = None
    y: ColumnName | None = None


class TablePair(PairOptions):
    """Two columns of a table that is kept."""

    table: TableName
    x: ColumnName
    y: ColumnName


class TableText(ReadingOptions):
    """A table as text, or the name of an example."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"example": "dose"}]})
    text: str | None = Field(None, description="The lines of a table.")
    example: Literal["dose", "patients", "valley", "invisible"] | None = None


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


class FileScan(ScanOptions, ReadingOptions):
    """Every pair of a file that is sent along."""


class TableScan(ScanOptions):
    """Every pair of a table that is kept."""

    table: TableName


class GraphOptions(KnowledgeOptions):
    """All columns of a table together."""

    columns: list[ColumnName] | None = Field(None, description="Only these columns; all that can be used unless given.")
    exclude: list[ColumnName] | None = Field(None, description="All columns but these.")
    alpha: float | None = Field(None, description="Significance level of the tests of edges.")
    threshold: float | None = Field(None, description="The probability of a direction that an arrow needs.")
    bootstrap: int | None = Field(None, description="Random halves of the rows, for directions and support.")
    seed: int = Field(0, ge=SEEDS[0], le=SEEDS[1])


class FileGraph(GraphOptions, ReadingOptions):
    """All columns of a file that is sent along."""


class TableGraph(GraphOptions):
    """All columns of a table that is kept."""

    table: TableName


class ErrorRecord(BaseModel):
    """Why there is no answer."""

    detail: str = Field(description="One sentence: what was got, what was expected, what to do.")
    choices: list[dict[str, str | bool]] | None = Field(
        None, description="Settings, each of which would make a table clear that can be read in two ways."
    )


class EvidenceRecord(BaseModel):
    """One direction's evidence."""

    model_config = ConfigDict(extra="allow")
    log_likelihood: float | None
    hsic: float | None
    p_value: float | None
    converged: bool | None


class DecisionRecord(BaseModel):
    """What `causewise infer --json` prints."""

    model_config = ConfigDict(extra="allow")
    direction: str = Field(description="`x->y`, `y->x` or `undecided`.")
    cause: str | None
    effect: str | None
    score: float | None = Field(description="Above 0 favours x → y; null where a warning stops the answer.")
    confidence: float | None = Field(description="The larger probability of a direction; null where there is none.")
    probabilities: dict[str, float] | None = Field(
        description="Of `x->y`, `y->x` and `neither`, which add up to 1; null where there are none."
    )
    contributions: dict[str, float] = Field(description="The terms: score = weight · their sum.")
    weight: float | None
    reason: str = Field(description="Why no direction is given; empty where one is.")
    method: str
    n: int
    kinds: dict[str, str] = Field(description="Of `x` and `y`: `continuous`, `rounded`, `count`, `point mass`, …")
    forward: EvidenceRecord
    backward: EvidenceRecord
    warnings: list[str]


class ColumnOverview(BaseModel):
    """What is known of one column."""

    name: str
    judged: bool
    why: str = Field(description="Why it cannot be scored; empty where it can.")
    kind: str = Field(description="`continuous`, `rounded`, `count`, `point mass`, `few levels`, `two values` …")
    missing: int
    first: list[float | None]
    bars: list[float] = Field(description="Heights of a small histogram.")
    least: float | None
    largest: float | None


class TableOverview(BaseModel):
    """A table as it was understood."""

    table: str = Field(description="The name under which it is kept.")
    name: str
    rows: int
    missing: int
    judged: int
    understood: list[str] = Field(description="How it was read, a sentence each.")
    columns: list[ColumnOverview]
    choices: list[dict[str, str | bool]] = Field(description="Settings that would make unclear columns clear.")


class JobStatus(BaseModel):
    """Where a job stands."""

    id: str
    kind: str = Field(description="`pair`, `table` (a scan) or `graph`.")
    state: str = Field(description="`waiting`, `working`, `done`, `failed` or `cancelled`.")
    ahead: int = Field(description="Jobs in the queue before it.")
    step: str | None
    done: int | None
    of: int | None
    seconds_left: float | None = Field(description="Until the step ends, if it goes on as it went.")
    detail: str | None = Field(description="Why there is no answer.")
    answer: str | None = Field(description="The link of its answer.")
    title: str | None = Field(None, description="Once done: the answer in one line.")
    result: dict[str, Any] | None = Field(
        None,
        description="Once done: what `causewise infer --json` prints, or what `causewise scan --out x.json` and "
        "`causewise graph --out x.json` write.",
    )


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
