"""Fuzz every subject for a while: python tests/fuzz/run.py [--seconds 60] [--seed 0] [--only names,faults]."""

import argparse
import signal
import sys

import subjects  # noqa: F401  # entering the subjects is what it is imported for
from harness import SUBJECTS, fuzz, table


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz every subject until the time is spent.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default=",".join(SUBJECTS), help=f"of {', '.join(SUBJECTS)}")
    asked = parser.parse_args()
    chosen = asked.only.split(",")
    if unknown := set(chosen) - set(SUBJECTS):
        parser.error(f"Got {', '.join(sorted(unknown))}; expected some of {', '.join(SUBJECTS)}.")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has what runs in the background ignore it
    found = fuzz(chosen, asked.seconds, asked.seed)
    sys.stdout.write(table(found) + "\n")
    return int(any(tally.failures for tally in found.values()))


if __name__ == "__main__":
    sys.exit(main())
