"""Student's t head against SciPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma, gammaln
from scipy.stats import t as student

from causewise.models.network.heads import log_gamma_step, student_rows


def test_log_gamma_step_and_its_slope():
    alpha = 1 + np.logspace(-8, 2, 500)
    step, slope = log_gamma_step(alpha, np.log)
    assert np.allclose(step, gammaln(alpha + 0.5) - gammaln(alpha), rtol=0, atol=2e-13)
    assert np.allclose(slope, digamma(alpha + 0.5) - digamma(alpha), rtol=0, atol=2e-14)


@given(st.floats(-2, 2), st.floats(-3, 3), st.floats(-3, 3), st.floats(-5, 5))
def test_density_is_scipys(m, log_excess, log_beta, v):
    excess, beta = np.exp(log_excess), np.exp(log_beta)
    loss = student_rows(m, excess, beta, log_beta, v, 0.0, np.log)[0]
    expected = student.logpdf(v, 2 * (1 + excess), loc=m, scale=np.sqrt(beta / (1 + excess)))
    assert np.isclose(-loss, expected, rtol=1e-10, atol=1e-10)
