"""Fetch the datasets' original files from their authors' public repositories: checked, bounded, whole or absent."""

from __future__ import annotations

import hashlib
import http.client
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from email.message import Message
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from hyperdive._atomic import explain_os_errors, is_running, remove_any, whole_file, write_file
from hyperdive._progress import SILENT, Progress
from hyperdive.benchmark.datasets import SPECS, ManifestEntry, manifest, spec_of
from hyperdive.errors import InputError, OptionError

UPSTREAM = "https://github.com"
MAX_ARCHIVE_BYTES = 64 << 20
_TIMEOUT_SECONDS = 30
_TRIES = 3
_CHUNK = 1 << 16


class DownloadError(InputError):
    """A file could not be fetched, or is not the one that was published."""


# ---- one file over the network ------------------------------------------------------------------------------------


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follow a few redirects, and never from an encrypted address to a plain one or to another kind of address."""

    max_redirections = 5

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        before, after = urllib.parse.urlsplit(req.full_url).scheme, urllib.parse.urlsplit(newurl).scheme
        if after not in ("https", before):
            raise DownloadError(f"{req.full_url}: redirects to {newurl}, which is not encrypted", hint="not followed")
        made: urllib.request.Request | None = super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]
        return made


def download(url: str, target: Path, *, limit: int, tries: int = _TRIES, pause: float = 1.0) -> None:
    """Fetch a file of at most `limit` bytes to `target`, which appears only when every announced byte has come."""
    with whole_file(target) as unfinished:
        for attempt in range(1, tries + 1):
            try:
                _fetch_once(url, unfinished, limit)
                break
            except (http.client.HTTPException, OSError, ValueError) as error:  # ValueError: an address that is none
                final = attempt == tries or (isinstance(error, urllib.error.HTTPError) and error.code < 500)
                if final:
                    raise _explained(url, error) from None
                time.sleep(pause * attempt)


def _fetch_once(url: str, partial: Path, limit: int) -> None:
    opener = urllib.request.build_opener(_Redirects)
    request = urllib.request.Request(url, headers={"User-Agent": "hyperdive", "Accept-Encoding": "identity"})
    with opener.open(request, timeout=_TIMEOUT_SECONDS) as answer, partial.open("wb") as file:
        announced = answer.headers.get("Content-Length") or ""
        expected = int(announced) if announced.isdigit() else 0
        got, chunk = 0, b"-"
        while chunk:
            if max(expected, got) > limit:
                size = f"{max(expected, got)} bytes or more, {limit} expected at most"
                raise DownloadError(f"{url}: {size}", hint="not the published file; nothing was kept")
            chunk = answer.read(_CHUNK)
            file.write(chunk)
            got += len(chunk)
        if announced.isdigit() and got != expected:
            raise http.client.IncompleteRead(b"", expected - got)


def _explained(url: str, error: Exception) -> DownloadError:
    host = urllib.parse.urlsplit(url).netloc
    if isinstance(error, urllib.error.HTTPError):
        return DownloadError(f"{url}: the server answers {error.code} {error.reason}", hint="try again later")
    if isinstance(error, http.client.IncompleteRead):
        return DownloadError(f"{url}: the connection was cut before the end", hint="run the same command again")
    reason = getattr(error, "reason", None) or error
    return DownloadError(
        f"cannot reach {host} ({reason})",
        hint="are you offline? Fetch on a machine that is online, copy the folder, and point HYPERDIVE_DATA at it",
    )


# ---- from sources to files ----------------------------------------------------------------------------------------


def _files(names: Sequence[str]) -> list[ManifestEntry]:
    wanted: dict[str, ManifestEntry] = {}
    for name in names or tuple(SPECS):
        spec = spec_of(name)
        if spec is None:
            raise OptionError(f"no dataset is called {name!r}", hint=f"datasets: {', '.join(SPECS)}")
        wanted.update({file: manifest()[file] for file in spec.files})
    return list(wanted.values())


def state_of(folder: Path, entry: ManifestEntry) -> str:
    """Whether a file is there and is the published one."""
    try:
        content = (folder / entry.file).read_bytes()
    except OSError:
        return "missing"
    return "ok" if hashlib.sha256(content).hexdigest() == entry.sha256 else "altered"


def verify(folder: Path, names: Sequence[str] = ()) -> dict[str, str]:
    """Return whether each file of datasets is ok, missing or altered, by its checksum."""
    return {entry.file: state_of(folder, entry) for entry in _files(names)}


def fetch(
    folder: Path,
    names: Sequence[str] = (),
    *,
    force: bool = False,
    upstream: str = UPSTREAM,
    progress: Progress = SILENT,
    pause: float = 1.0,
) -> dict[str, str]:
    """Fetch what is missing of the named datasets into `folder`; a file that is there and right is left alone.

    An altered file is replaced with `force` only. All sources are tried; the first failure is raised at the end.
    """
    todo = []
    for entry in _files(names):
        state = state_of(folder, entry)
        if state == "altered" and not force:
            raise DownloadError(
                f"{folder / entry.file}: exists, but is not the published file", hint="add --force to replace it"
            )
        if state != "ok":
            todo.append(entry)
    sources: dict[tuple[str, str, str], list[ManifestEntry]] = {}
    for entry in todo:
        path = entry.upstream_path.split(" : ")[0]
        sources.setdefault((entry.upstream_repository, entry.upstream_commit, path), []).append(entry)
    failures: list[InputError] = []
    with explain_os_errors(folder), progress.stage("fetching", total=len(sources), unit="files") as bar:
        _sweep(folder)
        for (repository, commit, path), entries in sources.items():
            url = f"{upstream}/{repository}/raw/{commit}/{urllib.parse.quote(path)}"
            try:
                _fetch_source(folder, url, path, entries, pause)
            except InputError as error:
                failures.append(error)
            bar.advance(1)
    if failures:
        raise failures[0]
    return verify(folder, names)


def _sweep(folder: Path) -> None:
    """Remove what processes that were killed left behind."""
    for left in folder.glob(".fetch-*"):
        pid = left.name.split("-")[1]
        if pid.isdigit() and not is_running(int(pid)):
            remove_any(left)


def _fetch_source(folder: Path, url: str, path: str, entries: list[ManifestEntry], pause: float) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".fetch-{os.getpid()}-", dir=folder) as place:
        fetched = Path(place) / PurePosixPath(path).name
        if " : " not in entries[0].upstream_path:
            download(url, fetched, limit=entries[0].bytes, pause=pause)
            _keep(folder, entries[0], fetched.read_bytes(), url)
            return
        download(url, fetched, limit=MAX_ARCHIVE_BYTES, pause=pause)
        read = _read_zip if fetched.suffix.lower() == ".zip" else _read_rar
        try:
            contents = read(fetched, [(entry.upstream_path.split(" : ")[1], entry.bytes) for entry in entries])
        except _NoUnpacker:
            archive_file = folder / fetched.name
            fetched.replace(archive_file)
            targets = ", ".join(str(folder / entry.file) for entry in entries)
            raise DownloadError(
                f"{archive_file} was fetched, but nothing here unpacks .rar files",
                hint="install 7-Zip, unrar or bsdtar and run the same command again; or unpack it by hand so that you "
                f"have {targets}, then type: hyperdive datasets verify",
            ) from None
        for entry, content in zip(entries, contents, strict=True):
            _keep(folder, entry, content, url)


def _keep(folder: Path, entry: ManifestEntry, content: bytes, url: str) -> None:
    checksum = hashlib.sha256(content).hexdigest()
    if checksum != entry.sha256:
        raise DownloadError(
            f"{url}: {entry.file} has checksum {checksum[:12]}…, {entry.sha256[:12]}… was published",
            hint="the file changed upstream or on the way; nothing was kept",
        )
    write_file(folder / entry.file, content)


# ---- archives -----------------------------------------------------------------------------------------------------


_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, EOFError, ValueError,
)  # fmt: skip


class _NoUnpacker(Exception):
    """No program on this machine reads the archive."""


def leaves(name: str) -> bool:
    """Whether an archive entry would land outside the folder it is unpacked into.

    >>> [leaves(name) for name in ("a/b.txt", "../b.txt", "/etc/b", "a/../../b", "C:\\\\b.txt", "..\\\\b")]
    [False, True, True, True, True, True]
    """
    parts = PureWindowsPath(name).parts
    return name.startswith(("/", "\\")) or bool(PureWindowsPath(name).drive) or ".." in parts


def _read_zip(archive: Path, wanted: Iterable[tuple[str, int]]) -> list[bytes]:
    """The contents of wanted entries, read one by one and never by a path the archive chose."""
    try:
        with zipfile.ZipFile(archive) as file:
            entries = file.infolist()
            bad = next((entry.filename for entry in entries if leaves(entry.filename)), None)
            if bad is not None:
                raise DownloadError(
                    f"{archive.name}: its entry {bad!r} tries to leave the folder", hint="nothing was kept"
                )
            contents = []
            for name, size in wanted:
                matching = [e for e in entries if e.filename == name or e.filename.endswith(f"/{name}")]
                matching = [e for e in matching if not e.filename.startswith("__MACOSX/")]
                if not matching:
                    raise DownloadError(f"{archive.name}: holds no {name}", hint="it changed upstream")
                with file.open(matching[0]) as entry:
                    content = entry.read(size + 1)  # an entry may unpack to far more than it says
                if len(content) > size:
                    raise DownloadError(f"{archive.name}: {name} is larger than {size} bytes", hint="nothing was kept")
                contents.append(content)
            return contents
    except _UNREADABLE as error:
        raise DownloadError(f"{archive.name}: not a readable zip file ({error})", hint="nothing was kept") from None


def _unpackers(archive: Path, name: str) -> Iterator[list[str]]:
    """Yield the commands of this machine that write one entry of a .rar file to standard output."""
    seven = ["e", "-so", "-r", str(archive), f"*{name}"]
    commands = [["bsdtar", "-xOf", str(archive), f"*{name}"], ["7zz", *seven], ["7z", *seven]]
    commands.append(["unrar", "p", "-inul", str(archive), f"*{name}"])
    if sys.platform == "win32":
        commands.append(["tar", "-xOf", str(archive), f"*{name}"])
    yield from (command for command in commands if shutil.which(command[0]))


def _read_rar(archive: Path, wanted: Iterable[tuple[str, int]]) -> list[bytes]:
    """The contents of wanted entries by whichever program is installed; entries come by a pipe, not as files."""
    contents: list[bytes] = []
    for name, size in wanted:
        for command in _unpackers(archive, name):
            pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            with subprocess.Popen(command, **pipes) as run:  # type: ignore[call-overload]
                content = run.stdout.read(size + 1)
                run.kill() if len(content) > size else None
            if 0 < len(content) <= size:
                contents.append(content)
                break
        else:
            raise _NoUnpacker
    return contents
