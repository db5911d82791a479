"""Jets against JAX where it is installed and against hand-made derivatives; integrals against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causewise.lab.theory.calculus import Jet, as_jet, panels, variables

FORMULAS = {
    "polynomial": lambda m, x, y: 3 * x**2 * y - y**3 / 2 + x,
    "quotient": lambda m, x, y: (x - y) / (1 + x * x + y * y),
    "elementary": lambda m, x, y: m.exp(m.sin(x) * m.cos(y)) - m.tanh(x * y) + m.arctan(x + y),
    "powers": lambda m, x, y: (2 + x * x) ** -1.5 + m.sqrt(1 + y * y) + (1.5 + m.sin(x)) ** y,
    "logarithms": lambda m, x, y: m.log(1 + x * x) + m.log1p(y * y) + m.logaddexp(3 * x, y) - m.expm1(-x),
    "hyperbolic": lambda m, x, y: m.sinh(x) * m.cosh(y) - m.square(y) + abs(x + 10) + m.negative(y) + m.positive(x),
}


def test_derivatives_agree_with_another_implementation():
    jax = pytest.importorskip("jax")
    import jax.numpy as jnp

    def plain(point):
        return jnp.stack([formula(jnp, point[0], point[1]) for formula in FORMULAS.values()])

    double = jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64  # moved in JAX 0.8
    points = np.array([[0.3, -0.7], [-1.2, 0.4], [2.0, 1.1]])
    with double(True):
        whole = jax.jit(jax.vmap(lambda point: (plain(point), jax.jacfwd(plain)(point), jax.hessian(plain)(point))))
        value, gradient, hessian = map(np.asarray, whole(points))
    for k, (name, formula) in enumerate(FORMULAS.items()):
        jet = formula(np, *variables(points[:, 0], points[:, 1]))
        derivatives = (*gradient[:, k].T, hessian[:, k, 0, 0], hessian[:, k, 0, 1], hessian[:, k, 1, 1])
        for ours, theirs in zip(jet.parts, (value[:, k], *derivatives), strict=True):
            np.testing.assert_allclose(np.broadcast_to(ours, 3), theirs, rtol=1e-12, atol=1e-13, err_msg=name)


@given(x=st.floats(-3, 3), y=st.floats(-3, 3))
def test_product_rule(x, y):
    a, b = variables(x, y)
    jet = (a * b) * (a + 2 * b)  # x²y + 2xy²
    expected = [x * x * y + 2 * x * y * y, 2 * x * y + 2 * y * y, x * x + 4 * x * y, 2 * y, 2 * x + 4 * y, 4 * x]
    np.testing.assert_allclose([float(p) for p in jet.parts], expected, atol=1e-12)


def test_constants_arrays_and_what_is_not_known():
    x, _ = variables(np.arange(3.0), np.zeros((2, 1)))
    total = (x * x).map(lambda part: part.sum())
    assert (total.value, total.x, total.xx) == (5.0, 6.0, 6.0)
    assert as_jet(2.0).x == 0.0
    assert isinstance(1.0 + x, Jet)
    assert isinstance(np.float64(2.0) * x, Jet)
    with pytest.raises(TypeError):
        np.gcd(x, x)
    with pytest.raises(TypeError):
        np.add.reduce(x)


@given(degree=st.integers(0, 31), count=st.integers(1, 5))
def test_polynomials_are_integrated_exactly(degree, count):
    nodes, weights = panels(0.0, 1.0, count)
    assert math.isclose(float(weights @ nodes**degree), 1 / (degree + 1), rel_tol=1e-12)


def test_a_density_integrates_to_one():
    nodes, weights = panels(-9.0, 9.0, 20)
    assert math.isclose(float(weights @ np.exp(-(nodes**2) / 2)), math.sqrt(2 * math.pi), rel_tol=1e-13)
