"""Every error a user can cause is a `hyperdive.Error` that reads as one line: what, where, and what to type next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def one_line(text: str) -> str:
    """Text that may hold anything, safe to show in a terminal: no line breaks, no control characters.

    >>> one_line("a\\n b\\x1b[31m")
    'a b?[31m'
    """
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


class Error(Exception):
    """Base of all errors hyperdive raises on purpose.

    >>> print(Error("notes.txt: no such file", hint="check the path"))
    notes.txt: no such file (check the path)
    """

    def __init__(self, what: str, *, hint: str = "") -> None:
        self.what, self.hint = one_line(what), one_line(hint)
        super().__init__(f"{self.what} ({self.hint})" if self.hint else self.what)

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.args, vars(self))  # worker processes send their errors


class InputError(Error):
    """The user's text, pairs or other input cannot be used as it is."""


class OptionError(Error):
    """An option has a value that makes no sense here."""


class FormatError(Error):
    """A hyperdive artefact on disk is damaged, incomplete, of another kind or from a newer version."""


class OutputError(Error):
    """The result cannot be written where it was asked for."""


class DiskFullError(OutputError):
    """There is no room left where something is written."""


class MissingExtra(Error):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the '{extra}' extra", hint=f"type: {install_command(extra)}")


class UnknownWordError(Error, KeyError):
    """A word that is not there, with what may have been meant; `near` are similar spellings that are there."""

    def __init__(self, what: str, *, hint: str = "", near: Sequence[str] = ()) -> None:
        super().__init__(what, hint=hint)
        self.near = tuple(near)

    __str__ = Exception.__str__  # KeyError would show the repr


def _restored(kind: type[Error], args: tuple[Any, ...], state: dict[str, Any]) -> Error:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


def install_command(extra: str) -> str:
    """Return the command that installs an extra, in a clone of the repository or from the package index."""
    clone = Path(__file__).parents[2]
    if not (clone / "pyproject.toml").is_file():
        return f"pip install 'hyperdive[{extra}]'"
    return f"pip install -e '{'.' if clone == Path.cwd() else clone}[{extra}]'"
