"""Generate `docs/cli.md`, the command-line reference, from the help texts (`make docs`)."""

from __future__ import annotations

import importlib
import inspect
import keyword
import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, get_args, get_type_hints

from hyperdive.cli.main import VERBS

_INTRODUCTION = """# The command line

Generated from the help texts by `make docs`. Results go to stdout, progress and notes to stderr. Exit codes: 0 success,
1 failure, 2 usage error. Every error is one line that says what to do next.

| verb | does |
| --- | --- |
"""


def reference() -> str:
    """The whole page."""
    parts = [_INTRODUCTION]
    parts += [f"| [`{verb}`](#hyperdive-{verb}) | {text} |\n" for verb, text in VERBS.items()]
    for verb in VERBS:
        name = f"{verb}_" if keyword.iskeyword(verb) else verb
        module = importlib.import_module(f"hyperdive.cli.{name}")
        rows = "".join(_rows(getattr(module, name)))
        about = inspect.cleandoc(module.__doc__ or "")
        parts.append(f"\n## `hyperdive {verb}`\n\n{about}\n\n| option | meaning |\n| --- | --- |\n{rows}")
    return "".join(parts)


def _rows(function: Callable[..., Any]) -> Iterator[str]:
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        kind, info = get_args(hints[name])[:2]
        choices = _choices(kind)
        one_of = f" One of {', '.join(f'`{choice}`' for choice in choices)}." if choices else ""
        default = _default(info, parameter.default)
        meaning = f"{info.help or ''}{one_of}{f' Default: {default}.' if default else ''}"
        yield f"| {_names(name, kind, info)} | {meaning.replace('|', chr(92) + '|')} |\n"


def _names(name: str, kind: Any, info: Any) -> str:
    if type(info).__name__ == "ArgumentInfo":
        return (info.metavar or name).upper()
    given = [one for one in (info.default, *(info.param_decls or ())) if isinstance(one, str)]
    if not given:
        flag = name.replace("_", "-")
        given = [f"--{flag}/--no-{flag}"] if bool in (kind, *get_args(kind)) else [f"--{flag}"]
    return ", ".join(f"`{part}`" for one in given for part in one.split("/"))


def _choices(kind: Any) -> list[str]:
    for one in (kind, *get_args(kind)):
        if isinstance(one, type) and issubclass(one, StrEnum):
            return [str(choice) for choice in one]
    return []


def _default(info: Any, value: Any) -> str:
    if isinstance(info.show_default, str):
        return info.show_default
    if info.show_default is False or value in (None, False, True, inspect.Parameter.empty):
        return ""
    return f"`{value}`"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(reference())
