"""What the likelihood score really measures: the relation of two columns, or the two columns alone.

With the cause's law taken as Gaussian and both columns standardised, the likelihood score is

    score = (entropy of x − entropy of y) + d,

where d compares the two directions with the marginals left free. The first part is the rule of igci-g and knows nothing
of the relation. Pairs of a mechanism (location-scale, additive, additive with much noise) are drawn with causes of five
laws; the sets AN … MNU and look-alikes of SIM are drawn beside them.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from whence.catalogue import method
from whence.criteria import parts
from whence.datasets.generators import generate
from whence.datasets.laws import CAUSE_LAWS, gaussian
from whence.datasets.mechanisms import LADDER
from whence.pair import Pair
from whence.study.ledger import Cell, Row
from whence.study.output import Table, select, share
from whence.study.study import Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, REVISION = "likelihood", 2

MECHANISMS = {"lsnm": ("lsnm", 0.4), "anm": ("anm", 0.4), "noisy anm": ("anm", 1.2)}
"""Mechanism and standard deviation of the noise, where the signal has 1."""
SETS = ("AN", "ANs", "LS", "LSs", "MNU", "SIM-like", "SIMG-like")
N = 1000
RULES = ("loci-m", "igci-g", "relation", "loci-h")


def cells(scale: Scale) -> list[Cell]:
    """Pairs of every world."""
    pairs = range(scale.repetitions(200, 6))
    n = 300 if scale.fast else N
    worlds = [f"{mechanism}, {law} cause" for mechanism in MECHANISMS for law in CAUSE_LAWS]
    return [{"world": world, "n": n, "seed": seed} for world in (*worlds, *SETS) for seed in pairs]


def measure(cell: Cell) -> list[Row]:
    """The three rules on one pair, in the order cause, effect."""
    pair = _pair(cell)
    m, h, g = (method(name).decide_many([pair])[0] for name in ("loci-m", "loci-h", "igci-g"))
    if m.failure or h.failure or g.failure:
        return []
    entropies = g.score * math.log(2)  # igci-g counts bits
    found = parts(pair, m.forward, m.backward)
    relation = math.nan if found is None else found.relation
    row: Row = {"loci-m": m.score, "loci-h": h.score, "igci-g": entropies, "relation": relation}
    return [row | {"warning": _warning(m.warnings)}]


def _warning(sentences: Sequence[str]) -> str:
    about = " ".join(sentence for sentence in sentences if "igci-g" in sentence)
    return "same rule" if "told apart" in about else "against the relation" if about else "none"


def _pair(cell: Cell) -> Pair:
    world, n, seed = cell["world"], cell["n"], cell["seed"]
    if world in SETS:
        known = generate(world, pairs=seed + 1, n=n, seed=731).pairs[seed]
        return known.pair if known.truth > 0 else known.pair.swapped()
    mechanism, law = world.removesuffix(" cause").split(", ")
    rng = np.random.default_rng([731, seed])
    cause = CAUSE_LAWS[law](rng, n)
    kind, noise = MECHANISMS[mechanism]
    return Pair.of(cause, LADDER[kind](rng, cause, gaussian(rng, n), noise))


def tables(rows: Sequence[Row]) -> list[Table]:
    """Accuracy of the rules, and how much of the likelihood score the entropies explain."""
    return [_accuracy(rows), _warned(rows)]


def _accuracy(rows: Sequence[Row]) -> Table:
    body = []
    for world in dict.fromkeys(row["world"] for row in rows):
        some = select(rows, world=world)
        accuracy = [share([row[rule] > 0 for row in some])[0] for rule in RULES]
        m, g = (np.array([row[rule] for row in some]) for rule in ("loci-m", "igci-g"))
        agree = share(list((m > 0) == (g > 0)))[0]
        body.append((world, len(some), *accuracy, agree, correlation(m, g), float(np.median(g))))
    columns = ("world", "pairs", *(f"{rule} (%)" for rule in RULES), "m agrees with g (%)", "correlation", "median g")
    title = f"Accuracy, agreement of loci-m (m) with the entropy rule igci-g (g, in nats), n = {rows[0]['n']}"
    return Table("accuracy", title, columns, tuple(body))


def correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Pearson's."""
    return float(np.corrcoef(a, b)[0, 1])


def _warned(rows: Sequence[Row]) -> Table:
    body = []
    for name in ("none", "same rule", "against the relation"):
        some = select(rows, warning=name)
        if not some:
            continue
        against = [row for row in some if row["igci-g"] < 0]
        body.append(
            (
                name,
                len(some),
                *(share([row[rule] > 0 for row in some])[0] for rule in RULES),
                share([(row["loci-m"] > 0) == (row["igci-g"] > 0) for row in some])[0],
                share([row["loci-m"] > 0 for row in against])[0] if against else math.nan,
            )
        )
    columns = (
        "warning",
        "pairs",
        *(f"{rule} (%)" for rule in RULES),
        "m agrees with g (%)",
        "m where g is wrong (%)",
    )
    return Table("warned", "All worlds together, by the warning in loci-m's answer", columns, tuple(body))


def figures(rows: Sequence[Row]) -> "dict[str, Figure]":
    """Accuracy by the cause's law, and score against score."""
    from whence.study.likelihood_figures import accuracies, scores

    return {"accuracy": accuracies(_accuracy(rows)), "scores": scores(rows)}
