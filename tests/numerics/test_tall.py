"""Products of tall matrices against NumPy's."""

import numpy as np

from whence.numerics.tall import combinations, crossproduct


def test_products_are_those_of_linear_algebra():
    rng = np.random.default_rng(0)
    a = rng.normal(size=(50, 7)) * (rng.random((50, 7)) < 0.4)
    b, weights = rng.normal(size=(50, 3)), rng.normal(size=(7, 4))
    np.testing.assert_allclose(crossproduct(a, b), a.T @ b, atol=1e-12)
    np.testing.assert_allclose(combinations(a, weights), a @ weights, atol=1e-12)
