"""A real cluster of processes on this machine: workers and drivers are killed, and the bytes are those of one machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hyperdive
from hyperdive.counts.count import count
from hyperdive.options import CountOptions
from tests.engines.conftest import Cluster, Driver, contents

pytestmark = pytest.mark.slow

TRAINING: dict[str, Any] = {"dimensions": 30, "frequent": 500, "passes": 5, "pmi_filter": "none"}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory, long_text: Path) -> Path:
    """What one machine makes of the text: `corpus`, `counts` and `model`."""
    folder = tmp_path_factory.mktemp("one")
    corpus = hyperdive.encode(long_text, folder / "corpus")
    count([corpus], folder / "counts", options=CountOptions(near=True))
    hyperdive.train(corpus, folder / "model", **TRAINING)
    return folder


def same(made: Path, reference: Path) -> bool:
    assert not [path.name for path in made.parent.iterdir() if path.name.startswith(".")]
    return contents(made) == contents(reference)


def part_bytes(text: Path, parts: int) -> int:
    return -(-text.stat().st_size // parts)


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_corpus_and_counts_are_those_of_one_machine(
    tmp_path: Path, cluster: Cluster, long_text: Path, one: Path, parts: int
) -> None:
    size = part_bytes(long_text, parts)
    Driver("encode", long_text, tmp_path / "corpus", cluster.master, part_bytes=size).finish()
    assert same(tmp_path / "corpus", one / "corpus")
    Driver("count", one / "corpus", tmp_path / "counts", cluster.master, parts=parts, near=True).finish()
    assert same(tmp_path / "counts", one / "counts")


def test_a_model_is_that_of_one_machine(tmp_path: Path, cluster: Cluster, one: Path) -> None:
    Driver("train", one / "corpus", tmp_path / "model", cluster.master, **TRAINING).finish()
    assert same(tmp_path / "model", one / "model")


def test_the_loss_of_a_worker_while_encoding(tmp_path: Path, cluster: Cluster, long_text: Path, one: Path) -> None:
    cluster.renew()
    driver = Driver("encode", long_text, tmp_path / "corpus", cluster.master, part_bytes=part_bytes(long_text, 5))
    driver.wait_until(".corpus.encode/part-*/header.json")
    cluster.kill_worker()
    driver.finish()
    assert same(tmp_path / "corpus", one / "corpus")


@pytest.mark.parametrize("moment", ["**/shuffle_*.data", ".counts.count/rows-of-*/header.json"])
def test_the_loss_of_a_worker_while_counting(tmp_path: Path, cluster: Cluster, one: Path, moment: str) -> None:
    """With the first part counted, and with the first shard added up."""
    cluster.renew()
    driver = Driver("count", one / "corpus", tmp_path / "counts", cluster.master, parts=5, near=True)
    driver.wait_until(moment, cluster.local if moment.startswith("**") else None)
    cluster.kill_worker()
    driver.finish()
    assert same(tmp_path / "counts", one / "counts")


def test_the_loss_of_a_worker_while_training(tmp_path: Path, cluster: Cluster, one: Path) -> None:
    cluster.renew()
    driver = Driver("train", one / "corpus", tmp_path / "model", cluster.master, **TRAINING)
    driver.wait_until(".model.train/rare-words-rows-*/header.json")
    cluster.kill_worker()
    driver.finish()
    assert same(tmp_path / "model", one / "model")


def test_executors_that_the_system_kills(tmp_path: Path, cluster: Cluster) -> None:
    """As it does for want of memory: Spark gives up, and one line says so."""
    cluster.renew()
    program = """
import os, signal, sys
from pathlib import Path
from hyperdive.engines import SparkEngine
from hyperdive.errors import Error
def kill_executor(task):  # the JVM above this process
    pid = os.getpid()
    while Path(f"/proc/{pid}/comm").read_text().strip() != "java":
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(pid, signal.SIGKILL)
with SparkEngine(sys.argv[1], {"spark.executor.memory": "1g"}) as engine:
    try:
        list(engine.results(Path(sys.argv[2]), "part", kill_executor, [1]))
    except Error as error:
        print(error)
"""
    command = [sys.executable, "-c", program, cluster.master, str(tmp_path)]
    told = subprocess.run(
        command, env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    assert told == (
        "part: executors were lost, probably for want of memory "
        "(use a smaller --part-size, or executors with more memory)\n"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("verb", "moment"),
    [
        ("encode", ".made.encode/part-*/header.json"),
        ("encode", ".made.encode/terms-*/header.json"),
        ("count", ".made.count/rows-of-*/header.json"),
        ("train", ".made.train/rare-words-rows-*/header.json"),
    ],
)
def test_the_loss_of_the_driver(
    tmp_path: Path, cluster: Cluster, long_text: Path, one: Path, verb: str, moment: str
) -> None:
    cluster.renew()
    source, reference, options = {
        "encode": (long_text, one / "corpus", {"part_bytes": part_bytes(long_text, 5)}),
        "count": (one / "corpus", one / "counts", {"parts": 5, "near": True}),
        "train": (one / "corpus", one / "model", TRAINING),
    }[verb]
    driver = Driver(verb, source, tmp_path / "made", cluster.master, **options)
    driver.wait_until(moment)
    driver.kill()
    assert not (tmp_path / "made").exists()
    kept = len(list(tmp_path.glob(moment)))
    assert kept > 0
    Driver(verb, source, tmp_path / "made", cluster.master, **options).finish()
    assert same(tmp_path / "made", reference)
