"""Smaller faults of the past: each was a trace, a hang, or something left behind."""

from __future__ import annotations

import http.server
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hyperdive._resources import MOST_THREADS, check_threads
from hyperdive._store import Artifact
from hyperdive.benchmark.download import DownloadError, _read_zip, download
from hyperdive.errors import OptionError

DEAD = 2**22 - 1  # no process has this number


def test_a_read_brings_back_what_a_killed_force_left(copy: Callable[[str], Path]) -> None:
    """Killed between two renames, only hidden copies were there, and only a later write repaired that."""
    folder = copy("model")
    folder.rename(folder.with_name(f".model.partial-{DEAD}-0a-old"))
    folder.with_name(f".model.partial-{DEAD}-0b").mkdir()
    assert Artifact.open(folder, "model", 4).header["totals"]["words"]
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_thousands_of_threads_are_refused(healthy: dict[str, Path], hyperdive: Callable, tmp_path: Path) -> None:
    assert check_threads(MOST_THREADS) == MOST_THREADS
    with pytest.raises(OptionError, match="at most"):
        check_threads(MOST_THREADS + 1)
    ran = hyperdive("train", healthy["counts"], "-o", tmp_path / "m", "--threads", 5000)
    assert ran.code == 2
    assert "5000" in ran.err
    assert not list(tmp_path.iterdir())


def test_a_damaged_zip_is_one_line(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("pairs.txt", "poodle dog\n" * 1_000)
    whole = (tmp_path / "a.zip").read_bytes()
    for place in range(35, 70):
        content = bytearray(whole)
        content[place] ^= 0xFF
        (tmp_path / "b.zip").write_bytes(content)
        try:
            _read_zip(tmp_path / "b.zip", [("pairs.txt", 20_000)])
        except DownloadError:
            continue


@pytest.mark.parametrize("location", ["http://[::1", "//", "ftp:///x", "http://127.0.0.1:99999/", "\t"])
def test_a_redirect_to_nowhere_is_one_line(tmp_path: Path, location: str) -> None:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302)
            self.send_header("Location", location)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with pytest.raises(DownloadError):
            download(f"http://127.0.0.1:{server.server_port}/a", tmp_path / "a", limit=100, tries=1)
    finally:
        server.shutdown()
        server.server_close()
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_taggers_end_with_a_killed_encode(tmp_path: Path) -> None:
    """Workers waited for jobs for ever."""
    pytest.importorskip("textblob")
    (tmp_path / "t.txt").write_text("The poodle is a dog that barks at the cat.\n" * 60_000)
    command = [sys.executable, "-m", "hyperdive", "encode", str(tmp_path / "t.txt"), "-o", str(tmp_path / "c"),
               "--set", "pos=textblob", "--threads", "2", "--set", "progress=none"]  # fmt: skip
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while len(_session(child.pid)) < 3 and time.monotonic() < deadline and child.poll() is None:
            time.sleep(0.1)
        if child.poll() is not None:
            pytest.skip("no tagger here")
        child.send_signal(signal.SIGKILL)
        child.wait()
        deadline = time.monotonic() + 15
        while (left := _session(child.pid)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not left
    finally:
        for pid in _session(child.pid):
            os.kill(pid, signal.SIGKILL)


def _session(leader: int) -> list[int]:
    """The running processes of a session."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                fields = (place / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader and fields[0] != "Z":
                found.append(int(place.name))
    return found
