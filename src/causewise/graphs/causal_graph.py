"""The causal graph of a table: an order, causes first, and edges with what the parent affects, mean or variance."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from causewise.errors import InputError
from causewise.files import replace_with
from causewise.formatting import json_text, visible
from causewise.graphs.effect import LEVEL, Effect, EffectRefusal, Strength
from causewise.knowledge.background import Knowledge
from causewise.numerics.native import FloatArray
from causewise.parallel import DEFAULT_ENGINE, Engine
from causewise.scanning.graph_files import GRAPH_FORMATS, build_digraph, check_ending

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from networkx import DiGraph

    from causewise.graphs.agreement import GraphAgreement
    from causewise.graphs.comparison import GraphComparison
    from causewise.graphs.interventions import Structure

Asked = Effect | EffectRefusal | tuple[str, str]
"""An answer, or cause and effect of which one is asked for."""
ASSUMES = (
    "This assumes that nothing runs in a circle, that rows are independent, and that each column comes from its "
    "parents by straight lines, sums of functions, a smooth function of all of them, natural parameters that add up, "
    "or a sensor over one of these."
)
FREE = "Columns that no path of arrows joins may stand in any order."
ARROW, LINE, TWO_HEADED = "->", "--", "<->"
SIGNS = {ARROW: "→", LINE: "—", TWO_HEADED: "↔"}
EDGE_KINDS = ("directed", "undirected", "common cause", "given")


@dataclass(frozen=True)
class Edge:
    """Two columns that no other column of the table makes independent, and which of them affects the other."""

    parent: str
    """Where the direction is not told: the one that stands first in the order."""
    child: str
    direction: str
    """"->": the parent affects the child; "--": one affects the other, and which is not told; "<->": a common cause
    that is not in the table, as far as the rows tell."""
    mean: bool
    """Whether the parent affects the child's mean."""
    spread: bool
    """Whether it affects the variance of the child's noise."""
    p_mean: float | None
    """Of the test that it does not affect the mean, given all other edges; None where that is not in the model."""
    p_spread: float | None
    """The same of the variance."""
    direction_probability: float | None
    """That the parent affects the child rather than the other way round, if one does; None where that is given, and
    where one follows the noise of the other."""
    support: float | None = None
    """The share of random parts of the rows in which the two are joined by an edge; None where none were drawn."""
    required: bool = False
    """Whether the edge is given, and kept whatever its tests say."""
    direction_given: bool = False
    """Whether its direction is given by background knowledge, and not found."""
    reason: str = ""
    """Why it has no direction; empty where it has one."""

    @property
    def p(self) -> float:
        """The smaller of the two p-values, times two."""
        return min(1.0, 2 * min((each for each in (self.p_mean, self.p_spread) if each is not None), default=1.0))

    @property
    def moves(self) -> str:
        """What the parent affects, in words."""
        return {(True, True): "mean and spread", (True, False): "mean", (False, True): "spread"}.get(
            (self.mean, self.spread), "nothing that shows"
        )

    @property
    def is_directed(self) -> bool:
        """Whether the parent is told to affect the child."""
        return self.direction == ARROW

    @property
    def is_given(self) -> bool:
        """Whether the edge or its direction comes from background knowledge."""
        return self.required or self.direction_given

    @property
    def kind(self) -> str:
        """One of `EDGE_KINDS`: what is told apart wherever edges are counted, listed or drawn."""
        return "given" if self.is_given else EDGE_KINDS[(ARROW, LINE, TWO_HEADED).index(self.direction)]

    def __str__(self) -> str:
        arrow = f"{visible(self.parent)} {SIGNS[self.direction]} {visible(self.child)}"
        what = self.moves if self.direction == ARROW else "direction open" if self.direction == LINE else "common cause"
        return f"{arrow} ({what}{', given' * self.is_given})"


@dataclass(frozen=True)
class DirectionCurve:
    """One column given another, in the table's units."""

    grid: tuple[float, ...]
    """Ascending values of the column that is given."""
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    """Standard deviations of the other column at the grid."""


@dataclass(frozen=True)
class EdgeCurve:
    """The two columns of an edge by themselves, each given the other, and some of their rows."""

    forward: DirectionCurve
    """The child given the parent."""
    backward: DirectionCurve
    parent: tuple[float, ...]
    """Values in some of the rows."""
    child: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class CausalGraph:
    """An order of a table's columns, which parents affect the mean of each, and which its variance.

    Examples
    --------
    >>> import numpy as np, causewise
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.uniform(-2, 2, 400)
    >>> response = np.sin(2 * dose) + 0.3 * np.exp(0.4 * dose) * rng.normal(size=400)
    >>> graph = causewise.graph({"response": response, "dose": dose})
    >>> print(graph)
    1 edge between 2 columns of 400 rows; causes first: dose, response
    >>> graph.parents("response"), graph.edges[0].moves
    (('dose',), 'mean and spread')
    """

    order: tuple[str, ...]
    """Causes first."""
    edges: tuple[Edge, ...]
    """By the child's place in the order, then the parent's."""
    independence: Mapping[str, float | None]
    """Of each column: the p-value that its noise is independent of its predecessors.

    None for the first, and for columns of few values or with a point mass.
    """
    mechanisms: Mapping[str, str]
    """How each column comes from its parents: lines, sums, natural parameters, a sensor; and the law of its noise."""
    log_likelihood: float
    """Nats a row, of all columns standardised, less an AIC penalty; the larger, the better the order."""
    n: int
    """Complete rows."""
    dropped_rows: int
    """Rows left out because a value was missing."""
    left_out: Mapping[str, str]
    """Columns that could not be used, with the reason."""
    kinds: Mapping[str, str]
    """What each column is by how its values repeat."""
    warnings: tuple[str, ...]
    facts: Mapping[str, Any]
    """Settings, seed and version: what it takes to repeat it."""
    values: Mapping[str, FloatArray] = field(default_factory=dict, repr=False)
    """The columns in complete rows, in the table's units; empty where they were not kept."""
    knowledge: Knowledge | None = field(default=None, repr=False)
    """The background knowledge that was applied."""
    finished: Callable[[], None] = field(default=lambda: None, repr=False)
    """Called once it is written: the journal of its parts is no longer needed."""
    structure: "Structure | None" = field(default=None, repr=False, compare=False)
    """The equations behind it, of all rows and of every part: what `effect`, `do` and `strength` compute with."""

    def __str__(self) -> str:
        if not self.edges:
            return f"{self._counts}: no column is seen to move another"
        return f"{self._counts}; causes first: {', '.join(map(visible, self.order))}"

    def __repr__(self) -> str:
        return f"<CausalGraph: {self}>"

    @property
    def counts(self) -> dict[str, int]:
        """How many edges there are of each kind: `directed`, `undirected`, by a `common cause`, `given`."""
        return {kind: sum(edge.kind == kind for edge in self.edges) for kind in EDGE_KINDS}

    @cached_property
    def curves(self) -> Mapping[tuple[str, str], EdgeCurve]:
        """Of each edge, its two columns fitted by themselves, both ways; none where the columns were not kept."""
        from causewise.graphs.edge_curves import measure_edge_curves

        return measure_edge_curves(self.values, self.edges)

    @cached_property
    def effects(self) -> Mapping[tuple[str, str], Effect | EffectRefusal]:
        """Of every pair of columns what becomes of the second where the first is set, or why that is not told.

        Of more than 14 columns the 182 pairs that fewest edges join; none where the equations were not kept.
        """
        from causewise.graphs.pair_effects import measure_effects

        return {} if self.structure is None else measure_effects(self.structure, self.edges)

    @property
    def _counts(self) -> str:
        given = sum(edge.is_given for edge in self.edges)
        found = len(self.edges) - given
        edges = f"{found} edge{'s' * (found != 1)}{f' found and {given} given' if given else ''}"
        loose = sum(edge.direction == LINE for edge in self.edges)
        hidden = sum(edge.direction == TWO_HEADED for edge in self.edges)
        apart = [f"{loose} without a direction"] * bool(loose) + [f"{hidden} by a common cause"] * bool(hidden)
        open_ones = f" ({', '.join(apart)})" if apart else ""
        return f"{edges}{open_ones} between {len(self.order)} columns of {self.n:,} rows"

    def parents(self, column: str) -> tuple[str, ...]:
        """The columns that affect this one, by an arrow."""
        return tuple(edge.parent for edge in self.edges if edge.child == column and edge.direction == ARROW)

    def neighbours(self, column: str) -> tuple[str, ...]:
        """The columns that an edge of any kind joins with this one."""
        ends = ((edge.parent, edge.child) for edge in self.edges)
        return tuple(b if a == column else a for a, b in ends if column in (a, b))

    def effect(self, cause: str, effect: str, at: Any = None, *, direct: bool = False, level: float = LEVEL) -> Effect:
        """What becomes of one column where another is set: mean and standard deviation, with bounds.

        Parameters
        ----------
        cause, effect
            Two columns that a path of arrows joins, and no edge without direction may.
        at
            Values to set the cause to; quantiles of it unless given.
        direct
            By the edge alone, the columns between them held as they are; all paths together unless asked.
        level
            Probability of the bounds, which come from the parts of the rows that `bootstrap` draws.

        Examples
        --------
        >>> import numpy as np, causewise
        >>> rng = np.random.default_rng(0)
        >>> a = rng.uniform(-2, 2, 400)
        >>> b = a**3 + rng.uniform(-1, 1, 400)
        >>> graph = causewise.graph({"a": a, "b": b, "c": np.tanh(b) + rng.uniform(-1, 1, 400)})
        >>> graph.effect("a", "c").from_to.mean > 1
        True
        """
        from causewise.graphs.interventions import estimate_effect

        return estimate_effect(self._structure, self.edges, cause, effect, at, direct, level)

    def do(self, setting: Mapping[str, float], rows: int = 1000, seed: int = 0) -> dict[str, FloatArray]:
        """Draw rows where some columns are set, `{"a": 2.0}`; with none set, rows like those of the table.

        Values beyond the observed ones are warned of: there curves keep their last value.
        """
        from causewise.graphs.interventions import draw_rows

        return draw_rows(self._structure, self.edges, setting, rows, seed)

    def strength(self) -> tuple[Strength, ...]:
        """Of every arrow: which share of the child's variance the parent carries, by its mean and by its spread."""
        from causewise.graphs.interventions import measure_strengths

        return measure_strengths(self._structure, self.edges)

    def _answer(self, effects: Any) -> list[Effect | EffectRefusal]:
        answers: list[Effect | EffectRefusal] = []
        for each in [effects] if isinstance(effects, Effect | EffectRefusal) else effects:
            if isinstance(each, Effect | EffectRefusal):
                answers.append(each)
            elif isinstance(each, tuple) and len(each) == 2:
                answers.append(self.ask_effect(*each))
            else:
                raise InputError(f"Got {each!r} as an effect; expected what `effect` returns, or ('cause', 'effect').")
        return answers

    @property
    def _structure(self) -> "Structure":
        if self.structure is None:
            raise InputError("Got a graph without its equations; expected one as causewise.graph returns it.")
        return self.structure

    def to_networkx(self) -> "DiGraph":
        """The edges as a networkx graph: columns in their order, the weight of an edge its support (1.0 without)."""
        edges = []
        for edge in self.edges:
            attributes = {"weight": 1.0 if edge.support is None else edge.support, **asdict(edge)}
            edges.append((attributes.pop("parent"), attributes.pop("child"), attributes))
        return build_digraph(self.order, edges)

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain numbers and text."""
        return {
            "order": list(self.order),
            "edges": [asdict(edge) for edge in self.edges],
            "independence": dict(self.independence),
            "mechanisms": dict(self.mechanisms),
            "log_likelihood": self.log_likelihood,
            "n": self.n,
            "dropped_rows": self.dropped_rows,
            "left_out": dict(self.left_out),
            "kinds": dict(self.kinds),
            "warnings": list(self.warnings),
            **self.facts,
        }

    def write(self, path: Any, effects: Sequence[Asked] = ()) -> None:
        """Write everything as JSON, with effects that were asked for, or the edges alone, by the ending of the name.

        Edges are written as GraphML, DOT or Tetrad's text (.txt).
        """
        target = Path(path)
        to_text = check_ending(target, GRAPH_FORMATS)
        is_json = target.suffix.lower() == ".json"
        asked = [each.to_dict() for each in self._answer(effects)]
        record = self.to_dict() | ({"effects": asked} if asked else {})
        replace_with(target, (json_text(record) + "\n" if is_json else to_text(self.to_networkx())).encode())
        self.finished()

    def plot(self, path: Any = None) -> "Figure":
        """Draw the columns and the edges between them: directed, without a direction, by a common cause, given."""
        from causewise.report.graph_pictures import draw_causal_graph

        return draw_causal_graph(self.to_networkx(), self._counts, path)

    def compare(self, other: Any, names: Sequence[str] | None = None) -> "GraphComparison":
        """Count how this graph differs from another, such as a known truth or what another program found.

        Parameters
        ----------
        other
            A CausalGraph; a networkx Graph or DiGraph; a causal-learn graph; DOT or Tetrad's text, or the path of a
            .dot, .graphml, .json or .txt (Tetrad) file; a matrix, causal-learn's or with 1 from cause (row) to effect.
            An edge both ways, or with a circle at an end, has no direction.
        names
            The nodes of a matrix.

        Examples
        --------
        >>> import numpy as np, causewise
        >>> rng = np.random.default_rng(0)
        >>> dose = rng.uniform(-2, 2, 400)
        >>> graph = causewise.graph({"dose": dose, "response": np.sin(2 * dose) + 0.2 * rng.normal(size=400)})
        >>> graph.compare("digraph { dose -> response }").shd
        0.0
        """
        from causewise.graphs.comparison import compare_graphs

        return compare_graphs(self, other, names)

    def agreement(
        self, subsets: int = 8, size: int | None = None, seed: int = 0, engine: Engine = DEFAULT_ENGINE
    ) -> "GraphAgreement":
        """Look for contradictions without a truth: do graphs of subsets of the columns agree with this one?

        A subset's graph is compared with what is left of this one when the other columns are hidden. Disagreement shows
        mistakes; agreement does not prove that there are none (docs/graph.md says how little it tells of quality).

        Parameters
        ----------
        subsets, size
            How many random subsets, and of how many columns; half of them unless given.
        seed
            For the subsets that are drawn.
        engine
            Processes, and who hears of progress.

        Examples
        --------
        >>> import numpy as np, causewise
        >>> rng = np.random.default_rng(0)
        >>> a = rng.uniform(-2, 2, 300)
        >>> b = np.sin(2 * a) + 0.3 * rng.normal(size=300)
        >>> c = np.tanh(2 * b) + 0.3 * rng.uniform(-1, 1, 300)
        >>> graph = causewise.graph({"a": a, "b": b, "c": c}, bootstrap=0)
        >>> graph.agreement().subsets
        3
        """
        from causewise.graphs.agreement import measure_agreement

        return measure_agreement(self, subsets, size, seed, engine)

    def ask_effect(self, cause: str, effect: str, at: Any = None) -> Effect | EffectRefusal:
        """As `effect`; where there is none, an `EffectRefusal` that says why, instead of an error."""
        from causewise.graphs.interventions import ask_effect

        return ask_effect(self._structure, self.edges, cause, effect, at)

    def report(self, path: Any, effects: Sequence[Asked] = ()) -> None:
        """Write one self-contained HTML page: the picture, every edge with its evidence, and what if a column is set.

        Parameters
        ----------
        path
            Where to write it.
        effects
            To be shown first: effects, or pairs of a cause and an effect; the strongest of all pairs unless given.

        Examples
        --------
        >>> import numpy as np, causewise
        >>> rng = np.random.default_rng(0)
        >>> dose = rng.uniform(-2, 2, 400)
        >>> graph = causewise.graph({"dose": dose, "response": np.sin(2 * dose) + 0.2 * rng.normal(size=400)})
        >>> graph.report("out/graph.html")  # doctest: +SKIP
        """
        from causewise.report.html_pages import write_graph

        write_graph(self, path, self._answer(effects))

    def _repr_html_(self) -> str:
        """The order and the first edges, for notebooks."""
        from causewise.report.html_pages import render_graph_card

        return render_graph_card(self)
