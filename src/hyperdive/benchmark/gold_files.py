"""Lines of gold files, whose numbers carry meaning: line i of one file may belong to line i of another."""

from __future__ import annotations

from pathlib import Path

from hyperdive.errors import InputError

MAX_BYTES = 256 << 20


def gold_lines(path: str | Path, what: str) -> list[str]:
    """The lines of a UTF-8 file in lower case, without empty ones at its end.

    Only line feeds end a line: the other separators that Unicode has may stand inside a term.

    Args:
        path: The file.
        what: What it should be, for the message when it is something else.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "gold.txt"
    >>> _ = place.write_bytes(b"Dog\\tConcept\\r\\n\\ncat\\n\\n")
    >>> gold_lines(place, "file of questions")
    ['dog\\tconcept', '', 'cat']
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError(f"{path}: a folder, not a {what}", hint="name the file")
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: too large for a {what}", hint="check that it is the right file")
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: no such {what}", hint="check the path") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})", hint="check the permissions") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start})", hint=f"give a {what}") from None
    if "\0" in text:
        raise InputError(f"{path}: not a text file", hint=f"give a {what}")
    lines = [line.strip("\r ").lower() for line in text.split("\n")]
    while lines and not lines[-1].strip():
        del lines[-1]
    if not lines:
        raise InputError(f"{path}: empty", hint=f"give a {what}")
    return lines
