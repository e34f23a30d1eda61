"""How long until the first answer: `hyperdive hypernyms poodle` with the packaged model, start included.

    python bench/start.py [--repeat 7]

Each line is the best of some fresh processes, beside one that only imports numpy and scipy.sparse in the same run;
"cold" has no compiled kernels at hand, as right after installation. Modules have their bytecode, as installed ones do,
in a folder of this run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time

from common import machine

BASE = [sys.executable, "-c", "import numpy, scipy.sparse"]
ASK = [sys.executable, "-m", "hyperdive", "hypernyms", "poodle"]
RUNS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import hyperdive": [sys.executable, "-c", "import hyperdive"],
    "import numpy, scipy.sparse": BASE,
    "hyperdive --version": [sys.executable, "-m", "hyperdive", "--version"],
    "hyperdive hypernyms poodle": ASK,
}


def once(command: list[str], **environment: str) -> tuple[float, float]:
    """Seconds of wall time and of processor time of one process."""
    before, start = os.times(), time.perf_counter()
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**inherited, **environment})
    wall, after = time.perf_counter() - start, os.times()
    return wall, sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=7)
    repeat = parser.parse_args().repeat
    print(machine())
    print(f"{'':32}{'seconds':>9}{'processor':>11}{'ratio':>8}")
    best = {name: [float("inf")] * 2 for name in [*RUNS, "the same, cold"]}
    with tempfile.TemporaryDirectory(prefix="hyperdive-bench-") as bytecode:
        for command in RUNS.values():
            once(command, PYTHONPYCACHEPREFIX=bytecode)
        for _ in range(repeat):  # in turn, so that a busy moment hits all alike
            for name, command in RUNS.items():
                taken = once(command, PYTHONPYCACHEPREFIX=bytecode)
                best[name] = [min(pair) for pair in zip(best[name], taken, strict=True)]
            with tempfile.TemporaryDirectory(prefix="hyperdive-bench-") as folder:
                cold = once(ASK, NUMBA_CACHE_DIR=folder, PYTHONPYCACHEPREFIX=bytecode)
            best["the same, cold"] = [min(pair) for pair in zip(best["the same, cold"], cold, strict=True)]
    base = best["import numpy, scipy.sparse"][1]
    for name, (wall, processor) in best.items():
        print(f"{name:32}{wall:9.2f}{processor:11.2f}{processor / base:8.1f}")


if __name__ == "__main__":
    main()
