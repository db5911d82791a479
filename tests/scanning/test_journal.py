"""The file in which a scan keeps what it has finished: nobody's work is overwritten, and its own goes on."""

import os
import sys

import numpy as np
import pytest

import causewise
from causewise.scanning import journal as journals
from causewise.scanning import scanner

rng = np.random.default_rng(0)
X = rng.normal(size=60)
TABLE = {f"c{k}": np.tanh(X + 0.1 * k) + 0.3 * rng.normal(size=60) for k in range(4)}
FOREIGN = {"text": b"precious\n", "no line": b"\0" * 100_000, "a line with a hash": b"0123456789abcdef [1]\n"}


def scan(place, table=TABLE, **options):
    return causewise.scan(table, method="igci", **options, engine=causewise.Engine(jobs=1, journal=place))


def refused(place, table=TABLE, **options):
    """The sentence, once it is certain that the file was left as it is."""
    before = place.read_bytes()
    with pytest.raises(causewise.InputError) as refusal:
        scan(place, table, **options)
    assert place.read_bytes() == before
    assert repr(str(place)) in str(refusal.value)
    return str(refusal.value)


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_file_of_something_else_is_left_as_it_is(content, tmp_path):
    place = tmp_path / "mine.txt"
    place.write_bytes(content)
    assert refused(place) == (
        f"Got the file of something else, {str(place)!r}, where a scan keeps its finished pairs; expected no such "
        "file, or the one that this scan left: choose another name, or move it away; it was left as it is."
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"table": TABLE | {"c0": X}}, "of another table"),
        ({"seed": 3}, "with the seed 0"),
        ({"fdr": 0.1}, "with other settings or other pairs"),
        ({"pairs": [("c0", "c1")], "seed": 1}, "with the seed 0, with other settings or other pairs"),
        ({"knowledge": {"before": [["c0", "c1"]]}}, "with other settings or other pairs"),
    ],
)
def test_work_of_another_scan_is_not_dropped(change, words, tmp_path):
    place = tmp_path / "part"
    scan(place)
    said = refused(place, **change)
    assert f"the finished pairs of another scan ({words});" in said
    assert "finish that scan first" in said


def test_the_method_of_the_other_scan_is_named(tmp_path):
    scan(tmp_path / "part")
    with pytest.raises(causewise.InputError, match=r"another scan \(by the method 'igci'\)"):
        causewise.scan(TABLE, method="loci-m", engine=causewise.Engine(jobs=1, journal=tmp_path / "part"))


def test_a_journal_of_another_version_or_build_is_a_sentence(tmp_path, monkeypatch):
    place = tmp_path / "part"
    with monkeypatch.context() as patch:
        patch.setattr(scanner, "VERSION", "0.0.9")
        scan(place)
    assert "another scan (by causewise 0.0.9)" in refused(place)
    place.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(scanner.Screening, "_fields", ("i", "j"))
        scan(place)
    assert "another scan (by another build of causewise)" in refused(place)
    place.write_bytes(journals._line(["4fd2" * 8]) + journals._line(["screening 1", [[0, 1]]]))
    assert "another scan (by an earlier build of causewise)" in refused(place)


def test_the_same_scan_goes_on_whoever_holds_its_names(tmp_path, monkeypatch):
    place, given = tmp_path / "part", {"before": [["c0", "c1"], ["c1", "c2"]]}
    whole = scan(place, knowledge=given)
    kept = place.read_bytes()
    monkeypatch.setattr(scanner.PairScorer, "screen", None)
    copied = {"".join(list(name)): column.copy() for name, column in TABLE.items()}
    again = scan(
        place, copied, knowledge={"before": [["".join(list(name)) for name in two] for two in given["before"]]}
    )
    assert (again.rows, place.read_bytes()) == (whole.rows, kept)


@pytest.mark.parametrize("cut", [0, 1, 40])
def test_a_first_line_that_was_cut_short_is_begun_anew(cut, tmp_path):
    place = tmp_path / "part"
    whole = scan(place)
    kept = place.read_bytes()
    place.write_bytes(kept[:cut])
    again = scan(place)
    assert [(row.score, row.dependence_p) for row in again] == [(row.score, row.dependence_p) for row in whole]
    assert place.read_bytes().splitlines()[0] == kept.splitlines()[0]


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are POSIX's")
def test_links_folders_and_pipes_are_refused(tmp_path):
    mine, link, loose = tmp_path / "mine.txt", tmp_path / "link", tmp_path / "loose"
    scan(mine)
    link.symlink_to(mine)  # not even where it leads to the journal itself
    loose.symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    kept = mine.read_bytes()
    for name, words in (("link", "symbolic link"), ("loose", "symbolic link"), ("folder", "directory"), ("pipe", "")):
        with pytest.raises(causewise.InputError, match=f"^Got .*{words}.*where a scan keeps its finished pairs"):
            scan(tmp_path / name)
    assert (mine.read_bytes(), link.is_symlink(), (tmp_path / "nowhere").exists()) == (kept, True, False)


def exchange(place, change):
    """Scan, and `change` the place once the first pairs are screened."""

    def told(what, done, of):
        if what == "orienting" and done == 0:
            change()

    return causewise.scan(
        TABLE, method="igci", engine=causewise.Engine(jobs=1, journal=place, on_progress=told), fdr=0.9
    )


def test_a_file_that_takes_its_place_meanwhile_is_not_written_to(tmp_path):
    place, other = tmp_path / "part", tmp_path / "other"
    other.write_bytes(b"precious\n")
    with pytest.raises(causewise.InputError, match="while the scan ran, another file"):
        exchange(place, lambda: other.replace(place))
    assert place.read_bytes() == b"precious\n"


def test_a_file_that_appears_before_the_first_pair_is_finished_is_not_written_to(tmp_path):
    place = tmp_path / "part"

    def told(what, done, of):
        place.write_bytes(b"precious\n")

    with pytest.raises(causewise.InputError, match="while the scan ran, the new file"):
        causewise.scan(TABLE, method="igci", engine=causewise.Engine(jobs=1, journal=place, on_progress=told))
    assert place.read_bytes() == b"precious\n"


def test_a_result_written_over_its_own_journal_stays(tmp_path):
    place = tmp_path / "scan.csv"
    scan(place).write(place)
    assert place.read_text().startswith("x,y,")


def test_a_removed_journal_is_begun_anew(tmp_path):
    place = tmp_path / "part"
    found = exchange(place, place.unlink)
    assert place.exists()
    found.write(tmp_path / "scan.csv")
    assert not place.exists()
