"""Install a wheel with one extra alone into an empty environment, and ask it a question that needs the extra.

    python -m release.extras out/release/*.whl --at out/release/extras [--only mcp]

`mcp`: the SDK's own client starts `causewise mcp` and has two columns decided; `sheets`: `causewise infer` reads a
workbook.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from release.fresh import ROOT, environment

ASSISTANT = """
import asyncio, sys
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    server = StdioServerParameters(command=sys.executable, args=["-m", "causewise", "mcp", "--allow", "."])
    async with Client(stdio_client(server)) as client:
        result = await client.call_tool("infer", {"file": "table.csv"})
    print(result.content[1].text)

asyncio.run(main())
"""


def make_columns() -> np.ndarray:
    """Two columns of which the first causes the second, whatever the method."""
    rng = np.random.default_rng(0)
    dose = rng.uniform(-2, 2, 500)
    return np.column_stack([dose, np.sin(2 * dose) + (0.1 + 0.2 * np.abs(dose)) * rng.normal(size=500)])


def ask_assistant(folder: Path) -> list[str]:
    """What to call with the environment's Python, in this folder; it prints the JSON of an answer."""
    np.savetxt(folder / "table.csv", make_columns(), delimiter=",", header="dose,response", comments="")
    (folder / "ask.py").write_text(ASSISTANT)
    return ["ask.py"]


def ask_workbook(folder: Path) -> list[str]:
    """The same of a workbook."""
    import xlsxwriter  # type: ignore[import-untyped]  # it has no stubs

    with xlsxwriter.Workbook(folder / "table.xlsx") as book:
        sheet = book.add_worksheet()
        for k, row in enumerate([["dose", "response"], *make_columns().tolist()]):
            sheet.write_row(k, 0, row)
    return ["-m", "causewise", "infer", "table.xlsx", "--json"]


QUESTIONS: dict[str, Callable[[Path], list[str]]] = {"mcp": ask_assistant, "sheets": ask_workbook}


def main() -> int:
    """Install, ask, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--at", type=Path, default=ROOT / "out" / "release" / "extras")
    parser.add_argument("--only", choices=QUESTIONS, nargs="*", default=list(QUESTIONS))
    asked = parser.parse_args()
    for extra in asked.only:
        python = environment(asked.at / extra).absolute()
        desk = asked.at / extra / "desk"
        desk.mkdir()
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, f"{asked.wheel.absolute()}[{extra}]"], check=True)
        command = [python, *QUESTIONS[extra](desk)]
        printed = subprocess.run(command, cwd=desk, check=True, stdout=subprocess.PIPE, text=True, timeout=300).stdout
        if (cause := json.loads(printed)["cause"]) != "dose":
            raise SystemExit(f"With [{extra}] alone the cause is {cause!r}; expected 'dose'.")
        print(f"[{extra}] alone: answered.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
