"""Where compiled kernels are kept, and what users see of compiling: all in processes of their own."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import hyperdive
from hyperdive.cli.demo import sentences

# a process of hyperdive that needs one small kernel, and says where compiled code is kept
ONE_KERNEL = """
from hyperdive import kernels
if {own}:
    kernels.claim_process()
import numpy as np
from hyperdive.kernels.decorator import cache_folder
from hyperdive.kernels.forms import add_counts
counts = np.zeros(3, dtype=np.int64)
add_counts(np.array([1, 1, 2], dtype=np.uint32), counts)
assert counts.tolist() == [0, 2, 1]
print(cache_folder())
"""
FIRST_USE = "Compiling numeric kernels, once: about 25 s\n"
Ran = subprocess.CompletedProcess[str]


def start(environment: dict[str, str], code: str = ONE_KERNEL.format(own=True)) -> subprocess.Popen[str]:
    everything = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | environment
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, env=everything, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(environment: dict[str, str], code: str = ONE_KERNEL.format(own=True)) -> Ran:
    process = start(environment, code)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return Ran(process.args, process.returncode, out.strip(), err)


def compiled_files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.nb?")}


def test_code_is_kept_in_the_given_folder_and_compiling_is_announced_once(tmp_path: Path) -> None:
    first = run({"NUMBA_CACHE_DIR": str(tmp_path)}, "import os; os.umask(0o002)" + ONE_KERNEL.format(own=True))
    folder = Path(first.stdout)
    assert folder.is_relative_to(tmp_path) and first.stderr == FIRST_USE
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    kept = compiled_files(folder)
    assert kept
    second = run({"NUMBA_CACHE_DIR": str(tmp_path)})
    assert (second.stdout, second.stderr) == (first.stdout, "")
    assert compiled_files(folder) == kept


def test_without_a_folder_to_keep_code_in_a_note_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = {"HOME": str(tmp_path / "file"), "XDG_CACHE_HOME": str(tmp_path / "file"), "TMPDIR": str(tmp_path)}
    ran = run(environment)
    note, compiling = ran.stderr.splitlines(keepends=True)
    assert note.startswith("note: no folder can keep compiled kernels") and compiling == FIRST_USE
    assert Path(ran.stdout).is_relative_to(tmp_path) and not Path(ran.stdout).exists()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has access rules instead of modes")
def test_code_that_others_could_have_written_is_not_loaded(tmp_path: Path) -> None:
    folder = Path(run({"NUMBA_CACHE_DIR": str(tmp_path)}).stdout)
    folder.chmod(0o777)
    ran = run({"NUMBA_CACHE_DIR": str(tmp_path)})
    assert not Path(ran.stdout).is_relative_to(tmp_path) and "note: no folder" in ran.stderr


def test_a_damaged_file_is_compiled_again(tmp_path: Path) -> None:
    folder = Path(run({"NUMBA_CACHE_DIR": str(tmp_path)}).stdout)
    kept = compiled_files(folder)
    for damage in (lambda content: content[:20], lambda content: b"", lambda content: b"x" * 100):
        for name, content in kept.items():
            (folder / name).write_bytes(damage(content))
        assert run({"NUMBA_CACHE_DIR": str(tmp_path)}).stdout == str(folder)
        assert run({"NUMBA_CACHE_DIR": str(tmp_path)}).stderr == "", "what was compiled again is kept"


def test_several_processes_compile_at_once(tmp_path: Path) -> None:
    processes = [start({"NUMBA_CACHE_DIR": str(tmp_path)}) for _ in range(4)]
    told = [process.communicate(timeout=600) for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, told
    assert len({out for out, _ in told}) == 1
    assert run({"NUMBA_CACHE_DIR": str(tmp_path)}).stderr == ""


def test_changed_sources_and_versions_lead_to_another_folder(tmp_path: Path) -> None:
    package = shutil.copytree(
        Path(hyperdive.__file__).parent, tmp_path / "hyperdive", ignore=shutil.ignore_patterns("models", "__pycache__")
    )
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    before = run(environment)
    assert run(environment).stdout == before.stdout
    assert run(environment | {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""}).stdout != before.stdout
    callee = package / "kernels" / "forest.py"  # the kernel above is in another file
    callee.write_text(callee.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    after = run(environment)
    assert after.stdout != before.stdout and after.stderr == FIRST_USE


def test_a_program_keeps_its_own_settings_of_numba() -> None:
    code = (
        "import numba\nnumba.config.CACHE_DIR, before = '/own', numba.config.CPU_NAME\nimport hyperdive.kernels.forms\n"
        "print(numba.config.CACHE_DIR, numba.config.CPU_NAME == before)"
    )
    ran = run({}, code)
    assert (ran.stdout, ran.stderr) == ("/own True", "")


@pytest.mark.slow
def test_doctor_compiles_everything_for_commands_and_programs(tmp_path: Path) -> None:
    """A model has the same bytes from the command line and from a program whose Numba serves another processor."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    text = tmp_path / "generated.txt"
    text.write_text("\n".join(sentences()) + "\n", encoding="utf-8")

    def command(*arguments: str) -> Ran:
        words = [sys.executable, "-m", "hyperdive", *arguments]
        return subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert "at first use, or with --compile" in command("doctor").stdout
    assert "all kernels are compiled" in command("doctor", "--compile").stdout
    told = command("train", text.name, "-o", "a", "--dimensions", "4", "--pmi-filter", "none")
    assert "Compiling" not in told.stderr
    code = f"import hyperdive; hyperdive.train({text.name!r}, 'b', dimensions=4, pmi_filter='none')"
    subprocess.run([sys.executable, "-c", code], env=environment, cwd=tmp_path, check=True)
    assert (tmp_path / "a" / "model.safetensors").read_bytes() == (tmp_path / "b" / "model.safetensors").read_bytes()
