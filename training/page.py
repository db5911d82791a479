"""What was judged as a page: docs/whence-ablation.md and its two figures. Every number on it is computed here."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.candidates import CANDIDATES, METHODS
from training.fourth import LEAST_FALL, SHAPES, Change, Measured, Trial, Worlds, by_family, trials
from training.judge import SINGLE, Judged
from training.sets import RECORDED
from training.tried import PART, SLOW
from whence.benchmark.intervals import wilson
from whence.benchmark.metrics import accuracy, audrc
from whence.combined.constants import TERMS
from whence.combined.method import THRESHOLD
from whence.combined.words import KINDS
from whence.markdown import markdown_table
from whence.pair import FloatArray

TEMPLATE = Path(__file__).with_name("ablation.md")
DRAWS = 400
"""Bootstrap draws over the pairs of every family."""


def write(worlds: Worlds, found: tuple[Judged, Judged, Judged | None], out: Path) -> None:
    """The page and its pictures."""
    from training.pictures import draw_confidence, draw_families

    foreign, doubtful, recorded = found
    trials_of_all = trials(worlds, foreign, recorded, CANDIDATES)
    whole = next(trial for trial in trials_of_all if trial.name == SHAPES)
    pictures = out / "pictures"
    draw_families(foreign, pictures / "whence-families.png")
    draw_confidence(foreign, recorded, pictures / "whence-confidence.png")
    text = TEMPLATE.read_text(encoding="utf-8").format(
        threshold=f"{100 * THRESHOLD:g}",
        families=len(set(foreign.family)),
        pairs=len(foreign.truth),
        single=_single(foreign, recorded),
        parts=_parts(foreign, recorded),
        least=f"{LEAST_FALL:g}",
        none_first=f"{whole.first[0]:.3f}",
        none_foreign=f"{whole.foreign[0].log_loss:.3f}",
        fourth=_fourth(trials_of_all),
        beside=_with_ends(next(trial for trial in trials_of_all if trial.name == "Gaussian likelihood").beside),
        alone=_alone(trials_of_all, foreign),
        slow=_slow(),
        confidence=_confidence(foreign, recorded),
        doubtful=_doubtful(doubtful),
        recorded=_recorded(recorded),
    )
    (out / "whence-ablation.md").write_text(text, encoding="utf-8")


def both(judged: Judged | None, score: FloatArray | None) -> str:
    """Accuracy / AUDRC."""
    if judged is None or score is None:
        return "–"
    return f"{by_family(judged, score, accuracy):.1f} / {by_family(judged, score, audrc):.1f}"


def with_interval(judged: Judged) -> str:
    """Accuracy with its 95 % interval over the pairs of every family."""
    right = judged.score * judged.truth > 0
    groups = [np.flatnonzero(judged.family == name) for name in dict.fromkeys(judged.family)]
    rng = np.random.default_rng(0)
    means = [np.mean([_mean(right, judged.share, rng.choice(g, len(g))) for g in groups]) for _ in range(DRAWS)]
    low, high = np.quantile(means, (0.025, 0.975))
    return f"{by_family(judged, judged.score, accuracy):.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _mean(right: NDArray[np.bool_], share: FloatArray, rows: NDArray[np.intp]) -> float:
    return float(np.average(right[rows], weights=share[rows]))


def _single(foreign: Judged, recorded: Judged | None) -> str:
    rows = [("**whence**", both(foreign, foreign.score), both(recorded, recorded.score if recorded else None))]
    for k, name in enumerate(TERMS):
        rows.append((f"{KINDS[name]} alone", *_column(foreign, recorded, "terms", k)))
    for k, name in enumerate(SINGLE):
        rows.append((f"`{name}`", *_column(foreign, recorded, "others", k)))
    return markdown_table(("accuracy / AUDRC, %", "foreign families", "ten recorded sets"), rows)


def _column(foreign: Judged, recorded: Judged | None, field: str, k: int) -> tuple[str, str]:
    there, recorded_there = (None if j is None else getattr(j, field)[:, k] for j in (foreign, recorded))
    return both(foreign, there), both(recorded, recorded_there)


def _parts(foreign: Judged, recorded: Judged | None) -> str:
    rows = [("all three, weighed by λ", *_without(foreign, recorded, None))]
    rows += [(f"without {KINDS[name]}", *_without(foreign, recorded, k)) for k, name in enumerate(TERMS)]
    plain = (both(foreign, foreign.terms.sum(axis=1)), both(recorded, recorded.terms.sum(axis=1) if recorded else None))
    return markdown_table(("", "foreign families", "ten recorded sets"), [*rows, ("λ = 1 throughout", *plain)])


def _without(foreign: Judged, recorded: Judged | None, k: int | None) -> tuple[str, str]:
    def score(judged: Judged) -> FloatArray:
        left = judged.terms if k is None else np.delete(judged.terms, k, axis=1)
        return np.asarray(judged.weight * left.sum(axis=1))

    return both(foreign, score(foreign)), both(recorded, score(recorded) if recorded else None)


def _fourth(found: Sequence[Trial]) -> str:
    """Each candidate as a fourth term beside none, on the pairs that it read; the largest fall first."""
    heads = ("", "first world", "foreign [95 %]", "rows shuffled", "beside `igci-g`", "foreign", "recorded")
    rows = [_changes(trial) for trial in sorted(found, key=lambda trial: trial.change.mean)]
    return markdown_table((*heads, "kept out by"), rows)


def _changes(trial: Trial) -> tuple[str, ...]:
    return (
        _titled(trial.name),
        _signed(trial.first[1] - trial.first[0], 3),
        _with_ends(trial.change),
        _signed(trial.shuffled[1], 3),
        _signed(trial.beside.mean, 3),
        _gained(*trial.foreign),
        "–" if trial.recorded is None else _gained(*trial.recorded),
        trial.verdict or "**nothing**",
    )


def _titled(name: str) -> str:
    return f"`{name}`" if name in METHODS else name


def _with_ends(change: Change) -> str:
    return f"{_signed(change.mean, 3)} [{_signed(change.low, 3)}, {_signed(change.high, 3)}]"


def _alone(found: Sequence[Trial], foreign: Judged) -> str:
    """What each candidate and each term of the method says by itself, with the relation and without."""
    rows = [(_titled(trial.name), *trial.alone) for trial in found]
    for k, name in enumerate(TERMS):
        sides = (by_family(foreign, column[:, k], accuracy) for column in (foreign.terms, foreign.shuffled_terms))
        rows.append((f"**{KINDS[name]}**", *sides))
    lines = [(title, f"{there:.1f}", f"{gone:.1f}") for title, there, gone in sorted(rows, key=lambda row: -row[2])]
    return markdown_table(("right of the foreign pairs, %", "rows as they are", "rows shuffled"), lines)


def _slow() -> str:
    names = [f"`{name}`" for name in SLOW]
    return (
        f"{', '.join(names[:-1])} and {names[-1]} take half a second a pair. Of the first world they read one pair in "
        f"{PART['first']}, of\nthe second one in {PART['second']}, `cure` one foreign pair in "
        f"{SLOW['cure']['foreign']}; they are compared on what they read."
    )


def _gained(without: Measured, added: Measured) -> str:
    return f"{_signed(added.accuracy - without.accuracy, 1)} / {_signed(added.audrc - without.audrc, 1)}"


def _signed(value: float, digits: int) -> str:
    """With a true minus sign, and no sign at nothing."""
    text = f"{value:+.{digits}f}"
    return text[1:] if not text.strip("+-0.") else text.replace("-", "−")


def _confidence(foreign: Judged, recorded: Judged | None) -> str:
    rows = [_answered("foreign families", foreign)]
    if recorded is not None:
        tue = recorded.family == "Tue"
        rows.append(_answered("Tübingen (recorded tables)", recorded.where(tue)))
        rows.append(_answered("the nine simulated public sets", recorded.where(~tue)))
    return markdown_table(("", "answered, %", "right of these, %", "mean confidence, %"), rows)


def _answered(title: str, judged: Judged) -> tuple[str, ...]:
    given = ~judged.withheld
    right = (judged.told * judged.truth > 0)[given]
    share = float(np.average(right, weights=judged.share[given])) if given.any() else math.nan
    answered = 100 * float(np.average(given, weights=judged.share))
    low, high = wilson(share, int(given.sum())) if given.any() else (math.nan, math.nan)
    sure = 100 * float(np.mean(judged.confidence[given])) if given.any() else math.nan
    return title, f"{answered:.0f}", f"{100 * share:.1f} [{100 * low:.0f}, {100 * high:.0f}]", f"{sure:.1f}"


def _doubtful(doubtful: Judged) -> str:
    names = {
        "dependent": "autocorrelated rows (0.9 to 0.995), a true direction",
        "walks": "two autocorrelated series, unrelated",
        "common_cause": "hidden common cause, noise 0.15 to 0.6",
        "common_cause_strict": "hidden common cause, noise 0.3, 600 rows",
        "independent": "independent columns",
        "linear_gaussian": "straight line, everything Gaussian",
    }
    rows = []
    for name, title in names.items():
        some = doubtful.where(doubtful.family == name)
        answered = ~some.withheld
        right = (some.told * some.truth > 0)[answered]
        told = f"{100 * np.mean(right):.0f}" if name == "dependent" else "–"
        rows.append((title, f"{100 * np.mean(answered):.1f}", told, f"{100 * np.mean(some.unrelated):.1f}"))
    return markdown_table(("", "answered, %", "right of these, %", "told unrelated, %"), rows)


def _recorded(recorded: Judged | None) -> str:
    if recorded is None:
        return "The recorded sets were not at hand when this page was written."
    cells = [recorded.where(recorded.family == name) for name in RECORDED]
    row = [both(cell, cell.score) for cell in cells]
    mean = f"{with_interval(recorded)} / {by_family(recorded, recorded.score, audrc):.1f}"
    return markdown_table(("", *RECORDED, "mean"), [("whence, accuracy / AUDRC", *row, mean)])
