"""The mechanism for dowhy.gcm, in dowhy itself: refused or kept by its test, inverted, intervened on."""

import doctest

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
from causewise.integrations.dowhy import LocationScaleModel

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


def test_effects_of_a_graph_are_those_of_dowhy_on_the_same_graph() -> None:
    """Within the error that dowhy has over samples of the rows."""
    rng = np.random.default_rng(4)
    z = rng.uniform(-1, 1, 600)
    a = np.tanh(2 * z) + 0.5 * rng.uniform(-1, 1, 600)
    table = pd.DataFrame({"b": 2 * a - 1.5 * z + 0.5 * rng.uniform(-1, 1, 600), "a": a, "z": z})
    graph = causewise.graph(table)
    assert {(edge.parent, edge.child) for edge in graph.edges} == {("z", "a"), ("z", "b"), ("a", "b")}
    for cause in ("a", "z"):
        ours = graph.effect(cause, "b", at=np.quantile(table[cause], [0.25, 0.75]))
        theirs = np.array([intervene_in_dowhy(table.sample(600, replace=True, random_state=k), ours) for k in range(6)])
        error = theirs.std(axis=0, ddof=1) * (1 + 1 / 6) ** 0.5
        assert (np.abs(ours.mean - theirs.mean(axis=0)) < 3 * error + (ours.high - ours.low) / 2).all()


def intervene_in_dowhy(table: pd.DataFrame, effect: causewise.Effect) -> list[float]:
    model = gcm.StructuralCausalModel(nx.DiGraph([("z", "a"), ("z", "b"), ("a", "b")]))
    model.set_causal_mechanism("z", gcm.EmpiricalDistribution())
    model.set_causal_mechanism("a", gcm.AdditiveNoiseModel(SklearnRegressionModel(LocationScaleRegressor(n_knots=6))))
    model.set_causal_mechanism("b", gcm.AdditiveNoiseModel(gcm.ml.create_linear_regressor()))
    gcm.fit(model, table)
    return [
        float(
            gcm.interventional_samples(model, {effect.cause: lambda _, x=x: x}, num_samples_to_draw=2000)[
                effect.effect
            ].mean()
        )
        for x in effect.at
    ]


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
