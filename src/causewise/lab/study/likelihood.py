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

from causewise.catalogue import method
from causewise.criteria import split_score
from causewise.lab.datasets.generators import generate
from causewise.lab.datasets.laws import CAUSE_LAWS, LADDER, gaussian
from causewise.lab.plotting import canvas, draw_line, draw_reference, figure_style, line_style
from causewise.lab.study.running import Cell, Row, Scale, StudyTable, percentage, select
from causewise.pair import Pair

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME, REVISION = "likelihood", 2

MECHANISMS = {"lsnm": ("lsnm", 0.4), "anm": ("anm", 0.4), "noisy anm": ("anm", 1.2)}
"""Mechanism and standard deviation of the noise, where the signal has 1."""
SETS = ("AN", "ANs", "LS", "LSs", "MNU", "SIM-like", "SIMG-like")
N = 1000
RULES = ("loci-m", "igci-g", "relation", "loci-h")
_MARKS = {"loci-m": 0, "igci-g": 1, "loci-h": 2, "relation": 3}
_LABELS = {"relation": "loci-m − igci-g (the relation's part)"}


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
    if m.failed or h.failed or g.failed:
        return []
    entropies = g.score * math.log(2)  # igci-g counts bits
    # d of the module's docstring: what is left of the score when both columns' entropies are taken out.
    both = split_score(pair, m.forward, m.backward)
    relation = math.nan if both is None else both.relation
    row: Row = {"loci-m": m.score, "loci-h": h.score, "igci-g": entropies, "relation": relation}
    return [row | {"warning": _warning(m.warnings)}]


def _warning(sentences: Sequence[str]) -> str:
    about = " ".join(sentence for sentence in sentences if "igci-g" in sentence)
    return "same rule" if "told apart" in about else "against the relation" if about else "none"


def _pair(cell: Cell) -> Pair:
    world, n, seed = cell["world"], cell["n"], cell["seed"]
    if world in SETS:
        known = generate(world, pairs=seed + 1, n=n, seed=731).pairs[seed]
        return known.pair if known.truth > 0 else known.pair.swap()
    mechanism, law = world.removesuffix(" cause").split(", ")
    # The seed is the same for all worlds: they share their random numbers, so that differences between them are paired.
    rng = np.random.default_rng([731, seed])
    cause = CAUSE_LAWS[law](rng, n)
    kind, noise = MECHANISMS[mechanism]
    return Pair.of(cause, LADDER[kind](rng, cause, gaussian(rng, n), noise))


def tables(rows: Sequence[Row]) -> list[StudyTable]:
    """Accuracy of the rules, and how much of the likelihood score the entropies explain."""
    return [_accuracy(rows), _by_warning(rows)]


def _accuracy(rows: Sequence[Row]) -> StudyTable:
    body = []
    for world in dict.fromkeys(row["world"] for row in rows):
        some = select(rows, world=world)
        accuracy = [percentage([row[rule] > 0 for row in some]) for rule in RULES]
        m, g = (np.array([row[rule] for row in some]) for rule in ("loci-m", "igci-g"))
        agree = percentage(list((m > 0) == (g > 0)))
        body.append((world, len(some), *accuracy, agree, _correlation(m, g), float(np.median(g))))
    columns = ("world", "pairs", *(f"{rule} (%)" for rule in RULES), "m agrees with g (%)", "correlation", "median g")
    title = f"Accuracy, agreement of loci-m (m) with the entropy rule igci-g (g, in nats), n = {rows[0]['n']}"
    return StudyTable("accuracy", title, columns, tuple(body))


def _correlation(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(a, b)[0, 1])


def _by_warning(rows: Sequence[Row]) -> StudyTable:
    body = []
    for name in ("none", "same rule", "against the relation"):
        if not (some := select(rows, warning=name)):
            continue
        accuracy = [percentage([row[rule] > 0 for row in some]) for rule in RULES]
        agree = percentage([(row["loci-m"] > 0) == (row["igci-g"] > 0) for row in some])
        # Where the entropies point the wrong way, only the relation can put loci-m right.
        against = [row for row in some if row["igci-g"] < 0]
        right = percentage([row["loci-m"] > 0 for row in against]) if against else math.nan
        body.append((name, len(some), *accuracy, agree, right))
    columns = ("warning", "pairs", *(f"{rule} (%)" for rule in RULES), "m agrees with g (%)", "m where g is wrong (%)")
    return StudyTable("warned", "All worlds together, by the warning in loci-m's answer", columns, tuple(body))


def figures(rows: Sequence[Row]) -> "dict[str, Figure]":
    """Accuracy by the cause's law, and score against score."""
    with figure_style():
        return {"accuracy": _accuracy_figure(_accuracy(rows)), "scores": _scores_figure(rows)}


def _accuracy_figure(table: StudyTable) -> "Figure":
    """One place per world, one mark per rule."""
    worlds = table.column("world")
    figure, (panel,) = canvas(1, 1, 10.2, 4.0)
    for rule in RULES:
        places = np.arange(len(worlds)) + 0.16 * (_MARKS[rule] - 1.5)
        style = {"linestyle": "none", "markersize": 6}
        draw_line(panel, places, table.column(f"{rule} (%)"), _LABELS.get(rule, rule), _MARKS[rule], **style)
    draw_reference(panel, 50)
    for border in (4.5, 9.5, 14.5):
        panel.axvline(border, color="#c0c0c0", linewidth=0.8)
    names = [world.removesuffix(" cause").split(", ")[-1] for world in worlds]
    panel.set_xticks(range(len(worlds)), names, rotation=35, ha="right", rotation_mode="anchor")
    for place, text in ((2, "location-scale"), (7, "additive"), (12, "additive, noisy"), (18, "benchmark laws")):
        panel.annotate(text, (place, 104), ha="center", fontsize=9)
    panel.set(ylabel="accuracy (%)", ylim=(0, 112), yticks=range(0, 101, 25), xlim=(-0.6, len(worlds) - 0.4))
    figure.legend(loc="outside lower center", ncols=4)
    return figure


def _scores_figure(rows: Sequence[Row]) -> "Figure":
    """The likelihood score against the entropies of the two columns; on the dotted line they are the same."""
    figure, axes = canvas(len(MECHANISMS), len(CAUSE_LAWS), 10.4, 6.6, sharey="row", sharex="row")
    worlds = [(mechanism, law) for mechanism in MECHANISMS for law in CAUSE_LAWS]
    for panel, (mechanism, law) in zip(axes, worlds, strict=True):
        some = select(rows, world=f"{mechanism}, {law} cause")
        x, y = (np.array([row[rule] for row in some]) for rule in ("igci-g", "loci-m"))
        panel.axhline(0, color="#909090", linewidth=0.7)
        panel.axvline(0, color="#909090", linewidth=0.7)
        panel.axline((0, 0), slope=1, color="#202020", linewidth=0.8, linestyle=":")
        panel.plot(x, y, ".", markersize=4, color=line_style(0)["color"], rasterized=True)
        panel.set_title(f"{law}: r = {_correlation(x, y):.2f}", pad=3)
        if law == next(iter(CAUSE_LAWS)):
            panel.set_ylabel(f"{mechanism}\nloci-m (nats)")
    figure.supxlabel("entropy of the cause − entropy of the effect (igci-g, nats)", fontsize=10)
    return figure
