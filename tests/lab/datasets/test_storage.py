"""load(): where it looks, what it says when there is nothing, laziness, limits; the registry behind it; write()."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from causewise.errors import InputError
from causewise.lab.datasets import generate, load, names
from causewise.lab.datasets.collection import Collection, Label, LazyPairs
from causewise.lab.datasets.storage import data_folder, published_sets, write
from causewise.pair import Pair

X = np.arange(12.0)


def make_an(root: Path, pairs: int = 100) -> Path:
    folder = root / "ANLSMN_pairs" / "AN"
    folder.mkdir(parents=True)
    body = "".join(f'"{i}",{i},{(i * 7) % 12}\n' for i in range(12))
    for number in range(1, pairs + 1):
        (folder / f"pair_{number}.txt").write_text('"","x","y"\n' + body)
    (folder / "pairs_gt.txt").write_text("1\n0\n" * (pairs // 2))
    return folder


def test_the_names_are_those_of_the_paper() -> None:
    assert names() == ("AN", "ANs", "LS", "LSs", "MNU", "SIM", "SIMc", "SIMln", "SIMG", "Tue", "Cha", "Net", "Multi")


@pytest.mark.parametrize("known", published_sets(), ids=lambda known: known.name)
def test_every_entry_says_what_one_must_know(known) -> None:
    assert known.title and known.citation and known.licence and known.labels_sha256
    assert known.mirrors
    assert all(mirror.url.startswith("https://") for mirror in known.mirrors)
    assert all("{" not in mirror.inside for mirror in known.mirrors)


def test_an_argument_comes_first_then_the_variable_then_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAUSEWISE_DATA", str(tmp_path / "named"))
    assert data_folder(tmp_path) == tmp_path
    assert data_folder() == tmp_path / "named"
    monkeypatch.delenv("CAUSEWISE_DATA")
    assert data_folder().name == "causewise"


def test_load_reads_the_published_layout(tmp_path: Path) -> None:
    make_an(tmp_path)
    collection = load("AN", tmp_path)
    assert len(collection) == 100
    assert [labelled.truth for labelled in collection.pairs[:3]] == [1, -1, 1]
    assert len(load("AN", tmp_path, limit=7)) == 7
    assert "Tagasovska" in collection.citation


def test_a_missing_set_is_a_sentence_that_helps(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refusal:
        load("Net", tmp_path)
    for hint in ("causewise data fetch Net", "CAUSEWISE_DATA", str(tmp_path / "Dataverse_pairs"), "by hand"):
        assert hint in str(refusal.value)


def test_a_set_with_missing_pair_files_counts_as_missing(tmp_path: Path) -> None:
    folder = make_an(tmp_path)
    (folder / "pair_17.txt").unlink()
    with pytest.raises(InputError, match="is not in"):
        load("AN", tmp_path)


def test_a_damaged_pair_names_the_set_and_the_pair(tmp_path: Path) -> None:
    folder = make_an(tmp_path)
    (folder / "pair_2.txt").write_text('"","x","y"\n"1",1,2\n')
    pairs = load("AN", tmp_path).pairs
    assert pairs[0].pair.n == 12  # the others are still of use
    with pytest.raises(InputError, match="Pair 2 of AN"):
        _ = pairs[1]


@pytest.mark.parametrize(("name", "hint"), [("ANS", "ANs"), ("tue", "Tue"), ("zzz", "one of")])
def test_an_unknown_name_gets_a_hint(tmp_path: Path, name: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        load(name, tmp_path)


def test_a_limit_below_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="limit=0"):
        load("AN", tmp_path, limit=0)


class Counting:
    """Reads a pair and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> Pair:
        self.calls += 1
        return Pair.of(X, X**2)


def test_pairs_are_read_when_asked_for_and_once() -> None:
    readers = [Counting() for _ in range(4)]
    pairs = LazyPairs("set", [Label(i, 1, 1.0, read) for i, read in enumerate(readers)])
    assert len(pairs) == 4 and sum(r.calls for r in readers) == 0
    assert pairs[2].pair_id == 2 and pairs[-2] is pairs[2]
    assert [r.calls for r in readers] == [0, 0, 1, 0]
    assert [p.pair_id for p in pairs[1:3]] == [1, 2]
    with pytest.raises(IndexError):
        _ = pairs[4]


def test_pairs_travel_to_another_process_unread(tmp_path: Path) -> None:
    make_an(tmp_path)
    pairs = load("AN", tmp_path).pairs
    first = pairs[0]
    copy = pickle.loads(pickle.dumps(pairs))
    assert copy[0].pair_id == first.pair_id and np.array_equal(copy[0].pair.y, first.pair.y)
    assert "100 labelled pairs" in repr(copy)


def tables(collection: Collection) -> list[np.ndarray]:
    return [np.column_stack([labelled.pair.x, labelled.pair.y]) for labelled in collection.pairs]


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


def test_files_that_were_not_generated_are_left_as_they_are(tmp_path: Path) -> None:
    mine = tmp_path / "AN" / "pair_1.txt"
    mine.parent.mkdir()
    mine.write_text("precious")
    with pytest.raises(InputError, match=r"not generated by causewise.*choose another folder"):
        write(generate("AN", 1, 20), tmp_path, seed=0)
    assert (mine.read_text(), list(mine.parent.iterdir())) == ("precious", [mine])


def test_a_set_whose_writing_was_cut_short_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("causewise.lab.datasets.storage.LABELS", "no/such/folder.txt")
        with pytest.raises(InputError, match="Could not write"):
            write(generate("AN", 2, 20), tmp_path, seed=0)
    folder = write(generate("AN", 1, 20), tmp_path, seed=0)
    assert len(load("AN", tmp_path)) == 1
    assert not (folder / "generated.toml.part").exists()


def test_writing_where_one_cannot_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "AN").write_text("in the way")
    with pytest.raises(InputError, match="Could not write"):
        write(generate("AN", 1, 20), tmp_path, seed=0)


@pytest.mark.parametrize(
    "note", ["", "pairs = many", 'name = "MNU"', 'name = "MNU"\ntitle = ""\ncitation = ""\npairs = []']
)
def test_a_damaged_note_is_a_sentence(tmp_path: Path, note: str) -> None:
    folder = write(generate("MNU", 2, 20, seed=1), tmp_path, seed=1)
    (folder / "generated.toml").write_text(note)
    with pytest.raises(InputError, match="generate the set again"):
        load("MNU", tmp_path)
