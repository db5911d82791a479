"""Every tool over a real pipe: the JSON of the command line, the doubt in words, the picture; and every refusal."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from assistant import Assistant, Reply, talk
from click.testing import Result
from mcp.types import Tool
from typer.testing import CliRunner

from causewise.cli.app import app
from causewise.mcp_server.tools import TOOLS

PNG = b"\x89PNG\r\n\x1a\n"
TRIAL: dict[str, Any] = {"file": "trial.csv", "x": "dose", "y": "response"}
ASKED: dict[str, dict[str, Any]] = {
    "infer": TRIAL | {"stability": True},
    "scan": {"file": "trial.csv", "last": ["weight"]},
    "graph": {"file": "trial.csv", "bootstrap": 4},
    "effect": {"file": "trial.csv", "cause": "dose", "effect": "response", "at": [0.5, 9.0], "bootstrap": 4},
    "methods": {},
    "explain": TRIAL,
}
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "one method": ("methods", {"name": "loci-h"}),
    "how to read": ("explain", {}),
    "undecided": ("infer", {"file": "line.csv", "picture": False}),
    "unrelated": ("infer", {"file": "apart.csv", "picture": False}),
    "no arrow": ("scan", {"file": "apart.csv", "picture": False}),
    "no path": ("effect", {"file": "trial.csv", "cause": "weight", "effect": "dose", "bootstrap": 4}),
    "by path": ("infer", {"file": "{folder}/trial.csv", "x": "1", "y": "2", "picture": False}),
}


@pytest.fixture(scope="module")
def replies(folder: Path) -> dict[str, Reply]:
    """One answer of every tool, and some others; no file is written for them."""

    async def ask(assistant: Assistant) -> dict[str, Reply]:
        asked = {name: (name, arguments) for name, arguments in ASKED.items()} | OTHERS
        found = {}
        for name, (tool, arguments) in asked.items():
            file = arguments.get("file", "").format(folder=folder)
            found[name] = await assistant.call(tool, **arguments | ({"file": file} if file else {}))
        return found

    before = sorted(folder.iterdir())
    answers = talk(folder, ask)
    assert sorted(folder.iterdir()) == before
    return answers


def command_line(*arguments: object) -> Any:
    done: Result = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_infer_and_explain_give_the_json_of_the_command_line(folder: Path, replies: dict[str, Reply]) -> None:
    printed = command_line("infer", folder / "trial.csv", "-x", "dose", "-y", "response", "--json", "--stability")
    assert replies["infer"].record == printed
    assert replies["explain"].record == printed
    assert replies["by path"].record == {name: value for name, value in printed.items() if name != "stability"}


def test_scan_gives_the_json_of_the_command_line(folder: Path, replies: dict[str, Reply], tmp_path: Path) -> None:
    CliRunner().invoke(app, ["scan", str(folder / "trial.csv"), "--last", "weight", "--out", str(tmp_path / "s.json")])
    written = json.loads((tmp_path / "s.json").read_text())
    for record in (written, replies["scan"].record):
        for row in record["rows"]:
            del row["seconds"]
    assert replies["scan"].record == written


def test_graph_and_effect_give_the_json_of_the_command_line(folder: Path, replies: dict[str, Reply]) -> None:
    asked = ("graph", folder / "trial.csv", "--bootstrap", 4, "--json")
    assert replies["graph"].record == command_line(*asked)
    assert replies["effect"].record == command_line(*asked, "--effect", "dose:response", "--at", "0.5,9")
    assert replies["no path"].record == command_line(*asked, "--effect", "weight:dose")


def test_methods_gives_the_json_of_the_command_line(replies: dict[str, Reply]) -> None:
    assert replies["methods"].record == command_line("methods", "--json")
    assert replies["one method"].record == command_line("methods", "loci-h", "--json")


@pytest.mark.parametrize("tool", ["infer", "scan", "graph", "effect", "explain"])
def test_the_picture_is_an_image(tool: str, replies: dict[str, Reply]) -> None:
    assert replies[tool].picture.startswith(PNG)
    assert not replies["undecided"].picture


def test_the_words_pass_on_the_doubt(replies: dict[str, Reply]) -> None:
    for name in ("infer", "explain", "undecided", "unrelated", "scan", "no arrow", "graph", "effect", "no path"):
        words = replies[name].words
        assert words.startswith("Answer: ")
        assert "\nAssumptions: " in words
        assert "\nPass on: " in words
        assert "no proof" in words or "no direction" in words
    for name in ("infer", "explain", "undecided", "unrelated", "scan", "no arrow"):
        assert "Three outcomes: " in replies[name].words
    for name in ("infer", "explain", "undecided", "unrelated", "graph", "effect"):
        assert "Warnings" in replies[name].words


def test_the_words_say_what_the_numbers_do(replies: dict[str, Reply]) -> None:
    infer = replies["infer"]
    assert infer.record["direction"] == "x->y"
    assert infer.words.startswith("Answer: dose → response (causewise, confidence ")
    assert "random halves of the rows" in infer.words
    assert f"{int(100 * infer.record['confidence'])} %" in infer.words
    assert replies["undecided"].record["direction"] == "undecided"
    assert "no direction is given" in replies["undecided"].words
    assert "there is no direction to find" in replies["unrelated"].words
    assert "Setting dose from" in replies["effect"].words
    assert "beyond the rows" in replies["effect"].words
    assert replies["no path"].record["effects"][0]["reason"] in replies["no path"].words
    assert "- Description length: " in replies["explain"].words
    assert "80 %" in replies["how to read"].words


def test_the_tools_are_described(folder: Path) -> None:
    async def ask(assistant: Assistant) -> tuple[str, list[Tool]]:
        return assistant.client.instructions or "", (await assistant.client.list_tools()).tools

    instructions, tools = talk(folder, ask)
    assert "pass on" in instructions
    assert str(folder) in instructions
    assert [tool.name for tool in tools] == list(TOOLS)
    for tool in tools:
        assert tool.output_schema is None  # a client that found one would leave out the words and the picture
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is not bool(TOOLS[tool.name].writes)
        for name, field in tool.input_schema["properties"].items():
            assert "description" in field or name in ("x", "y", "method", "seed"), (tool.name, name)


def test_files_are_written_where_they_were_asked_for(folder: Path) -> None:
    async def ask(assistant: Assistant) -> list[Reply]:
        return [
            await assistant.call("infer", **TRIAL, report="answer.html"),
            await assistant.call("scan", file="trial.csv", out="pairs.csv", report="scan.html"),
            await assistant.call("graph", file="trial.csv", bootstrap=2, out="graph.dot"),
            await assistant.call("infer", **TRIAL, report="answer.html"),
        ]

    names = {"answer.html": "<!doctype", "pairs.csv": "x,y,", "scan.html": "<!doctype", "graph.dot": "digraph"}
    try:
        *written, again = talk(folder, ask)
        assert not any(reply.is_error for reply in written)
        assert "Written: answer.html" in written[0].words
        for name, beginning in names.items():
            assert (folder / name).read_text().lower().startswith(beginning)
        assert again.is_error
        assert "which exists" in again.words
    finally:
        for name in names:
            (folder / name).unlink(missing_ok=True)


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "no tool": ("infere", {}, "expected one of: infer, scan"),
    "no file": ("infer", {}, "Got no field 'file'"),
    "another field": ("infer", TRIAL | {"colour": 1}, "Got the field 'colour'; expected some of: file"),
    "a wrong type": ("scan", {"file": "trial.csv", "columns": 3}, "wrong value in 'columns'"),
    "a wrong number": ("infer", TRIAL | {"threshold": 7}, "Got threshold=7"),
    "a file that is not there": ("infer", {"file": "trail.csv"}, "There is no file 'trail.csv' in the allowed folders"),
    "a column that is not there": ("infer", TRIAL | {"x": "dosis"}, "dosis"),
    "too many columns": ("infer", {"file": "trial.csv"}, "choose them by name"),
    "a method that is not there": ("infer", TRIAL | {"method": "os:system"}, "os:system"),
    "a folder": ("infer", {"file": "."}, "Got the folder '.'"),
    "another place": ("infer", {"file": "/etc/passwd"}, "outside of the allowed folders"),
    "a place that is not there": ("infer", {"file": "/no/such/table.csv"}, "outside of the allowed folders"),
    "dots": ("scan", {"file": "../outside.csv"}, "outside of the allowed folders"),
    "a link that leaves": ("graph", {"file": "link.csv"}, "outside of the allowed folders"),
    "a folder that leaves": ("infer", {"file": "way/outside.csv"}, "outside of the allowed folders"),
    "a link to a device": ("infer", {"file": "zero.csv"}, "outside of the allowed folders"),
    "a pipe": ("infer", {"file": "pipe.csv"}, "Got the pipe or device 'pipe.csv'"),
    "an address": ("infer", {"file": "https://example.org/t.csv"}, "download it first"),
    "an address of a file": ("infer", {"file": "file:///etc/passwd"}, "download it first"),
    "standard input": ("infer", {"file": "-"}, "There is no file '-'"),
    "a NUL": ("infer", {"file": "a\0b"}, "expected the path of a file"),
    "a long name": ("infer", {"file": "a" * 4000}, "May not read"),
    "no table": ("infer", {"file": "text.csv"}, "expected"),
    "two meanings": ("infer", {"file": "unclear.csv"}, 'Arguments that would say it: {"decimal": "."}'),
    "a large file": ("infer", {"file": "large.csv"}, "expected at most 268,435,456"),
    "knowledge of no column": ("graph", {"file": "trial.csv", "first": ["nobody"]}, "nobody"),
    "a page elsewhere": ("infer", TRIAL | {"report": "/tmp/answer.html"}, "outside of the allowed folders"),
    "a page through a link": ("infer", TRIAL | {"report": "way/answer.html"}, "outside of the allowed folders"),
    "a page that is none": ("infer", TRIAL | {"report": "answer.exe"}, "expected one that ends in .html"),
    "a file of ours": ("scan", {"file": "trial.csv", "out": "line.csv"}, "which exists"),
    "a folder to be": ("scan", {"file": "trial.csv", "out": "new/pairs.csv"}, "there is no such folder"),
    "an effect of nobody": ("effect", {"file": "trial.csv", "cause": "dose", "effect": "nobody"}, "not in the graph"),
}


@pytest.fixture(scope="module")
def refusals(folder: Path) -> dict[str, Reply]:
    (folder.parent / "outside.csv").write_bytes((folder / "trial.csv").read_bytes())
    (folder / "text.csv").write_text("nothing\nto see\n")
    unclear = "".join(f"{k}.{100 + 7 * k};{k}.{k % 9}25\n" for k in range(1, 60))
    (folder / "unclear.csv").write_text(f"a;b\n{unclear}")
    places = {"link.csv": folder.parent / "outside.csv", "way": folder.parent, "zero.csv": Path("/dev/zero")}
    for name, target in places.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.csv")
    with (folder / "large.csv").open("wb") as stream:
        stream.truncate(1 << 29)

    async def ask(assistant: Assistant) -> dict[str, Reply]:
        calls = [assistant.call(tool, **arguments) for tool, arguments, _ in REFUSED.values()]
        return dict(zip(REFUSED, await asyncio.gather(*calls), strict=True))

    try:
        return talk(folder, ask)
    finally:
        for name in (*places, "text.csv", "unclear.csv", "pipe.csv", "large.csv"):
            (folder / name).unlink()


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_one_sentence(name: str, refusals: dict[str, Reply]) -> None:
    reply = refusals[name]
    assert reply.is_error
    assert REFUSED[name][2] in reply.words
    assert "\n" not in reply.words
    assert "Traceback" not in reply.words
    assert "not by a fault of yours" not in reply.words
    assert not reply.picture
