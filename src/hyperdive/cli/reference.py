"""Generate `docs/reference/commands.md`, the command-line reference, from the options (`make docs`)."""

from __future__ import annotations

import sys

from hyperdive.cli import GROUPS
from hyperdive.cli.arguments import flags, load, meaning, metavar

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
