"""A process that compiles kernels for another one: a kernel and its types per line in, a line per result out.

python -P -m hyperdive.compilation.worker
"""

from __future__ import annotations

import gc
import importlib
import sys
import time

from hyperdive.compilation import environment, kernel_store
from hyperdive.compilation.callees import spare_work
from hyperdive.compilation.signatures import types_of


def compile_kernel(kernel: str, types: str) -> float:
    """Compile one kernel, which keeps it; returns the seconds it took."""
    module, name = kernel.split(":")
    started = time.process_time()
    getattr(importlib.import_module(f"hyperdive.{module}"), name).compile(types_of(types))
    return time.process_time() - started


def main() -> None:
    """Compile until there is no more input."""
    environment.own_process = environment.only_compiles = True
    kernel_store.use_shipped = False
    spare_work()
    gc.set_threshold(100_000, 50, 1_000)  # Numba makes millions of objects that last, and little garbage
    for line in sys.stdin:
        try:
            answer = f"{compile_kernel(*line.rstrip().split(chr(9))):.2f}"
        except Exception as error:  # told to the process that asked; it compiles the kernel itself when it needs it
            answer = f"failed {type(error).__name__}: {error}".replace("\n", " ")
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
