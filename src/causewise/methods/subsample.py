"""A method on a seeded sample of the rows, by name: `resit:rows=2000`.

What takes hours or gigabytes on a long table is decided on a part of it, and every output says so. Rows are drawn
without replacement by a scramble of both columns' ranks and the seed (`numerics.row_sampling`): neither the order of
the rows, nor the units, nor which column comes first has a say in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from causewise.decision import Decision
from causewise.errors import ROWS, InputError, between
from causewise.formatting import format_count
from causewise.numerics.row_sampling import sample_rows
from causewise.pair import MIN_ROWS, Pair
from causewise.protocol import Method, record_failure


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
        value = getattr(self.method, name)
        return (lambda progress: replace(self, method=value(progress))) if name == "with_progress" else value

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision per pair, in order; a sample that is no pair any more has none."""
        samples = [self._draw(pair) for pair in pairs]
        decided = iter(self.method.decide_many([each for each in samples if isinstance(each, Pair)]))
        decisions = (
            next(decided) if isinstance(each, Pair) else record_failure(pair, self.name, each)
            for pair, each in zip(pairs, samples, strict=True)
        )
        return [self._complete(pair, decision) for pair, decision in zip(pairs, decisions, strict=True)]

    def _draw(self, pair: Pair) -> Pair | str:
        """A sample of the rows, or why it is no pair."""
        if pair.n <= self.rows:
            return pair
        kept = sample_rows(pair.x, pair.y, self.rows, self.seed)
        part = replace(pair, x=pair.x[kept], y=pair.y[kept])
        try:
            Pair.of(part.x, part.y, x_name=pair.x_name, y_name=pair.y_name)
        except InputError as refusal:
            return f"Of the {format_count(len(kept))} rows drawn: {refusal}"
        return part

    def _complete(self, pair: Pair, decision: Decision) -> Decision:
        """The decision as one about the whole pair, with the sentence that says it is of a sample."""
        decision, n = replace(decision, settings=self.settings, seed=self.seed), decision.pair.n
        if n == pair.n:
            return decision
        note = (
            f"{self.name} decided by {format_count(n)} of {format_count(pair.n)} rows (rows={self.rows}), drawn "
            f"with seed {self.seed}."
        )
        # A curve that is known at the rows drawn is not known at every row.
        forward, backward = (
            replace(side, location=None, scale=None, residual=None) for side in (decision.forward, decision.backward)
        )
        warnings = (*decision.warnings, note)
        return replace(decision, pair=pair, forward=forward, backward=backward, warnings=warnings, rows_judged=n)
