"""The hidden folder of a training run, `.NAME.train`: stages that are done are found again by the same run."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hyperdive._store import (
    HEADER,
    Artifact,
    ArtifactWriter,
    canonical_json,
    explain_os_errors,
    fingerprint,
    is_running,
)
from hyperdive.errors import InputError, OutputError

_STAGE, _STAGE_VERSION = "stage", 1


class Work:
    """The hidden folder of a run: stages that are done are found again."""

    def __init__(self, output: Path, plan: dict[str, Any], *, resume: bool) -> None:
        self.folder = output.parent / f".{output.name}.train"
        self._mark = self.folder / "plan.json"
        identity = fingerprint(plan)
        found = self._found()
        owner = found.get("process")
        if isinstance(owner, int) and owner != os.getpid() and is_running(owner):
            raise OutputError(
                f"{output}: another run is training this model (process {owner})", hint="choose another -o"
            )
        if resume and not self.folder.exists():
            raise InputError(f"{output}: there is no run to resume", hint="train without --resume")
        if resume and found.get("identity") != identity:
            raise InputError(
                f"{self.folder}: holds a run with other options or other text", hint="train without --resume"
            )
        with explain_os_errors(output):
            if self.folder.exists() and not resume:
                shutil.rmtree(self.folder)
            self.folder.mkdir(parents=True, exist_ok=True)
            new = self.folder / "plan.json.new"
            new.write_text(canonical_json({"identity": identity, "process": os.getpid()}), encoding="utf-8")
            os.replace(new, self._mark)  # noqa: PTH105

    def _found(self) -> dict[str, Any]:
        """What an earlier run left; a mark that cannot be read belongs to no run."""
        try:
            found = json.loads(self._mark.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def place(self, name: str) -> Path:
        return self.folder / name

    def done(self, name: str) -> bool:
        return (self.folder / name / HEADER).is_file()

    def arrays(self, name: str, make: Callable[[], tuple[dict[str, Any], dict[str, Any]]]) -> tuple[Any, Any]:
        """Facts and arrays of a stage, made now or found from before."""
        if not self.done(name):
            facts, arrays = make()
            with ArtifactWriter(self.place(name), _STAGE, _STAGE_VERSION) as writer:
                for key, array in arrays.items():
                    writer.put(key, array)
                writer.finish({"facts": facts})
        artifact = Artifact.open(self.place(name), _STAGE, _STAGE_VERSION)
        artifact.verify()
        return artifact.header["facts"], {key: artifact.array(key) for key in artifact.header["files"]}

    @property
    def started(self) -> bool:
        """Whether a stage is complete."""
        return any(self.done(name) for name in ("corpus", "counts", "dive"))

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
