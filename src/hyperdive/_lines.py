"""Small text files: terms, stop words, corrections, gold files; every error names the file and the line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hyperdive.errors import InputError

MAX_BYTES = 256 << 20
_LONGEST = 8 << 20


def read_lines(
    path: str | Path, what: str, hint: str = "check the path", *, longest: int = _LONGEST, every: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines of a UTF-8 file, read one by one.

    Only line feeds end a line, with or without a carriage return. A byte-order mark at the start is skipped.

    Args:
        path: the file.
        what: what it should be, for messages: "file of terms".
        hint: what to do if it is something else.
        longest: bytes that a line may have.
        every: also yield blank lines and comments (`# …`).

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "stop.txt"
    >>> _ = path.write_bytes(b"# mine\\nthe\\r\\n\\n of \\n")
    >>> list(read_lines(path, "stop-word file"))
    [(2, 'the'), (4, ' of ')]
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError(f"{path}: a folder, not a {what}", hint=hint)
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: too large for a {what}", hint="check that it is the right file")
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(longest + 1):
                number += 1
                if len(raw) > longest:
                    raise InputError(f"{path}: line {number} is too long (over {longest:,} bytes)", hint=hint)
                try:
                    line = raw.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\n").removesuffix("\r")
                except UnicodeDecodeError:
                    raise InputError(f"{path}: line {number} is not UTF-8 text", hint=hint) from None
                if "\0" in line:
                    raise InputError(f"{path}: line {number} has NUL bytes, so this is not a text file", hint=hint)
                if every or (line.strip() and not line.startswith("#")):
                    yield number, line
    except FileNotFoundError:
        raise InputError(f"{path}: no such {what}", hint=hint) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", hint="check the permissions") from None
