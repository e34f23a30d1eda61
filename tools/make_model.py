"""The model inside the package from a full model; `make model` runs this after encode and train.

    python tools/make_model.py FULL -o src/hyperdive/models/en-wiki

The same full model gives the same bytes. The figures on the card come from tools/en-wiki.json, which bench/model.py
writes: python bench/model.py --full FULL --write tools/en-wiki.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from hyperdive import Model
from hyperdive.errors import Error
from hyperdive.spaces.prune import pruned

LIMIT = 15_000_000
"""Bytes in all: what a package may carry for its users' first minute."""
RESULTS = Path(__file__).with_name("en-wiki.json")
SHOWN = ("confidence", "W·ΔS", "C·ΔS")
LICENCE = """The vectors, counts and words in this folder are made from the text of English Wikipedia, © Wikipedia
contributors, which is under the Creative Commons Attribution-ShareAlike 3.0 Unported licence (CC BY-SA 3.0). This model
is an adaptation of that text and is under the same licence; `LICENSE-model` has the notice. It holds no sentences of
the text. The program around it is under the MIT licence."""
TEXT = """English Wikipedia of 2015: 22,652 articles, 53.6 million words."""
MADE = """```
make model CORPUS=wiki.txt.xz
```

which is

```
hyperdive encode wiki.txt.xz --no-keep-text -o build/model/corpus
hyperdive train build/model/corpus -o build/model/full
python tools/make_model.py build/model/full -o src/hyperdive/models/en-wiki
```

The same text, version, libraries and kind of processor give the same bytes."""


def results(path: Path = RESULTS) -> str:
    """The figures of the model and of the full one, as a table."""
    table: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    lines = [
        "Average precision in per cent (HyperLex: Spearman's ρ) over the pairs whose words it knows; in brackets the "
        "full model on the same pairs, where it was measured. Nothing was trained on these pairs; the constants of the "
        "confidence were fitted on development files and judged answers.",
        "",
        "| | pairs | known | " + " | ".join(SHOWN) + " |",
        "| --- |" + " ---: |" * (len(SHOWN) + 2),
    ]
    for name, row in table.items():
        cells = " | ".join(cell(row, score) for score in SHOWN)
        shown = "ten sets, weighted by size" if name == "micro10" else name
        lines.append(f"| {shown} | {row['pairs']:,} | {row['compared']:,} | {cells} |")
    return "\n".join(lines)


def cell(row: dict[str, Any], score: str) -> str:
    """The figure of a score, and in brackets that of the full model."""
    full = row["full"].get(score)
    return f"{row['small'][score]:.1f}" + ("" if full is None else f" ({full:.1f})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("full", help="a model with patterns, made by hyperdive train")
    parser.add_argument("--output", "-o", required=True)
    arguments = parser.parse_args()
    try:
        full = Model.load(arguments.full)
        card = {"Corpus": TEXT, "Licence": LICENCE.replace("\n", " "), "Results": results(), "How it was made": MADE}
        pruned(full, card=card).save(arguments.output, force=True)
    except Error as error:
        sys.exit(f"make_model: {error}")
    size = sum(path.stat().st_size for path in Path(arguments.output).iterdir())
    if size > LIMIT:
        sys.exit(f"make_model: {arguments.output} has {size:,} bytes, more than {LIMIT:,}; prune more")
    sys.stdout.write(f"{arguments.output}: {size:,} bytes\n")


if __name__ == "__main__":
    main()
