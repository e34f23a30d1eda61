"""tools/smoke.py, which the release workflow runs against the built packages, works with this version."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SMOKE = Path(__file__).parents[1] / "tools" / "smoke.py"


@pytest.mark.slow
def test_every_step_passes_outside_the_repository(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(SMOKE)], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "all steps passed"
