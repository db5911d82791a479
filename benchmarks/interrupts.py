"""Ctrl-C at random moments of a long `causewise infer`: how does it end?

    python benchmarks/interrupts.py                 100 interrupts of 1.5 million rows: tens of minutes
    ... --tries N     --rows N     --seed N

Every interrupt must end with exit code 130, one line on standard error, nothing on standard output. A moment is drawn
evenly from the time that an undisturbed run takes; a run that was faster than its moment is counted apart.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

EARLIEST = 0.03
"""Seconds from there on: the interpreter needs some to get from the first line of ours to where Ctrl-C is caught."""
LEAVING = 1.0
"""Seconds that a finished process may take to leave; an interrupt then has nothing left to stop."""
STOPPED, DONE = "130 and one line", "done before the interrupt"
# Before the first line of ours runs, Ctrl-C is the interpreter's affair: the clock starts after it.
START = "import os, sys; from causewise.cli import main; os.close(int(sys.argv.pop(1))); main()"


def write_table(path: Path, rows: int, seed: int) -> None:
    """Two columns, the second a function of the first with noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    y = np.tanh(x) + 0.3 * rng.normal(size=rows)
    np.savetxt(path, np.column_stack([x, y]), delimiter=",", header="x,y", comments="", fmt="%.6g")


def interrupted(arguments: Sequence[str], seconds: float | None) -> tuple[str, float]:
    """Run `causewise` and press Ctrl-C after so many seconds (None: never); what came of it, and how long it took."""
    started, told = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", START, str(told), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(told,),
        text=True,
        start_new_session=True,  # a group of its own, which the signal reaches as a terminal's would
    )
    os.close(told)
    os.read(started, 1)
    os.close(started)
    begun, pressed = time.monotonic(), float("inf")
    try:
        out, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        pressed = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        out, said = process.communicate()
    end = time.monotonic()
    if process.returncode == 0 and end - pressed > LEAVING:
        return f"exit code 0, {end - pressed:.1f} s after the interrupt", end - begun
    return _words(process.returncode, out, said), end - begun


def outcomes(tries: int, rows: int, seed: int) -> Counter[str]:
    """How often each ending came."""
    chance, found = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "long.csv"
        write_table(table, rows, seed)
        arguments = ["infer", str(table)]
        _, whole = interrupted(arguments, None)
        for number in range(tries):
            moment = chance.uniform(EARLIEST, 0.9 * whole)
            ending, _ = interrupted(arguments, moment)
            found[ending] += 1
            print(f"{number + 1}/{tries}: {moment:.2f} of {whole:.2f} s: {ending}", file=sys.stderr, flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if any interrupt ended otherwise than it must."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--tries", type=int, default=100)
    parser.add_argument("--rows", type=int, default=1_500_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it, and so would theirs
    found = outcomes(asked.tries, asked.rows, asked.seed)
    print(f"| ending | of {asked.tries} |\n|---|---:|")
    for ending, count in found.most_common():
        print(f"| {ending} | {count} |")
    return int(not set(found) <= {STOPPED, DONE})


def _words(code: int, out: str, said: str) -> str:
    if code == 0:
        return DONE
    if (code, out, said.count("\n")) == (130, "", 1) and said.startswith("Stopped"):
        return STOPPED
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return f"{how}: {(said.strip().splitlines() or ['no word'])[-1][:100]}"


if __name__ == "__main__":
    sys.exit(main())
