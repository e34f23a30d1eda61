"""The explorer under mixed load on loopback: its memory stays flat, no descriptor is lost, no answer is an error.

    python bench/soak.py [--minutes 20] [--clients 12] [--model MODEL]

Clients ask questions of all kinds about random words, build taxonomies and delete them, and every tenth request is cut
off in the middle, as by a browser that was closed. After half of the time a second client process is killed while it
waits for an answer. The memory and the descriptors of the server are read every second; the second and last third are
compared.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

from common import machine
from hyperdive import load

MOST_GROWTH = 1.05
KINDS = ("hypernyms", "hyponyms", "similar", "suggest", "evidence", "explain", "general", "topics")


def path_of(kind: str, choice: random.Random, words: list[str]) -> str:
    """A request about random words."""
    one, other = (quote(choice.choice(words)) for _ in range(2))
    if kind in ("evidence", "explain"):
        return f"/api/v1/{kind}?hyponym={one}&hypernym={other}"
    if kind == "suggest":
        return f"/api/v1/suggest?text={one[:3]}"
    return f"/api/v1/{kind}" if kind in ("general", "topics") else f"/api/v1/{kind}?term={one}&top=5"


class Clients:
    """Threads that ask until a time is over."""

    def __init__(self, port: int, words: list[str], end: float) -> None:
        self.port, self.words, self.end = port, words, end
        self.answers = self.cut = 0
        self.errors: list[str] = []

    def ask(self, number: int) -> None:
        """One thread."""
        choice = random.Random(number)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while time.monotonic() < self.end:
            kind = choice.choice(KINDS)
            path = path_of(kind, choice, self.words)
            if choice.randrange(10) == 0:
                self._cut_off(path)
                continue
            try:
                if choice.randrange(60) == 0:
                    self._taxonomy(connection, choice)
                    continue
                connection.request("GET", path)
                answer = connection.getresponse()
                json.loads(answer.read())
                self.answers += 1
                if answer.status >= 500:
                    self.errors.append(f"{answer.status} {path}")
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.errors.append(f"{type(error).__name__} {path}")
                connection.close()
        connection.close()

    def _cut_off(self, path: str) -> None:
        """Half a request, or a whole one whose answer nobody reads."""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5) as link:
            link.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode())
            if len(path) % 2:
                link.sendall(b"\r\n")
        self.cut += 1

    def _taxonomy(self, connection: http.client.HTTPConnection, choice: random.Random) -> None:
        """Build a small taxonomy and delete it."""
        body = json.dumps({"terms": choice.sample(self.words, 30)})
        headers = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{self.port}"}
        connection.request("POST", "/api/v1/taxonomies", body, headers)
        job = json.loads(connection.getresponse().read())
        if "id" in job:
            connection.request("DELETE", f"/api/v1/taxonomies/{job['id']}", headers=headers)
            connection.getresponse().read()
        self.answers += 1


def own_memory(pid: int) -> int:
    """Anonymous memory in bytes; none of a process that has just ended."""
    with contextlib.suppress(OSError):
        anonymous = re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
        return int(anonymous[1]) << 10 if anonymous else 0
    return 0


def facts(pid: int) -> tuple[int, int]:
    """Memory of a server, and its open descriptors."""
    return own_memory(pid), len(list(Path(f"/proc/{pid}/fd").iterdir()))


def soak(model: str, minutes: float, many: int) -> list[str]:
    """Run the server and its clients; what went wrong."""
    words = load(model).words[:3_000]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hyperdive", "serve", "--port", "0", model]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        log = Path(folder) / "log"
        with log.open("wb") as file:
            server = subprocess.Popen(
                command, cwd=folder, stdout=subprocess.PIPE, stderr=file, text=True, env=environment
            )
        assert server.stdout is not None
        address = re.search(r":(\d+)", server.stdout.readline().partition("//")[2])
        assert address is not None
        port, end = int(address[1]), time.monotonic() + 60 * minutes
        clients = Clients(port, words, end)
        threads = [threading.Thread(target=clients.ask, args=(number,)) for number in range(many)]
        killed = os.fork()
        if killed == 0:
            clients.ask(99)
            os._exit(0)
        for thread in threads:
            thread.start()
        seen, half = [], end - 30 * minutes
        while time.monotonic() < end and server.poll() is None:
            seen.append(facts(server.pid))
            if killed and time.monotonic() > half:
                os.kill(killed, signal.SIGKILL)
                os.waitpid(killed, 0)
                killed = 0
            time.sleep(1)
        for thread in threads:
            thread.join()
        wrong = list(clients.errors[:10])
        if server.poll() is not None:
            wrong.append(f"the server ended with {server.returncode}")
        else:
            time.sleep(3)
            seen.append(facts(server.pid))
            server.terminate()
            server.wait(20)
        if "Traceback" in (text := log.read_text(errors="replace")):
            wrong.append(text[text.index("Traceback") :][:300])
    third = max(len(seen) // 3, 1)
    middle, last = (
        statistics.median(memory for memory, _ in part) for part in (seen[third : 2 * third], seen[-third:])
    )
    descriptors = [number for _, number in seen]
    print(f"{clients.answers:,} answers, {clients.cut:,} requests cut off, {len(clients.errors)} errors")
    print(f"memory: {middle / 1e6:.0f} MB in the second third, {last / 1e6:.0f} MB in the last")
    print(f"descriptors: {descriptors[0]} at first, {max(descriptors)} at most, {descriptors[-1]} at the end")
    if last > MOST_GROWTH * middle:
        wrong.append("memory grows")
    if descriptors[-1] > descriptors[0] + many + 8:
        wrong.append("descriptors are lost")
    return wrong


def main() -> int:
    """Print what was seen; the exit code is 1 when something went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--model", default="en-wiki")
    options = parser.parse_args()
    print(machine())
    wrong = soak(options.model, options.minutes, options.clients)
    for line in wrong:
        print(f"wrong: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
