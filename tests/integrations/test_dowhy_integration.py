"""Mechanisms and whole graphs for dowhy.gcm, in dowhy itself: tested, inverted, intervened on; and its own effects."""

import doctest
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("dowhy", reason="dowhy is not installed here: make bridges has an environment for it")

import networkx as nx
import pandas as pd
from dowhy import gcm
from dowhy.gcm.ml import SklearnRegressionModel
from scipy.stats import norm

import causewise
import causewise.integrations.dowhy
from causewise import LocationScaleRegressor
from causewise.errors import InputError
from causewise.integrations.dowhy import FittedMechanism, LocationScaleModel, to_dowhy

gcm.config.disable_progress_bars()
gcm.config.set_default_n_jobs(1)  # its processes take longer to start than to work
ONLY_THE_TEST = {
    "evaluate_causal_mechanisms": False,
    "evaluate_overall_kl_divergence": False,
    "evaluate_causal_structure": False,
}


def spread(x: np.ndarray) -> np.ndarray:
    return 0.3 * np.exp(0.5 * x)


def drawn(seed: int, n: int = 1000) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, n)
    return pd.DataFrame({"x": x, "y": np.sin(2 * x) + spread(x) * rng.normal(size=n)})


def fitted(mechanism: object, table: pd.DataFrame) -> gcm.InvertibleStructuralCausalModel:
    model = gcm.InvertibleStructuralCausalModel(nx.DiGraph([("x", "y")]))
    model.set_causal_mechanism("x", gcm.EmpiricalDistribution())
    model.set_causal_mechanism("y", mechanism)
    gcm.fit(model, table)
    return model


def additive() -> gcm.AdditiveNoiseModel:
    """With the very same mean: what differs is that its noise has one spread."""
    return gcm.AdditiveNoiseModel(SklearnRegressionModel(LocationScaleRegressor()))


def test_dowhys_own_test_refuses_the_additive_model_and_keeps_ours() -> None:
    kept = []
    for seed in range(5):
        table = drawn(seed)
        gcm.util.general.set_random_seed(seed)
        for mechanism in (additive(), LocationScaleModel()):
            found = gcm.evaluate_causal_model(fitted(mechanism, table), table, **ONLY_THE_TEST)
            p_value, refused, _ = found.pnl_assumptions["y"]
            if isinstance(mechanism, LocationScaleModel):
                kept.append(not refused)
            else:
                assert refused and p_value < 1e-6
    assert sum(kept) >= 4  # a true model is refused once in twenty


@pytest.mark.parametrize("parents", [1, 3])
def test_noise_is_recovered_and_gives_the_effect_back(parents: int) -> None:
    rng = np.random.default_rng(parents)
    x = rng.normal(size=(300, parents))
    y = x.sum(axis=1) + np.exp(0.3 * x[:, 0]) * rng.normal(size=300)
    model = LocationScaleModel(LocationScaleRegressor(n_knots=6))
    model.fit(x if parents > 1 else x[:, 0], y)
    noise = model.estimate_noise(y, x)
    assert noise.shape == (300, 1)
    assert model.evaluate(x, noise)[:, 0] == pytest.approx(y)
    assert model.draw_noise_samples(70).shape == (70, 1) and model.draw_samples(x).shape == (300, 1)
    assert set(model.draw_noise_samples(70)[:, 0]) <= set(noise[:, 0])  # the default draws from the residuals


def test_an_intervention_has_the_mean_and_the_spread_of_its_place() -> None:
    model = fitted(LocationScaleModel(LocationScaleRegressor(n_knots=8)), drawn(0, 3000))
    gcm.util.general.set_random_seed(0)
    for x in (-1.5, 0.0, 0.75, 1.5):
        y = gcm.interventional_samples(model, {"x": lambda _, x=x: x}, num_samples_to_draw=3000)["y"]
        assert y.mean() == pytest.approx(np.sin(2 * x), abs=0.12)
        assert y.std() == pytest.approx(spread(x), rel=0.25)


def test_a_counterfactual_keeps_the_noise_and_follows_the_truth() -> None:
    table = drawn(1, 3000)
    ours = fitted(LocationScaleModel(LocationScaleRegressor(n_knots=8)), table)
    seen = table[table["x"].between(-1.5, 0.5)].head(200)
    same = gcm.counterfactual_samples(ours, {"x": lambda x: x}, observed_data=seen)
    assert same["y"].to_numpy() == pytest.approx(seen["y"].to_numpy())

    x, noise = seen["x"], (seen["y"] - np.sin(2 * seen["x"])) / spread(seen["x"])
    truth = np.sin(2 * (x + 1)) + spread(x + 1) * noise
    errors = [
        np.std(gcm.counterfactual_samples(model, {"x": lambda x: x + 1}, observed_data=seen)["y"].to_numpy() - truth)
        for model in (ours, fitted(additive(), table))
    ]
    assert errors[0] < 0.15 and errors[0] < 0.6 * errors[1]


@pytest.mark.parametrize("auto", [False, True])
def test_effects_of_a_graph_are_those_of_dowhy_on_the_same_graph(auto: bool) -> None:
    """Within dowhy's own error, as halves of the rows show it, by mechanisms of the right kind or by its own choice.

    Halves, since a row that is drawn twice stands on both sides of its cross-validation, which then prefers boosting.
    """
    rng = np.random.default_rng(4)
    z = rng.uniform(-1, 1, 600)
    a = np.tanh(2 * z) + 0.5 * rng.uniform(-1, 1, 600)
    table = pd.DataFrame({"b": 2 * a - 1.5 * z + 0.5 * rng.uniform(-1, 1, 600), "a": a, "z": z})
    graph = causewise.graph(table)
    assert {(edge.parent, edge.child) for edge in graph.edges} == {("z", "a"), ("z", "b"), ("a", "b")}
    for cause in ("a", "z"):
        ours = graph.effect(cause, "b", at=np.quantile(table[cause], [0.25, 0.75]))
        theirs = np.array(intervene_in_dowhy(table, ours, auto))
        halves = [intervene_in_dowhy(table.sample(300, random_state=k), ours, auto) for k in range(6)]
        error = np.sqrt(np.mean((np.array(halves) - theirs) ** 2, axis=0))
        assert (np.abs(ours.mean - theirs) < 3 * error).all()


def intervene_in_dowhy(table: pd.DataFrame, effect: causewise.Effect, auto: bool) -> list[float]:
    model = gcm.StructuralCausalModel(nx.DiGraph([("z", "a"), ("z", "b"), ("a", "b")]))
    if auto:
        gcm.auto.assign_causal_mechanisms(model, table)
    else:
        curve = SklearnRegressionModel(LocationScaleRegressor(n_knots=6))
        model.set_causal_mechanism("z", gcm.EmpiricalDistribution())
        model.set_causal_mechanism("a", gcm.AdditiveNoiseModel(curve))
        model.set_causal_mechanism("b", gcm.AdditiveNoiseModel(gcm.ml.create_linear_regressor()))
    gcm.fit(model, table)
    gcm.util.general.set_random_seed(0)
    return [
        float(
            gcm.interventional_samples(model, {effect.cause: lambda _, x=x: x}, num_samples_to_draw=2000)[
                effect.effect
            ].mean()
        )
        for x in effect.at
    ]


# ---- whole graphs


def columns(n: int = 800) -> pd.DataFrame:
    """a → b → d by functions, a → c ← b by a sensor over a sum, and e alone; names in another order."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=n)
    b = np.sin(2 * a) + 0.4 * np.exp(0.5 * a) * rng.normal(size=n)
    c = np.exp(1.5 * a + b + 0.3 * rng.normal(size=n))
    d = np.tanh(2 * b) + 0.3 * rng.uniform(-1, 1, n)
    return pd.DataFrame({"d": d, "c c": c, "b": b, "e": rng.normal(size=n), "a": a})


@pytest.fixture(scope="module")
def graph() -> causewise.CausalGraph:
    found = causewise.graph(columns(), knowledge={"tiers": [["a"], ["b"], ["c c", "d"]]}, bootstrap=0)
    assert {(edge.parent, edge.child) for edge in found.edges} == {("a", "b"), ("a", "c c"), ("b", "c c"), ("b", "d")}
    assert "sensor" in found.mechanisms["c c"]
    return found


@pytest.fixture(scope="module")
def exported(graph: causewise.CausalGraph) -> gcm.InvertibleStructuralCausalModel:
    return to_dowhy(graph)


def agree(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two samples have one mean, within 5 standard errors of its difference."""
    error = np.sqrt(np.var(one) / len(one) + np.var(other) / len(other))
    return bool(abs(np.mean(one) - np.mean(other)) <= 5 * error)


@pytest.mark.parametrize("setting", [{}, {"a": 1.0}, {"b": -0.5}, {"a": -1.0, "b": 0.5}])
def test_samples_of_a_graph_in_dowhy_are_those_of_the_graph(graph, exported, setting) -> None:
    gcm.util.general.set_random_seed(1)
    rows, actions = 20_000, {name: lambda _, value=value: value for name, value in setting.items()}
    if actions:
        theirs = gcm.interventional_samples(exported, actions, num_samples_to_draw=rows)
    else:
        theirs = gcm.draw_samples(exported, rows)
    ours = graph.do(setting, rows=rows, seed=2)
    assert set(theirs) == set(ours)
    for name, values in ours.items():
        assert agree(theirs[name].to_numpy(), values)
        assert agree(theirs[name].to_numpy() ** 2, values**2)


def test_interventions_in_dowhy_have_the_means_of_the_effect(graph, exported) -> None:
    gcm.util.general.set_random_seed(3)
    effect = graph.effect("a", "d", at=[-1.0, 0.0, 1.0])
    for value, mean, scale in zip(effect.at, effect.mean, effect.scale, strict=True):
        drawn_rows = gcm.interventional_samples(exported, {"a": lambda _, x=value: x}, num_samples_to_draw=20_000)
        # The effect integrates over 512 rows, stratified.
        assert drawn_rows["d"].mean() == pytest.approx(mean, abs=4 * scale / 512**0.5)
        assert drawn_rows["d"].std() == pytest.approx(scale, rel=0.1)


def test_noise_gives_the_rows_back_and_counterfactuals_keep_it(graph, exported) -> None:
    table = columns()
    same = gcm.counterfactual_samples(exported, {"a": lambda x: x}, observed_data=table)
    for name in table:
        assert same[name].to_numpy() == pytest.approx(table[name].to_numpy())
    moved = gcm.counterfactual_samples(exported, {"b": lambda b: b + 0.3}, observed_data=table)
    assert moved["a"].equals(table["a"]) and moved["e"].equals(table["e"])
    mechanism = exported.causal_mechanism("d")
    assert isinstance(mechanism, FittedMechanism) and "causewise" in str(mechanism)
    noise = mechanism.estimate_noise(table["d"].to_numpy(), table[["b"]].to_numpy())
    assert moved["d"].to_numpy() == pytest.approx(mechanism.evaluate(moved[["b"]].to_numpy(), noise)[:, 0])


def test_other_functions_of_gcm_run_on_a_graph(exported) -> None:
    gcm.util.general.set_random_seed(4)
    table = columns()
    few = {"num_samples_randomization": 100, "num_samples_baseline": 50}
    shares = gcm.intrinsic_causal_influence(exported, "d", gcm.ml.create_hist_gradient_boost_regressor(), **few)
    assert set(shares) == {"a", "b", "d"} and shares["a"] > shares["d"]
    assert list(gcm.arrow_strength(exported, "d", num_samples_conditional=200, max_num_runs=50)) == [("b", "d")]
    setting = {"interventions_alternative": {"a": lambda _: 1.0}, "interventions_reference": {"a": lambda _: 0.0}}
    assert gcm.average_causal_effect(exported, "d", **setting, num_samples_to_draw=2000) == pytest.approx(
        0.85, abs=0.15
    )
    assert set(gcm.attribute_anomalies(exported, "d", table.head(2), num_distribution_samples=300)) == {"a", "b", "d"}
    assert set(gcm.distribution_change(exported, table.head(400), table.tail(400), "d")) == {"a", "b", "d"}


def test_a_copy_can_be_fitted_and_the_graph_itself_cannot(exported) -> None:
    copy = exported.clone()
    gcm.fit(copy, columns())
    assert isinstance(copy.causal_mechanism("d"), LocationScaleModel)
    p_graph, p_copy = (
        {
            name: found[0]
            for name, found in gcm.evaluate_causal_model(each, columns(), **ONLY_THE_TEST).pnl_assumptions.items()
        }
        for each in (exported, copy)
    )
    assert min(p_graph.values()) > 0.01
    assert p_copy["c c"] < 1e-6  # which a sensor explains, and location and scale do not
    with pytest.raises(InputError, match=r"model\.clone\(\)"):
        exported.causal_mechanism("d").fit(np.zeros((5, 1)), np.zeros(5))


def test_edges_that_no_mechanism_stands_for_are_refused_by_name(graph) -> None:
    for direction, remedy in (("--", "knowledge="), ("<->", "common cause as a column")):
        edges = tuple(
            replace(edge, direction=direction, reason="it is made so") if edge.child == "d" else edge
            for edge in graph.edges
        )
        with pytest.raises(InputError, match=f"'b' .* 'd'.*{remedy}"):
            to_dowhy(replace(graph, edges=edges))
    with pytest.raises(InputError, match="without its equations"):
        to_dowhy(replace(graph, structure=None))


def test_a_required_edge_that_shows_nothing_is_an_edge_in_dowhy() -> None:
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(300, 2)), columns=["a", "b"])
    model = to_dowhy(causewise.graph(table, knowledge={"required": [["a", "b"]]}, bootstrap=0))
    assert list(model.graph.edges) == [("a", "b")]
    assert len(gcm.interventional_samples(model, {"a": lambda _: 2.0}, num_samples_to_draw=50)) == 50


def test_a_clone_has_the_settings_and_no_fit() -> None:
    model = LocationScaleModel(LocationScaleRegressor(n_knots=7), gcm.ScipyDistribution(norm))
    table = drawn(0, 200)
    model.fit(table[["x"]].to_numpy(), table["y"].to_numpy())
    again = model.clone()
    assert again.regressor.get_params() == model.regressor.get_params() and "n_knots" in again.regressor.get_params()
    assert not hasattr(again.regressor, "knots_") and hasattr(model.regressor, "knots_")
    assert isinstance(again.noise_model, gcm.ScipyDistribution) and again.noise_model is not model.noise_model
    assert "LocationScaleRegressor" in str(model)


def test_the_example_in_its_docstring_runs() -> None:
    assert doctest.testmod(causewise.integrations.dowhy).failed == 0


def test_parents_that_are_no_numbers_are_a_sentence() -> None:
    with pytest.raises(InputError, match="encode categories"):
        LocationScaleModel().fit(np.array([["red"], ["blue"]] * 20), np.arange(40.0))
