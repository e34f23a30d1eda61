"""Lists abbreviations of a corpus or a model with their long forms, a random sample of them if asked, to be judged."""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

from hyperdive import load
from hyperdive._store import read_header
from hyperdive.text.corpus import Corpus


def main() -> None:
    """Print abbreviation, long form and count, a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="A corpus or a model.")
    parser.add_argument("--sample", type=int, default=0, help="So many at random; 0 is all.")
    parser.add_argument("--seed", type=int, default=0, help="Seed of the sample.")
    options = parser.parse_args()
    is_corpus = read_header(options.folder)["format"] == "hyperdive-corpus"
    table = Corpus.open(options.folder).abbreviations if is_corpus else load(options.folder).abbreviations
    entries = sorted(table, key=lambda one: (one.short, one.long_name))
    if options.sample:
        entries = random.Random(options.seed).sample(entries, min(options.sample, len(entries)))
    for one in entries:
        sys.stdout.write(f"{one.short}\t{one.long}\t{one.count}\n")


if __name__ == "__main__":
    main()
