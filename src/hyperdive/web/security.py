"""What every request must pass, and the headers of every answer.

- The Host header must be one of this server's names, so that a foreign site cannot reach it under its own name (DNS
  rebinding).
- With a token, every request must carry it: as `Authorization: Bearer`, or in the cookie that `/?token=…` sets.
- Requests from other sites are refused: all that write, and all to the API but links that a person follows.
- Queries are UTF-8; bodies are JSON, of limited size, and arrive in limited time.
"""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from hyperdive.web import limits
from hyperdive.web.problems import Problem

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "hyperdive_token"
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
"""Headers of every answer."""
_ENCODED = tuple((name.encode(), value.encode()) for name, value in HEADERS.items())
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
_TOKEN_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>hyperdive</title></head><body>'
    "<h1>This server needs its token</h1><p>Open the address that it printed when it started, or type the token.</p>"
    '<form method="get" action="/"><label>Token <input name="token" type="password" autocomplete="off"></label> '
    "<button>Open</button></form></body></html>"
)


def is_loopback(host: str) -> bool:
    """Whether a name or address reaches this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


@dataclass(frozen=True)
class Access:
    """Who may ask: the address that is listened on, further host names, and the token."""

    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    token: str | None = None

    def knows(self, header: str) -> bool:
        """Whether a Host header names this server.

        On loopback only the names of loopback do. On another address any IP address does too, which nobody can rebind.

        >>> Access().knows("localhost:8765"), Access().knows("evil.example"), Access().knows("10.0.0.7")
        (True, False, False)
        >>> Access("0.0.0.0", names=("box.lan",)).knows("10.0.0.7:80"), Access("0.0.0.0").knows("evil.example")
        (True, False)
        """
        try:
            name = urlsplit(f"//{header}").hostname or ""
            _ = urlsplit(f"//{header}").port
        except ValueError:
            return False
        if not header or any(sign in header for sign in "/@?#\\ ,"):
            return False
        if name in (*_LOCAL_NAMES, self.host.lower(), *(one.lower() for one in self.names)):
            return True
        return not is_loopback(self.host) and _address(name) is not None

    def admits(self, given: str | None) -> bool:
        """Whether this is the token, compared in constant time."""
        if self.token is None:
            return True
        return given is not None and secrets.compare_digest(given.encode(errors="replace"), self.token.encode())


class Guard:
    """The application behind all checks, with the security headers on every answer."""

    def __init__(self, application: Application, access: Access) -> None:
        self._application, self._access = application, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return

        async def guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), *_ENCODED]
                if all(name.lower() != b"cache-control" for name, _ in headers):
                    headers.append((b"cache-control", b"no-store"))
                message = {**message, "headers": headers}
            await send(message)

        headers = Headers(scope=scope)
        try:
            self._check(scope, headers)
        except Problem as problem:
            await _refusal(problem, scope)(scope, receive, guarded)
            return
        query: dict[str, str] = {}
        if self._access.token is not None and scope["path"] == "/":
            query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        if "token" in query:
            await self._signed_in(query)(scope, receive, guarded)
        elif self._access.token is not None and not self._access.admits(_token(scope)):
            missing = Problem("token_required", "this server needs its token", hint="open the address that it printed")
            await _refusal(missing, scope)(scope, receive, guarded)
        else:
            if scope["method"] == "HEAD":  # answered like GET; the server leaves the body out
                scope = {**scope, "method": "GET"}
            try:
                received = await _received(scope, headers, receive) if scope["method"] == "POST" else receive
            except Problem as problem:
                await _refusal(problem, scope)(scope, receive, guarded)
            else:
                await self._application(scope, received, guarded)

    def _check(self, scope: Scope, headers: Headers) -> None:
        # the protocol bounds what comes in pieces; a long head may also come at once
        line = len(scope.get("raw_path", b"")) + len(scope["query_string"])
        if line + sum(len(name) + len(value) + 4 for name, value in scope["headers"]) > limits.HEADER_BYTES:
            raise Problem("bad_request", f"the address and the headers have more than {limits.HEADER_BYTES} bytes")
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._access.knows(hosts[0]):
            raise Problem("wrong_host", "this server does not have that name", hint="add it with --set allow_host=NAME")
        site = headers.get("sec-fetch-site")
        writes = scope["method"] not in ("GET", "HEAD", "OPTIONS")
        link = headers.get("sec-fetch-mode") == "navigate" and not writes
        foreign = site in ("cross-site", "same-site") and not link
        origin = headers.get("origin")
        if origin is not None and origin != f"{_scheme(headers, scope)}://{hosts[0]}":
            foreign = True
        if foreign and (writes or scope["path"].startswith("/api")):
            raise Problem("cross_origin", "requests from other sites are not answered")
        try:
            query = scope["query_string"].decode("ascii")
            parse_qsl(query, keep_blank_values=True, errors="strict")
        except ValueError:
            raise Problem("bad_request", "the query is not text in UTF-8") from None
        if query and scope["method"] == "POST":
            raise Problem("bad_request", "parameters belong in the body, not in the address")

    def _signed_in(self, query: dict[str, str]) -> Response:
        """Keep a right token in a cookie and go on without it in the address."""
        if not self._access.admits(query["token"]):
            return HTMLResponse(_TOKEN_PAGE, 401)
        others = urlencode({name: value for name, value in query.items() if name != "token"})
        response = RedirectResponse(f"/?{others}" if others else "/", 303)
        response.set_cookie(COOKIE, query["token"], max_age=2_592_000, httponly=True, samesite="strict")
        return response


async def _received(scope: Scope, headers: Headers, receive: Receive) -> Receive:
    """Read the whole body within its limits of bytes and seconds; return a function that gives it again."""
    kind = (headers.get("content-type") or "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem("unsupported_media_type", "the body must be declared as application/json")
    too_large = Problem("too_large", f"a request has at most {limits.BODY_BYTES} bytes")
    declared = headers.get("content-length") or "0"
    if not declared.isdigit() or int(declared) > limits.BODY_BYTES:
        raise too_large
    body, more = bytearray(), True
    try:
        async with asyncio.timeout(limits.REQUEST_SECONDS):
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Problem("bad_request", "the body is not complete")
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > limits.BODY_BYTES:
                    raise too_large
    except TimeoutError:
        raise Problem("timeout", f"the body did not arrive in {limits.REQUEST_SECONDS:g} seconds") from None
    pending = [{"type": "http.request", "body": bytes(body), "more_body": False}]

    async def again() -> MutableMapping[str, Any]:
        return pending.pop() if pending else await receive()

    return again


def _scheme(headers: Headers, scope: Scope) -> str:
    """http, or https when a proxy in front says so."""
    return headers.get("x-forwarded-proto") or str(scope.get("scheme", "http"))


def _token(scope: Scope) -> str | None:
    request = Request(scope)
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    return value.strip() if kind.lower() == "bearer" else request.cookies.get(COOKIE)


def _refusal(problem: Problem, scope: Scope) -> Response:
    if problem.status == 401 and scope["path"] == "/":
        return HTMLResponse(_TOKEN_PAGE, 401)
    headers = {"www-authenticate": "Bearer"} if problem.status == 401 else {}
    if problem.status in (408, 413):  # the rest of the request is not read
        headers["connection"] = "close"
    return JSONResponse(problem.content(), problem.status, headers)
