"""`make demo`: virtual environment, compiled kernels and the demo, and how long each took.

    python tools/demo.py .venv        # with any Python that the package supports; needs no package

Packages are not compiled to bytecode ahead: Python does so for the modules that are imported, a small part of them. It
keeps that in the environment's own folder where the shell asks for none (PYTHONDONTWRITEBYTECODE): else each of the
processes here would compile Numba's modules again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = "demo-output"
BUILD = ("hatchling", "editables")
"""What builds the package; in the environment itself, since one that is made for the build alone takes longer."""


class Environment:
    """A virtual environment and what installs packages into it: uv, or pip."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stamp = folder, folder / ".stamp-demo"
        programs = folder / ("Scripts" if os.name == "nt" else "bin")
        suffix = ".exe" if os.name == "nt" else ""
        self.python, self.hyperdive = programs / f"python{suffix}", programs / f"hyperdive{suffix}"
        self.uv = shutil.which("uv")

    def finished(self) -> bool:
        """Whether an earlier run has installed everything that `pyproject.toml` asks for now."""
        project = ROOT / "pyproject.toml"
        return self.stamp.is_file() and self.stamp.stat().st_mtime >= project.stat().st_mtime

    def keep_bytecode(self) -> None:
        """Have the processes started from here keep bytecode, in this folder where they otherwise would not."""
        if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
            os.environ["PYTHONPYCACHEPREFIX"] = str(self.folder.resolve() / "bytecode")

    def create(self) -> None:
        """An environment, where there is none; pip comes later, as a package, if this Python has one."""
        print(f"setting up {self.folder}", flush=True)
        if self.python.exists():
            return
        if self.uv:
            run([self.uv, "venv", "-q", "--seed", "--python", sys.executable, str(self.folder)])
        else:
            without = ["--without-pip"] if has_pip(sys.executable) else []
            run([sys.executable, "-m", "venv", *without, str(self.folder)])

    def install(self, *packages: str, pip: bool = True) -> None:
        """Install packages, without an environment for builds; with pip, where it is wanted and missing."""
        if self.uv:
            options = ["--python", str(self.python), "--no-build-isolation"]
            run([self.uv, "pip", "install", "-q", *options, *packages])
            return
        here = has_pip(str(self.python))
        own = [str(self.python), "-m", "pip"] if here else [sys.executable, "-m", "pip", "--python", str(self.python)]
        options = ["-q", "--disable-pip-version-check", "--no-compile", "--no-build-isolation"]
        run([*own, "install", *options, *(("pip",) if pip and not here else ()), *packages])


def has_pip(python: str) -> bool:
    """Whether a Python has pip."""
    looked = [python, "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('pip') is None)"]
    return subprocess.run(looked).returncode == 0


def run(command: list[str]) -> None:
    """Run a command that prints its own errors; ends this program with its exit code where it fails."""
    code = subprocess.run(command, cwd=ROOT).returncode
    if code:
        sys.exit(code)


def main() -> None:
    environment = Environment(Path(sys.argv[1]))
    environment.keep_bytecode()
    started = time.monotonic()
    parts = ""
    if not environment.finished():
        environment.create()
        environment.install(*BUILD, pip=False)
        environment.install("-e", ".[demo]")
        environment.stamp.touch()
        installed = time.monotonic() - started
        print("compiling numeric kernels, once: about 25 s", flush=True)
        run([str(environment.hyperdive), "doctor", "--compile"])
        compiled = time.monotonic() - started
        parts = f"packages {installed:.0f} s, kernels {compiled - installed:.0f} s, "
    before = time.monotonic()
    run([str(environment.hyperdive), "demo", "-o", OUTPUT])
    now = time.monotonic()
    print(f"\n{parts}demo {now - before:.0f} s, in all {now - started:.0f} s")


if __name__ == "__main__":
    main()
