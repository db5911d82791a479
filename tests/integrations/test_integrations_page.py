"""The examples of the page on integrations, run where their package is installed."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "bridges.md"
BLOCK = re.compile(r"(?:<!-- not run: needs (\w+),[^>]*-->\n)?```(python|text)\n(.*?)```", re.DOTALL)
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]\d+)?")
BLOCKS = BLOCK.findall(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", ["", "causallearn", "dowhy", "pgmpy"])
def test_the_examples_print_what_the_page_says(package: str, capsys: pytest.CaptureFixture[str]) -> None:
    if package and find_spec(package) is None:
        pytest.skip(f"{package} is not installed here: make bridges has an environment for it")
    names: dict[str, object] = {}
    printed, compared = "", set()
    for needs, language, text in BLOCKS:
        if needs not in ("", package):
            continue
        if language == "python":
            capsys.readouterr()
            exec(text, names)
            printed = capsys.readouterr().out
        else:
            compared.add(needs)
            assert NUMBER.sub("#", printed) == NUMBER.sub("#", text)
            ours, theirs = ([float(number) for number in NUMBER.findall(shown)] for shown in (printed, text))
            assert ours == pytest.approx(theirs, rel=0.02, abs=0.11)
    assert compared == {"", package}
