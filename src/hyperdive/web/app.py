"""The application: routes from the table of endpoints, work on threads, errors as JSON, events as they happen."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from hyperdive.errors import Error
from hyperdive.web import limits
from hyperdive.web.answers import KeptAnswers, within_limit, written
from hyperdive.web.endpoints import ENDPOINTS, PREFIX, Endpoint
from hyperdive.web.openapi import STYLE, description, page
from hyperdive.web.problems import Problem, problem_of
from hyperdive.web.schema import plain, read_message, read_query
from hyperdive.web.security import Access, Application, Guard
from hyperdive.web.service import Service
from hyperdive.web.static_files import StaticFile, static_files
from hyperdive.web.taxonomies import Download, job_reply
from hyperdive.web.worker import question
from hyperdive.web.workers import CROWD, NoWorkers, Workers

_JSON = "application/json"
_PARAMETERS = 2 * limits.TERMS + 2000
_LOOK_SECONDS, _EVENT_SECONDS = 0.1, 0.8


def create_app(service: Service, access: Access = Access(), *, workers: int = 0) -> Application:
    """The ASGI application that answers for a service, with so many processes for questions when many come."""
    return Guard(_Server(service, workers).application(), access)


class _Server:
    """Routes, threads, processes and counters of one application."""

    def __init__(self, service: Service, workers: int) -> None:
        self._service = service
        self._answers = KeptAnswers()
        self._workers = Workers(service.models, workers) if workers else None
        cores = os.cpu_count() or 1
        self._questions = ThreadPoolExecutor(max(2, cores), thread_name_prefix="question")
        self._quick = ThreadPoolExecutor(2, thread_name_prefix="quick")
        self._warming = ThreadPoolExecutor(1, thread_name_prefix="warm-up")
        self._warm_ups: list[Future[None]] = []
        self._active = self._streams = 0

    def application(self) -> Starlette:
        """The routes behind no checks yet."""
        routes = [
            Route(f"{PREFIX}{endpoint.path}", self._route(endpoint), methods=[endpoint.method])
            for endpoint in ENDPOINTS
        ]
        described, docs = json.dumps(description(), ensure_ascii=False).encode(), page()
        routes += [
            Route(f"{PREFIX}/openapi.json", lambda _: Response(described, media_type=_JSON)),
            Route("/api/docs", lambda _: HTMLResponse(docs)),
            Route("/api/docs.css", lambda _: Response(STYLE, media_type="text/css")),
        ]
        routes += [Route(path, _static(file)) for path, file in static_files().items()]
        return Starlette(
            routes=routes,
            exception_handlers={HTTPException: _http_error, Exception: _server_error},
            lifespan=self._lifespan,
        )

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Warm the models up, one after the other, while requests come in already; stop all work at the end."""
        self._warm_ups = [self._warming.submit(one.warm_up) for one in self._service.models.models.values()]
        self._warming.submit(gc.freeze)  # what the models hold lasts, and need not be looked through for garbage
        yield
        if self._workers is not None:
            await self._workers.close()
        self._service.jobs.close(cancel=True)
        for pool in (self._warming, self._questions, self._quick):
            pool.shutdown(wait=False, cancel_futures=True)

    def _route(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            try:
                message = await _message(endpoint, request)
                if endpoint.reply == "text/event-stream":
                    return self._events(message.id)
                return await self._answer(endpoint, message)
            except Problem as problem:
                return _problem(problem)
            except Error as error:
                return _problem(problem_of(error))
            except asyncio.CancelledError:  # only the end of the server cancels a request
                return _problem(Problem("unavailable", "the server is stopping", hint="ask again when it runs"))

        return answer

    async def _answer(self, endpoint: Endpoint, message: Any) -> Response:
        key = (endpoint.path, message)
        if endpoint.lasting and (kept := self._answers.get(key)) is not None:
            return Response(kept, media_type=_JSON)
        if self._active >= limits.QUESTIONS:
            raise Problem("too_many", f"{self._active} questions are being answered", hint="try again in a second")
        self._active += 1
        try:
            async with asyncio.timeout(limits.QUESTION_SECONDS):
                response = await self._asked(endpoint, message)
        except TimeoutError:
            raise Problem("timeout", f"the question took longer than {limits.QUESTION_SECONDS:g} seconds") from None
        finally:
            self._active -= 1
        if endpoint.lasting:
            self._answers.put(key, bytes(response.body))
        return response

    async def _asked(self, endpoint: Endpoint, message: Any) -> Response:
        """Answer by a worker, if there are any for this, or on a thread."""
        if endpoint.apart and self._workers is not None:
            if self._active > CROWD and all(done.done() for done in self._warm_ups):
                self._workers.start()
            if self._workers.ready:
                with contextlib.suppress(NoWorkers):
                    return Response(await self._workers.ask(question(endpoint, message)), media_type=_JSON)
        pool = self._quick if endpoint.quick else self._questions
        return await asyncio.get_running_loop().run_in_executor(pool, self._work, endpoint, message)

    def _work(self, endpoint: Endpoint, message: Any) -> Response:
        """On a thread: answer, and write the answer as bytes."""
        reply = endpoint.work(self._service, message)
        status, headers = 200, {}
        if isinstance(reply, tuple):  # a job, and whether it is new
            reply, new = reply
            status, headers = (endpoint.status if new else 200), {"location": reply.links.self}
        if isinstance(reply, Download):
            headers = {"content-disposition": f'attachment; filename="{reply.name}"'}
            content = within_limit(reply.content.encode("utf-8", errors="replace"))
            return Response(content, status, headers, reply.media_type)
        return Response(written(reply), status, headers, _JSON)

    def _events(self, name: str) -> Response:
        if self._streams >= limits.STREAMS:
            raise Problem("too_many", f"{self._streams} event streams are open", hint="close a window")
        job = self._service.jobs[name]

        async def events() -> AsyncIterator[bytes]:
            self._streams += 1
            try:
                waited, shown = _EVENT_SECONDS, None
                while True:
                    finished, present = job.finished, (job.state, job.stage, job.done)
                    if finished or waited >= _EVENT_SECONDS or present != shown:
                        data = json.dumps(plain(job_reply(self._service, job)), ensure_ascii=False)
                        yield f"event: {job.state if finished else 'progress'}\ndata: {data}\n\n".encode()
                        waited, shown = 0.0, present
                    if finished:
                        return
                    await asyncio.sleep(_LOOK_SECONDS)
                    waited += _LOOK_SECONDS
            finally:
                self._streams -= 1

        return StreamingResponse(events(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})


# ---- requests -----------------------------------------------------------------------------------------------------


async def _message(endpoint: Endpoint, request: Request) -> Any:
    """The request as a message of its endpoint."""
    in_path = {name: str(value) for name, value in request.path_params.items()}
    try:
        text = request.scope["query_string"].decode("ascii")
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=_PARAMETERS)
    except ValueError:
        raise Problem("bad_request", "the query is not text in UTF-8, or has too many parameters") from None
    if endpoint.method != "POST":
        return read_query(endpoint.request, [*pairs, *in_path.items()])
    if pairs:
        raise Problem("bad_request", f"{pairs[0][0][:40]} belongs into the body, not into the address")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem("unsupported_media_type", "the body must be declared as application/json")
    values = _parsed(await _body(request))
    doubled = [name for name in in_path if name in values]
    if doubled:
        raise Problem("bad_request", f"{doubled[0]} is in the address already")
    return read_message(endpoint.request, {**values, **in_path})


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        raise Problem("bad_request", "the body is not JSON in UTF-8") from None
    if not isinstance(values, dict):
        raise Problem("bad_request", "the body must be an object")
    return values


async def _body(request: Request) -> bytes:
    """The body, as far as it is within its limits of bytes and seconds."""
    too_large = Problem("too_large", f"a request has at most {limits.BODY_BYTES} bytes")
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > limits.BODY_BYTES:
        raise too_large

    async def received() -> bytes:
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > limits.BODY_BYTES:
                raise too_large
        return bytes(body)

    try:
        return await asyncio.wait_for(received(), limits.REQUEST_SECONDS)
    except TimeoutError:
        raise Problem("timeout", f"the body did not arrive in {limits.REQUEST_SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise Problem("bad_request", "the body is not complete") from None


# ---- answers ------------------------------------------------------------------------------------------------------


def _problem(problem: Problem) -> Response:
    headers = {"retry-after": "1"} if problem.status in (429, 503) else {}
    if problem.status in (408, 413):  # what is left of the request is not read
        headers["connection"] = "close"
    return JSONResponse(problem.content(), problem.status, headers)


async def _http_error(_: Request, error: Exception) -> Response:
    """A path or a method that there is not."""
    if getattr(error, "status_code", 404) == 405:
        allowed = getattr(error, "headers", None) or {}
        response = _problem(Problem("method_not_allowed", "this address does not know the method"))
        response.headers.update(allowed)
        return response
    return _problem(Problem("not_found", "there is nothing at this address", hint="see /api/docs"))


async def _server_error(_: Request, error: Exception) -> Response:
    """A defect; the trace is in the log, not in the answer."""
    return _problem(Problem("failed", f"the server failed: {type(error).__name__}"))


def _static(file: StaticFile) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        if request.headers.get("if-none-match") == file.headers["etag"]:
            return Response(status_code=304, headers=file.headers)
        if file.compressed is not None and "gzip" in request.headers.get("accept-encoding", ""):
            return Response(file.compressed, headers={**file.headers, "content-encoding": "gzip"})
        return Response(file.content, headers=file.headers)

    return answer
