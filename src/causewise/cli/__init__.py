"""The command line: a file or less for each command; the only print, the only exit.

Exit codes: 0 done (undecided is done), 2 the input is at fault (one sentence on standard error), 1 a failure of ours,
130 stopped by Ctrl-C.
"""

import signal
import sys


def main() -> None:
    """Entry point of the `causewise` command."""
    # Imported inside, so that Ctrl-C pressed while modules are still being imported ends without a traceback too.
    try:
        from causewise.cli.app import app

        app(prog_name="causewise")
    except KeyboardInterrupt:
        from causewise.cli.streams import STOPPED, STOPPED_EARLY

        print(STOPPED_EARLY, file=sys.stderr)  # noqa: T201  # the command line is where sentences are printed
        sys.exit(STOPPED)
    finally:
        # All is said: a second Ctrl-C has nothing to stop but the interpreter on its way out, which would complain.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # CPython dies of the signal, whatever exit code is given, when Ctrl-C came inside an `exec` of text, such as
        # dataclasses are made by; the next one that ends well makes it forget.
        exec("")
