"""skpro's own adapter takes the regressor: no integration is needed for distributions, intervals and scores."""

import numpy as np
import pytest

pytest.importorskip("skpro", reason="skpro is not installed here: make bridges has an environment for it")

import pandas as pd
from skpro.metrics import CRPS
from skpro.regression.adapters.sklearn import SklearnProbaReg

from causewise import LocationScaleRegressor


def test_the_adapter_has_our_mean_and_spread() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 800)
    inputs, target = pd.DataFrame({"x": x}), pd.DataFrame({"y": x + (0.2 + 0.3 * x) * rng.normal(size=800)})
    adapted = SklearnProbaReg(LocationScaleRegressor(n_knots=8)).fit(inputs, target)
    alone = LocationScaleRegressor(n_knots=8).fit(inputs, target["y"])
    mean, std = alone.predict(inputs, return_std=True)
    law = adapted.predict_proba(inputs)
    assert law.mean().to_numpy()[:, 0] == pytest.approx(mean)
    assert np.sqrt(law.var().to_numpy()[:, 0]) == pytest.approx(std)
    interval = adapted.predict_interval(inputs, coverage=0.9).to_numpy()
    assert interval == pytest.approx(alone.predict_quantile(inputs, [0.05, 0.95]))
    assert CRPS()(target, law) > 0
