"""How to repeat a decision and how to write about it: commands, settings, a methods paragraph, BibTeX."""

import hashlib
import re
import shlex
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np

from causewise.catalogue import CATALOGUE, Entry, defaults
from causewise.criteria import LEVEL
from causewise.decision import Decision, percent
from causewise.pair import Pair
from causewise.report.outcome_bar import outcome_bar
from causewise.report.printed_sum import PrintedSum, printed_sum
from causewise.report.stance import sentence
from causewise.report.wording import count, halves, on_rows, p_equals, shown, signed

_LABELS = {
    "immer2023identifiability": "Immer et al., 2023",
    "hoyer2008nonlinear": "Hoyer et al., 2008",
    "gretton2007kernel": "Gretton et al., 2007",
    "buhlmann2014cam": "Bühlmann et al., 2014",
    "peters2014causal": "Peters et al., 2014",
    "tagasovska2020distinguishing": "Tagasovska et al., 2020",
    "xu2022inferring": "Xu et al., 2022",
    "strobl2023identifying": "Strobl and Lasko, 2023",
    "goudet2018learning": "Goudet et al., 2018",
    "janzing2012information": "Janzing et al., 2012",
    "cai2020fom": "Cai et al., 2020",
    "bloebaum2018cause": "Blöbaum et al., 2018",
    "duong2022bivariate": "Duong and Nguyen, 2022",
    "hyvarinen2013pairwise": "Hyvärinen and Smith, 2013",
    "zhang2009identifiability": "Zhang and Hyvärinen, 2009",
    "tran2024robust": "Tran et al., 2024",
    "peters2010identifying": "Peters et al., 2010",
    "marx2017telling": "Marx and Vreeken, 2017",
    "marx2019identifiability": "Marx and Vreeken, 2019",
    "fonollosa2019conditional": "Fonollosa, 2019",
    "mitrovic2018causal": "Mitrovic et al., 2018",
    "kocaoglu2017entropic": "Kocaoglu et al., 2017",
    "xi2025distinguishing": "Xi et al., 2025",
    "mooij2010probabilistic": "Mooij et al., 2010",
    "hu2018causal": "Hu et al., 2018",
    "sgouritsa2015inference": "Sgouritsa et al., 2015",
    "mccullagh1980regression": "McCullagh, 1980",
    "vuong1989likelihood": "Vuong, 1989",
}


_TITLE = re.compile(r"^ *title *= *{(.*)},?$", re.MULTILINE)
_NO_BRACES = str.maketrans("", "", "{}")


def catalogue_entry(decision: Decision) -> Entry | None:
    """The catalogue's line on the method; None for a method from elsewhere."""
    name = decision.method.split(":")[0]
    return next((entry for entry in CATALOGUE if entry.name == name), None)


def fingerprint(pair: Pair) -> str:
    """SHA-256 of the two columns as little-endian doubles, x first: tells whether two reports saw the same numbers."""
    # Little-endian whatever the machine, and x first: the same pair read the other way round is another question.
    digest = hashlib.sha256()
    for column in (pair.x, pair.y):
        digest.update(np.ascontiguousarray(column, dtype="<f8").tobytes())
    return digest.hexdigest()


def specification(decision: Decision) -> str:
    """The method with the settings that differ from its defaults, in the form `name:key=value`."""
    return ":".join([decision.method, *(f"{key}={value}" for key, value in _changed_settings(decision).items())])


def command(decision: Decision) -> str:
    """The line to type in a terminal; the file is the reader's."""
    x, y = (shlex.quote(shown(name)) for name in (decision.pair.x_name, decision.pair.y_name))
    nan = " --nan-policy omit" if decision.pair.dropped else ""
    repeated = " --stability" if decision.half_samples else ""
    return f"causewise infer FILE.csv -x {x} -y {y} --method {shlex.quote(specification(decision))}{nan}{repeated}"


def python(decision: Decision) -> str:
    """The same in Python."""
    x, y = repr(decision.pair.x_name), repr(decision.pair.y_name)
    nan = ', nan_policy="omit"' if decision.pair.dropped else ""
    repeated = "print(decision.stability())\n" if decision.half_samples else ""
    return (
        "import pandas as pd\nimport causewise\n\n"
        'table = pd.read_csv("FILE.csv")\n'
        f"decision = causewise.infer(table, {x}, {y}, method={specification(decision)!r}{nan})\n"
        f'print(decision)\n{repeated}decision.report("report.html")\n'
    )


def prior(decision: Decision) -> str:
    """Of neither, in per cent, where the method has one."""
    stated = decision.settings.get("neither")
    return "" if stated is None else f"{100 * float(stated):g} %"


def settings(decision: Decision) -> tuple[tuple[str, str], ...]:
    """Everything that was set, by name."""
    rows = {"method": decision.method, "causewise": decision.version} | _plain(decision.settings)
    if decision.seed is not None:
        rows["seed"] = str(decision.seed)
    return tuple(rows.items())


def paragraph(decision: Decision) -> str:
    """A paragraph for the methods section, true of this decision alone."""
    x, y = shown(decision.pair.x_name), shown(decision.pair.y_name)
    parts = [
        f"The causal direction between {x} and {y} ({on_rows(decision)}{_left_out(decision)}) was inferred "
        f"with the method {specification(decision)} of the program causewise {decision.version}"
        f"{_cited_by_name(decision)}{_principle(decision)}.",
        _result(decision),
        halves(decision.half_samples) if decision.half_samples else "",
        _assumptions(decision),
    ]
    return " ".join(part for part in parts if part)


def bibtex(decision: Decision) -> str:
    """Entries for the program, for the method's paper where it is known, and for the test where one was used."""
    keys = list(_cited(decision.method))
    if decision.forward.hsic is not None or decision.forward.p_value is not None:
        keys.append("gretton2007kernel")
    program = (
        "@software{causewise,\n"
        "  title   = {causewise: from two columns of numbers, which one causes the other},\n"
        "  author  = {{The causewise authors}},\n"
        f"  version = {{{decision.version}}}\n}}"
    )
    library = _library()
    return "\n\n".join([program, *(library[key] for key in keys)]) + "\n"


def references(method: str) -> tuple[str, ...]:
    """The papers a method comes from, one line each; none for a control or a method from elsewhere."""
    titles = {key: _TITLE.search(entry) for key, entry in _library().items()}
    # Braces keep capitals in BibTeX; in a line of text they are noise.
    return tuple(
        f"{_LABELS[key]}: {title[1].translate(_NO_BRACES)}" for key in _cited(method) if (title := titles[key])
    )


def _cited(method: str) -> tuple[str, ...]:
    known = next((entry for entry in CATALOGUE if entry.name == method.split(":")[0]), None)
    return known.cites if known else ()


def _library() -> dict[str, str]:
    text = resources.files("causewise.report").joinpath("references.bib").read_text(encoding="utf-8")
    entries = text.strip().split("\n\n")
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}


def _changed_settings(decision: Decision) -> dict[str, Any]:
    entry = catalogue_entry(decision)
    # A name such as `loci-h:n_knots=15` carries its settings already.
    if entry is None or ":" in decision.method:
        return {}
    given = dict(decision.settings) | ({} if decision.seed is None else {"seed": decision.seed})
    try:
        usual = defaults(entry.name if given.get("rows") is None else f"{entry.name}:rows={given['rows']}")
    except ImportError:
        # A decision can outlive the extra its method needs; with no defaults to compare with, all settings are given.
        return given
    return {k: v for k, v in given.items() if k in usual and usual[k] != v}


def _plain(values: Mapping[str, Any]) -> dict[str, str]:
    return {str(key): str(value) for key, value in values.items()}


def _left_out(decision: Decision) -> str:
    dropped = decision.pair.dropped
    return f", {count(dropped)} left out for a missing value" if dropped else ""


def _cited_by_name(decision: Decision) -> str:
    labels = "; ".join(_LABELS[key] for key in _cited(decision.method))
    if decision.contributions:
        labels = f"its location-scale test: {labels}"
    return f" ({labels})" if labels else ""


def _principle(decision: Decision) -> str:
    entry = catalogue_entry(decision)
    return f", which assumes {entry.assumes}" if entry else ""


def _result(decision: Decision) -> str:
    if decision.failed:
        return f"It gave no answer: {decision.reason}"
    if decision.unrelated or decision.stopped:
        return sentence(decision)
    found = printed_sum(decision)
    return _weighed(decision, found) if found else _scored(decision)


def _weighed(decision: Decision, found: PrintedSum) -> str:
    """The sum, what follows from it, and the tests beside it."""
    x, y = shown(decision.pair.x_name), shown(decision.pair.y_name)
    parts = [
        f"Its score, positive in favour of {x} → {y}, adds up as follows: {found}{_sure(decision)}.",
        f"Tests of the independence{_tests(decision)}." if decision.reading else "",
    ]
    return " ".join(filter(None, parts))


def _sure(decision: Decision) -> str:
    if decision.confidence is None:
        return ""
    bar = outcome_bar(decision)
    shares = f" ({', '.join(f'{part.name} {part.text}' for part in bar.parts)})" if bar else ""
    if not decision.leaning_names:
        return f", no usable lean{shares}: no direction was given"
    asked = decision.settings.get("threshold")
    known = isinstance(asked, float) and decision.reason
    below = f", below the {100 * float(asked or 0):g} % asked for" if known else ""
    given = "no direction was given" if decision.cause is None else f"the answer was {shown(decision.verdict)}"
    return f", a confidence of {percent(decision.confidence)}{below}{shares}: {given}"


def _assumptions(decision: Decision) -> str:
    rows = "that no hidden cause acts on both, and that the rows are independent draws from one population"
    if prior(decision) in ("", "0 %"):
        return f"This assumes that one of the two columns causes the other, {rows}."
    return f"A direction assumes {rows}; that neither causes the other had a prior of {prior(decision)}."


def _scored(decision: Decision) -> str:
    x, y = shown(decision.pair.x_name), shown(decision.pair.y_name)
    score = f"The score (positive favours {x} → {y}) was {signed(decision.score)}"
    if decision.confidence is not None:
        score += f", a calibrated confidence of {percent(decision.confidence)}"
    tests = f"; independence{_tests(decision)}" if decision.reading else ""
    return f"{score}{tests}. {sentence(decision)}"


def _tests(decision: Decision) -> str:
    x, y = shown(decision.pair.x_name), shown(decision.pair.y_name)
    return (
        f" of residual and presumed cause (HSIC; {_LABELS['gretton2007kernel']}; level {LEVEL}) gave "
        f"{p_equals(decision.forward)} for {x} → {y} and {p_equals(decision.backward)} for {y} → {x}"
    )
