"""`causewise serve`: the page, on a port of this machine."""

import os
import sys
from typing import Annotated

import typer

from causewise.cli.streams import STOPPED, put, say

PORT = 8765


def serve(
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="Port; 0 takes any that is free.")] = PORT,
    host: Annotated[
        str, typer.Option(metavar="H", help="Address to listen on; only this machine can reach the default.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes for pairs; one a processor unless told.")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(metavar="S", min=1, help="Give up the scan of a table that takes longer.")
    ] = None,
) -> None:
    """Open the page: drop a table, see what was understood, ask for two columns or for all of them.

    Everything stays on this machine, in memory, and is gone when the server ends (Ctrl-C).
    """
    from dataclasses import replace

    from causewise.parallel import processors
    from causewise.web.application import is_loopback
    from causewise.web.limits import ServerLimits
    from causewise.web.server import serve as serve_page

    limits = replace(ServerLimits(), processes=jobs or processors())
    if max_seconds is not None:
        limits = replace(limits, scan_seconds=max_seconds)

    def ready(address: str) -> None:
        put(f"causewise is at {address} (Ctrl-C ends it)")
        if not is_loopback(host):
            say(f"Listening on {host}: whoever can reach this machine can use the page, and sees no password.")
        if browser:
            _open(address)

    try:
        serve_page(host, port, limits, ready)
    except KeyboardInterrupt:
        say("Stopped; nothing is kept.")
        raise typer.Exit(STOPPED) from None


def _open(address: str) -> None:
    # Without a display, a text browser would take over the terminal.
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    import webbrowser

    webbrowser.open(address)
