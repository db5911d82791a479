"""Channels one by one: hand-solvable cases, oracles, and the symmetries that the combination rests on."""

import numpy as np
import pytest

from whence.evidence.channels import CONTEXT, READINGS, normal_scores, read
from whence.evidence.convolution import Network, Pictures, network_values
from whence.evidence.description import mdl
from whence.evidence.fits import ladder, location_only, location_scale
from whence.evidence.picture import NETWORKS, judge, pictures, stored_network, stranger
from whence.evidence.resolution import resolved
from whence.evidence.shape import quantile_matrix, shape_divergence, surface_residuals
from whence.evidence.windows import histogram, left_out_line, window_mean
from whence.pair import FloatArray, Pair, standardise


@pytest.fixture(scope="module")
def pair() -> Pair:
    rng = np.random.default_rng(4)
    x = rng.uniform(-2, 2, 400)
    return Pair.of(x, np.tanh(2 * x) + (0.1 + 0.2 * np.abs(x)) * rng.normal(size=400))


def test_exchanging_the_columns_negates_every_difference_and_keeps_the_context(pair: Pair) -> None:
    one, two = read(resolved(pair.x, pair.y)), read(resolved(pair.y, pair.x))
    assert np.array_equal(one.differences, -two.differences)
    assert np.array_equal(one.context, two.context)
    assert one.costs.shape == (2, len(READINGS)) and one.context.shape == (len(CONTEXT),)


def test_units_and_row_order_change_nothing(pair: Pair) -> None:
    order = np.random.default_rng(0).permutation(pair.n)
    one, two = read(resolved(pair.x, pair.y)), read(resolved(3 + 7 * pair.x[order], pair.y[order] / 50))
    assert two.costs == pytest.approx(one.costs, abs=1e-6)


def test_curves_recover_location_and_scale() -> None:
    rng = np.random.default_rng(1)
    u = np.sort(rng.uniform(-1.7, 1.7, 3000))
    v = u**2 + np.exp(0.5 * u) * rng.normal(size=3000)
    curve = location_scale(ladder(u), v)
    assert np.mean(np.abs(curve.location - u**2)) < 0.1
    assert np.mean(np.abs(np.log(curve.scale) - 0.5 * u)) < 0.1


def test_bic_asks_for_more_knots_only_where_they_pay() -> None:
    rng = np.random.default_rng(2)
    u = np.sort(rng.uniform(-1.7, 1.7, 1000))
    noise = 0.2 * rng.normal(size=1000)
    assert location_only(ladder(u), u + noise).size < location_only(ladder(u), np.sin(8 * u) + noise).size


def test_a_location_scale_surface_has_rank_one_to_sampling_error() -> None:
    rng = np.random.default_rng(3)
    u = np.sort(rng.uniform(-1, 1, 20000))
    v = standardise(u**3 + np.exp(u) * rng.normal(size=20000))
    rank_one, rank_two = surface_residuals(v)
    assert rank_two < rank_one < 0.1
    assert quantile_matrix(v, 5).shape == (5, 10)
    assert np.all(np.diff(quantile_matrix(v, 5), axis=1) >= 0)


def test_shape_divergence_is_larger_where_the_shape_changes() -> None:
    rng = np.random.default_rng(5)
    u = np.sort(rng.uniform(-1, 1, 3000))
    same = rng.normal(size=3000)
    changing = np.where(u > 0, rng.choice([-1.0, 1.0], 3000), same)
    assert shape_divergence(u, same) < shape_divergence(u, changing)


def test_the_left_out_line_is_least_squares_without_the_row() -> None:
    v = np.random.default_rng(6).normal(size=40)
    found = left_out_line(v, 5)
    for i in (0, 3, 20, 39):
        rows = np.array([j for j in range(max(0, i - 5), min(40, i + 6)) if j != i])
        assert found[i] == pytest.approx(np.polyval(np.polyfit(rows - i, v[rows], 1), 0.0), abs=1e-9)


def test_the_network_agrees_with_scipys_correlation(pair: Pair) -> None:
    order = np.argsort(pair.x)
    u, v = standardise(pair.x[order]), standardise(pair.y[order])
    seen = pictures(u, v, _scores(v))
    networks = [stored_network(third) for third in NETWORKS]
    found = network_values(networks, [seen])[0]
    assert found[0] == pytest.approx(_slow_value(networks[0], seen), abs=1e-3)
    assert judge([seen]) == pytest.approx([found.mean()])
    assert [stranger(third, [seen])[0] for third in NETWORKS] == list(found)


def test_a_picture_gets_the_same_bits_in_any_company() -> None:
    rng, networks = np.random.default_rng(7), [stored_network(third) for third in NETWORKS]
    seen = [Pictures(rng.random((5, 32, 32), dtype=np.float32), rng.random(4, dtype=np.float32)) for _ in range(3)]
    together = network_values(networks, seen)
    assert np.array_equal(together[::-1], network_values(networks, seen[::-1]))
    assert np.array_equal(together[1:2], network_values(networks, seen[1:2]))


def test_windows_and_histograms_agree_with_numpy() -> None:
    rng = np.random.default_rng(8)
    v, a, b = rng.normal(size=30), rng.uniform(-0.2, 1.2, 200), rng.uniform(-0.2, 1.2, 200)
    assert window_mean(v, 4)[[0, 10, 29]] == pytest.approx([v[:5].mean(), v[6:15].mean(), v[25:].mean()])
    inside = np.clip(a, 0, 0.999), np.clip(b, 0, 0.999)
    expected, _, _ = np.histogram2d(*inside, bins=8, range=((0, 1), (0, 1)))
    assert histogram(a, b, 8) ** 2 == pytest.approx(expected * 64 / 200)


def test_mdl_takes_the_code_that_is_shorter(pair: Pair) -> None:
    (decision,) = mdl().decide_many([pair])
    assert decision.score > 0


def _scores(v: FloatArray) -> FloatArray:
    out = np.empty_like(v)
    out[np.argsort(v)] = normal_scores(len(v))
    return out


def _slow_value(network: Network, seen: Pictures) -> float:
    from scipy.signal import correlate

    h = seen.images.astype(float)
    for layer in network.layers:
        full = np.stack(
            [
                sum(correlate(h[c], kernel[c].astype(float), mode="same", method="direct") for c in range(len(h)))
                for kernel in layer.kernel.reshape(-1, len(h), 3, 3)
            ]
        )
        inside = np.maximum(full[:, :: layer.stride, :: layer.stride] + layer.bias[:, None, None], 0)
        h = h + inside if layer.skip else inside
    hidden = np.maximum(network.hidden @ np.concatenate((h.ravel(), seen.scalars)) + network.hidden_bias, 0)
    return float((network.last @ hidden + network.last_bias)[0])
