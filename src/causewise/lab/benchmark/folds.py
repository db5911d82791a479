"""Cross-fitting: a labelled pair that set constants of a method is scored with constants that know nothing of it.

Rows are filed under the method's own name, since every pair has one row; what was fitted is told beside the numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from causewise.catalogue import DEFAULT
from causewise.lab.benchmark.contenders import Contender
from causewise.lab.benchmark.sets import Item
from causewise.methods.combined.constants import CROSS_FITTED, fold_of

REMARK = (
    f"{DEFAULT} on {CROSS_FITTED} is cross-fitted: two of its terms were fitted to Tübingen pairs, and each pair is "
    "scored with constants fitted without its source table"
)


def by_fold(contender: Contender, items: Sequence[Item]) -> Iterator[tuple[Contender, Sequence[Item]]]:
    """The items of a set by the constants with which they are scored; one group where nothing was fitted to them."""
    source = contender.source
    if not isinstance(source, str) or source.split(":")[0] != DEFAULT:
        yield contender, items
        return
    groups: dict[int | None, list[Item]] = {}
    for item in items:
        groups.setdefault(fold_of(item.dataset, item.pair_id), []).append(item)
    for fold, part in groups.items():
        yield contender if fold is None else replace(contender, source=f"{source}:fold={fold}"), part


def is_cross_fitted(method: str, dataset: str) -> bool:
    """Whether a row is one of these."""
    return method.split(":")[0] == DEFAULT and dataset == CROSS_FITTED
