"""A file of corrections that programs edit step by step: read, checked, changed and saved whole, with a version.

The version is a hash of the content, so a change by another window, another program or an editor is noticed, and it
stays the same after a restart. Two servers with one file change it one after the other: a lock file beside it is held
from the comparison of versions to the end of writing. Comments and the order of lines stay.
"""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

from hyperdive._atomic import explain_os_errors, write_file
from hyperdive._lines import MAX_BYTES
from hyperdive._locks import exclusive
from hyperdive.errors import Error, InputError
from hyperdive.taxonomy.corrections import Corrections, Rule, read_rule

_HEADING = "# Corrections of a taxonomy: an operation and its terms, tab-separated. See docs/reference/formats.md.\n"


class VersionConflict(Error):
    """The file was changed after the corrections were read; `version` is its present version."""

    def __init__(self, version: str) -> None:
        self.version = version
        super().__init__(
            "the corrections were changed meanwhile, in another window or by another program",
            hint="look at the present ones and repeat the change",
        )


class CorrectionsFile:
    """Corrections in a file, which need not exist yet.

    >>> import tempfile
    >>> file = CorrectionsFile(Path(tempfile.mkdtemp()) / "pets.corrections.tsv")
    >>> first = file.read()
    >>> saved = file.save(first.changed([("force", "dog", "animal")]))
    >>> file.read() == saved, saved.rules
    (True, (('force', 'dog', 'animal'),))
    >>> file.save(first.changed([("root", "animal")]))
    Traceback (most recent call last):
    hyperdive.taxonomy.corrections_file.VersionConflict: the corrections were changed meanwhile, ...
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()

    def read(self) -> Corrections:
        """Return the present corrections, which may contradict each other; a line that is no rule is an error."""
        return self._parsed(self._text())

    def save(self, corrections: Corrections) -> Corrections:
        """Save corrections that were made from the present version: all of them or nothing."""
        with self._lock, explain_os_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with exclusive(self.path.with_name(f".{self.path.name}.lock")):
                text = self._text()
                present = self._parsed(text)
                if present.version != corrections.version:
                    raise VersionConflict(present.version)
                added, removed = corrections.without(present), present.without(corrections)
                if not added and not removed:
                    return present
                lines = text.splitlines(keepends=True) or [_HEADING]
                kept = "".join(line for line in lines if _rule(line) not in removed)
                kept += "" if not kept or kept.endswith("\n") else "\n"
                changed = kept + "".join("\t".join(rule) + "\n" for rule in added)
                saved = self._parsed(changed).check()
                write_file(self.path, changed)
                return saved

    def _text(self) -> str:
        try:
            if self.path.is_file() and self.path.stat().st_size > MAX_BYTES:
                raise InputError(f"{self.path}: too large for a file of corrections")
            return self.path.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            raise InputError(f"{self.path}: not UTF-8 text (byte {error.start})") from None
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read ({error.strerror})", hint="check the permissions") from None

    def _parsed(self, text: str) -> Corrections:
        try:
            rules = [rule for line in text.splitlines() if (rule := _rule(line)) is not None]
        except InputError as error:
            raise InputError(f"{self.path}: {error.what}", hint=error.hint) from None
        return Corrections(rules, hashlib.sha256(text.encode()).hexdigest()[:16])


def _rule(line: str) -> Rule | None:
    """The rule of a line; None for a comment or an empty line."""
    return None if not line.strip() or line.startswith("#") else read_rule(line)
