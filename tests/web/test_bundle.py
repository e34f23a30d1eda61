"""The page that the wheel ships is the one that the source in `explorer/` builds, and it is small and self-contained."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import hyperdive
from tests.web.npm import EXPLORER, packages, run_npm

TYPES = Path(__file__).parents[2] / "tools" / "explorer_types.py"
STATIC = Path(hyperdive.__file__).parent / "web" / "static"


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_bundle_is_small() -> None:
    assert sum(len(gzip.compress(content, mtime=0)) for content in _files(STATIC).values()) <= 500_000


def test_page_is_self_contained_and_keeps_to_the_content_security_policy() -> None:
    page = (STATIC / "index.html").read_text()
    assert re.findall(r"<script[^>]*>\s*\S+\s*</script>|<style|\sstyle=|\son\w+=", page) == []
    for address in re.findall(r'(?:src|href)="([^"]*)"', page):
        assert (STATIC / address).is_file(), address
    for name, content in _files(STATIC).items():
        # the names of XML vocabularies look like addresses, but nobody asks there
        hosts = set(re.findall(rb"https?://([\w.-]+)", content)) - {b"www.w3.org"}
        assert not hosts, (name, hosts)
        assert b"eval(" not in content and b"new Function(" not in content, name


def test_source_builds_the_bundle_byte_for_byte(tmp_path: Path) -> None:
    packages()
    result = run_npm("run", "build", "--", "--outDir", str(tmp_path), "--emptyOutDir")
    assert result.returncode == 0, result.stdout + result.stderr
    built, shipped = _files(tmp_path), _files(STATIC)
    assert sorted(built) == sorted(shipped), "the bundle is not of this source: cd explorer && npm ci && npm run build"
    assert built == shipped


def test_the_types_are_those_of_the_description() -> None:
    printed = subprocess.run(
        [sys.executable, TYPES], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONUTF8": "1"}
    ).stdout
    current = (EXPLORER / "src" / "api" / "types.ts").read_text(encoding="utf-8")
    assert printed == current, "run: cd explorer && npm run types"


def test_unit_tests_of_the_front_end_pass() -> None:
    packages()
    result = run_npm("test")
    assert result.returncode == 0, result.stdout + result.stderr
