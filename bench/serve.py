"""How fast `hyperdive serve` answers on loopback: from its start to the first answer, many clients, a taxonomy.

    python bench/serve.py [--model MODEL] [--clients 20] [--seconds 10]

Each client requests `/api/v1/hypernyms` of a word, the next as soon as it has an answer; no word is repeated. "alone"
is the same question by Python in one process, after as many to warm up. Every line has the processor time of the server
for each answer, and how many cores other programs took meanwhile; with C cores, N clients wait at least N/C times as
long, and the clients take some of the cores too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from functools import partial
from pathlib import Path

from common import machine

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.web.load import Load, load, questions

from hyperdive import load as load_model

TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


def processor(process: subprocess.Popen[str]) -> float:
    """Seconds of processor time of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def settle(process: subprocess.Popen[str]) -> None:
    """Wait until it has nothing more to do."""
    while (before := processor(process)) is not None:
        time.sleep(1)
        if processor(process) - before < 0.05:
            break


def memory(process: subprocess.Popen[str]) -> str:
    """Anonymous memory of the server."""
    found = re.search(r"RssAnon:\s+(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
    return f"{int(found[1]) / 1000:.0f} MB of memory" if found else ""


def get(address: str) -> bytes:
    with urllib.request.urlopen(address) as answer:
        return bytes(answer.read())


def busy() -> float:
    """Seconds of processor time of all programs so far."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return (sum(fields) - fields[3] - fields[4]) / TICKS


def show(name: str, process: subprocess.Popen[str], ask: Callable[[], Load]) -> Load:
    """Ask, and print what the clients saw."""
    spent, all_spent, own = processor(process), busy(), time.process_time()
    seen = ask()
    spent, all_spent, own = processor(process) - spent, busy() - all_spent, time.process_time() - own
    each, others = 1000 * spent / max(len(seen.seconds), 1), (all_spent - spent - own) / seen.duration
    print(
        f"{name:28}{len(seen.seconds) / seen.duration:10.0f}{1000 * seen.percentile(0.5):9.0f}"
        f"{1000 * seen.percentile(0.95):9.0f}{each:12.1f}{others:9.1f}{len(seen.errors):8}"
    )
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-wiki")
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--terms", type=int, default=2000)
    given = parser.parse_args()
    print(machine())
    words = [word for word in load_model(given.model).words if word.isascii() and word.isalpha()]
    random.Random(0).shuffle(words)
    with tempfile.TemporaryDirectory(prefix="hyperdive-bench-") as folder:
        began = time.perf_counter()
        command = [sys.executable, "-m", "hyperdive", "serve", given.model, "--port", "0", "--corrections", folder]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
        )
        assert process.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert address is not None
        try:
            measure(process, address[0], int(address[1]), words, given, began)
        finally:
            process.terminate()
            process.wait()


def measure(
    process: subprocess.Popen[str], address: str, port: int, words: list[str], given: argparse.Namespace, began: float
) -> None:
    get(f"{address}/")
    page = time.perf_counter() - began
    get(f"{address}/api/v1/hypernyms?term={words[0]}")
    first = time.perf_counter() - began
    print(
        f"start to page {page:.2f} s, to the first answer {first:.2f} s ({processor(process):.2f} s of processor time)"
    )
    settle(process)  # it warms up
    print(f"{'':28}{'answers/s':>10}{'p50 ms':>9}{'p95 ms':>9}{'processor':>12}{'others':>9}{'errors':>8}")
    alone(given.model, words[-200:])
    paths, asked = questions(words[:-200]), 0
    print(memory(process))
    for clients in (1, given.clients):
        ask = partial(load, port, clients=clients, seconds=given.seconds, checked=False)
        seen = show(f"{clients} clients", process, partial(ask, paths, start=asked))
        asked += len(seen.seconds) + clients
    taxonomy(address, given.terms)


def alone(place: str, words: list[str]) -> None:
    """The same question by Python, one after another."""
    model = load_model(place)
    half = len(words) // 2
    for word in words[:half]:
        model.hypernyms([word])
    spent, start = time.process_time(), time.perf_counter()
    for word in words[half:]:
        model.hypernyms([word])
    seconds, spent = time.perf_counter() - start, time.process_time() - spent
    print(f"{'alone, one after another':28}{half / seconds:10.0f}{'':18}{1000 * spent / half:12.1f}")


def taxonomy(address: str, terms: int) -> None:
    """Build a taxonomy and watch its events."""
    body = json.dumps({"top": terms}).encode()
    request = urllib.request.Request(f"{address}/api/v1/taxonomies", body, {"Content-Type": "application/json"})
    began = last = time.perf_counter()
    longest, job = 0.0, json.loads(urllib.request.urlopen(request).read())
    with urllib.request.urlopen(address + job["links"]["events"]) as events:
        for line in events:
            if line.startswith(b"data: "):
                now = time.perf_counter()
                longest, last = max(longest, now - last), now
                job = json.loads(line[6:])
    print(
        f"taxonomy of {job['terms']} terms: {job['state']} in {last - began:.1f} s, {job['edges']} edges, "
        f"an event at least every {longest:.2f} s"
    )


if __name__ == "__main__":
    main()
