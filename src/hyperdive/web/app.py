"""The application: the table of endpoints on FastAPI, work on threads, events, errors as JSON, and the page."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import gzip
import hashlib
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, get_type_hints

from fastapi import FastAPI, Request, Response
from fastapi.datastructures import Default
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException as StarletteHTTPException

from hyperdive import __version__
from hyperdive.errors import Error
from hyperdive.web import limits, questions, taxonomies
from hyperdive.web.messages import FailureReply, InPath, NoParameters
from hyperdive.web.problems import Problem, problem_of
from hyperdive.web.security import Access, Application, Guard
from hyperdive.web.service import Served, Service
from hyperdive.web.taxonomy_messages import JobReply

PREFIX = "/api/v1"
_LOOK_SECONDS, _EVENT_SECONDS = 0.1, 0.8
_FAILURE: dict[int | str, dict[str, Any]] = {
    "default": {"model": FailureReply, "description": "An error; docs/reference/http.md lists statuses and codes"}
}
_JOB = TypeAdapter(JobReply)


async def events(service: Served, id: InPath, _: NoParameters) -> Response:
    """The progress of a taxonomy as server-sent events."""
    job = service.jobs[id]
    if service.streams.locked():
        raise Problem("too_many", f"{limits.STREAMS} event streams are open", hint="close a window")

    async def stream() -> AsyncIterator[bytes]:
        async with service.streams:
            waited, shown = _EVENT_SECONDS, None
            while True:
                finished, present = job.finished, (job.state, job.bar.stage, job.bar.done)
                if finished or waited >= _EVENT_SECONDS or present != shown:
                    data = _JOB.dump_json(taxonomies.job_reply(service, job))
                    yield f"event: {job.state if finished else 'progress'}\ndata: ".encode() + data + b"\n\n"
                    waited, shown = 0.0, present
                if finished:
                    return
                await asyncio.sleep(_LOOK_SECONDS)
                waited += _LOOK_SECONDS

    return StreamingResponse(stream(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})


@dataclass(frozen=True)
class Endpoint:
    """A request of the API under `PREFIX`; `quick` work does not wait behind work that takes long.

    `status` is that of new work, beside 200; `media_type` is that of a file or a stream, other replies are JSON.
    """

    method: str
    path: str
    work: Callable[..., Any]
    quick: bool = False
    status: int = 200
    media_type: str = ""


ENDPOINTS = (
    Endpoint("GET", "/server", questions.server, quick=True),
    Endpoint("GET", "/models", questions.models, quick=True),
    Endpoint("GET", "/scores", questions.scores, quick=True),
    Endpoint("GET", "/suggest", questions.suggest, quick=True),
    Endpoint("GET", "/hypernyms", questions.hypernyms),
    Endpoint("POST", "/hypernyms", questions.hypernyms_of_list),
    Endpoint("GET", "/hyponyms", questions.hyponyms),
    Endpoint("POST", "/hyponyms", questions.hyponyms_of_list),
    Endpoint("GET", "/similar", questions.similar),
    Endpoint("GET", "/evidence", questions.evidence, quick=True),
    Endpoint("GET", "/explain", questions.explain),
    Endpoint("GET", "/compare", questions.compare),
    Endpoint("GET", "/topics", questions.topics),
    Endpoint("GET", "/general", questions.general),
    Endpoint("POST", "/score", questions.score),
    Endpoint("GET", "/taxonomies", taxonomies.jobs, quick=True),
    Endpoint("POST", "/taxonomies", taxonomies.build, quick=True, status=202),
    Endpoint("GET", "/taxonomies/{id}", taxonomies.job, quick=True),
    Endpoint("DELETE", "/taxonomies/{id}", taxonomies.remove, quick=True),
    Endpoint("GET", "/taxonomies/{id}/events", events, media_type="text/event-stream"),
    Endpoint("GET", "/taxonomies/{id}/tree", taxonomies.tree),
    Endpoint("GET", "/taxonomies/{id}/export", taxonomies.export, media_type="*/*"),
    Endpoint("GET", "/taxonomies/{id}/worklist", taxonomies.worklist),
    Endpoint("GET", "/corrections/{model}", taxonomies.corrections, quick=True),
    Endpoint("POST", "/corrections/{model}", taxonomies.change, quick=True),
)
"""Every request of the API."""


def create_app(service: Service, access: Access = Access()) -> Application:
    """Return the ASGI application of a service, behind the checks of `hyperdive.web.security`."""
    app = api()
    app.state.service = service
    app.add_route("/api/docs", lambda _: HTMLResponse(_docs(app.openapi())))
    app.add_route("/api/docs.css", lambda _: Response(_STYLE, media_type="text/css"))
    for path, answer in static_files().items():
        app.add_route(path, answer)
    return Guard(app, access)


def api() -> FastAPI:
    """Return the endpoints without a service; `api().openapi()` is the description of the API.

    >>> list(api().openapi()["paths"])[0]
    '/api/v1/server'
    """
    app = _Api(
        title="hyperdive",
        version=__version__,
        description="Questions to hyperdive models, taxonomies and their corrections; see docs/reference/http.md.",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        exception_handlers={
            Problem: _problem,
            Error: _error,
            RequestValidationError: _invalid,
            StarletteHTTPException: _http_error,
            Exception: _defect,
        },
    )
    app.router.route_class = _Limited
    for endpoint in ENDPOINTS:
        method = endpoint.method.lower()
        words = re.sub(r"\W+", "_", endpoint.path).strip("_")
        summary = (endpoint.work.__doc__ or "").partition("\n")[0]
        reply: dict[str, Any] = {"description": summary}
        if endpoint.media_type:
            reply["content"] = {endpoint.media_type: {"schema": {"type": "string"}}}
        elif endpoint.status != 200:
            reply["model"] = get_type_hints(endpoint.work)["return"]
        app.add_api_route(
            f"{PREFIX}{endpoint.path}",
            endpoint.work if endpoint.work is events else _on_thread(endpoint),
            methods=[endpoint.method],
            operation_id=f"{method}_{words}",
            status_code=endpoint.status,
            response_description=summary,
            responses={**_FAILURE, 200: reply},
            response_class=Response if endpoint.media_type else Default(JSONResponse),
        )
    return app


class _Api(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """Return the description; of docstrings it has the first paragraph."""
        if self.openapi_schema is None:
            for schema in super().openapi()["components"]["schemas"].values():
                schema["description"] = " ".join(schema["description"].partition("\n\n")[0].split())
        return super().openapi()


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Warm the models up, one after the other, while requests are answered already; stop all work at the end."""
    service: Service = app.state.service
    warming = ThreadPoolExecutor(1, thread_name_prefix="warm-up")
    for served in service.models.models.values():
        warming.submit(served.warm_up)
    warming.submit(gc.freeze)  # the models stay, and need not be searched for garbage
    yield
    warming.shutdown(wait=False, cancel_futures=True)
    service.close()


def _on_thread(endpoint: Endpoint) -> Callable[..., Awaitable[Any]]:
    @functools.wraps(endpoint.work)
    async def work(service: Service, **arguments: Any) -> Any:
        threads = service.quick_threads if endpoint.quick else service.threads
        call = functools.partial(endpoint.work, service, **arguments)
        return await asyncio.get_running_loop().run_in_executor(threads, call)

    return work


class _Limited(APIRoute):
    """A route with limits of questions at one time, of seconds, and of the bytes of an answer."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of FastAPI within the limits."""
        answer = super().get_route_handler()

        async def limited(request: Request) -> Response:
            service: Service = request.app.state.service
            if service.questions.locked():
                raise Problem(
                    "too_many", f"{limits.QUESTIONS} questions are being answered", hint="try again in a second"
                )
            try:
                async with service.questions, asyncio.timeout(limits.QUESTION_SECONDS):
                    response = await answer(request)
            except TimeoutError:
                raise Problem("timeout", f"the question took longer than {limits.QUESTION_SECONDS:g} seconds") from None
            except asyncio.CancelledError:  # only the end of the server cancels a request
                raise Problem("unavailable", "the server is stopping", hint="try again when it runs") from None
            if len(getattr(response, "body", b"")) > limits.RESULT_BYTES:
                raise Problem("too_large", f"the answer has more than {limits.RESULT_BYTES} bytes", hint="ask for less")
            return response

        return limited


# ---- errors -------------------------------------------------------------------------------------------------------


async def _problem(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)
    return JSONResponse(problem.content(), problem.status, {"retry-after": "1"} if problem.status in (429, 503) else {})


async def _error(request: Request, error: Exception) -> Response:
    assert isinstance(error, Error)
    return await _problem(request, problem_of(error))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    first = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
    if first["type"] == "json_invalid":
        return await _problem(request, Problem("bad_request", "the body is not JSON in UTF-8"))
    where = ".".join(str(part)[:40] for part in first["loc"][1:]) or first["loc"][0]
    message = first["msg"].removeprefix("Value error, ").encode(errors="replace").decode()
    return await _problem(request, Problem("bad_request", f"{where}: {message}", hint="see /api/docs"))


async def _http_error(request: Request, error: Exception) -> Response:
    """An unknown path or method, or a body that FastAPI cannot read."""
    assert isinstance(error, StarletteHTTPException)
    if error.status_code == 400:
        return await _problem(request, Problem("bad_request", "the body is not JSON in UTF-8"))
    if error.status_code == 405:
        response = await _problem(request, Problem("method_not_allowed", "this address does not allow the method"))
        response.headers.update(error.headers or {})
        return response
    return await _problem(request, Problem("not_found", "there is nothing at this address", hint="see /api/docs"))


async def _defect(request: Request, error: Exception) -> Response:
    """A defect; the trace is in the log, not in the answer."""
    return await _problem(request, Problem("failed", f"the server failed: {type(error).__name__}"))


# ---- the page and the description ---------------------------------------------------------------------------------

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_HASHED = re.compile(r"assets/.*[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$")


def static_files(
    folder: Path = Path(__file__).parent / "static",
) -> dict[str, Callable[[Request], Awaitable[Response]]]:
    """Return an answer for each file of the page by its path, read now: a request never opens a file."""
    answers = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix in _TYPES:
            content = path.read_bytes()
            headers = {
                "content-type": _TYPES[path.suffix],
                "cache-control": "public, max-age=31536000, immutable" if _HASHED.search(name) else "no-cache",
                "etag": f'"{hashlib.sha256(content).hexdigest()[:20]}"',
                "vary": "accept-encoding",
            }
            answers[f"/{name}"] = functools.partial(_static, content, gzip.compress(content, 9, mtime=0), headers)
    return {"/": answers["/index.html"], **answers}


async def _static(content: bytes, compressed: bytes, headers: dict[str, str], request: Request) -> Response:
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(compressed, headers={**headers, "content-encoding": "gzip"})
    return Response(content, headers=headers)


def _docs(description: dict[str, Any]) -> str:
    """The description as a page without scripts."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>hyperdive HTTP API</title>'
        '<link rel="stylesheet" href="/api/docs.css"></head><body><h1>hyperdive HTTP API</h1>'
        f'<p>Version {escape(__version__)}. For programs: <a href="{PREFIX}/openapi.json">openapi.json</a></p>'
    ]

    def show(heading: str, text: str, rows: dict[str, Any]) -> None:
        cells = (f"<tr><td>{escape(name)}</td><td>{linked(row)}</td></tr>" for name, row in rows.items())
        parts.append(f"<h2>{heading}</h2><p>{escape(text)}</p><table>{''.join(cells)}</table>")

    def linked(schema: Any) -> str:
        text = escape(json.dumps(schema, ensure_ascii=False), quote=False)
        return re.sub(r'{"\$ref": "#/components/schemas/([\w-]+)"}', r'<a href="#\1">\1</a>', text)

    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            rows = {f"{one['name']} ({one['in']})": one["schema"] for one in operation.get("parameters", ())}
            bodies = {"body": operation.get("requestBody"), "answer": operation["responses"]["200"]}
            rows |= {name: next(iter(body["content"].values()))["schema"] for name, body in bodies.items() if body}
            show(f"<code>{method.upper()} {escape(path)}</code>", operation["description"], rows)
    for name, schema in description["components"]["schemas"].items():
        show(f'<span id="{name}">{name}</span>', schema["description"], schema.get("properties", {}))
    return "\n".join([*parts, "</body></html>"])


_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h2 { border-top: 1px solid #8888; margin-top: 2rem; padding-top: 1rem; font-size: 1.1rem; }
table { border-collapse: collapse; } td { border: 1px solid #8888; padding: .2rem .6rem; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } a { color: #8cf; } }
"""
