"""Very many words, very many documents, a very long word, compression bombs, pipes and devices: memory stays bounded."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from hyperdive.text.corpus import Corpus
from tests.conftest import hear_ctrl_c
from tests.robustness.test_memory import peak_of

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"), pytest.mark.slow]
MB = 10**6


def numbered_words(place: Path, size: int) -> Path:
    """A file of so many different words of letters, ten to a line."""
    letters = np.frombuffer(b"bcdfghjklmnpqrst", dtype=np.uint8)
    numbers = np.arange(size, dtype=np.int64)
    words = np.stack([letters[(numbers >> (4 * digit)) & 15] for digit in range(6)], axis=1)
    ends = np.where(numbers % 10 == 9, 10, 32).astype(np.uint8)[:, None]
    np.concatenate([words, ends], axis=1).tofile(place)
    return place


def test_five_million_different_words(tmp_path: Path) -> None:
    """They took 2.5 GB; the limit is kept, or the run ends early in one line."""
    text = numbered_words(tmp_path / "t.txt", 5_000_000)
    code, peak, told = peak_of("encode", text, tmp_path / "little", "500MB")
    assert code == 1 and re.search(r"[\d,]+ different words so far need", told), told
    assert peak <= 525 * MB
    code, peak, told = peak_of("encode", text, tmp_path / "c", "2GB", "--min-count", "1")
    assert code == 0, told
    assert peak <= 2_000 * MB, peak
    assert len(Corpus.open(tmp_path / "c").vocabulary) > 4_900_000


def test_ten_million_documents_of_one_word(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"dog\ncat\n" * 5_000_000)
    code, peak, told = peak_of("encode", tmp_path / "t.txt", tmp_path / "c", "500MB")
    assert code == 0, told
    assert peak <= 525 * MB, peak
    assert Corpus.open(tmp_path / "c").header["totals"]["documents"] == 10_000_000


def test_a_word_of_two_hundred_megabytes(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"dogs bark\n" * 500 + b"a" * (200 * MB) + b"\ncats sleep\n" * 500)
    code, peak, told = peak_of("encode", tmp_path / "t.txt", tmp_path / "c", "500MB")
    assert code == 0, told
    assert peak <= 525 * MB, peak
    assert Corpus.open(tmp_path / "c").header["accounting"]["dropped"]["too_long"] >= 1


def bomb(place: Path, kind: str) -> Path:
    """Some text and ten gigabytes of zeros, compressed: a hundred members of 100 MB."""
    import pyarrow as pa

    pack = {
        "gz": lambda data: gzip.compress(data, 1),
        "xz": lambda data: lzma.compress(data, preset=0),
        "zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True),
    }[kind]
    member = pack(bytes(100 * MB))
    path = place / f"zeros.txt.{kind}"
    with path.open("wb") as file:
        file.write(pack(b"dogs bark at cats\n" * 60_000))
        for _ in range(100):
            file.write(member)
    return path


@pytest.mark.parametrize("kind", ["gz", "xz", "zst"])
def test_ten_gigabytes_of_zeros_are_bounded_and_can_be_stopped(tmp_path: Path, kind: str) -> None:
    path = bomb(tmp_path, kind)
    command = [
        sys.executable,
        "-m",
        "hyperdive",
        "encode",
        str(path),
        "-o",
        str(tmp_path / "c"),
        "--set",
        "progress=none",
    ]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=hear_ctrl_c)
    peak, end = 0, time.monotonic() + 15
    while time.monotonic() < end and run.poll() is None:
        status = Path(f"/proc/{run.pid}/status").read_text()
        found = re.search(r"RssAnon:\s+(\d+)", status)
        peak = max(peak, int(found[1]) << 10 if found else 0)
        time.sleep(0.02)
    assert run.poll() is None, run.communicate()
    run.send_signal(signal.SIGINT)
    stopped = time.monotonic()
    _, told = run.communicate(timeout=600)
    assert time.monotonic() - stopped < 300  # of the minutes that ten gigabytes take on a busy machine
    assert run.returncode == 1
    assert told.endswith("hyperdive: interrupted; no partial output was left behind\n"), told  # after an estimate
    assert "Traceback" not in told
    assert peak < 1_000 * MB, peak  # reached after ten seconds, and no more after forty
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name]


def test_a_pipe_and_devices(tmp_path: Path) -> None:
    """A FIFO that is named is read; one in a folder, and a device, are left out or refused."""
    os.mkfifo(tmp_path / "pipe.txt")
    threading.Thread(
        target=lambda: (tmp_path / "pipe.txt").write_text("dogs bark at cats\n" * 400), daemon=True
    ).start()
    code, _, told = peak_of("encode", tmp_path / "pipe.txt", tmp_path / "c", "500MB")
    assert code == 0, told
    assert len(Corpus.open(tmp_path / "c")) == 1_200
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "pipe.txt")
    (tmp_path / "folder" / "a.txt").write_text("dogs bark at cats\n" * 400)
    code, _, told = peak_of("encode", tmp_path / "folder", tmp_path / "d", "500MB")
    assert code == 0 and "skipped" in told, told
    for device in ("/dev/null", "/dev/tty", "/dev/full"):
        code, peak, told = peak_of("encode", Path(device), tmp_path / "none", "500MB", "--set", "max_tokens=1000")
        assert code == 1 and told.count("\n") == 1 and "Traceback" not in told, (device, told)
        assert peak < 400 * MB
