"""Small files a user gives: stop words, phrases, one entry a line."""

from __future__ import annotations

from pathlib import Path

from hyperdive.errors import InputError

MAX_BYTES = 256 << 20


def read_lines(path: Path, what: str, hint: str) -> list[str]:
    """The lines of a UTF-8 file that are not empty and no comment (`# …`).

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "stop.txt"
    >>> _ = path.write_text("# mine\\nthe\\n\\n of \\n")
    >>> read_lines(path, "stop-word file", "")
    ['the', 'of']
    """
    try:
        if path.is_dir():
            raise InputError(f"{path}: a folder, not a {what}", hint=hint)
        if not path.is_file():
            raise InputError(f"{path}: no such {what}", hint=hint)
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: too large for a {what}")
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", hint="check the permissions") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start})") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
