"""What the JSON says and what may be sent, for /openapi.json."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from causewise.web.questions import Question


class Refused(BaseModel):
    """Why there is no answer."""

    detail: str = Field(description="One sentence: what was got, what was expected, what to do.")
    choices: list[dict[str, str | bool]] | None = Field(
        None, description="Settings, each of which would make a table clear that can be read in two ways."
    )


class Fitted(BaseModel):
    """One direction's evidence."""

    model_config = ConfigDict(extra="allow")
    log_likelihood: float | None
    hsic: float | None
    p_value: float | None
    converged: bool | None


class Decided(BaseModel):
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
    kinds: dict[str, str] = Field(description="Of `x` and `y`: `continuous`, `rounded`, `count`, `heaped`, …")
    forward: Fitted
    backward: Fitted
    warnings: list[str]


class Column(BaseModel):
    """What is known of one column."""

    name: str
    judged: bool
    why: str = Field(description="Why it cannot be judged; empty where it can.")
    kind: str = Field(description="`continuous`, `rounded`, `count`, `heaped`, `few levels`, `two values` …")
    missing: int
    first: list[float | None]
    bars: list[float] = Field(description="Heights of a small histogram.")
    least: float | None
    largest: float | None


class Seen(BaseModel):
    """A table as it was understood."""

    table: str = Field(description="The name under which it is kept.")
    name: str
    rows: int
    missing: int
    judged: int
    understood: list[str] = Field(description="How it was read, a sentence each.")
    columns: list[Column]
    choices: list[dict[str, str | bool]] = Field(description="Settings that would make unclear columns clear.")


class JobState(BaseModel):
    """Where a job stands."""

    id: str
    kind: str = Field(description="`pair` or `table`.")
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
        description="Once done: what `causewise infer --json` prints, or what `causewise scan --out x.json` writes.",
    )


_WHY = {
    400: "The request is damaged.",
    403: "It comes from a page of another site.",
    404: "Nothing is kept under this name, or not any more.",
    408: "The request came too slowly.",
    413: "The request, its table once unpacked, or the memory for it is too large.",
    415: "Neither JSON nor a form.",
    421: "The Host is not one of this server's.",
    422: "The input is at fault, or takes too long.",
    500: "A failure of ours, or a worker process that died.",
    501: "An optional part is not installed where the server runs.",
    503: "Too many jobs are waiting; the sentence says how many.",
}
_READING = (400, 403, 421, 422)
_ASKING = (*_READING, 408, 413, 415, 500, 501, 503)


def answers(what: Any, status: int = 200, asking: bool = False, named: bool = False) -> dict[int | str, dict[str, Any]]:
    """Every status a path can answer with; `asking` for those that read a body, `named` for those with a name in it."""
    codes = [*(_ASKING if asking else _READING), *([404] if named else [])]
    refused: dict[int | str, dict[str, Any]] = {
        code: {"model": Refused, "description": _WHY[code]} for code in sorted(codes)
    }
    return {status: {"model": what, "description": (what.__doc__ or "").strip()}} | refused


def accepts(json: type[Question], form: type[Question] | None = None) -> dict[str, Any]:
    """The body of a path that takes JSON or a form with a file."""
    content: dict[str, Any] = {"application/json": {"schema": json.model_json_schema()}}
    if form is not None:
        shape = form.model_json_schema()
        file = {"type": "string", "contentMediaType": "application/octet-stream", "description": "CSV or Parquet."}
        shape["properties"] = {"file": file} | {name: _text(each) for name, each in shape.get("properties", {}).items()}
        content["multipart/form-data"] = {"schema": shape | {"required": ["file", *shape.get("required", [])]}}
    return {"requestBody": {"required": True, "content": content}}


def _text(field: dict[str, Any]) -> dict[str, Any]:
    """A field of a form, in which everything is text."""
    kept = {key: field[key] for key in ("title", "description") if key in field}
    return {"type": "string"} | kept
