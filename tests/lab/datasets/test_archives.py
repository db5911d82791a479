"""unpack(): encrypted and damaged archives get their sentence, whatever their bytes run into."""

import io
import struct
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from little_server import zipped

from causewise.lab.datasets.archives import ArchiveError, unpack
from causewise.lab.datasets.registry import published_set

AN = published_set("AN")


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
        unpack(archive, AN, "AN", into, max_size)
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
