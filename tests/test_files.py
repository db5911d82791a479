"""Files are written aside and moved into place: whoever holds the old one keeps it, and a failure leaves it there."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from specimens import SPECIMENS

from causewise.errors import InputError
from causewise.files import replace_with
from causewise.lab.benchmark.publish import write_leaderboard

WRITERS: dict[str, Callable[[Path], object]] = {
    "page.html": lambda path: SPECIMENS["score only"].report(str(path)),
    "picture.png": lambda path: SPECIMENS["score only"].plot(path),
    "leaderboard.html": lambda path: write_leaderboard([], path),
    "any.txt": lambda path: replace_with(path, b"new\n" * 1000),
}
"""Everything that writes a file at a name the user gives."""


@pytest.mark.parametrize("name", WRITERS)
def test_the_old_file_is_whole_for_whoever_holds_it(name: str, tmp_path: Path) -> None:
    target, second_name = tmp_path / name, tmp_path / "second name"
    target.write_text("old")
    os.link(target, second_name)
    WRITERS[name](target)
    assert second_name.read_text() == "old"
    assert len(target.read_bytes()) > 3
    assert {path.name for path in tmp_path.iterdir()} == {name, "second name"}


@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_fills_up_halfway_leaves_the_old_file(name: str, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    target = tmp_path / name
    target.write_text("old")
    WRITERS[name](tmp_path / f"first-{name}")  # whatever is written once, such as a list of fonts, is written now
    (tmp_path / f"first-{name}").unlink()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(InputError, match="Could not write"):
            WRITERS[name](target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert target.read_text() == "old"
