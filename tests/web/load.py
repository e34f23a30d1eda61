"""Many clients on loopback: each asks its next question as soon as it has an answer.

One thread with an event loop and hardly any parsing, so that the clients leave the cores to the server.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


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

    def __init__(self, port: int, paths: Iterator[str], end: float, checked: bool) -> None:
        self._port, self._paths, self._end, self._checked = port, paths, end, checked
        self.times: list[float] = []
        self.errors: list[str] = []

    async def run(self) -> None:
        while time.monotonic() < self._end:
            try:
                await self._connected()
            except (OSError, ValueError, EOFError, asyncio.LimitOverrunError) as error:
                self.errors.append(f"{type(error).__name__} {error}")

    async def _connected(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            while time.monotonic() < self._end:
                path = next(self._paths)
                began = time.perf_counter()
                writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n\r\n".encode())
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
                length = _LENGTH.search(head)
                body = await reader.readexactly(int(length[1])) if length else b""
                self.times.append(time.perf_counter() - began)
                if not head.startswith(b"HTTP/1.1 200 "):
                    self.errors.append(f"{head[9:12].decode()} {path} {body[:100]!r}")
                elif self._checked and path.startswith("/api"):
                    json.loads(body)
                if b"connection: close" in head.lower():
                    return
        finally:
            writer.close()


def load(
    port: int, paths: Sequence[str], *, clients: int, seconds: float, start: int = 0, checked: bool = True
) -> Load:
    """Ask these paths in turn, with so many clients at one time; `checked` reads every answer as JSON."""
    in_turn = itertools.islice(itertools.cycle(paths), start % len(paths), None)

    async def run() -> Load:
        began = time.monotonic()
        every = [_Client(port, in_turn, began + seconds, checked) for _ in range(clients)]
        await asyncio.gather(*(client.run() for client in every))
        times = tuple(itertools.chain.from_iterable(client.times for client in every))
        errors = tuple(itertools.chain.from_iterable(client.errors for client in every))
        return Load(times, errors, time.monotonic() - began)

    return asyncio.run(run())


def questions(words: Sequence[str], verb: str = "hypernyms") -> list[str]:
    """The paths of a question about each word."""
    return [f"/api/v1/{verb}?term={quote(word)}" for word in words]
