"""Edges of the command line: no width, every pair failed, numbers out of range, links and full disks."""

import errno
import sys
from pathlib import Path

import pytest
from trial import infer, run

from causewise.cli.other_commands import _write_table
from causewise.errors import InputError
from causewise.examples import make_dose_response
from causewise.files import replace_with
from causewise.lab.benchmark import publish
from causewise.lab.plotting import canvas, save
from causewise.lab.study.running import StudyTable, write_tables

TOYS = Path(__file__).parents[1] / "lab" / "benchmark"
sys.path.insert(0, str(TOYS))
import made_up  # noqa: E402  # found by the line above

DRAWN = ("--datasets", "gen:LS:pairs=2:n=50", "--jobs", 1)
HUGE = "9" * 30


@pytest.mark.parametrize("arguments", [["methods"], ["--help"], ["infer", "--help"], ["data", "list", "--generators"]])
def test_a_terminal_of_no_columns_is_one_of_unknown_width(arguments: list[str]) -> None:
    for nothing in ("0", "00"):
        result = run(*arguments, COLUMNS=nothing, LINES=nothing)
        assert result.exit_code == 0
        assert len(result.stdout.split()) > 50


def test_an_answer_of_no_columns_is_printed(table: Path) -> None:
    assert "dose → response" in infer(table, COLUMNS="0").stdout


@pytest.mark.parametrize(("method", "code"), [("toys:raises", 1), ("toys:some_raise", 0), ("toys:oracle", 0)])
def test_a_run_fails_where_every_pair_failed(
    method: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(TOYS))
    datasets = ("--datasets", "gen:LS:pairs=6:n=50", "--jobs", 1)
    result = run("bench", "run", *datasets, "--methods", method, "--store", tmp_path / "r.sqlite")
    assert result.exit_code == code, result.output
    assert "6 pairs done" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("bench", "run", *DRAWN, "--methods", "igci", "--seed", HUGE),
        ("bench", "run", *DRAWN, "--methods", "igci", "--seed", "9" * 5000),
        ("bench", "run", *DRAWN, "--methods", "igci", "--memory", "1e30"),
        ("bench", "run", *DRAWN, "--methods", "igci", "--timeout", "1e30"),
        ("bench", "run", *DRAWN, "--methods", f"loci-h:n_knots={HUGE}"),
        ("bench", "run", "--datasets", f"gen:LS:n={HUGE}", "--methods", "igci"),
        ("bench", "run", "--datasets", "gen:LS:n=9999999999", "--methods", "igci"),
        ("bench", "run", "--datasets", "gen:LS:pairs=9999999999", "--methods", "igci"),
        ("bench", "run", "--datasets", "gen:LS:seed=" + "9" * 5000, "--methods", "igci"),
    ],
)
def test_numbers_out_of_range_are_the_inputs_fault(arguments: tuple[object, ...], tmp_path: Path) -> None:
    result = run(*arguments, "--store", tmp_path / "r.sqlite")
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    assert any(words in result.stderr for words in ("expected", "should be less than", "not in the range"))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory has no limit")
def test_a_worker_that_cannot_start_within_its_memory_is_the_limits_fault(tmp_path: Path) -> None:
    result = run("bench", "run", *DRAWN, "--methods", "igci", "--memory", 0.001, "--store", tmp_path / "r.sqlite")
    assert result.exit_code == 2
    assert "No worker process could start within 0.001 GiB" in result.stderr


@pytest.mark.parametrize("seed", ["-1", HUGE])
def test_seeds_out_of_range_are_the_inputs_fault(seed: str, table: Path, tmp_path: Path) -> None:
    for result in (
        infer(table, "--seed", seed),
        run("demo", "--seed", seed, "--out", tmp_path),
        run("data", "generate", "LS", "--seed", seed, "--out", tmp_path),
        run("study", "likelihood", "--fast", "--seeds", seed, "--out", tmp_path),
    ):
        assert result.exit_code == 2
        assert "expected a whole number from" in result.stderr


def test_a_report_is_written_through_a_link(table: Path, tmp_path: Path) -> None:
    kept, link, dangling = tmp_path / "kept" / "page.html", tmp_path / "link.html", tmp_path / "dangling.html"
    kept.parent.mkdir()
    kept.write_text("an earlier page")
    link.symlink_to(kept)
    dangling.symlink_to(tmp_path / "kept" / "new.html")
    for each in (link, dangling):
        assert infer(table, "--report", each).exit_code == 0
        assert each.is_symlink()
        assert "<html" in each.read_text(encoding="utf-8")
    assert sorted(path.name for path in kept.parent.iterdir()) == ["new.html", "page.html"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dangling.html", "kept", "link.html"]


def no_room(*arguments: object, **options: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def write_study(folder: Path) -> None:
    write_tables(folder, [StudyTable("a", "A", ("x",), [[1.0]])], [{"x": 1.0}])


def draw_figure(folder: Path) -> None:
    save(canvas(1, 1, 2, 2)[0], folder, "figure", ["png"])


@pytest.mark.parametrize(
    "write",
    [
        lambda folder: replace_with(folder / "rows.csv", b"content"),
        lambda folder: publish.write_all(made_up.rows(pairs=3), folder, {}, ["png"]),
        lambda folder: _write_table(make_dose_response(0).pair, folder / "table.csv"),
        write_study,
        draw_figure,
    ],
)
def test_a_failed_export_leaves_no_file(write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "replace", no_room)
    with pytest.raises(InputError, match="Could not write"):
        write(tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_interrupted_export_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", stopped)
    with pytest.raises(KeyboardInterrupt):
        replace_with(tmp_path / "rows.csv", b"content")
    assert not list(tmp_path.iterdir())
