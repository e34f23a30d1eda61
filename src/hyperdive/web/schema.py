"""Typed messages: JSON and query parameters into frozen data classes and back, and their JSON Schema.

A message is a data class whose fields are strings, numbers, booleans, None, literals, tuples, mappings of strings,
unions and other messages. `Bounds` in `Annotated` limits a number, the length of a string or the number of items, and
`QueryName` is what a list is called when its items are query parameters of their own.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hyperdive.web.problems import Problem


@dataclass(frozen=True)
class Bounds:
    """The least and the most of a number, of the characters of a string, or of the items of a list."""

    least: float
    most: float


@dataclass(frozen=True)
class QueryName:
    """The name of a query parameter that may be repeated."""

    name: str


@cache
def hints(message: type) -> dict[str, Any]:
    """The types of the fields of a message."""
    return get_type_hints(message, include_extras=True)


@cache
def _split(kind: Any) -> tuple[Any, Bounds | None, QueryName | None]:
    """A type without its annotations, and these."""
    bounds = name = None
    while get_origin(kind) is Annotated:
        kind, *marks = get_args(kind)
        bounds = next((mark for mark in marks if isinstance(mark, Bounds)), bounds)
        name = next((mark for mark in marks if isinstance(mark, QueryName)), name)
    return kind, bounds, name


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


# ---- reading ------------------------------------------------------------------------------------------------------


def read_message(message: type, values: Mapping[str, Any]) -> Any:
    """A message from the fields of a JSON object; what does not fit is a `Problem` that names the field.

    >>> @dataclass(frozen=True)
    ... class Question:
    ...     term: Annotated[str, Bounds(1, 100)]
    ...     top: Annotated[int, Bounds(1, 50)] = 10
    >>> read_message(Question, {"term": "dog"})
    Question(term='dog', top=10)
    >>> read_message(Question, {"term": "dog", "top": 99})
    Traceback (most recent call last):
    hyperdive.web.problems.Problem: top must be between 1 and 50
    """
    kinds = hints(message)
    unknown = [name for name in values if name not in kinds]
    if unknown:
        raise Problem("bad_request", f"{unknown[0][:40]} is not a field here", hint=f"fields: {', '.join(kinds)}")
    read = {}
    for field in fields(message):
        if field.name in values:
            read[field.name] = _read(kinds[field.name], values[field.name], field.name)
        elif field.default is MISSING:
            raise Problem("bad_request", f"{field.name} is missing")
    return message(**read)


def read_query(message: type, pairs: Sequence[tuple[str, str]]) -> Any:
    """A message from query parameters.

    >>> @dataclass(frozen=True)
    ... class Question:
    ...     terms: Annotated[tuple[str, ...], QueryName("term")]
    ...     heads: bool = True
    >>> read_query(Question, [("term", "dog"), ("term", "cat"), ("heads", "false")])
    Question(terms=('dog', 'cat'), heads=False)
    """
    values: dict[str, Any] = {}
    named = _named(message)
    for given, text in pairs:
        if given not in named:
            raise Problem(
                "bad_request", f"{given[:40]} is not a parameter here", hint=f"parameters: {', '.join(named)}"
            )
        name, kind = named[given]
        single = _split(_given(kind))[0]
        if get_origin(single) is tuple:
            values.setdefault(name, []).append(text)
        elif name in values:
            raise Problem("bad_request", f"{given} is given twice")
        else:
            values[name] = _from_text(single, text, given)
    return read_message(message, values)


@cache
def _named(message: type) -> dict[str, tuple[str, Any]]:
    """The fields of a message by their names as query parameters."""
    return {query_name(name, kind): (name, kind) for name, kind in hints(message).items()}


def query_name(name: str, kind: Any) -> str:
    """What a field is called as a query parameter."""
    mark = _split(_given(kind))[2]
    return name if mark is None else mark.name


@cache
def _given(kind: Any) -> Any:
    """The type of a value that is there, for one that may be None."""
    plain_kind = _split(kind)[0]
    return next(part for part in get_args(plain_kind) if part is not types.NoneType) if _is_union(plain_kind) else kind


def _from_text(kind: Any, text: str, where: str) -> Any:
    """The JSON value that the text of a query parameter stands for."""
    try:
        if kind is int:
            return int(text)
        if kind is float:
            return float(text)
    except ValueError:
        raise Problem("bad_request", f"{where} must be a number, not {text[:40]!r}") from None
    if kind is bool:
        if text not in ("true", "false"):
            raise Problem("bad_request", f"{where} must be true or false")
        return text == "true"
    return text


def _read(kind: Any, value: Any, where: str) -> Any:
    kind, bounds, _ = _split(kind)
    if _is_union(kind):
        return _read_union(get_args(kind), value, where)
    if get_origin(kind) is Literal:
        if value not in get_args(kind) or isinstance(value, bool):
            raise Problem("bad_request", f"{where} must be one of {', '.join(map(str, get_args(kind)))}")
        return value
    if get_origin(kind) is tuple:
        return _read_items(get_args(kind), value, bounds, where)
    if is_dataclass(kind) and isinstance(kind, type):
        if not isinstance(value, dict):
            raise Problem("bad_request", f"{where} must be an object")
        return read_message(kind, value)
    return _read_plain(kind, value, bounds, where)


def _read_union(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and types.NoneType in kinds:
        return None
    others = [kind for kind in kinds if kind is not types.NoneType]
    if len(others) == 1:
        return _read(others[0], value, where)
    # messages that differ in a literal field, such as "op"
    tags = {}
    for kind in others:
        name, tag = tag_of(kind)
        tags[tag] = kind
    if not isinstance(value, dict) or value.get(name) not in tags:
        raise Problem("bad_request", f"{where} must be an object with {name}: {', '.join(tags)}")
    return _read(tags[value[name]], value, where)


def tag_of(message: type) -> tuple[str, str]:
    """The field of a message with only one value, and that value."""
    for name, kind in hints(message).items():
        if get_origin(kind) is Literal and len(get_args(kind)) == 1:
            return name, get_args(kind)[0]
    raise TypeError(f"{message} has no field with one value")


def _read_items(kinds: tuple[Any, ...], value: Any, bounds: Bounds | None, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise Problem("bad_request", f"{where} must be a list")
    if kinds[-1] is not Ellipsis:
        if len(value) != len(kinds):
            raise Problem("bad_request", f"{where} must have {len(kinds)} items")
        return tuple(_read(kind, item, where) for kind, item in zip(kinds, value, strict=True))
    if bounds is not None and not bounds.least <= len(value) <= bounds.most:
        raise Problem("bad_request", f"{where} must have {bounds.least:g} to {bounds.most:g} items, not {len(value)}")
    return tuple(_read(kinds[0], item, where) for item in value)


def _read_plain(kind: Any, value: Any, bounds: Bounds | None, where: str) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 1e300 else math.inf
    names = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise Problem("bad_request", f"{where} must be {names[kind]}")
    if kind is float and not math.isfinite(value):
        raise Problem("bad_request", f"{where} must be a finite number")
    if kind is str:
        _check_text(value, bounds, where)
    elif bounds is not None and not bounds.least <= value <= bounds.most:
        raise Problem("bad_request", f"{where} must be between {bounds.least:g} and {bounds.most:g}")
    return value


def _check_text(text: str, bounds: Bounds | None, where: str) -> None:
    if bounds is not None and len(text) > bounds.most:
        raise Problem("bad_request", f"{where} must have at most {bounds.most:g} characters")
    if bounds is not None and bounds.least > 0 and not text.strip():
        raise Problem("bad_request", f"{where} is empty")
    if any(sign < " " or "\ud800" <= sign <= "\udfff" for sign in text):
        raise Problem("bad_request", f"{where} has a control character or half a surrogate pair")


# ---- writing ------------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A message as what JSON can hold: objects, lists, finite numbers, None for any other number.

    >>> plain({"a": (1.5, float("nan"))})
    {'a': [1.5, None]}
    """
    kind: Any = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str | int):
        return value
    inner = parts(value)
    if isinstance(inner, dict):
        return {name: part if type(part) in _AS_THEY_ARE else plain(part) for name, part in inner.items()}
    return [plain(part) for part in inner]


def parts(value: Any) -> Any:
    """A message or a mapping as a dictionary of its parts, anything else as a list of them.

    >>> parts(Bounds(1, 9)), parts((1, 2))
    ({'least': 1, 'most': 9}, [1, 2])
    """
    kind: Any = type(value)
    names = _names(kind)
    if names is not None:
        return {name: getattr(value, name) for name in names}
    return dict(value) if isinstance(value, Mapping) else list(value)


_AS_THEY_ARE = frozenset({str, int, bool, types.NoneType})


@cache
def _names(kind: type) -> tuple[str, ...] | None:
    """The fields of a message; None for what is none."""
    return tuple(field.name for field in dataclasses.fields(kind)) if is_dataclass(kind) else None


# ---- describing ---------------------------------------------------------------------------------------------------


class Schemas:
    """JSON Schemas of messages, each described once under its name.

    >>> @dataclass(frozen=True)
    ... class Word:
    ...     term: str
    ...     value: float | None = None
    >>> schemas = Schemas()
    >>> schemas.of(Word)
    {'$ref': '#/components/schemas/Word'}
    >>> schemas.components["Word"]["properties"]["value"]
    {'type': ['number', 'null'], 'default': None}
    """

    def __init__(self) -> None:
        self.components: dict[str, dict[str, Any]] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        """The schema of a type."""
        kind, bounds, _ = _split(kind)
        if _is_union(kind):
            return self._union(get_args(kind))
        if get_origin(kind) is Literal:
            return {"type": "string", "enum": list(get_args(kind))}
        if get_origin(kind) is tuple:
            return self._items(get_args(kind), bounds)
        if get_origin(kind) in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(get_args(kind)[1])}
        if is_dataclass(kind) and isinstance(kind, type):
            self._describe(kind)
            return {"$ref": f"#/components/schemas/{kind.__name__}"}
        return self._plain(kind, bounds)

    def _plain(self, kind: Any, bounds: Bounds | None) -> dict[str, Any]:
        names = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}
        schema: dict[str, Any] = {"type": names[kind]}
        if bounds is not None and kind is str:
            schema |= {"minLength": int(bounds.least), "maxLength": int(bounds.most)}
        elif bounds is not None:
            schema |= {"minimum": bounds.least, "maximum": bounds.most}
        return schema

    def _items(self, kinds: tuple[Any, ...], bounds: Bounds | None) -> dict[str, Any]:
        if kinds[-1] is not Ellipsis:
            return {"type": "array", "prefixItems": [self.of(kind) for kind in kinds]} | {
                "minItems": len(kinds),
                "maxItems": len(kinds),
            }
        schema: dict[str, Any] = {"type": "array", "items": self.of(kinds[0])}
        if bounds is not None:
            schema |= {"minItems": int(bounds.least), "maxItems": int(bounds.most)}
        return schema

    def _union(self, kinds: tuple[Any, ...]) -> dict[str, Any]:
        parts = [self.of(kind) for kind in kinds]
        if len(parts) == 2 and parts[1] == {"type": "null"} and isinstance(parts[0].get("type"), str):
            nullable = {**parts[0], "type": [parts[0]["type"], "null"]}
            return nullable | ({"enum": [*nullable["enum"], None]} if "enum" in nullable else {})
        return {"anyOf": parts}

    def _describe(self, message: type) -> None:
        if message.__name__ in self.components:
            return
        schema: dict[str, Any] = {
            "type": "object",
            "description": " ".join((message.__doc__ or "").split()),
            "additionalProperties": False,
        }
        self.components[message.__name__] = schema
        properties, required = {}, []
        for field in fields(message):
            described = self.of(hints(message)[field.name])
            if field.default is MISSING:
                required.append(field.name)
            else:
                described = {**described, "default": plain(field.default)}
            properties[field.name] = described
        schema |= {"properties": properties, "required": required}
