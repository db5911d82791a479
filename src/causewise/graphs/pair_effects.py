"""Effects of all pairs of a graph's columns along the range of each cause; of many, those that fewest edges join."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from causewise.graphs.effect import Effect, EffectRefusal
from causewise.graphs.interventions import Structure, ask_effects, list_neighbours
from causewise.numerics.native import FloatArray

if TYPE_CHECKING:
    from causewise.graphs.causal_graph import Edge

MOST_PAIRS = 182
"""All pairs of 14 columns: a second or two, and a kilobyte each in a page."""
MOST_LEVELS = 12
"""A column of no more values is set to these alone."""
EVEN, EVERY = 17, 20
"""So many values at equal distances, besides every so many of the quantiles that a structure keeps."""
LEAST_PARTS, MOST_PARTS = 8, 50
"""Parts of the rows that bounds are taken from: those at hand; where there are fewer, as many are fitted."""
REACH = 0.15
"""How far beyond the observed range, as a share of it."""


def measure_effects(structure: Structure, edges: "Sequence[Edge]") -> dict[tuple[str, str], Effect | EffectRefusal]:
    """Of each pair what becomes of the second where the first is set, or why that is not told."""
    structure, pairs = _limit_parts(structure), _nearest_pairs(structure.names, edges)[:MOST_PAIRS]
    found: dict[tuple[str, str], Effect | EffectRefusal] = {}
    for cause in structure.names:
        effects = [effect for each, effect in pairs if each == cause]
        answers = ask_effects(structure, edges, cause, effects, choose_values(structure, cause))
        found |= zip([(cause, effect) for effect in effects], answers, strict=True)
    # Nobody asked for the values beyond the observed ones.
    plain = (replace(each, beyond=()) if isinstance(each, EffectRefusal) else each for each in map(found.get, pairs))
    return {pair: each for pair, each in zip(pairs, plain, strict=True) if each is not None}


def _limit_parts(structure: Structure) -> Structure:
    """The same with few parts: of hundreds that a journal has the arrows of, all would take hours to fit anew."""
    at_hand = [part for part in structure.found if part is not None]
    return replace(
        structure,
        found=tuple(at_hand[:MOST_PARTS] if len(at_hand) >= LEAST_PARTS else structure.found[:LEAST_PARTS]),
    )


def choose_values(structure: Structure, cause: str, asked: Sequence[float] = ()) -> FloatArray:
    """Values along the column's range and a little beyond, and those that were asked for."""
    quantiles = structure.quantiles[structure.find(cause)]
    levels = np.unique(quantiles)
    if len(levels) <= MOST_LEVELS:
        return np.union1d(levels, asked)
    low, high = quantiles[[0, -1]]
    ends = (low - REACH * (high - low), high + REACH * (high - low))
    return np.unique(np.concatenate([np.linspace(low, high, EVEN), quantiles[::EVERY], ends, asked]))


def _nearest_pairs(names: Sequence[str], edges: "Sequence[Edge]") -> list[tuple[str, str]]:
    """All pairs, by the number of edges on the shortest way; those that no way joins last."""
    neighbours = list_neighbours(edges)
    steps = {(cause, effect): k for cause in names for effect, k in _count_steps(neighbours, cause).items()}
    pairs = [(cause, effect) for cause in names for effect in names if cause != effect]
    return sorted(pairs, key=lambda pair: steps.get(pair, len(names)))


def _count_steps(neighbours: dict[str, list[str]], start: str) -> dict[str, int]:
    out, frontier, steps = {start: 0}, [start], 0
    while frontier:
        steps += 1
        frontier = list({each for here in frontier for each in neighbours.get(here, ())} - out.keys())
        out |= dict.fromkeys(frontier, steps)
    return out
