"""The front end's tools, where node is present: its packages, its tests, its build."""

import functools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

EXPLORER = Path(__file__).parents[2] / "explorer"


def run_npm(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run npm in the folder of the front end."""
    environment = {**os.environ, "npm_config_update_notifier": "false", "CI": "1"}
    return subprocess.run(
        ["npm", *arguments], cwd=EXPLORER, env=environment, capture_output=True, text=True, check=False
    )


@functools.cache
def _missing() -> str:
    """Why the packages of the front end cannot be used; empty when they can. Installs them if need be."""
    if shutil.which("npm") is None:
        return "npm is not installed (apt-get install npm)"
    installed = EXPLORER / "node_modules" / ".package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= (EXPLORER / "package-lock.json").stat().st_mtime:
        return ""
    result = run_npm("ci", "--no-audit", "--no-fund", "--ignore-scripts")
    assert "EUSAGE" not in result.stderr, f"package-lock.json is not of package.json: {result.stderr.strip()[:400]}"
    return "" if result.returncode == 0 else f"npm ci failed: {result.stderr.strip()[-200:]}"


def packages() -> Path:
    """The folder of installed packages; the test is skipped, with the reason, where there is none."""
    reason = _missing()
    if reason:
        pytest.skip(f"front end not tested: {reason}")
    return EXPLORER / "node_modules"
