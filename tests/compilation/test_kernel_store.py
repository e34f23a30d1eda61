"""Compiled kernels are read from the package and from this user's folder, and never when anything differs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hyperdive.compilation import environment, kernel_store
from hyperdive.compilation.kernel_store import CompiledKernels, ShippedKernels, entry_name, source_stamp
from hyperdive.compilation.signatures import manifest, text_of, types_of

NAME = entry_name("text._kernels.streams:add_counts", "u4[:] i8[:]")


def test_a_shipped_kernel_is_read_back(tmp_path: Path) -> None:
    ShippedKernels.write(tmp_path / "a.zip", {NAME: b"code"})
    store = ShippedKernels(tmp_path / "a.zip")
    assert NAME in store and store.read(NAME) == b"code"
    assert store.read(entry_name("text._kernels.streams:add_counts", "u4[:] i4[:]")) is None


def changed_zip(path: Path, change: str) -> Path:
    ShippedKernels.write(path, {NAME: b"code"})
    with zipfile.ZipFile(path) as file:
        index, code = json.loads(file.read("index.json")), file.read(NAME)
    if change == "sources":
        index["stamps"]["text"] = "0" * 32
    else:
        code = b"edoc"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("index.json", json.dumps(index))
        file.writestr(NAME, code)
    return path


@pytest.mark.parametrize("change", ["sources", "code"])
def test_a_shipped_kernel_of_other_sources_or_with_other_bytes_is_not_read(tmp_path: Path, change: str) -> None:
    assert ShippedKernels(changed_zip(tmp_path / "a.zip", change)).read(NAME) is None


@pytest.mark.parametrize("content", [b"", b"no zip file"])
def test_a_broken_file_ships_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.zip").write_bytes(content)
    assert NAME not in ShippedKernels(tmp_path / "a.zip")
    assert NAME not in ShippedKernels(tmp_path / "absent.zip")


def test_a_compiled_kernel_is_read_back_unless_it_is_damaged(tmp_path: Path) -> None:
    store = CompiledKernels(tmp_path / "tag")
    assert store.read(NAME) is None and NAME not in store
    store.write(NAME, b"code")
    assert NAME in store and store.read(NAME) == b"code"
    [place] = (tmp_path / "tag").rglob(NAME)
    place.write_bytes(place.read_bytes()[:-1] + b"E")
    assert store.read(NAME) is None


def test_the_stamp_follows_the_sources_and_those_they_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("text", "patterns", "counts"):
        (tmp_path / package).mkdir()
    (tmp_path / "text" / "_kernels.py").write_text("A = 1\n")
    (tmp_path / "counts" / "_kernels.py").write_text("B = 1\n")
    (tmp_path / "patterns" / "_kernels.py").write_text("from hyperdive.text._kernels import A\n")
    monkeypatch.setattr(kernel_store, "_PACKAGE", tmp_path)
    plain = source_stamp.__wrapped__
    before = {package: plain(package) for package in ("text", "patterns", "counts")}
    (tmp_path / "text" / "_kernels.py").write_text("A = 2\n")
    after = {package: plain(package) for package in before}
    assert [package for package in before if before[package] != after[package]] == ["text", "patterns"]


def test_the_tag_names_python_numba_and_processor() -> None:
    import numba

    tag = environment.tag(environment.Target("some-cpu", "+x"))
    assert f"cp{sys.version_info[0]}{sys.version_info[1]}-numba{numba.__version__}-" in tag and "-some-cpu-" in tag
    assert tag != environment.tag(environment.Target("some-cpu", "+y"))


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="access rules of POSIX")
def test_a_folder_that_others_can_write_is_not_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert environment.is_private(tmp_path)
    for mode in (0o770, 0o702):
        tmp_path.chmod(mode)
        assert not environment.is_private(tmp_path)


def test_types_are_read_as_they_are_written() -> None:
    for signature in manifest():
        assert text_of(types_of(signature.types)) == signature.types
    with pytest.raises(ValueError, match="no type"):
        types_of("c16")


def test_without_a_folder_to_write_to_kernels_still_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    code = (
        "import numpy as np\n"
        "from hyperdive.compilation.environment import cache_folder\n"
        "from hyperdive.text._kernels.streams import add_counts\n"
        "counts = np.zeros(3, dtype=np.int64)\n"
        "add_counts(np.array([1, 1, 2], dtype=np.uint32), counts)\n"
        "print(counts.tolist(), cache_folder().lasting, cache_folder().path.is_dir())\n"
    )
    settings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "file"), "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True)
    assert done.stdout == "[0, 2, 1] False True\n", done.stderr
    assert not list(tmp_path.glob("hyperdive-kernels-*"))  # removed at the end
