"""Options, each defined once: type, default, bounds, the paper's value and help.

An option is a field of a frozen dataclass that derives from `Options`. The command line, the Python signatures, the
HTTP schema, the recorded parameters and the reference pages are derived from these fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from inspect import Parameter, Signature
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Self, Union, get_args, get_origin, get_type_hints

from hyperdive.errors import OptionError


class Option(NamedTuple):
    """What is known of an option besides its name: one row of a reference page."""

    type: Any
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    paper: Any = None
    rare: bool = False

    @property
    def choices(self) -> tuple[Any, ...]:
        """The allowed values, where they can be listed."""
        return tuple(value for part in _parts(self.type) if get_origin(part) is Literal for value in get_args(part))

    @property
    def allowed(self) -> str:
        """The allowed values, for messages and reference pages.

        >>> Option(int, 100, "Number of dimensions.", low=1, high=10_000).allowed, Option(float, 0.5, "", low=0).allowed
        ('1 to 10000', '0 or more')
        """
        if self.choices:
            return ", ".join(map(str, self.choices))
        if self.low is None:
            return ""
        return f"{self.low:.15g} or more" if self.high is None else f"{self.low:.15g} to {self.high:.15g}"


def option(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    paper: Any = None,
    rare: bool = False,
) -> Any:
    """Define an option as a field of a dataclass.

    Args:
        default: The value when the user gives none.
        help: One sentence for help texts and reference pages.
        low: Smallest allowed number.
        high: Largest allowed number.
        paper: The paper's value, where it differs from the default.
        rare: On the command line, reached by `--set name=value` instead of an option of its own.
    """
    return field(default=default, metadata={"help": help, "low": low, "high": high, "paper": paper, "rare": rare})


@dataclass(frozen=True, kw_only=True)
class Options:
    """Base of all option classes; values are checked when an instance is made.

    >>> @dataclass(frozen=True, kw_only=True)
    ... class VectorOptions(Options):
    ...     dimensions: int = option(100, "Number of dimensions.", low=1, high=10_000, paper=100)
    ...     solver: Literal["fast", "paper"] = option("fast", "Solver.")
    >>> VectorOptions(dimensions=0)
    Traceback (most recent call last):
    hyperdive.errors.OptionError: dimensions is 0 (use 1 to 10000; the paper's value is 100)
    >>> VectorOptions.of({"solvr": "paper"})
    Traceback (most recent call last):
    hyperdive.errors.OptionError: no option 'solvr' (did you mean solver?)
    """

    def __post_init__(self) -> None:
        for name, rule in self.described().items():
            _check(name, getattr(self, name), rule)

    @classmethod
    @cache
    def described(cls) -> Mapping[str, Option]:
        """Return every option with its type, default, bounds and help, by name."""
        hints = get_type_hints(cls)
        return {one.name: Option(hints[one.name], one.default, **one.metadata) for one in fields(cls) if one.metadata}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the options with these values; an unknown name is an error that suggests a similar one."""
        names = {one.name for one in fields(cls)}
        for name in values:
            if name not in names:
                near = get_close_matches(name, names, 1)
                hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(sorted(names))}"
                raise OptionError(f"no option {name!r}", hint=hint)
        return cls(**values)

    @classmethod
    def signature(cls, *before: Parameter) -> Signature:
        """Return the signature of a function that takes these options as keywords, after the parameters `before`."""
        own = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=rule.default, annotation=rule.type)
            for name, rule in cls.described().items()
        ]
        return Signature([*before, *own])


def _parts(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a union, or the one type."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _check(name: str, value: Any, rule: Option) -> None:
    parts = _parts(rule.type)
    if value is None and NoneType in parts:
        return
    hint = f"use {rule.allowed}" if rule.allowed else ""
    if rule.paper is not None and hint:
        hint += f"; the paper's value is {rule.paper}"
    if rule.choices and value in rule.choices and not isinstance(value, bool):
        return
    plain = {part for part in parts if part in (bool, int, float, str)}
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = (
        (bool in plain and isinstance(value, bool))
        or (str in plain and isinstance(value, str))
        or (int in plain and number and isinstance(value, int))
        or (float in plain and number)
    )
    if (
        not fits
        and (plain or rule.choices)
        and all(part in (bool, int, float, str, NoneType) or get_origin(part) is Literal for part in parts)
    ):
        expected = " or ".join(sorted(part.__name__ for part in plain))
        raise OptionError(f"{name} is {value!r}", hint=hint or f"it must be of type {expected}")
    if number:
        too_low = rule.low is not None and not value >= rule.low
        too_high = rule.high is not None and not value <= rule.high
        if too_low or too_high or value != value:
            raise OptionError(f"{name} is {value}", hint=hint)
