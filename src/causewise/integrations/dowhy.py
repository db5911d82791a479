"""For dowhy.gcm: effect = μ(parents) + σ(parents) · noise as a mechanism, `LocationScaleModel`; graphs by `to_dowhy`.

dowhy's own invertible mechanisms add noise of one law whatever the parents are. Where its scale depends on them, the
test of dowhy rejects these mechanisms, and what they say of interventions and counterfactuals has the wrong scale.
"""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from causewise.errors import InputError
from causewise.graphs.causal_graph import SIGNS, TWO_HEADED, CausalGraph
from causewise.models.estimator import LocationScaleEstimator, LocationScaleRegressor
from causewise.pair import FloatArray
from causewise.tables.choose import list_names

if TYPE_CHECKING:
    from causewise.graphs.structural_model import StructuralModel

try:
    import networkx as nx
    from dowhy.gcm import InvertibleStructuralCausalModel
    from dowhy.gcm.causal_mechanisms import InvertibleFunctionalCausalModel, StochasticModel
    from dowhy.gcm.causal_models import PARENTS_DURING_FIT
    from dowhy.gcm.stochastic_models import EmpiricalDistribution
    from dowhy.graph import get_ordered_predecessors
except ImportError as missing:
    raise ImportError(
        f"causewise.integrations.dowhy needs dowhy, which cannot be imported ({missing}); install it with: pip install "
        "dowhy.",
        name=missing.name,
    ) from None


class LocationScaleModel(InvertibleFunctionalCausalModel):
    """A mechanism for dowhy.gcm in which the parents set the mean and the standard deviation of the effect.

    The noise is (effect − mean) / standard deviation, so it can be recovered, and counterfactuals follow. Several
    parents act additively on both natural parameters. Beyond the parents' observed range the end values hold.

    Parameters
    ----------
    regressor : LocationScaleRegressor or LocationScaleNetwork, default=None
        What is fitted, on a copy; None for `LocationScaleRegressor()`.
    noise_model : dowhy.gcm.StochasticModel, default=None
        The law of the noise; None for dowhy's EmpiricalDistribution, which draws from the residuals.

    Examples
    --------
    >>> import networkx as nx, numpy as np, pandas as pd
    >>> from dowhy import gcm
    >>> from causewise.integrations.dowhy import LocationScaleModel
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0, 3, 1000)
    >>> table = pd.DataFrame({"x": x, "y": x + (0.1 + x) * rng.normal(size=1000)})
    >>> model = gcm.InvertibleStructuralCausalModel(nx.DiGraph([("x", "y")]))
    >>> model.set_causal_mechanism("x", gcm.EmpiricalDistribution())
    >>> model.set_causal_mechanism("y", LocationScaleModel())
    >>> _ = gcm.fit(model, table)
    >>> drawn = gcm.interventional_samples(model, {"x": lambda x: 3.0}, num_samples_to_draw=500)
    >>> bool(2 < drawn["y"].std() < 4)
    True
    """

    def __init__(
        self, regressor: LocationScaleEstimator | None = None, noise_model: StochasticModel | None = None
    ) -> None:
        self.regressor = LocationScaleRegressor() if regressor is None else clone(regressor)
        self.noise_model = EmpiricalDistribution() if noise_model is None else noise_model

    def fit(self, X: ArrayLike, Y: ArrayLike) -> None:
        """Fit mean and scale to the parents X and the effect Y, and the noise's law to what they leave."""
        self.regressor.fit(_to_matrix(X, "parents"), _to_matrix(Y, "effect")[:, 0])
        self.noise_model.fit(self.estimate_noise(Y, X))

    def estimate_noise(self, target_samples: ArrayLike, parent_samples: ArrayLike) -> FloatArray:
        """Recover the noise that gives each effect from its parents, one column."""
        mean, std = self._predict_moments(parent_samples)
        return np.asarray((_to_matrix(target_samples, "effect") - mean) / std)

    def draw_noise_samples(self, num_samples: int) -> FloatArray:
        """Draw noise, one column."""
        return np.asarray(self.noise_model.draw_samples(num_samples))

    def evaluate(self, parent_samples: ArrayLike, noise_samples: ArrayLike) -> FloatArray:
        """Compute the effect of parents and noise, one column."""
        mean, std = self._predict_moments(parent_samples)
        return np.asarray(mean + std * _to_matrix(noise_samples, "noise"))

    def clone(self) -> Self:
        """Copy the settings; the copy is not fitted."""
        return type(self)(self.regressor, self.noise_model.clone())

    def __str__(self) -> str:
        return f"LocationScaleModel using {type(self.regressor).__name__}"

    def _predict_moments(self, parents: ArrayLike) -> tuple[FloatArray, FloatArray]:
        mean, std = self.regressor.predict(_to_matrix(parents, "parents"), return_std=True)
        return mean[:, None], std[:, None]


class FittedMechanism(InvertibleFunctionalCausalModel):
    """One column of a fitted graph as a mechanism of dowhy.gcm: mean, scale and noise are those of the graph.

    Its copy by `clone`, which dowhy fits to other rows, is a `LocationScaleModel`.
    """

    def __init__(self, model: "StructuralModel", column: int, parents: tuple[int, ...]) -> None:
        self.model, self.column = model, column
        self.parents = parents
        """In the order in which dowhy gives them."""
        self.noise_model = _draw_from(model.equations[column].noise)

    def fit(self, X: ArrayLike, Y: ArrayLike) -> None:
        """Refuse: the graph has fitted it."""
        raise InputError(
            "Got rows to fit a mechanism to that causewise.graph has fitted; expected none: fit a copy, model.clone(), "
            "or take a graph of these rows."
        )

    def estimate_noise(self, target_samples: ArrayLike, parent_samples: ArrayLike) -> FloatArray:
        """Recover the noise that gives each value from its parents, one column."""
        values = _to_matrix(target_samples, "effect")[:, 0]
        return self.model.recover_noise(self.column, self._name_parents(parent_samples), values)[:, None]

    def draw_noise_samples(self, num_samples: int) -> FloatArray:
        """Draw noise, one column."""
        return np.asarray(self.noise_model.draw_samples(num_samples))

    def evaluate(self, parent_samples: ArrayLike, noise_samples: ArrayLike) -> FloatArray:
        """Compute the column from parents and noise."""
        noise = _to_matrix(noise_samples, "noise")[:, 0]
        return self.model.compute(self.column, self._name_parents(parent_samples), noise)[:, None]

    def clone(self) -> LocationScaleModel:
        """A location-scale model that is not fitted."""
        return LocationScaleModel()

    def __str__(self) -> str:
        return "FittedMechanism of causewise.graph"

    def _name_parents(self, samples: ArrayLike) -> dict[int, FloatArray]:
        return dict(zip(self.parents, _to_matrix(samples, "parents").T, strict=True))


def to_dowhy(graph: CausalGraph) -> InvertibleStructuralCausalModel:
    """Make a fitted graph a structural causal model of dowhy.gcm, on which its functions run without another fit.

    Every column with parents has a `FittedMechanism`, every other its law as the graph has it: samples and
    interventions are those of `graph.do` and `graph.effect`. Beyond the rows that were seen the last value is kept.

    Parameters
    ----------
    graph
        As `causewise.graph` returns it, all edges with a direction. Where the rows leave one open, give it as
        background knowledge.

    Returns
    -------
    dowhy.gcm.InvertibleStructuralCausalModel
        For `gcm.draw_samples`, `interventional_samples`, `counterfactual_samples`, `intrinsic_causal_influence` and
        others; `gcm.fit(model.clone(), rows)` fits location-scale models of the same graph to other rows.

    Raises
    ------
    InputError
        If an edge has no direction, or a common cause that is no column.

    Examples
    --------
    >>> import causewise, numpy as np
    >>> from dowhy import gcm
    >>> from causewise.integrations.dowhy import to_dowhy
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.uniform(0, 4, 400)
    >>> graph = causewise.graph({"dose": dose, "level": 3 * dose + np.exp(0.4 * dose) * rng.normal(size=400)})
    >>> drawn = gcm.interventional_samples(to_dowhy(graph), {"dose": lambda _: 3.0}, num_samples_to_draw=1000)
    >>> bool(8 < drawn["level"].mean() < 10)
    True
    """
    if graph.structure is None:
        raise InputError("Got a graph without its equations; expected one as causewise.graph returns it.")
    _check_directions(graph)
    names, model = graph.structure.names, graph.structure.model
    drawn = nx.DiGraph()
    drawn.add_nodes_from(graph.order)
    drawn.add_edges_from((edge.parent, edge.child) for edge in graph.edges)
    drawn.add_edges_from((names[parent], names[child]) for parent, child in model.arrows)
    out = InvertibleStructuralCausalModel(drawn)
    for name in graph.order:
        column, parents = names.index(name), get_ordered_predecessors(drawn, name)
        if parents:
            mechanism = FittedMechanism(model, column, tuple(map(names.index, parents)))
        else:
            mechanism = _draw_from(model.compute(column, {}, model.equations[column].noise))
        out.set_causal_mechanism(name, mechanism)
        drawn.nodes[name][PARENTS_DURING_FIT] = parents  # what dowhy takes for "fitted"
    return out


def _check_directions(graph: CausalGraph) -> None:
    """Refuse edges that no mechanism stands for."""
    open_ones = [edge for edge in graph.edges if not edge.is_directed]
    if not open_ones:
        return
    shown = list_names([f"{edge.parent!r} {SIGNS[edge.direction]} {edge.child!r}" for edge in open_ones], "", "")
    hidden = any(edge.direction == TWO_HEADED for edge in open_ones)
    remedy = "add the common cause as a column" if hidden else "give it as knowledge={'before': [[cause, effect]]}"
    raise InputError(
        f"Got a graph in which no direction is told between {shown}; expected arrows only, since every mechanism of "
        f"dowhy.gcm computes an effect from its causes: {remedy}."
    )


def _draw_from(values: FloatArray) -> EmpiricalDistribution:
    """The law of these values, as dowhy has it."""
    law = EmpiricalDistribution()
    law.fit(values)
    return law


def _to_matrix(values: Any, what: str) -> FloatArray:
    """Rows of finite numbers; a single sequence is one column, as in dowhy."""
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"Got {what} with values that are no numbers; expected columns of numbers: encode categories as numbers, "
            "or give this node one of dowhy's mechanisms."
        ) from None
    return table.reshape(len(table), -1) if table.ndim else table.reshape(1, 1)
