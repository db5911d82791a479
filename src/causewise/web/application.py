"""The application: the guard, the paths, and what a failure becomes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import python_multipart  # noqa: F401  # a missing extra is said before the server starts, not with the first upload
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from causewise.web import api, pages
from causewise.web.desk import FrontDesk
from causewise.web.guard import Guard, Hosts
from causewise.web.refusal import Refusal

_LOOK = 2.0
"""Seconds between two looks for jobs that nobody asks about."""
_SENTENCES = {
    404: "There is nothing at this address; expected / for the page, or a path of /openapi.json.",
    405: "Got a method that this address does not take; /openapi.json says which it takes.",
}


def create(desk: FrontDesk, host: str = "127.0.0.1") -> Guard:
    """The whole application, for a server that is bound to `host`; the desk works from startup to shutdown."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        desk.start()
        watch = asyncio.create_task(_watch(desk))
        try:
            yield
        finally:
            watch.cancel()
            with suppress(asyncio.CancelledError):
                await watch
            await asyncio.to_thread(desk.close)

    app = FastAPI(
        title="causewise",
        version="1",
        description="From two columns of numbers: which one causes the other, how sure, and why.",
        docs_url=None,  # it would load a script from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.include_router(api.routes(desk))
    app.include_router(pages.routes(desk))
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.add_exception_handler(HTTPException, _elsewhere)
    app.add_exception_handler(Exception, _failed)
    return Guard(app, Hosts(host))


async def _watch(desk: FrontDesk) -> None:
    while True:
        await asyncio.sleep(_LOOK)
        desk.give_up_forgotten()


async def _refused(request: Request, refusal: Any) -> JSONResponse:
    return JSONResponse(refusal.record, refusal.status, dict(refusal.headers))


async def _misunderstood(request: Request, problem: Any) -> JSONResponse:
    return JSONResponse({"detail": "Got a request that does not fit /openapi.json; expected one that does."}, 422)


async def _elsewhere(request: Request, problem: Any) -> JSONResponse:
    sentence = _SENTENCES.get(problem.status_code, "Got a request that this server cannot answer.")
    return JSONResponse({"detail": sentence}, problem.status_code, problem.headers)


async def _failed(request: Request, problem: Exception) -> JSONResponse:
    # Starlette raises it again for the terminal.
    return JSONResponse({"detail": "causewise failed on this, and not by a fault of yours."}, 500)
