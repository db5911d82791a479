"""The natural parameters against SciPy's normal law and against differences."""

import numpy as np
from scipy.stats import norm

from causewise.numerics import gaussian


def loss(e, p, v):
    return -gaussian.log_density(e, p, np.log(2.0 * p), v)


def test_the_density_is_the_normal_one_with_the_location_and_variance_of_the_map():
    mean, var, v = np.array([0.3, -2.0]), np.array([0.5, 4.0]), np.array([1.0, -1.0])
    e, p = mean / var, 0.5 / var
    np.testing.assert_allclose(gaussian.location(e, p), mean)
    np.testing.assert_allclose(gaussian.variance(p), var)
    np.testing.assert_allclose(-loss(e, p, v), norm.logpdf(v, mean, np.sqrt(var)))


def test_derivatives_against_differences():
    e, p, v, h = 0.7, 1.3, -0.4, 1e-4
    mean, var = gaussian.location(e, p), gaussian.variance(p)
    by_e = (loss(e + h, p, v) - loss(e - h, p, v)) / (2 * h)
    by_p = (loss(e, p + h, v) - loss(e, p - h, v)) / (2 * h)
    np.testing.assert_allclose(gaussian.loss_gradient(mean, var, v), (by_e, by_p), atol=1e-7)
