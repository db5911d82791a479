"""generate(): a name and a seed -> labelled pairs in random order of columns; subsample(): random rows of other pairs.

The robustness grid is among the names, `grid/<axis>/<cell>`, one axis varied at a time: laws of cause and noise,
signal-to-noise ratio, rows, mechanism, damage (what measuring does to a pair), breaks (assumptions that do not hold),
variance (whether the conditional variances mislead).

Every pair has a random stream of its own, keyed by its place, so that nothing in it depends on how many others are
drawn or in what order.
"""

import difflib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np

from causewise.errors import SEEDS, InputError, between
from causewise.lab.datasets import simulators
from causewise.lab.datasets.collection import Collection, Label, LabelledPair, LazyPairs
from causewise.lab.datasets.laws import (
    CAUSE_LAWS,
    LADDER,
    NOISE_LAWS,
    NOISE_SD,
    PairLaw,
    draw_cause,
    draw_noise,
    location_scale,
)
from causewise.lab.datasets.simulators import draw_base, draw_damaged, draw_variance_ordered
from causewise.pair import MIN_ROWS, Pair

MOST_PAIRS, MOST_ROWS = 1_000_000, 1_000_000
SIGNAL_TO_NOISE = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""Variance of the location over that of the noise."""
ROWS = (50, 100, 250, 500, 1000, 2500, 5000)

_TAGASOVSKA = "Law of N. Tagasovska, V. Chavez-Demoulin, T. Vatter (ICML 2020), drawn anew."
_MOOIJ = "After J. M. Mooij et al. (JMLR 2016); some constants are fitted, so a look-alike and not the published law."
_GOUDET = "Law of O. Goudet et al. (2018), drawn anew."
_GOUDET_LIKE = "After O. Goudet et al. (2018), whose generator is not public; a look-alike."


@dataclass(frozen=True)
class Generator:
    """A named law of cause-effect pairs."""

    name: str
    title: str
    draw: PairLaw = field(repr=False, compare=False)
    citation: str = ""
    rows: int = 1000
    """Rows per pair unless asked otherwise."""
    fixed_rows: int | None = None
    """Rows per pair where the number is the point of the generator."""

    def draw_pair(self, index: int, n: int, seed: int, truth: int) -> Pair:
        """Pair `index`, in the order of columns that `truth` says."""
        cause, effect = self.draw(self.stream(index, seed, part=0), n)
        return Pair.of(cause, effect) if truth > 0 else Pair.of(effect, cause)

    def label(self, index: int, n: int, seed: int) -> Label:
        """The label of pair `index` (from 0; its id counts from 1); the numbers are drawn when the pair is read."""
        # The coin has a stream of its own: the label says nothing about the numbers, and they can be drawn later.
        truth = 1 if self.stream(index, seed, part=1).random() < 0.5 else -1
        return Label(index + 1, truth, 1.0, partial(self.draw_pair, index, n, seed, truth))

    def stream(self, index: int, seed: int, part: int) -> np.random.Generator:
        """The random numbers of one pair; cells of one axis of the grid share them, and start from the same."""
        shared = self.name.rpartition("/")[0] or self.name
        # crc32 and not hash(), which Python salts anew in every process.
        key = (zlib.crc32(shared.encode()), index, part)
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


@cache
def _table() -> dict[str, Generator]:
    look_alikes = {"SIM": simulators.SIM, "SIMc": simulators.SIMC, "SIMln": simulators.SIMLN, "SIMG": simulators.SIMG}
    published = (
        Generator("AN", "additive noise, Gaussian-process mechanisms", simulators.additive_process, _TAGASOVSKA),
        Generator("ANs", "additive noise, sigmoid mechanisms", simulators.additive_sigmoid, _TAGASOVSKA),
        Generator(
            "LS", "location-scale noise, Gaussian-process mechanisms", simulators.location_scale_process, _TAGASOVSKA
        ),
        Generator("LSs", "location-scale noise, sigmoid mechanisms", simulators.location_scale_sigmoid, _TAGASOVSKA),
        Generator(
            "MNU", "multiplicative uniform noise, sigmoid mechanisms", simulators.multiplicative_uniform, _TAGASOVSKA
        ),
        *(
            Generator(f"{name}-like", f"look-alike of {name}", partial(simulators.draw_simulated, settings), _MOOIJ)
            for name, settings in look_alikes.items()
        ),
        Generator("Multi", "pre/post additive and multiplicative noise", simulators.combined_noise, _GOUDET, rows=1500),
        Generator("Net-like", "look-alike of Net", simulators.network_effect, _GOUDET_LIKE, rows=1500),
    )
    return {generator.name: generator for generator in (*published, *_grid())}


def _grid() -> Iterator[Generator]:
    for c, cause in CAUSE_LAWS.items():
        for e, noise in NOISE_LAWS.items():
            draw = partial(draw_base, cause, noise, location_scale, NOISE_SD)
            yield Generator(f"grid/laws/{c}-{e}", f"{c} cause, {e} noise", draw)
    for ratio in SIGNAL_TO_NOISE:
        draw = partial(draw_base, draw_cause, draw_noise, location_scale, float(ratio**-0.5))
        yield Generator(f"grid/noise/snr-{ratio:g}", f"signal-to-noise ratio {ratio:g}", draw)
    for n in ROWS:
        yield Generator(f"grid/rows/{n}", f"{n} rows", simulators.BASE, fixed_rows=n)
    for name, mechanism in LADDER.items():
        draw = partial(draw_base, draw_cause, draw_noise, mechanism, NOISE_SD)
        yield Generator(f"grid/mechanism/{name}", f"mechanism {name}", draw)
    for name, damage in simulators.DAMAGES.items():
        yield Generator(f"grid/damage/{name}", f"damage {name}", partial(draw_damaged, damage))
    for name, law in simulators.BREAKS.items():
        yield Generator(f"grid/breaks/{name}", f"assumption broken by {name}", law)
    for name in ("misleading", "helpful"):
        draw = partial(draw_variance_ordered, name == "misleading")
        yield Generator(f"grid/variance/{name}", f"conditional variance {name}", draw)


def generator_names() -> tuple[str, ...]:
    """Every name `generate` takes, the grid's cells last.

    Examples
    --------
    >>> from causewise.lab.datasets import generator_names
    >>> generator_names()[:3]
    ('AN', 'ANs', 'LS')
    """
    return tuple(_table())


def generators() -> tuple[Generator, ...]:
    """Every generator with its title, its rows and whom to cite."""
    return tuple(_table().values())


def grid() -> tuple[Generator, ...]:
    """The cells of the robustness grid alone.

    Examples
    --------
    >>> from causewise.lab.datasets import grid
    >>> all(cell.name.startswith("grid/") for cell in grid())
    True
    """
    return tuple(generator for generator in generators() if generator.name.startswith("grid/"))


def generate(name: str, pairs: int = 100, n: int | None = None, seed: int = 0) -> Collection:
    """`pairs` labelled pairs of `n` rows (the generator's own number where none is given), drawn when asked for.

    Pair i depends on the seed and on i only, not on how many are drawn; which column comes first is a coin toss.

    Examples
    --------
    >>> from causewise.lab.datasets import generate
    >>> [each.truth for each in generate("LS", pairs=3, n=100, seed=1).pairs]
    [1, 1, -1]
    """
    generator = _find_generator(name)
    fixed = generator.fixed_rows
    if fixed is not None and n is not None and n != fixed:
        raise InputError(f"Got n={n} for {generator.name}, whose point is its {fixed} rows; leave n out.")
    if n is not None:
        between("", MIN_ROWS, MOST_ROWS, n=n)
    rows = n or fixed or generator.rows
    between("", 1, MOST_PAIRS, pairs=pairs)
    between("", *SEEDS, seed=seed)
    labels = [generator.label(index, rows, seed) for index in range(pairs)]
    title = f"{generator.title}; generated, seed {seed}, {rows} rows"
    return Collection(name, LazyPairs(name, labels), title, generator.citation)


def _find_generator(name: str) -> Generator:
    if name in _table():
        return _table()[name]
    # A published set without an exact law must not be answered with its look-alike unasked.
    if f"{name}-like" in _table():
        raise InputError(f"Got {name!r}, whose exact law is not known; expected {name}-like, a look-alike.")
    near = difflib.get_close_matches(name, generator_names(), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`causewise data list --generators` shows them."
    raise InputError(f"Got the generator {name!r}, which causewise does not have; {hint}")


def subsample(collection: Collection, rows: int, draws: int = 10, seed: int = 0) -> Collection:
    """`draws` random subsets of `rows` rows of every pair that has more; ids are `<id>.<draw>`, weights shared.

    Examples
    --------
    >>> from causewise.lab.datasets import generate, subsample
    >>> thin = subsample(generate("LS", pairs=2, n=100), rows=50, draws=3)
    >>> len(thin), thin.pairs[0].pair_id, thin.pairs[0].pair.n
    (6, '1.1', 50)
    """
    if rows < MIN_ROWS or draws < 1:
        raise InputError(f"Got {rows} rows and {draws} draws; expected at least {MIN_ROWS} rows and one draw.")
    name = f"{collection.name}-{rows}"
    # The draws of one pair share its weight, so that a pair counts as much as before.
    labels = [
        Label(
            f"{whole.pair_id}.{draw}",
            whole.truth,
            whole.weight / draws,
            partial(_draw_rows, whole, rows, seed, place, draw),
        )
        for place, whole in enumerate(collection.pairs)
        if whole.pair.n > rows
        for draw in range(1, draws + 1)
    ]
    title = f"{collection.title}; {draws} random subsets of {rows} rows, seed {seed}"
    return Collection(name, LazyPairs(name, labels), title, collection.citation)


def _draw_rows(whole: LabelledPair, rows: int, seed: int, place: int, draw: int) -> Pair:
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place, draw)))
    for _ in range(100):  # a column of few values can come out constant; then draw again
        kept = np.sort(rng.permutation(whole.pair.n)[:rows])
        x, y = whole.pair.x[kept], whole.pair.y[kept]
        if x.min() < x.max() and y.min() < y.max():
            break
    return Pair.of(x, y, x_name=whole.pair.x_name, y_name=whole.pair.y_name)
