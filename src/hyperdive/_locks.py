"""Locks of the operating system on files: the others wait for it, or are refused a folder."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from hyperdive.errors import OutputError

OWNER = "owner"
_STEP = 0.05


@contextmanager
def exclusive(path: Path, unless: Callable[[], bool] | None = None) -> Iterator[bool]:
    """Hold a lock file, which is made where it is missing and stays; the system lets go of it when a process dies.

    Gives whether the lock is held: while another process has it, `unless` is asked again and again, and True ends the
    waiting.

    >>> import tempfile
    >>> with exclusive(Path(tempfile.mkdtemp()) / "lock") as held:
    ...     held
    True
    """
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        held = True
        if unless is None:
            _lock(descriptor)
        else:
            while not (held := _try_lock(descriptor)) and not unless():
                time.sleep(_STEP)
        yield held
    finally:
        os.close(descriptor)


class OwnerLock:
    """The right of one process to work in a folder: a lock of the operating system, gone with the process.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with OwnerLock(folder, "results"):
    ...     OwnerLock(folder, "results").acquire()
    Traceback (most recent call last):
    hyperdive.errors.OutputError: results: another run (process ...) is making it (wait for it or choose another -o)
    """

    def __init__(self, folder: Path, what: str, *, hint: str = "wait for it or choose another -o") -> None:
        self._file, self._what, self._hint = folder.absolute() / OWNER, what, hint
        self._descriptor = -1

    def acquire(self) -> None:
        """Take the folder, also from a process that was killed; a running one is an error."""
        while self._descriptor < 0:
            descriptor = os.open(self._file, os.O_CREAT | os.O_RDWR, 0o600)
            try:
                if not _try_lock(descriptor):
                    pid = os.read(descriptor, 32).decode("ascii", errors="replace")
                    raise OutputError(f"{self._what}: another run (process {pid or '?'}) is making it", hint=self._hint)
                if self._is_in_place(descriptor):  # else its owner left and removed it meanwhile
                    os.ftruncate(descriptor, 0)
                    os.write(descriptor, str(os.getpid()).encode())
                    self._descriptor = descriptor
            finally:
                if self._descriptor != descriptor:
                    os.close(descriptor)

    def _is_in_place(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._file.stat())
        except OSError:
            return False

    def release(self) -> None:
        """Leave the folder to others."""
        if self._descriptor >= 0:
            # an open file cannot be removed on Windows; an unlocked one is nobody's
            if sys.platform != "win32" and self._is_in_place(self._descriptor):
                self._file.unlink(missing_ok=True)
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # beyond the content, which others may read
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:  # another process has it
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

    def _lock(descriptor: int) -> None:
        while not _try_lock(descriptor):
            time.sleep(_STEP)
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
