"""Spark compared with one machine: processor time, time by stage, shuffle bytes, and whether the bytes are the same.

    python bench/spark.py --text wiki.txt --masters 'local[1]'

Ratios are of processor time (user and system, of all processes that take part, the JVM among them), so that a busy
machine does not matter much; of `--repeats` runs the one with the least counts. Both sides have worked before: kernels
are loaded and the JVM has run the same code on a small text. Masters are those of Spark: `local[1]`, `local[2]`, or
the address of a running cluster.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import hyperdive
from hyperdive._resources import Run
from hyperdive.counts.count import count
from hyperdive.counts.options import CountOptions
from hyperdive.engines import SparkEngine


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


def timed(name: str, work: Any, repeats: int = 1) -> tuple[Any, float]:
    least = float("inf")
    for _ in range(repeats):
        start, used = time.perf_counter(), processor_seconds()
        made = work()
        seconds, processor = time.perf_counter() - start, processor_seconds() - used
        print(f"{name:<28} {seconds:8.1f} s elapsed {processor:8.1f} s of processor", flush=True)
        least = min(least, processor)
    return made, least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, required=True, help="uncompressed text, one document a line")
    parser.add_argument("--parts", type=int, default=2, help="parts of the text for encode; count has one a core")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--train", action="store_true", help="train a model too")
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

        one, encoding = timed(
            "one machine, encode",
            lambda: hyperdive.encode(options.text, folder / "corpus", threads=1, force=True),
            options.repeats,
        )
        _, counting = timed(
            "one machine, count",
            lambda: count([one], folder / "counts", options=rules, run=Run(threads=1, force=True)),
            options.repeats,
        )
        if options.train:
            timed("one machine, train", lambda: hyperdive.train(one, folder / "model", threads=1))
        for master in options.masters:
            with SparkEngine(master) as engine:
                more: dict[str, Any] = {"engine": engine, "part_bytes": -(-size // options.parts), "force": True}
                run = Run(engine=engine, force=True)
                for _ in range(3):
                    warm = hyperdive.encode(sample, folder / "warm", **{**more, "part_bytes": 1 << 20})
                    count([warm], folder / "warm-counts", options=rules, run=run)
                _, processor = timed(
                    f"{master}, encode",
                    lambda more=more: hyperdive.encode(options.text, folder / "spark", **more),
                    options.repeats,
                )
                print(f"  throughput of a core: {encoding / processor:.2f} of one machine's")
                print(f"  same bytes: {contents(folder / 'spark') == contents(folder / 'corpus')}", flush=True)
                _, processor = timed(
                    f"{master}, count",
                    lambda run=run: count([one], folder / "spark-counts", options=rules, run=run),
                    options.repeats,
                )
                print(f"  throughput of a core: {counting / processor:.2f} of one machine's")
                print(f"  same bytes: {contents(folder / 'spark-counts') == contents(folder / 'counts')}", flush=True)
                if options.train:
                    timed(
                        f"{master}, train",
                        lambda engine=engine: hyperdive.train(one, folder / "spark-model", engine=engine, force=True),
                    )
                    print(f"  same bytes: {contents(folder / 'spark-model') == contents(folder / 'model')}", flush=True)


if __name__ == "__main__":
    main()
