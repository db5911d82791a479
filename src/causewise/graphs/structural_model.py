"""A structural causal model: every column computed from its parents and its noise, so that columns can be set.

Where a column is set, its own equation is left out and those behind it are computed anew (Pearl 2009). Smooth functions
and sensors keep their last value beyond the rows that they were fitted to.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from causewise.graphs.graph_search import GraphSearch
from causewise.graphs.mechanisms import Mechanism, Mechanisms, NaturalSums, Process
from causewise.models.gaussian_process import ProcessCurve
from causewise.models.natural import NaturalUnits
from causewise.models.smooth_basis import Basis
from causewise.numerics.native import FloatArray
from causewise.pair import standard_deviation

MOST_LEVELS = 1024
"""Values that stand for the noise's law; of up to as many rows these are the residuals themselves."""
_KNOTS = 128
"""Of a monotone map: as many at equal ranks, and as many at equal distances."""
_AVERAGED = 32
"""Noise values over which a sensor's mean is taken."""


class Interpolation(NamedTuple):
    """A monotone map between a column's values and their normal scores."""

    x: FloatArray
    y: FloatArray

    @classmethod
    def of(cls, x: FloatArray, y: FloatArray) -> "Interpolation":
        """Through some of the points, the outermost among them."""
        x, first = np.unique(x, return_index=True)
        y = y[first]
        ranks = np.rint(np.linspace(0, len(x) - 1, _KNOTS)).astype(int)
        even = [np.searchsorted(each, np.linspace(each[0], each[-1], _KNOTS)) for each in (x, y)]
        knots = np.unique(np.clip(np.concatenate([ranks, *even]), 0, len(x) - 1))
        return cls(x[knots], y[knots])

    def __call__(self, values: FloatArray) -> FloatArray:
        """The last value beyond the points."""
        return np.interp(values, self.x, self.y)


class Coordinate(NamedTuple):
    """Smooth functions of a column's values, or of their normal scores."""

    basis: Basis
    score: Interpolation | None

    def __call__(self, values: FloatArray) -> FloatArray:
        """One line a value."""
        return self.basis(values if self.score is None else self.score(values))


class EquationTerm(NamedTuple):
    """Functions of one parent with their coefficients."""

    parent: int
    coefficients: FloatArray


@dataclass(frozen=True, eq=False)
class Sum:
    """A constant and terms."""

    constant: float
    terms: tuple[EquationTerm, ...]

    @property
    def parents(self) -> frozenset[int]:
        """All columns that it uses."""
        return frozenset(term.parent for term in self.terms)

    @classmethod
    def of(cls, parts: Iterable[tuple[int, int]], coefficients: FloatArray) -> "Sum":
        """Of parents and widths, with the coefficients of the constant and all of them in a line."""
        at, terms = 1, []
        for parent, width in parts:
            terms.append(EquationTerm(parent, coefficients[at : at + width]))
            at += width
        return cls(float(coefficients[0]), tuple(terms))

    def __call__(self, block: Callable[[int], FloatArray]) -> FloatArray:
        """At the rows of which `block` gives the functions of each parent; of no dimension where there are no terms."""
        parts = (block(term.parent)[..., : len(term.coefficients)] @ term.coefficients for term in self.terms)
        return sum(parts, start=np.array(self.constant))


@dataclass(frozen=True, eq=False)
class JointMean:
    """A function of all parents together."""

    of: tuple[int, ...]
    curve: ProcessCurve

    @property
    def parents(self) -> frozenset[int]:
        """All columns that it uses."""
        return frozenset(self.of)

    def __call__(self, block: Callable[[int], FloatArray]) -> FloatArray:
        """At the rows of which `block` gives the functions of each parent, the first of them a straight line."""
        return self.curve([block(parent)[..., 0] for parent in self.of]) if self.of else np.array(self.curve.constant)


@dataclass(frozen=True, eq=False)
class Equation:
    """A column from its parents and its noise, all standardised."""

    location: Sum | JointMean
    """Of the mean, or of the first natural parameter."""
    scale: Sum
    """Of the log-variance, or of the second natural parameter."""
    natural: NaturalUnits | None
    """In which natural parameters are meant; None where there are none."""
    by_value: bool
    """Whether columns with long tails act by their values here, not by their ranks."""
    sensor: Interpolation | None
    """From normal scores to values."""
    noise: FloatArray
    """Values of equal probability, ascending."""

    @property
    def parents(self) -> frozenset[int]:
        """All columns that it uses."""
        return self.location.parents | self.scale.parents

    def evaluate(self, block: Callable[[int], FloatArray]) -> tuple[FloatArray, FloatArray]:
        """What the noise is added to, and what it is multiplied by."""
        location, scale = self.location(block), self.scale(block)
        if self.natural is None:
            return location, np.exp(0.5 * scale)
        mean, log_scale = self.natural.divide(location, scale)
        return mean, np.exp(log_scale)

    def draw(self, block: Callable[[int], FloatArray], places: FloatArray) -> FloatArray:
        """The column where its noise stands at these places of its law, from 0 to 1."""
        return self.apply(block, self.noise[(places * len(self.noise)).astype(int)])

    def average(self, block: Callable[[int], FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation over the noise."""
        location, scale = self.evaluate(block)
        if self.sensor is None:
            return location + scale * float(np.mean(self.noise)), scale * float(np.std(self.noise))
        noise = thin_law(self.noise, _AVERAGED)
        values = self._sense(location[..., None] + scale[..., None] * noise)
        return values.mean(axis=-1), values.std(axis=-1)

    def apply(self, block: Callable[[int], FloatArray], noise: FloatArray) -> FloatArray:
        """The column from its parents and its noise."""
        location, scale = self.evaluate(block)
        return self._sense(location + scale * noise)

    def invert(self, block: Callable[[int], FloatArray], values: FloatArray) -> FloatArray:
        """The noise that gives the column; that of the last value where a sensor ends before it."""
        location, scale = self.evaluate(block)
        sensed = values if self.sensor is None else Interpolation(self.sensor.y, self.sensor.x)(values)
        return (sensed - location) / scale

    def _sense(self, values: FloatArray) -> FloatArray:
        return values if self.sensor is None else self.sensor(values)


@dataclass(frozen=True, eq=False)
class StructuralModel:
    """Equations of all columns, each behind its parents, and the unit of each column."""

    order: tuple[int, ...]
    equations: Mapping[int, Equation]
    coordinates: Mapping[tuple[int, bool], Coordinate]
    """Of columns that are parents, by rank or by value."""
    middle: FloatArray
    unit: FloatArray
    rows: int
    """To which it was fitted."""

    @property
    def arrows(self) -> frozenset[tuple[int, int]]:
        """Parent and child."""
        return frozenset((parent, child) for child, each in self.equations.items() for parent in each.parents)

    def in_units(self, middle: FloatArray, unit: FloatArray) -> "StructuralModel":
        """The same model of columns that are now counted in these units from these middles."""
        return replace(self, middle=middle + unit * self.middle, unit=unit * self.unit)

    def ancestors(self, column: int) -> set[int]:
        """The column and all from which a path leads to it."""
        out = {column}
        for each in reversed(self.order):
            if each in out:
                out |= self.equations[each].parents
        return out

    def descendants(self, column: int) -> set[int]:
        """The column and all to which a path leads from it."""
        out = {column}
        for each in self.order:
            if self.equations[each].parents & out:
                out.add(each)
        return out

    def draw(self, places: FloatArray, setting: Mapping[int, float]) -> FloatArray:
        """Rows of all columns where some are set, by the places of all noises in their laws; a line a column."""
        world = _World(self)
        for column, value in setting.items():
            world.assign(column, np.array([value]), places.shape[1])
        world.draw(set(self.order) - setting.keys(), places)
        out = np.array([world.values[k] for k in range(len(self.order))]) * self.unit[:, None] + self.middle[:, None]
        for column, value in setting.items():
            out[column] = value
        return out

    def compute(self, column: int, parents: Mapping[int, FloatArray], noise: FloatArray) -> FloatArray:
        """A column from its parents, both in the units of the table, and its noise."""
        block = self._assign(parents).block_of(column)
        return self.middle[column] + self.unit[column] * self.equations[column].apply(block, noise)

    def recover_noise(self, column: int, parents: Mapping[int, FloatArray], values: FloatArray) -> FloatArray:
        """The noise of which `compute` makes these values."""
        block = self._assign(parents).block_of(column)
        return self.equations[column].invert(block, (values - self.middle[column]) / self.unit[column])

    def _assign(self, columns: Mapping[int, FloatArray]) -> "_World":
        world = _World(self)
        for column, values in columns.items():
            world.assign(column, values)
        return world

    def respond(
        self, cause: int, effects: Sequence[int], at: FloatArray, places: FloatArray, direct: bool = False
    ) -> list[tuple[FloatArray, FloatArray]]:
        """Mean and standard deviation of some columns where another is set to each value.

        Columns between them answer too, or, where it is `direct`, stay as they are. An effect's own noise is integrated
        out, that of the others drawn at the same places for every value.
        """
        needed = set[int]().union(*(self.ancestors(effect) - {effect} for effect in effects))
        moved = set[int]() if direct else self.descendants(cause)
        base = _World(self)
        base.draw(needed - moved, places)
        world = base.repeat(len(at))
        world.assign(cause, at, places.shape[1])
        world.draw((needed & moved) - {cause}, np.tile(places, len(at)))
        return [self._average(world, effect, (len(at), places.shape[1])) for effect in effects]

    def _average(self, world: "_World", effect: int, shape: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
        """Of a column, over the rows of each set value."""
        mean, scale = (
            np.broadcast_to(each, (shape[0] * shape[1],)).reshape(shape)
            for each in self.equations[effect].average(world.block_of(effect))
        )
        spread = np.sqrt(np.var(mean, axis=1) + np.mean(scale**2, axis=1))
        return self.middle[effect] + self.unit[effect] * np.mean(mean, axis=1), abs(self.unit[effect]) * spread

    def explain_variance(self, child: int, places: FloatArray) -> dict[int, tuple[float, float]]:
        """Of each parent: the share of a column's variance that it carries by the mean, and by the scale of the noise.

        Half the mean squared change once the parent's values are dealt out anew, over the variance (Sobol' 1993).
        """
        world, equation = _World(self), self.equations[child]
        world.draw(self.ancestors(child) - {child}, places)
        mean, scale = equation.average(world.block_of(child))
        total = float(np.var(mean) + np.mean(np.square(scale)))
        out = {}
        for parent in sorted(equation.parents):
            other = world.repeat(1)
            # By the places of the child's noise, which nothing else here has seen.
            other.put(parent, world.values[parent][np.argsort(places[child], kind="stable")])
            new_mean, new_scale = equation.average(other.block_of(child))
            squares = (np.mean(np.square(new - old)) for new, old in ((new_mean, mean), (new_scale, scale)))
            by_mean, by_scale = (0.5 * float(square) / total for square in squares)
            out[parent] = (by_mean, by_scale)
        return out


class _World:
    """Values of columns, standardised, with the functions of those that are parents, each computed once."""

    def __init__(self, model: StructuralModel) -> None:
        self.model = model
        self.values: dict[int, FloatArray] = {}
        self._blocks: dict[tuple[int, bool], FloatArray] = {}
        self._compact: dict[int, tuple[FloatArray, Callable[[FloatArray], FloatArray]]] = {}
        """Of columns whose values repeat: these once, and how lines of them become lines of all."""

    def assign(self, column: int, values: FloatArray, times: int = 1) -> None:
        """In the column's unit, each value so many times."""
        each = (values - self.model.middle[column]) / self.model.unit[column]
        self.values[column] = np.repeat(each, times)
        self._compact[column] = each, partial(np.repeat, repeats=times, axis=0)

    def put(self, column: int, values: FloatArray) -> None:
        """Standardised, in place of others."""
        self.values[column] = values
        self._compact.pop(column, None)

    def draw(self, columns: set[int], places: FloatArray) -> None:
        """From those there are already, by the places of the noises in their laws."""
        for column in self.model.order:
            if column in columns:
                self.put(column, self.model.equations[column].draw(self.block_of(column), places[column]))

    def repeat(self, times: int) -> "_World":
        """The same values several times, one after the other."""
        out = _World(self.model)
        for column, values in self.values.items():
            out.values[column] = np.tile(values, times)
            out._compact[column] = values, lambda lines: np.tile(lines, (times, 1))
        return out

    def block_of(self, child: int) -> Callable[[int], FloatArray]:
        """The functions of a parent as the child's equation takes them."""
        by_value = self.model.equations[child].by_value

        def block(parent: int) -> FloatArray:
            key = (parent, by_value and (parent, True) in self.model.coordinates)
            if key not in self._blocks:
                values, spread = self._compact.get(parent, (self.values[parent], np.asarray))
                self._blocks[key] = spread(self.model.coordinates[key](values))
            return self._blocks[key]

        return block


def draw_places(columns: int, rows: int, seed: int) -> FloatArray:
    """Places from 0 to 1, one in each of `rows` equal parts, a line a column: a Latin hypercube (McKay et al. 1979)."""
    rng = np.random.default_rng(seed)
    return np.array([(rng.permutation(rows) + 0.5) / rows for _ in range(columns)])


def thin_law(noise: FloatArray, levels: int = MOST_LEVELS) -> FloatArray:
    """Values of equal probability, ascending, of the same mean and standard deviation."""
    ordered = np.sort(noise)
    if len(ordered) <= levels:
        return ordered
    out = np.array([part.mean() for part in np.array_split(ordered, levels)])
    out -= out.mean()
    return ordered.mean() + out * (ordered.std() / out.std() if out.std() > 0 else 1.0)


def build_model(
    columns: FloatArray,
    found: GraphSearch,
    without: frozenset[tuple[int, int]] = frozenset(),
    levels: int = MOST_LEVELS,
) -> StructuralModel:
    """The model that the fits of a graph make; columns that lose a parent, by arrows to leave out, are fitted anew."""
    mechanisms, order = found.likelihoods.mechanisms, found.graph.order
    fits = dict(zip(order, found.graph.fits, strict=True))
    for child in {child for _, child in without}:
        fits[child] = mechanisms.choose(child, [k for k in sorted(fits[child].parents) if (k, child) not in without])
    equations = {column: _build_equation(mechanisms, column, fit, levels) for column, fit in fits.items()}
    parents = {parent for equation in equations.values() for parent in equation.parents}
    coordinates = {(parent, False): _build_coordinate(mechanisms, parent) for parent in parents}
    for parent in parents & mechanisms.by_value.keys():
        coordinates[parent, True] = Coordinate(mechanisms.by_value[parent], None)
    middle, unit = (np.array([f(column) for column in columns]) for f in (np.mean, standard_deviation))
    return StructuralModel(order, equations, coordinates, middle, unit, columns.shape[1])


def _build_coordinate(mechanisms: Mechanisms, column: int) -> Coordinate:
    smooths = mechanisms.smooths
    values, coordinate = smooths.columns[column], smooths.coordinates[column]
    return Coordinate(smooths.bases[column], None if coordinate is values else Interpolation.of(values, coordinate))


def _build_equation(mechanisms: Mechanisms, column: int, fit: Mechanism, levels: int) -> Equation:
    smooths, noise, sums = mechanisms.smooths, thin_law(fit.residual, levels), fit.fit
    if isinstance(sums, NaturalSums):
        blocks = [mechanisms.block(parent, sums.by_value) for parent in sums.parents]
        parts = [
            (parent, block[:, : sums.functions].shape[1]) for parent, block in zip(sums.parents, blocks, strict=True)
        ]
        location, precision = (Sum.of(parts, each) for each in (sums.fit.location, sums.fit.precision))
        return Equation(location, precision, sums.fit.scale, sums.by_value, None, noise)
    additive = sums.variance if isinstance(sums, Process) else sums
    mean: Sum | JointMean
    mean, variance = (
        Sum.of(((t.parent, smooths.block(t).shape[1]) for t in additive.terms if t.spread == spread), coefficients)
        for spread, coefficients in ((False, additive.mean_coefficients), (True, additive.variance_coefficients))
    )
    if isinstance(sums, Process):
        mean = JointMean(sums.parents, sums.fit.curve)
        shift = float(np.mean(sums.fit.log_scale) - np.mean(sums.variance.log_scale))
        variance = replace(variance, constant=variance.constant + 2.0 * shift)
    back = None if fit.sensor is None else Interpolation.of(fit.sensor.scores, smooths.columns[column])
    return Equation(mean, variance, None, False, back, noise)
