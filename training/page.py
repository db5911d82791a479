"""What was scored as a page: docs/causewise-ablation.md and its two figures. Every number on it is computed here."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from causewise.formatting import markdown_table
from causewise.lab.benchmark.metrics import PairScores, accuracy, audrc, wilson
from causewise.methods.combined.method import NEITHER_PRIOR, THRESHOLD
from causewise.methods.combined.terms import TERMS
from causewise.methods.combined.words import KINDS
from causewise.pair import FloatArray
from training.alternatives import ALTERNATIVES, read_alternatives
from training.evaluate import EVALUATED, Evaluation, read_evaluation
from training.relation import Form, forms
from training.sets import SIMULATED, STEPS

TEMPLATE = Path(__file__).with_name("ablation.md")
MOSTLY = 0.5
DRAWS = 400
"""Bootstrap draws over the pairs of every family."""
Sets = dict[str, Evaluation]
WHERE = {
    "tuebingen": "Tübingen",
    "lisbon": "Lisbon",
    "simulated": "nine simulated sets",
    "held-out": "held-out simulators",
}


def write(folder: Path, jobs: int, out: Path) -> None:
    """The page and its pictures."""
    from training.pictures import draw_confidence, draw_families

    sets = {where: read_evaluation(where, folder, jobs) for where in EVALUATED}
    others = {
        where: read_alternatives(where, folder, jobs) for where in (*WHERE, *(s for s in EVALUATED if "round" in s))
    }
    draw_families(sets["held-out"], out / "pictures" / "causewise-families.png")
    draw_confidence(sets, out / "pictures" / "causewise-confidence.png")
    text = TEMPLATE.read_text(encoding="utf-8").format(
        threshold=f"{100 * THRESHOLD:g}",
        neither=f"{NEITHER_PRIOR:g}",
        steps=STEPS,
        families=len(set(sets["held-out"].family)),
        pairs=len(sets["held-out"].truth),
        alone=_alone(sets, others),
        split=_split(sets, others),
        forms=_forms(forms(folder, jobs)),
        parts=_parts(sets),
        rounding=_rounding(sets, others),
        confidence=_confidence(sets),
        doubtful=_doubtful(sets["doubtful"]),
        ten=_ten(sets),
    )
    (out / "causewise-ablation.md").write_text(text, encoding="utf-8")


def by_family(evaluation: Evaluation, score: FloatArray, measure: Callable[[PairScores], float]) -> float:
    """Mean over families, each with the same weight; recorded pairs by their published weights. In per cent."""
    parts = []
    for name in dict.fromkeys(evaluation.family):
        some = evaluation.family == name
        parts.append(measure(PairScores.of(score[some], evaluation.truth[some].astype(int), evaluation.share[some])))
    return 100 * math.fsum(parts) / len(parts)


def both(evaluation: Evaluation, score: FloatArray) -> str:
    """Accuracy / AUDRC; a dash where most pairs have no score."""
    if np.mean(score == 0) > MOSTLY:
        return "–"
    return f"{by_family(evaluation, score, accuracy):.1f} / {by_family(evaluation, score, audrc):.1f}"


def _alone(sets: Sets, others: dict[str, FloatArray]) -> str:
    """The method, its terms and other methods, each alone, by the sign of its score."""
    rows = [("**causewise**", *(both(sets[where], sets[where].score) for where in WHERE))]
    for k, name in enumerate(TERMS):
        rows.append((f"{KINDS[name]} alone", *(both(sets[where], sets[where].terms[:, k]) for where in WHERE)))
    for k, name in enumerate(ALTERNATIVES):
        rows.append((_titled(name), *(both(sets[where], others[where][:, k]) for where in WHERE)))
    return markdown_table(("accuracy / AUDRC, %", *WHERE.values()), rows)


def _titled(name: str) -> str:
    controls = {"line": "control: fills its range more evenly", "kurtosis": "control: lower kurtosis"}
    return (controls | {"distinct": "control: fewer distinct values"}).get(name, f"`{name}`")


def _split(sets: Sets, others: dict[str, FloatArray]) -> str:
    """Right where the cause is the coarser column, where the effect is, and where neither column repeats."""
    rows = [("**causewise**", *_split_row(sets, lambda where: sets[where].score))]
    for k, name in enumerate(TERMS):
        rows.append((KINDS[name], *_split_row(sets, lambda where, k=k: sets[where].terms[:, k])))
    for k, name in enumerate(ALTERNATIVES):
        rows.append((_titled(name), *_split_row(sets, lambda where, k=k: others[where][:, k])))
    heads = [f"{WHERE[where]}: {kind}" for where in ("tuebingen", "lisbon") for kind in _groups(sets[where])]
    counts = [
        f"{np.count_nonzero(some)} pairs" for where in ("tuebingen", "lisbon") for some in _groups(sets[where]).values()
    ]
    return markdown_table(("right, %", *heads), [("", *counts), *rows])


def _groups(evaluation: Evaluation) -> dict[str, NDArray[np.bool_]]:
    side = evaluation.coarser * evaluation.truth
    return {"cause coarser": side > 0, "effect coarser": side < 0, "neither": evaluation.coarser == 0}


def _split_row(sets: Sets, score: Callable[[str], FloatArray]) -> list[str]:
    cells = []
    for where in ("tuebingen", "lisbon"):
        right = score(where) * sets[where].truth > 0
        cells += [f"{_mean(right, sets[where].share, some):.0f}" for some in _groups(sets[where]).values()]
    return cells


def _mean(right: NDArray[np.bool_], share: FloatArray, some: NDArray[np.bool_]) -> float:
    return 100 * float(np.average(right[some], weights=share[some])) if some.any() else math.nan


def _forms(found: Sequence[Form]) -> str:
    rows = [
        (_form(form.name), *(f"{m.log_loss:.3f}, {m.accuracy:.0f} / {m.audrc:.0f}" for m in form[1:])) for form in found
    ]
    heads = ("log-loss, accuracy / AUDRC", "Tübingen, cross-fitted", "Lisbon", "held-out simulators")
    return markdown_table(heads, rows)


def _form(name: str) -> str:
    return f"`{name}` in place of the cubic" if name in ALTERNATIVES else name


def _parts(sets: Sets) -> str:
    rows = [("all four, weighed by λ", *(both(sets[where], sets[where].score) for where in WHERE))]
    for k, name in enumerate(TERMS):
        rows.append((f"without {KINDS[name]}", *(both(sets[where], _without(sets[where], k)) for where in WHERE)))
    plain = [both(sets[where], sets[where].terms.sum(axis=1)) for where in WHERE]
    return markdown_table(("accuracy / AUDRC, %", *WHERE.values()), [*rows, ("λ = 1 throughout", *plain)])


def _without(evaluation: Evaluation, k: int) -> FloatArray:
    return np.asarray(evaluation.weight * np.delete(evaluation.terms, k, axis=1).sum(axis=1))


def _rounding(sets: Sets, others: dict[str, FloatArray]) -> str:
    """Generated pairs before and after a column is rounded."""
    before, rows = sets["rounded none"], []
    for which in ("none", "cause", "effect", "both"):
        after = sets[f"rounded {which}"]
        slope = others[f"rounded {which}"][:, list(ALTERNATIVES).index("slope")]
        cells = [f"{100 * np.mean(after.score * after.truth > 0):.0f}", f"{100 * np.mean(slope * after.truth > 0):.0f}"]
        for direct in (False, True):
            cells += _changed(before, after, direct)
        rows.append((which, *cells))
    heads = ("rounded", "right, %", "`slope` right, %")
    changes = [
        f"{mode}: {what}" for mode in ("default", "direct") for what in ("answered, right %", "turned", "new wrong, %")
    ]
    return markdown_table((*heads, *changes), rows)


def _changed(before: Evaluation, after: Evaluation, direct: bool) -> list[str]:
    given, now = before.answered(direct), after.answered(direct)
    right, was_right = after.told * after.truth > 0, before.told * before.truth > 0
    turned = int(np.count_nonzero(given & now & (right != was_right)))
    wrong = 100 * float(np.mean(now & ~right & ~(given & ~was_right)))
    return [f"{100 * np.mean(now):.0f}, {100 * np.mean(right[now]):.1f}", str(turned), f"{wrong:.1f}"]


def _confidence(sets: Sets) -> str:
    rows = []
    for where in ("tuebingen", "lisbon", "held-out", "simulated"):
        for direct in (False, True):
            title = f"{WHERE[where]}, {'direct' if direct else 'default'}"
            rows.append(_answered(title, sets[where], direct))
    rows.append(
        _answered(f"held-out simulators, {NEITHER_PRIOR:.0%} hidden common causes, default", _mixed(sets), False)
    )
    return markdown_table(("", "answered, %", "right of these, %", "mean confidence, %"), rows)


def _mixed(sets: Sets) -> Evaluation:
    """Held-out simulators, and pairs with a hidden common cause as often as the prior says: these are never right."""
    oriented, doubtful = sets["held-out"], sets["doubtful"]
    common = doubtful.where(np.char.startswith(doubtful.family, "common_cause"))
    parts = (
        oriented._replace(share=np.full(len(oriented.truth), (1 - NEITHER_PRIOR) / len(oriented.truth))),
        common._replace(share=np.full(len(common.truth), NEITHER_PRIOR / len(common.truth)), truth=0 * common.truth),
    )
    return Evaluation(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _answered(title: str, evaluation: Evaluation, direct: bool) -> tuple[str, ...]:
    given = evaluation.answered(direct)
    if not given.any():
        return title, "0", "–", "–"
    share = _mean(evaluation.told * evaluation.truth > 0, evaluation.share, given) / 100
    low, high = wilson(share, int(given.sum()))
    sure = 100 * float(np.average(evaluation.confidence(direct)[given], weights=evaluation.share[given]))
    answered = 100 * float(np.average(given, weights=evaluation.share))
    return title, f"{answered:.0f}", f"{100 * share:.1f} [{100 * low:.0f}, {100 * high:.0f}]", f"{sure:.1f}"


def _doubtful(doubtful: Evaluation) -> str:
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
        given = [some.answered(direct) for direct in (False, True)]
        right = [_mean(some.told * some.truth > 0, some.share, each) for each in given]
        told = f"{right[0]:.0f}, {right[1]:.0f}" if name == "dependent" else "–"
        shares = [f"{100 * np.mean(each):.1f}" for each in given]
        rows.append((title, *shares, told, f"{100 * np.mean(some.unrelated):.1f}"))
    return markdown_table(("", "answered, %", "direct, %", "right of these, %", "told unrelated, %"), rows)


def _ten(sets: Sets) -> str:
    """The ten public sets, the recorded one cross-fitted."""
    cells = [(sets["simulated"].where(sets["simulated"].family == name)) for name in SIMULATED] + [sets["tuebingen"]]
    mean = [np.mean([by_family(cell, cell.score, measure) for cell in cells]) for measure in (accuracy, audrc)]
    low, high = _interval(cells)
    row = [both(cell, cell.score) for cell in cells]
    whole = f"{mean[0]:.1f} [{low:.1f}, {high:.1f}] / {mean[1]:.1f}"
    return markdown_table(("", *SIMULATED, "Tue", "mean"), [("causewise, accuracy / AUDRC", *row, whole)])


def _interval(cells: Sequence[Evaluation]) -> tuple[float, float]:
    """95 % of the mean accuracy, pairs of every set drawn anew."""
    rng = np.random.default_rng(0)
    means = [np.mean([_redrawn(cell, rng) for cell in cells]) for _ in range(DRAWS)]
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def _redrawn(cell: Evaluation, rng: np.random.Generator) -> float:
    rows = rng.integers(0, len(cell.truth), len(cell.truth))
    return 100 * float(np.average((cell.score * cell.truth > 0)[rows], weights=cell.share[rows]))
