"""The compiled loops against NumPy; that a fit may be cut into calls anywhere, and is the same on every machine."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from gradients import loss_and_gradient
from hypothesis import given
from hypothesis import strategies as st

from causewise.models.network import fitting
from causewise.models.network.fitting import CompiledEngine
from causewise.models.network.heads import ADDITIVE, LOCATION_SCALE, STUDENT, outputs, row_gradient, size
from causewise.models.network.training import Training, adam_bias, adam_direction, adam_moments, canonicalise, problem
from causewise.numerics import native

HEADS = (LOCATION_SCALE, ADDITIVE, STUDENT)
DTYPES = (np.float64, np.float32)


def tanh(values, dtype):
    """By a network of one unit and one row: the derivative of ½ (c + tanh z)² in c, at c = 0."""
    one, theta = np.ones(1), np.array([1.0, 0.0, 1.0, 0.0, 1.0], dtype)
    return np.array([loss_and_gradient(ADDITIVE, theta, z * one[None], 0 * one, one, 0.0)[1][3] for z in values])


@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 4e-16), (np.float32, 2e-7)])
def test_tanh_is_odd_and_has_the_stated_absolute_error(dtype, error):
    z = np.concatenate([np.linspace(0, 25, 3001), np.linspace(0, 0.4, 1001), [1e6, 1e30]]).astype(dtype)
    found = tanh(z, dtype)
    assert np.max(np.abs(found - np.tanh(z.astype(np.float64)))) < error
    assert np.array_equal(tanh(-z, dtype), -found)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nan_stays_nan(dtype):
    theta = np.array([np.nan, 0.0, 1.0, 0.0, 1.0], dtype)
    assert np.isnan(loss_and_gradient(ADDITIVE, theta, np.ones((1, 3)), np.ones(3), np.ones(3) / 3, 0.0)[0])


def numpy_gradient(head, theta, u, v, weight, penalty):
    """Loss and gradient by the definition, one input or several."""
    k, inputs = head.outputs, len(u)
    hidden = (len(theta) - 2 * k) // (1 + k + inputs)
    end = size(head, hidden)
    scale = theta[end - k : end]
    out = outputs(head, theta, u)
    value, *slopes = row_gradient(head, out, v, penalty, np)
    d = weight * np.array(slopes)
    w = np.concatenate([theta[:hidden], theta[end:]]).reshape(inputs, hidden)
    h = np.tanh(w.T @ u + theta[hidden : 2 * hidden, None])
    raw = theta[2 * hidden : (2 + k) * hidden].reshape(k, hidden) @ h + theta[end - 2 * k : end - k, None]
    down = (theta[2 * hidden : (2 + k) * hidden].reshape(k, hidden).T * scale) @ d * (1 - h * h)
    to_w = u @ down.T
    parts = [
        to_w[0],
        down.sum(axis=1),
        ((scale[:, None] * d) @ h.T).ravel(),
        scale * d.sum(axis=1),
        (d * raw).sum(axis=1),
    ]
    return weight @ value, np.concatenate([*parts, to_w[1:].ravel()])


@given(
    head=st.sampled_from(HEADS),
    dtype=st.sampled_from(DTYPES),
    n=st.sampled_from([1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 300]),
    hidden=st.integers(1, 9),
    inputs=st.integers(1, 3),
    far=st.sampled_from([1.0, 1e5]),
    seed=st.integers(0, 10**6),
)
def test_loss_and_gradient_are_numpys(head, dtype, n, hidden, inputs, far, seed):
    rng = np.random.default_rng(seed)
    theta = 0.7 * rng.normal(size=size(head, hidden) + (inputs - 1) * hidden)
    theta[: 2 * hidden] *= far  # units so steep that exp(2 z) has no number
    columns = rng.normal(size=(inputs, n)), rng.normal(size=n), rng.dirichlet(np.ones(n))
    theta, *columns = (np.asarray(each, dtype).astype(np.float64) for each in (theta, *columns))
    value, g = loss_and_gradient(head, theta.astype(dtype), *columns, 0.01)
    expected, slope = numpy_gradient(head, theta, *columns, 0.01)
    # In single precision a steep unit's argument is as wrong as it is large.
    tolerance = 1e-12 if dtype == np.float64 else 1e-4
    if far == 1.0 or dtype == np.float64:
        assert value == pytest.approx(expected, rel=tolerance * far, abs=tolerance * far)
        np.testing.assert_allclose(g, slope, rtol=0, atol=tolerance * far * (1 + np.max(np.abs(slope))))
    assert np.isfinite(value) and np.isfinite(g).all()


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_scale_beyond_all_numbers_is_held(sign):
    """log 2p = ±2000 stands for 2^±1000; the value keeps its ½ log 2p."""
    theta = np.array([0.0, 0.0, 0.0, 0.0, 0.0, sign * 2000.0, 1.0, 1.0])
    value, g = loss_and_gradient(LOCATION_SCALE, theta, np.ones((1, 1)), np.zeros(1), np.ones(1), 0.0)
    assert value == pytest.approx(-sign * 1000.0 + 0.5 * np.log(2 * np.pi))
    assert np.isfinite(g).all()


def fit(n=150, head=LOCATION_SCALE, precision="float64", hidden=5, steps=40):
    rng = np.random.default_rng(n)
    each = problem(canonicalise(rng.normal(size=n), rng.normal(size=n)), head, hidden, seed=0)
    return each, CompiledEngine([each], head, Training(hidden=hidden, steps=steps, precision=precision, device="cpu"))


@pytest.mark.parametrize("head", HEADS, ids=lambda head: head.name)
def test_steps_are_adams(head):
    each, engine = fit(head=head, steps=30)
    rates = Training(steps=30).rates()
    theta, m, s, losses = each.theta, 0.0, 0.0, []
    for step in range(30):
        loss, g = loss_and_gradient(head, theta, each.inputs, each.columns.effect, each.weight, 1.0 / each.n)
        losses.append(loss)
        if not head.free_scales:
            g[-head.outputs :] = 0.0
        if loss == min(losses):
            best = theta
        m, s = adam_moments(m, s, g)
        bias_m, bias_s = adam_bias(step + 1)
        theta = theta - rates[step] * adam_direction(m / bias_m, s / bias_s, np.sqrt)
    engine.advance(0, 30, np.ones(1, dtype=bool))
    found, record = engine.best()
    assert record[0].tolist() == [pytest.approx(min(losses), rel=1e-12), np.argmin(losses), -1]
    np.testing.assert_allclose(found[0], best, rtol=0, atol=1e-11)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("work", [1, 700, 5000])
def test_a_fit_may_be_cut_into_calls_anywhere(monkeypatch, precision, work):
    _, whole = fit(300, precision=precision)
    monkeypatch.setattr(fitting, "_WORK_AT_ONCE", work)
    _, cut = fit(300, precision=precision)
    for engine in (whole, cut):
        engine.advance(0, 25, np.ones(1, dtype=bool))
        engine.advance(25, 40, np.ones(1, dtype=bool))
    assert all(np.array_equal(a, b) for a, b in zip(whole.best(), cut.best(), strict=True))


def test_a_fit_told_to_stop_does_nothing_more_and_can_go_on(monkeypatch):
    monkeypatch.setattr(fitting, "_WORK_AT_ONCE", 1)
    _, engine = fit(300)
    (each,) = engine._fits
    stop = Event()
    stop.set()
    each.advance(40, stop)
    assert each.record[1] == -1
    each.advance(40, Event())
    assert each.record[1] > 0


PROGRAM = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from test_network_compiled import HEADS, fit
import numpy as np
for head in HEADS:
    for precision in ("float64", "float32"):
        _, engine = fit(200, head, precision)
        engine.advance(0, 40, np.ones(1, dtype=bool))
        print(hashlib.sha256(b"".join(a.tobytes() for a in engine.best())).hexdigest())
"""


def test_bits_do_not_depend_on_the_vector_unit():
    libraries = sorted(Path(native.__file__).parent.glob(f"loops*{native.SUFFIX}"))
    printed = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(Path(__file__).parent)],
            env={**os.environ, "CAUSEWISE_NATIVE": str(library)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for library in libraries
    }
    assert len(printed) == 1
