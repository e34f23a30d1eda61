"""A file of corrections that several programs change at once loses no change."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hyperdive.errors import OutputError
from hyperdive.taxonomy.corrections import CorrectionsFile, VersionConflict

WRITER = """
import sys
from hyperdive.taxonomy.corrections import CorrectionsFile, VersionConflict

file, name, conflicts = CorrectionsFile(sys.argv[1]), sys.argv[2], 0
for number in range(40):
    while True:
        try:
            file.save(file.read().changed([("root", f"term {name} {number}")]))
            break
        except VersionConflict:
            conflicts += 1
print(conflicts)
"""


def test_two_programs_lose_no_change(tmp_path: Path) -> None:
    path = tmp_path / "pets.corrections.tsv"
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True) for name in ("a", "b")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    rules = CorrectionsFile(path).read().rules
    assert sorted(rules) == sorted(("root", f"term {name} {number}") for name in "ab" for number in range(40))


def test_an_older_version_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pets.corrections.tsv"
    mine, other = CorrectionsFile(path), CorrectionsFile(path)
    present = mine.read()
    other.save(present.changed([("root", "dog")]))
    before = path.read_bytes()
    with pytest.raises(VersionConflict) as caught:
        mine.save(present.changed([("root", "cat")]))
    assert caught.value.version == other.read().version
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="not a usable place"):
        CorrectionsFile(tmp_path / "file" / "pets.tsv").save(
            CorrectionsFile(tmp_path / "none").read().changed([("root", "dog")])
        )
