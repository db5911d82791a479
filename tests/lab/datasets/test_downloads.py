"""Limits of a download, lengths that are none, and archives kept from an earlier run."""

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from little_server import QUICK, Behaviour, from_url, serving, zipped

from causewise.lab.datasets.fetching import CHUNK, Downloader, fetch
from causewise.lab.datasets.storage import Mirror, PublishedSet, load


@pytest.fixture
def unhashed(registered: PublishedSet) -> PublishedSet:
    """A set whose values cannot be verified."""
    return replace(registered, tree_sha256="")


def other_values() -> bytes:
    """The same set with another first pair."""
    table = '"","x","y"\n' + "".join(f'"{i}",{i},{i * i}\n' for i in range(12))
    return zipped(**{"top-1234/data/ANLSMN_pairs/AN/pair_1.txt": table})


def first_effect(root: Path) -> list[float]:
    return load("AN", root).pairs[0].pair.y.tolist()


def new_run() -> Downloader:
    return replace(QUICK, fresh=set())


# ---- limits


def test_a_server_that_drips_is_given_up_when_the_time_is_over(registered: PublishedSet, tmp_path: Path) -> None:
    hurried = Downloader(timeout=5, attempts=3, pause=0.01, max_time=0.3)
    with serving(Behaviour(b"x" * 60, drip=0.05)) as url:
        result = fetch(from_url(registered, url), tmp_path, downloader=hurried)
    assert "not complete after 0.3 s" in result.failure and "--max-time" in result.failure
    assert list((tmp_path / ".downloads").iterdir()) == []


@pytest.mark.parametrize("length", ["", None])
def test_what_is_too_large_is_refused_whether_announced_or_not(
    registered: PublishedSet, tmp_path: Path, length: str | None
) -> None:
    behaviour, most, seen = Behaviour(zipped() * 20, length=length), 3 * CHUNK, []
    with serving(behaviour) as url:
        known, strict = from_url(registered, url), replace(QUICK, max_size=most)
        result = fetch(known, tmp_path, downloader=strict, progress=lambda _, done, __: seen.append(done))
    assert len(behaviour.body) > most and "larger than" in result.failure and "--max-size" in result.failure
    assert max(seen, default=0) <= (0 if length == "" else most)
    assert len(behaviour.asked) == 1 and list((tmp_path / ".downloads").iterdir()) == []


def test_the_files_unpacked_are_as_limited_as_the_download(registered: PublishedSet, tmp_path: Path) -> None:
    body = zipped(**{"top-1234/data/ANLSMN_pairs/AN/pair_101.txt": "0" * 1_000_000})
    with serving(Behaviour(body)) as url:
        result = fetch(from_url(registered, url), tmp_path, downloader=replace(QUICK, max_size=500_000))
    assert len(body) < 500_000
    assert "unpacked" in result.failure and "--max-size" in result.failure


# ---- lengths


@pytest.mark.parametrize("length", ["²", "12abc", "-5", "1_000", "+9", "9" * 30])
def test_a_malformed_length_gets_its_sentence(registered: PublishedSet, tmp_path: Path, length: str) -> None:
    with serving(Behaviour(zipped(), length=length)) as url:
        result = fetch(from_url(registered, url), tmp_path, downloader=QUICK)
    assert f"announced the length {length!r}; expected a number of bytes" in result.failure


def test_a_server_that_continues_at_another_byte_is_asked_for_everything(
    registered: PublishedSet, tmp_path: Path
) -> None:
    behaviour = Behaviour(zipped(), cuts=1, shift=3)
    with serving(behaviour) as url:
        assert fetch(from_url(registered, url), tmp_path, downloader=QUICK).downloaded
    assert [asked is None for asked in behaviour.asked] == [True, False, True]


@pytest.mark.parametrize("address", ["http://[::1", "http://a..b/c.zip", "ftp://a/b", "http://127.0.0.1:9/\udcff.zip"])
def test_an_address_that_leads_nowhere_gets_a_sentence(registered: PublishedSet, tmp_path: Path, address: str) -> None:
    result = fetch(registered, tmp_path, address=address, downloader=QUICK)
    assert result.failure.startswith("Could not fetch AN") and address in result.failure


# ---- kept archives


def test_a_kept_archive_that_was_altered_is_not_read_but_fetched_again(unhashed: PublishedSet, tmp_path: Path) -> None:
    behaviour = Behaviour(zipped())
    with serving(behaviour) as url:
        known = from_url(unhashed, url)
        assert fetch(known, tmp_path, downloader=new_run()).downloaded
        right = first_effect(tmp_path)
        (kept,) = tmp_path.rglob("*.zip")
        kept.write_bytes(other_values())
        (tmp_path / known.folder / known.labels).unlink()
        assert fetch(known, tmp_path, downloader=new_run()).downloaded
    assert first_effect(tmp_path) == right
    assert len(behaviour.asked) == 2


def test_a_kept_archive_without_the_registered_hash_is_fetched_again(unhashed: PublishedSet, tmp_path: Path) -> None:
    behaviour = Behaviour(other_values())
    with serving(behaviour) as url:
        assert fetch(from_url(unhashed, url), tmp_path, downloader=new_run()).downloaded
        behaviour.body = zipped()
        known = from_url(unhashed, url, sha256=hashlib.sha256(behaviour.body).hexdigest())
        (tmp_path / known.folder / known.labels).unlink()
        assert fetch(known, tmp_path, downloader=new_run()).downloaded
    (kept,) = tmp_path.rglob("*.zip")
    assert kept.read_bytes() == behaviour.body


def test_again_takes_what_the_server_has_now(unhashed: PublishedSet, tmp_path: Path) -> None:
    behaviour = Behaviour(other_values())
    with serving(behaviour) as url:
        known = from_url(unhashed, url)
        assert fetch(known, tmp_path, downloader=new_run()).downloaded
        wrong = first_effect(tmp_path)
        behaviour.body = zipped()
        assert fetch(known, tmp_path, downloader=new_run(), again=True).downloaded
    assert first_effect(tmp_path) != wrong
    assert len(list(tmp_path.rglob("*.zip"))) == 1


def test_again_downloads_an_archive_of_many_sets_once_a_run(unhashed: PublishedSet, tmp_path: Path) -> None:
    behaviour, run = Behaviour(zipped()), new_run()
    with serving(behaviour) as url:
        for _ in range(3):
            assert fetch(from_url(unhashed, url), tmp_path, downloader=run, again=True).downloaded
    assert len(behaviour.asked) == 1


def test_an_archive_that_lacked_the_set_in_an_earlier_run_is_fetched_again(
    registered: PublishedSet, tmp_path: Path
) -> None:
    behaviour = Behaviour(zipped("elsewhere"))
    with serving(behaviour) as url:
        known = from_url(registered, url)
        assert "no single folder" in fetch(known, tmp_path, downloader=new_run()).failure
        behaviour.body = zipped()
        assert fetch(known, tmp_path, downloader=new_run()).downloaded


def test_a_server_that_is_gone_costs_no_archive(registered: PublishedSet, tmp_path: Path) -> None:
    with serving(Behaviour(zipped())) as url:
        known = from_url(registered, url)
        assert fetch(known, tmp_path, downloader=new_run()).downloaded
    assert fetch(known, tmp_path, downloader=new_run(), again=True).failure
    (kept,) = tmp_path.rglob("*.zip")
    assert zipfile.is_zipfile(kept)
    beside = replace(known, mirrors=(Mirror("m0", url, "data/ANLSMN_pairs/AN"),), folder="beside")
    assert fetch(beside, tmp_path, downloader=new_run()).downloaded
