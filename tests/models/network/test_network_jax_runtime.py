"""Compiled programs on disk: whatever is wrong with folder or file, the answer comes and no foreign code runs."""

import errno
import hashlib
import logging
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from causewise.models.network import jax_runtime

LINE = "Compiled network programs are not kept"
INHERITED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a process that has compiled and said nothing yet."""
    pytest.importorskip("jax")
    monkeypatch.setenv("CAUSEWISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(jax_runtime, "_loaded", {})
    monkeypatch.setattr(jax_runtime, "_warned", [])
    return tmp_path / "cache" / "causewise" / "programs"


def answer() -> list[float]:
    """What a program says in a process that has none in memory."""
    jax_runtime._loaded.clear()
    arguments = (jax_runtime.jax().device_put(np.arange(3.0, dtype=np.float32)),)
    return np.asarray(jax_runtime.compile_program(lambda x: x + 1, "plus-one", arguments)(*arguments)).tolist()


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.name == "causewise"]


def planted(path: Path, mark: Path) -> None:
    """A whole file that makes `mark` when it is unpickled."""

    class Touch:
        def __reduce__(self):
            return Path.touch, (mark,)

    pickled = pickle.dumps(Touch())
    path.write_bytes(hashlib.sha256(pickled).digest() + pickled)


def test_a_program_is_compiled_once_and_kept_private(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = os.umask(0)
    try:
        assert answer() == [1, 2, 3]
    finally:
        os.umask(before)
    (kept,) = folder.iterdir()
    assert [path.stat().st_mode & 0o777 for path in (kept, folder, *folder.parents[:2])] == [0o600, *[0o700] * 3]
    monkeypatch.setattr(jax_runtime, "keep_program", None)  # nothing is compiled any more
    assert answer() == [1, 2, 3]


@INHERITED
@given(cut=st.floats(0, 1), place=st.floats(0, 1, exclude_max=True), byte=st.integers(1, 255), garbage=st.binary())
def test_a_damaged_file_is_as_good_as_absent(folder: Path, cut: float, place: float, byte: int, garbage: bytes) -> None:
    if not folder.exists():
        assert answer() == [1, 2, 3]
    (kept,) = folder.iterdir()
    whole = kept.read_bytes()
    flipped = bytearray(whole)
    flipped[int(place * len(whole))] ^= byte
    for content in (whole[: int(cut * (len(whole) - 1))], bytes(flipped), garbage):
        kept.write_bytes(content)
        assert jax_runtime.load_program(kept.name) is None
    kept.write_bytes(whole)


def test_a_damaged_file_is_replaced(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert answer() == [1, 2, 3]
    (kept,) = folder.iterdir()
    for content in (b"", kept.read_bytes()[:100], b"garbage" * 1000):
        kept.write_bytes(content)
        assert answer() == [1, 2, 3]
        assert jax_runtime.load_program(kept.name) is not None
    assert lines(caplog) == []


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners and modes here")
@pytest.mark.parametrize("open_to_others", ["file", "folder", "above"])
def test_nothing_is_unpickled_that_others_could_have_written(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, open_to_others: str
) -> None:
    assert answer() == [1, 2, 3]
    (kept,) = folder.iterdir()
    planted(kept, mark := tmp_path / "mark")
    {"file": kept, "folder": folder, "above": folder.parents[1]}[open_to_others].chmod(0o777)
    assert answer() == answer() == [1, 2, 3]
    assert not mark.exists()
    (line,) = lines(caplog)
    assert line.startswith(LINE) and "can be written by others" in line and "CAUSEWISE_CACHE" in line


def test_what_another_user_owns_is_not_unpickled(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    assert answer() == [1, 2, 3]
    (kept,) = folder.iterdir()
    planted(kept, mark := tmp_path / "mark")
    assert jax_runtime._is_ours(kept.stat())
    stranger = list(kept.stat())
    stranger[4] = os.geteuid() + 1
    assert not jax_runtime._is_ours(os.stat_result(stranger))
    monkeypatch.setattr(jax_runtime, "_is_ours", lambda about: False)
    assert answer() == [1, 2, 3]
    assert not mark.exists() and len(lines(caplog)) == 1


@pytest.mark.parametrize("place", ["file", "nowhere", "homeless", "loop"])
def test_without_a_usable_folder_the_answer_comes_and_one_line(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    if place == "homeless":

        def homeless() -> Path:
            raise RuntimeError("Could not determine home directory.")

        monkeypatch.delenv("CAUSEWISE_CACHE")
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(Path, "home", homeless)
    else:
        (tmp_path / "file").write_text("no folder")
        (tmp_path / "loop").symlink_to("loop")
        monkeypatch.setenv("CAUSEWISE_CACHE", "/proc/nowhere" if place == "nowhere" else str(tmp_path / place))
    assert answer() == answer() == [1, 2, 3]
    (line,) = lines(caplog)
    assert line.startswith(LINE) and "\n" not in line


def test_a_full_disk_stops_no_answer_and_leaves_no_half_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(self))

    monkeypatch.setattr(Path, "replace", full)
    assert answer() == answer() == [1, 2, 3]
    (line,) = lines(caplog)
    assert "No space left on device" in line
    assert list(folder.iterdir()) == []


def test_a_folder_that_can_only_be_read_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch, caplog) -> None:
    assert answer() == [1, 2, 3]

    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", read_only)
    monkeypatch.setattr(jax_runtime.tempfile, "mkstemp", read_only)
    assert answer() == [1, 2, 3]
    assert lines(caplog) == []


def test_the_line_reaches_standard_error_where_nobody_set_up_logging(capsys: pytest.CaptureFixture[str]) -> None:
    logger, handlers = logging.getLogger(), logging.getLogger().handlers[:]
    for handler in handlers:
        logger.removeHandler(handler)
    try:
        jax_runtime._warn(OSError(errno.EROFS, "Read-only file system", "/home/me"))
    finally:
        for handler in handlers:
            logger.addHandler(handler)
    said = capsys.readouterr().err
    assert said.startswith(LINE) and said.count("\n") == 1 and "'/home/me'" in said
