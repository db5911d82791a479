"""In a worker process of a benchmark: methods are built, pairs decided, and whatever happens is an outcome."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from causewise.catalogue import import_object
from causewise.data_checks import check
from causewise.decision import Decision
from causewise.inference import add_warnings
from causewise.lab.benchmark.store import Outcome, Status, no_answer, outcome_of
from causewise.pair import Pair
from causewise.parallel import limit_memory
from causewise.protocol import Method
from causewise.worker import report

Built = dict[tuple[str, int], Method]
"""Methods by what they are named and their seed."""


@contextmanager
def open_methods(memory: int) -> Iterator[Built]:
    """What has been built in this process, which may take so many bytes of address space (0 = no limit)."""
    if memory:
        limit_memory(memory)
    yield {}


def decide_batch(built: Built, batch: Sequence[tuple[Any, int, str, Pair]]) -> list[Outcome]:
    """The outcomes of pairs that come with their method, each as source, seed and resolver, or the method itself."""
    source, seed, resolver, _ = batch[0]
    method, pairs = _build(source, seed, resolver, built), [pair for *_, pair in batch]
    report()  # a method's own time begins here
    return _fail_all(method, pairs) if isinstance(method, str) else decide(method, pairs)


def decide(method: Method, pairs: Sequence[Pair]) -> list[Outcome]:
    """One outcome per pair, whatever the method does short of ending the process."""
    start = time.perf_counter()
    try:
        decisions = method.decide_many(pairs)
        each = (time.perf_counter() - start) / len(pairs)
        decided = zip(_check_decisions(decisions, len(pairs)), pairs, strict=True)
        return [outcome_of(_add_warnings(decision, pair), each) for decision, pair in decided]
    except MemoryError:
        problem = "It ran out of memory."
    except BaseException as raised:  # also SystemExit: a method must not end the run
        problem = _describe(raised)
    return _fail_all(problem, pairs, (time.perf_counter() - start) / len(pairs))


def _add_warnings(decision: Decision, pair: Pair) -> Decision:
    """Some rows withhold the answer of a method that has a confidence, and never its score.

    `infer` shows no number of what a warning stops; here the lean of every pair is counted, answered or not. Nor are
    the rows beside a point mass scored alone: a score here is one of all rows.
    """
    if decision.confidence is None:
        return decision
    told = add_warnings(decision, check(pair))
    return replace(decision, warnings=told.warnings, reason=told.reason)


def _build(source: Any, seed: int, resolver: str, built: Built) -> Method | str:
    """The method, or the sentence that says why it could not be built."""
    if not isinstance(source, str):
        return source  # unpickled; the parent checked it
    try:
        if (source, seed) not in built:
            built[source, seed] = import_object(resolver)(source, seed)
        return built[source, seed]
    except BaseException as raised:
        return f"It could not be built: {_describe(raised)}"


def _check_decisions(decisions: Any, expected: int) -> list[Decision]:
    decided = list(decisions)
    if len(decided) != expected:
        raise ValueError(f"decide_many returned {len(decided)} decisions for {expected} pairs.")
    if wrong := [each for each in decided if not isinstance(each, Decision)]:
        raise TypeError(f"decide_many returned a {type(wrong[0]).__name__} where a causewise.Decision was expected.")
    return decided


def _fail_all(problem: Any, pairs: Sequence[Pair], seconds: float = 0.0) -> list[Outcome]:
    return [no_answer(Status.FAILED, str(problem), seconds) for _ in pairs]


def _describe(raised: BaseException) -> str:
    said = " ".join(str(raised).split())
    return f"{type(raised).__name__}: {said}"[:500] if said else f"{type(raised).__name__}."
