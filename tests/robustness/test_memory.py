"""`count --memory` against the peak of the memory that is the process's own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hyperdive.text.token_lists import encode_tokens

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
PROGRAM = """
import sys, threading, time
from hyperdive.cli.main import main
from hyperdive._resources import anonymous_memory
peak = [0]
def watch():
    while True:
        peak[0] = max(peak[0], anonymous_memory())
        time.sleep(0.002)
threading.Thread(target=watch, daemon=True).start()
code = main(sys.argv[1:])
print(code, peak[0])
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two million tokens of 150,000 words, most of them rare."""
    place = tmp_path_factory.mktemp("many") / "corpus"
    rng = np.random.default_rng(0)
    numbers = np.minimum(rng.zipf(1.15, 2_000_000), 150_000)
    words = [f"w{number}" for number in range(150_001)]
    lines = (
        [words[number] for number in numbers[start : start + 100].tolist()] for start in range(0, len(numbers), 100)
    )
    encode_tokens(lines, place, min_count=5)
    return place


def count(corpus: Path, place: Path, memory: str) -> tuple[int, int, str]:
    arguments = ["count", str(corpus), "-o", str(place), "--memory", memory, "--threads", "1", "--progress", "none"]
    ran = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=300)
    code, peak = ran.stdout.splitlines()[-1].split()
    return int(code), int(peak), ran.stderr


def test_the_limit_is_kept_or_refused(corpus: Path, tmp_path: Path) -> None:
    """150 MB were asked for and 247 MB used: the interpreter and the words were left out."""
    code, _, told = count(corpus, tmp_path / "none", "60MB")
    assert code == 1
    needed = int(re.search(r"at least --memory (\d+)MB", told)[1])  # type: ignore[index]
    for extra in (3, 40):
        limit = (needed + extra) * 10**6
        code, peak, told = count(corpus, tmp_path / f"counts{extra}", f"{needed + extra}MB")
        assert code == 0, told
        assert peak <= 1.05 * limit, (peak, limit, told)
