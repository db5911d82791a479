"""Toy methods and sets for the benchmark's tests; the worker processes import them from here."""

import math
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from causewise.decision import Decision, Evidence
from causewise.pair import Pair


@dataclass(frozen=True)
class LabelledPair:
    dataset: str
    pair_id: str
    pair: Pair
    truth: int
    weight: float = 1.0


@dataclass(frozen=True)
class Collection:
    name: str
    pairs: tuple[LabelledPair, ...]


def collection(name: str = "toy", pairs: int = 20, rows: int = 12, seed: int = 0) -> Collection:
    """Noise with labels; the first value of the cause carries the answer, so that an oracle can be right."""
    rng = np.random.default_rng([seed, len(name)])
    made = []
    for index in range(1, pairs + 1):
        truth = 1 if index % 2 else -1
        x, y = rng.normal(size=(2, rows))
        x[0], y[0] = (9.0, -9.0) if truth == 1 else (-9.0, 9.0)
        made.append(LabelledPair(name, str(index), Pair.of(x, y), truth, weight=float(1 + index % 3)))
    return Collection(name, tuple(made))


@dataclass(frozen=True)
class Toy:
    name: str
    score: Callable[[Pair], float]
    batch_size: int = 1
    settings: Any = None

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        return [answer(self.name, pair, self.score(pair)) for pair in pairs]


def answer(name: str, pair: Pair, score: float) -> Decision:
    return Decision(name, pair, score, Evidence(score=score / 2), Evidence(score=-score / 2))


def _oracle(pair: Pair) -> float:
    return float(np.sign(pair.x[0]) * (1 + abs(pair.x[1])))


def _middling(pair: Pair) -> float:
    """Right on most pairs, antisymmetric, with scores that differ from pair to pair."""
    return _oracle(pair) * (1.0 if pair.x[2] * pair.y[2] > -0.4 else -1.0)


def _raises(pair: Pair) -> float:
    raise RuntimeError("the toy is broken")


def _note(pair: Pair) -> None:
    """Where a diary is kept, write down what is worked on."""
    if diary := os.environ.get("TOYS_DIARY"):
        with Path(diary).open("a") as lines:
            lines.write(f"{pair.x.sum() * pair.y.sum()!r}\n")


def _hangs(pair: Pair) -> float:
    _note(pair)
    time.sleep(600)
    return 1.0


def _exits(pair: Pair) -> float:
    os._exit(7)


def _segfaults(pair: Pair) -> float:
    os.kill(os.getpid(), signal.SIGSEGV)
    return 1.0


def _hungry(pair: Pair) -> float:
    return float(np.ones(2**36)[0])


def _chatty(pair: Pair) -> float:
    sys.stdout.write("a method that prints\n")
    return _oracle(pair)


def _slow(pair: Pair) -> float:
    _note(pair)
    time.sleep(0.05)
    return _middling(pair)


def _some_raise(pair: Pair) -> float:
    if pair.x[0] > 0 and abs(pair.x[1]) > 1:
        raise RuntimeError("the toy is broken")
    return _oracle(pair)


def _some_exit(pair: Pair) -> float:
    if pair.x[0] > 0 and abs(pair.x[1]) > 1:
        os._exit(9)
    return _oracle(pair)


def _threads(pair: Pair) -> float:
    import scipy.linalg  # noqa: F401  # brings a BLAS of its own
    from threadpoolctl import threadpool_info

    return float(max(library["num_threads"] for library in threadpool_info()))


def _interrupted(pair: Pair) -> float:
    signal.raise_signal(signal.SIGINT)
    return _oracle(pair)


oracle = Toy("oracle", _oracle)
middling = Toy("middling", _middling)
always_forward = Toy("always-forward", lambda pair: 1.0)
raises = Toy("raises", _raises)
not_a_number = Toy("not-a-number", lambda pair: math.nan)
ties = Toy("ties", lambda pair: 0.0)
hangs = Toy("hangs", _hangs)
exits = Toy("exits", _exits)
segfaults = Toy("segfaults", _segfaults)
hungry = Toy("hungry", _hungry)
chatty = Toy("chatty", _chatty)
slow = Toy("slow", _slow)
batched = Toy("batched", _middling, batch_size=6)
batched_exits = Toy("batched-exits", _some_exit, batch_size=6)
quits = Toy("quits", lambda pair: exit(3))
some_raise = Toy("some-raise", _some_raise)
threads = Toy("threads", _threads)
interrupted = Toy("interrupted", _interrupted)
no_method = 17


SURE = 0.85


@dataclass(frozen=True)
class Hesitant:
    """Always right and sometimes silent."""

    name: str = "hesitant"

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        return [self._decide(pair) for pair in pairs]

    def _decide(self, pair: Pair) -> Decision:
        told = answer(self.name, pair, _oracle(pair))
        confidence = 1 / (1 + math.exp(-abs(told.score)))
        return replace(told, confidence=confidence, reason="" if confidence >= SURE else "Too unsure.")


hesitant = Hesitant()


class Short:
    """Returns too few decisions."""

    name = "short"

    def decide_many(self, pairs: Sequence[Pair]) -> list[Decision]:
        return []


def factory(scale: float = 1.0, seed: int = 0) -> Toy:
    return Toy("made", lambda pair: scale * _oracle(pair), settings={"scale": scale, "seed": seed})
