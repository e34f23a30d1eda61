"""The downloader against a real server on this machine that misbehaves in every way servers do."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hyperdive.benchmark import datasets, download
from hyperdive.benchmark.datasets import ManifestEntry
from hyperdive.benchmark.download import DownloadError
from hyperdive.errors import OptionError

CONTENT = b"word1\tword2\tlabel\ndog\tanimal\tTrue\n"


class Server:
    """Paths and how to answer them: bytes, or a function of the request handler."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                answer = outer.answers.get(self.path)
                if answer is None:
                    self.send_error(404)
                elif callable(answer):
                    answer(self)
                else:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def entry(path: str, content: bytes, file: str = "LEDS/baroni2012.tsv") -> ManifestEntry:
    return ManifestEntry("LEDS", file, hashlib.sha256(content).hexdigest(), len(content), "o/r", path, "abc", "none")


def pretend(monkeypatch: pytest.MonkeyPatch, *entries: ManifestEntry) -> None:
    """Let the manifest hold these files, as if they were those of LEDS."""
    spec = datasets.Spec("LEDS", tuple(one.file for one in entries), "label and header", 1, 1)
    monkeypatch.setattr(download, "manifest", lambda: {one.file: one for one in entries})
    monkeypatch.setattr(download, "spec_of", lambda name: spec)


def fetch(server: Server, folder: Path, **more: Any) -> dict[str, str]:
    return download.fetch(folder, ["LEDS"], upstream=server.url, pause=0.01, **more)


def left_behind(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_is_fetched_checked_and_not_fetched_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, entry("data/a.tsv", CONTENT))
    server.answers["/o/r/raw/abc/data/a.tsv"] = CONTENT
    assert list(fetch(server, tmp_path).values()) == ["ok"]
    assert (tmp_path / "LEDS/baroni2012.tsv").read_bytes() == CONTENT
    fetch(server, tmp_path)
    assert len(server.asked) == 1
    assert left_behind(tmp_path) == ["LEDS/baroni2012.tsv"]


def test_a_wrong_checksum_leaves_nothing(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, entry("a.tsv", CONTENT))
    server.answers["/o/r/raw/abc/a.tsv"] = CONTENT.replace(b"dog", b"cat")
    with pytest.raises(DownloadError, match=r"checksum .* was published"):
        fetch(server, tmp_path)
    assert left_behind(tmp_path) == []


def test_a_cut_connection_is_tried_again_and_then_named(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(CONTENT)))
        handler.end_headers()
        handler.wfile.write(CONTENT[:10])
        handler.wfile.flush()
        handler.connection.close()

    pretend(monkeypatch, entry("a.tsv", CONTENT))
    server.answers["/o/r/raw/abc/a.tsv"] = cut
    with pytest.raises(DownloadError, match="connection was cut"):
        fetch(server, tmp_path)
    assert len(server.asked) == 3
    assert left_behind(tmp_path) == []


def test_a_server_that_recovers_is_forgiven(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(handler: BaseHTTPRequestHandler) -> None:
        server.answers["/o/r/raw/abc/a.tsv"] = CONTENT
        handler.send_error(503)

    pretend(monkeypatch, entry("a.tsv", CONTENT))
    server.answers["/o/r/raw/abc/a.tsv"] = stumble
    assert list(fetch(server, tmp_path).values()) == ["ok"]


def redirect(to: str) -> Any:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", to)
        handler.end_headers()

    return answer


def test_a_redirect_is_followed_but_not_for_ever_nor_anywhere(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, entry("a.tsv", CONTENT))
    start = "/o/r/raw/abc/a.tsv"
    server.answers["/there"] = CONTENT
    server.answers[start] = redirect("/there")
    fetch(server, tmp_path)
    assert server.asked == [start, "/there"]

    (tmp_path / "LEDS/baroni2012.tsv").unlink()
    secret = tmp_path / "secret"
    secret.write_bytes(CONTENT)
    for target in ("ftp://127.0.0.1/a", secret.as_uri()):
        server.answers[start] = redirect(target)
        with pytest.raises(DownloadError):
            fetch(server, tmp_path)
    server.answers[start] = redirect(start)
    with pytest.raises(DownloadError, match=r"30[12]|redirect"):
        fetch(server, tmp_path)
    assert left_behind(tmp_path) == ["secret"]


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(10_000):
            handler.wfile.write(b"x" * 65536)
    except OSError:
        pass


def announced(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(10**12))
    handler.end_headers()


@pytest.mark.parametrize("answer", [endless, announced])
def test_a_file_that_is_too_large_is_stopped(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    pretend(monkeypatch, entry("a.tsv", CONTENT))
    server.answers["/o/r/raw/abc/a.tsv"] = answer
    with pytest.raises(DownloadError, match="expected at most"):
        fetch(server, tmp_path)
    assert left_behind(tmp_path) == []


def test_a_missing_file_and_a_dead_server_are_named(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, entry("a.tsv", CONTENT))
    with pytest.raises(DownloadError, match="404"):
        fetch(server, tmp_path)
    assert len(server.asked) == 1  # asking again would not help
    with pytest.raises(DownloadError, match=r"cannot reach 127.0.0.1:9.*offline.*HYPERDIVE_DATA"):
        download.fetch(tmp_path, ["LEDS"], upstream="http://127.0.0.1:9", pause=0.01)


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return out.getvalue()


def test_entries_come_out_of_a_zip(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(
        monkeypatch, entry("x.zip : one.txt", b"1", "LEDS/one.txt"), entry("x.zip : sub/two.txt", b"22", "LEDS/two.txt")
    )
    server.answers["/o/r/raw/abc/x.zip"] = zipped(**{"top/one.txt": b"1", "top/sub/two.txt": b"22", "other": b"3"})
    assert list(fetch(server, tmp_path).values()) == ["ok", "ok"]
    assert len(server.asked) == 1
    assert left_behind(tmp_path) == ["LEDS/one.txt", "LEDS/two.txt"]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"one.txt": b"1", "../../evil": b"x"}, "tries to leave the folder"),
        ({"one.txt": b"1", "/etc/evil": b"x"}, "tries to leave the folder"),
        ({"one.txt": b"1", "..\\evil": b"x"}, "tries to leave the folder"),
        ({"other.txt": b"1"}, "holds no one.txt"),
        ({"one.txt": b"0" * 50_000_000}, "larger than 1 bytes"),
    ],
)
def test_a_hostile_zip_is_refused(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], says: str
) -> None:
    pretend(monkeypatch, entry("x.zip : one.txt", b"1"))
    server.answers["/o/r/raw/abc/x.zip"] = zipped(**files)
    folder = tmp_path / "deep" / "data"
    with pytest.raises(DownloadError, match=says):
        fetch(server, folder)
    assert left_behind(tmp_path) == []


def test_a_zip_that_is_none_is_refused(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, entry("x.zip : one.txt", b"1"))
    server.answers["/o/r/raw/abc/x.zip"] = b"<html>sorry</html>"
    with pytest.raises(DownloadError, match="not a readable zip file"):
        fetch(server, tmp_path)


def test_without_an_unpacker_the_rar_is_kept_and_the_way_explained(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, entry("d/x.rar : rnd/test.tsv", CONTENT, "HypeNet/rnd/test.tsv"))
    monkeypatch.setattr(download.shutil, "which", lambda name: None)
    server.answers["/o/r/raw/abc/d/x.rar"] = b"Rar!"
    with pytest.raises(DownloadError, match=r"nothing here unpacks .rar") as caught:
        fetch(server, tmp_path)
    for part in ("7-Zip, unrar or bsdtar", str(tmp_path / "HypeNet/rnd/test.tsv"), "hyperdive datasets verify"):
        assert part in str(caught.value)
    assert left_behind(tmp_path) == ["x.rar"]


def test_a_rar_is_read_through_whatever_program_there_is(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, entry("x.rar : rnd/test.tsv", CONTENT, "HypeNet/rnd/test.tsv"))
    # stands for an unpacker: writes the "archive", which is the entry itself, to standard output
    monkeypatch.setattr(download, "_unpackers", lambda archive, name: [["cat", str(archive)]])
    server.answers["/o/r/raw/abc/x.rar"] = CONTENT
    assert list(fetch(server, tmp_path).values()) == ["ok"]


def test_an_altered_file_is_replaced_with_force_only(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, entry("a.tsv", CONTENT))
    server.answers["/o/r/raw/abc/a.tsv"] = CONTENT
    (tmp_path / "LEDS").mkdir()
    (tmp_path / "LEDS/baroni2012.tsv").write_text("mine")
    with pytest.raises(DownloadError, match=r"not the published file \(add --force"):
        fetch(server, tmp_path)
    assert list(download.verify(tmp_path, ["LEDS"]).values()) == ["altered"]
    assert list(fetch(server, tmp_path, force=True).values()) == ["ok"]


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no dataset is called 'BLES'"):
        download.verify(tmp_path, ["BLES"])


def test_every_address_is_built_from_the_manifest() -> None:
    for one in datasets.manifest().values():
        assert len(one.sha256) == 64
        assert one.upstream_repository.count("/") == 1
        assert one.upstream_commit
