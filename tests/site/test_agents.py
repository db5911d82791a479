"""What coding agents are told: packaged, short, and true."""

import re
import shlex
from importlib.resources import files
from pathlib import Path

import pytest
from page_blocks import DOCS, ROOT, blocks_of
from test_pages import check_command

GUIDE = (files("causewise") / "agents.md").read_text(encoding="utf-8")


def test_its_code_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "guide"}
    for block in blocks_of(GUIDE):
        if block.language == "python":
            exec(compile(block.code, f"agents.md, line {block.line}", "exec"), names)
        else:
            for line in block.code.splitlines():
                check_command(shlex.split(line), line)
    assert names["edges"] == [("dose", "response")]
    assert re.match(r"dose → response 0\.\d+\n", capsys.readouterr().out)


def test_it_is_short() -> None:
    assert len(GUIDE.split()) < 600


def test_it_is_in_the_wheel() -> None:
    wheel = pytest.importorskip("hatchling.builders.wheel")
    packed = {each.distribution_path for each in wheel.WheelBuilder(str(ROOT)).recurse_included_files()}
    assert "causewise/agents.md" in packed


def test_the_index_for_language_models_names_pages_that_exist() -> None:
    targets = re.findall(r"\]\((.*?)\.html\)", (DOCS / "llms.txt").read_text(encoding="utf-8"))
    assert len(targets) > 10
    assert [target for target in targets if not (DOCS / f"{target}.md").exists()] == []
