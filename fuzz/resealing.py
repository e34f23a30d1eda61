"""Folders as a stranger could hand them over: any content, with checksums and fingerprint that fit it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from hyperdive._store import HEADER, canonical_json, fingerprint, npy_header


def reseal(folder: Path, change: Callable[[dict[str, Any]], Any] | None = None, only: str = "") -> None:
    """Bring the header in line with the files that are there (or with one of them), after `change` altered it."""
    header = json.loads((folder / HEADER).read_text(encoding="utf-8"))
    header.pop("fingerprint", None)
    if change is not None:
        change(header)
    files = header.get("files")
    for name, entry in files.items() if isinstance(files, dict) else ():
        if only and name != only:
            continue
        if isinstance(entry, dict) and isinstance(name, str) and (folder / name).is_file():
            content = (folder / name).read_bytes()
            entry["sha256"] = hashlib.sha256(content).hexdigest()
            entry["bytes"] = len(content)
    try:
        header["fingerprint"] = fingerprint(header)
    except ValueError:  # what JSON cannot say has no fingerprint
        header["fingerprint"] = ""
    (folder / HEADER).write_text(json.dumps(header) if header["fingerprint"] == "" else canonical_json(header))


def put_file(folder: Path, name: str, content: bytes) -> None:
    """Other bytes in a file."""
    (folder / name).write_bytes(content)
    reseal(folder)


def put_array(folder: Path, name: str, array: Any) -> None:
    """Another array in a flat file or a `.npy` file."""
    array = np.asarray(array)
    head = npy_header(array.dtype.newbyteorder("<"), array.shape) if name.endswith(".npy") else b""
    (folder / name).write_bytes(head + np.ascontiguousarray(array).tobytes())
    about = {"dtype": array.dtype.newbyteorder("<").str, "shape": list(array.shape)}
    reseal(folder, lambda header: header["files"][name].update(about))


def get_array(folder: Path, name: str) -> Any:
    """The array in a file, which may be written to."""
    if name.endswith(".npy"):
        return np.load(folder / name)
    about = json.loads((folder / HEADER).read_text(encoding="utf-8"))["files"][name]
    return np.fromfile(folder / name, dtype=about["dtype"]).reshape(about["shape"])


def put_tensors(folder: Path, file: str, **tensors: Any) -> None:
    """Other tensors in a file of them; None removes one."""
    from safetensors.numpy import load, save

    content = {**load((folder / file).read_bytes()), **tensors}
    kept = {name: np.ascontiguousarray(tensor) for name, tensor in content.items() if tensor is not None}
    put_file(folder, file, save(kept))


def put_table(folder: Path, file: str, **columns: Any) -> None:
    """Other columns in a Parquet file; None removes one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(folder / file)
    content = {name: table[name] for name in table.column_names} | columns
    kept = {name: column for name, column in content.items() if column is not None}
    pq.write_table(pa.table(kept), folder / file, store_schema=False)
    reseal(folder)


def put_header(folder: Path, **changes: Any) -> None:
    """Other fields of the header; a name like `totals__words` is a field of a field, None removes it."""

    def change(header: dict[str, Any]) -> None:
        for path, value in changes.items():
            *way, last = path.split("__")
            place = header
            for part in way:
                place = place[part]
            if value is None:
                place.pop(last, None)
            else:
                place[last] = value

    reseal(folder, change)
