"""What the model inside the package has lost: it and the full model on the same pairs, those whose words both know.

    python bench/model.py --full FULL [--small en-wiki] [--write results.json]

AP in per cent over the ten binary sets (micro average), ρ for HyperLex.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hyperdive import load
from hyperdive.benchmark.datasets import ELEVEN, MICRO_10, load_all
from hyperdive.benchmark.evaluation import measure, score_dataset
from hyperdive.benchmark.measures import micro_average
from hyperdive.scores import as_source, usable_scores

SCORES = ("confidence", "C·ΔS", "W·ΔS", "ΔS", "P", "Psvd")


def compared(small: Any, full: Any, data: Path | None = None) -> dict[str, Any]:
    """Figures of both by dataset, over the pairs both know."""
    sources = {"small": as_source(load(small)), "full": as_source(load(full))}
    scores = usable_scores(sources["small"], SCORES)
    table: dict[str, Any] = {}
    for dataset in load_all(ELEVEN, data=data):
        scored = {name: score_dataset(source, dataset, scores) for name, source in sources.items()}
        both = scored["small"].known & scored["full"].known
        shared = replace(dataset, q=dataset.q[both], p=dataset.p[both], gold=dataset.gold[both])
        table[dataset.name] = {"pairs": len(dataset), "compared": len(shared)}
        for name, one in scored.items():
            values = {score: column[both] for score, column in one.values.items()}
            result = measure(replace(one, dataset=shared, known=both[both], values=values))
            table[dataset.name][name] = {score: round(cell.value, 2) for score, cell in result.cells.items()}
    sizes = {name: table[name]["compared"] for name in MICRO_10}
    table["micro10"] = {"pairs": sum(table[name]["pairs"] for name in MICRO_10), "compared": sum(sizes.values())} | {
        name: {
            score.name: round(micro_average({one: table[one][name][score.name] for one in MICRO_10}, sizes), 2)
            for score in scores
        }
        for name in sources
    }
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", required=True, help="the model that the small one was made from")
    parser.add_argument("--small", default="en-wiki")
    parser.add_argument("--data", type=Path, help="folder with the datasets (else HYPERDIVE_DATA)")
    parser.add_argument("--write", type=Path, help="also write the figures as JSON")
    arguments = parser.parse_args()
    table = compared(arguments.small, arguments.full, arguments.data)
    print(f"{'':10}{'pairs':>8}{'compared':>10}  " + "".join(f"{name:>16}" for name in SCORES))
    for name, row in table.items():
        cells = "".join(f"{row['small'][score]:9.1f} ({row['full'][score]:4.1f})" for score in SCORES)
        print(f"{name:10}{row['pairs']:8}{row['compared']:10}  {cells}")
    if arguments.write:
        arguments.write.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
