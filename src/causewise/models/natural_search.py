"""Which parents a column needs, where natural parameters add up (`natural`): each set of them is fitted once.

A search of orders asks for the same column with other columns on offer, hundreds of times, and most sets that are tried
were tried before, or differ by one parent from one that was. So a climb begins at the best of the fits that are known
of the sets nearest to it, and from scratch only where no set that shares a parent with it is known.
"""

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from causewise.models.additive import ROWS_A_COEFFICIENT
from causewise.models.natural import (
    RIDGES,
    NaturalFit,
    Optimum,
    Targets,
    climb,
    differentiate,
    measure,
    stack_lines,
    start_flat,
    start_near,
    weigh_prior,
)
from causewise.numerics.native import FloatArray, IntArray

Parents = tuple[int, ...]
"""Ascending."""
Code = tuple[str, float]
"""The law of the noise, and the log-likelihood a row less what the code costs."""

_MOVES = 2
"""How many of the most promising changes of the parents are tried before there is none."""


class NaturalSearch:
    """Fits of a column given some of the others, whose functions are blocks."""

    def __init__(
        self, blocks: Sequence[FloatArray], v: FloatArray, cost: float, score: Callable[[NaturalFit], Code]
    ) -> None:
        self._functions = [np.ascontiguousarray(block.T) for block in blocks]
        self._targets, self._cost, self._score = Targets.of(v), cost, score
        self._known: dict[int, dict[Parents, Optimum]] = {}
        self._gains: dict[tuple[Parents, int], dict[int, float]] = {}
        self._codes: dict[tuple[Parents, int], Code] = {}

    def begin(self, parents: Parents, functions: int, mean: FloatArray, log_scale: FloatArray) -> float:
        """The log-likelihood given these parents, reached from scratch unless a fit nearby is known."""
        known = self._known.setdefault(functions, {})
        if parents not in known:
            lines = self._stack(parents, functions)
            if len(parents) > 1 and (starts := self._find_near(parents, functions)):
                known[parents] = self._climb(lines, starts)
            else:
                flat, near = start_flat(lines, self._targets), start_near(lines, self._targets, mean, log_scale)
                optima = [climb(lines, self._targets, start) for start in (flat, near)]
                known[parents] = max(optima, key=lambda each: each.log_likelihood)
        return known[parents].log_likelihood

    def widen(self, parents: Parents, had: int, functions: int) -> None:
        """Reach the fit with more functions of each parent."""
        known = self._known.setdefault(functions, {})
        if parents not in known:
            fewer = self._transfer(self._known[had][parents].vector, (parents, had), (parents, functions))
            starts = [fewer, *self._find_near(parents, functions)]
            known[parents] = self._climb(self._stack(parents, functions), starts)

    def select(
        self, parents: Parents, functions: int, offered: Iterable[int], required: Collection[int] = ()
    ) -> Parents:
        """Some of the parents on offer.

        Beginning with these, whose fit is known, parents go, unless they are required, or come one at a time while the
        log-likelihood, less the cost of the coefficients, rises.
        """
        offered, known = sorted(offered), self._known[functions]
        tried = {parents}
        while True:
            moves = self._rank_moves(parents, functions, offered, required)
            here = self._weigh(parents, functions)
            for move in [move for move in moves[:_MOVES] if move not in tried]:
                tried.add(move)
                if move not in known:
                    known[move] = self._climb(self._stack(move, functions), self._find_near(move, functions))
                if self._weigh(move, functions) > here:
                    parents = move
                    break
            else:
                return parents

    def describe(self, parents: Parents, functions: int) -> NaturalFit:
        """A fit that is known."""
        return self._known[functions][parents].describe(self._stack(parents, functions), self._targets)

    def score(self, parents: Parents, functions: int) -> Code:
        """The code of a fit that is known."""
        key = parents, functions
        if key not in self._codes:
            self._codes[key] = self._score(self.describe(*key))
        return self._codes[key]

    def has_room(self, parents: Iterable[int], functions: int) -> bool:
        """Whether there are rows enough for so many coefficients."""
        return 2 * self._count(parents, functions) * ROWS_A_COEFFICIENT <= len(self._targets.values)

    def _count(self, parents: Iterable[int], functions: int) -> int:
        return 1 + sum(min(len(self._functions[k]), functions) for k in parents)

    def _weigh(self, parents: Parents, functions: int) -> float:
        return self._known[functions][parents].log_likelihood - 2 * self._cost * self._count(parents, functions)

    def _stack(self, parents: Parents, functions: int) -> FloatArray:
        ones = np.ones((1, len(self._targets.values)))
        return stack_lines([self._functions[k][:functions] for k in parents]) if parents else ones

    def _climb(self, lines: FloatArray, starts: Sequence[FloatArray]) -> Optimum:
        """From the highest of some coefficients."""
        start = max(starts, key=lambda w: measure(lines, self._targets, w)) if len(starts) > 1 else starts[0]
        return climb(lines, self._targets, start, RIDGES[-1:])

    def _find_near(self, parents: Parents, functions: int) -> list[FloatArray]:
        """Coefficients of known sets that differ by one parent."""
        new = parents, functions
        return [
            self._transfer(optimum.vector, (other, functions), new)
            for other, optimum in self._known[functions].items()
            if len(set(parents) ^ set(other)) == 1
        ]

    def _transfer(self, w: FloatArray, old: tuple[Parents, int], new: tuple[Parents, int]) -> FloatArray:
        """The coefficients of functions that stay; those of new ones are zero."""
        had, size = self._place(*old), (len(w) - 1) // 2
        out = []
        for sums in (w[:size], w[size:-1]):
            out.append(sums[:1])
            for k in new[0]:
                part = sums[had[k]] if k in had else sums[:0]
                width = min(len(self._functions[k]), new[1])
                out.append(np.concatenate([part, np.zeros(width - len(part))]))
        return np.concatenate([*out, w[-1:]])

    def _place(self, parents: Parents, functions: int) -> dict[int, slice]:
        """Where the functions of each parent are in a sum."""
        ends = np.cumsum([1, *(min(len(self._functions[k]), functions) for k in parents)])
        return {k: slice(int(ends[j]), int(ends[j + 1])) for j, k in enumerate(parents)}

    def _rank_moves(
        self, parents: Parents, functions: int, offered: Sequence[int], required: Collection[int]
    ) -> list[Parents]:
        """Parents with one left out or added, the most promising first."""
        others = [k for k in offered if k not in parents and self.has_room((*parents, k), functions)]
        gains = self._gains.setdefault((parents, functions), {})
        if new := [k for k in (*parents, *others) if k not in gains]:
            gains |= self._weigh_moves(parents, functions, [k for k in new if k not in parents])
        promising = [k for k in (*parents, *others) if k not in required and gains[k] > 0]
        return [tuple(sorted({*parents} ^ {k})) for k in sorted(promising, key=lambda k: -gains[k])]

    def _weigh_moves(self, parents: Parents, functions: int, others: Sequence[int]) -> dict[int, float]:
        """What is gained where each of the parents is left out, or of the others added, as Wald and Rao have it."""
        everything = (*parents, *others)
        lines, had = self._stack(everything, functions), self._place(everything, functions)
        w = self._transfer(self._known[functions][parents].vector, (parents, functions), (everything, functions))
        slope, information = differentiate(lines, self._targets, w)
        size, kept = len(lines), self._count(parents, functions)
        inside = np.r_[:kept, size : size + kept, 2 * size]
        inverse = np.linalg.inv(information[np.ix_(inside, inside)] + np.diag(weigh_prior(kept, RIDGES[-1])))
        gains = {}
        for k in everything:
            first = np.arange(had[k].start, had[k].stop)
            places = np.concatenate([first, size + first])
            if k in parents:
                at = np.concatenate([first, kept + first])
                loss = 0.5 * float(w[places] @ np.linalg.solve(inverse[np.ix_(at, at)], w[places]))
                gains[k] = self._cost * len(places) - loss
            else:
                gain = _weigh_score(slope, information, places, inside, inverse)
                gains[k] = gain - self._cost * len(places)
        return gains


def _weigh_score(
    slope: FloatArray, information: FloatArray, places: IntArray, inside: IntArray, inverse: FloatArray
) -> float:
    """What coefficients that are zero would gain, those inside the model moving along."""
    across = information[np.ix_(inside, places)]
    inner = information[np.ix_(places, places)] - across.T @ inverse @ across
    inner.flat[:: len(inner) + 1] += 1e-6 * np.trace(inner) / len(inner) + 1e-12
    score = slope[places] - across.T @ (inverse @ slope[inside])
    return 0.5 * float(score @ np.linalg.solve(inner, score))
