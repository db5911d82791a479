"""Every sentence about a decision: how firmly the answer stands, what the tests say, what a picture shows.

A method that weighs its evidence says how sure it is itself, with a confidence and a reason. Of any other the score
says which way, and the two independence tests say how far to trust it. Functions are named after the text they give.
"""

import math
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import NamedTuple

from causewise.criteria import LEVEL, ModelCheck
from causewise.decision import Decision, Direction, Evidence
from causewise.formatting import (
    format_count,
    format_number,
    format_p,
    format_power,
    format_signed,
    percent,
    shorten,
    single_line,
)
from causewise.inference import Stability
from causewise.methods.combined.words import KINDS
from causewise.report.geometry import Drawing
from causewise.report.score_bars import BRIEF, brief_names, round_score

SEVERITIES = ("stops", "lowers confidence", "note")
"""How much a warning weighs, the worst first; see `data_checks.Severity`."""
_OTHER_SIGN = str.maketrans("+−", "−+")
_SMALL_P = re.compile(r"(=|and|against) (\d(?:\.\d+)?)e-(\d+)\b")


class Stance(Enum):
    """The ways score and tests can combine; the value is (label, sentence)."""

    CLEAR = (
        "only this direction fits",
        "The data favour {cause} as the cause of {effect}: of the two directions, only this one fits.",
    )
    BOTH = (
        "both directions fit",
        "The score leans towards {cause} as the cause of {effect}, but both directions fit these rows: a weak lean, "
        "not a finding.",
    )
    NEITHER = (
        "neither direction fits",
        "The score leans towards {cause} as the cause of {effect}, but neither direction fits: do not rely on it.",
    )
    CONTRADICTED = (
        "tests contradict the score",
        "The score points to {cause} as the cause of {effect}, but the independence tests leave only the other "
        "direction standing: treat this as undecided.",
    )
    UNTESTED = (
        "not tested",
        "{method} favours {cause} as the cause of {effect}; it has no test of whether its own model fits, so how far "
        "to trust the answer is not known.",
    )
    WEIGHED = (
        "confidence {confidence}",
        "The evidence taken together favours {cause} as the cause of {effect}.",
    )
    FAINT = (
        "{confidence}, little better than a coin",
        "The evidence taken together hardly favours {cause} as the cause of {effect}.",
    )
    WITHHELD = (
        "undecided, {confidence} for {leans}",
        "{method} gives no direction for {x} and {y}: the evidence does not lean clearly enough to one side.",
    )
    NO_LEAN = (
        "undecided, no usable lean",
        "{method} gives no direction for {x} and {y}: there is no usable lean to either side.",
    )
    STOPPED = ("undecided, not scored", "{method} gives no direction for {x} and {y}.")
    UNRELATED = ("unrelated", "{method} finds no relation between {x} and {y}, so there is no direction to find.")
    TIE = ("undecided", "The score does not favour either direction between {x} and {y}.")
    FAILED = ("no answer", "{method} gives no answer for {x} and {y}.")

    @classmethod
    def of(cls, decision: Decision) -> "Stance":
        """Combine the direction with the reading of the tests."""
        if decision.failed:
            return cls.FAILED
        if decision.unrelated:
            return cls.UNRELATED
        if decision.stopped:
            return cls.STOPPED
        if decision.leaning is Direction.UNDECIDED:
            return cls.TIE
        if decision.reason:
            return cls.WITHHELD if decision.leaning_names else cls.NO_LEAN
        # A method with a confidence has weighed its tests already: reading them again would count them twice.
        if decision.confidence is not None:
            return cls.FAINT if decision.doubt else cls.WEIGHED
        forward = decision.direction is Direction.FORWARD
        return {
            None: cls.UNTESTED,
            ModelCheck.BOTH_FIT: cls.BOTH,
            ModelCheck.NEITHER_FITS: cls.NEITHER,
            ModelCheck.FORWARD_FITS: cls.CLEAR if forward else cls.CONTRADICTED,
            ModelCheck.BACKWARD_FITS: cls.CONTRADICTED if forward else cls.CLEAR,
        }[decision.reading]


_OWN_REASON = (Stance.WEIGHED, Stance.FAINT, Stance.WITHHELD, Stance.NO_LEAN, Stance.STOPPED, Stance.UNRELATED)
"""Whose own reason is the whole sentence."""


class ReadingCell(NamedTuple):
    """One of the four readings, as a cell of the page's two-by-two table."""

    title: str
    meaning: str
    current: bool


def badge(decision: Decision) -> str:
    """The stance in some words; where no answer is given, with the way the evidence leans."""
    label, _ = Stance.of(decision).value
    return str(label.format(confidence=confidence(decision), leans=brief_lean(decision)))


def brief_lean(decision: Decision) -> str:
    """`rain → river`, in narrow places, where the answer is withheld; else empty."""
    names = decision.leaning_names if decision.reason else None
    return " → ".join(shorten(single_line(name), BRIEF) for name in names) if names else ""


def confidence(decision: Decision) -> str:
    """In per cent; empty where there is none, or neither a direction nor a usable lean to be confident of."""
    return percent(decision.confidence) if decision.confidence is not None and decision.leaning_names else ""


def sentence(decision: Decision) -> str:
    """The answer in one sentence; where evidence was weighed, the reason itself."""
    stance = Stance.of(decision)
    reason = use_rounded_digits(decision.reason or decision.carried_by, decision)
    if stance in _OWN_REASON and reason:
        return reason
    return str(stance.value[1]).format(
        cause=single_line(decision.cause or ""),
        effect=single_line(decision.effect or ""),
        x=single_line(decision.pair.x_name),
        y=single_line(decision.pair.y_name),
        method=decision.method,
    )


def explanation(decision: Decision) -> str:
    """What the tests say, or why there is no answer; empty where the sentence tells all."""
    return "" if Stance.of(decision) in _OWN_REASON else use_rounded_digits(decision.explanation, decision)


def use_rounded_digits(text: str, decision: Decision) -> str:
    """A sentence about the decision with its terms in the digits of the rounded sum and small p-values as powers.

    Sentences give terms towards the direction that the score favours, the sum towards x → y.
    """
    text = _SMALL_P.sub(lambda p: f"{p[1]} {format_power(p[2], -int(p[3]))}", single_line(text)) if text else ""
    rounded, backward = round_score(decision), decision.score < 0
    for kind, term in rounded.terms.items() if rounded else ():
        name, value = KINDS.get(kind, kind), decision.contributions[kind]
        printed = term.translate(_OTHER_SIGN) if backward else term
        text = text.replace(f"{name} ({-value if backward else value:+.2f}", f"{name} ({printed}")
    return text


def score(decision: Decision) -> str:
    """With the digits of its sum, where it is one."""
    rounded = round_score(decision)
    return rounded.score if rounded else format_signed(decision.score)


def readings(decision: Decision) -> tuple[ReadingCell, ...]:
    """The four readings, the one that applies marked; none is where nothing was tested."""
    x, y = brief_names(decision)
    texts = {
        ModelCheck.FORWARD_FITS: (f"Only {x} → {y} fits", "One direction explains the rows with independent noise."),
        ModelCheck.BACKWARD_FITS: (f"Only {y} → {x} fits", "One direction explains the rows with independent noise."),
        ModelCheck.BOTH_FIT: ("Both fit", "Too few rows, or a relation that looks the same both ways."),
        ModelCheck.NEITHER_FITS: ("Neither fits", "A hidden common cause, dependent rows, or too small a model."),
    }
    return tuple(ReadingCell(*words, decision.reading is reading) for reading, words in texts.items())


def p_value(evidence: Evidence) -> str:
    """`0.41`, `2×10⁻⁹`, `< 1×10⁻³⁰⁰`; a dash when the method gives none."""
    return format_p(evidence.p_value, evidence.log_p_value)


def p_equals(evidence: Evidence) -> str:
    """`p = 0.41`, `p = 2×10⁻⁹`, `p < 1×10⁻³⁰⁰`."""
    text = p_value(evidence)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def outcome(evidence: Evidence) -> str:
    """What became of one direction: `fits (p = 0.41)`, `rejected (p = 2×10⁻⁹)`, or its score where nothing tests it."""
    if fits(evidence) is not None:
        return f"{'fits' if fits(evidence) else 'rejected'} ({p_equals(evidence)})"
    return f"score {format_number(evidence.score)}" if math.isfinite(evidence.score) else "no score"


def fits(evidence: Evidence) -> bool | None:
    """Whether the independence test leaves the direction standing; None where there is no test."""
    if evidence.p_value is None or math.isnan(evidence.p_value):
        return None
    return evidence.p_value >= LEVEL


def confidence_or_p(decision: Decision) -> str:
    """The confidence, where there is an answer or a usable lean; of a method without one, the two p-values."""
    if decision.confidence is not None:
        return confidence(decision) or "–"
    return f"{p_value(decision.forward)}, {p_value(decision.backward)}" if rests_on_p(decision) else "–"


def rests_on_p(decision: Decision) -> bool:
    """Whether p-values are all there is to say how sure it is."""
    return decision.confidence is None and decision.reading is not None


def score_of_lean(decision: Decision) -> str:
    """The score; a dash where it means nothing: neither a failure nor unrelated columns have a direction."""
    return format_signed(None if decision.failed or decision.unrelated else decision.score)


def halves(stability: Stability) -> str:
    """What random halves of the rows say, in one line."""
    large = max(abs(stability.low), abs(stability.high)) >= 0.1
    low, high = (
        f"{v:+.1f}".replace("-", "−") if large else format_signed(v, 2) for v in (stability.low, stability.high)
    )
    agreeing = f"{100 * stability.agreement:.0f} % lean the same way"
    return f"On {stability.draws} random halves of the rows: {agreeing}; score from {low} to {high}."


def rows_text(decision: Decision) -> str:
    """`600 rows`, or on how many of them the answer rests."""
    return decision.thinned or f"{format_count(decision.pair.n)} rows"


def group_by_severity(warnings: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Warnings by how much they weigh, the worst first; a plain sentence is a note."""
    texts = list(warnings)
    groups = {each: tuple(text for text in texts if severity(text) == each) for each in SEVERITIES}
    return {each: group for each, group in groups.items() if group}


def severity(warning: str) -> str:
    """How much a warning weighs."""
    weight = str(getattr(warning, "severity", ""))
    return weight if weight in SEVERITIES else "note"


def convergence_notes(decision: Decision) -> list[str]:
    """Of every fit that did not converge, a sentence."""
    x, y = single_line(decision.pair.x_name), single_line(decision.pair.y_name)
    ways = ((decision.forward, f"{x} → {y}"), (decision.backward, f"{y} → {x}"))
    return [
        f"{arrow}: {single_line(evidence.message) if evidence.message else 'the fit did not converge.'}"
        for evidence, arrow in ways
        if evidence.converged is False
    ]


def heading(decision: Decision) -> str:
    """The line above the picture."""
    names = (decision.pair.x_name, decision.pair.y_name, decision.cause, decision.effect)
    x, y, cause, effect = (shorten(single_line(name or ""), 28) for name in names)
    if Stance.of(decision) is Stance.WITHHELD:
        verdict = badge(decision)  # names both columns
    else:
        verdict = f"{cause} → {effect}" if decision.cause is not None else f"{badge(decision)}: {x}, {y}"
    strength = (
        f"confidence {confidence(decision)}{decision.doubt}" if confidence(decision) else f"score {score(decision)}"
    )
    facts = (decision.method, rows_text(decision), "" if decision.reason else strength)
    return f"{verdict}   ({', '.join(filter(None, facts))})"


def caption(decision: Decision, drawings: Sequence[Drawing], most_dots: int) -> str:
    """The lines below the picture."""
    lines = []
    if any(drawing.curve is not None for drawing in drawings):
        lines.append("Line: fitted mean. Band: ± 2 fitted standard deviations.")
    if any(drawing.drift is not None for drawing in drawings):
        lines.append("Lower lines: 10, 50 and 90 % of the residual along the cause, level where noise is independent.")
    return f"{' '.join(lines)}\n{remarks(decision, drawings, most_dots)}".strip()


def remarks(decision: Decision, drawings: Sequence[Drawing], most_dots: int) -> str:
    """What thin lines are, how all rows are drawn, and on how many the curves rest; empty where nothing is special."""
    thin = any(drawing.curve is not None and not drawing.curve.supported.all() for drawing in drawings)
    parts = ("Thin and pale: hardly any rows bear the curve." * thin, density_note(decision, most_dots))
    return " ".join(filter(None, parts))


def density_note(decision: Decision, most_dots: int) -> str:
    """How all rows are shown, and on how many the curves and tests rest; empty when each is a dot and is scored."""
    n, scored = decision.pair.n, decision.rows_judged
    rest = "all rows" if scored == n else f"{format_count(scored or 0)} of {format_count(n)} rows"
    if n <= most_dots:
        return f"The curves and tests rest on {rest}." if decision.sampled else ""
    shades = f"Shades: how many of all {format_count(n)} rows lie in a cell, by the logarithm"
    return f"{shades}." if scored is None else f"{shades}; the curves and tests rest on {rest}."


def alt_text(cause: str, effect: str, result: str, drawing: Drawing) -> str:
    """What a column of panels shows, for readers who do not see it."""
    curve = ", with the fitted mean and a band of two standard deviations" if drawing.curve else ""
    has_residual = drawing.residual is not None
    rest = f"; below, the standardised residual against {cause} and its Q–Q plot" if has_residual else ""
    return f"{cause} → {effect}, {result}: scatter of {effect} against {cause}{curve}{rest}."
