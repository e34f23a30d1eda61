"""Small files a user gives: stop words, terms, one entry a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hyperdive.errors import InputError

MAX_BYTES = 256 << 20


def read_lines(path: Path, what: str, hint: str) -> list[str]:
    """The lines of a UTF-8 file that are not empty and no comment (`# …`), without blanks and tabs around them.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "stop.txt"
    >>> _ = path.write_text("# mine\\nthe\\n\\n of \\n")
    >>> read_lines(path, "stop-word file", "")
    ['the', 'of']
    """
    return [line.strip() for line in raw_lines(path, what, hint)]


def raw_lines(path: Path, what: str, hint: str) -> Iterator[str]:
    """The same lines as they stand, read as they are asked for: who has seen enough need not read on.

    Args:
        path: The file.
        what: What it should be, for the message when it is something else.
        hint: What to do about it.
    """
    read = 0
    try:
        if path.is_dir():
            raise InputError(f"{path}: a folder, not a {what}", hint=hint)
        if not path.is_file():
            raise InputError(f"{path}: no such {what}", hint=hint)
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: too large for a {what}")
        with path.open("rb") as file:
            for block in file:
                text = block.decode("utf-8-sig" if read == 0 else "utf-8")
                read += len(block)
                for line in text.splitlines():
                    if line.strip() and not line.startswith("#"):
                        yield line
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", hint="check the permissions") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {read + error.start})") from None
