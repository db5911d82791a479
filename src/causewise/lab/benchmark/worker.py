"""The child process: builds methods, decides pairs, hands back outcomes. Started as `python -m` by the pool.

Messages are pickles on what were standard input and output; both are moved out of reach first, so that a method which
prints or reads cannot garble them.
"""

import os
import pickle
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from causewise.data_checks import check
from causewise.decision import Decision
from causewise.inference import add_warnings
from causewise.lab.benchmark.contenders import load
from causewise.lab.benchmark.store import Outcome, Status, no_answer, outcome_of
from causewise.pair import Pair
from causewise.parallel import follow_parent
from causewise.protocol import Method


def main() -> None:
    """Serve until standard input ends."""
    follow_parent()
    # Standard input and output become nothing and standard error; the pipes live on under other numbers.
    inbox, outbox = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    limit_memory(int(sys.argv[1]))
    built: dict[tuple[str, int], Method] = {}

    def send(message: Any) -> None:
        pickle.dump(message, outbox, protocol=pickle.HIGHEST_PROTOCOL)
        outbox.flush()

    send("hello")
    while True:
        try:
            source, seed, resolver, batches = pickle.load(inbox)
        except EOFError:
            return
        method = _method(source, seed, resolver, built)
        send("ready")
        for pairs in batches:
            send(_failed(method, pairs) if isinstance(method, str) else decide(method, pairs))


def decide(method: Method, pairs: Sequence[Pair]) -> list[Outcome]:
    """One outcome per pair, whatever the method does short of ending the process."""
    start = time.perf_counter()
    try:
        decisions = method.decide_many(pairs)
        each = (time.perf_counter() - start) / len(pairs)
        judged = zip(_checked(decisions, len(pairs)), pairs, strict=True)
        return [outcome_of(_as_told(decision, pair), each) for decision, pair in judged]
    except MemoryError:
        problem = "It ran out of memory."
    except BaseException as raised:  # also SystemExit: a method must not end the run
        problem = _words(raised)
    return _failed(problem, pairs, (time.perf_counter() - start) / len(pairs))


def _as_told(decision: Decision, pair: Pair) -> Decision:
    """Some rows withhold the answer of a method that has a confidence, and never its score.

    `infer` shows no number of what a warning stops; here the lean of every pair is counted, answered or not. Nor are
    the rows beside a point mass judged alone: a score here is one of all rows.
    """
    if decision.confidence is None:
        return decision
    told = add_warnings(decision, check(pair))
    return replace(decision, warnings=told.warnings, reason=told.reason)


def limit_memory(limit: int) -> None:
    """Refuse memory beyond `limit` bytes (0 = no limit) where the system can."""
    if limit:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _method(source: Any, seed: int, resolver: str, built: dict[tuple[str, int], Method]) -> Method | str:
    """The method, or the sentence that says why it could not be built."""
    if not isinstance(source, str):
        return source  # unpickled; the parent checked it
    try:
        if (source, seed) not in built:
            built[source, seed] = load(resolver)(source, seed)
        return built[source, seed]
    except BaseException as raised:
        return f"It could not be built: {_words(raised)}"


def _checked(decisions: Any, expected: int) -> list[Decision]:
    found = list(decisions)
    if len(found) != expected:
        raise ValueError(f"decide_many returned {len(found)} decisions for {expected} pairs.")
    if wrong := [each for each in found if not isinstance(each, Decision)]:
        raise TypeError(f"decide_many returned a {type(wrong[0]).__name__} where a causewise.Decision was expected.")
    return found


def _failed(problem: Any, pairs: Sequence[Pair], seconds: float = 0.0) -> list[Outcome]:
    return [no_answer(Status.FAILED, str(problem), seconds) for _ in pairs]


def _words(raised: BaseException) -> str:
    said = " ".join(str(raised).split())
    return f"{type(raised).__name__}: {said}"[:500] if said else f"{type(raised).__name__}."


if __name__ == "__main__":
    main()
