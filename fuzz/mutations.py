"""Small damage to bytes, arrays, tables, JSON and whole folders, the same for the same random generator."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.resealing import reseal
from hyperdive._store import HEADER

Choice = random.Random
NUMBERS = (0, 1, -1, 2, 127, 128, 255, 256, 65_535, 2**31 - 1, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**64 - 1)
VALUES: tuple[Any, ...] = (
    *NUMBERS, -(2**31), -(2**63), 10**30, 0.5, -0.0, 1e300, float("inf"), float("nan"), True, None, "", "x", "dog",
    "é\u200d", "\x00", "a" * 5_000, "../../etc", [], {}, [1], {"a": 1}, [[]], "NaN", "<f8", "|O", "U4", [2**40],
)  # fmt: skip
TOKENS = (
    b"\x00",
    b"\xff\xfe",
    b"\xf0\x9f\x92",
    b"\n",
    b"\r",
    b"\t",
    b'"',
    b",",
    b"{",
    b"}",
    b"[",
    b"9" * 40,
    b"\\u",
    b"=",
)


def mutated_bytes(data: bytes, choice: Choice) -> bytes:
    """A few bytes changed, cut, doubled or put in."""
    content = bytearray(data)
    for _ in range(choice.choice((1, 1, 1, 2, 3, 8))):
        at = choice.randrange(len(content) + 1) if content else 0
        match choice.randrange(7):
            case 0 if at < len(content):
                content[at] ^= 1 << choice.randrange(8)
            case 1 if at < len(content):
                content[at] = choice.randrange(256)
            case 2:
                del content[at : at + choice.choice((1, 2, 7, 64, 4_096))]
            case 3:
                content[at:at] = choice.choice(TOKENS)
            case 4:
                content[at:at] = content[at : at + choice.choice((1, 8, 100))]
            case 5 if len(content) - at >= 8:
                number = choice.choice(NUMBERS) & (2**64 - 1)
                size = choice.choice((1, 2, 4, 8))
                content[at : at + size] = number.to_bytes(8, "little")[:size]
            case _:
                del content[at:]
    return bytes(content)


def mutated_array(array: Any, choice: Choice) -> Any:
    """A few numbers replaced, moved or shifted so that their sum stays; or another type, length or shape."""
    changed = np.array(array)
    flat = changed.reshape(-1)
    kind = choice.randrange(12)
    if kind == 0:
        return changed.astype(choice.choice(["<i8", "<u8", "<i4", "<u4", "<f4", "<f8", "<u1", "<f2"]))
    if kind == 1:
        return flat[: choice.randrange(len(flat) + 1)] if len(flat) else changed.reshape((0, 3))
    if kind == 2:
        return np.concatenate([flat, flat[:3]]) if len(flat) < 1 << 16 else changed[None]
    if not len(flat):
        return changed
    with np.errstate(all="ignore"):
        if kind in (3, 4) and len(flat) > 1:  # the sum stays
            a, b = choice.sample(range(len(flat)), 2)
            step = np.array(choice.choice((1, 5, 1_000, 2**20, 2**40))).astype(flat.dtype)
            flat[a] += step
            flat[b] -= step
        elif kind == 5 and len(flat) > 3 and flat.dtype.itemsize == 8:  # the sum wraps round to itself
            for place in choice.sample(range(len(flat)), 4):
                flat[place] = (int(flat[place]) + 2**62) % 2**63
        elif kind == 6:
            a, b = (choice.randrange(len(flat)) for _ in range(2))
            flat[a], flat[b] = flat[b], flat[a]
        elif kind == 7:
            np.random.default_rng(choice.randrange(2**32)).shuffle(flat)
        else:
            for _ in range(choice.choice((1, 1, 2, 5))):
                place = choice.choice((0, len(flat) - 1, choice.randrange(len(flat))))
                value: Any = choice.choice(NUMBERS)
                if flat.dtype.kind == "f":
                    flat[place] = choice.choice((float(value), np.nan, np.inf, -np.inf, 1e-40, 65_504.0))
                else:
                    flat[place] = np.array(value % 2**64, dtype=np.uint64).astype(flat.dtype)
    return changed


def mutated_json(value: Any, choice: Choice) -> Any:
    """One place of a JSON value removed, doubled or replaced."""
    changed = json.loads(json.dumps(value))
    places: list[tuple[Any, Any]] = []
    waiting = [changed]
    while waiting:
        inner = waiting.pop()
        keys = list(inner) if isinstance(inner, dict) else range(len(inner))
        places += [(inner, key) for key in keys]
        waiting += [inner[key] for key in keys if isinstance(inner[key], dict | list)]
    if not places:
        return choice.choice(VALUES)
    inner, key = choice.choice(places)
    match choice.randrange(4):
        case 0:
            del inner[key]
        case 1 if isinstance(inner, dict):
            inner[choice.choice(("", "x", "../x", "/etc/passwd", "a\x00b"))] = inner[key]
        case 2 if isinstance(inner[key], int):
            inner[key] += choice.choice((1, -1, 2**31, -(2**31)))
        case _:
            inner[key] = choice.choice(VALUES)
    return changed


def mutated_lines(data: bytes, choice: Choice) -> bytes:
    """A line removed, doubled, emptied or damaged."""
    lines = data.split(b"\n")
    at = choice.randrange(len(lines))
    match choice.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[choice.randrange(len(lines))])
        case 2:
            lines[at] = b""
        case 3:
            lines[at] = b"\xff\xfe" + lines[at]
        case _:
            return mutated_bytes(data, choice)
    return b"\n".join(lines)


def mutated_folder(folder: Path, choice: Choice) -> str:
    """Damage one file of a folder, or its header, and seal it again; what was changed."""
    header = json.loads((folder / HEADER).read_text(encoding="utf-8"))
    names = sorted(name for name in header["files"] if _is_inside(folder, name))
    name = choice.choice([HEADER, HEADER, *names, *(n for n in names if n.endswith((".bin", ".npy", ".safetensors")))])
    if name == HEADER:
        if choice.randrange(8) == 0:
            (folder / HEADER).write_bytes(mutated_bytes((folder / HEADER).read_bytes(), choice))
            return name
        header.pop("fingerprint")
        changed = mutated_json(header, choice)
        (folder / HEADER).write_text(json.dumps(changed if isinstance(changed, dict) else header))
        _reseal_quietly(folder)
        return name
    content = (folder / name).read_bytes()
    entry = header["files"][name]
    if choice.randrange(6) == 0:
        (folder / name).write_bytes(mutated_bytes(content, choice))
    elif "dtype" in entry:
        array = mutated_array(np.frombuffer(content, dtype=entry["dtype"]).reshape(entry["shape"]), choice)
        (folder / name).write_bytes(np.ascontiguousarray(array).tobytes())
        header["files"][name] |= {"dtype": array.dtype.newbyteorder("<").str, "shape": list(array.shape)}
        (folder / HEADER).write_text(json.dumps(header))
    elif name.endswith(".safetensors"):
        (folder / name).write_bytes(_mutated_tensors(content, choice))
    elif name.endswith(".parquet"):
        (folder / name).write_bytes(_mutated_parquet(content, choice))
    else:
        (folder / name).write_bytes(mutated_lines(content, choice))
    _reseal_quietly(folder, name)
    return name


def _is_inside(folder: Path, name: str) -> bool:
    """Whether a name is that of a file of the folder: a header that was damaged before may name any file there is."""
    parts = Path(name).parts
    if not parts or "\0" in name or Path(name).is_absolute() or ".." in parts:
        return False
    return (folder / name).is_file() and not (folder / name).is_symlink()


def _reseal_quietly(folder: Path, only: str = "") -> None:
    try:
        reseal(folder, only=only)
    except (OSError, ValueError, TypeError, AttributeError):  # the header is beyond sealing: it stays as it is
        return


def _mutated_tensors(content: bytes, choice: Choice) -> bytes:
    from safetensors import SafetensorError
    from safetensors.numpy import load, save

    try:
        tensors = load(content)
    except SafetensorError:  # damaged before
        return mutated_bytes(content, choice)
    name = choice.choice(sorted(tensors))
    if choice.randrange(10) == 0:
        del tensors[name]
    else:
        tensors[name] = np.ascontiguousarray(mutated_array(tensors[name], choice))
    return save(tensors)


def _mutated_parquet(content: bytes, choice: Choice) -> bytes:
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(io.BytesIO(content))
    except (OSError, ValueError):  # damaged before
        return mutated_bytes(content, choice)
    place = choice.randrange(table.num_columns)
    name, column = table.column_names[place], table.column(place)
    match choice.randrange(4):
        case 0:
            table = table.drop_columns([name])
        case 1 if not pa.types.is_large_binary(column.type):
            values = mutated_array(column.to_numpy(), choice).reshape(-1)
            size = min(len(values), table.num_rows)
            table = table.slice(0, size).set_column(place, name, pa.array(values[:size]))
        case 2:
            values = column.to_pylist()
            values[choice.randrange(len(values))] = None
            table = table.set_column(place, name, pa.array(values, type=column.type))
        case _:
            table = table.set_column(place, name, pa.array(["x"] * table.num_rows))
    out = io.BytesIO()
    pq.write_table(table, out, store_schema=False)
    return out.getvalue()
