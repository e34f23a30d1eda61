"""`make demo`: virtual environment, compiled kernels and the demo, and how long each took.

    python tools/demo.py .venv        # with any Python that the package supports; needs no package

The compiler needs Numba alone, so it starts as soon as that is installed. It works while the other packages come in,
and beside the demo, which waits for no more than the kernels it is about to use.
Packages are not compiled to bytecode ahead: Python does so for the modules that are imported, a small part of them. It
keeps that in the environment's own folder where the shell asks for none (PYTHONDONTWRITEBYTECODE): else each of the
processes here would compile Numba's modules again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = "demo-output"
BUILD = ("hatchling", "editables")
"""What builds the package; in the environment itself, since one that is made for the build alone takes longer."""
KERNELS = ("encode", "count", "train", "taxonomy")
"""What the demo uses, in that order."""


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


class Compiler:
    """The process that compiles the kernels of the demo, and the time it took."""

    def __init__(self, environment: Environment) -> None:
        self.seconds = 0.0
        self._process = subprocess.Popen(
            [str(environment.python), "-P", "-m", "hyperdive.compilation.compiler", *KERNELS],
            env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
            stderr=subprocess.DEVNULL,  # the demo says what it waits for
        )
        self._watcher = threading.Thread(target=self._watch, args=(time.monotonic(),), daemon=True)
        self._watcher.start()

    def _watch(self, started: float) -> None:
        self._process.wait()  # where it fails, the demo compiles what is missing and says so
        self.seconds = time.monotonic() - started

    def end(self) -> None:
        """Stop compiling; the demo is over, or there is none."""
        self._process.kill()
        self._watcher.join()


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
    compiler, installed = None, 0.0
    try:
        if not environment.finished():
            environment.create()
            environment.install("numba>=0.59", *BUILD, pip=False)
            print(f"compiling from second {time.monotonic() - started:.0f} on, beside all that follows", flush=True)
            compiler = Compiler(environment)
            environment.install("-e", ".[demo]")
            environment.stamp.touch()
            installed = time.monotonic() - started
        run([str(environment.hyperdive), "demo", "-o", OUTPUT])
        total = time.monotonic() - started
    finally:
        if compiler is not None:
            compiler.end()
    parts = ""
    if compiler is not None:
        parts = f"packages {installed:.0f} s, compiler {compiler.seconds:.0f} s beside packages and demo, "
    print(f"\n{parts}demo {total - installed:.0f} s, in all {total:.0f} s")


if __name__ == "__main__":
    main()
