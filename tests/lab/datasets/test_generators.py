"""generate(): same seed same bytes, pair i alone decides pair i, every name works; and random rows of drawn pairs."""

import pickle

import numpy as np
import pytest

from causewise.errors import InputError
from causewise.lab.datasets import generate, generator_names, grid, subsample
from causewise.lab.datasets.collection import Collection

NAMED = ("AN", "ANs", "LS", "LSs", "MNU", "SIM-like", "SIMc-like", "SIMln-like", "SIMG-like", "Multi", "Net-like")


def rows_of(name: str) -> int | None:
    return None if name.startswith("grid/rows/") else 60


def tables(collection: Collection) -> list[np.ndarray]:
    return [np.column_stack([labelled.pair.x, labelled.pair.y]) for labelled in collection.pairs]


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
    truths = [label.truth for label in generate(name, 1000, 20).pairs.labels]  # type: ignore[attr-defined]  # drawn pairs are lazy
    assert set(truths) == {-1, 1}
    assert abs(sum(truths)) < 3 * np.sqrt(1000)


def test_drawn_pairs_travel_to_another_process() -> None:
    collection = generate("grid/mechanism/pnl-exp", 2, 50)
    assert np.array_equal(tables(pickle.loads(pickle.dumps(collection)))[1], tables(collection)[1])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"name": "SIM"}, "SIM-like"),
        ({"name": "grid/laws/gausian-t3"}, "did you mean"),
        ({"name": "?"}, "list --generators"),
        ({"name": "AN", "pairs": 0}, "from 1 to"),
        ({"name": "AN", "n": 5}, "from 10 to"),
        ({"name": "AN", "seed": -1}, "seed=-1"),
        ({"name": "grid/rows/50", "n": 60}, "leave n out"),
    ],
)
def test_bad_requests_are_sentences(arguments: dict, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        generate(**arguments)


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
