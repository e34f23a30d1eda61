"""Files that are written whole or not at all: a hidden name next to the place, renamed when all went well."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

from hyperdive.errors import DiskFullError, OutputError

_PARTIAL, OLD = ".partial-", "-old"


@contextlib.contextmanager
def explain_os_errors(path: Path) -> Iterator[None]:
    """Turn the operating system's refusals while writing `path` into one clear line."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFullError(f"{path}: the disk is full", hint="free some space or choose another output") from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise OutputError(f"{path}: no permission to write there", hint="choose another place") from error
        if error.errno in (errno.ENOTDIR, errno.EEXIST, errno.ENOENT, errno.ENAMETOOLONG, errno.EINVAL):
            raise OutputError(f"{path}: not a usable place ({error.strerror})", hint="choose another place") from error
        if error.errno == errno.EIO:
            raise OutputError(
                f"{path}: the disk has an error ({error.strerror})", hint="choose another disk"
            ) from error
        raise


def is_running(pid: int) -> bool:
    """Whether a process with this number runs on this machine; True where that cannot be told."""
    if sys.platform == "win32":  # no cheap probe there: leave what may belong to a running process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def sweep_partial(path: Path) -> None:
    """Remove temporary files and folders that killed runs left next to `path`.

    A run killed between the two renames of `put_in_place` leaves the old artefact under another name: it comes back.
    """
    for left in sorted(path.parent.glob(f".{glob.escape(path.name)}{_PARTIAL}*")):
        pid = left.name.split(_PARTIAL, 1)[1].split("-", 1)[0]
        if not pid.isdigit() or is_running(int(pid)):
            continue
        if left.name.endswith(OLD) and not os.path.lexists(path):
            left.rename(path)
        else:
            remove_any(left)


def repair(path: Path) -> None:
    """Sweep where that is possible: what reads `path`, or refuses to replace it, finds what the last whole run made."""
    with contextlib.suppress(OSError):
        sweep_partial(path)


def remove_any(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)


def partial_name(path: Path) -> Path:
    """A hidden name next to `path` that no other run has."""
    return path.with_name(f".{path.name}{_PARTIAL}{os.getpid()}-{uuid.uuid4().hex[:8]}")


@contextlib.contextmanager
def unfinished_file(path: Path) -> Iterator[Path]:
    """The bare mechanism of `whole_file`, for files in folders that are checked and removed as a whole."""
    unfinished = partial_name(path)
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_file(path: str | Path, *, force: bool = True, parents: bool = True) -> Iterator[Path]:
    """A name to write a file under, which becomes `path` when all went well; after an error nothing is left of it.

    Two runs that write the same file never share a temporary name: the last one to finish wins, whole. Folders above
    it are made too, but for `parents=False`.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> with whole_file(place) as unfinished:
    ...     _ = unfinished.write_text("dogs")
    ...     place.exists()
    False
    >>> place.read_text()
    'dogs'
    """
    path = Path(path)
    if path.is_dir():
        raise OutputError(f"{path}: a folder, not a file", hint="choose another name")
    if not force and os.path.lexists(path):
        raise OutputError(f"{path}: already exists", hint="add --force to replace it, or choose another name")
    with explain_os_errors(path):
        if parents:
            path.parent.mkdir(parents=True, exist_ok=True)
        sweep_partial(path)
        with unfinished_file(path) as unfinished:
            yield unfinished


def write_file(path: str | Path, content: str | bytes, *, force: bool = True, parents: bool = True) -> None:
    """Write a small file whole or not at all; text as UTF-8, with a question mark for half a surrogate pair.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> write_file(place, "dogs")
    >>> write_file(place, "cats", force=False)
    Traceback (most recent call last):
    hyperdive.errors.OutputError: ...notes.txt: already exists (add --force to replace it, or choose another name)
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8", errors="replace")
    with whole_file(path, force=force, parents=parents) as unfinished:
        unfinished.write_bytes(data)
