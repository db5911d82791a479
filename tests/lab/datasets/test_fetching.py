"""fetch() against a server on this machine that breaks off, lies or hangs; two processes at once; damaged archives."""

import hashlib
import io
import json
import struct
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from little_server import QUICK, Behaviour, from_url, serving, zipped

from causewise.lab.datasets.fetching import ArchiveError, Downloader, Fetched, fetch, unpack
from causewise.lab.datasets.storage import Mirror, PublishedSet, load, published_set


def visible(root: Path) -> list[str]:
    """Everything under the data directory except kept archives."""
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and path.suffix != ".zip")


def check_nothing_came(result: Fetched, root: Path, *hints: str) -> None:
    assert not result.downloaded
    for hint in (*hints, "CAUSEWISE_DATA", "by hand", str(root / "ANLSMN_pairs" / "AN")):
        assert hint in result.failure
    assert visible(root) == []


def test_a_set_arrives_whole_and_can_be_loaded(registered: PublishedSet, tmp_path: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    behaviour = Behaviour(body := zipped())
    with serving(behaviour) as url:
        known = from_url(registered, url)
        result = fetch(known, tmp_path, downloader=QUICK, progress=lambda _, done, total: seen.append((done, total)))
        assert result == Fetched("AN", tmp_path / "ANLSMN_pairs" / "AN", downloaded=True)
        assert [labelled.truth for labelled in load("AN", tmp_path).pairs[:2]] == [1, -1]
        assert seen[-1] == (len(body), len(body))
        assert fetch(known, tmp_path, downloader=QUICK).downloaded is False  # at hand: no second download
        assert len(behaviour.asked) == 1
    assert [name for name in visible(tmp_path) if not name.startswith("ANLSMN_pairs/AN/pair")] == []


@pytest.mark.parametrize("ranges", [True, False])
def test_a_truncated_body_is_continued(registered: PublishedSet, tmp_path: Path, ranges: bool) -> None:
    behaviour = Behaviour(zipped(), cuts=2 if ranges else 1, ranges=ranges)
    with serving(behaviour) as url:
        assert fetch(from_url(registered, url), tmp_path, downloader=QUICK).downloaded
    assert behaviour.asked[0] is None
    assert all(asked and asked.startswith("bytes=") for asked in behaviour.asked[1:])
    assert len(load("AN", tmp_path)) == 100


def test_a_body_that_stays_truncated_leaves_nothing_behind(registered: PublishedSet, tmp_path: Path) -> None:
    behaviour = Behaviour(zipped(), cuts=99, ranges=False)
    with serving(behaviour) as url:
        result = fetch(from_url(registered, url), tmp_path, downloader=QUICK)
    check_nothing_came(result, tmp_path, "broke off", "3 attempts")
    assert list(tmp_path.rglob("*.zip")) == []
    with serving(Behaviour(zipped())) as url:  # and the next run succeeds
        assert fetch(from_url(registered, url), tmp_path, downloader=QUICK).downloaded


def test_a_wrong_archive_hash_is_refused(registered: PublishedSet, tmp_path: Path) -> None:
    body = zipped()
    with serving(Behaviour(body)) as url:
        result = fetch(from_url(registered, url, sha256="0" * 64), tmp_path, downloader=QUICK)
        check_nothing_came(result, tmp_path, "SHA-256")
        right = hashlib.sha256(body).hexdigest()
        assert fetch(from_url(registered, url, sha256=right), tmp_path, downloader=QUICK).downloaded


def test_files_that_differ_from_the_registered_ones_are_refused(registered: PublishedSet, tmp_path: Path) -> None:
    with serving(Behaviour(zipped())) as url:
        other = replace(from_url(registered, url), tree_sha256="1" * 64)
        check_nothing_came(fetch(other, tmp_path, downloader=QUICK), tmp_path, "differ from the registered")
        other = replace(from_url(registered, url), labels_sha256="1" * 64)
        check_nothing_came(fetch(other, tmp_path, downloader=QUICK), tmp_path, "labels")


def flipped(body: bytes) -> bytes:
    middle = len(body) // 3
    return body[:middle] + bytes(byte ^ 255 for byte in body[middle : middle + 40]) + body[middle + 40 :]


@pytest.mark.parametrize("body", [b"<html>sorry</html>", zipped()[:-40], flipped(zipped()), b""])
def test_what_is_no_sound_archive_is_refused_and_not_kept(
    registered: PublishedSet, tmp_path: Path, body: bytes
) -> None:
    with serving(Behaviour(body)) as url:
        check_nothing_came(fetch(from_url(registered, url), tmp_path, downloader=QUICK), tmp_path, "zip archive")
    assert list(tmp_path.rglob("*.zip")) == []


def test_a_sound_archive_without_the_set_is_kept_for_the_other_sets(registered: PublishedSet, tmp_path: Path) -> None:
    behaviour = Behaviour(zipped(**{"data/Dataverse_pairs/CE-Net_targets.csv": "SampleID,Target"}))
    with serving(behaviour) as url:
        for name in ("LS", "Net"):
            mirror = Mirror("m0", url, published_set(name).folder)
            result = fetch(replace(published_set(name), mirrors=(mirror,)), tmp_path, downloader=QUICK)
            assert "no single folder" in result.failure
        assert fetch(from_url(registered, url), tmp_path, downloader=QUICK).downloaded
    assert len(behaviour.asked) == 1


@pytest.mark.parametrize("inside", ["deep/ANLSMN_pairs/AN", "mine", ""])
def test_an_address_of_one_s_own_may_hold_the_files_anywhere(
    registered: PublishedSet, tmp_path: Path, inside: str
) -> None:
    with serving(Behaviour(zipped(inside or "."))) as url:
        assert fetch(registered, tmp_path, address=url, downloader=QUICK).downloaded


def test_404_is_final_and_the_next_mirror_is_tried(registered: PublishedSet, tmp_path: Path) -> None:
    gone = Behaviour(b"", status=404)
    with serving(gone) as first:
        result = fetch(from_url(registered, first), tmp_path, downloader=QUICK)
        check_nothing_came(result, tmp_path, "404")
        assert len(gone.asked) == 1
        with serving(Behaviour(zipped())) as second:
            assert fetch(from_url(registered, first, second), tmp_path, downloader=QUICK).downloaded


def test_a_busy_server_is_asked_again(registered: PublishedSet, tmp_path: Path) -> None:
    busy = Behaviour(b"", status=503)
    with serving(busy) as url:
        check_nothing_came(fetch(from_url(registered, url), tmp_path, downloader=QUICK), tmp_path, "503")
    assert len(busy.asked) == 3


def test_a_hanging_server_is_given_up(registered: PublishedSet, tmp_path: Path) -> None:
    with serving(Behaviour(zipped(), hang=0.5)) as url:
        impatient = Downloader(timeout=0.1, attempts=2, pause=0.01)
        result = fetch(from_url(registered, url), tmp_path, downloader=impatient)
    check_nothing_came(result, tmp_path, "no answer within 0.1 s")


def test_no_server_at_all(registered: PublishedSet, tmp_path: Path) -> None:
    with serving(Behaviour(b"")) as url:
        pass  # the port is free again
    check_nothing_came(fetch(from_url(registered, url), tmp_path, downloader=QUICK), tmp_path, "online?")


def test_a_folder_that_cannot_be_written(
    registered: PublishedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with serving(Behaviour(zipped())) as url:
        known = from_url(registered, url)
        assert "Could not write" in fetch(known, blocked / "data", downloader=QUICK).failure

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(30, "Read-only file system")

        monkeypatch.setattr("causewise.lab.datasets.fetching.tempfile.TemporaryDirectory", refuse)
        result = fetch(known, tmp_path / "data", downloader=QUICK)
    assert "Read-only file system" in result.failure and "CAUSEWISE_DATA" in result.failure


def test_nothing_outside_the_set_is_unpacked(registered: PublishedSet, tmp_path: Path) -> None:
    root = tmp_path / "data"
    body = zipped(**{"../../pair_1.txt": "evil", "top-1234/data/ANLSMN_pairs/AN/run.sh": "evil"})
    with serving(Behaviour(body)) as url:
        assert fetch(from_url(registered, url), root, downloader=QUICK).downloaded
    assert {path.suffix for path in tmp_path.rglob("*") if path.is_file()} == {".txt", ".zip"}
    assert not (tmp_path / "pair_1.txt").exists()


def test_a_crash_half_way_leaves_no_set(
    registered: PublishedSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = []
    replace_file = Path.replace

    def crash_later(self: Path, target: Path) -> Path:
        moved.append(self)
        if len(moved) > 40:
            raise KeyboardInterrupt
        return replace_file(self, target)

    with serving(Behaviour(zipped())) as url:
        known = from_url(registered, url)
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(Path, "replace", crash_later)
            fetch(known, tmp_path, downloader=QUICK)
        assert not (tmp_path / "ANLSMN_pairs/AN/pairs_gt.txt").exists()
        assert fetch(known, tmp_path, downloader=QUICK).downloaded
    assert len(load("AN", tmp_path)) == 100


SCRIPT = """
import json, sys
from dataclasses import replace
from causewise.lab.datasets.fetching import fetch
from causewise.lab.datasets.storage import Mirror, published_set
url, root, tree = sys.argv[1:]
mirror = Mirror("m0", url, "data/ANLSMN_pairs/AN")
known = replace(published_set("AN"), mirrors=(mirror,), tree_sha256=tree, labels_sha256="")
result = fetch(known, root, again=True)
print(json.dumps([result.failure, result.downloaded]))
"""


def test_two_processes_at_once(registered: PublishedSet, tmp_path: Path) -> None:
    with serving(Behaviour(zipped(), hang=0.3)) as url:
        command = [sys.executable, "-c", SCRIPT, url, str(tmp_path), registered.tree_sha256]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        answers = [json.loads(process.communicate(timeout=60)[0]) for process in both]
    assert answers == [["", True]] * 2
    assert len(list(load("AN", tmp_path).pairs)) == 100
    assert not list(tmp_path.glob(".unpack-*"))


# ---- archives: encrypted and damaged ones get their sentence, whatever their bytes run into


def little(compression: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        archive.writestr("AN/pairs_gt.txt", "1\n" * 30)
        archive.writestr("AN/pair_1.txt", '"1",2,3\n' * 30)
    return buffer.getvalue()


LITTLE = [little(kind) for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)]


def unpacked(body: bytes, max_size: int = 10_000) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as name:
        archive, into = Path(name) / "a.zip", Path(name) / "into"
        archive.write_bytes(body)
        into.mkdir()
        unpack(archive, published_set("AN"), "AN", into, max_size)
        return {path.name: path.read_bytes() for path in into.iterdir()}


def with_flags(body: bytes, flags: int) -> bytes:
    """Set flags in every local header and every entry of the directory."""
    changed = bytearray(body)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = body.find(signature)
        while place >= 0:
            (before,) = struct.unpack_from("<H", body, place + offset)
            struct.pack_into("<H", changed, place + offset, before | flags)
            place = body.find(signature, place + 4)
    return bytes(changed)


@pytest.mark.parametrize("body", LITTLE)
def test_every_compression_is_unpacked(body: bytes) -> None:
    assert unpacked(body) == {"pairs_gt.txt": b"1\n" * 30, "pair_1.txt": b'"1",2,3\n' * 30}


def test_an_encrypted_archive_gets_its_sentence() -> None:
    with pytest.raises(ArchiveError, match="encrypted"):
        unpacked(with_flags(zipped("AN"), 0x1), 1 << 20)


@given(
    body=st.sampled_from(LITTLE),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=6),
    cut=st.floats(0, 1),
)
@example(LITTLE[2], [(0.3, 255), (0.31, 255)], 1.0)  # bzip2 says OSError
@example(with_flags(LITTLE[1], 0x20), [(0.0, 80)], 1.0)  # patched data: NotImplementedError
@example(with_flags(LITTLE[1], 0x40), [(0.0, 80)], 1.0)
def test_a_damaged_archive_is_refused_or_read_never_more(
    body: bytes, changes: list[tuple[float, int]], cut: float
) -> None:
    damaged = bytearray(body)
    for place, byte in changes:
        damaged[int(place * len(damaged))] = byte
    try:
        files = unpacked(bytes(damaged[: int(cut * len(damaged)) or 1]))
    except ArchiveError as problem:
        assert "archive" in str(problem) or "unpacked" in str(problem)
    else:
        assert sum(map(len, files.values())) <= 10_000
