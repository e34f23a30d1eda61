"""From a fresh clone to a first answer: `make explore` in a new folder, with empty caches.

    python bench/fresh_clone.py [--port 8765]

Clones the last commit of this repository, sets it up as `make explore` does, then starts that and asks for the page and
a question until they are answered. The second line is what comes on top of the set-up.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from common import machine

ROOT = Path(__file__).parents[1]


def answered(address: str, end: float) -> bytes:
    """What the address gives, as soon as it gives something."""
    while True:
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                return bytes(answer.read())
        except OSError:
            if time.perf_counter() > end:
                raise
            time.sleep(0.02)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8765, help="the port that `make explore` listens on")
    address = f"http://127.0.0.1:{parser.parse_args().port}"
    print(machine())
    with tempfile.TemporaryDirectory(prefix="hyperdive-clone-") as folder:
        clone, cache = Path(folder) / "clone", Path(folder) / "cache"
        cache.mkdir()
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "BROWSER": "true"}
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        began = time.perf_counter()
        subprocess.run(["make", "-s", ".venv/.stamp-web"], cwd=clone, env=environment, check=True)
        print(f"set-up {time.perf_counter() - began:.1f} s")
        began = time.perf_counter()
        process = subprocess.Popen(["make", "-s", "explore"], cwd=clone, env=environment, start_new_session=True)
        try:
            answered(f"{address}/", began + 120)
            page = time.perf_counter() - began
            reply = json.loads(answered(f"{address}/api/v1/hypernyms?term=malaria", began + 120))
            first = time.perf_counter() - began
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
        term = reply["results"][0]["answers"][0]["term"]
        print(f"then the page after {page:.2f} s, the first answer (malaria: {term}) after {first:.2f} s")


if __name__ == "__main__":
    main()
