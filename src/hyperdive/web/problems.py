"""Errors as a client of the API sees them: a status, a code, one line for a person, and what to do."""

from __future__ import annotations

from collections.abc import Mapping

from hyperdive.errors import Error, InputError, MissingExtra, OptionError, OutputError, UnknownWordError, one_line
from hyperdive.taxonomy.corrections_file import Contradiction, VersionConflict

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


class Problem(Exception):
    """An answer that is an error.

    >>> Problem("unknown_model", "there is no model 'x'").status
    404
    """

    def __init__(
        self, code: str, message: str, *, hint: str = "", near: tuple[str, ...] = (), version: str | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.status = code, CODES[code]
        self.message, self.hint, self.near, self.version = one_line(message), one_line(hint), near, version

    def content(self) -> dict[str, object]:
        """The body of the answer."""
        error: dict[str, object] = {
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "near": list(self.near),
        }
        return {"error": error if self.version is None else {**error, "version": self.version}}


def problem_of(error: Error) -> Problem:
    """How an error of the package is answered.

    >>> problem_of(OptionError("the number of answers must be 1 or more")).code
    'bad_request'
    """
    if isinstance(error, UnknownWordError):
        return Problem("unknown_term", error.what, hint=error.hint, near=error.near)
    if isinstance(error, VersionConflict):
        return Problem("version_conflict", error.what, hint=error.hint, version=error.version)
    codes: tuple[tuple[type[Error], str], ...] = (
        (Contradiction, "contradiction"),
        (OptionError, "bad_request"),
        (OutputError, "not_writable"),
        (InputError, "unanswerable"),
        (MissingExtra, "unanswerable"),
    )
    code = next((code for kind, code in codes if isinstance(error, kind)), "unanswerable")
    return Problem(code, error.what, hint=error.hint)
