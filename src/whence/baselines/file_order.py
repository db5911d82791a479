"""For published programs whose score depends on which column comes first: score the pair as its file has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from whence.baselines.scored import Joint
from whence.decision import Decision
from whence.pair import Pair


@dataclass(frozen=True)
class InFileOrder:
    """A method that turns a pair back before it decides, where the benchmark has turned it round (`Pair.turned`).

    The library's own scores need no such thing: exchanging the columns negates them. A published score that does not
    behave so can be repeated only in the order in which it was once computed.
    """

    method: Joint

    @property
    def name(self) -> str:
        """The name under which results are filed."""
        return self.method.name

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the method inside."""
        return self.method.settings

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        """Decide each pair in the order of its file, and report in the order asked for."""
        turned = [getattr(pair, "turned", False) for pair in pairs]
        asked = [pair.swapped() if back else pair for pair, back in zip(pairs, turned, strict=True)]
        decided = zip(self.method.decide_many(asked), pairs, turned, strict=True)
        return [_turn_back(decision, pair) if back else decision for decision, pair, back in decided]


def _turn_back(decision: Decision, pair: Pair) -> Decision:
    return replace(decision, pair=pair, score=-decision.score, forward=decision.backward, backward=decision.forward)
