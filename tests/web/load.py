"""Many clients on loopback: each asks its next question as soon as it has an answer.

One thread that waits for all sockets and hardly parses what comes, so that the clients leave the cores to the server.
"""

from __future__ import annotations

import itertools
import json
import re
import selectors
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_PATIENCE_SECONDS, _LOOK_SECONDS = 60.0, 1.0


@dataclass(frozen=True)
class Load:
    """What clients saw: seconds of every answer, and everything that was no answer."""

    seconds: tuple[float, ...]
    errors: tuple[str, ...]
    duration: float

    def percentile(self, share: float) -> float:
        """The time within which this share of the answers came, in seconds."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class _Client:
    """One connection at a time; every path is asked once, in turn with the other clients."""

    def __init__(self, port: int, selector: selectors.BaseSelector, checked: bool) -> None:
        self._port, self._selector, self._checked = port, selector, checked
        self._socket: socket.socket | None = None
        self._path, self._received, self._whole = "", b"", -1
        self._began = 0.0
        self.times: list[float] = []
        self.errors: list[str] = []

    def ask(self, path: str) -> None:
        """Send the next question, on the connection that there is or a new one."""
        self._path, self._received, self._whole = path, b"", -1
        self._began = time.perf_counter()
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n\r\n".encode()
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), _PATIENCE_SECONDS)
            self._selector.register(self._socket, selectors.EVENT_READ, self)
        self._socket.sendall(request)

    def receive(self) -> bool:
        """Read what has come; whether the answer is complete."""
        assert self._socket is not None
        if self.late:
            raise TimeoutError(f"no answer to {self._path}")
        piece = self._socket.recv(1 << 18)
        if not piece:
            raise EOFError(f"closed before the answer to {self._path}")
        self._received += piece
        if self._whole < 0:
            end = self._received.find(b"\r\n\r\n") + 4
            if end < 4:
                return False
            length = _LENGTH.search(self._received, 0, end)
            self._whole = end + (int(length[1]) if length else 0)
        if len(self._received) < self._whole:
            return False
        self.times.append(time.perf_counter() - self._began)
        self._check()
        return True

    def _check(self) -> None:
        head, _, body = self._received.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            self.errors.append(f"{head[9:12].decode()} {self._path} {body[:100]!r}")
        elif self._checked and self._path.startswith("/api"):
            json.loads(body)
        if b"connection: close" in head.lower():
            self.close()

    @property
    def late(self) -> bool:
        """Whether an answer is missing that should be there long ago."""
        return self._socket is not None and time.perf_counter() - self._began > _PATIENCE_SECONDS

    def fail(self, error: Exception) -> None:
        """No answer came."""
        self.errors.append(f"{type(error).__name__} {error}")
        self.close()

    def close(self) -> None:
        if self._socket is not None:
            self._selector.unregister(self._socket)
            self._socket.close()
            self._socket = None


def load(
    port: int, paths: Sequence[str], *, clients: int, seconds: float, start: int = 0, checked: bool = True
) -> Load:
    """Ask these paths in turn, with so many clients at one time; `checked` reads every answer as JSON."""
    in_turn = itertools.islice(itertools.cycle(paths), start % len(paths), None)
    began = time.perf_counter()
    with selectors.DefaultSelector() as selector:
        every = [_Client(port, selector, checked) for _ in range(clients)]

        def ask_next(client: _Client) -> None:
            while time.perf_counter() < began + seconds:
                try:
                    client.ask(next(in_turn))
                    return
                except OSError as error:
                    client.fail(error)
            client.close()

        for client in every:
            ask_next(client)
        while selector.get_map():
            ready = [key.data for key, _ in selector.select(_LOOK_SECONDS)]
            for client in ready or [one for one in every if one.late]:
                try:
                    complete = client.receive()
                except (OSError, ValueError, EOFError) as error:
                    client.fail(error)
                    complete = True
                if complete:
                    ask_next(client)
    times = tuple(itertools.chain.from_iterable(client.times for client in every))
    errors = tuple(itertools.chain.from_iterable(client.errors for client in every))
    return Load(times, errors, time.perf_counter() - began)


def questions(words: Sequence[str], verb: str = "hypernyms") -> list[str]:
    """The paths of a question about each word."""
    return [f"/api/v1/{verb}?term={quote(word)}" for word in words]
