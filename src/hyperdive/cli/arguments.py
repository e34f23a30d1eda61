"""From a command's function to its command line, with cyclopts.

A command is a function of positional arguments and one option class. Run as a program, this module writes
`docs/reference/commands.md`, the reference (`make docs`). Every option of the class is an option of the
command line, or with `rare` a name of `--set`; types are converted by cyclopts, values are checked by the class.
"""

from __future__ import annotations

import inspect
import io
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from cyclopts import App, CycloptsError, Parameter

from hyperdive.cli import COMMANDS, GROUPS
from hyperdive.errors import OptionError
from hyperdive.options import Option, Options, check_name

SHORT = {
    "output": "-o", "model": "-m", "top": "-n", "score": "-s", "scores": "-s", "terms": "-t", "root": "-r",
    "format": "-f", "datasets": "-d",
}  # fmt: skip
SET = "--set."


class Command(NamedTuple):
    """A function with its option class and the annotations of its positional arguments."""

    function: Callable[..., int | None]
    options: type[Options]
    positional: Mapping[str, Any]

    @classmethod
    def of(cls, function: Callable[..., int | None]) -> Command:
        """Read the signature of a command's function."""
        hints = get_type_hints(function, include_extras=True)
        positional = {
            name: hints[name]
            for name, one in inspect.signature(function).parameters.items()
            if name not in ("options", "given")
        }
        return cls(function, hints["options"], positional)

    @property
    def about(self) -> str:
        """Return the description of the command."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def ordered(self) -> dict[str, Option]:
        """Return all options, those of the command itself before those that it shares."""
        described = self.options.described()
        names = [name for kind in self.options.__mro__ for name in vars(kind).get("__annotations__", ())]
        return {name: described[name] for name in names if name in described}

    @property
    def named(self) -> dict[str, Option]:
        """Return the options with a flag of their own."""
        return {name: rule for name, rule in self.ordered.items() if not rule.rare}

    @property
    def rare(self) -> dict[str, Option]:
        """Return the options that `--set` reaches."""
        return {name: rule for name, rule in self.ordered.items() if rule.rare}

    def call(self, arguments: Mapping[str, Any]) -> int:
        """Run the command with what was typed; return its exit code."""
        given = {name: value for name, value in arguments.items() if name in self.options.described()}
        positional = [
            arguments.get(name, inspect.signature(self.function).parameters[name].default) for name in self.positional
        ]
        try:
            options = self.options.preset(given.get("preset_", "default"), **given)
        except OptionError as error:
            raise UsageError(self._flagged(str(error))) from None
        takes_given = "given" in inspect.signature(self.function).parameters
        return self.function(*positional, options=options, **({"given": given} if takes_given else {})) or 0

    def _flagged(self, message: str) -> str:
        """Begin a message with the option as it is typed."""
        name = message.partition(" ")[0]
        rule = self.options.described().get(name)
        return message if rule is None else f"{flags(name, rule)[0].replace(SET, '--set ')}{message[len(name) :]}"


class UsageError(Exception):
    """The command line is wrong."""


def flags(name: str, rule: Option) -> tuple[str, ...]:
    """Return an option as it is typed: `--top` and `-n`, or `--no-heads` for what is on by default."""
    shown = name.removesuffix("_")
    if rule.rare:
        return (f"{SET}{shown}",)
    long = f"--{shown.replace('_', '-')}"
    return (long, SHORT[name]) if name in SHORT else (long,)


def meaning(name: str, rule: Option) -> str:
    """Return the help text of an option with its choices, default and the paper's value."""
    default = rule.default
    facts = []
    if rule.choices:
        bounds = f", or {rule.low:.15g} or more" if rule.low is not None else ""
        facts.append(f"One of {', '.join(map(str, rule.choices))}{bounds}.")
    elif rule.high is not None and rule.high < 1e9:
        facts.append(f"Range: {rule.allowed}.")
    shown = {True: "yes", False: "no"}.get(default, default) if isinstance(default, bool) else default
    if rule.paper is not None:
        paper = {True: "yes", False: "no"}.get(rule.paper, rule.paper) if isinstance(rule.paper, bool) else rule.paper
        facts.append(f"Default: {shown}; paper: {paper}.")
    elif default is True and not rule.rare:
        facts.append(f"Turn off with {flags(name, rule)[0].replace('--', '--no-', 1)}.")
    elif default not in (None, False, (), "", MISSING):
        facts.append(f"Default: {shown}.")
    return " ".join([rule.help, *facts])


def typed(rule: Option) -> Any:
    """Return the type that the command line converts to: a file where a list or a file is allowed."""
    parts = [part for part in rule.alternatives if part is not NoneType]
    if Path in parts:
        return Path
    plain = [part for part in parts if part in (bool, int, float, str) or get_origin(part) in (Literal, tuple)]
    return Union[tuple(plain)]  # noqa: UP007


def load(name: str) -> Command:
    """Import a command."""
    module = import_module(f"hyperdive.cli.{COMMANDS[name][0]}")
    return Command.of(getattr(module, f"{name}_" if iskeyword(name) else name))


def build(name: str, command: Command) -> App:
    """Return the cyclopts app of a command."""
    parameters = []
    for place, annotation in command.positional.items():
        default = inspect.signature(command.function).parameters[place].default
        parameters.append(
            inspect.Parameter(place, inspect.Parameter.POSITIONAL_ONLY, default=default, annotation=annotation)
        )
    for key, rule in command.options.described().items():
        kind = typed(rule)
        on = kind is bool and not rule.rare and rule.default is not False
        details = Parameter(
            name=flags(key, rule), negative=f"--no-{flags(key, rule)[0][2:]}" if on else "", negative_iterable=(),
        )  # fmt: skip
        # cyclopts checks defaults too where pydantic is loaded; the class of the options holds the true ones
        default, annotation = (inspect.Parameter.empty, kind) if rule.default is MISSING else (None, kind | None)
        parameters.append(
            inspect.Parameter(
                key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[annotation, details]
            )
        )

    def function(*_: Any, **__: Any) -> None: ...

    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {one.name: one.annotation for one in parameters}
    app = App(name=f"hyperdive {name}", help_flags=(), version_flags=())
    app.default(function)
    return app


def parse(app: App, command: Command, tokens: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a command line by name."""
    _, bound, _ = app.parse_args(_ordered(tokens, command), exit_on_error=False, print_error=False)
    return dict(bound.arguments)


def help_page(name: str, command: Command) -> str:
    """Return the help text of a command."""
    from rich.console import Console
    from rich.table import Table

    places = [metavar(annotation) for annotation in command.positional.values()]
    rules = command.named.items()
    named = [(f"{', '.join(flags(key, rule))}{_value_name(rule)}", meaning(key, rule)) for key, rule in rules]
    if command.rare:
        rare = ", ".join(key.removesuffix("_") for key in command.rare)
        named.append(("--set NAME=VALUE", f"A rare setting, see docs/reference/commands.md: {rare}."))
    required = (f" {flags(key, rule)[0]}{_value_name(rule)}" for key, rule in rules if rule.default is MISSING)
    page = io.StringIO()
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    console = Console(file=page, width=width, markup=False, highlight=False, emoji=False)
    usage = f"Usage: hyperdive {name}{''.join(required)} [OPTIONS]{''.join(f' {place}' for place, _ in places)}"
    console.print(usage, *(f"\n{' '.join(part.split())}" for part in command.about.split("\n\n")), sep="\n")
    for title, rows in (("Arguments", places), ("Options", named)):
        table = Table(box=None, show_header=False, padding=(0, 2))
        table.add_column(max_width=28)
        for left, text in rows:
            table.add_row(left, text)
        if rows:
            console.print(f"\n{title}:")
            console.print(table)
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()) + "\n"


def _value_name(rule: Option) -> str:
    """Return what follows an option: nothing after a flag."""
    kind = typed(rule)
    names = {bool: "", int: " NUMBER", float: " NUMBER", Path: " PATH"}
    return names.get(kind, " VALUE")


def explain(error: CycloptsError) -> str:
    """Return one line on what is wrong with a command line."""
    text = " ".join(str(error).split()).replace(SET, "--set ")
    missing = text.removesuffix(" requires an argument.")
    return text.rstrip(".") if missing == text else f"{missing.rpartition(' ')[2]} is missing"


def _ordered(tokens: Sequence[str], command: Command) -> list[str]:
    """Put options before words, and rewrite `--set NAME=VALUE` to an option of its own."""
    rules = {name.removesuffix("_"): rule for name, rule in command.options.described().items()}
    valued = {flag for name, rule in rules.items() for flag in flags(name, rule) if typed(rule) is not bool}
    options: list[str] = []
    words: list[str] = []
    rest = list(tokens)
    while rest:
        token = rest.pop(0)
        if token == "--":
            words += rest
            break
        if not token.startswith("-") or token == "-":
            words.append(token)
        elif token == "--set" or token.startswith("--set="):
            setting = token.removeprefix("--set=") if token != "--set" else (rest.pop(0) if rest else "")
            options.append(_setting(setting, rules))
        else:
            options.append(token)
            if token in valued and rest:
                options.append(rest.pop(0))
    return [*options, "--", *words]


def _setting(setting: str, rules: Mapping[str, Option]) -> str:
    key, sign, value = setting.partition("=")
    key = key.strip().replace("-", "_")
    if not sign:
        raise UsageError(f"--set {setting}: write it as --set NAME=VALUE")
    try:
        check_name(key, rules)
    except OptionError as error:
        raise UsageError(f"--set {setting}: {error}") from None
    return f"{flags(key, rules[key])[0]}={value}"


def metavar(annotation: Any) -> tuple[str, str]:
    """Return the name and the help text of a positional argument."""
    details = next(one for one in get_args(annotation) if isinstance(one, Parameter))
    return str(details.name[0] if isinstance(details.name, tuple) else details.name), str(details.help)


# ---- the reference page -----------------------------------------------------------------------------------------

_INTRODUCTION = """# The command line

Generated from the options by `make docs`. Results go to stdout, progress and notes to stderr. Exit codes: 0 success,
1 failure, 2 usage error. Every error is one line that says what to do next.

Rare settings have no separate option: `--set NAME=VALUE`, which may be repeated, sets any of the names below it.

| group | command | does |
| --- | --- | --- |
"""


def reference() -> str:
    """Return the whole page."""
    parts = [_INTRODUCTION]
    for group, commands in GROUPS.items():
        parts += [f"| {group} | [`{name}`](#hyperdive-{name}) | {about} |\n" for name, (_, about) in commands.items()]
    parts += [_section(name) for commands in GROUPS.values() for name in commands]
    return "".join(parts)


def _section(name: str) -> str:
    command = load(name)
    rows = [metavar(annotation) for annotation in command.positional.values()]
    for key, rule in command.named.items():
        shown = flags(key, rule)
        off = (f"--no-{shown[0][2:]}",) if rule.default is True else ()
        rows.append((", ".join(f"`{flag}`" for flag in (*shown, *off)), meaning(key, rule)))
    if command.rare:
        rows.append(("`--set NAME=VALUE`", "A rare setting; may be repeated."))
        rows += [(f"`{key.removesuffix('_')}`", meaning(key, rule)) for key, rule in command.rare.items()]
    lines = [f"| {left} | {text} |\n".replace("|n)", "\\|n)") for left, text in rows]
    return f"\n## `hyperdive {name}`\n\n{command.about}\n\n| option | meaning |\n| --- | --- |\n{''.join(lines)}"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(reference())
