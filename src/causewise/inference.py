"""`infer`: which of two columns causes the other? A table in, a decision with its warnings out.

Beside it stability, by half-sampling: how far an answer depends on which rows happened to be there; and several methods
on one pair: what each says, and what more than half of them say.
"""

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causewise.catalogue import (
    DEFAULT,
    FOR_LEVELS,
    accepts,
    has_method,
    resolve_method,
    seeded_method,
    stated_settings,
    takes_seed,
)
from causewise.catalogue import method as build_method
from causewise.column_types import drop_point_masses, find_times
from causewise.data_checks import (
    ABOUT_LEVELS,
    DataWarning,
    Severity,
    check,
    describe_point_masses,
    describe_split,
    missing_rows,
    point_mass,
    row_identifiers,
)
from causewise.decision import Decision, Direction
from causewise.errors import SEEDS, InputError, between
from causewise.formatting import shorten
from causewise.numerics.columns import cache_columns
from causewise.pair import NanPolicy, Pair
from causewise.parallel import one_thread
from causewise.protocol import Method
from causewise.tables import pair_from
from causewise.tables.source import split_reading_options

BLOCK = 50
"""Rows of a block where rows resemble their neighbours: halves of single rows would look like independent ones."""
MOST_DRAWS = 1000


def infer(
    data: Any,
    x: Any = None,
    y: Any = None,
    *,
    method: str | Method = DEFAULT,
    nan_policy: NanPolicy = "raise",
    threshold: float | None = None,
    seed: int = 0,
    **settings: Any,
) -> Decision:
    """Which of two columns causes the other?

    Parameters
    ----------
    data
        A table: pandas, polars, Arrow, or a dict of columns. Or the first column itself: a list, array or series.
    x, y
        With a table, the names of two of its columns; without them it must have exactly two columns of numbers. With a
        first column, `x` is the second.
    method
        A name from `causewise.list_methods()`, with settings if need be (`"loci-h:n_knots=15"`), or an object with a
        `name` and `decide_many(pairs)`.
    nan_policy
        "raise" refuses missing values; "omit" leaves such rows out and counts them.
    threshold
        From which confidence on an answer is given (0.8 unless told otherwise), for methods that have a confidence.
    seed
        Used by methods that draw random numbers; the same seed gives the same bytes.
    **settings
        Further settings of the method by name, as `causewise methods NAME` lists them. Of the default: `neither=0.3`,
        the prior probability that two related columns have no direction; `direct=True`, which makes it 0; and
        `recording=False`, which leaves out how coarsely the columns are recorded. And how to read a text file:
        `decimal`, `header`, `sep`, `sheet`, `max_bytes`, `max_lines`.

    Returns
    -------
    Decision
        Direction, score, both directions' evidence, warnings, and everything needed to repeat it.

    Raises
    ------
    InputError
        If the columns are no pair (missing, constant, of unequal length …) or a setting is out of range.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.uniform(-2, 2, 500)
    >>> response = np.sin(2 * dose) + (0.1 + 0.2 * np.abs(dose)) * rng.normal(size=500)
    >>> causewise.infer({"dose": dose, "response": response}, "dose", "response").verdict
    'dose → response'
    >>> causewise.infer(dose, response, method="loci-h").direction
    <Direction.FORWARD: 'x->y'>
    """
    reading, settings = split_reading_options(settings)
    pair = data if isinstance(data, Pair) else pair_from(data, x, y, nan_policy=nan_policy, **reading)
    method = prepare_method(method, seed, settings | threshold_setting(method, threshold))
    (decision,) = decide_pairs([pair], method, seed)
    return decision


def decide_pairs(pairs: Sequence[Pair], method: Method, seed: int) -> list[Decision]:
    """What a method says of pairs, which one that is batched sees all at once, with the data checks' warnings."""
    with one_thread(), cache_columns([column for pair in pairs for column in (pair.x, pair.y)]):
        warnings = [check(pair) for pair in pairs]  # before the decisions hold their curves at every row
        found = zip(_decide_with_seed(method, pairs, seed), warnings, strict=True)
        scored = [_score_beside_point_mass(*each, method, seed) for each in found]
        return [_time_first(decision, find_times(pair)) for decision, pair in zip(scored, pairs, strict=True)]


def _decide_with_seed(method: Method, pairs: Sequence[Pair], seed: int) -> list[Decision]:
    found: Any = method.decide_many(pairs)  # of a method of somebody's own it may be anything
    listed = isinstance(found, list | tuple)
    if not listed or len(found) != len(pairs) or not all(isinstance(each, Decision) for each in found):
        got = ", ".join(type(each).__name__ for each in found) if listed else repr(found)
        raise InputError(
            f"Got {shorten(got or 'nothing', 60)} from decide_many of the method {method.name!r} for {len(pairs)} "
            f"pair{'s' * (len(pairs) != 1)}; expected a list of one Decision a pair: causewise.protocol.Directional "
            "makes them of a score."
        )
    return [
        replace(
            each,
            seed=seed if each.seed is None else each.seed,
            built=None if has_method(each.method) else method,
        )
        for each in found
    ]


def _score_beside_point_mass(
    decision: Decision, warnings: Sequence[DataWarning], method: Method, seed: int
) -> Decision:
    """The decision with its warnings; where a point mass alone stops it, that of the rows beside it.

    Where these are unrelated or stopped themselves, the answer stays withheld, and the reason says what was found.
    """
    pair = decision.pair
    answered = decision.confidence is not None and not decision.failed and not decision.unrelated
    by_point_mass_alone = [each.kind for each in warnings if each.severity is Severity.STOPS] == [point_mass.__name__]
    rest = drop_point_masses(pair) if answered and by_point_mass_alone else None
    if rest is None:
        return add_warnings(decision, warnings)
    # Rows left out for a missing value are a share of all rows, and what numbers rows does so without gaps of ours.
    of_all = (missing_rows.__name__, row_identifiers.__name__)
    about_all = [each for each in warnings if each.kind in of_all]
    about_rest = [each for each in check(rest) if each.kind not in of_all]
    of_rest = add_warnings(_decide_with_seed(method, [rest], seed)[0], (*about_rest, *about_all))
    found, others = describe_point_masses(pair), f"the other {rest.n} of {pair.n} rows"
    minority = 2 * rest.n < pair.n
    if of_rest.failed or of_rest.unrelated or of_rest.stopped or minority:
        silent = of_rest.reason.removeprefix("Undecided: ") if of_rest.failed or of_rest.stopped else ""
        why = (
            f"{found}; among {others} no relation is visible, so the direction rests on {describe_split(pair)}, which "
            "this method cannot score."
            if of_rest.unrelated
            else f"{found}; {others} are fewer than half, and do not speak for all."
            if minority and not silent
            else f"{found}; of {others}: {silent}"
        )
        stopping = (
            DataWarning(why, Severity.STOPS, point_mass.__name__) if each.kind == point_mass.__name__ else each
            for each in warnings
        )
        return add_warnings(decision, tuple(stopping))
    beside = DataWarning(f"{found}: only {others} are scored.", Severity.LOWERS, point_mass.__name__)
    return replace(of_rest, warnings=(beside, *of_rest.warnings), given_kinds=decision.kinds, given_rows=pair.n)


def _time_first(decision: Decision, times: Sequence[str]) -> Decision:
    """The decision; withheld, of any method, where the evidence makes an effect of a column that is time."""
    pair = decision.pair
    ends = {Direction.FORWARD: (pair.x_name, pair.y_name), Direction.BACKWARD: (pair.y_name, pair.x_name)}
    cause, effect = ends.get(decision.leaning, ("", ""))
    if not effect or effect not in times:
        return decision
    warning = DataWarning(
        f"{effect!r} is time, which nothing causes, and the evidence does not speak for {effect} → {cause} either: "
        "look for a trend that other columns share.",
        Severity.STOPS,
        _time_first.__name__.strip("_"),
    )
    warned = add_warnings(decision, (warning,))
    return warned if warned.stopped else replace(warned, reason=f"Undecided: {warning}")


def add_warnings(decision: Decision, warnings: Sequence[DataWarning]) -> Decision:
    """The decision with the data checks' warnings; one that stops takes away an answer that has a confidence.

    Such rows show no direction or a wrong one, so that no lean, no confidence and no score is left of it. Methods
    without a confidence keep their published answer, beside the warning.
    """
    if decision.method in FOR_LEVELS:
        warnings = [warning for warning in warnings if warning.kind not in ABOUT_LEVELS]
    stops = [warning for warning in warnings if warning.severity is Severity.STOPS]
    withhold = stops and decision.confidence is not None and not decision.unrelated and not decision.failed
    warned = replace(decision, warnings=(*warnings, *decision.warnings))
    return _withhold(warned, f"Undecided: {stops[0]}") if withhold else warned


def _withhold(decision: Decision, why: str) -> Decision:
    forward, backward = (replace(side, score=math.nan, costs={}) for side in (decision.forward, decision.backward))
    return replace(
        decision,
        score=math.nan,
        forward=forward,
        backward=backward,
        confidence=None,
        probabilities={},
        contributions={},
        weight=None,
        weight_parts={},
        rows_judged=None,
        carried_by="",
        reason=why,
    )


def threshold_setting(method: str | Method, threshold: float | None) -> dict[str, float]:
    """The setting that a threshold is, refused for methods without a confidence."""
    stated = {} if threshold is None else {"threshold": threshold}
    if not isinstance(method, str):
        return stated
    return stated_settings([method], stated, {"threshold": f"threshold={threshold!r}"})[method]


def prepare_method(method: str | Method, seed: int, settings: Mapping[str, Any]) -> Method:
    """A method by its name, with its settings; or one that is built already, which takes none."""
    if isinstance(method, str):
        return seeded_method(method, seed, **settings)
    if not isinstance(method, Method):
        raise InputError(
            f"Got {method!r} for the method; expected a name from `causewise methods`, or an object with a name and "
            "decide_many(pairs)."
        )
    if settings:
        raise InputError(
            f"Got the setting{'s' * (len(settings) > 1)} {', '.join(map(repr, settings))} beside a method that is "
            "built already; expected settings with a method's name only: give them where the method is built."
        )
    return method


class Stability(NamedTuple):
    """What halves of the rows say.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-2, 2, 300)
    >>> halves = causewise.infer(x, np.sin(2 * x) + 0.1 * rng.normal(size=300)).stability(draws=5)
    >>> halves.agreement, halves.draws
    (1.0, 5)
    """

    agreement: float
    """Share of the halves that lean the way all rows do."""
    low: float
    high: float
    """Smallest and largest score of a half."""
    draws: int
    seed: int = 0
    scores: tuple[float, ...] = ()
    """Of every half, in the order they were drawn."""

    def to_dict(self) -> dict[str, Any]:
        """What they come to, without every score."""
        return {name: value for name, value in self._asdict().items() if name != "scores"}


def half_samples(decision: Decision, draws: int = 20, seed: int = 0, built: Method | None = None) -> Stability:
    """The decision's own method on `draws` halves of its rows."""
    between("", 1, MOST_DRAWS, draws=draws)
    between("", *SEEDS, seed=seed)
    if decision.failed or decision.stopped:
        raise InputError(f"{decision.method} gave no answer on this pair, so there is nothing to repeat on its halves.")
    halves = [half for rows in _draw_halves(decision, draws, seed) if (half := _take_rows(decision.pair, rows))]
    with one_thread():
        decisions = (built or decision.built or _rebuild_method(decision)).decide_many(halves)
    scores = [each.score for each in decisions if not each.failed and math.isfinite(each.score)]
    if not scores:
        raise InputError(
            f"{decision.method} has no answer on any half of these {decision.pair.n} rows: they are too few."
        )
    agreement = sum(Direction.of(score) is Direction.of(decision.score) for score in scores) / len(scores)
    return Stability(agreement, min(scores), max(scores), len(scores), seed, tuple(scores))


def _rebuild_method(decision: Decision) -> Method:
    if decision.asked:
        return resolve_method(decision.asked, decision.seed or 0)
    if not has_method(decision.method):
        raise InputError(
            f"Got a decision of the method {decision.method!r}, of which nothing but its name is left; expected one "
            "that causewise has, or a decision that was not pickled: ask infer for it again, with the method itself."
        )
    settings: dict[str, Any] = {k: v for k, v in decision.settings.items() if accepts(decision.method, k)}
    if decision.seed is not None and takes_seed(decision.method, settings):
        settings["seed"] = decision.seed
    return build_method(decision.method, **settings)


def _draw_halves(decision: Decision, draws: int, seed: int) -> list[NDArray[np.intp]]:
    """Half of the blocks, drawn anew for every half; without dependence among rows a block is one row."""
    n = decision.pair.n
    dependent = any(getattr(warning, "kind", "") == "dependent_rows" for warning in decision.warnings)
    length = BLOCK if dependent and n >= 4 * BLOCK else 1
    blocks = np.array_split(np.arange(n), n // length)
    rng = np.random.default_rng(seed)
    return [
        np.concatenate([blocks[b] for b in np.sort(rng.choice(len(blocks), (len(blocks) + 1) // 2, replace=False))])
        for _ in range(draws)
    ]


def _take_rows(pair: Pair, rows: NDArray[np.intp]) -> Pair | None:
    try:
        return Pair.of(pair.x[rows], pair.y[rows], x_name=pair.x_name, y_name=pair.y_name)
    except InputError:  # a half can be constant or too short where the whole is not
        return None


class Answer(NamedTuple):
    """What one method says of the pair."""

    asked: str
    """The method with its settings, as it was asked for."""
    decision: Decision
    seconds: float
    """NaN where nobody took the time."""


@dataclass(frozen=True)
class Consensus:
    """What more than half of the methods say. A count, no probability: methods that share assumptions err together."""

    direction: str
    cause: str | None
    effect: str | None
    status: str
    """Of the methods that agree; undecided where no answer has more than half of them."""
    agree: tuple[str, ...]
    """The methods that say so."""
    of: int
    """All methods."""
    sentence: str


def ask(pair: Pair, method: str | Method) -> Answer:
    """One more method's answer, and how long it took."""
    start = time.perf_counter()
    decision = infer(pair, method=method)
    return Answer(method if isinstance(method, str) else method.name, decision, time.perf_counter() - start)


def consensus(answers: Sequence[Answer]) -> Consensus:
    """The answer that more than half of the methods give, and what the others say."""
    of = len(answers)
    top, most = Counter(map(_outcome, answers)).most_common(1)[0]
    if 2 * most <= of:
        undecided = Direction.UNDECIDED.value
        return Consensus(undecided, None, None, undecided, (), of, f"No consensus: {_list_answers(answers)}.")
    agree = [answer for answer in answers if _outcome(answer) == top]
    others = [answer for answer in answers if _outcome(answer) != top]
    one, names = agree[0].decision, tuple(answer.asked for answer in agree)
    sentence = f"{most} of {of} methods: {in_words(one)}{'; ' if others else ''}{_list_answers(others)}."
    return Consensus(one.direction.value, one.cause, one.effect, one.status, names, of, sentence)


def in_words(decision: Decision) -> str:
    """`rain → river`, `undecided`, `unrelated` or `no answer`."""
    if decision.cause is not None:
        return decision.verdict
    return "no answer" if decision.failed else decision.status


def _outcome(answer: Answer) -> tuple[str, str]:
    return answer.decision.status, answer.decision.direction.value


def _list_answers(answers: Sequence[Answer]) -> str:
    return "; ".join(f"{answer.asked}: {in_words(answer.decision)}" for answer in answers)
