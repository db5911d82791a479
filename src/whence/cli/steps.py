"""Many decisions with a sign of how far they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from whence.decision import Decision
from whence.pair import Pair
from whence.protocol import Method

Tell = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Stepwise:
    """A method that decides pairs one after another and tells how many are done."""

    method: Method
    tell: Tell = _silent

    @property
    def name(self) -> str:
        """Of the method itself."""
        return self.method.name

    def with_progress(self, tell: Tell) -> "Stepwise":
        """The same, telling somebody."""
        return replace(self, tell=tell)

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision per pair, in order."""
        decided: list[Decision] = []
        for pair in pairs:
            self.tell(len(decided), len(pairs))
            decided += self.method.decide_many([pair])
        return decided
