"""A text, and the engines: Spark inside this process, and a real cluster of processes on this machine."""

from __future__ import annotations

import json
import lzma
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hyperdive.cli.demo import sentences
from hyperdive.engines import SparkEngine
from tests.engines.cluster import Cluster
from tests.text.test_encoder import book


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def need_spark() -> None:
    """Skip where Spark cannot be run."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'hyperdive[spark]'")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("there is no Java on this machine")


@pytest.fixture(scope="session")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some text with patterns, terms and documents of all lengths, about 400 kB."""
    lines = [line for pair in zip(sentences(3000), book(3000).splitlines(), strict=False) for line in pair]
    lines += ["The guide dog and the guide dogs such as Poodles bark. Guide dogs sleep."] * 50
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkEngine]:
    need_spark()
    with SparkEngine("local[2]") as engine:
        yield engine


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    need_spark()
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield made
    finally:
        made.stop()


def rare_lines(seed: int, size: int) -> bytes:
    """About so many bytes of invented words, of which there are thousands, and most are rare."""
    draw = np.random.default_rng(seed)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    lines: list[str] = []
    while size > 0:
        numbers = np.minimum(draw.zipf(1.2, 12), 20_000).tolist()
        words = ("".join(syllables[n // 70**k % 70] for k in range(3)) for n in numbers)
        lines.append(f"The {' '.join(words)} sleeps.\n")
        size -= len(lines[-1])
    return "".join(lines).encode()


@pytest.fixture(scope="module")
def long_text(tmp_path_factory: pytest.TempPathFactory, text: Path) -> Path:
    """Real text from HYPERDIVE_CORPUS (one document a line, xz), else the generated one with many rare words."""
    size = int(os.environ.get("HYPERDIVE_SPARK_MB", "10")) * 10**6
    path = tmp_path_factory.mktemp("long") / "text.txt"
    corpus = os.environ.get("HYPERDIVE_CORPUS")
    if corpus:
        with lzma.open(corpus) as file:
            path.write_bytes(file.read(size))
    else:
        known = text.read_bytes()
        with path.open("wb") as file:
            for seed in range(max(1, size // (2 * len(known)))):
                file.write(known + rare_lines(seed, len(known)))
    return path


class Driver:
    """A driver in a process of its own, so that it can be killed."""

    def __init__(self, verb: str, source: Path, output: Path, master: str, **options: Any) -> None:
        arguments = json.dumps([verb, str(source), str(output), master, options])
        self.output = output
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.engines.driver", arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        )

    def wait_until(self, pattern: str, folder: Path | None = None) -> None:
        """Until something is there of this name, next to the output or in a folder."""
        deadline = time.monotonic() + 300
        while not list((folder or self.output.parent).glob(pattern)):
            assert self.process.poll() is None, self.process.stdout and self.process.stdout.read().decode()
            assert time.monotonic() < deadline, f"{pattern} never came"
            time.sleep(0.02)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def finish(self) -> None:
        out, _ = self.process.communicate(timeout=900)
        assert self.process.returncode == 0, out.decode()
