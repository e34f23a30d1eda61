"""The original text inside a corpus folder, in separately compressed blocks, for access to single sentences."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from hyperdive._checks import are_below, are_pointers
from hyperdive._store import Artifact, ArtifactWriter, drop_files, read_header
from hyperdive.errors import FormatError

BLOCK = 1 << 20
_WAITING = 4
# Above this much raw text `encode` does not keep the text unless asked to (`--keep-text`).
KEEP_BELOW = 1 << 30
TEXT_FILES = ("text.zst", "text_blocks.bin", "sentence_text.bin")


def _codec() -> Any:
    return pa.Codec("zstd", compression_level=3)


class TextKeeper:
    """Collects the raw text while it is read and writes it in compressed blocks of exactly `BLOCK` bytes.

    A thread of its own compresses; at most `_WAITING` blocks wait for it.
    """

    def __init__(self, writer: ArtifactWriter) -> None:
        self._out = writer.stream("text.zst")
        self._codec = _codec()
        self._thread = ThreadPoolExecutor(1)
        self._waiting: deque[Future[bytes]] = deque()
        self._pending = bytearray()
        self._starts = [0]
        self.bytes = 0

    def append(self, text: bytes) -> None:
        self._pending += text
        self.bytes += len(text)
        while len(self._pending) >= BLOCK:
            self._flush(bytes(self._pending[:BLOCK]))
            del self._pending[:BLOCK]

    def _flush(self, block: bytes) -> None:
        self._waiting.append(self._thread.submit(self._codec.compress, block, asbytes=True))
        if len(self._waiting) > _WAITING:
            self._write()

    def _write(self) -> None:
        self._out.append(self._waiting.popleft().result())
        self._starts.append(self._out.bytes)

    def stop(self) -> None:
        """End the thread; what waits is not written."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def close(self, writer: ArtifactWriter) -> None:
        if self._pending:
            self._flush(bytes(self._pending))
        while self._waiting:
            self._write()
        self.stop()
        writer.put("text_blocks.bin", np.array([*self._starts, self.bytes], dtype=np.int64))


class KeptText:
    """Read access to the kept text by sentence."""

    def __init__(self, artifact: Artifact, sentences: int) -> None:
        self._path, self._file = artifact.path, artifact.file("text.zst")
        blocks, self._spans = (
            artifact.array("text_blocks.bin", "int64"),
            artifact.array("sentence_text.bin", "int64", ndim=2),
        )
        self._starts, self._bytes = blocks[:-1], int(blocks[-1]) if len(blocks) > 1 else -1
        spans, size = self._spans, self._file.stat().st_size
        whole = -(-self._bytes // BLOCK) == len(self._starts) - 1 and are_pointers(self._starts, size)
        inside = spans.shape == (sentences, 2) and are_below(spans.reshape(-1), self._bytes + 1)
        if not whole or not inside or not (spans[:, 0] <= spans[:, 1]).all():
            raise FormatError(f"{self._path}: the kept text does not fit its sentences", hint="create it again")
        self._block = lru_cache(maxsize=8)(self._read_block)

    def _read_block(self, number: int) -> bytes:
        start, end = int(self._starts[number]), int(self._starts[number + 1])
        size = min(BLOCK, self._bytes - number * BLOCK)
        with self._file.open("rb") as file:
            file.seek(start)
            data = file.read(end - start)
        try:
            return bytes(_codec().decompress(data, decompressed_size=size, asbytes=True))
        except MemoryError:
            raise
        except (OSError, ValueError, pa.ArrowException):
            raise FormatError(
                f"{self._path}: block {number} of the kept text is damaged", hint="create it again"
            ) from None

    def sentence(self, number: int) -> str:
        """One sentence as in the input, white space normalised."""
        start, end = (int(x) for x in self._spans[number])
        first, last = start // BLOCK, max(start, end - 1) // BLOCK
        data = b"".join(self._block(i) for i in range(first, last + 1))
        piece = data[start - first * BLOCK : end - first * BLOCK]
        return " ".join(piece.decode("utf-8", errors="replace").split())


def drop_text(path: str | Path) -> int:
    """Remove the original text from a corpus folder and return how many bytes that freed."""
    about = read_header(Path(path), "hyperdive-corpus", made_with="hyperdive encode TEXT -o CORPUS")
    return drop_files(Path(path), about, TEXT_FILES, {"keep_text": False})


class KnownDigest:
    """A hash that is known already, in the place of one that is being computed."""

    def __init__(self, sha256: str) -> None:
        self._sha256 = sha256

    def digest(self) -> bytes:
        return bytes.fromhex(self._sha256)

    def hexdigest(self) -> str:
        return self._sha256
