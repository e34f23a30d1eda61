"""Which part of the processor time of `encode` the search for abbreviations takes.

python bench/abbreviations.py text.txt
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hyperdive import encode
from hyperdive.text import term_inventory, term_items
from hyperdive.text.abbreviations import Abbreviations


def main() -> None:
    """Encode a text once and print the parts."""
    seconds = {"search": 0.0, "choice": 0.0}

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            start = time.thread_time()
            try:
                return function(*arguments)
            finally:
                seconds[name] += time.thread_time() - start

        return run

    term_items.find_pairs = timed("search", term_items.find_pairs)
    inventory: Any = term_inventory.TermInventory
    inventory._abbreviations = timed("choice", inventory._abbreviations)
    with tempfile.TemporaryDirectory() as folder:
        encode(texts=["A warm-up (WU) for compiled code."] * 20, output=Path(folder) / "first")
        seconds.update(search=0.0, choice=0.0)
        start = time.process_time()
        corpus = encode(sys.argv[1], Path(folder) / "corpus")
        whole = time.process_time() - start
        table: Abbreviations = corpus.abbreviations
    sys.stdout.write(f"encode {whole:.1f} s of processor time, {len(table):,} abbreviations\n")
    for name, value in seconds.items():
        sys.stdout.write(f"  {name} {value:.2f} s, {100 * value / whole:.1f} %\n")


if __name__ == "__main__":
    main()
