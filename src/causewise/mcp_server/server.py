"""The connection with an assistant: its calls, at the same time if it likes, their progress and cancellation, the end.

This process speaks and no more: files are read, and numbers computed, in worker processes of the kind that the page
has, which are started when the first call needs them.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ImageContent,
    ListToolsResult,
    TextContent,
    Tool,
    ToolAnnotations,
)

from causewise.errors import InputError
from causewise.files import replace_with
from causewise.formatting import duration
from causewise.mcp_server.folders import AllowedFolders
from causewise.mcp_server.tools import INSTRUCTIONS, TOOLS, ToolFacts
from causewise.serving.job_pool import JobPool, PoolTask, TaskProgress
from causewise.serving.limits import MIB, JobLimits, RequestError
from causewise.serving.questions import parse
from causewise.version import VERSION

WORKER_TASKS = "causewise.mcp_server.worker_tasks"
_EVERY = 0.2
"""Seconds between two looks at how far a task is."""
_LONGEST_LINE = 4 * MIB
"""Of one message; nothing that a tool takes is longer."""
_MOST_LINES = 16
"""Messages that are read and not yet understood."""


def serve_assistant(folders: AllowedFolders, limits: JobLimits) -> None:
    """Serve the client at standard input and output until it hangs up, SIGINT or SIGTERM, and end every process.

    Raises
    ------
    KeyboardInterrupt
        If it was a signal, once everything is removed.
    """
    logging.getLogger("mcp").setLevel(logging.ERROR)
    tools = AssistantTools(folders, limits)
    previous = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        asyncio.run(_serve(tools))
    finally:
        signal.signal(signal.SIGTERM, previous)
        tools.close()


async def _serve(tools: "AssistantTools") -> None:
    from anyio import BrokenResourceError  # not above, where it would be missed before the SDK that brings it

    server: Server[Any] = Server(
        "causewise",
        version=VERSION,
        instructions=f"{INSTRUCTIONS} Files are read in: {tools.folders}.",
        on_list_tools=tools.list,
        on_call_tool=tools.call,
    )
    # The process keeps an input and an output that lead elsewhere: nothing that anybody prints reaches the client.
    stdin: Any = read_lines(_take_standard_input())
    try:
        async with stdio_server(stdin=stdin) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    except* (BrokenPipeError, BrokenResourceError):
        pass  # the client is gone, or a signal came while a line was handed on, which the SDK then does not say
    own = asyncio.current_task()
    if own is not None and own.cancelling():
        raise asyncio.CancelledError


def _take_standard_input() -> int:
    """Standard input under another number, which no process started here inherits."""
    own = os.dup(sys.stdin.fileno())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    return own


async def read_lines(descriptor: int, longest: int = _LONGEST_LINE) -> AsyncIterator[str]:
    """The lines that come from a descriptor; one that is too long is left out.

    The SDK reads in a thread that it waits for, so that Ctrl-C would take effect after the next line only. This thread
    may be left behind, and reads without Python's buffer, whose lock would be missed when the interpreter ends.
    """
    loop, lines, room = asyncio.get_running_loop(), asyncio.Queue[bytes | None](), threading.Semaphore(_MOST_LINES)

    def put(line: bytes | None) -> None:
        room.acquire()
        loop.call_soon_threadsafe(lines.put_nowait, line)

    def read() -> None:
        rest = b""
        with suppress(RuntimeError):  # the loop has ended
            with suppress(OSError):
                while piece := os.read(descriptor, MIB):
                    *whole, rest = (rest + piece).split(b"\n")
                    for line in whole:
                        put(line)
                    rest = rest[: longest + 1]
            put(None)

    threading.Thread(target=read, daemon=True).start()
    while (line := await lines.get()) is not None:
        room.release()
        if len(line) <= longest:
            yield line.decode(errors="replace")


class AssistantTools:
    """The tools of one connection, and the worker processes behind them."""

    def __init__(self, folders: AllowedFolders, limits: JobLimits) -> None:
        self.folders, self._limits = folders, limits
        memory, waiting, processes = limits.memory_bytes, limits.waiting, limits.processes
        self._quick = JobPool(processes, waiting, limits.seconds, memory, WORKER_TASKS)
        # Whole tables have processes of their own, so that they never keep a pair waiting.
        self._long = JobPool(max(1, processes // 2), waiting, limits.scan_seconds, memory, WORKER_TASKS)
        self._started: set[JobPool] = set()

    def close(self) -> None:
        """End all work."""
        self._quick.close()
        self._long.close()

    async def list(self, context: Any, parameters: Any) -> ListToolsResult:
        """What there is to call."""
        return ListToolsResult(tools=[_describe(name, tool) for name, tool in TOOLS.items()])

    async def call(self, context: Any, parameters: CallToolRequestParams) -> CallToolResult:
        """One call: words, JSON and a picture, or one sentence."""
        try:
            answer = await self._answer(parameters.name, parameters.arguments or {}, context.session)
        except (RequestError, InputError) as problem:
            return CallToolResult(content=[_text(_sentence(problem))], is_error=True)
        # No structured content: some clients that find it leave out all the rest, the doubt and the picture.
        content: list[Any] = [_text(text) for text in (answer["words"], answer["record"]) if text]
        if answer["picture"]:
            content.append(ImageContent(type="image", data=answer["picture"], mime_type="image/png"))
        return CallToolResult(content=content)

    async def _answer(self, name: str, arguments: dict[str, Any], session: Any) -> dict[str, Any]:
        tool = TOOLS.get(name)
        if tool is None:
            raise RequestError(404, f"Got the tool {name[:80]!r}; expected one of: {', '.join(TOOLS)}.")
        question = parse(tool.question, json.dumps(arguments).encode()).model_dump()
        targets = {
            field: self.folders.new_file(question[field], endings)
            for field, endings in tool.writes.items()
            if question[field] is not None
        }
        pool = self._long if tool.is_long else self._quick
        if pool not in self._started:
            self._started.add(pool)
            pool.start()
        task = pool.submit(name, self._settings(question), b"")
        answer = await _wait(pool, task, session)
        for field, target in targets.items():
            await asyncio.to_thread(_write_new, target, answer["files"][field])
            answer["words"] += f"\nWritten: {question[field]}"
        return answer

    def _settings(self, question: dict[str, Any]) -> dict[str, Any]:
        reading = {name: question[name] for name in ("decimal", "header", "sheet") if name in question}
        bounds = {"max_bytes": self._limits.table_bytes, "max_lines": self._limits.rows}
        settings = {"question": question, "folders": self.folders.folders, "seconds": self._limits.scan_seconds}
        return settings | {"reading": reading | bounds}


async def _wait(pool: JobPool, task: PoolTask, session: Any) -> dict[str, Any]:
    """The answer of a task, which is stopped when the call is cancelled; how far it is, is reported meanwhile."""
    result, steps, last = asyncio.wrap_future(task.future), list[str](), -1.0
    try:
        while not (await asyncio.wait({result}, timeout=_EVERY))[0]:
            at = task.progress
            if at is not None and at.step not in steps:
                steps.append(at.step)
            # What was reported may only grow: whole steps, and the part of the one that goes on.
            reached = 0.0 if at is None else len(steps) - 1 + at.done / max(at.of, 1)
            if reached > last:
                last = reached
                await session.report_progress(reached, None, _progress_words(at, pool.ahead(task)))
        return result.result()
    except asyncio.CancelledError:
        pool.stop(task, RequestError(409, "Cancelled."))
        result.cancel()
        raise


def _progress_words(at: TaskProgress | None, ahead: int) -> str:
    if at is None:
        return f"waiting, {ahead} before it" if ahead else "begun"
    left = "" if at.seconds_left is None else f", about {duration(at.seconds_left)} left"
    return f"{at.step}: {at.done:,} of {at.of:,}{left}"


def _describe(name: str, tool: ToolFacts) -> Tool:
    hints = ToolAnnotations(
        read_only_hint=not tool.writes, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    schema = tool.question.model_json_schema()
    return Tool(name=name, title=tool.title, description=tool.description, input_schema=schema, annotations=hints)


def _write_new(target: Path, content: bytes) -> None:
    if os.path.lexists(target):  # it was not when the work began
        raise InputError(f"Got {str(target)!r}, which exists by now; expected a new file: choose another.")
    replace_with(target, content)


def _sentence(problem: Exception) -> str:
    """Why there is no answer, with the arguments that would make an unclear table clear."""
    choices = [json.dumps(each) for each in getattr(problem, "choices", ())]
    return f"{problem} Arguments that would say it: {' or '.join(choices)}." if choices else str(problem)


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
