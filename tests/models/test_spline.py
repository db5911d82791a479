import csv

import numpy as np
import pytest

from causewise.lab.datasets import load
from causewise.methods.loci import fit_direction
from causewise.models.spline import fit_location, fit_location_scale
from causewise.numerics.gaussian import KKT_CERTIFIED
from causewise.pair import standardise


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    u = np.sort(rng.uniform(-2, 2, size=n))
    return standardise(u), standardise(np.tanh(u) + (0.1 + 0.3 * np.abs(u)) * rng.normal(size=n))


def test_the_fit_is_certified_and_its_record_consistent():
    u, v = rows()
    fit = fit_location_scale(u, v)
    assert fit.converged
    assert fit.kkt <= KKT_CERTIFIED
    np.testing.assert_allclose(fit.residual, (v - fit.location) / fit.scale)
    densities = -0.5 * np.log(2 * np.pi * fit.scale**2) - 0.5 * fit.residual**2
    assert fit.log_likelihood == pytest.approx(densities.mean())


def test_stopping_short_is_said():
    fit = fit_location_scale(*rows(), max_iter=1)
    assert not fit.converged
    assert "stopped after 1 Newton steps" in fit.message


def test_recovers_a_changing_scale():
    rng = np.random.default_rng(1)
    u = np.sort(rng.uniform(0, 1, size=20_000))
    fit = fit_location_scale(u, u + (0.2 + u) * rng.normal(size=20_000), n_knots=6)
    middle = slice(1000, -1000)
    np.testing.assert_allclose(fit.scale[middle], 0.2 + u[middle], rtol=0.1)


def test_least_squares_equals_the_textbook_projection():
    from sklearn.preprocessing import SplineTransformer

    u, v = rows(200)
    features = SplineTransformer(n_knots=25, degree=5).fit_transform(u[:, None])
    expected = features @ np.linalg.lstsq(features, v, rcond=None)[0]
    np.testing.assert_allclose(fit_location(u, v).location, expected, atol=1e-6)


def test_least_squares_fits_a_row_that_stands_alone():
    u, v = rows(300, seed=5)
    far = np.append(u, [u[-1] + 40.0])
    fitted = fit_location(far, np.append(v, [7.0])).location
    assert fitted[-1] == pytest.approx(7.0, abs=1e-5)


@pytest.mark.parametrize("name", ["AN", "LS", "SIM", "Tue"])
def test_not_below_the_certified_optima(name, data_dir, golden_dir):
    """Every fit of four data sets against optima found by another program; see golden/README there."""
    file = golden_dir / f"concave_optimum_{'Tuebingen' if name == 'Tue' else name}.csv"
    expected = {int(row["pair_id"]): row for row in csv.DictReader(file.read_text().splitlines())}
    for labelled in load(name, data_dir=data_dir).pairs:
        row = expected.get(int(labelled.pair_id))
        if row is None:
            continue
        pair = labelled.pair if labelled.truth > 0 else labelled.pair.swap()
        for cause, effect, way in ((pair.x, pair.y, "cause_to_effect"), (pair.y, pair.x, "effect_to_cause")):
            found = fit_direction(cause, effect, fit_location_scale)
            assert found.kkt <= 1e-5
            assert found.log_likelihood >= float(row[f"loglik_{way}"]) - 1e-6
            assert found.hsic == pytest.approx(float(row[f"hsic_{way}"]), rel=1e-3)


@pytest.mark.parametrize("name", ["ANs", "LSs", "MNU", "SIMc", "SIMln", "SIMG", "Tue"])
def test_every_fit_is_certified(name, data_dir):
    for labelled in load(name, data_dir=data_dir).pairs:
        pair = labelled.pair
        for cause, effect in ((pair.x, pair.y), (pair.y, pair.x)):
            order = np.lexsort((effect, cause))
            fit = fit_location_scale(standardise(cause[order]), standardise(effect[order]))
            assert fit.kkt <= 1e-5, labelled.pair_id
