"""The engines against automatic differentiation and against one another; what a fit may not depend on."""

import sys

import numpy as np
import pytest
from gradients import loss_and_gradient

from causewise.errors import InputError
from causewise.models.network import fitting, jax_runtime
from causewise.models.network.fitting import train
from causewise.models.network.heads import (
    ADDITIVE,
    LOCATION_SCALE,
    STUDENT,
    initial_parameters,
    location_and_scale,
    log_density,
    outputs,
)
from causewise.models.network.jax_engines import KernelShape, fused_engine, launch, plain_engine, plain_loss
from causewise.models.network.training import (
    Group,
    Training,
    TrainingStatus,
    bucket,
    canonicalise,
    needed_bytes,
    plan,
    problem,
)

HEADS = (LOCATION_SCALE, ADDITIVE, STUDENT)
SHORT = Training(hidden=8, steps=60, device="cpu")


def columns(n, seed=0):
    rng = np.random.default_rng(seed)
    cause = rng.normal(size=n)
    return cause, np.sin(2 * cause) + (0.3 + 0.3 * np.abs(cause)) * rng.normal(size=n)


def problems(lengths, head, hidden=8):
    return [problem(canonicalise(*columns(n, n)), head, hidden, seed=0) for n in lengths]


@pytest.mark.parametrize("head", HEADS, ids=lambda head: head.name)
def test_gradient_equals_automatic_differentiation(head):
    rng = np.random.default_rng(1)
    hidden, n = 7, 96
    theta = initial_parameters(head, hidden) + 0.3 * rng.normal(size=(2 + head.outputs) * hidden + 2 * head.outputs)
    u, v, weight = rng.normal(size=n), rng.normal(size=n), rng.dirichlet(np.ones(n))
    value, g = loss_and_gradient(head, theta, u[None], v, weight, 0.01)
    with jax_runtime.precision_scope("float64"):
        jax = jax_runtime.jax()
        expected = jax.value_and_grad(plain_loss, argnums=2)(head, hidden, theta, u, v, weight, 0.01)
    assert abs(value - float(expected[0])) < 1e-12
    assert np.max(np.abs(g - np.asarray(expected[1]))) < 1e-10


def test_compiled_and_plain_engine_take_the_same_steps():
    batch = problems([94, 130, 125], LOCATION_SCALE)
    on_cpu, plain = (
        train(batch, LOCATION_SCALE, Training(hidden=8, steps=60, device="cpu", engine=engine))
        for engine in ("compiled", "xla")
    )
    for one, other in zip(on_cpu, plain, strict=True):
        assert abs(one.loss - other.loss) < 1e-9
        assert np.allclose(one.theta, other.theta, atol=1e-7)


def test_the_fused_kernel_takes_the_same_steps_when_interpreted():
    """The kernel's arithmetic, run by JAX's interpreter on the CPU, with hidden units in two chunks, one part empty."""
    training = Training(hidden=6, steps=12, device="cpu")
    batch = problems([94, 70], LOCATION_SCALE, hidden=6)
    group = launch([94, 70])
    engine = fused_engine(batch, group, LOCATION_SCALE, training, KernelShape(4, 16, 1), interpret=True)
    engine.advance(0, 12, np.ones(2, dtype=bool))
    theta, record = engine.best()
    for index, (parameters, (loss, step, failed)) in zip(group.members, zip(theta, record, strict=True), strict=True):
        (expected,) = train([batch[index]], LOCATION_SCALE, training)
        assert abs(loss - expected.loss) < 1e-12
        assert np.max(np.abs(parameters - expected.theta)) < 1e-10
        assert (step, failed) == (expected.step, -1)


def test_every_engine_steps_as_adam_is_published():
    """The first step by hand: without their bias m is g and s is g², whatever the gradient."""
    head, hidden, rate = ADDITIVE, 5, 0.01
    (each,) = problems([94], head, hidden)
    _, g = loss_and_gradient(head, each.theta, each.inputs, each.columns.effect, each.weight, 0.0)
    g[-1] = 0.0  # the head's scale is not trained
    expected = each.theta - rate * g / (np.abs(g) + 1e-8)
    for engine in _engines(each, head, Training(hidden=hidden, steps=2, first_rate=rate, device="cpu")):
        engine.advance(0, 2, np.ones(1, dtype=bool))
        theta, record = engine.best()
        assert record[0, 1] == 1  # the second iterate is better than the first, and so is the one that is kept
        np.testing.assert_allclose(theta[0], expected, rtol=0, atol=1e-10)


def _engines(each, head, training):
    yield fitting.CompiledEngine([each], head, training)
    yield plain_engine([each], Group((0,), 1, 96), head, training, "cpu")
    yield fused_engine([each], launch([each.n]), head, training, KernelShape(8, 16, 1), interpret=True)


@pytest.mark.parametrize(("engine", "tolerance"), [("compiled", 0.0), ("xla", 1e-6)])
def test_a_fit_does_not_depend_on_its_batch(engine, tolerance):
    settings = Training(hidden=8, steps=60, device="cpu", engine=engine)
    batch = problems([100, 94, 120, 110, 120], ADDITIVE)
    together = train(batch, ADDITIVE, settings)
    (alone,) = train(batch[2:3], ADDITIVE, settings)
    reversed_order = train(batch[::-1], ADDITIVE, settings)[::-1]
    assert abs(alone.loss - together[2].loss) <= tolerance
    assert all(abs(a.loss - b.loss) <= tolerance for a, b in zip(together, reversed_order, strict=True))


def test_steady_groups_have_one_shape_a_bucket():
    lengths = (300, 2500, 9000, 16_382)
    shapes = [
        {(g.fits, g.rows) for g in plan([n for n in lengths for _ in range(many)], 100, 8, 4 << 30, steady=True)}
        for many in (1, 3, 60, 2000)
    ]
    assert all(each == shapes[0] for each in shapes)
    assert {rows for _, rows in shapes[0]} == {bucket(n) for n in lengths} and len(shapes[0]) == len(lengths)


def test_in_a_steady_group_a_fit_does_not_feel_its_company():
    batch = problems([100, 94, 120, 110, 120], LOCATION_SCALE)
    training = Training(hidden=8, steps=200, device="cpu", engine="xla")
    found = []
    for members in ((2,), (0, 1, 2), (4, 3, 2, 1, 0)):
        engine = plain_engine(batch, Group(members, 8, 128), LOCATION_SCALE, training, "cpu")
        engine.advance(0, 200, np.ones(len(members), dtype=bool))
        found.append(engine.best()[0][members.index(2)])
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])


def test_rows_of_weight_zero_change_nothing():
    rng = np.random.default_rng(2)
    u, v, weight = rng.normal(size=45), rng.normal(size=45), np.full(45, 1 / 45)
    theta = initial_parameters(LOCATION_SCALE, 6)
    extra = (0, 119)
    value, bare = loss_and_gradient(LOCATION_SCALE, theta, u[None], v, weight, 0.0)
    u, v, weight = (np.pad(a, extra, constant_values=fill) for a, fill in ((u, 9.0), (v, -5.0), (weight, 0.0)))
    again, padded = loss_and_gradient(LOCATION_SCALE, theta, u[None], v, weight, 0.0)
    assert abs(value - again) < 1e-14
    assert np.max(np.abs(bare - padded)) < 1e-14


def test_the_value_belongs_to_the_parameters():
    (each,) = train(problems([150], LOCATION_SCALE), LOCATION_SCALE, SHORT)
    rows = canonicalise(*columns(150, 150))
    value = log_density(LOCATION_SCALE, outputs(LOCATION_SCALE, each.theta, rows.cause), rows.effect).mean()
    assert abs(value + each.loss) < 1e-12


def test_single_precision_ends_near_double():
    batch = problems([200], LOCATION_SCALE)
    double, single = (
        train(batch, LOCATION_SCALE, Training(hidden=8, steps=200, device="cpu", precision=precision))[0]
        for precision in ("float64", "float32")
    )
    assert abs(double.loss - single.loss) < 1e-3


def test_the_plain_engine_stays_within_its_memory():
    """The bound used for splitting is not exceeded by what XLA allocates."""
    training = Training(hidden=100, steps=2, device="cpu", engine="xla")
    batch = problems([700] * 4, LOCATION_SCALE, hidden=100)
    (group,) = plan([700] * 4, 100, 8, training.memory)
    engine = plain_engine(batch, group, LOCATION_SCALE, training, "cpu")
    with jax_runtime.precision_scope("float64"):
        used = engine._program.memory_analysis().temp_size_in_bytes
    assert 0 < used <= needed_bytes(group.fits, group.rows, 100, 8)


def test_divergence_is_a_status():
    wild = Training(hidden=8, steps=300, device="cpu", first_rate=1e9, last_rate=1e9)
    (each,) = train(problems([120], LOCATION_SCALE), LOCATION_SCALE, wild)
    assert each.status is TrainingStatus.DIVERGED
    assert each.usable
    rows = canonicalise(*columns(120, 120))
    assert np.isfinite(location_and_scale(LOCATION_SCALE, outputs(LOCATION_SCALE, each.theta, rows.cause))).all()


def test_a_plateau_ends_training_early_and_keeps_the_iterate():
    lazy = Training(hidden=8, steps=2000, patience=250, tolerance=1.0, device="cpu")
    (each,) = train(problems([120], ADDITIVE), ADDITIVE, lazy)
    assert each.status is TrainingStatus.PLATEAU
    assert each.step < 1000


def test_progress_counts_up_to_the_end():
    heard = []
    train(
        problems([100, 100], ADDITIVE),
        ADDITIVE,
        Training(hidden=4, steps=600, device="cpu"),
        lambda *a: heard.append(a),
    )
    assert heard[-1] == (1200, 1200)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)


def test_host_flags_stay_as_they_are():
    import jax

    before = dict(jax.config.values)
    train(problems([94], ADDITIVE), ADDITIVE, Training(hidden=8, steps=60, device="cpu", engine="xla"))
    assert dict(jax.config.values) == before
    assert jax.numpy.zeros(1).dtype == np.float32


def test_without_jax_the_error_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(InputError, match=r'pip install "\.\[nn\]"'):
        train(problems([94], ADDITIVE), ADDITIVE, Training(hidden=4, steps=1))
    assert train(problems([94], ADDITIVE), ADDITIVE, Training(hidden=4, steps=1, device="cpu"))[0].usable


def test_a_gpu_that_is_not_there_is_a_sentence():
    if jax_runtime.choose_device("auto") == "gpu":
        pytest.skip("there is a GPU here")
    with pytest.raises(InputError, match="device=cpu"):
        train(problems([94], ADDITIVE), ADDITIVE, Training(hidden=4, steps=1, device="gpu"))


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"hidden": 1.5}, {"precision": "float16"}, {"device": "tpu"}])
def test_wrong_settings_are_sentences(wrong):
    with pytest.raises(InputError, match="expected"):
        Training(**wrong)
