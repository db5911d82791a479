"""Every code block on the site does what the page says, and every link inside it leads somewhere."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
from page_blocks import DOCS, PAGES, ROOT, blocks, blocks_of
from typer.testing import CliRunner

from causewise.cli.app import app
from causewise.examples import load_patients, make_valley

NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]\d+)?")
LANGUAGES = {"python", "text", "console", "sh", "yaml", "csv", "", "toml", "json", "r"}


def pages_with(*languages: str) -> list[str]:
    return [page for page in PAGES if any(block.language in languages and not block.why_not for block in blocks(page))]


def assert_alike(printed: str, expected: str, where: str) -> None:
    """To the digits shown, but for the last ones: another machine rounds otherwise."""
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", expected), where
    ours, theirs = ([float(number) for number in NUMBER.findall(shown)] for shown in (printed, expected))
    assert ours == pytest.approx(theirs, rel=0.02, abs=0.005), where


@pytest.mark.parametrize("page", [page for page in pages_with("python", "console") if not page.startswith("methods/")])
def test_the_blocks_of_a_page_run(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    printed = ""
    for block in blocks(page):
        where = f"{page}, line {block.line}"
        if block.language == "python" and not block.why_not:
            capsys.readouterr()
            exec(compile(block.code, where, "exec"), names)
            printed = capsys.readouterr().out
        elif block.language == "text" and not block.why_not:
            assert_alike(printed, block.code, where)
        elif block.language == "console" and not block.why_not:
            run_console(block.code, where)


def test_the_commands_of_the_readme_print_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("valley.csv").write_bytes(make_valley())
    Path("patients.csv").write_bytes(load_patients())
    shown = [block for block in blocks_of((ROOT / "README.md").read_text()) if block.language == "console"]
    assert len(shown) == 3
    for block in shown:
        run_console(block.code, f"README.md, line {block.line}")


def run_console(shown: str, where: str) -> None:
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", shown, re.MULTILINE):
        words = shlex.split(command)
        assert words[0] == "causewise", where
        run = CliRunner().invoke(app, words[1:])
        assert run.exit_code == 0, run.stderr
        told, cut, _ = expected.partition("…")
        assert_alike(run.stdout[: len(told)] if cut else run.stdout, told, where)


@pytest.mark.parametrize("page", pages_with("sh", ""))
def test_the_commands_on_a_page_exist(page: str) -> None:
    for block in blocks(page):
        if block.language in ("sh", "") and not block.why_not:
            for line in block.code.replace("\\\n", " ").splitlines():
                check_command(shlex.split(line, comments=True), f"{page}: {line}")


def check_command(words: list[str], where: str) -> None:
    match words:
        case ["causewise", *rest]:
            check_options(typer.main.get_command(app), rest, where)
        case ["make", target, *_]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), where
        case ["python", "-m", module, *_]:
            assert (ROOT / module.replace(".", "/")).with_suffix(".py").exists() or module == "pytest", where
        case ["python", script, *_] if script.endswith(".py"):
            assert (ROOT / script).exists(), where


def check_options(command: Any, words: list[str], where: str) -> None:
    """Follow the words through groups to a command, and look up every option that is named."""
    context = typer.Context(command)
    while hasattr(command, "get_command") and words and not words[0].startswith("-"):
        command = command.get_command(context, words[0])
        assert command is not None, where
        words = words[1:]
    known = {option for each in command.params for option in (*each.opts, *each.secondary_opts)} | {"--help", "-h"}
    assert {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)} <= known, where


@pytest.mark.parametrize("page", PAGES)
def test_a_block_says_what_it_is(page: str) -> None:
    found = {block.language for block in blocks(page)}
    assert found <= LANGUAGES, page


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_that_exist(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        path = (DOCS / page).parent / target
        if not re.match(r"[a-z]+:", target) and not target.startswith(
            ("_gallery", "../_gallery", "_benchmarks", "../_benchmarks")
        ):
            assert path.exists(), f"{page}: {target}"


def test_nothing_is_left_out_of_the_site() -> None:
    """A page that no tree names is a warning of the build; a gallery page that is named must have its script."""
    scripts = {path.stem for path in (DOCS / "gallery").glob("plot_*.py")}
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        named = set(re.findall(r"_gallery/(?:images/sphx_glr_)?(plot_[a-z]+)", text))
        assert named <= scripts, page
