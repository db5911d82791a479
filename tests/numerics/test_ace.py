import numpy as np
import pytest

from whence.numerics.ace import maximal_correlation


def reference(ranks_a, ranks_b):
    """The published double loop, by convolution, for ranks without ties."""
    n = len(ranks_a)
    half = int(np.ceil(n / 5))

    def expectation(values, ranks):
        order = np.argsort(ranks)
        smooth = np.convolve(values[order], np.ones(2 * half + 1) / (2 * half + 1), "same")
        smooth[:half] = smooth[half]
        smooth[n - half :] = smooth[n - half - 1]
        out = np.empty(n)
        out[order] = smooth
        return (out - out.mean()) / out.std(ddof=1)

    a, b = ((r - 1 - ((n - 1) / 2 - 1)) / np.sqrt(n * (n - 1) / 12) for r in (ranks_a, ranks_b))
    outer, outer_change = 1.0, 1.0
    for _ in range(100):
        inner, inner_change = 1.0, 1.0
        for _ in range(10):
            b = expectation(a, ranks_b)
            now = np.mean((a - b) ** 2)
            inner, inner_change = now, abs(now - inner)
            if inner_change <= 1e-4:
                break
        a = expectation(b, ranks_a)
        now = np.mean((a - b) ** 2)
        outer, outer_change = now, abs(now - outer)
        if outer_change <= 2e-15:
            break
    return np.corrcoef(a, b)[0, 1]


def ranks(column):
    return np.argsort(np.argsort(column)) + 1.0


@pytest.mark.parametrize("bend", [lambda x: x, np.square, np.sin, np.zeros_like])
@pytest.mark.parametrize("n", [10, 51, 400])
def test_against_the_published_double_loop(bend, n):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    a, b = ranks(x), ranks(bend(x) + 0.4 * rng.normal(size=n))
    assert maximal_correlation(a, b) == pytest.approx(reference(a, b), abs=1e-9)


def test_a_parabola_has_high_maximal_and_no_linear_correlation():
    x = np.random.default_rng(0).normal(size=1000)
    assert maximal_correlation(ranks(x), ranks(x**2)) > 0.9


def test_order_of_tied_rows_does_not_matter():
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 6, 200).astype(float), rng.integers(1, 9, 200).astype(float)
    shuffled = rng.permutation(200)
    assert maximal_correlation(a[shuffled], b[shuffled]) == pytest.approx(maximal_correlation(a, b), abs=1e-12)
