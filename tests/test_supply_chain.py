"""What a release is made of and what a run leaves for others to read: the lock, the workflow, temporary files."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hyperdive._store import ArtifactWriter
from hyperdive.pipeline.encode import encode

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
PINNED = {
    canonicalize_name(name): version for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", LOCK, re.M)
}


def wanted() -> list[Requirement]:
    """What `pip install .[dev]` asks for, extras of its own followed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras, waiting, found = project["optional-dependencies"], ["dev"], list(map(Requirement, project["dependencies"]))
    while waiting:
        for line in map(Requirement, extras[waiting.pop()]):
            if canonicalize_name(line.name) == "hyperdive":
                waiting += line.extras
            else:
                found.append(line)
    return found


def test_the_lock_pins_all_that_is_asked_for() -> None:
    for line in wanted():
        version = PINNED.get(canonicalize_name(line.name))
        assert version is not None, f"{line.name} is not in the lock: type make lock"
        assert line.specifier.contains(version, prereleases=True), f"{line} is locked as {version}: type make lock"


def test_every_package_of_the_lock_has_hashes() -> None:
    entries = re.split(r"^(?=[A-Za-z0-9])", LOCK, flags=re.M)[1:]
    assert len(entries) >= len(PINNED) > 50
    assert not [entry.split("\n")[0] for entry in entries if "--hash=sha256:" not in entry]
    assert "://" not in LOCK


@pytest.mark.skipif(not WORKFLOW.exists(), reason="a source package has no workflows")
def test_a_release_is_audited_and_signed() -> None:
    text = WORKFLOW.read_text(encoding="utf-8")
    build, publish = text.index("\n  build:"), text.index("\n  publish:")
    assert "pip_audit" in text[build:publish] and "cyclonedx_py" in text[build:publish]
    signed = text[publish:]
    for step in ("actions/attest-build-provenance@", "actions/attest-sbom@"):
        assert re.search(rf"uses: {step}v\d+\n\s+with:\n\s+subject-path: dist/\*", signed), step
    assert "id-token: write" in signed and "id-token" not in text[:publish]
    assert "needs: [try, test-sdist]" in signed
    assert re.search(r"^permissions:\n  contents: read$", text, re.M)


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_what_is_unfinished_is_private(tmp_path: Path) -> None:
    """Folders under way could be read by everybody."""
    before = os.umask(0o022)
    try:
        with ArtifactWriter(tmp_path / "a", "example", 1) as writer:
            writer.put("x.txt", b"text")
            scratch = writer.scratch("numbers.bin")
            assert [stat.S_IMODE(folder.stat().st_mode) for folder in (writer.folder, scratch.parent)] == [0o700] * 2
            writer.finish({})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o755
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_reading_opens_no_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While text is read, whatever lies next to the output or in the temporary folder is its owner's alone."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    seen: dict[str, int] = {}

    class Documents:
        def __iter__(self):  # type: ignore[no-untyped-def]
            for number in range(400):
                for path in tmp_path.iterdir():
                    seen[path.name] = stat.S_IMODE(path.stat().st_mode)
                yield f"The guide dog number {number} ran to dogs such as poodles."

    before = os.umask(0o022)
    try:
        encode(texts=Documents(), output=tmp_path / "c", min_count=1)
    finally:
        os.umask(before)
    assert seen and not {name: oct(mode) for name, mode in seen.items() if mode & 0o077}
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
