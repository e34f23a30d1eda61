"""Run the application: a socket, a server that gives slow clients little time, and an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import sys
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from hyperdive._resources import one_blas_thread
from hyperdive.errors import OptionError
from hyperdive.web import limits
from hyperdive.web.security import Application

_KEEP_ALIVE_SECONDS, _SHUTDOWN_SECONDS = 10, 2
_SWITCH_SECONDS = 0.001  # a question in Python does not keep the others from being read and written
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class PatientProtocol(H11Protocol):
    """HTTP/1.1 for clients that send the head of a request within `limits.REQUEST_SECONDS`; others are cut off."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A client connected: from now on it has to send a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Something arrived; a complete head ends the waiting."""
        if self._deadline is None and (self.cycle is None or self.cycle.response_complete):
            self._wait()
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._deadline = self.loop.call_later(limits.REQUEST_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.write(_TOO_SLOW)
            self.transport.close()


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one.

    >>> with listen("127.0.0.1", 0) as bound:
    ...     bound.getsockname()[0]
    '127.0.0.1'
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = found[0]
        # asyncio switches Nagle's delay (40 ms for each answer) off only where the protocol is named
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise OptionError(
            f"cannot listen on {host!r}: {error.strerror}", hint="give an address of this machine"
        ) from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(place)
        bound.listen(1024)
    except OSError as error:
        bound.close()
        raise OptionError(
            f"cannot listen on {host} port {port}: {error.strerror}", hint="choose another --port, or 0 for a free one"
        ) from None
    return bound


def run(application: Application, bound: socket.socket) -> None:
    """Serve until a signal comes."""
    config = uvicorn.Config(
        application,
        http=PatientProtocol,
        loop="asyncio",
        ws="none",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=limits.CONNECTIONS,
        h11_max_incomplete_event_size=limits.HEADER_BYTES,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.set_threshold(100_000, 50, 50)  # requests make many small objects and no garbage
    # held once for all questions, which then need not set it again and again
    with contextlib.suppress(KeyboardInterrupt), one_blas_thread():
        uvicorn.Server(config).run(sockets=[bound])
