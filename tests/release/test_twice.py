"""The source archive is the same bytes wherever it is built; the wheel's test is beside its loops, in tests/native."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from release import twice


@pytest.fixture
def names():
    """The files of the checkout."""
    pytest.importorskip("hatchling")
    if shutil.which("git") is None or not (twice.ROOT / ".git").exists():
        pytest.skip("not a checkout of git")
    try:
        return twice.tracked()
    except subprocess.CalledProcessError:
        pytest.skip("git does not read this checkout")


def test_the_source_archive_does_not_depend_on_place_order_umask_or_language(names, tmp_path):
    here, there = twice.lay(tmp_path / "here", names), twice.lay(tmp_path / "there", names[::-1])
    first = twice.build(here, tmp_path / "one", "sdist")
    second = twice.build(there, tmp_path / "two", "sdist", 0o077, **twice.STRANGER)
    assert twice.digest(first) == twice.digest(second)
    with tarfile.open(first) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {name for name in names if name.startswith(("src/", "tests/", "release/", ".ci/", ".github/"))}
    assert wanted <= inside, wanted - inside
    assert not any(name.endswith((".so", ".dll", ".pyc")) for name in inside)

    with (here / "README.md").open("a") as file:
        file.write("A line more.\n")
    third = twice.build(here, tmp_path / "three", "sdist")
    assert twice.digest(third) != twice.digest(first), "other contents, other bytes"
