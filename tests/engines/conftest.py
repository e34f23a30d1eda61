"""A text, and the engines: Spark inside this process, and a real cluster of processes on this machine."""

from __future__ import annotations

import json
import lzma
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hyperdive.cli.generated_text import sentences
from hyperdive.engines import SparkEngine
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


class Cluster:
    """A standalone master and two workers, each a process group of its own, on the loopback address."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self._home, self._folder = Path(pyspark.__file__).parent, folder
        self._ports = [_free_port() for _ in range(2)]
        self.master = f"spark://127.0.0.1:{self._ports[0]}"
        self._processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        address = ["--host", "127.0.0.1", "--port", str(self._ports[0]), "--webui-port", str(self._ports[1])]
        self._start("org.apache.spark.deploy.master.Master", *address)
        self._wait(0)
        for _ in range(2):
            self.start_worker()
        self._wait(2)

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self._folder / f"{name.rpartition('.')[2]}-{len(self._processes)}.log").open("wb")
        environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(self._home)}
        command = [str(self._home / "bin" / "spark-class"), name, *arguments]
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        self._processes.append(process)
        return process

    def start_worker(self) -> None:
        place = self._folder / f"worker-{len(self._processes)}"
        options = ["--cores", "1", "--memory", "3g", "--work-dir", str(place), "--webui-port", str(_free_port())]
        self.workers.append(self._start("org.apache.spark.deploy.worker.Worker", *options, self.master))

    def kill_worker(self) -> None:
        """The loss of a machine: the worker, its executors and their Python processes."""
        os.killpg(self.workers.pop(0).pid, signal.SIGKILL)

    def renew(self) -> None:
        """Two living workers again."""
        while len(self.workers) < 2:
            self.start_worker()
        self._wait(2)

    def _wait(self, workers: int) -> None:
        """Until the master is there and has so many living workers: they register late."""
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self._ports[1]}/json/", timeout=5) as answer:
                    if json.load(answer)["aliveworkers"] >= workers:
                        return
            except OSError:
                pass
            time.sleep(0.2)
        raise AssertionError(f"no cluster with {workers} workers: see {self._folder}")

    def stop(self) -> None:
        for process in self._processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    need_spark()
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def long_text(tmp_path_factory: pytest.TempPathFactory, text: Path) -> Path:
    """Real text from HYPERDIVE_CORPUS (one document a line, xz), else the generated one over and over."""
    size = int(os.environ.get("HYPERDIVE_SPARK_MB", "10")) * 10**6
    path = tmp_path_factory.mktemp("long") / "text.txt"
    corpus = os.environ.get("HYPERDIVE_CORPUS")
    if corpus:
        with lzma.open(corpus) as file:
            path.write_bytes(file.read(size))
    else:
        path.write_bytes(text.read_bytes() * (size // text.stat().st_size))
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

    def wait_until(self, pattern: str) -> None:
        """Until something is there of this name, next to the output."""
        deadline = time.monotonic() + 300
        while not list(self.output.parent.glob(pattern)):
            assert self.process.poll() is None, self.process.stdout and self.process.stdout.read().decode()
            assert time.monotonic() < deadline, f"{pattern} never came"
            time.sleep(0.02)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def finish(self) -> None:
        out, _ = self.process.communicate(timeout=900)
        assert self.process.returncode == 0, out.decode()
