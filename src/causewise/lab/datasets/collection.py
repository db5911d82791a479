"""A labelled pair and a collection of them, read or drawn only when a pair is asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from causewise.errors import InputError
from causewise.pair import Pair

PairId = int | str


@dataclass(frozen=True, eq=False)
class LabelledPair:
    """Two columns in the order of the file, and which of them is the cause.

    Examples
    --------
    >>> import causewise
    >>> from causewise.lab.datasets import LabelledPair
    >>> pair = causewise.Pair.of(range(12), [k**2 for k in range(12)])
    >>> LabelledPair("squares", 1, pair, truth=+1).weight
    1.0
    """

    dataset: str
    pair_id: PairId
    """The id in the published files."""
    pair: Pair = field(repr=False)
    truth: int
    """+1 when the first column of the file causes the second, −1 when it is the other way round."""
    weight: float = 1.0


@dataclass(frozen=True)
class Label:
    """What is known of a pair before its numbers are read, and how to read them."""

    pair_id: PairId
    truth: int
    weight: float
    read: Callable[[], Pair] = field(repr=False, compare=False)


class LazyPairs(Sequence[LabelledPair]):
    """A sequence that reads a pair on first access and keeps it; it can be sent to another process."""

    def __init__(self, dataset: str, labels: Sequence[Label]) -> None:
        self.dataset = dataset
        self.labels = tuple(labels)
        self._kept: dict[int, LabelledPair] = {}

    def __len__(self) -> int:
        return len(self.labels)

    @overload
    def __getitem__(self, index: int) -> LabelledPair: ...
    @overload
    def __getitem__(self, index: slice) -> "LazyPairs": ...
    def __getitem__(self, index: int | slice) -> "LabelledPair | LazyPairs":
        if isinstance(index, slice):
            return LazyPairs(self.dataset, self.labels[index])
        place = range(len(self))[index]  # a negative index counts from the end, one too far is an IndexError
        if place not in self._kept:
            label = self.labels[place]
            try:
                pair = label.read()
            except InputError as problem:
                # A reader knows the file at most; the sentence must also say which pair of which set.
                raise InputError(f"Pair {label.pair_id} of {self.dataset} cannot be used: {problem}") from None
            self._kept[place] = LabelledPair(self.dataset, label.pair_id, pair, label.truth, label.weight)
        return self._kept[place]

    def __getstate__(self) -> dict[str, Any]:
        # The numbers stay behind: the other process reads or draws the pairs it needs, from labels of a few bytes.
        return {"dataset": self.dataset, "labels": self.labels, "_kept": {}}

    def __repr__(self) -> str:
        return f"<{len(self)} labelled pairs of {self.dataset}>"


@dataclass(frozen=True)
class Exclusion:
    """A published pair that is left out, and why.

    Examples
    --------
    >>> from causewise.lab.datasets import Exclusion
    >>> Exclusion(52, "more than two columns").reason
    'more than two columns'
    """

    pair_id: PairId
    reason: str


@dataclass(frozen=True, eq=False)
class Collection:
    """A named set of labelled pairs with what one needs to cite it.

    Examples
    --------
    >>> from causewise.lab.datasets import generate
    >>> drawn = generate("LS", pairs=3, n=100)
    >>> len(drawn), drawn.pairs[0].pair.n
    (3, 100)
    """

    name: str
    pairs: Sequence[LabelledPair]
    title: str = ""
    citation: str = ""
    exclusions: tuple[Exclusion, ...] = ()

    def __len__(self) -> int:
        return len(self.pairs)
