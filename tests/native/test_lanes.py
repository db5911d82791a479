"""The sums and elementary functions of lanes.h against exact arithmetic, on every vector unit the machine has."""

import ctypes
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from causewise.numerics import native

log_sum = native.native("double log_sum(double *rows, int64_t n, int64_t k, double *beta)")
PROBE = __file__.replace("test_lanes.py", "lanes_probe.c")


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


@pytest.fixture(scope="module")
def probes(hook, compiler, tmp_path_factory):
    """The probe compiled for every set of vector units that this machine can run."""
    folder = tmp_path_factory.mktemp("probe")
    libraries = []
    for name, flags in hook.simd_levels(compiler).items():
        if name == "loops-avx2" and not native.has_avx2():
            continue
        target = folder / (name + hook.SUFFIX)
        hook.link(compiler, [*flags, f"-I{hook.SOURCES}"], target, sources=[PROBE])
        library = ctypes.CDLL(str(target))
        for function in (library.probe_dot, library.probe_total, library.probe_largest):
            function.restype = ctypes.c_double
        libraries.append(library)
    return libraries


def mapped(library, name, x):
    out = np.empty_like(x)
    getattr(library, f"probe_{name}")(pointer(x), pointer(out), ctypes.c_int64(len(x)))
    return out


def units_in_the_last_place(value, exact):
    return np.abs(value - exact) / np.spacing(np.abs(exact))


@pytest.mark.parametrize(
    ("name", "exact", "low", "high"),
    [("exp", np.exp, -707.9, 708.9), ("exp", np.exp, -1.0, 1.0), ("log", np.log, 1e-6, 1e6), ("log", np.log, 0.5, 2.0)],
)
def test_elementary_functions_are_right_to_the_last_place(probes, name, exact, low, high):
    x = np.random.default_rng(0).uniform(low, high, 100_003)
    wide = exact(x.astype(np.longdouble))
    for library in probes:
        value = mapped(library, name, x)
        assert np.max(units_in_the_last_place(value.astype(np.longdouble), wide.astype(np.float64))) <= 1.0
        np.testing.assert_array_equal(value, mapped(probes[0], name, x))


@pytest.mark.parametrize("name", ["exp", "log"])
def test_what_is_no_ordinary_number_comes_out_as_ieee_says(probes, name):
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e308, -1e308, 2.2250738585072014e-308, 800.0, -800.0])
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x)
    for library in probes:
        np.testing.assert_allclose(mapped(library, name, x), expected, rtol=1e-15, atol=1e-307)


@given(arrays(np.float64, st.integers(0, 70), elements=st.floats(-1e100, 1e100)), st.integers(0, 2**31))
def test_sums_are_right_and_equal_on_all_vector_units(probes, a, seed):
    n, rng = len(a), np.random.default_rng(seed)
    b, c, d = rng.normal(size=(3, n))
    products = [Fraction(x) * Fraction(y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    size = float(sum(map(abs, products)))
    results = []
    for library in probes:
        count, three = ctypes.c_int64(n), np.empty(3)
        library.probe_dot3(pointer(b), pointer(c), pointer(d), pointer(a), count, pointer(three))
        dot, total = library.probe_dot(pointer(a), pointer(b), count), library.probe_total(pointer(a), count)
        assert abs(Fraction(dot) - sum(products)) <= n * 1e-15 * size + 1e-300
        assert abs(Fraction(total) - sum(map(Fraction, a.tolist()))) <= n * 1e-15 * float(np.sum(np.abs(a))) + 1e-300
        assert three[0] == dot
        results.append((dot, total, *three.tolist()))
        if n:
            assert library.probe_largest(pointer(a), count) == np.max(a)
    assert len(set(results)) == 1


@pytest.mark.parametrize("wrong", [np.zeros(4, np.float32), np.zeros((2, 4))[:, ::2], np.arange(4)])
def test_a_loop_takes_only_arrays_that_c_reads_as_python_does(wrong):
    with pytest.raises(ctypes.ArgumentError, match="not packed float64"):
        log_sum(np.ones(4), 1, 4, wrong)


def test_ctrl_c_while_an_array_is_made_ready_is_ctrl_c():
    class Interrupted:
        @property
        def dtype(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        log_sum(np.ones(4), 1, 4, Interrupted())
