"""Files of a cluster's own storage, such as `hdfs://` and `s3a://`: Hadoop's readers, which Spark has, find them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from hyperdive._engine import StoredFile
from hyperdive.errors import InputError

MOST_BYTES = 1 << 30
"""A file is read whole by one task; Spark hands it over in one piece of memory."""
_GLOB = frozenset("*?[]{}\\")


def list_files(context: Any, address: str) -> list[StoredFile]:
    """The files behind the address of a file, a folder or a glob; in a folder by path, neither hidden nor empty.

    Args:
        context: Spark's context.
        address: such as `hdfs://host/text`.
    """
    place = context._jvm.org.apache.hadoop.fs.Path(address)
    try:
        system = place.getFileSystem(context._jsc.hadoopConfiguration())
        matches = system.globStatus(place)
        files = [file for status in matches or () for file in _below(system, status)]
    except Exception as error:
        raise InputError(f"{address}: {_reason(error)}", hint=_HINT) from None
    if not files:
        raise InputError(f"{address}: there is no file", hint=_HINT)
    for file in files:
        if file.size > MOST_BYTES:
            raise InputError(
                f"{file.address}: {file.size:,} bytes, but files of this storage are read whole",
                hint=f"split it into files of at most {MOST_BYTES >> 20} MiB, or mount the storage",
            )
        if not _GLOB.isdisjoint(file.address) or "," in file.address:
            raise InputError(f"{file.address}: a comma or a character of globs in the name", hint="rename the file")
    return files


_HINT = "check the address, and the --conf settings that its storage needs"


def _below(system: Any, status: Any) -> list[StoredFile]:
    """A file, or the files of a folder."""
    root = str(status.getPath().toString())
    if not status.isDirectory():
        return [StoredFile(root, int(status.getLen()), int(status.getModificationTime()))]

    def walk() -> Iterator[tuple[str, StoredFile]]:
        found = system.listFiles(status.getPath(), True)
        while found.hasNext():
            file = found.next()
            address = str(file.getPath().toString())
            relative = address.removeprefix(root).lstrip("/")
            hidden = any(part.startswith((".", "_")) for part in PurePosixPath(relative).parts)
            if file.getLen() and not hidden:
                yield relative, StoredFile(address, int(file.getLen()), int(file.getModificationTime()))

    return [file for _, file in sorted(walk())]


def fetch_file(context: Any, address: str, copy: Path) -> None:
    """Copy a file to the driver's own disk."""
    place = context._jvm.org.apache.hadoop.fs.Path(address)
    local = context._jvm.org.apache.hadoop.fs.Path(copy.as_uri())
    try:
        # without a checksum file next to it
        place.getFileSystem(context._jsc.hadoopConfiguration()).copyToLocalFile(False, place, local, True)
    except Exception as error:
        raise InputError(f"{address}: {_reason(error)}", hint=_HINT) from None


def _reason(error: Exception) -> str:
    """What Java says, in one line."""
    raised = getattr(error, "java_exception", None)
    lines = str(raised.toString() if raised is not None else error).splitlines()
    return lines[0].rpartition("Exception: ")[2][:200] if lines else type(error).__name__
