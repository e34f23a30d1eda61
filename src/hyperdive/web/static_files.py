"""The files of the page, read when the server starts: a request chooses from this table and never opens a file."""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_COMPRESSED = (".png", ".woff2", ".ico")
_HASHED = re.compile(r"assets/.*[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$")
_LEAST = 512


@dataclass(frozen=True)
class StaticFile:
    """The content of a file, also compressed where that is shorter, and its headers."""

    content: bytes
    compressed: bytes | None
    headers: dict[str, str]


def static_files(folder: Path = FOLDER) -> dict[str, StaticFile]:
    """The files of a folder by the path that requests use; `index.html` is `/` too.

    Files with an unknown ending are left out.
    """
    table = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _TYPES:
            name = path.relative_to(folder).as_posix()
            table[f"/{name}"] = _file(name, path.read_bytes(), path.suffix)
    if "/index.html" in table:
        table["/"] = table["/index.html"]
    return table


def _file(name: str, content: bytes, ending: str) -> StaticFile:
    short = gzip.compress(content, 9, mtime=0) if len(content) >= _LEAST and ending not in _COMPRESSED else None
    headers = {
        "content-type": _TYPES[ending],
        "cache-control": "public, max-age=31536000, immutable" if _HASHED.search(name) else "no-cache",
        "etag": f'"{hashlib.sha256(content).hexdigest()[:20]}"',
        "vary": "accept-encoding",
    }
    return StaticFile(content, short, headers)
