"""The files of the package that one command visits, in the order of their first call, and how often the folder changes.

    python benchmarks/walk.py [CHECKOUT]

One pair, one scan, one graph, one upload to the page and one run of the benchmark, each in a fresh process and on
generated tables; the processes that it starts count as well. Importing a module is no visit, calling one of its
functions is. The lists of docs/architecture.md are this program's output.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from itertools import pairwise
from pathlib import Path

import numpy as np

TRACER = """
import os, sys, threading, time
PACKAGE, LOG = os.environ["WALK_PACKAGE"], os.environ["WALK_LOG"]
seen = set()

def is_importing(frame):
    while frame:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(PACKAGE):
            return not frame.f_code.co_filename.endswith("__main__.py")
        frame = frame.f_back
    return False

def note(frame, event, argument):
    code = frame.f_code
    if event != "call" or code.co_filename in seen or not code.co_flags & 1:
        return
    if not code.co_filename.startswith(PACKAGE):
        seen.add(code.co_filename)
    elif not is_importing(frame):
        seen.add(code.co_filename)
        with open(LOG, "a") as log:
            log.write(f"{time.time()} {code.co_filename}\\n")

sys.setprofile(note)
threading.setprofile(note)
"""


def trace(checkout: Path, folder: Path, *arguments: str, uploads: bool = False) -> list[str]:
    """Modules of the package that a command visits, each once, by the time of the first visit."""
    package, log = checkout / "src" / "causewise", folder / "walk.log"
    log.unlink(missing_ok=True)
    (folder / "sitecustomize.py").write_text(TRACER)
    path = os.pathsep.join([str(folder), str(checkout / "src")])
    environment = os.environ | {"PYTHONPATH": path, "WALK_PACKAGE": str(package), "WALK_LOG": str(log)}
    command = [sys.executable, "-m", "causewise", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as run:
        assert run.stdout is not None
        if uploads:
            address = re.search(r"http\S+", run.stdout.readline())
            assert address is not None
            log.write_text("")
            upload(address[0].rstrip("/"), folder / "table.csv")
            run.terminate()
        run.stdout.read()
    lines = sorted(line.split(" ", 1) for line in log.read_text().splitlines())
    files = dict.fromkeys(str(Path(file).relative_to(package).with_suffix("")) for _, file in lines)
    return [file for file in files if not file.endswith(("__main__", "version"))]


def upload(address: str, table: Path) -> None:
    """Ask the page for two columns of a table, as a form does."""
    parts = [f'name="{name}"\r\n\r\n{value}' for name, value in (("x", "a"), ("y", "b"))]
    parts.append(f'name="file"; filename="table.csv"\r\n\r\n{table.read_text()}')
    body = "".join(f"--edge\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--edge--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=edge"}
    with urllib.request.urlopen(urllib.request.Request(f"{address}/api/infer", body.encode(), headers)) as answer:
        assert json.load(answer)["n"]


def count_changes(files: list[str]) -> int:
    """How often two files that follow each other lie in different folders."""
    return sum(Path(one).parent != Path(other).parent for one, other in pairwise(files))


def main(checkout: Path) -> None:
    """A paragraph a command."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        rng = np.random.default_rng(0)
        a, c = rng.uniform(-2, 2, (2, 300))
        b = np.sin(2 * a) + (0.1 + 0.2 * np.abs(a)) * rng.normal(size=300)
        table = folder / "table.csv"
        np.savetxt(table, np.stack([a, b, c], 1), delimiter=",", header="a,b,c", comments="")
        data, store = folder / "data", str(folder / "rows.sqlite")
        pairs = data / "ANLSMN_pairs" / "AN"
        pairs.mkdir(parents=True)
        rows = "".join(f'"{k}",{one},{two}\n' for k, (one, two) in enumerate(zip(a, b, strict=True), 1))
        for k in range(1, 101):
            (pairs / f"pair_{k}.txt").write_text(f'"","x","y"\n{rows}')
        (pairs / "pairs_gt.txt").write_text("1\n" * 100)
        walks = {
            "infer": trace(checkout, folder, "infer", str(table), "-x", "a", "-y", "b"),
            "scan": trace(checkout, folder, "scan", str(table)),
            "graph": trace(checkout, folder, "graph", str(table)),
            "upload": trace(checkout, folder, "serve", "--port", "0", "--no-browser", "--jobs", "1", uploads=True),
            "bench run": trace(
                checkout,
                folder,
                *["bench", "run", "--datasets", "AN", "--methods", "loci-m", "--data"],
                str(data),
                "--store",
                store,
            ),
        }
    for name, files in walks.items():
        names = ", ".join(file.removesuffix("/__init__") for file in files)
        print(f"**`{name}`**: {len(files)} files, {count_changes(files)} changes of folder: {names}.\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else Path(__file__).parents[1])
