"""List, download or verify the evaluation datasets.

They are downloaded from the public repositories of their authors into a cache folder, and each file is checked against
the checksum of the published one. Use HYPERDIVE_DATA or --data to name a folder that already has them.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hyperdive.cli.common import JsonOption, ProgressMode, ProgressOption, reporter, write, write_json
from hyperdive.errors import InputError


class Action(StrEnum):
    """What to do."""

    list_ = "list"
    fetch = "fetch"
    verify = "verify"


def datasets(
    action: Annotated[Action, typer.Argument(help="Action.")] = Action.list_,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Datasets; all if none is given.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="Dataset folder.", show_default="HYPERDIVE_DATA, else a cache")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files that differ from the published ones.")
    ] = False,
    as_json: JsonOption = False,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    """List, fetch or verify the datasets."""
    from hyperdive.benchmark.datasets import data_folder
    from hyperdive.benchmark.download import fetch, verify

    folder = data_folder(data)
    if action is Action.list_:
        _list(folder, as_json)
        return
    states = fetch(folder, names or (), force=force, progress=reporter(progress)) if action is Action.fetch else None
    states = verify(folder, names or ()) if states is None else states
    if as_json:
        write_json({"folder": str(folder), "files": {one.file: one.state for one in states}})
    else:
        for one in states:
            write(f"{one.state:<8} {one.file}")
    wrong = [one for one in states if one.state != "ok"]
    if wrong:
        hint = "type: hyperdive datasets fetch" + (" --force" if any(one.state == "altered" for one in wrong) else "")
        raise InputError(f"{len(wrong)} of {len(states)} files in {folder} are missing or altered", hint=hint)


def _list(folder: Path, as_json: bool) -> None:
    from hyperdive.benchmark.datasets import SPECS, manifest, plugin_names
    from hyperdive.benchmark.download import state_of

    rows: list[dict[str, Any]] = []
    for spec in SPECS.values():
        entries = [manifest()[file] for file in spec.files]
        states = {state_of(folder, entry) for entry in entries}
        rows.append(
            {
                "name": spec.name,
                "pairs": spec.rows,
                "positives": None if spec.graded else spec.positives,
                "space": "pos" if spec.tagged else "raw",
                "state": "altered" if "altered" in states else "missing" if "missing" in states else "ok",
                "licence": entries[0].upstream_licence,
                "source": entries[0].upstream_repository,
            }
        )
    if as_json:
        write_json({"folder": str(folder), "datasets": rows, "plugins": plugin_names()})
        return
    write(f"{'dataset':<14} {'pairs':>6} {'positive':>8} {'space':<5} {'state':<8} licence; source")
    for row in rows:
        positives = "graded" if row["positives"] is None else row["positives"]
        where = f"{row['licence']}; github.com/{row['source']}"
        write(f"{row['name']:<14} {row['pairs']:>6} {positives:>8} {row['space']:<5} {row['state']:<8} {where}")
    for name in plugin_names():
        write(f"{name:<14} of a plug-in")
