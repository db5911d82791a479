"""generate(): a name and a seed -> labelled pairs, in shuffled order of columns."""

import difflib
from functools import cache, partial

from causewise.errors import SEEDS, InputError, between
from causewise.lab.datasets import classic, lookalikes
from causewise.lab.datasets.collection import Collection, LazyPairs
from causewise.lab.datasets.laws import PairLaw
from causewise.lab.datasets.robustness import cells
from causewise.lab.datasets.sampling import Generator, draw_label
from causewise.pair import MIN_ROWS

MOST_PAIRS, MOST_ROWS = 1_000_000, 1_000_000

_TAGASOVSKA = "Law of N. Tagasovska, V. Chavez-Demoulin, T. Vatter (ICML 2020), drawn anew."
_MOOIJ = "After J. M. Mooij et al. (JMLR 2016); some constants are fitted, so a look-alike and not the published law."
_GOUDET = "Law of O. Goudet et al. (2018), drawn anew."
_GOUDET_LIKE = "After O. Goudet et al. (2018), whose generator is not public; a look-alike."


@cache
def _table() -> dict[str, Generator]:
    named = (
        _named("AN", "additive noise, Gaussian-process mechanisms", classic.additive_process, _TAGASOVSKA),
        _named("ANs", "additive noise, sigmoid mechanisms", classic.additive_sigmoid, _TAGASOVSKA),
        _named("LS", "location-scale noise, Gaussian-process mechanisms", classic.location_scale_process, _TAGASOVSKA),
        _named("LSs", "location-scale noise, sigmoid mechanisms", classic.location_scale_sigmoid, _TAGASOVSKA),
        _named("MNU", "multiplicative uniform noise, sigmoid mechanisms", classic.multiplicative_uniform, _TAGASOVSKA),
        _simulated("SIM", lookalikes.SIM),
        _simulated("SIMc", lookalikes.SIMC),
        _simulated("SIMln", lookalikes.SIMLN),
        _simulated("SIMG", lookalikes.SIMG),
        _named("Multi", "pre/post additive and multiplicative noise", classic.combined_noise, _GOUDET, rows=1500),
        _named("Net-like", "look-alike of Net", lookalikes.network_effect, _GOUDET_LIKE, rows=1500),
    )
    return {generator.name: generator for generator in (*named, *cells())}


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
    generator = _lookup(name)
    rows = _checked_rows(generator, n)
    between("", 1, MOST_PAIRS, pairs=pairs)
    between("", *SEEDS, seed=seed)
    labels = [draw_label(generator, index, rows, seed) for index in range(pairs)]
    title = f"{generator.title}; generated, seed {seed}, {rows} rows"
    return Collection(name, LazyPairs(name, labels), title, generator.citation)


def _named(name: str, title: str, draw: PairLaw, citation: str, rows: int = 1000) -> Generator:
    return Generator(name, title, draw, stream=name, rows=rows, citation=citation)


def _simulated(name: str, settings: lookalikes.SimulationSettings) -> Generator:
    return _named(f"{name}-like", f"look-alike of {name}", partial(lookalikes.simulated, settings), _MOOIJ)


def _lookup(name: str) -> Generator:
    if name in _table():
        return _table()[name]
    # A published set without an exact law must not be answered with its look-alike unasked.
    if f"{name}-like" in _table():
        raise InputError(f"Got {name!r}, whose exact law is not known; expected {name}-like, a look-alike.")
    near = difflib.get_close_matches(name, generator_names(), n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`causewise data list --generators` shows them."
    raise InputError(f"Got the generator {name!r}, which causewise does not have; {hint}")


def _checked_rows(generator: Generator, n: int | None) -> int:
    fixed = generator.fixed_rows
    if fixed is not None and n is not None and n != fixed:
        raise InputError(f"Got n={n} for {generator.name}, whose point is its {fixed} rows; leave n out.")
    if n is not None:
        between("", MIN_ROWS, MOST_ROWS, n=n)
    return n or fixed or generator.rows
