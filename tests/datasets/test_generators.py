"""generate(): same seed same bytes, pair i alone decides pair i, every name works; and back from disk."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from whence.datasets import generate, generator_names, grid, load, robustness, subsample
from whence.datasets.collection import Collection
from whence.datasets.robustness import conditional_variance
from whence.datasets.storage import write
from whence.pair import InputError

NAMED = ("AN", "ANs", "LS", "LSs", "MNU", "SIM-like", "SIMc-like", "SIMln-like", "SIMG-like", "Multi", "Net-like")


def rows_of(name: str) -> int | None:
    return None if name.startswith("grid/rows/") else 60


def tables(collection: Collection) -> list[np.ndarray]:
    return [np.column_stack([labelled.pair.x, labelled.pair.y]) for labelled in collection.pairs]


def causal(collection: Collection) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(p.pair.x, p.pair.y) if p.truth > 0 else (p.pair.y, p.pair.x) for p in collection.pairs]


def test_the_named_sets_and_the_seven_axes_are_there() -> None:
    assert generator_names()[: len(NAMED)] == NAMED
    axes = {cell.name.split("/")[1] for cell in grid()}
    assert axes == {"laws", "noise", "rows", "mechanism", "damage", "breaks", "variance"}
    assert len({cell.name for cell in grid()}) == len(grid()) == len(generator_names()) - len(NAMED)


@pytest.mark.parametrize("name", generator_names())
def test_every_generator_draws_valid_pairs_that_depend_on_seed_and_index_only(name: str) -> None:
    few, more = generate(name, 2, rows_of(name), seed=5), generate(name, 4, rows_of(name), seed=5)
    for first, second in zip(few.pairs, more.pairs, strict=False):
        assert (first.pair_id, first.truth) == (second.pair_id, second.truth)
        assert np.array_equal(first.pair.x, second.pair.x) and np.array_equal(first.pair.y, second.pair.y)
        assert np.isfinite(first.pair.x).all() and np.isfinite(first.pair.y).all()
        assert first.pair.n == (rows_of(name) or int(name.rsplit("/", 1)[1]))
    assert not np.array_equal(tables(more)[0], tables(more)[1])
    other = generate(name, 2, rows_of(name), seed=6)
    assert not np.array_equal(tables(few)[0], tables(other)[0])


@pytest.mark.parametrize("name", ["AN", "Multi", "grid/damage/warp-both"])
def test_about_half_of_the_pairs_are_turned_round(name: str) -> None:
    truths = [label.truth for label in generate(name, 1000, 20).pairs.labels]  # type: ignore[attr-defined]
    assert set(truths) == {-1, 1}
    assert abs(sum(truths)) < 3 * np.sqrt(1000)


def test_cells_of_an_axis_share_their_random_numbers_and_sets_do_not() -> None:
    low, high = (causal(generate(f"grid/noise/snr-{ratio}", 3, 50)) for ratio in ("0.1", "100"))
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(low, high, strict=True))
    an, ans = causal(generate("AN", 1, 50)), causal(generate("ANs", 1, 50))
    assert not np.array_equal(an[0][0], ans[0][0])


def test_drawn_pairs_travel_to_another_process() -> None:
    collection = generate("grid/mechanism/pnl-exp", 2, 50)
    assert np.array_equal(tables(pickle.loads(pickle.dumps(collection)))[1], tables(collection)[1])


@pytest.mark.parametrize("name", ["LS", "SIMln-like", "grid/laws/t3-beta", "grid/rows/50"])
def test_what_is_written_is_read_back_bit_for_bit(tmp_path: Path, name: str) -> None:
    drawn = generate(name, 4, None if "rows" in name else 30, seed=9)
    folder = write(drawn, tmp_path, seed=9)
    back = load(name, tmp_path)
    assert folder == tmp_path / name
    assert [p.truth for p in back.pairs] == [p.truth for p in drawn.pairs]
    assert all(np.array_equal(a, b) for a, b in zip(tables(back), tables(drawn), strict=True))
    assert "seed 9" in back.title
    assert len(load(name, tmp_path, limit=2)) == 2


def test_writing_fewer_pairs_over_more_leaves_no_stray_pair(tmp_path: Path) -> None:
    write(generate("AN", 5, 20), tmp_path, seed=0)
    write(generate("AN", 3, 20, seed=1), tmp_path, seed=1)
    assert len(load("AN", tmp_path)) == 3


def test_writing_where_one_cannot_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "AN").write_text("in the way")
    with pytest.raises(InputError, match="Could not write"):
        write(generate("AN", 1, 20), tmp_path, seed=0)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"name": "SIM"}, "SIM-like"),
        ({"name": "grid/laws/gausian-t3"}, "did you mean"),
        ({"name": "?"}, "list --generators"),
        ({"name": "AN", "pairs": 0}, "at least 1"),
        ({"name": "AN", "n": 5}, "at least 10 rows"),
        ({"name": "AN", "seed": -1}, "seed -1"),
        ({"name": "grid/rows/50", "n": 60}, "leave n out"),
    ],
)
def test_bad_requests_are_sentences(arguments: dict, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        generate(**arguments)


def test_the_variance_cells_are_what_they_say() -> None:
    for name, sign in (("misleading", 1), ("helpful", -1)):
        for cause, effect in causal(generate(f"grid/variance/{name}", 10, 300)):
            assert sign * (conditional_variance(cause, effect) - conditional_variance(effect, cause)) > 0


def test_conditional_variance_of_a_known_case() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=20_000)
    assert conditional_variance(x, x + rng.normal(size=x.size)) == pytest.approx(0.5, abs=0.03)
    assert conditional_variance(x, x) < 0.02


def test_noise_cells_have_the_signal_to_noise_ratio_they_name() -> None:
    smallest = []
    for ratio in (0.1, 1, 10, 100):
        pairs = causal(generate(f"grid/noise/snr-{ratio:g}", 30, 1000))
        smallest.append(np.median([conditional_variance(cause, effect) for cause, effect in pairs]))
    expected = [1 / (1 + ratio) for ratio in (0.1, 1, 10)]
    assert smallest[:3] == pytest.approx(expected, rel=0.35)
    assert smallest[3] < smallest[2]


def test_every_hidden_step_adds_noise() -> None:
    unexplained = [
        np.median([conditional_variance(x, y) for x, y in causal(generate(f"grid/breaks/mediator-{steps}", 30, 500))])
        for steps in (1, 2, 3)
    ]
    assert unexplained == sorted(unexplained)


def test_selection_keeps_the_upper_half_of_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robustness, "any_of", lambda laws, rng, n: rng.standard_normal(n))
    monkeypatch.setattr(robustness, "location_scale", lambda rng, cause, noise, level: noise)
    cause, effect = robustness.selected(np.random.default_rng(0), 4000)
    assert len(cause) == 4000
    assert (cause + effect).min() == pytest.approx(0, abs=0.06)  # the threshold, in units of the whole sample


def test_subsampling_keeps_labels_and_draws_rows_of_the_pair() -> None:
    whole = generate("LS", 3, 100)
    cut = subsample(whole, rows=30, draws=4, seed=2)
    assert len(cut) == 12
    assert [p.pair_id for p in cut.pairs[:5]] == ["1.1", "1.2", "1.3", "1.4", "2.1"]
    for place, labelled in enumerate(cut.pairs):
        source = whole.pairs[place // 4]
        assert labelled.truth == source.truth and labelled.weight == 0.25
        rows = set(zip(source.pair.x, source.pair.y, strict=True))
        assert labelled.pair.n == 30 and set(zip(labelled.pair.x, labelled.pair.y, strict=True)) <= rows
    assert len(subsample(whole, rows=100)) == 0
    with pytest.raises(InputError, match="at least 10 rows"):
        subsample(whole, rows=5)
