"""A file of corrections that programs edit step by step: read, checked, changed and saved whole, with a version.

The version is a hash of the content, so a change by another window, another program or an editor is noticed, and it
means the same after a restart. Two servers with one file change it one after the other: a lock file beside it is held
from the comparison of versions to the end of writing. Comments and the order of lines stay.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hyperdive._atomic import explain_os_errors, write_file
from hyperdive._lines import MAX_BYTES
from hyperdive._locks import exclusive
from hyperdive.errors import Error, InputError
from hyperdive.taxonomy.corrections import VERBS, Corrections, corrections_of, read_rule
from hyperdive.taxonomy.names import normal

Rule = tuple[str, ...]
"""A verb and its terms: ("force", "dog", "animal")."""
_HEADING = "# Corrections of a taxonomy: see docs/taxonomy.md. One on a line, with tabs between verb and terms.\n"
_EMPTY = hashlib.sha256(b"").hexdigest()[:16]


class VersionConflict(Error):
    """The file is no longer what the change was made for; `version` is its present version."""

    def __init__(self, version: str) -> None:
        self.version = version
        super().__init__(
            "the corrections were changed meanwhile, in another window or by another program",
            hint="look at the present ones and repeat the change",
        )


class Contradiction(Error):
    """A change that the other corrections exclude."""


@dataclass(frozen=True)
class Snapshot:
    """The corrections of a file at one moment."""

    version: str
    rules: tuple[Rule, ...]

    @property
    def corrections(self) -> Corrections:
        """What they mean."""
        return corrections_of(self.rules)


@dataclass(frozen=True)
class Change:
    """Rules to add and rules to remove."""

    add: tuple[Rule, ...] = ()
    remove: tuple[Rule, ...] = ()

    @property
    def reverse(self) -> Change:
        """The change that undoes this one."""
        return Change(self.remove, self.add)


class CorrectionsFile:
    """Corrections in a file, which need not exist yet.

    >>> import tempfile
    >>> file = CorrectionsFile(Path(tempfile.mkdtemp()) / "pets.corrections.tsv")
    >>> first = file.read()
    >>> saved, change = file.change(first.version, Change(add=(("force", "dog", "animal"),)))
    >>> change, file.read() == saved
    (Change(add=(('force', 'dog', 'animal'),), remove=()), True)
    >>> file.change(first.version, Change(add=(("root", "animal"),)))
    Traceback (most recent call last):
    hyperdive.taxonomy.corrections_file.VersionConflict: the corrections were changed meanwhile, ...
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()

    def read(self) -> Snapshot:
        """The present corrections; a line that cannot be understood is an error."""
        return self._parsed(self._text())

    def change(self, version: str, change: Change) -> tuple[Snapshot, Change]:
        """Save a change to the corrections of this version: all of it or nothing; returns what really changed.

        Rules that are there already are not added again, rules that are not there are not removed.
        """
        with self._alone():
            text = self._text()
            present = self._parsed(text)
            if present.version != version:
                raise VersionConflict(present.version)
            remove = {_key(rule) for rule in change.remove}
            add = {_key(rule): rule for rule in change.add}
            lines, removed, there = [], [], set()
            for line in text.splitlines(keepends=True):
                rule = _rule(line)
                if rule is not None and _key(rule) in remove and _key(rule) not in add:
                    removed.append(rule)
                    continue
                if rule is not None:
                    there.add(_key(rule))
                lines.append(line if line.endswith("\n") else f"{line}\n")
            added = [rule for key, rule in add.items() if key not in there]
            actual = Change(tuple(added), tuple(removed))
            if not added and not removed:
                return present, actual
            lines += ([] if lines else [_HEADING]) + ["\t".join(rule) + "\n" for rule in added]
            changed = "".join(lines)
            result = self._parsed(changed)
            _check(result)
            write_file(self.path, changed)
            return result, actual

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other thread and no other program that changes the file this way does so meanwhile."""
        with self._lock, explain_os_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with exclusive(self.path.with_name(f".{self.path.name}.lock")):
                yield

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

    def _parsed(self, text: str) -> Snapshot:
        try:
            rules = [rule for line in text.splitlines() if (rule := _rule(line)) is not None]
        except InputError as error:
            raise InputError(f"{self.path}: {error.what}", hint=error.hint) from None
        version = hashlib.sha256(text.encode()).hexdigest()[:16] if text else _EMPTY
        return Snapshot(version, tuple(dict.fromkeys(rules)))


def _check(snapshot: Snapshot) -> None:
    for rule in snapshot.rules:
        if len(rule) != VERBS.get(rule[0], 0) + 1 or not all(normal(term) for term in rule[1:]):
            raise Contradiction(f"{' '.join(rule)!r} is no correction")
    try:
        snapshot.corrections  # noqa: B018
    except InputError as error:
        raise Contradiction(error.what.removeprefix("corrections: "), hint=error.hint) from None


def _rule(line: str) -> Rule | None:
    """The rule of a line; None for a comment or an empty line."""
    return None if not line.strip() or line.startswith("#") else read_rule(line)


def _key(rule: Sequence[str]) -> Rule:
    """What makes two rules the same: the spelling of a new name counts, that of terms does not."""
    verb, first, *others = rule
    return (verb, normal(first), *(" ".join(term.split()) if verb == "rename" else normal(term) for term in others))
