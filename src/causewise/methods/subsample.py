"""A method on a seeded sample of the rows, by name: `resit:rows=2000`.

What takes hours or gigabytes on a long table is decided on a part of it, and every output says so. Rows are drawn
without replacement by a scramble of both columns' ranks and the seed (`numerics.row_sampling`): neither the order of
the rows, nor the units, nor which column comes first has a say in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from causewise.decision import Decision, Evidence, grouped
from causewise.errors import ROWS, InputError, between
from causewise.numerics.row_sampling import sample_rows
from causewise.pair import MIN_ROWS, Pair
from causewise.protocol import Method, undecided


@dataclass(frozen=True)
class Subsample:
    """Another method, which sees at most `rows` rows of a pair."""

    method: Method
    rows: int
    seed: int = 0

    def __post_init__(self) -> None:
        between(self.name, MIN_ROWS, ROWS[1], rows=self.rows)

    @property
    def name(self) -> str:
        """Of the method itself."""
        return self.method.name

    @property
    def settings(self) -> dict[str, Any]:
        """Those of the method, and the rows."""
        return {**getattr(self.method, "settings", {}), "rows": self.rows}

    def __getattr__(self, name: str) -> Any:
        # What a method may have beside, such as `batch_size`; a copy that is being made has no method yet to ask.
        if name.startswith("__") or name == "method":
            raise AttributeError(name)
        found = getattr(self.method, name)
        return (lambda progress: replace(self, method=found(progress))) if name == "with_progress" else found

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision per pair, in order; a sample that is no pair any more has none."""
        drawn = [self._drawn(pair) for pair in pairs]
        decided = iter(self.method.decide_many([each for each in drawn if isinstance(each, Pair)]))
        found = (
            next(decided) if isinstance(each, Pair) else undecided(pair, self.name, each)
            for pair, each in zip(pairs, drawn, strict=True)
        )
        return [self._told(pair, decision) for pair, decision in zip(pairs, found, strict=True)]

    def _drawn(self, pair: Pair) -> Pair | str:
        if pair.n <= self.rows:
            return pair
        kept = sample_rows(pair.x, pair.y, self.rows, self.seed)
        part = replace(pair, x=pair.x[kept], y=pair.y[kept])
        try:
            Pair.of(part.x, part.y, x_name=pair.x_name, y_name=pair.y_name)
        except InputError as refusal:
            return f"Of the {grouped(len(kept))} rows drawn: {refusal}"
        return part

    def _told(self, pair: Pair, decision: Decision) -> Decision:
        carried: dict[str, Any] = {"settings": self.settings, "seed": self.seed}
        judged = decision.pair.n
        if judged == pair.n:
            return replace(decision, **carried)
        note = (
            f"{self.name} decided by {grouped(judged)} of {grouped(pair.n)} rows (rows={self.rows}), drawn with seed "
            f"{self.seed}."
        )
        return replace(
            decision,
            pair=pair,
            forward=_without_rows(decision.forward),
            backward=_without_rows(decision.backward),
            warnings=(*decision.warnings, note),
            rows_judged=judged,
            **carried,
        )


def _without_rows(side: Evidence) -> Evidence:
    """A curve that is known at the rows drawn is not known at every row."""
    return replace(side, location=None, scale=None, residual=None)
