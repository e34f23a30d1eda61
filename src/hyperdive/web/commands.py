"""The command and the Python lines that give what an answer shows."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from hyperdive.spaces.packaged_models import DEFAULT
from hyperdive.web.messages import Commands


def commands(
    model: str, verb: str, words: Sequence[str] = (), options: Mapping[str, Any] | None = None, *, method: str = ""
) -> Commands:
    """The shell line and the Python lines of a question.

    Args:
        model: The folder or the name of the model, as the server was given it.
        verb: The verb of the command line.
        words: Its arguments.
        options: Its options by their Python names; None is left out, and a list names a file of terms.
        method: The method of `hyperdive.Model`, if it is called otherwise than the verb.

    >>> both = commands("en-wiki", "hypernyms", ["hot dog"], {"top": 5, "score": None})
    >>> both.cli
    "hyperdive hypernyms 'hot dog' --top 5"
    >>> print(both.python)
    from hyperdive import load
    model = load('en-wiki')
    print(model.hypernyms('hot dog', top=5))
    """
    chosen = {name: value for name, value in (options or {}).items() if value is not None}
    lines = ["from hyperdive import load", f"model = load({model!r})"]
    lines += [f"{name} = {list(value)!r}" for name, value in chosen.items() if isinstance(value, tuple)]
    keywords = [f"{name}={name if isinstance(value, tuple) else repr(value)}" for name, value in chosen.items()]
    given = [repr(list(words))] if verb in ("hypernyms", "hyponyms", "similar") and len(words) > 1 else map(repr, words)
    call = f"print(model.{method or verb}({', '.join([*given, *keywords])}))"
    return Commands(shlex.join(_shell(model, verb, words, chosen)), "\n".join([*lines, call]))


def _shell(model: str, verb: str, words: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    line = ["hyperdive", verb]
    named = [] if model == DEFAULT else ["-m", model]
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, tuple):
            named += [flag, f"{name}.txt"]
        elif value is False:
            named.append(f"--no-{name}")
        elif name == "evidence" or value is True:
            named.append(flag)
        else:
            named += [flag, str(value)]
    if any(word.startswith("-") for word in words):
        return [*line, *named, "--", *words]
    return [*line, *words, *named]
