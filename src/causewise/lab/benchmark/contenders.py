"""What is benchmarked: methods with their settings, each under one seed; from words on the command line or as objects.

A method named in words is built again in every worker process, by a *resolver*: a function `(spec, seed) -> Method`,
itself named by its import path, so that it can be handed over as text. The default one is the catalogue's.

Cross-fitting: a labelled pair that set constants of a method is scored with constants that know nothing of it. Rows are
filed under the method's own name, since every pair has one row; what was fitted is said beside the numbers.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import causewise.catalogue as catalogue
from causewise.errors import SEEDS, InputError, between
from causewise.lab.benchmark.sets import Item
from causewise.methods.combined.constants import CROSS_FITTED, fold_of
from causewise.protocol import Method, batch_size
from causewise.version import VERSION

RESOLVER = f"{catalogue.__name__}:{catalogue.resolve_method.__name__}"
CROSS_FITTING_REMARK = (
    f"{catalogue.DEFAULT} on {CROSS_FITTED} is cross-fitted: two of its terms were fitted to Tübingen pairs, and each "
    "pair is scored with constants fitted without its source table"
)


@dataclass(frozen=True)
class Contender:
    """A method as it enters the benchmark."""

    source: str | Method
    """What the resolver understands, or the method itself (it must pickle)."""
    method: str
    """The name its rows are filed under: the spec with its settings in alphabetical order."""
    seed: int
    settings: str
    settings_hash: str
    version: str
    batch_size: int = 1


def contender(source: str | Method, seed: int = 0, resolver: str = RESOLVER) -> Contender:
    """Build the method once, to learn its name, settings and batch size, and to refuse a wrong spec early."""
    between("", *SEEDS, seed=seed)
    method = catalogue.import_object(resolver)(source, seed) if isinstance(source, str) else source
    if not callable(getattr(method, "decide_many", None)) or not isinstance(getattr(method, "name", None), str):
        raise InputError(
            f"Got {source!r}, which is no method; expected an object with `name` and `decide_many(pairs)`."
        )
    name = label(source, method)
    own = getattr(method, "settings", None)
    # Without the seed, which stands in a column of its own: several seeds of one method share a hash.
    settings = {key: value for key, value in dict(own).items() if key != "seed"} if isinstance(own, Mapping) else {}
    text = json.dumps({"method": name, "settings": settings}, sort_keys=True, default=str)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    version = "+".join(filter(None, (VERSION, str(getattr(method, "version", "")))))
    return Contender(source, name, seed, text, digest, version, batch_size(method))


def contenders(methods: Sequence[str | Method], seeds: Sequence[int], resolver: str = RESOLVER) -> list[Contender]:
    """Every method under every seed."""
    return [contender(source, seed, resolver) for source in methods for seed in seeds]


def available_methods(names: Iterable[str], resolver: str = RESOLVER) -> tuple[list[str], list[str]]:
    """Those that can be built, in their published form if they have one, and why the others cannot."""
    specs, missing = [], []
    for name in names:
        # The published form is the one whose score can be compared with the paper's; not every method has it.
        for spec in (f"{name}:published=true", name):
            try:
                contender(spec, 0, resolver)
            except (InputError, ImportError, AttributeError) as problem:
                reason = str(problem)
                continue
            specs.append(spec)
            break
        else:
            missing.append(f"{name} is left out: {reason}")
    return specs, missing


def label(source: str | Method, method: Method) -> str:
    """The name rows are filed under."""
    if not isinstance(source, str):
        return method.name
    head, *parts = source.split(":")
    settings = sorted(part for part in parts if "=" in part)
    imported = len(settings) < len(parts)
    return ":".join([method.name if imported else head, *settings])


def by_fold(contender: Contender, items: Sequence[Item]) -> Iterator[tuple[Contender, Sequence[Item]]]:
    """The items of a set by the constants with which they are scored; one group where nothing was fitted to them."""
    source = contender.source
    if not isinstance(source, str) or source.split(":")[0] != catalogue.DEFAULT:
        yield contender, items
        return
    groups: dict[int | None, list[Item]] = {}
    for item in items:
        groups.setdefault(fold_of(item.dataset, item.pair_id), []).append(item)
    for fold, part in groups.items():
        yield contender if fold is None else replace(contender, source=f"{source}:fold={fold}"), part


def is_cross_fitted(method: str, dataset: str) -> bool:
    """Whether the rows of a method on a set are cross-fitted."""
    return method.split(":")[0] == catalogue.DEFAULT and dataset == CROSS_FITTED
