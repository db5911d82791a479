"""Every sentence about a scan, for its page and its pictures. Functions are named after the text they give."""

from collections import Counter
from collections.abc import Sequence

from causewise.decision import USABLE
from causewise.formatting import format_count, format_number, percent, shorten, single_line
from causewise.scanning.result import Scan
from causewise.scanning.scan_row import ScanRow

_BECAME = {
    "oriented": ("has a direction", "have a direction"),
    "undecided": ("is related but undecided", "are related but undecided"),
    "unrelated": ("is unrelated", "are unrelated"),
    "failed": ("could not be scored", "could not be scored"),
    "given": ("is given by background knowledge", "are given by background knowledge"),
}


def column_name(name: str, letters: int = 120) -> str:
    """A column's name, cut in the middle where it is longer."""
    return shorten(single_line(name), letters)


def title(scan: Scan) -> str:
    """How many arrows there are, and how many of them are given."""
    arrows, columns = scan.counts["oriented"], f"{format_count(len(scan.columns))} columns"
    given = sum(row.is_given and row.cause is not None for row in scan.rows)
    found = f"{format_count(arrows)} arrow{'s' * (arrows != 1)}" if arrows else "No arrows"
    return f"{found}{f' found, {format_count(given)} given,' if given else ''} between {columns}"


def sentence(scan: Scan) -> str:
    """What became of the pairs."""
    parts = [f"{format_count(n)} {_BECAME[status][n != 1]}" for status, n in scan.counts.items() if n]
    listed = " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:]))) or "none was scored"
    return f"Of {format_count(len(scan))} pair{'s' * (len(scan) != 1)}, {listed}."


def key_facts(scan: Scan) -> tuple[tuple[str, str], ...]:
    """What was scanned and how, by name."""
    rows = max((row.n + row.dropped_rows for row in scan.rows), default=0)
    facts = {
        "Method": str(scan.facts.get("method", "")),
        "Rows": format_count(rows),
        "Columns": format_count(len(scan.columns)),
    }
    if "fdr" in scan.facts:
        facts["False discoveries at most"] = f"{format_number(100 * scan.facts['fdr'], 3)} %"
    if scan.facts.get("threshold") is not None:
        facts["Confidence asked for"] = percent(scan.facts["threshold"])
    return tuple(facts.items())


def prior(scan: Scan) -> str:
    """How often two related columns are taken to have no direction; empty for methods without such a prior."""
    stated = None if scan.scorer is None else getattr(scan.scorer.build_method(), "neither", None)
    return "" if stated is None else f"{format_number(100 * stated, 3)} %"


def pair(row: ScanRow) -> str:
    """`rain → river`, or `rain · river` where there is no arrow."""
    ends, between = ((row.x, row.y), " · ") if row.cause is None else ((row.cause, row.effect or ""), " → ")
    return between.join(column_name(name, 40) for name in ends)


def sureness(row: ScanRow) -> str:
    """The confidence of an answer or a lean; of what is given, what the data alone give to it."""
    if row.confidence is None or row.status == "unrelated":
        return "–"
    if row.is_given:
        return f"{percent(row.confidence)} by the data alone"
    told = row.cause is not None or row.confidence >= USABLE
    return f"{percent(row.confidence)}{row.doubt}" if told else "no usable lean"


def arrow(row: ScanRow) -> str:
    """`rain → river, confidence 93 %`; of one that is given, what the data alone give to it."""
    confidence = "" if row.confidence is None else f", confidence {percent(row.confidence)}{row.doubt}"
    if row.is_given:
        confidence = f", given{'' if row.confidence is None else f'; by the data alone {percent(row.confidence)}'}"
    return f"{column_name(row.cause or '')} → {column_name(row.effect or '')}{confidence}"


def heading(rows: Sequence[ScanRow], columns: Sequence[str]) -> str:
    """The line above a picture: how many columns, and what became of the pairs."""
    times = Counter(row.outcome for row in rows)
    listed = ", ".join(f"{format_count(times[each])} {each}" for each in _BECAME if times[each])
    return f"{format_count(len(columns))} columns, {format_count(len(rows))} pairs: {listed or 'none scored'}"


def graph_legend(contradicts: bool, alone: Sequence[str], most: int, given: bool = False) -> str:
    """The lines below the graph, with at most so many of the names that have no arrow."""
    lines = ["An arrow runs from cause to effect; the thicker and darker, the surer."]
    if contradicts:
        lines.append("Dashed: against the order that disagrees least with all scores.")
    if given:
        lines.append("Dotted and grey: given by background knowledge.")
    if alone:
        rest = f" and {format_count(len(alone) - most)} more" if most < len(alone) else ""
        lines.append(f"Without an arrow: {', '.join(alone[:most])}{rest}.")
    return "\n".join(lines)
