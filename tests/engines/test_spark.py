"""Spark inside this process: the same bytes, and errors in one line."""

from __future__ import annotations

import errno
import gzip
import json
import os
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

import hyperdive
from hyperdive._engine import Arrays, Exchange, KeptPieces
from hyperdive._resources import Run
from hyperdive._resume import WorkFolder
from hyperdive.counts.count import count
from hyperdive.engines import SparkEngine, hadoop_files
from hyperdive.engines.spark import _environment, _GatherTask, _Place, _reported, _ResultTask
from hyperdive.errors import DiskFullError, Error, InputError, OutputError
from hyperdive.options import CountOptions, EncodeOptions
from hyperdive.text.corpus import Corpus
from hyperdive.text.parts import PartReader, TextPart
from hyperdive.text.readers import DocumentLayout
from hyperdive.text.sources import TextFiles, TextSource
from tests.engines.conftest import contents, need_spark


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory, text: Path) -> Corpus:
    """The corpus that one machine makes."""
    return hyperdive.encode(text, tmp_path_factory.mktemp("one") / "one", min_count=2)


def test_a_corpus_is_that_of_one_machine(tmp_path: Path, text: Path, spark: SparkEngine, one: Corpus) -> None:
    hyperdive.encode(text, tmp_path / "corpus", min_count=2, engine=spark, part_bytes=-(-text.stat().st_size // 3))
    assert contents(tmp_path / "corpus") == contents(one.path)
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


def test_counts_are_those_of_one_machine(tmp_path: Path, spark: SparkEngine, one: Corpus) -> None:
    count([one], tmp_path / "one", options=CountOptions(near=True))
    run = Run(engine=spark)
    count([one], tmp_path / "counts", options=CountOptions(near=True), block_tokens=-(-len(one) // 3), run=run)
    assert contents(tmp_path / "counts") == contents(tmp_path / "one")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_model_is_that_of_one_machine(tmp_path: Path, spark: SparkEngine, one: Corpus) -> None:
    options: dict[str, Any] = {"dimensions": 8, "frequent": 30, "passes": 4, "rare_passes": 3, "pmi_filter": "none"}
    counts = hyperdive.Cooccurrence.from_corpus(one, tmp_path / "counts")
    hyperdive.train(counts, tmp_path / "one", **options)
    hyperdive.train(counts, tmp_path / "model", engine=spark, **options)
    assert contents(tmp_path / "model") == contents(tmp_path / "one")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_bad_input_in_an_executor_is_one_line(tmp_path: Path, text: Path, spark: SparkEngine) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_bytes(text.read_bytes()[:50_000])
    (folder / "b.txt.gz").write_bytes(gzip.compress(text.read_bytes())[:-2000])
    with pytest.raises(InputError, match=r"b.txt.gz: truncated or damaged gzip data after \d+ bytes of text \("):
        hyperdive.encode(folder, tmp_path / "c", engine=spark, part_bytes=20_000)
    (folder / "b.txt.gz").unlink()
    (folder / "c.jsonl").write_text('{"text": "a dog"}\n{"text": \n')
    with pytest.raises(InputError, match=r"c.jsonl: line 2 is not valid JSON"):
        hyperdive.encode(folder, tmp_path / "c", engine=spark, part_bytes=20_000)
    (folder / "c.jsonl").unlink()
    (folder / "d.txt").write_bytes(b"a dog \xff barks\n")
    with pytest.raises(InputError, match=r"d.txt: invalid UTF-8 at byte 6"):
        hyperdive.encode(folder, tmp_path / "c", engine=spark, part_bytes=20_000, strict=True)
    found = TextFiles.find([folder])
    (folder / "d.txt").unlink()
    with pytest.raises(InputError, match=r"d.txt: No such file"):
        hyperdive.encode(found, tmp_path / "c", engine=spark, part_bytes=20_000)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    # a path that only the driver sees
    reader = PartReader(EncodeOptions(), DocumentLayout(), 1 << 20, False, None)
    with pytest.raises(InputError, match=r"d.txt: No such file"):
        list(spark.results(tmp_path, "part", reader, [TextPart((TextSource(str(folder / "d.txt")),))]))
    # the place of the results is gone
    with pytest.raises(OutputError, match="not a usable place"):
        list(spark.results(folder / "a.txt" / "w", "part", reader, [TextPart((TextSource(str(folder / "a.txt")),))]))


def broken(task: int) -> Any:
    raise ZeroDivisionError(f"task {task}")


def forgetful(task: int) -> Any:
    raise MemoryError


def test_a_failure_of_a_task_is_one_line(tmp_path: Path, spark: SparkEngine) -> None:
    with pytest.raises(Error, match=r"^sums failed on the cluster: .*ZeroDivisionError: task 7") as told:
        list(spark.results(tmp_path, "sums", broken, [7]))
    assert "\n" not in str(told.value)
    with pytest.raises(Error, match="an executor ran out of memory"):
        list(spark.results(tmp_path, "sums", forgetful, [7]))


def hungry(task: int) -> Any:
    """More memory than the process may have; it runs other tasks later."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20), before[1]))
    try:
        return {}, {"zeros": np.ones(1 << 30, dtype=np.uint8)}
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_executor_without_memory_is_one_line(tmp_path: Path, spark: SparkEngine) -> None:
    line = r"^an executor ran out of memory \(use a smaller --part-size or larger executors\)$"
    with pytest.raises(Error, match=line):
        list(spark.results(tmp_path, "sums", hungry, [7]))
    assert not list(tmp_path.iterdir())


def refused(task: int) -> Any:
    raise OSError(task, os.strerror(task), "/data/corpus")


@pytest.mark.skipif(sys.platform != "linux", reason="looks for a folder that nobody may write to")
def test_no_right_to_write_is_one_line(tmp_path: Path, spark: SparkEngine) -> None:
    with pytest.raises(OutputError, match=r"no permission to write there") as told:
        list(spark.results(tmp_path, "sums", refused, [errno.EACCES]))
    assert "\n" not in str(told.value)
    with pytest.raises(DiskFullError, match=r": the disk is full \(free some space"):
        list(spark.results(tmp_path, "sums", refused, [errno.ENOSPC]))
    assert not list(tmp_path.iterdir())
    # neither the result nor the error can be written there, by any user
    with pytest.raises(OutputError, match=r"^/sys/kernel/sums-000000: no permission to write there") as told:
        list(spark.results(Path("/sys/kernel"), "sums", one_number, [7]))
    assert "\n" not in str(told.value)


def one_number(task: int) -> Any:
    return {}, {"task": np.array([task])}


def test_what_a_task_gathers_waits_on_disk(tmp_path: Path) -> None:
    """Slices of four groups and thirty tasks, in any order but that of a task's own: no more than a piece is held."""
    most: list[int] = []

    def gather(pieces: Iterator[Arrays]) -> Arrays:
        firsts, sums = [], np.zeros(30_000)
        for piece in pieces:
            firsts.append(piece["values"][0])
            sums += piece["values"]
            most.append(tracemalloc.get_traced_memory()[0])
        return {"firsts": np.array(firsts), "sums": sums}

    def slices() -> Iterator[Any]:
        data = {(group, task): save({"values": np.full(30_000, 100.0 * group + task)})
                for group in range(4) for task in reversed(range(30))}  # fmt: skip
        for start in range(0, 300_000, 50_000):
            yield from ((0, (group, task, whole[start : start + 50_000])) for (group, task), whole in data.items())

    work = WorkFolder(tmp_path / ".c.count", tmp_path / "c", "run")
    exchange = Exchange("sums", list, gather, 4)
    result = work.place("sums-000000")
    tracemalloc.start()
    assert list(_GatherTask(_Place.of(work.folder), exchange, [result])(0, slices())) == []
    tracemalloc.stop()
    made = KeptPieces(result)
    for group in range(4):
        assert made[group]["firsts"].tolist() == [100 * group + task for task in range(30)]
        assert made[group]["sums"].tolist() == [sum(100 * group + task for task in range(30))] * 30_000
    assert max(most) < 3_000_000


def test_what_a_task_of_an_earlier_run_gathers_is_not_kept(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path / ".c.count", tmp_path / "c", "run 2")
    exchange, result = Exchange("sums", list, next, 1), work.place("sums-000000")
    for run, kept in (("run 1", False), ("run 2", True)):
        piece = (0, (0, 0, save({"values": np.ones(3)})))
        list(_GatherTask(_Place(work.folder, run, hyperdive.__version__), exchange, [result])(0, iter([piece])))
        assert result.exists() is kept


def test_executors_compute_as_the_driver_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """On mixed machines the kinds of CPU are pinned."""
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/scratch/kernels")
    monkeypatch.setenv("PYTHONPATH", "/more")
    settings = _environment()
    package = str(Path(hyperdive.__file__).parents[1])
    assert settings.pop("spark.executorEnv.PYTHONPATH") == f"{package}:/more"
    settings.pop("spark.executorEnv.HYPERDIVE_DATA", None)
    assert settings == {
        "spark.executorEnv.NUMBA_CPU_NAME": "generic",
        "spark.executorEnv.OPENBLAS_CORETYPE": "Haswell",
        "spark.executorEnv.NUMBA_CACHE_DIR": "/scratch/kernels",
    }


def late(task: int) -> Any:
    """One task fails when the other has begun, which ends when nobody waits for it any more."""
    if task == 0:
        time.sleep(0.3)
        raise InputError("a.txt: truncated")
    time.sleep(1.0)
    return {}, {"task": np.array([task])}


def test_a_task_that_outlives_its_run_leaves_nothing(tmp_path: Path, spark: SparkEngine) -> None:
    work = WorkFolder(tmp_path / ".c.encode", tmp_path / "c", "run 1")
    with pytest.raises(InputError, match=r"^a.txt: truncated$"):
        list(spark.results(work.folder, "part", late, [1, 0]))
    work.remove()
    time.sleep(2.0)
    assert not list(tmp_path.iterdir())


def test_a_task_of_an_earlier_run_is_no_part_of_the_next(tmp_path: Path) -> None:
    for run, kept in (("run 1", False), ("run 2", True)):
        work = WorkFolder(tmp_path / ".c.encode", tmp_path / "c", "run 2")
        place = _Place(work.folder, run, hyperdive.__version__)
        _ResultTask(place, "part", late)((0, 1))
        assert work.done("part-000000") is kept
        work.remove()


def test_an_error_of_an_earlier_run_is_not_one_of_the_next(tmp_path: Path, spark: SparkEngine) -> None:
    """A late task of run 1 fails while run 2 has the folder."""
    work = WorkFolder(tmp_path / ".c.encode", tmp_path / "c", "run 2")
    results = spark.results(work.folder, "part", late, [1, 2])
    next(results)
    with _reported(_Place(work.folder, "run 1", hyperdive.__version__)):
        raise InputError("a.txt: truncated")
    assert len(list(work.folder.glob("*.error"))) == 1
    assert [int(arrays["task"][0]) for _, arrays in results] == [2]
    assert not list(work.folder.glob("*.error"))
    with pytest.raises(InputError, match=r"^a.txt: truncated$"):
        list(spark.results(work.folder, "other", late, [0]))
    work.remove()


def test_the_command_line(tmp_path: Path, text: Path, spark: SparkEngine, hyperdive: Callable[..., Any]) -> None:
    refused = hyperdive("encode", text, "-o", tmp_path / "c", "--set", "master=local[2]")
    assert refused.code == 1
    assert "add --engine spark" in refused.err
    refused = hyperdive("encode", text, "-o", tmp_path / "c", "--engine", "spark", "--set", "conf=memory=8g")
    assert "write it as spark.NAME=VALUE" in refused.err


def test_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Error, match=r"needs Java 17 \(install a JRE"):
        SparkEngine("local[1]")


def told(code: str) -> str:
    """The error of an engine that is made in a process of its own."""
    code = (
        f"import sys; from hyperdive.engines import SparkEngine\ntry: {code}\nexcept Exception as error: print(error)"
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_without_pyspark_or_a_master() -> None:
    missing = told("sys.modules['pyspark'] = None; SparkEngine('local[1]')")
    assert missing == "the engine spark needs the 'spark' extra (type: pip install -e '.[spark]')\n"
    need_spark()
    assert told("SparkEngine()").startswith("the engine spark needs a cluster (add --set master=spark://HOST:7077")


# ---- files of the cluster's own storage -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory, text: Path) -> Path:
    """A folder of files of all kinds."""
    folder = tmp_path_factory.mktemp("stored") / "in"
    (folder / "more").mkdir(parents=True)
    lines = text.read_text(encoding="utf-8").splitlines()
    (folder / "a.txt").write_text("\n".join(lines[:1500]), encoding="utf-8")
    (folder / "b.txt.gz").write_bytes(gzip.compress("\n".join(lines[1500:2500]).encode()))
    (folder / "more" / "c.jsonl").write_text("".join(json.dumps({"text": line}) + "\n" for line in lines[2500:3000]))
    (folder / "z file.txt").write_bytes("\n".join(lines[3000:4000]).encode() + b"\nbad \xff byte\n")
    return folder


@pytest.fixture
def lake(spark: SparkEngine, stored: Path) -> Iterator[str]:
    """The address of the same folder in a storage of Hadoop that is no file system of this machine."""
    settings = spark._context._jsc.hadoopConfiguration()
    name = "fs.viewfs.mounttable.lake.link./text"
    settings.set(name, stored.parent.as_uri())
    yield "viewfs://lake/text"
    settings.unset(name)


@pytest.mark.parametrize("options", [{"keep_text": True}, {"keep_text": False}, {"max_tokens": 9_000}])
def test_addresses_give_the_corpus_of_the_files(
    tmp_path: Path, spark: SparkEngine, stored: Path, lake: str, options: dict[str, Any]
) -> None:
    hyperdive.encode(stored, tmp_path / "one", min_count=2, **options)
    addresses = [f"{lake}/in"] if options.get("keep_text") else [(stored / "a.txt").as_uri(), f"{lake}/in/[bmz]*"]
    hyperdive.encode(addresses, tmp_path / "made", min_count=2, engine=spark, **options)
    assert contents(tmp_path / "made") == contents(tmp_path / "one")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "one"]


def test_a_model_of_an_address(tmp_path: Path, spark: SparkEngine, stored: Path, lake: str) -> None:
    options: dict[str, Any] = {"dimensions": 8, "frequent": 30, "passes": 2, "rare_passes": 2, "pmi_filter": "none"}
    hyperdive.train(stored, tmp_path / "one", min_count=2, **options)
    hyperdive.train(f"{lake}/in", tmp_path / "model", min_count=2, engine=spark, **options)
    assert contents(tmp_path / "model") == contents(tmp_path / "one")


def test_errors_of_addresses_name_them(tmp_path: Path, spark: SparkEngine, stored: Path, lake: str) -> None:
    with pytest.raises(InputError, match=r"viewfs://lake/text/no: there is no file \(check the address"):
        hyperdive.encode(f"{lake}/no", tmp_path / "c", engine=spark)
    with pytest.raises(InputError, match=r'nothing://lake/a: .*"nothing"'):
        hyperdive.encode("nothing://lake/a", tmp_path / "c", engine=spark)
    (stored.parent / "bad.txt.gz").write_bytes(gzip.compress(b"a dog barks\n" * 9000)[:-20])
    (stored.parent / "bad.txt").write_bytes(b"%PDF 1.4")
    with pytest.raises(InputError, match=r"^viewfs://lake/text/bad.txt.gz: truncated or damaged gzip data after"):
        hyperdive.encode([f"{lake}/bad.txt.gz", f"{lake}/in"], tmp_path / "c", engine=spark)
    with pytest.raises(InputError, match=r"^viewfs://lake/text/bad.txt: this is a PDF file, not text"):
        hyperdive.encode(f"{lake}/bad.txt", tmp_path / "c", engine=spark)
    with pytest.raises(InputError, match=r"s3a://bucket/text: only Spark opens such an address \(add --engine spark"):
        hyperdive.encode("s3a://bucket/text", tmp_path / "c")
    with pytest.raises(OutputError, match=r"results are written to folders, not to an address \(choose a folder"):
        hyperdive.encode(stored, "s3a://bucket/corpus", engine=spark)
    assert not list(tmp_path.iterdir())


def test_files_that_are_too_large_for_one_task(
    spark: SparkEngine, stored: Path, lake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [file.address.removeprefix(lake) for file in spark.files(f"{lake}/in")] == [
        "/in/a.txt", "/in/b.txt.gz", "/in/more/c.jsonl", "/in/z file.txt"
    ]  # fmt: skip
    size = max(file.stat().st_size for file in stored.rglob("*") if file.is_file())
    monkeypatch.setattr(hadoop_files, "MOST_BYTES", size)
    assert len(spark.files(f"{lake}/in")) == 4
    monkeypatch.setattr(hadoop_files, "MOST_BYTES", size - 1)
    with pytest.raises(InputError, match=r"bytes, but files of this storage are read whole \(split it"):
        spark.files(f"{lake}/in")
