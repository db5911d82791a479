"""How a column follows from its parents: mechanisms of published simulators, written anew from their papers.

A mechanism takes a generator and the parents, one column each and at least one of them, and draws the effect, its noise
included. Laws draw noise (or roots) of mean zero and variance one, except levels of genes, which are in [0, 1].

Bühlmann et al. 2014 (additive GP); Rolland et al. 2022, SCORE (GP of all parents); Zheng et al. 2020, NOTEARS-MLP, and
Zhang et al. 2021, gCastle (networks, index models, quadratic functions); Kalainathan et al. 2020, cdt (sigmoids,
polynomials, noise inside); Duong and Nguyen 2023, HOST, and Immer et al. 2023 (natural parameters); Yin et al. 2024,
ICDH (networks of mean and scale); Xu et al. 2024, CaPS (linear and nonlinear); Montagna et al. 2023, causally
(post-nonlinear, measurement error, hidden causes); Van den Bulcke et al. 2006, SynTReN (gene regulation).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

Random = np.random.Generator
Law = Callable[[Random, int], np.ndarray]
Mechanism = Callable[[Random, np.ndarray], np.ndarray]


def standardise(column: np.ndarray) -> np.ndarray:
    """Mean zero, variance one."""
    return (column - column.mean()) / column.std()


def signed(rng: Random, low: float, high: float, size: int | tuple[int, ...] | None = None) -> np.ndarray:
    """Uniform sizes with random signs."""
    return rng.uniform(low, high, size) * rng.choice([-1, 1], size)


LAWS: dict[str, Law] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "Laplace": lambda rng, n: rng.laplace(scale=2**-0.5, size=n),
    "uniform": lambda rng, n: rng.uniform(-(3**0.5), 3**0.5, n),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1,
    "either exponential": lambda rng, n: rng.choice([-1, 1]) * (rng.exponential(size=n) - 1),
    "Gumbel": lambda rng, n: (rng.gumbel(size=n) - np.euler_gamma) * 6**0.5 / np.pi,
    "gamma": lambda rng, n: rng.choice([-1, 1]) * (rng.gamma(2, size=n) - 2) / 2**0.5,
    "t3": lambda rng, n: rng.standard_t(3, n) / 3**0.5,
    "t5": lambda rng, n: rng.standard_t(5, n) / (5 / 3) ** 0.5,
    "t2": lambda rng, n: rng.standard_t(2, n),
    "Gaussian mixture": lambda rng, n: standardise(
        rng.normal(size=4)[rng.integers(4, size=n)] + 0.4 * rng.normal(size=n)
    ),
    "recorded": lambda rng, n: draw_recorded(rng, n),
    "level": lambda rng, n: rng.beta(*rng.uniform(0.7, 2, 2), n),
}
PLAIN = ("normal", "Laplace", "uniform")


def draw(rng: Random, laws: Sequence[str], n: int) -> np.ndarray:
    """From one of these laws."""
    return LAWS[laws[rng.integers(len(laws))]](rng, n)


@lru_cache
def read_recorded() -> list[np.ndarray]:
    """The columns with at least 100 distinct values of three tables that come with scikit-learn."""
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

    tables = [load(return_X_y=True)[0] for load in (load_breast_cancer, load_diabetes, load_wine)]
    return [column for table in tables for column in table.T if len(np.unique(column)) >= 100]


def draw_recorded(rng: Random, n: int) -> np.ndarray:
    """A recorded column: its quantiles with straight lines between them, either way up."""
    columns = read_recorded()
    values = standardise(np.sort(columns[rng.integers(len(columns))]))
    return rng.choice([-1, 1]) * standardise(np.interp(rng.random(n), np.linspace(0, 1, len(values)), values))


def curve(rng: Random, u: np.ndarray) -> np.ndarray:
    """One of four kinds of smooth functions."""
    size, shift, pace = signed(rng, 0.5, 2), rng.uniform(-1, 1), rng.uniform(0.7, 2)
    return [
        lambda: 1.2 * np.tanh(size * pace * (u - shift)),
        lambda: np.sign(size) * np.sin(pace * u + shift),
        lambda: 0.5 * size * (u - shift) ** 2 / (1 + 0.2 * u**2),
        lambda: 0.5 * size * u + 0.5 * np.sin(2 * u + shift),
    ][rng.integers(4)]()


def draw_cosines(rng: Random, parents: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
    """A Gaussian process of variance one, by the frequencies of its kernel, one column each (Rahimi and Recht 2007).

    Exact draws by a Cholesky factor differ by nothing that matters here, and take seconds at a thousand rows.
    """
    number = frequencies.shape[1]
    phases, sizes = rng.uniform(0, 2 * np.pi, number), rng.normal(size=number) * (2 / number) ** 0.5
    return np.cos(parents @ frequencies + phases) @ sizes


def draw_process(rng: Random, parents: np.ndarray) -> np.ndarray:
    """A Gaussian process with kernel exp(−d²/2)."""
    number = parents.shape[1]
    return draw_cosines(rng, parents, rng.normal(size=(number, 200 if number == 1 else 500)))


def draw_rough_process(rng: Random, parents: np.ndarray) -> np.ndarray:
    """One with a Matérn 3/2 kernel, whose frequencies are Student-t, of a random length scale."""
    frequencies = rng.normal(size=(parents.shape[1], 500)) / np.sqrt(rng.chisquare(3, 500) / 3)
    return draw_cosines(rng, parents, frequencies / rng.uniform(0.8, 2))


def draw_network(
    rng: Random, parents: np.ndarray, units: int = 100, bend: Callable[[np.ndarray], np.ndarray] = np.tanh
) -> np.ndarray:
    """One hidden layer, weights of sizes 0.5 to 2 (Zheng et al. 2020)."""
    return bend(parents @ signed(rng, 0.5, 2, (parents.shape[1], units))) @ signed(rng, 0.5, 2, units)


def sigmoid(z: np.ndarray) -> np.ndarray:
    """The logistic function."""
    return 0.5 + 0.5 * np.tanh(z / 2)


def draw_sigmoid(rng: Random, u: np.ndarray) -> np.ndarray:
    """a b (u + c) / (1 + |b (u + c)|) (Bühlmann et al. 2014; cdt)."""
    a, b, c = rng.exponential(0.25) + 1, signed(rng, 0.5, 2), rng.uniform(-2, 2)
    z = b * (u + c)
    return a * z / (1 + np.abs(z))


def draw_tree(rng: Random, parents: np.ndarray, depth: int = 4) -> np.ndarray:
    """A regression tree: at every node a random parent is cut at a random quantile, leaves are normal."""
    n, p = parents.shape
    leaf = np.zeros(n, dtype=int)
    for _ in range(depth):
        nodes = leaf.max() + 1
        features, levels = rng.integers(p, size=nodes), rng.uniform(0.2, 0.8, nodes)
        cuts = np.array([np.quantile(parents[:, f], level) for f, level in zip(features, levels, strict=True)])
        leaf = 2 * leaf + (parents[np.arange(n), features[leaf]] > cuts[leaf])
    return rng.normal(size=2**depth)[leaf]


def sums(term: Mechanism | Callable[[Random, np.ndarray], np.ndarray]) -> Mechanism:
    """The sum over parents of a function of one column."""
    return lambda rng, parents: np.sum([term(rng, u) for u in parents.T], axis=0)


sums_of_curves = sums(curve)
sums_of_processes = sums(lambda rng, u: draw_process(rng, u[:, None]))
sums_of_sigmoids = sums(draw_sigmoid)


def additive(
    mean: Mechanism, laws: Sequence[str], low: float = 1.0, high: float = 1.0, share: bool = False
) -> Mechanism:
    """A mean and noise of a standard deviation between `low` and `high`; `share`: in units of that of the mean."""

    def column(rng: Random, parents: np.ndarray) -> np.ndarray:
        values = mean(rng, parents)
        return values / (values.std() if share else 1) + rng.uniform(low, high) * draw(rng, laws, len(values))

    return column


def location_scale(laws: Sequence[str]) -> Mechanism:
    """A sum of curves, and noise whose scale is a product of others."""

    def column(rng: Random, parents: np.ndarray) -> np.ndarray:
        mean, chosen = sums_of_curves(rng, parents), rng.random(parents.shape[1]) < 0.7
        logs = np.sum([rng.uniform(0.4, 1.0) * curve(rng, u) for u in parents[:, chosen].T], axis=0)
        return spread(rng, mean, np.clip(logs, -3, 2) * np.ones(len(mean)), laws)

    return column


def spread(rng: Random, mean: np.ndarray, logs: np.ndarray, laws: Sequence[str], noise: float = 1.0) -> np.ndarray:
    """A mean of variance one, and noise of half to all of `noise` whose scale has these logarithms up to a constant."""
    scale = np.exp(logs - logs.max())
    scale *= noise * rng.uniform(0.5, 1.0) / np.sqrt(np.mean(scale**2))
    return standardise(mean) + scale * draw(rng, laws, len(mean))


def draw_line(rng: Random, parents: np.ndarray) -> np.ndarray:
    """Weights of sizes 0.5 to 2."""
    return parents @ signed(rng, 0.5, 2, parents.shape[1])


def draw_index(rng: Random, parents: np.ndarray) -> np.ndarray:
    """Three functions of three sums (gCastle's `mim`)."""
    return np.tanh(draw_line(rng, parents)) + np.cos(draw_line(rng, parents)) + np.sin(draw_line(rng, parents))


def draw_quadratic(rng: Random, parents: np.ndarray) -> np.ndarray:
    """All terms of degree one and two, products among them; half of these are zero (gCastle)."""
    i, j = np.triu_indices(parents.shape[1])
    weights = signed(rng, 0.5, 1, len(i)) * (rng.random(len(i)) < 0.5)
    return draw_line(rng, parents) + (parents[:, i] * parents[:, j]) @ weights


def draw_polynomial(rng: Random, u: np.ndarray) -> np.ndarray:
    """Degree two in one parent (cdt)."""
    return signed(rng, 0.25, 1) * u + signed(rng, 0.1, 0.4) * u**2


def draw_product(rng: Random, parents: np.ndarray) -> np.ndarray:
    """The product of a curve of each parent."""
    return np.prod([curve(rng, u) for u in parents.T], axis=0)


def draw_bent_index(rng: Random, parents: np.ndarray) -> np.ndarray:
    """A cubic polynomial of one sum, whose tails are drawn in first."""
    index = 2 * np.tanh(standardise(draw_line(rng, parents)) / 2)
    return signed(rng, 0, 1) * index + signed(rng, 0.3, 1) * index**2 + signed(rng, 0.1, 0.4) * index**3


def draw_log_natural(straight: bool) -> Mechanism:
    """Normal(−η₁/2η₂, −1/2η₂) where η₁ and log(−η₂) are sums over parents, stretched to the range from −4 to 4.

    Each sum takes one function of all its parents: a line, or one of five.
    """
    lines = [lambda rng, u: u * signed(rng, 0.2, 0.5, u.shape[1])]
    bent = [
        lambda rng, u: np.sin(2 * np.pi * u),
        lambda rng, u: u**2,
        lambda rng, u: sigmoid(u),
        lambda rng, u: np.log1p(u - u.min(axis=0)),
    ]

    def column(rng: Random, parents: np.ndarray) -> np.ndarray:
        functions = lines if straight else lines + bent
        parents = (parents - parents.mean(axis=0)) / parents.std(axis=0)
        first, second = (
            stretch(functions[rng.integers(len(functions))](rng, parents).sum(axis=1), 4.0) for _ in range(2)
        )
        precision = 2 * np.exp(second)
        return first / precision + rng.normal(size=len(first)) / np.sqrt(precision)

    return column


def stretch(values: np.ndarray, most: float) -> np.ndarray:
    """To the range from −most to most."""
    low, high = values.min(), values.max()
    return most * (2 * (values - low) / (high - low) - 1)


def draw_natural(straight: bool) -> Mechanism:
    """Normal(−η₁/2η₂, −1/2η₂) whose natural parameters are sums over parents, η₂ kept below zero.

    Straight lines: −2η₂ is the softplus of a sum, so that the variance is long-tailed; curves: a sum of squares.
    """

    def column(rng: Random, parents: np.ndarray) -> np.ndarray:
        p = parents.shape[1]
        if straight:
            first = rng.normal() + draw_line(rng, parents)
            precision = np.logaddexp(0, rng.uniform(0.5, 1.5) + parents @ signed(rng, 0.5, 1.5, p)) + 1e-3
        else:
            first = sums(lambda g, u: signed(g, 1, 2) * curve(g, u))(rng, parents)
            precision = 0.1 + sums(lambda g, u: (g.uniform(0.7, 1.4) * curve(g, u)) ** 2)(rng, parents)
        return first / precision + rng.normal(size=len(first)) / np.sqrt(precision)

    return column


def draw_networks(
    bend: Callable[[np.ndarray], np.ndarray], units: int, laws: Sequence[str], noise: float = 1.0
) -> Mechanism:
    """A network of the mean, and another of the logarithm of the scale."""

    def column(rng: Random, parents: np.ndarray) -> np.ndarray:
        mean, logs = draw_network(rng, parents, units, bend), draw_network(rng, parents, units, bend)
        return spread(rng, mean, rng.uniform(0.5, 0.9) * standardise(logs), laws, noise)

    return column


def noise_inside(function: Mechanism, size: float) -> Mechanism:
    """A function that sees the noise as one more parent (cdt)."""
    return lambda rng, parents: function(rng, np.column_stack([parents, size * rng.normal(size=len(parents))]))


def draw_sigmoid_of_sum(rng: Random, seen: np.ndarray) -> np.ndarray:
    """cdt's `sigmoid_mix`: one sigmoid of parents and noise added up."""
    return draw_sigmoid(rng, seen.sum(axis=1))


def draw_small_network(rng: Random, seen: np.ndarray) -> np.ndarray:
    """Twenty hidden units with normal weights."""
    hidden = np.tanh(seen @ rng.normal(size=(seen.shape[1], 20)) + rng.normal(size=20))
    return hidden @ rng.normal(size=20)


SENSORS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda z: np.exp(0.8 * z),
    lambda z: z**3 + z,
    lambda z: np.tanh(0.8 * z),
    np.cbrt,
    lambda z: z**3,
)
"""Functions that only rise."""


def post_nonlinear(inner: Mechanism, sensors: Sequence[Callable[[np.ndarray], np.ndarray]]) -> Mechanism:
    """What another mechanism draws, seen through a function that only rises."""
    return lambda rng, parents: sensors[rng.integers(len(sensors))](standardise(inner(rng, parents)))


def one_of(mechanisms: Sequence[Mechanism]) -> Mechanism:
    """Each column draws its own."""
    return lambda rng, parents: mechanisms[rng.integers(len(mechanisms))](rng, parents)


def in_robust_units(mechanism: Mechanism) -> Mechanism:
    """Of parents about their medians, in units of their absolute deviation: long tails leave no parent flat."""

    def column(rng: Random, parents: np.ndarray) -> np.ndarray:
        centred = parents - np.median(parents, axis=0)
        return mechanism(rng, centred / (1.5 * np.median(np.abs(centred), axis=0)))

    return column


def draw_gene(rng: Random, parents: np.ndarray) -> np.ndarray:
    """Hill kinetics of activators and repressors of levels in [0, 1], combined, with lognormal noise (SynTReN)."""
    power, middle = rng.choice([1.0, 2.0, 4.0], parents.shape[1]), rng.uniform(0.2, 0.7, parents.shape[1])
    bound = parents**power / (middle**power + parents**power)
    bound = np.where(rng.random(parents.shape[1]) < 0.3, 1 - bound, bound)
    cooperative, either = np.prod(bound, axis=1), 1 - np.prod(1 - bound, axis=1)
    level = [cooperative, either, bound.mean(axis=1)][rng.integers(3)]
    level = 0.05 + 0.9 * (level - level.min()) / max(np.ptp(level), 1e-9)
    return level * np.exp(0.05 * rng.normal(size=len(level)))
