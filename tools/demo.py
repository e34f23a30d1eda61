"""`make demo`: virtual environment, compiled kernels and the demo, and how long each took.

    python tools/demo.py .venv        # with any Python that the package supports; needs no package

The compiler needs Numba alone, so it starts as soon as that is installed and works while the other packages come in.
Packages are not compiled to bytecode ahead: Python does so for the modules that are imported, a small part of them.
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
KERNELS = ("encode", "count", "train")


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

    def install(self, *packages: str) -> None:
        """Install packages, without an environment for builds."""
        if self.uv:
            options = ["--python", str(self.python), "--no-build-isolation"]
            run([self.uv, "pip", "install", "-q", *options, *packages])
            return
        here = has_pip(str(self.python))
        pip = [str(self.python), "-m", "pip"] if here else [sys.executable, "-m", "pip", "--python", str(self.python)]
        options = ["-q", "--disable-pip-version-check", "--no-compile", "--no-build-isolation"]
        run([*pip, "install", *options, *(() if here else ("pip",)), *packages])


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
    started = time.monotonic()
    installed = compiled = 0.0
    if not environment.finished():
        environment.create()
        environment.install("numba>=0.59", *BUILD)
        compiler_started = time.monotonic()
        compiler = subprocess.Popen(
            [str(environment.python), "-P", "-m", "hyperdive.compilation.compiler", *KERNELS],
            env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        )
        try:
            environment.install("-e", ".[demo]")
            installed = time.monotonic() - started
            compiler.wait()  # where it fails, the demo compiles what is missing and says so
        finally:
            compiler.kill()
        compiled = time.monotonic() - compiler_started
        environment.stamp.touch()
    set_up = time.monotonic() - started
    run([str(environment.hyperdive), "demo", "-o", OUTPUT])
    total = time.monotonic() - started
    parts = f"set-up {set_up:.0f} s (packages {installed:.0f} s; compiler {compiled:.0f} s, most of it meanwhile), "
    print(f"\n{'' if set_up < 1 else parts}demo {total - set_up:.0f} s, in all {total:.0f} s")


if __name__ == "__main__":
    main()
