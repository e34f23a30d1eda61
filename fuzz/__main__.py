"""`python -m fuzz`: mutations of everything that is read, for some seconds each; prints how many, and what was found.

python -m fuzz                        all targets, 60 seconds each
python -m fuzz model corpus -s 10     two of them, 10 seconds each
python -m fuzz --total 1000000        so many in all, shared out over the targets
python -m fuzz model --repeat 0:17    one mutation again, with its trace
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")


def main() -> int:
    """Run the targets; the exit code is 1 when something was found."""
    from fuzz import harness, targets

    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="names; none are all")
    parser.add_argument("-s", "--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--mutations", type=int, help="so many for each target instead")
    parser.add_argument("--total", type=int, help="so many in all instead, shared out over the targets")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="another seed tries other mutations")
    parser.add_argument("--folder", type=Path, help="where healthy inputs are made, and kept")
    parser.add_argument("--repeat", help="SEED:NUMBER of one mutation")
    options = parser.parse_args()
    if options.mutations is not None or options.total is not None:
        options.seconds = float("inf")
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="hyperdive-fuzz-", dir=memory) as temporary:
        folder = options.folder or Path(temporary)
        total, found = 0, []
        for name, case in targets.targets(folder, options.targets):
            if options.repeat:
                case(random.Random(options.repeat), Path(temporary))
                continue
            room = 384 << 20 if name in ("text", "tables") else harness.ROOM
            many = options.mutations if options.mutations is not None else 1 << 62
            if options.total is not None:
                many = options.total * targets.SHARES[name] // 100
            limits = harness.Limits(options.seconds, many, room)
            findings = harness.run(name, case, Path(temporary), limits, seed=options.seed)
            print(findings, flush=True)
            for line in findings.found:
                print(f"    {line}", flush=True)
            total, found = total + findings.mutations, found + findings.found
        print(f"{total:,} mutations, {len(found)} findings, seed {options.seed}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
