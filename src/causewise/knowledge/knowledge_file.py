"""From a YAML or CSV file of background knowledge to the mapping that Python callers give.

Every value stays text, since a column may be called no, 1990 or 2001-01-01, which YAML takes for something else.
"""

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from causewise.errors import InputError
from causewise.tables.source import describe_source

MAX_BYTES = 1 << 20
"""Some 20,000 statements."""

_HEADER = ["kind", "cause", "effect", "value"]
_LINES = {
    "first": "first,COLUMN,,",
    "last": "last,COLUMN,,",
    "tier": "tier,COLUMN,,NUMBER",
    "before": "before,CAUSE,EFFECT,",
    "required": "required,CAUSE,EFFECT,",
    "forbidden": "forbidden,CAUSE,EFFECT,",
    "likely": "likely,CAUSE,EFFECT,PROBABILITY",
    "log_odds": "log_odds,CAUSE,EFFECT,NUMBER",
}
"""What a line of a CSV file looks like, by its first cell."""


def read_knowledge_file(path: Path) -> Any:
    """What the file states, unchecked but for its form."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            f"Got {describe_source(path)} as knowledge; expected a file whose name ends in {', '.join(_READERS)}: "
            f"rename it."
        )
    return reader(_read_text(path), describe_source(path))


def parse_knowledge(text: str, where: str = "the knowledge") -> Any:
    """What the text of a file states: CSV where its first line has the names of one, else YAML or JSON."""
    first = text.lstrip("\ufeff\n\r ").partition("\n")[0]
    is_csv = [cell.strip().lower() for cell in first.split(",")] == _HEADER
    return (_read_csv if is_csv else _read_yaml)(text.lstrip("\ufeff"), where)


def add_statements(content: Any, more: Mapping[str, Any]) -> dict[str, Any]:
    """Knowledge with statements beside it."""
    # Elsewhere a text is the path of a file: what a file or a stranger says must never be taken for one.
    if not isinstance(content, Mapping):
        raise InputError(
            f"Got {repr(content)[:80]} as knowledge; expected lists under names such as first, last, tiers, required."
        )
    return {**content, **{kind: [*_as_list(content.get(kind)), *_as_list(stated)] for kind, stated in more.items()}}


def _as_list(stated: Any) -> list[Any]:
    """One name is a list of one."""
    return stated if isinstance(stated, list) else [] if stated is None else [stated]


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        if len(content) <= MAX_BYTES:
            return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            f"Got {describe_source(path)} in another encoding; expected UTF-8: save it as UTF-8."
        ) from None
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise InputError(
            f"Could not read {describe_source(path)} ({reason}); expected a YAML or CSV file of knowledge: check "
            f"the path."
        ) from None
    raise InputError(
        f"Got more than {MAX_BYTES:,} bytes from {describe_source(path)}; expected at most that of knowledge: say "
        f"it by tiers."
    )


class _PlainLoader(yaml.BaseLoader):
    """Text, lists and mappings only, each written out where it stands: safer still than `yaml.safe_load`.

    Aliases make a page of text into gigabytes, and of two equal keys the first would be lost unseen.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            alias = self.peek_event()
            raise yaml.MarkedYAMLError(problem=f"the alias *{alias.anchor}", problem_mark=alias.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value} again", problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _read_yaml(text: str, where: str) -> Any:
    try:
        return yaml.load(text, _PlainLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        line = f"line {mark.line + 1}: " if mark else ""
        reason = f"{line}{problem.problem or problem.context}"
    except yaml.YAMLError:
        reason = "a character that YAML does not allow"
    except RecursionError:
        reason = "lists within lists without end"
    raise InputError(
        f"Could not read {where} as YAML ({reason}); expected plain lists under different keys, without aliases: "
        "correct that place."
    ) from None


def _read_csv(text: str, where: str) -> Any:
    reader = csv.reader(io.StringIO(f"{text}\n", newline=""), strict=True)
    try:
        (_, header), *lines = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as problem:
        raise InputError(f"Could not read {where} as CSV ({problem}); expected one statement a line.") from None
    if [cell.lower() for cell in header] != _HEADER:
        raise InputError(
            f"Got {','.join(header)[:120]!r} as the first line of {where}; expected the names {','.join(_HEADER)}."
        )
    content: dict[str, list[Any]] = {}
    tiers: dict[int, list[str]] = {}
    for k, cells in lines:
        if not any(cells):
            continue
        kind, cause, effect, value = _check_line(k, cells, where)
        if kind == "tier":
            tiers.setdefault(_read_tier(k, value, where), []).append(cause)
        elif kind in ("likely", "log_odds"):
            content.setdefault("soft", []).append([cause, effect, {kind: value}])
        else:
            content.setdefault(kind, []).append(cause if kind in ("first", "last") else [cause, effect])
    return content | ({"tiers": [tiers[k] for k in sorted(tiers)]} if tiers else {})


def _check_line(k: int, cells: list[str], where: str) -> list[str]:
    """Four cells, filled as their kind asks."""
    form = _LINES.get(cells[0].lower())
    if form is None:
        raise InputError(
            f"Got {cells[0][:80]!r} for the kind in line {k} of {where}; expected one of: {', '.join(_LINES)}."
        )
    padded = cells + [""] * (len(_HEADER) - len(cells))
    if list(map(bool, padded)) != list(map(bool, form.split(","))):
        raise InputError(f"Got {','.join(cells)[:120]!r} in line {k} of {where}; expected {form}.")
    return [cells[0].lower(), *padded[1:]]


def _read_tier(k: int, text: str, where: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"Got the tier {text[:80]!r} in line {k} of {where}; expected a whole number, as 1.")
    return int(text)


_READERS: dict[str, Callable[[str, str], Any]] = {".yaml": _read_yaml, ".yml": _read_yaml, ".csv": _read_csv}
