"""Errors as a client of the API sees them: a status, a code, a message, a hint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hyperdive.errors import Error, InputError, MissingExtra, OptionError, OutputError, UnknownWordError, one_line
from hyperdive.taxonomy.corrections import Contradiction, VersionConflict

CODES: Mapping[str, int] = {
    "bad_request": 400,
    "token_required": 401,
    "cross_origin": 403,
    "read_only": 403,
    "not_writable": 403,
    "not_found": 404,
    "unknown_model": 404,
    "unknown_term": 404,
    "unknown_taxonomy": 404,
    "method_not_allowed": 405,
    "timeout": 408,
    "version_conflict": 409,
    "contradiction": 409,
    "not_finished": 409,
    "too_large": 413,
    "unsupported_media_type": 415,
    "wrong_host": 421,
    "unanswerable": 422,
    "too_many": 429,
    "failed": 500,
    "unavailable": 503,
}
"""Every code and its status."""
_CODES_OF_ERRORS: Mapping[type[Error], str] = {
    UnknownWordError: "unknown_term",
    VersionConflict: "version_conflict",
    Contradiction: "contradiction",
    OptionError: "bad_request",
    OutputError: "not_writable",
    InputError: "unanswerable",
    MissingExtra: "unanswerable",
}


@dataclass(frozen=True)
class Failure:
    """An error: a code for programs, a message, a hint, similar spellings; of a conflict also the present version."""

    code: str
    message: str
    hint: str
    near: tuple[str, ...]
    version: str | None = None


class Problem(Exception):
    """An answer that is an error.

    >>> Problem("unknown_model", "there is no model 'x'").status
    404
    """

    def __init__(
        self, code: str, message: str, *, hint: str = "", near: tuple[str, ...] = (), version: str | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.failure = CODES[code], Failure(code, one_line(message), one_line(hint), near, version)

    def content(self) -> dict[str, object]:
        """Return the body of the answer."""
        return {"error": {name: value for name, value in vars(self.failure).items() if value is not None}}


def problem_of(error: Error) -> Problem:
    """Return the answer to an error of the package.

    >>> problem_of(OptionError("the number of answers must be 1 or more")).failure.code
    'bad_request'
    """
    code = next((code for kind, code in _CODES_OF_ERRORS.items() if isinstance(error, kind)), "unanswerable")
    near, version = getattr(error, "near", ()), getattr(error, "version", None)
    return Problem(code, error.what, hint=error.hint, near=near, version=version)
