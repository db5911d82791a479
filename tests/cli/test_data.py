"""`causewise data`: the list, fetching from this machine, drawing and reading back; sentences and exit codes."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from causewise.cli.app import app
from causewise.lab.datasets import generate, load


def run(*arguments: object, **env: str):
    return CliRunner().invoke(app, ["data", *map(str, arguments)], env={"COLUMNS": "100", "NO_COLOR": "1", **env})


def test_list_shows_every_set_and_what_is_at_hand(tmp_path: Path) -> None:
    result = run("list", "--data", tmp_path)
    assert result.exit_code == 0
    for word in ("SIMln", "Tagasovska", "Mooij", "Terms", "CAUSEWISE_DATA", "about 1500"):
        assert word in result.stdout
    assert " yes " not in result.stdout


def test_list_as_json(tmp_path: Path) -> None:
    records = json.loads(run("list", "--json", "--data", tmp_path).stdout)
    assert [record["name"] for record in records][:2] == ["AN", "ANs"]
    tue = next(record for record in records if record["name"] == "Tue")
    assert tue["excluded"]["52"].startswith("cause or effect is multivariate")
    assert not any(record["at_hand"] for record in records)


def test_list_says_whose_values_cannot_be_verified(tmp_path: Path) -> None:
    said = " ".join(run("list", "--data", tmp_path).stdout.split())
    assert "Cha, Net, Multi: the values cannot be verified, only the labels" in said
    records = json.loads(run("list", "--json", "--data", tmp_path).stdout)
    assert [r["name"] for r in records if not r["values_verified"]] == ["Cha", "Net", "Multi"]


def test_list_finds_the_published_files(data_dir: Path) -> None:
    records = json.loads(run("list", "--json", CAUSEWISE_DATA=str(data_dir)).stdout)
    assert {r["name"] for r in records if r["at_hand"]} >= {"AN", "SIM", "Tue"}


def test_list_of_generators() -> None:
    records = json.loads(run("list", "--generators", "--json").stdout)
    assert {key: records[10][key] for key in ("name", "rows")} == {"name": "Net-like", "rows": 1500}
    assert "grid/breaks/selection" in run("list", "--generators").stdout


def test_generate_writes_what_load_reads(tmp_path: Path) -> None:
    result = run("generate", "MNU", "--pairs", 3, "--seed", 4, "--out", tmp_path, "--n", 40)
    assert result.exit_code == 0 and "3 pairs" in result.stdout
    assert "generated" in run("list", "--data", tmp_path).stdout
    back, drawn = load("MNU", tmp_path), generate("MNU", 3, 40, seed=4)
    for ours, theirs in zip(back.pairs, drawn.pairs, strict=True):
        assert ours.truth == theirs.truth and np.array_equal(ours.pair.x, theirs.pair.x)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("generate", "SIM", "--out", "x"), "SIM-like"),
        (("generate", "AN", "--pairs", "0", "--out", "x"), "from 1 to"),
        (("fetch", "Tuebingen"), "Tue"),
        (("fetch", "AN", "--from", "archive.zip"), "expected an address"),
    ],
)
def test_bad_requests_end_with_2_and_a_sentence(arguments: tuple[str, ...], hint: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert hint in result.stderr and "Traceback" not in result.stderr


def test_fetch_that_cannot_reach_its_server_ends_with_1_and_says_what_to_do(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9/data.zip"
    result = run("fetch", "AN", "Net", "--from", nowhere, "--data", tmp_path, "--attempts", 1)
    assert result.exit_code == 1
    for hint in ("AN", "Net", "CAUSEWISE_DATA", "by hand", str(tmp_path / "Dataverse_pairs")):
        assert hint in result.stderr


def test_fetch_leaves_alone_what_is_at_hand(data_dir: Path) -> None:
    result = run("fetch", "AN", "--from", "http://127.0.0.1:9/data.zip", "--data", data_dir)
    assert result.exit_code == 0 and "already in" in result.stdout


def test_a_set_that_cannot_be_fetched_says_where_a_person_gets_it(tmp_path: Path) -> None:
    home = "https://doi.org/10.7910/DVN/3757KX"
    assert f"Files: {home}" in " ".join(run("list", "--data", tmp_path).stdout.split())
    failed = run("fetch", "Cha", "--from", "http://127.0.0.1:9/data.zip", "--data", tmp_path, "--attempts", 1)
    absent = run("check", "Cha", "--data", tmp_path)
    assert (failed.exit_code, absent.exit_code) == (1, 2)
    assert home in failed.stderr and home in absent.stderr


def test_check_tells_changed_files_from_published_ones(data_dir: Path, tmp_path: Path) -> None:
    result = run("check", "AN", "Tue", "--data", data_dir)
    assert result.exit_code == 0 and result.stdout.count("every file is as registered") == 2
    copied = tmp_path / "ANLSMN_pairs" / "AN"
    shutil.copytree(data_dir / "ANLSMN_pairs" / "AN", copied)
    changed = copied / "pair_7.txt"
    changed.chmod(0o644)
    changed.write_bytes(changed.read_bytes() + b"\n")
    result = run("check", "--data", tmp_path)
    assert result.exit_code == 2 and "AN: the files differ from the registered ones" in result.stderr


def test_check_of_files_without_a_hash_looks_at_labels_and_size(data_dir: Path, tmp_path: Path) -> None:
    folder = tmp_path / "Dataverse_pairs"
    folder.mkdir()
    targets = (data_dir / "Dataverse_pairs" / "CE-Net_targets.csv").read_text()
    cells = ["".join(f" {number!r}" for number in np.random.default_rng(k).normal(size=50).tolist()) for k in (0, 1)]
    pairs = [",".join([line.split(",")[0], *cells]) for line in targets.splitlines()[1:]]
    (folder / "CE-Net_targets.csv").write_text(targets)
    (folder / "CE-Net_pairs.csv").write_text("\n".join(["SampleID,A,B", *pairs]) + "\n")
    result = run("check", "--data", tmp_path)
    assert result.exit_code == 0 and "Net: the labels are as registered" in result.stdout
    assert "the known copy 13,676,088, so its values may differ" in result.stdout
    (folder / "CE-Net_targets.csv").write_text(targets.replace("-1", "1"))
    result = run("check", "--data", tmp_path)
    assert result.exit_code == 2 and "the labels differ from the registered ones" in result.stderr


def test_check_of_an_empty_folder_is_a_sentence(tmp_path: Path) -> None:
    result = run("check", "--data", tmp_path)
    assert result.exit_code == 2 and "holds no data set" in result.stderr


def test_fetch_says_what_was_not_verified_and_keeps_its_limits(tmp_path: Path) -> None:
    folder = tmp_path / "Dataverse_pairs"
    folder.mkdir()
    for name in ("CE-Net_targets.csv", "CE-Net_pairs.csv"):
        (folder / name).write_text("SampleID\n")
    result = run("fetch", "Net", "--data", tmp_path)
    assert result.exit_code == 0 and "Net: the values cannot be verified" in result.stdout
    nowhere = ("--from", "http://127.0.0.1:9/data.zip", "--data", tmp_path, "--attempts", 1)
    assert run("fetch", "AN", *nowhere, "--max-time", 2, "--max-size", 0.5).exit_code == 1
    for option in ("--timeout", "--max-time", "--max-size"):
        for absurd in ("0", "nan", "inf", "1e300"):
            refused = run("fetch", "AN", *nowhere, option, absurd)
            assert refused.exit_code == 2 and "Traceback" not in refused.stderr
