"""The R package: built, checked and tested by R, where R and reticulate are installed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from causewise.version import VERSION

PACKAGE = Path(__file__).parents[2] / "r"


def test_its_version_is_ours() -> None:
    assert re.search(r"^Version: (.+)$", (PACKAGE / "DESCRIPTION").read_text(), re.M)[1] == VERSION


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_r_checks_it(tmp_path: Path) -> None:
    wanted = 'quit(status = !all(c("reticulate", "testthat") %in% rownames(installed.packages())))'
    if subprocess.run(["Rscript", "-e", wanted]).returncode:
        pytest.skip("needs the R packages reticulate and testthat")
    python = os.environ | {"RETICULATE_PYTHON": sys.executable}
    subprocess.run(["R", "CMD", "build", PACKAGE], cwd=tmp_path, check=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    checked = subprocess.run(
        ["R", "CMD", "check", "--no-manual", archive], cwd=tmp_path, env=python, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout
    assert "Status: OK" in checked.stdout
    # Tests that found no causewise would have passed as well.
    done = (tmp_path / "causewise.Rcheck" / "tests" / "testthat.Rout").read_text()
    assert re.search(r"FAIL 0 \| WARN 0 \| SKIP 0 \| PASS [1-9]\d", done), done
