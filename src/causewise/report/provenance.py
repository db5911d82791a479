"""How to repeat a decision and how to write about it: commands, settings, a methods paragraph, BibTeX."""

import functools
import hashlib
import re
import shlex
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from causewise.catalogue import CATALOGUE, Entry, cost, defaults, has_method, is_elsewhere
from causewise.catalogue import entry as require_entry
from causewise.criteria import LEVEL
from causewise.decision import Decision
from causewise.formatting import format_count, format_signed, percent, single_line
from causewise.inference import Answer
from causewise.pair import Pair
from causewise.report.decision_wording import halves, p_equals, rows_text, sentence
from causewise.report.score_bars import outcome_bar, round_score

_TEST = "gretton2007kernel"
_FIELD = re.compile(r"^ *(\w+) *= *{(.*)},?$", re.MULTILINE)
_ACCENT = re.compile(r"{\\([\"'`])(\w)}")
_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300"}
_NO_BRACES = str.maketrans("", "", "{}")
"""Braces keep capitals in BibTeX; in a line of text they are noise."""


class Reference(NamedTuple):
    """A paper as `references.bib` has it."""

    bibtex: str
    label: str
    """`Immer et al., 2023`."""
    title: str


@functools.cache
def bibliography() -> dict[str, Reference]:
    """Every paper by its key."""
    text = resources.files("causewise.report").joinpath("references.bib").read_text(encoding="utf-8")
    return {entry[entry.index("{") + 1 : entry.index(",")]: _parse(entry) for entry in text.strip().split("\n\n")}


def _parse(entry: str) -> Reference:
    fields = dict(_FIELD.findall(entry))
    spelt = unicodedata.normalize("NFC", _ACCENT.sub(lambda m: m[2] + _ACCENTS[m[1]], fields["author"]))
    names = [author.split(",")[0] for author in spelt.split(" and ")]
    authors = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return Reference(entry, f"{authors}, {fields['year']}", fields["title"].translate(_NO_BRACES))


def find_entry(method: str) -> Entry | None:
    """The catalogue's line on the method; None for a method from elsewhere."""
    name = method.split(":")[0]
    return next((entry for entry in CATALOGUE if entry.name == name), None)


def references(method: str) -> tuple[str, ...]:
    """The papers a method comes from, one line each; none for a control or a method from elsewhere."""
    papers = (bibliography()[key] for key in _cited_keys(method))
    return tuple(f"{paper.label}: {paper.title}" for paper in papers)


def record_methods() -> list[dict[str, Any]]:
    """Every method as a JSON-ready record, with its measured cost."""
    priced = [(entry, cost(entry.name)) for entry in CATALOGUE]
    return [asdict(entry) | {"cost": asdict(price) if price else None} for entry, price in priced]


def record_method(name: str) -> dict[str, Any]:
    """One method as such a record, with its settings and papers."""
    known = require_entry(name).name
    record = next(record for record in record_methods() if record["name"] == known)
    return record | {"settings": defaults(known), "references": list(references(known))}


def _cited_keys(method: str) -> tuple[str, ...]:
    entry = find_entry(method)
    return entry.cites if entry else ()


def fingerprint(pair: Pair) -> str:
    """SHA-256 of the two columns as little-endian doubles, x first: tells whether two reports saw the same numbers."""
    # Little-endian whatever the machine, and x first: the same pair read the other way round is another question.
    digest = hashlib.sha256()
    for column in (pair.x, pair.y):
        digest.update(np.ascontiguousarray(column, dtype="<f8").tobytes())
    return digest.hexdigest()


def specification(decision: Decision) -> str:
    """The method with the settings that differ from its defaults, in the form `name:key=value`."""
    return decision.asked or ":".join(
        [decision.method, *(f"{key}={value}" for key, value in _changed_settings(decision).items())]
    )


def _changed_settings(decision: Decision) -> dict[str, Any]:
    entry = find_entry(decision.method)
    # A name such as `loci-h:n_knots=15` carries its settings already.
    if entry is None or ":" in decision.method:
        return {}
    settings = dict(decision.settings) | ({} if decision.seed is None else {"seed": decision.seed})
    try:
        usual = defaults(entry.name if settings.get("rows") is None else f"{entry.name}:rows={settings['rows']}")
    except ImportError:
        # A decision can outlive the extra its method needs; with no defaults to compare with, all settings are given.
        return settings
    return {k: v for k, v in settings.items() if k in usual and usual[k] != v}


def _compared_methods(decision: Decision, answers: Sequence[Answer]) -> list[str]:
    """The other methods that were asked, each once, with their settings where they are told."""
    others = [each for each in answers if each.decision is not decision]
    told = [
        each.asked if ":" in each.asked or each.decision.failed else specification(each.decision) for each in others
    ]
    return [name for name in dict.fromkeys(told) if name != specification(decision)]


_PLACE = "MODULE:OBJECT"
"""Stands for the import path of a method of which only the name is known."""


def _is_importable(method: str) -> bool:
    return has_method(method) or is_elsewhere(method)


def _list_nameless(methods: Sequence[str]) -> str:
    """A comment on the methods of which only the name is known; empty where there are none."""
    names = [single_line(name) for name in methods if not _is_importable(name)]
    place = f"{_PLACE} is" if len(names) == 1 else f"each {_PLACE} is"
    return (
        f"# {place} where {' and '.join(names)} can be imported from: only the name is known here.\n" if names else ""
    )


def command(decision: Decision, answers: Sequence[Answer] = ()) -> str:
    """The line to type in a terminal; the file is the reader's, `answers` are those of methods it was compared with."""
    x, y = (shlex.quote(single_line(name)) for name in (decision.pair.x_name, decision.pair.y_name))
    nan = " --nan-policy omit" if decision.pair.dropped else ""
    repeated = " --stability" if decision.half_samples else ""
    asked = [specification(decision), *_compared_methods(decision, answers)]
    methods = shlex.quote(",".join(name if _is_importable(name) else _PLACE for name in asked))
    seed = f" --seed {_drawn_seed(decision)}" if _drawn_seed(decision) else ""
    return f"{_list_nameless(asked)}causewise infer FILE.csv -x {x} -y {y} --method {methods}{nan}{repeated}{seed}"


def python(decision: Decision, answers: Sequence[Answer] = ()) -> str:
    """The same in Python."""
    x, y = repr(decision.pair.x_name), repr(decision.pair.y_name)
    nan = ', nan_policy="omit"' if decision.pair.dropped else ""
    seed = f"seed={_drawn_seed(decision)}" if _drawn_seed(decision) else ""
    repeated = f"print(decision.stability({seed}))\n" if decision.half_samples else ""
    shown = ", stability=True" if decision.half_samples else ""
    compared = _compared_methods(decision, answers)
    asked = [specification(decision), *compared]
    own, *others = (_python_method(name, decision.seed or 0) for name in asked)
    methods = f", methods=[{', '.join(others)}]" if others else ""
    needed = "from causewise.catalogue import resolve_method\n" if any(map(is_elsewhere, asked)) else ""
    return (
        f"import pandas as pd\nimport causewise\n{needed}\n"
        f'{_list_nameless(asked)}table = pd.read_csv("FILE.csv")\n'
        f"decision = causewise.infer(table, {x}, {y}, method={own}{nan}{seed and f', {seed}'})\n"
        f'print(decision)\n{repeated}decision.report("report.html"{shown}{methods})\n'
    )


def _drawn_seed(decision: Decision) -> int:
    """The seed that a setting of the method does not tell: of random halves, or of a method from elsewhere."""
    return (decision.seed or 0) if decision.half_samples or decision.asked else 0


def _python_method(name: str, seed: int) -> str:
    """How a method is written in Python: by its name, by its import path, or as an object that the reader has."""
    if is_elsewhere(name):
        return f"resolve_method({name!r}, {seed})"
    return repr(name) if has_method(name) else _PLACE.partition(":")[2]


def prior(decision: Decision) -> str:
    """Of neither, in per cent, where the method has one."""
    stated = decision.settings.get("neither")
    return "" if stated is None else f"{100 * float(stated):g} %"


def settings(decision: Decision) -> tuple[tuple[str, str], ...]:
    """Everything that was set, by name."""
    rows = {"method": decision.method, "causewise": decision.version, **decision.settings}
    if decision.seed is not None:
        rows["seed"] = decision.seed
    return tuple((str(name), str(value)) for name, value in rows.items())


def bibtex(decision: Decision) -> str:
    """Entries for the program, for the method's paper where it is known, and for the test where one was used."""
    keys = list(_cited_keys(decision.method))
    if decision.forward.hsic is not None or decision.forward.p_value is not None:
        keys.append(_TEST)
    return list_bibtex(decision.version, keys)


def list_bibtex(version: str, keys: Sequence[str]) -> str:
    """Entries for the program and for these papers."""
    program = (
        "@software{causewise,\n"
        "  title   = {causewise: from two columns of numbers, which one causes the other},\n"
        "  author  = {{The causewise authors}},\n"
        f"  version = {{{version}}}\n}}"
    )
    return "\n\n".join([program, *(bibliography()[key].bibtex for key in keys)]) + "\n"


def paragraph(decision: Decision) -> str:
    """A paragraph for the methods section, true of this decision alone."""
    x, y = single_line(decision.pair.x_name), single_line(decision.pair.y_name)
    dropped, entry = decision.pair.dropped, find_entry(decision.method)
    left_out = f", {format_count(dropped)} left out for a missing value" if dropped else ""
    labels = "; ".join(bibliography()[key].label for key in _cited_keys(decision.method))
    of_test = "its location-scale test: " if decision.contributions else ""
    whose = " of" if entry else ", which is not part of causewise, by"
    parts = [
        f"The causal direction between {x} and {y} ({rows_text(decision)}{left_out}) was inferred "
        f"with the method {single_line(specification(decision))}{whose} "
        f"the program causewise {decision.version}"
        f"{f' ({of_test}{labels})' if labels or of_test else ''}.",
        f"The method assumes {_join_clauses(entry.assumes)}." if entry else "",
        _result(decision),
        halves(decision.half_samples) if decision.half_samples else "",
        _cautions(decision),
        assumptions(decision),
    ]
    return " ".join(part for part in parts if part)


def _join_clauses(text: str) -> str:
    """What a semicolon parts, as one list: `a; b; c` becomes `a, b, and c`."""
    *first, last = text.split("; ")
    return f"{', '.join(first)}, and {last}" if first else last


def _result(decision: Decision) -> str:
    if decision.failed:
        return f"It gave no answer: {decision.reason}"
    if decision.unrelated or decision.stopped:
        return sentence(decision)
    x, y = single_line(decision.pair.x_name), single_line(decision.pair.y_name)
    tests = (
        f" of residual and presumed cause (HSIC; {bibliography()[_TEST].label}; significance level {LEVEL}) gave "
        f"{p_equals(decision.forward)} for {x} → {y} and {p_equals(decision.backward)} for {y} → {x}"
    )
    rounded = round_score(decision)
    if rounded:
        total = f"Its score, positive in favour of {x} → {y}, adds up as follows: {rounded}{_confidence(decision)}."
        return f"{total} Tests of the independence{tests}." if decision.reading else total
    score = f"The score (positive favours {x} → {y}) was {format_signed(decision.score)}"
    if decision.confidence is not None:
        score += f", a calibrated confidence of {percent(decision.confidence)}"
    return f"{score}.{f' Tests of the independence{tests}.' if decision.reading else ''} {sentence(decision)}"


def _confidence(decision: Decision) -> str:
    if decision.confidence is None:
        return ""
    bar = outcome_bar(decision)
    shares = f" ({', '.join(f'{part.name} {part.text}' for part in bar.parts)})" if bar else ""
    if not decision.leaning_names:
        return f", no usable lean{shares}: no direction was given"
    asked = decision.settings.get("threshold")
    below = f", below the {100 * asked:g} % asked for" if isinstance(asked, float) and decision.reason else ""
    answer = "no direction was given" if decision.cause is None else f"the answer was {single_line(decision.verdict)}"
    return f", a confidence of {percent(decision.confidence)}{decision.doubt}{below}{shares}: {answer}"


def _cautions(decision: Decision) -> str:
    """The warnings about these rows, as sentences, but for one that is the result already."""
    told = [single_line(each) for each in decision.warnings if single_line(each) not in _result(decision)]
    return f"Warnings about these rows: {' '.join(told)}" if told else ""


def assumptions(decision: Decision) -> str:
    """What a direction rests on beside the method's own assumptions."""
    rows = "that no hidden cause acts on both, and that the rows are independent draws from one population"
    if prior(decision) in ("", "0 %"):
        return f"This assumes that one of the two columns causes the other, {rows}."
    return f"A direction assumes {rows}; that neither causes the other had a prior of {prior(decision)}."
