"""What the page and its API ask and answer: the models of /openapi.json."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from causewise.serving.questions import (
    ColumnName,
    GraphOptions,
    PairOptions,
    ReadingOptions,
    ScanOptions,
)

TableName = Annotated[str, Field(max_length=10_000)]


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


class FileScan(ScanOptions, ReadingOptions):
    """Every pair of a file that is sent along."""


class TableScan(ScanOptions):
    """Every pair of a table that is kept."""

    table: TableName


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
