"""What is fuzzed: every folder format, every reader of text, every small file, and the HTTP API."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from fuzz import folders
from fuzz.harness import Case
from fuzz.mutations import mutated_folder


def folder_case(name: str, healthy: Path) -> Case:
    """Damage a copy of a folder, seal it again, and do what users do with it."""
    use = folders.USES[name]
    use(healthy)  # what is healthy must hold, and loads what the cases need

    def case(choice: random.Random, own: Path) -> int:
        place = own / name
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(healthy, place)
        for _ in range(choice.choice((1, 1, 1, 2))):
            if (place / "header.json").is_file():
                try:
                    mutated_folder(place, choice)
                except (ValueError, KeyError, TypeError, AttributeError):  # nothing left to damage
                    break
        if choice.randrange(16) == 0:
            folders.use_info(place)
        use(place, choice)
        return sum(file.stat().st_size for file in place.rglob("*") if file.is_file())

    return case


def targets(folder: Path) -> Iterator[tuple[str, Case]]:
    """All targets by name; healthy inputs are made in the folder."""
    places = folders.make(folder)
    for name in folders.USES:
        yield name, folder_case(name, places[name])
