"""An assistant: the SDK's own client, which starts the server and talks to it over real pipes."""

import asyncio
import base64
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import psutil
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

T = TypeVar("T")
SECONDS = 120.0
"""After which a test gives up."""


class Reply(NamedTuple):
    """What came of one call."""

    words: str
    record: Any
    picture: bytes
    is_error: bool


class Assistant(NamedTuple):
    """A client that is connected, and what the server's standard error goes to."""

    client: Client
    log: Path

    async def call(self, tool: str, on_progress: Any = None, **arguments: Any) -> Reply:
        result = await self.client.call_tool(tool, arguments, progress_callback=on_progress)
        texts = [block.text for block in result.content if block.type == "text"]
        pictures = [base64.b64decode(block.data) for block in result.content if block.type == "image"]
        assert result.structured_content is None
        record = json.loads(texts[1]) if len(texts) > 1 else None
        return Reply(texts[0], record, pictures[0] if pictures else b"", bool(result.is_error))


@asynccontextmanager
async def connect(folder: Path, *arguments: str) -> AsyncIterator[Assistant]:
    """A server that may read this folder, and a client of its own."""
    log = folder.parent / f"{folder.name}.log"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "causewise", "mcp", "--allow", str(folder), *arguments],
        env=dict(os.environ),
    )
    with log.open("w") as errors:
        async with Client(stdio_client(server, errlog=errors)) as client:
            yield Assistant(client, log)


def talk(folder: Path, do: Callable[[Assistant], Awaitable[T]], *arguments: str) -> T:
    """What comes of a conversation; in the end no process of it is left, and nothing was said beside it."""

    async def converse() -> tuple[T, list[psutil.Process]]:
        async with asyncio.timeout(SECONDS), connect(folder, *arguments) as assistant:
            return await do(assistant), find_processes(folder)

    result, processes = asyncio.run(converse())
    assert processes
    assert not psutil.wait_procs(processes, timeout=0.1)[1]
    assert (folder.parent / f"{folder.name}.log").read_text() == ""
    return result


def find_processes(folder: Path) -> list[psutil.Process]:
    """The server that may read this folder, and its workers."""
    ours = [each for each in psutil.Process().children() if str(folder) in each.cmdline()]
    return [*ours, *(worker for each in ours for worker in find_workers(each.pid))]


def find_workers(server: int) -> list[psutil.Process]:
    children = psutil.Process(server).children(recursive=True)
    alive = [each for each in children if each.status() != psutil.STATUS_ZOMBIE]
    return [each for each in alive if "resource_tracker" not in " ".join(each.cmdline())]
