"""A file that one process at a time holds; the others wait for it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STEP = 0.05


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold a lock file, which is made where it is missing and stays; the system lets go of it when a process dies.

    >>> import tempfile
    >>> with exclusive(Path(tempfile.mkdtemp()) / "lock"):
    ...     pass
    """
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
                return
            except OSError:  # another process has it
                time.sleep(_STEP)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
