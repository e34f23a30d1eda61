"""`python -m fuzz`: mutations of everything that is read, for some seconds each; prints how many, and what was found.

python -m fuzz                        all targets, 60 seconds each
python -m fuzz model corpus -s 10     two of them, 10 seconds each
python -m fuzz --total 1000000        so many in all, shared out over the targets
python -m fuzz --until 1000000 --tally FILE   rounds until FILE tells of so many; goes on where it was
python -m fuzz model --repeat 0:17    one mutation again, with its trace

Several processes may share one FILE. Each line of it is a target of a round: the seed, mutations, refusals, findings.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.harness import Case, Findings

os.environ.setdefault("OMP_NUM_THREADS", "1")


ROUND = 10_000
"""Mutations of one round with `--until`."""


def main() -> int:
    """Run the targets; the exit code is 1 when something was found."""
    from fuzz import targets

    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="names; none are all")
    parser.add_argument("-s", "--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--mutations", type=int, help="so many for each target instead")
    parser.add_argument("--total", type=int, help="so many in all instead, shared out over the targets")
    parser.add_argument("--until", type=int, help="rounds until the tally is that many")
    parser.add_argument("--tally", type=Path, help="the file that rounds are counted in")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="another seed tries other mutations")
    parser.add_argument("--folder", type=Path, help="where healthy inputs are made, and kept")
    parser.add_argument("--repeat", help="SEED:NUMBER of one mutation")
    options = parser.parse_args()
    if options.until is not None and options.tally is None:
        parser.error("--until needs --tally FILE")
    if options.mutations is not None or options.total is not None or options.until is not None:
        options.seconds = float("inf")
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="hyperdive-fuzz-", dir=memory) as temporary:
        work = Path(temporary)
        cases = targets.targets(options.folder or work, options.targets)
        if options.repeat:
            for _, case in cases:
                case(random.Random(options.repeat), work)
            return 0
        total, found = 0, 0
        if options.until is None:
            for name, case in cases:
                many = options.mutations if options.mutations is not None else 1 << 62
                if options.total is not None:
                    many = options.total * targets.SHARES[name] // 100
                tried = _tried(name, case, work, options.seconds, many, options.seed)
                total, found = total + tried.mutations, found + len(tried.found)
            print(f"{total:,} mutations, {found} findings, seed {options.seed}")
            return 1 if found else 0
        ready: list[tuple[str, Case]] = []
        while (counted := _counted(options.tally))[0] < options.until:
            ready = ready or list(cases)
            seed = random.SystemRandom().randrange(1 << 32)
            for name, case in ready:
                tried = _tried(name, case, work, options.seconds, ROUND * targets.SHARES[name] // 100, seed)
                with options.tally.open("a", encoding="utf-8") as file:
                    file.write(f"{name}\t{seed}\t{tried.mutations}\t{tried.refused}\t{json.dumps(tried.found)}\n")
        total, found = counted
        print(f"{total:,} mutations, {found} findings")
    return 1 if found else 0


def _tried(name: str, case: Case, work: Path, seconds: float, mutations: int, seed: int) -> Findings:
    """Mutations of one target, and what was found, printed."""
    from fuzz import harness

    room = 384 << 20 if name in ("text", "tables") else harness.ROOM
    findings = harness.run(name, case, work, harness.Limits(seconds, mutations, room), seed=seed)
    print(findings, flush=True)
    for line in findings.found:
        print(f"    {line}", flush=True)
    return findings


def _counted(tally: Path) -> tuple[int, int]:
    """Mutations and findings of a tally."""
    lines = tally.read_text(encoding="utf-8").splitlines() if tally.exists() else []
    rows = [line.split("\t") for line in lines]
    return sum(int(row[2]) for row in rows), sum(len(json.loads(row[4])) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
