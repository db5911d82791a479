"""The command line: one file per command group; the only print, the only exit.

Exit codes: 0 done (undecided is done), 2 the input is at fault (one sentence on standard error), 1 a failure of ours,
130 stopped by Ctrl-C.
"""

import sys


def main() -> None:
    """Entry point of the `whence` command."""
    # Imported inside, so that Ctrl-C pressed while modules are still being imported ends without a traceback too.
    try:
        from whence.cli.app import app

        app(prog_name="whence")
    except KeyboardInterrupt:
        sys.exit(130)
