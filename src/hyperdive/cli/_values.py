"""Values of the command line that need no conversion.

Newer releases of typer convert every value with pydantic, which takes a tenth of a second to load. A word, a number, or
an option that was not given needs none of that; everything else is left to typer.
"""

from __future__ import annotations

from functools import partial
from typing import Any


def sparing(parameters: list[Any]) -> list[Any]:
    """The parameters of a command, which take plain values as they are."""
    for parameter in parameters:
        if getattr(parameter, "type_descriptor", None) is not None and "process_value" not in vars(parameter):
            parameter.process_value = partial(_value, parameter, parameter.process_value)
    return parameters


def _value(parameter: Any, convert: Any, context: Any, value: Any) -> Any:
    wanted, limits = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
    if value is None and not parameter.required and not parameter.multiple and parameter.nargs == 1:
        return None if parameter.callback is None else parameter.callback(context, parameter, None)
    if parameter.callback is not None:
        return convert(context, value)
    if wanted is str and isinstance(value, str):
        return value
    if wanted == list[str] and isinstance(value, tuple | list) and value and all(isinstance(v, str) for v in value):
        return list(value)
    if wanted is int and (number := _number(value)) is not None and _within(number, limits.min, limits.max):
        return number
    return convert(context, value)


def _number(value: Any) -> int | None:
    if isinstance(value, str):
        return int(value) if value.isascii() and value.isdecimal() else None
    return value if type(value) is int else None


def _within(number: int, low: float | None, high: float | None) -> bool:
    return (low is None or number >= low) and (high is None or number <= high)
