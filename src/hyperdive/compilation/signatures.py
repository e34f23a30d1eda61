"""Which kernels a command needs and with which argument types: the manifest, and its notation for types.

`manifest.json` is written by `tools/kernels.py`, which runs every command on a text and records what was compiled. A
type is a code of NumPy (`i8`, `f4`, `b1`), an array has its axes behind it (`u4[:]`, `f4[:,:]`), then `!` when it is
read-only and its layout when it is not C.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

MANIFEST = Path(__file__).with_name("manifest.json")
_TYPE = re.compile(r"([biuf])([1248])(?:\[(:(?:,:)*)\](!?)([AF]?))?")
_NUMBA = {"b": "bool", "i": "int", "u": "uint", "f": "float"}


class Signature(NamedTuple):
    """One kernel for one list of argument types."""

    kernel: str
    """Module inside the package, and name: `counts._kernels:count_rows`."""
    types: str
    """The argument types, separated by blanks."""
    use: str = ""
    """The kind of work that needs it first: `encode`, `train`, …"""
    seconds: float = 0.0
    """How long it took to compile when the manifest was written."""

    @property
    def package(self) -> str:
        """The package whose kernel it is."""
        return self.kernel.split(".")[0]


@cache
def manifest() -> tuple[Signature, ...]:
    """All kernels with the types that commands use."""
    return tuple(Signature(**entry) for entry in json.loads(MANIFEST.read_text(encoding="utf-8")))


def needed(uses: Iterable[str]) -> list[Signature]:
    """The kernels of some kinds of work, in that order.

    >>> {signature.package for signature in needed(["count"])}
    {'counts'}
    """
    return [signature for use in dict.fromkeys(uses) for signature in manifest() if signature.use == use]


def every_use() -> list[str]:
    """All kinds of work, each after what it needs.

    >>> every_use()[:3]
    ['encode', 'count', 'train']
    """
    return list(dict.fromkeys(signature.use for signature in manifest()))


def text_of(types: Iterable[Any]) -> str | None:
    """Argument types of Numba in the notation of the manifest; None for a type that has none.

    >>> from numba import types as t
    >>> text_of([t.int64, t.boolean, t.Array(t.uint8, 1, "C", readonly=True), t.float32[:, ::1]])
    'i8 b1 u1[:]! f4[:,:]'
    """
    texts = [_text(one) for one in types]
    return None if None in texts else " ".join(str(text) for text in texts)


def _text(one: Any) -> str | None:
    types: Any = import_module("numba").types

    if isinstance(one, types.Array):
        element = _text(one.dtype)
        layout = "" if one.layout == "C" else one.layout
        if element is None or not one.aligned:
            return None
        return f"{element}[{','.join(':' * one.ndim)}]{'' if one.mutable else '!'}{layout}"
    if type(one) is types.Boolean:
        return "b1"
    if type(one) is types.Integer:
        return f"{'i' if one.signed else 'u'}{one.bitwidth // 8}"
    if type(one) is types.Float:
        return f"f{one.bitwidth // 8}"
    return None


def types_of(text: str) -> tuple[Any, ...]:
    """Numba's types of a text in the notation of the manifest.

    >>> types_of("i8 f4[:,:]!")[1].mutable
    False
    """
    return tuple(_type(one) for one in text.split())


def _type(text: str) -> Any:
    types: Any = import_module("numba").types
    match = _TYPE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no type")
    kind, size, axes, readonly, layout = match.groups()
    scalar = types.boolean if kind == "b" else getattr(types, f"{_NUMBA[kind]}{8 * int(size)}")
    if axes is None:
        return scalar
    return types.Array(scalar, axes.count(":"), layout or "C", readonly=bool(readonly))
