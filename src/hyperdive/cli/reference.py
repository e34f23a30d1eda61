"""The reference of the command line, `docs/cli.md`, made from the verbs themselves: `make docs` writes it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import typer

from hyperdive.cli.main import VERBS, app

_INTRODUCTION = """# The command line

Made from the program's own help texts (`make docs`). Results go to stdout, progress and notes to stderr. Exit codes:
0 fine, 1 failed, 2 wrong usage. Every error is one line that says what to type next.

| verb | does |
| --- | --- |
"""


def reference() -> str:
    """The whole page."""
    group: Any = typer.main.get_command(app)
    parts = [_INTRODUCTION]
    parts += [f"| [`{verb}`](#hyperdive-{verb}) | {text} |\n" for verb, text in VERBS.items()]
    for verb in VERBS:
        command = group.get_command(None, verb)
        parts.append(f"\n## `hyperdive {verb}`\n\n{_help(command)}\n")
        commands: dict[str, Any] = getattr(command, "commands", {})
        if commands:
            for name, sub in commands.items():
                parts.append(f"\n### `hyperdive {verb} {name}`\n\n{_help(sub)}\n{_options(sub)}")
        else:
            parts.append(_options(command))
    return "".join(parts)


def _help(command: Any) -> str:
    return str(command.help or "").strip()


def _options(command: Any) -> str:
    rows = list(_rows(command))
    return "\n| option | meaning |\n| --- | --- |\n" + "".join(rows) if rows else ""


def _rows(command: Any) -> Iterator[str]:
    for parameter in command.params:
        if parameter.name == "help":
            continue
        argument = parameter.param_type_name == "argument"
        name = parameter.name.upper() if argument else _names(parameter)
        text = str(getattr(parameter, "help", "") or "").replace("|", "\\|")
        default = _default(parameter)
        choices = getattr(parameter.type, "choices", None)
        if choices:
            text += " One of " + ", ".join(f"`{getattr(choice, 'value', choice)}`" for choice in choices) + "."
        yield f"| {name} | {text}{f' Default: {default}.' if default else ''} |\n"


def _names(parameter: Any) -> str:
    return ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])


def _default(parameter: Any) -> str:
    shown = parameter.show_default
    if isinstance(shown, str):
        return shown
    if shown is False or parameter.default in (None, False, True) or callable(parameter.default) or parameter.required:
        return ""
    return f"`{getattr(parameter.default, 'value', parameter.default)}`"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(reference())
