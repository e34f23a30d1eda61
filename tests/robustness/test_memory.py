"""`--memory` of `encode`, `count` and `train` against the peak of the memory that is the process's own."""

from __future__ import annotations

import random
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
    """A million tokens of 150,000 words, most of them rare."""
    place = tmp_path_factory.mktemp("many") / "corpus"
    rng = np.random.default_rng(0)
    numbers = np.minimum(rng.zipf(1.15, 1_000_000), 150_000)
    words = [f"w{number}" for number in range(150_001)]
    lines = (
        [words[number] for number in numbers[start : start + 100].tolist()] for start in range(0, len(numbers), 100)
    )
    encode_tokens(lines, place, min_count=5)
    return place


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences that state 55,000 pairs of 40,000 terms, each with a sentence of its own."""
    place = tmp_path_factory.mktemp("stated") / "text.txt"
    choice = random.Random(0)
    with place.open("w", encoding="utf-8") as file:
        for number in range(55_000):
            one, other = (letters(choice.randrange(40_000)) for _ in range(2))
            file.write(f"In place number {number} there are many {one}s such as {other}s near the old road.\n")
    return place


def letters(number: int) -> str:
    """A word for a number."""
    word = ""
    for _ in range(4):
        number, digit = divmod(number, 16)
        word += "bdfgklmnprstvzcj"[digit] + "aeiou"[digit % 5]
    return word


def encode(text: Path, place: Path, memory: str) -> tuple[int, int, str]:
    """Eight threads, which a limit makes fewer of."""
    return peak_of("encode", text, place, memory, "--min-count", "1", threads=8)


def count(corpus: Path, place: Path, memory: str) -> tuple[int, int, str]:
    return peak_of("count", corpus, place, memory)


def peak_of(verb: str, source: Path, place: Path, memory: str, *options: str, threads: int = 1) -> tuple[int, int, str]:
    """The exit code of a verb, the peak of its own memory, and its messages."""
    arguments = [verb, str(source), "-o", str(place), "--memory", memory, "--set", "progress=none"]
    arguments += ["--threads", str(threads), *options]
    ran = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, timeout=3_000)
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


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_reading_keeps_the_limit_with_the_same_bytes(text: Path, tmp_path: Path) -> None:
    """Pairs, their sentences and candidates for terms wait on disk; nothing of that shows in the corpus."""
    code, free, told = encode(text, tmp_path / "free", "4GB")
    assert code == 0, told
    code, peak, told = encode(text, tmp_path / "kept", "280MB")
    assert code == 0, told
    assert peak <= 1.05 * 280e6 < free, (peak, free)
    assert contents(tmp_path / "kept") == contents(tmp_path / "free")


def test_reading_stops_where_the_limit_is_too_little(text: Path, tmp_path: Path) -> None:
    code, _, told = encode(text, tmp_path / "none", "120MB")
    assert code == 1
    assert re.search(r"120.0 MB of memory is too little: [\d,]+ different words so far need", told), told
    assert told.count("\n") == 1
    assert re.search(r"at least --memory \d+MB", told)
    assert not list(tmp_path.iterdir())
