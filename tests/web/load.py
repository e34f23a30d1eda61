"""Many clients on loopback: each asks its next question as soon as it has an answer."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote


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


def load(port: int, paths: Sequence[str], *, clients: int, seconds: float, start: int = 0) -> Load:
    """Ask these paths in turn, with so many clients at one time."""
    times: list[float] = []
    errors: list[str] = []
    end = time.monotonic() + seconds

    def run(number: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        place = start + number
        while time.monotonic() < end:
            path = paths[place % len(paths)]
            place += clients
            began = time.perf_counter()
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                body = answer.read()
                if answer.status != 200:
                    errors.append(f"{answer.status} {path} {body[:100]!r}")
                elif path.startswith("/api"):
                    json.loads(body)
            except (OSError, http.client.HTTPException, ValueError) as error:
                errors.append(f"{type(error).__name__} {path}")
                connection.close()
            times.append(time.perf_counter() - began)
        connection.close()

    began = time.monotonic()
    threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return Load(tuple(times), tuple(errors), time.monotonic() - began)


def questions(words: Sequence[str], verb: str = "hypernyms") -> list[str]:
    """The paths of a question about each word."""
    return [f"/api/v1/{verb}?term={quote(word)}" for word in words]
