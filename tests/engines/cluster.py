"""A real cluster of processes on this machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path


class Cluster:
    """A standalone master and some workers of one core, each a process group of its own, on the loopback address.

    Args:
        folder: where the processes log and work.
        workers: how many of them.
    """

    def __init__(self, folder: Path, workers: int = 2) -> None:
        import pyspark

        self._home, self._folder = Path(pyspark.__file__).parent, folder
        self.local = folder / "local"
        """Where executors keep their pieces of a shuffle."""
        self._ports = [_free_port() for _ in range(2)]
        self.master = f"spark://127.0.0.1:{self._ports[0]}"
        self._processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        address = ["--host", "127.0.0.1", "--port", str(self._ports[0]), "--webui-port", str(self._ports[1])]
        self._start("org.apache.spark.deploy.master.Master", *address)
        self._wait(0)
        self._size = workers
        self.renew()

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self._folder / f"{name.rpartition('.')[2]}-{len(self._processes)}.log").open("wb")
        environment = {
            **os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_DIRS": str(self.local),
        }  # fmt: skip
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
        """All workers alive, again, and nothing left of those that were killed."""
        shutil.rmtree(self.local, ignore_errors=True)
        self.local.mkdir()
        while len(self.workers) < self._size:
            self.start_worker()
        self._wait(self._size)

    def _wait(self, workers: int) -> None:
        """Until the master is there and has so many living workers: they register late."""
        deadline = time.monotonic() + 300
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
