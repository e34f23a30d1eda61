"""How fast the tokeniser's kernel is by itself, to compare two versions of it.

    python bench/tokens.py TEXT                          # this version
    PYTHONPATH=OTHER/src python bench/tokens.py TEXT     # that of another checkout

TEXT is plain, one document per line. The best of eight runs, in processor seconds.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from hyperdive.kernels.tokens import tokenise
from hyperdive.text import characters


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path)
    data = np.frombuffer(parser.parse_args().text.read_bytes(), dtype=np.uint8)
    ends = (np.flatnonzero(data == 10) + 1).astype(np.int64)
    data, whole = data[: ends[-1]], np.zeros(len(ends), dtype=np.bool_)
    classes, abbreviations = characters.classes(), characters.abbreviation_hashes()
    best = float("inf")
    for _ in range(8):
        start = time.process_time()
        forms = tokenise(data, ends, classes, 1, False, False, True, abbreviations, whole, whole)[0]
        best = min(best, time.process_time() - start)
    print(f"{best:.3f} s for {len(data) / 1e6:.0f} MB, {len(forms)} tokens")


if __name__ == "__main__":
    main()
