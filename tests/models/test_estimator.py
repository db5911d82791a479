"""Both estimators: scikit-learn's contract, and what must hold whichever model is behind the law of y given x."""

import doctest
from importlib import import_module

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from causewise import LocationScaleNetwork, LocationScaleRegressor
from causewise.models.smoothness import DELTAS, KNOTS, Smoothness, held_out_likelihood

BOTH = [LocationScaleRegressor(n_knots=8, degree=3), LocationScaleNetwork(hidden=10, steps=600)]
STOPPED = [
    (LocationScaleRegressor(max_iter=1), "stopped after 1 Newton"),
    (LocationScaleNetwork(hidden=5, steps=50, first_rate=1e9, last_rate=1e9), "diverged"),
]


def name(value):
    return type(value).__name__


# Few knots and steps keep the checks small; the default setting of the splines has its own test below.
@parametrize_with_checks([LocationScaleRegressor(n_knots=4, degree=2), LocationScaleNetwork(hidden=3, steps=200)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_keeps_the_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([LocationScaleRegressor()])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_keeps_the_scikit_learn_contract_with_default_settings(estimator, check):
    check(estimator)


@pytest.mark.parametrize("kind", [LocationScaleRegressor, LocationScaleNetwork], ids=lambda kind: kind.__name__)
def test_the_examples_in_the_docstrings_run(kind):
    failed, attempted = doctest.testmod(import_module(kind.__module__))
    assert failed == 0
    assert attempted >= 7


@pytest.mark.parametrize("kind", [LocationScaleRegressor, LocationScaleNetwork], ids=lambda kind: kind.__name__)
def test_every_parameter_and_fitted_attribute_is_documented(kind):
    model = kind().set_params(**{"steps": 2} if kind is LocationScaleNetwork else {}).fit(*data(60))
    fitted = [key for key in vars(model) if key.endswith("_") and not key.startswith("_")]
    assert all(key in kind.__doc__ for key in [*model.get_params(), *fitted])


def data(n=800, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=n)
    return x[:, None], 3.0 + np.sin(3 * x) + (0.2 + 0.3 * x**2) * rng.normal(size=n)


@pytest.mark.parametrize("model", BOTH, ids=name)
def test_predictions_fit_together(model):
    X, y = data()
    model.fit(X, y)
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(model.log_likelihood(X, y), norm(mean, std).logpdf(y), rtol=1e-6)
    np.testing.assert_allclose(model.predict_dist(X).mean(), mean)
    assert model.log_likelihood_score(X, y) == pytest.approx(model.log_likelihood(X, y).mean())
    assert model.score(X, y) == pytest.approx(r2_score(y, mean))
    quantiles = model.predict_quantile(X, [0.025, 0.5, 0.975])
    np.testing.assert_allclose(quantiles[:, 1], mean)
    np.testing.assert_allclose(quantiles[:, 2], model.predict_quantile(X, 0.975))
    assert np.mean((y > quantiles[:, 0]) & (y < quantiles[:, 2])) == pytest.approx(0.95, abs=0.02)
    samples = model.sample_y(X, 200, random_state=0)
    np.testing.assert_allclose(samples.mean(axis=1), mean, atol=0.2)
    np.testing.assert_array_equal(samples, model.sample_y(X, 200, random_state=0))


@pytest.mark.parametrize("model", BOTH, ids=name)
def test_a_level_outside_the_open_unit_interval_is_refused(model):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        model.fit(*data(60)).predict_quantile([[0.0]], [0.5, 1.0])


@pytest.mark.parametrize(("model", "why"), STOPPED, ids=name)
def test_stopping_short_warns_and_says_so(model, why):
    with pytest.warns(ConvergenceWarning, match=why) as caught:
        model.fit(*data(100))
    assert not model.converged_
    assert str(caught[0].message) == model.message_
    assert caught[0].filename == __file__  # the warning points at the line that called `fit`


def test_units_of_both_sides_do_not_matter():
    X, y = data()
    plain = LocationScaleRegressor(n_knots=8).fit(X, y)
    other = LocationScaleRegressor(n_knots=8).fit(1e3 * X + 5e4, 1e-4 * y - 7.0)
    mean, std = plain.predict(X, return_std=True)
    other_mean, other_std = other.predict(1e3 * X + 5e4, return_std=True)
    np.testing.assert_allclose(other_mean, 1e-4 * mean - 7.0, rtol=1e-6)
    np.testing.assert_allclose(other_std, 1e-4 * std, rtol=1e-5)


@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_targets_may_be_so_large_or_small_that_their_squares_are_no_numbers(unit):
    X, y = data()
    plain, other = (LocationScaleRegressor(n_knots=8).fit(X, scale * y) for scale in (1.0, unit))
    np.testing.assert_allclose(np.divide(other.predict(X, True), unit), plain.predict(X, True), rtol=1e-6)
    assert other.log_likelihood_score(X, unit * y) == pytest.approx(plain.log_likelihood_score(X, y) - np.log(unit))


def test_row_order_does_not_matter_and_the_ends_extrapolate_constantly():
    X, y = data()
    order = np.random.default_rng(1).permutation(len(y))
    model = LocationScaleRegressor(n_knots=8).fit(X, y)
    np.testing.assert_allclose(model.predict(X[order]), model.predict(X)[order], rtol=1e-12)
    again = LocationScaleRegressor(n_knots=8).fit(X[order], y[order])
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-7)
    ends = model.predict([[X.min()], [X.min() - 5]])
    assert ends[0] == ends[1]


def test_several_inputs_add_up():
    rng = np.random.default_rng(2)
    X = rng.uniform(-1, 1, size=(3000, 2))
    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + 0.2 * rng.normal(size=3000)
    model = LocationScaleRegressor(n_knots=6, degree=3).fit(X, y)
    mean, std = model.predict(X, return_std=True)
    assert model.converged_
    assert np.sqrt(np.mean((mean - np.sin(3 * X[:, 0]) - X[:, 1] ** 2) ** 2)) < 0.1
    assert std.mean() == pytest.approx(0.2, rel=0.2)


def cars(n=400):
    """Weight, displacement and year of made-up cars, and how far they go; the lighter, the more they differ."""
    rng = np.random.default_rng(0)
    weight = rng.gamma(8, 1, n)
    X = np.column_stack([weight, 3 * weight + 4 * rng.normal(size=n), rng.integers(70, 83, n)])
    far = 40 * np.exp(-weight / 8)
    return X, far + 0.05 * X[:, 1] + 0.4 * (X[:, 2] - 76) + (0.3 + 0.075 * far) * rng.normal(size=n)


def test_of_several_inputs_smoothness_is_chosen_by_the_rows():
    """As good as a ridge on splines whose penalty is chosen, where 25 knots an input follow the noise."""
    X, y = cars()
    ridge = make_pipeline(SplineTransformer(), RidgeCV(np.logspace(-3, 3, 13)))
    folds = KFold(5, shuffle=True, random_state=0)
    chosen, theirs, many = (
        cross_val_score(model, X, y, cv=folds).mean()
        for model in (LocationScaleRegressor(), ridge, LocationScaleRegressor(25))
    )
    assert chosen > theirs - 0.02
    assert chosen > many + 0.03


def test_few_rows_of_many_inputs_get_a_firmer_prior():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6))
    y = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=150)
    folds = KFold(5, shuffle=True, random_state=0)
    chosen, loose = (cross_val_score(LocationScaleRegressor(delta=each), X, y, cv=folds) for each in ("auto", 1e-5))
    assert LocationScaleRegressor().fit(X, y).delta_ > 1e-5
    assert chosen.mean() > loose.mean() + 0.03


@pytest.mark.parametrize("slope", [0.0, 1.0])
def test_fewer_rows_than_coefficients_do_not_follow_the_noise(slope):
    """About as good as the same ridge: with δ = 1e-5 the noise alone has an R² of −3, and the line none."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 20))
    y = slope * X[:, 0] + 0.5 * rng.normal(size=60)
    ridge = make_pipeline(SplineTransformer(), RidgeCV(np.logspace(-3, 3, 13)))
    folds = KFold(5, shuffle=True, random_state=0)
    ours, theirs = (cross_val_score(model, X, y, cv=folds).mean() for model in (LocationScaleRegressor(), ridge))
    assert ours > theirs - 0.2


@pytest.mark.parametrize("rows", [2, 3, 7, 10])
def test_rows_too_few_to_choose_by_are_fitted_as_smoothly_as_can_be(rows):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(rows, 3)), rng.normal(size=rows)
    model = LocationScaleRegressor().fit(X, y)
    assert (model.n_knots_, model.delta_) == (KNOTS[0], DELTAS[-1])
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("spacing", ["uniform", "quantile"])
def test_unseen_rows_are_likely_under_fits_from_scratch_too(spacing):
    """Fits that begin at that of all rows end where others do: their likelihood is that of the plain way to it."""
    X, y = cars(300)
    target, fold = (y - y.mean()) / y.std(), np.arange(300) % 5
    found = held_out_likelihood(X, target, np.ones(300), fold, Smoothness(4, 1e-3), 3, spacing)
    plain = 0.0
    for part in range(5):
        seen = fold != part
        model = LocationScaleRegressor(4, 3, delta=1e-3, knots=spacing).fit(X[seen], target[seen])
        plain += model.log_likelihood(X[~seen], target[~seen]).sum()
    assert found == pytest.approx(plain, abs=6)  # their knots span their own rows


@pytest.mark.parametrize("column", range(3))
def test_rows_beyond_those_seen_are_never_predicted_explosively(column):
    X, y = cars()
    order = np.argsort(X[:, column], kind="stable")
    assert cross_val_score(LocationScaleRegressor(), X[order], y[order], cv=KFold(5)).min() > -1
    model = LocationScaleRegressor(25).fit(X[order][80:], y[order][80:])
    beyond = 0.1001 * (y[order][80:].max() - y[order][80:].min())
    far = model.predict(np.random.default_rng(0).uniform(-100, 200, (1000, 3)))
    assert y[order][80:].min() - beyond <= far.min()
    assert far.max() <= y[order][80:].max() + beyond


def test_the_choice_of_knots_depends_on_the_rows_alone():
    X, y = cars(200)
    order = np.random.default_rng(1).permutation(200)
    plain = LocationScaleRegressor().fit(X, y)
    shuffled = LocationScaleRegressor().fit(X[order], y[order])
    twice = LocationScaleRegressor().fit(X, y, sample_weight=np.full(200, 2.0))
    repeated = LocationScaleRegressor().fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert (plain.n_knots_, plain.delta_) == (shuffled.n_knots_, shuffled.delta_)
    assert (twice.n_knots_, twice.delta_) == (repeated.n_knots_, repeated.delta_)
    np.testing.assert_allclose(shuffled.predict(X), plain.predict(X), rtol=1e-6)
    np.testing.assert_allclose(repeated.predict(X), twice.predict(X), rtol=1e-6)


def test_one_input_has_the_knots_of_the_methods():
    X, y = data(300)
    default, given = LocationScaleRegressor().fit(X, y), LocationScaleRegressor(25).fit(X, y)
    assert (default.n_knots_, default.delta_) == (25, 1e-5)
    np.testing.assert_array_equal(default.predict(X, True), given.predict(X, True))


def test_knots_may_follow_the_quantiles():
    X, y = data()
    model = LocationScaleRegressor(n_knots=8, knots="quantile").fit(X**3, y)
    assert model.converged_
    assert np.diff(model.knots_[0][5:-5]).std() > 0


@pytest.mark.parametrize("settings", [{"degree": 21}, {"n_knots": 10_001}])
def test_settings_beyond_reason_are_refused(settings):
    with pytest.raises(ValueError, match="must be an int in the range"):
        LocationScaleRegressor(**settings).fit(*data())


def test_standard_errors_cover_the_truth():
    """Features that contain the truth exactly: constant location and scale, so that theory holds at any n."""
    covered_mean, covered_std = [], []
    grid = np.linspace(-0.9, 0.9, 5)[:, None]
    for seed in range(120):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, size=(600, 1))
        model = LocationScaleRegressor(n_knots=3, degree=1).fit(X, 1.0 + 0.5 * rng.normal(size=600))
        mean, std = model.predict(grid, return_std=True)
        of_mean, of_std = model.standard_errors(grid)
        covered_mean.append(np.abs(mean - 1.0) < 1.96 * of_mean)
        covered_std.append(np.abs(std - 0.5) < 1.96 * of_std)
    assert 0.90 < np.mean(covered_mean) < 0.99
    assert 0.90 < np.mean(covered_std) < 0.99
