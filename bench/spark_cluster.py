"""A Spark cluster on this machine compared with one process: bytes, time by stage, shuffle, memory of the driver.

    python -m bench.spark_cluster --text wiki.txt --megabytes 200 --parts 1 2 5 --brief
    python -m bench.spark_cluster --text wiki.txt --workers 1 2 --parts 6
    python -m bench.spark_cluster --text wiki.txt --megabytes 25 --times 8 --part-size 16 --verbs encode --memory 700

Starts a master and workers of one core each, on the loopback address; every verb on the cluster is a driver of its own.
Each folder that a driver makes (corpus with patterns, counts, model) is compared with that of one process, file by
file. One JSON line a verb, and one at the end of everything. `anonymous_mb` is the most memory of its own that the
Python process had, `jvm_mb` that of the driver's JVM; `resident_mb` also counts pages of mapped files, which the system
takes back when it needs them.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests.engines.cluster import Cluster

import hyperdive
from hyperdive._progress import Progress
from hyperdive._resources import Run, anonymous_memory
from hyperdive.counts.count import count
from hyperdive.engines import SparkEngine
from hyperdive.options import CountOptions

VERBS = ("encode", "count", "train")
# to every process, from the options
TRAINING: dict[str, Any] = {"dimensions": 30, "passes": 5} if os.environ.get("BENCH_BRIEF") else {}
KEEP_TEXT = False if os.environ.get("BENCH_NO_TEXT") else None
MEMORY = {"memory": int(os.environ["BENCH_MEMORY"]) * 10**6} if os.environ.get("BENCH_MEMORY") else {}
PART_SIZE = int(os.environ.get("BENCH_PART_SIZE", "0")) * 10**6
MADE = {"encode": "corpus", "count": "counts", "train": "model"}


class _CutEngine(SparkEngine):
    """An engine that cuts work into so many parts, whatever the number of executors."""

    parts = 1

    @property
    def slots(self) -> int:
        return self.parts


class _MemorySampler(threading.Thread):
    """The most anonymous memory of this process and of its JVM, looked at twenty times a second; Linux only."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.own, self.jvm, self._over = 0, 0, threading.Event()

    def run(self) -> None:
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        jvm = [pid for pid in children if Path(f"/proc/{pid}/comm").read_text().strip() == "java"]
        while not self._over.wait(0.05):
            self.own = max(self.own, anonymous_memory())
            for pid in jvm:
                fields = Path(f"/proc/{pid}/status").read_text().partition("RssAnon:")[2].split()
                self.jvm = max(self.jvm, int(fields[0]) << 10)

    def stop(self) -> None:
        self._over.set()
        self.join()


def work(verb: str, text: str, corpus: str, output: str, engine: _CutEngine | None) -> dict[str, Any]:
    """One verb; what it took of this process, and the seconds of its stages."""
    said = io.StringIO()
    progress = Progress("json", said)
    sampler = _MemorySampler()
    sampler.start()
    start = time.perf_counter()
    if verb == "encode":
        more: dict[str, Any] = {**MEMORY}
        if engine is not None:
            more["part_bytes"] = PART_SIZE or -(-Path(text).stat().st_size // engine.parts)
        hyperdive.encode(text, output, progress=progress, engine=engine, keep_text=KEEP_TEXT, **more)
    elif verb == "count":
        run = Run(engine=engine, progress=progress)
        count([hyperdive.Corpus.open(corpus)], Path(output), options=CountOptions(near=True), run=run)
    else:
        hyperdive.train(corpus, output, progress=progress, engine=engine, **TRAINING)
    seconds = time.perf_counter() - start
    sampler.stop()
    used = resource.getrusage(resource.RUSAGE_SELF)
    stages: dict[str, float] = {}
    for line in said.getvalue().splitlines():
        event = json.loads(line)
        if event.get("finished"):
            stages[event["stage"]] = round(stages.get(event["stage"], 0.0) + event["seconds"], 1)
    return {
        "verb": verb,
        "seconds": round(seconds, 1),
        "process_cpu": round(used.ru_utime + used.ru_stime, 1),
        "anonymous_mb": sampler.own // 10**6,
        "jvm_mb": sampler.jvm // 10**6,
        "resident_mb": (used.ru_maxrss << 10) // 10**6,
        **({"types": len(hyperdive.Corpus.open(output).counts) - 1} if verb == "encode" else {}),
        "stages": stages,
    }


def drive(arguments: list[str]) -> None:
    """The driver: a process of its own."""
    verb, text, corpus, output, master, parts, events = arguments
    _CutEngine.parts = int(parts)
    config = {
        "spark.executor.memory": "2g", "spark.executor.cores": "1", "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": Path(events).as_uri(), "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
    }  # fmt: skip
    with _CutEngine(master, config) as engine:
        told = work(verb, text, corpus, output, engine)
    print(json.dumps(told))


def tasks_of(events: Path) -> dict[str, Any]:
    """What Spark measured of the tasks."""
    tasks, shuffled, running = 0, 0, 0
    for path in events.iterdir():
        with path.open(encoding="utf-8") as file:
            for line in file:
                event = json.loads(line)
                if event["Event"] == "SparkListenerTaskEnd" and (metrics := event.get("Task Metrics")):
                    tasks += 1
                    shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                    running += metrics["Executor Run Time"]
    return {"tasks": tasks, "shuffle_mb": round(shuffled / 1e6, 1), "task_seconds": round(running / 1000, 1)}


def same(made: Path, reference: Path) -> bool:
    """Whether two folders have the same files with the same bytes."""
    names = [{p.relative_to(folder) for p in folder.rglob("*") if p.is_file()} for folder in (made, reference)]
    return names[0] == names[1] and all((made / n).read_bytes() == (reference / n).read_bytes() for n in names[0])


def run(options: argparse.Namespace, folder: Path) -> bool:
    """All of it; whether every folder was the same."""
    text = options.text
    if options.megabytes:
        text = folder / "text.txt"
        if not text.exists():
            with options.text.open("rb") as file:
                text.write_bytes(file.read(options.megabytes * 10**6) * options.times)
    one = folder / "one"
    one.mkdir(exist_ok=True)
    verbs = [verb for verb in VERBS if verb in options.verbs]
    for verb in verbs:
        if not (one / MADE[verb]).exists():
            command = [
                sys.executable,
                "-m",
                "bench.spark_cluster",
                "--one",
                verb,
                text,
                one / "corpus",
                one / MADE[verb],
            ]
            told = subprocess.run([str(item) for item in command], check=True, capture_output=True, text=True).stdout
            print(json.dumps({"engine": "one process", **json.loads(told)}), flush=True)
    all_same = True
    for workers in options.workers:
        (folder / f"cluster-{workers}").mkdir(exist_ok=True)
        cluster = Cluster(folder / f"cluster-{workers}", workers)
        try:
            for parts in options.parts:
                for verb in verbs:
                    with tempfile.TemporaryDirectory(dir=folder) as place:
                        events = Path(place) / "events"
                        events.mkdir()
                        made = Path(place) / MADE[verb]
                        given = [verb, text, one / "corpus", made, cluster.master, parts, events]
                        command = [sys.executable, "-m", "bench.spark_cluster", "--drive", *map(str, given)]
                        ended = subprocess.run(
                            command, env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}, capture_output=True, text=True,
                            check=False,
                        )  # fmt: skip
                        if ended.returncode:
                            sys.exit(ended.stdout + ended.stderr)
                        told = json.loads(ended.stdout.splitlines()[-1])
                        equal = same(made, one / MADE[verb])
                        all_same = all_same and equal
                        line = {
                            "engine": f"{workers} workers",
                            "parts": parts,
                            **told,
                            **tasks_of(events),
                            "same": equal,
                        }
                        print(json.dumps(line), flush=True)
        finally:
            cluster.stop()
    print(json.dumps({"same": all_same}), flush=True)
    return all_same


def main() -> None:
    if sys.argv[1:2] == ["--drive"]:
        drive(sys.argv[2:])
        return
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(work(*sys.argv[2:], engine=None)))  # type: ignore[arg-type]
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, required=True, help="uncompressed text, one document a line")
    parser.add_argument("--megabytes", type=int, default=0, help="use so much of the text; 0: all")
    parser.add_argument("--times", type=int, default=1, help="with --megabytes: that text so many times")
    parser.add_argument("--parts", type=int, nargs="+", default=[2])
    parser.add_argument("--part-size", type=int, default=0, help="megabytes of a part for encode, instead of --parts")
    parser.add_argument("--memory", type=int, default=0, help="megabytes that encode may have")
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--verbs", nargs="+", choices=VERBS, default=list(VERBS))
    parser.add_argument("--work", type=Path, help="a folder to work in; what one process made is found again there")
    parser.add_argument("--brief", action="store_true", help="train 30 dimensions in 5 passes instead of the usual")
    parser.add_argument("--no-keep-text", action="store_true", help="encode without the text itself")
    options = parser.parse_args()
    os.environ.update({"BENCH_BRIEF": "1"} if options.brief else {})
    os.environ.update({"BENCH_NO_TEXT": "1"} if options.no_keep_text else {})
    os.environ.update({"BENCH_MEMORY": str(options.memory)} if options.memory else {})
    os.environ.update({"BENCH_PART_SIZE": str(options.part_size)})
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
        sys.exit(not run(options, options.work.absolute()))
    with tempfile.TemporaryDirectory() as place:
        sys.exit(not run(options, Path(place)))


if __name__ == "__main__":
    main()
