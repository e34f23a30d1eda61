"""A file that one process at a time holds; the others wait for it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

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


if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:  # another process has it
            return False
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
