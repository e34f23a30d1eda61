"""Spark compared with one machine: processor time, and whether the bytes are the same.

    python bench/spark.py --text wiki.txt --masters 'local[1]'

Ratios are of processor time (user and system, of all processes that take part, the JVM and the driver among them), so
that a busy machine does not matter much: one machine with one thread and Spark take turns, and medians of `--repeats`
turns are compared. Both sides have worked before: kernels are loaded, and the JVM has run the same code on a small
text; what that start cost is printed apart. Masters are those of Spark: `local[1]`, `local[2]`, or the address of a
running cluster.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import hyperdive
from hyperdive._resources import Run
from hyperdive.counts.count import count
from hyperdive.engines import SparkEngine
from hyperdive.options import CountOptions


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


_seen: dict[int, float] = {}


def processor_seconds() -> float:
    """User and system time of this process and of all processes below it, those included that ended; Linux only."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    parents: dict[int, int] = {}
    times: dict[int, float] = {}
    tick = os.sysconf("SC_CLK_TCK")
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            times[int(entry.name)] = (int(fields[11]) + int(fields[12])) / tick
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    # Spark ends idle workers, whose time nobody inherits
    _seen.update({pid: times[pid] for pid in below - {os.getpid()}})
    return own.ru_utime + own.ru_stime + sum(_seen.values())


def timed(name: str, work: Callable[[], Any]) -> float:
    """Processor seconds of some work, which are printed."""
    start, used = time.perf_counter(), processor_seconds()
    work()
    seconds, processor = time.perf_counter() - start, processor_seconds() - used
    print(f"{name:<28} {seconds:8.1f} s elapsed {processor:8.1f} s of processor", flush=True)
    return processor


def compare(verb: str, turns: int, local: Callable[[], Any], spark: Callable[[], Any], made: tuple[Path, Path]) -> None:
    """Let both sides take turns, and print what a core of Spark does beside one of this machine."""
    times = [(timed(f"one machine, {verb}", local), timed(f"Spark, {verb}", spark)) for _ in range(turns)]
    own, other = (median(side) for side in zip(*times, strict=True))
    print(f"  {verb}: throughput of a core: {own / other:.2f} of one machine's ({own:.1f} s for {other:.1f} s)")
    print(f"  {verb}: same bytes: {contents(made[0]) == contents(made[1])}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, required=True, help="uncompressed text, one document a line")
    parser.add_argument("--corpus", type=Path, help="a corpus of that text, for count; made when it is not given")
    parser.add_argument("--parts", type=int, default=2, help="parts of the text for encode; count has one a core")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--verbs", nargs="+", choices=("encode", "count", "train"), default=["encode", "count"])
    parser.add_argument("--masters", nargs="+", default=["local[1]", "local[2]"])
    options = parser.parse_args()
    size = options.text.stat().st_size
    rules = CountOptions(near=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        # kernels are compiled or loaded first
        sample = folder / "sample.txt"
        with options.text.open("rb") as file:
            sample.write_bytes(file.read(2_000_000))
        warm = hyperdive.encode(sample, folder / "warm")
        count([warm], folder / "warm-counts", options=rules)
        corpus = hyperdive.Corpus.open(options.corpus) if options.corpus else None
        corpus = corpus or hyperdive.encode(options.text, folder / "corpus", threads=1)
        names = {"encode": "corpus", "count": "counts", "train": "model"}
        for master in options.masters:
            with contextlib.ExitStack() as stack:
                engines: list[SparkEngine] = []

                def begin(
                    master: str = master, stack: contextlib.ExitStack = stack, engines: list[SparkEngine] = engines
                ) -> None:
                    engines.append(stack.enter_context(SparkEngine(master)))
                    for _ in range(3):
                        made = hyperdive.encode(
                            sample, folder / "warm", engine=engines[0], part_bytes=1 << 20, force=True
                        )
                        count([made], folder / "warm-counts", options=rules, run=Run(engine=engines[0], force=True))

                timed(f"{master}, start", begin)
                for verb in options.verbs:

                    def work(where: str, engine: SparkEngine | None, verb: str = verb) -> None:
                        made, own = folder / f"{where}-{names[verb]}", {} if engine else {"threads": 1}
                        if verb == "encode":
                            cut = {"part_bytes": -(-size // options.parts)} if engine else {}
                            hyperdive.encode(options.text, made, engine=engine, force=True, **own, **cut)
                        elif verb == "count":
                            count([corpus], made, options=rules, run=Run(engine=engine, force=True, **own))
                        else:
                            hyperdive.train(corpus, made, engine=engine, force=True, **own)

                    compare(
                        verb,
                        options.repeats,
                        lambda work=work: work("one", None),  # type: ignore[misc]
                        lambda work=work, engine=engines[0]: work("spark", engine),  # type: ignore[misc]
                        (folder / f"spark-{names[verb]}", folder / f"one-{names[verb]}"),
                    )


if __name__ == "__main__":
    main()
