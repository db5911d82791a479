"""For pgmpy's `ExpertInLoop`, which asks for a direction edge by edge: a function, and an estimator.

pgmpy 1.1 takes a function (`orientation_fn=`), later versions an estimator that is fitted to two columns
(`pairwise_estimator=`). To both of them no answer means no edge, so that a pair that is left undecided loses its edge.
`undecided="lean"` keeps it instead, in the direction to which the evidence leans.
"""

from collections.abc import Callable
from typing import Any, Literal, Self

from sklearn.base import BaseEstimator

from causewise.catalogue import DEFAULT
from causewise.decision import Direction
from causewise.errors import InputError
from causewise.inference import infer
from causewise.integrations.orientation import make_scorer, score_edge
from causewise.parallel import one_thread
from causewise.protocol import Method

Undecided = Literal["skip", "lean"]
OrientationFn = Callable[..., tuple[Any, Any] | None]


def orientation_fn(
    data: Any,
    *,
    knowledge: Any = None,
    method: str | Method = DEFAULT,
    threshold: float | None = None,
    undecided: Undecided = "skip",
    seed: int = 0,
) -> OrientationFn:
    """Make the function that pgmpy's `ExpertInLoop(orientation_fn=…)` asks for directions.

    Parameters
    ----------
    data
        The table that `ExpertInLoop` is fitted to.
    knowledge, method, threshold, seed
        As for `causewise.orient`.
    undecided
        What is said of a pair that is left undecided: "skip", which to pgmpy means that there is no edge, or "lean",
        the direction to which the evidence leans.

    Returns
    -------
    callable
        Of two column names: the cause and the effect, or None.

    Examples
    --------
    >>> import numpy as np
    >>> from causewise.integrations.pgmpy import orientation_fn
    >>> rng = np.random.default_rng(0)
    >>> a = rng.uniform(-2, 2, 500)
    >>> ask = orientation_fn({"a": a, "b": np.sin(2 * a) + (0.1 + 0.2 * abs(a)) * rng.normal(size=500)})
    >>> ask("b", "a")
    ('a', 'b')
    """
    _check_undecided(undecided)
    table, scorer = make_scorer(data, knowledge, method, threshold, seed)

    def ask(u: Any, v: Any, **unused: Any) -> tuple[Any, Any] | None:
        place = {node: table.place(node) for node in (u, v)}
        x, y = sorted((u, v), key=place.__getitem__)
        with one_thread():
            edge = score_edge(scorer, (x, y), (place[x], place[y]))
        if edge.cause is not None:
            return edge.cause, edge.effect
        if undecided == "skip" or edge.score is None:
            return None
        return _to_edge((x, y), Direction.of(edge.score))

    return ask


class PairwiseOrientation(BaseEstimator):
    """An estimator of one direction for pgmpy's `ExpertInLoop(pairwise_estimator=…)`.

    Parameters
    ----------
    method : str or Method, default="causewise"
        A name from `causewise.list_methods()`, with settings if need be, or an object with a `name` and
        `decide_many(pairs)`.
    threshold : float, default=None
        From which confidence on a direction is given, for methods that have a confidence.
    undecided : {"skip", "lean"}, default="skip"
        What becomes of a pair that is left undecided: no edge, or the direction to which the evidence leans.
    seed : int, default=0
        For methods that draw random numbers.

    Attributes
    ----------
    causal_graph_ : pgmpy.base.DAG
        Both columns, and the edge from cause to effect where there is an answer.
    adjacency_matrix_ : pandas.DataFrame
        The same graph, causes as rows.
    decision_ : causewise.Decision
        The whole answer: score, confidence, evidence, warnings.
    feature_names_in_ : list
        Names of the two columns.
    n_features_in_ : int
        Two.
    """

    def __init__(
        self,
        method: str | Method = DEFAULT,
        *,
        threshold: float | None = None,
        undecided: Undecided = "skip",
        seed: int = 0,
    ) -> None:
        self.method = method
        self.threshold = threshold
        self.undecided = undecided
        self.seed = seed

    def fit(self, X: Any, y: None = None) -> Self:
        """Decide which of two columns causes the other.

        Parameters
        ----------
        X : pandas.DataFrame or array of shape (n_samples, 2)
            The two columns; without names they are called x0 and x1, as in pgmpy.
        y : None
            Not used.

        Returns
        -------
        self : PairwiseOrientation
            The fitted estimator.
        """
        _check_undecided(self.undecided)
        try:
            import networkx as nx
            from pgmpy.base import DAG
        except ImportError:
            raise InputError("PairwiseOrientation needs pgmpy; install it with: pip install pgmpy.") from None
        names = list(getattr(X, "columns", [f"x{k}" for k in range(X.shape[1])]))
        if len(names) != 2:
            raise InputError(f"Got {len(names)} columns; expected two: choose them with X[['a', 'b']].")
        self.decision_ = infer(X, method=self.method, threshold=self.threshold, seed=self.seed)
        direction = self.decision_.direction
        if direction is Direction.UNDECIDED and self.undecided == "lean":
            direction = Direction.of(self.decision_.score)
        edge = _to_edge(names, direction)
        self.causal_graph_ = DAG([edge] if edge else [])
        self.causal_graph_.add_nodes_from(names)
        self.adjacency_matrix_ = nx.to_pandas_adjacency(self.causal_graph_, nodelist=names, weight=None, dtype=int)
        self.feature_names_in_, self.n_features_in_ = names, 2
        return self


def _to_edge(names: Any, direction: Direction) -> tuple[Any, Any] | None:
    x, y = names
    return {Direction.FORWARD: (x, y), Direction.BACKWARD: (y, x)}.get(direction)


def _check_undecided(undecided: Any) -> None:
    if undecided not in ("skip", "lean"):
        raise InputError(f"Got undecided={undecided!r}; expected 'skip', for no edge, or 'lean'.")
