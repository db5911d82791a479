"""Names, numbers and p-values as a reader sees them: one spelling for the terminal, the picture and the page."""

import math
import unicodedata
from collections.abc import Iterable

from causewise.criteria import LEVEL
from causewise.decision import Decision, Evidence, percent
from causewise.formatting import visible
from causewise.stability import Stability

BRIEF = 26
"""Letters of a name where both names share a narrow place, such as the head of a table."""
LEVELS = ("stops", "lowers confidence", "note")
"""How much a warning weighs, the worst first; see `data_checks.Severity`."""

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def shown(name: str) -> str:
    """A column name on one line; characters that would break a page or reverse its text are spelt out."""
    return " ".join(visible(name).split()) or "(unnamed)"


def width_of(text: str) -> int:
    """Columns a text takes; letters of Chinese, Japanese and Korean take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def short(name: str, width: int) -> str:
    """A name cut in the middle to `width` columns, so that both its beginning and its end can be told apart."""
    if width_of(name) <= width:
        return name
    # The end stays, since related columns often differ in a suffix alone, such as _mean or _2019.
    tail = (width - 1) // 3
    return f"{_fitting(name, width - 1 - tail)}…{_fitting(name[::-1], tail)[::-1]}"


def _fitting(text: str, width: int) -> str:
    while width_of(text) > width:
        text = text[: max(width, 0)] if len(text) > width else text[:-1]
    return text


def number(value: float | None, digits: int = 4) -> str:
    """A number with `digits` significant digits, a true minus sign and powers of ten; a dash when there is none."""
    if value is None or not math.isfinite(value):
        return "–"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    if value == 0 or -4 <= int(exponent) < 6:
        text = f"{value:.{digits}g}"
        return grouped_digits(f"{float(text):.0f}" if "e" in text else text)
    return _minus(power(mantissa.rstrip("0").rstrip("."), int(exponent)))


def extreme(value: float) -> str:
    """The smallest or largest of some values as it stands in the table, where that is short: 18 823 is not 18 820."""
    text = repr(float(value)).removesuffix(".0")
    digits = len(text.strip("-").replace(".", "").strip("0"))
    return grouped_digits(text) if "e" not in text and digits <= 10 and abs(value) < 1e12 else number(value, 6)


def grouped_digits(text: str, least: int = 5) -> str:
    """A decimal number with a true minus sign, in groups of three where so many digits stand before the point."""
    whole, point, rest = text.lstrip("-").partition(".")
    whole = f"{int(whole):,}".replace(",", "\u202f") if len(whole) >= least else whole
    return "−" * text.startswith("-") + whole + point + rest


def signed(value: float | None, digits: int = 4) -> str:
    """As `number`, with a plus sign in front of positive values."""
    plus = "+" if value is not None and 0 < value < math.inf else ""
    return plus + number(value, digits)


def halves(found: Stability) -> str:
    """What random halves of the rows say, in one line."""
    large = max(abs(found.low), abs(found.high)) >= 0.1
    low, high = (_minus(f"{v:+.1f}") if large else signed(v, 2) for v in (found.low, found.high))
    agreeing = f"{100 * found.agreement:.0f} % lean the same way"
    return f"On {found.draws} random halves of the rows: {agreeing}; score from {low} to {high}."


def on_rows(decision: Decision) -> str:
    """`600 rows`, or on how many of them the answer rests."""
    return decision.thinned or f"{count(decision.pair.n)} rows"


def by_level(warnings: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Warnings by how much they weigh, the worst first; a plain sentence is a note."""
    listed = list(warnings)
    found = {level: tuple(text for text in listed if level_of(text) == level) for level in LEVELS}
    return {level: texts for level, texts in found.items() if texts}


def level_of(warning: str) -> str:
    """How much a warning weighs."""
    level = str(getattr(warning, "severity", ""))
    return level if level in LEVELS else "note"


def power(mantissa: str, exponent: int) -> str:
    """For instance 2.1×10⁻⁹."""
    return f"{mantissa}×10{str(exponent).translate(_SUPERSCRIPT)}"


def count(n: int) -> str:
    """A count in groups of three."""
    return f"{n:,}".replace(",", "\u202f")


def p_value(evidence: Evidence) -> str:
    """The p-value, from its logarithm where it is too small to be a float; a dash when the method gives none."""
    p, log_p = evidence.p_value, evidence.log_p_value
    if p is None or math.isnan(p):
        return "–"
    if p > 1e-300 or log_p is None or not math.isfinite(log_p):
        return number(p, 2) if p > 1e-300 else f"< {power('1', -300)}"
    # Below 1e-300 the float is zero or has lost its digits; the logarithm has them still.
    exponent = math.floor(log_p / math.log(10))
    return power(f"{math.exp(log_p - exponent * math.log(10)):.1f}", exponent)


def p_equals(evidence: Evidence) -> str:
    """`p = 0.41`, `p = 2×10⁻⁹`, `p < 1×10⁻³⁰⁰`."""
    text = p_value(evidence)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def outcome(evidence: Evidence) -> str:
    """What became of one direction: `fits (p = 0.41)`, `rejected (p = 2×10⁻⁹)`, or its score where nothing tests it."""
    if fits(evidence) is not None:
        return f"{'fits' if fits(evidence) else 'rejected'} ({p_equals(evidence)})"
    return f"score {number(evidence.score)}" if math.isfinite(evidence.score) else "no score"


def fits(evidence: Evidence) -> bool | None:
    """Whether the independence test leaves the direction standing; None where there is no test."""
    if evidence.p_value is None or math.isnan(evidence.p_value):
        return None
    return evidence.p_value >= LEVEL


def how_sure(decision: Decision) -> str:
    """The confidence, where there is an answer or a usable lean; of a method without one, the two p-values."""
    if decision.confidence is not None:
        return percent(decision.confidence) if decision.leaning_names else "–"
    return f"{p_value(decision.forward)}, {p_value(decision.backward)}" if tested(decision) else "–"


def leans_anywhere(decision: Decision) -> bool:
    """Whether its numbers mean anything: neither a failure nor unrelated columns have a direction."""
    return not (decision.failed or decision.unrelated)


def tested(decision: Decision) -> bool:
    """Whether p-values are all there is to say how sure it is."""
    return decision.confidence is None and decision.reading is not None


def _minus(text: str) -> str:
    return text.replace("-", "−")
