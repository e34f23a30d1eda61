"""What a person knows better: edges of a taxonomy to force or to forbid, from a small file or an edited taxonomy."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hyperdive.errors import InputError
from hyperdive.taxonomy.names import normal
from hyperdive.text.word_lists import raw_lines

_SHAPE = "each line is force or forbid, the narrower term and the broader one, with tabs between them"
_TABLE_SHAPE = "each line has the columns of the first one, with tabs between them"
Pair = tuple[str, str]


@dataclass(frozen=True)
class Corrections:
    """Pairs (child, parent): `force` are edges that must be there, `forbid` are pairs that must not hold, however far.

    `roots` are terms that must have no parent, `spelled` the terms as they were written. Contradictions are errors that
    name them.

    >>> Corrections(force=[("tomato", "fruit")], forbid=[("tomato", "meat")])
    Corrections(force=(('tomato', 'fruit'),), forbid=(('tomato', 'meat'),), roots=())
    >>> Corrections(force=[("a", "b"), ("b", "c")], forbid=[("a", "c")])
    Traceback (most recent call last):
    hyperdive.errors.InputError: corrections: 'a' under 'c' is forbidden and forced: a → b → c (remove one of them)
    >>> Corrections(force=[("a", "b"), ("b", "a")])
    Traceback (most recent call last):
    hyperdive.errors.InputError: corrections: the forced edges form a cycle: a → b → a (remove one of them)
    """

    force: Sequence[Pair] = ()
    forbid: Sequence[Pair] = ()
    roots: Sequence[str] = ()
    spelled: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spelled", tuple(term for pair in self.force for term in pair))
        object.__setattr__(self, "roots", tuple(dict.fromkeys(map(normal, self.roots))))
        for name in ("force", "forbid"):
            pairs = dict.fromkeys((normal(child), normal(parent)) for child, parent in getattr(self, name))
            for child, parent in pairs:
                if not child or not parent or child == parent:
                    raise InputError(f"corrections: {name} {child!r} {parent!r} does not name two terms", hint=_SHAPE)
            object.__setattr__(self, name, tuple(pairs))
        above: dict[str, list[str]] = {}
        for child, parent in self.force:
            above.setdefault(child, []).append(parent)
        for child in self.roots:
            if child in above:
                raise InputError(
                    f"corrections: {child!r} is under {above[child][0]!r} and under nothing", hint="remove a line"
                )
        for child in above:
            circle = _path(child, child, above)
            if circle:
                raise InputError(
                    f"corrections: the forced edges form a cycle: {' → '.join(circle)}",
                    hint="remove one of them",
                )
        for child, parent in self.forbid:
            path = _path(child, parent, above)
            if path:
                raise InputError(
                    f"corrections: {child!r} under {parent!r} is forbidden and forced: {' → '.join(path)}",
                    hint="remove one of them",
                )

    def check_parents(self, most: int) -> None:
        """Refuse more forced parents for a term than a taxonomy may give it."""
        forced: dict[str, list[str]] = {}
        for child, parent in self.force:
            forced.setdefault(child, []).append(parent)
        for child, parents in forced.items():
            if len(parents) > most:
                raise InputError(
                    f"corrections: {child!r} is forced under {' and '.join(map(repr, parents))}, but a term may have "
                    f"{most} parent{'' if most == 1 else 's'}",
                    hint=f"remove a line, or allow more with --parents {len(parents)}",
                )

    def terms(self) -> list[str]:
        """The terms of the forced edges, which a taxonomy must have."""
        return list(dict.fromkeys(term for pair in self.force for term in pair))


def _path(start: str, end: str, above: dict[str, list[str]]) -> list[str]:
    """A way upwards from one term to another; empty when there is none."""
    came: dict[str, str] = {}
    waiting = [start]
    while waiting:
        here = waiting.pop()
        for parent in above.get(here, ()):
            if parent not in came:
                came[parent] = here
                waiting.append(parent)
    if end not in came:
        return []
    path = [end]
    while path[-1] != start or len(path) == 1:
        path.append(came[path[-1]])
    return path[::-1]


def read_corrections(path: str | Path) -> Corrections:
    """Corrections from a file: `force<TAB>child<TAB>parent` or `forbid<TAB>…` on each line, comments with #.

    Or from an edited taxonomy in the format `tsv`: its edges are forced, except those whose reason is `forbid`; a term
    without a parent has to have none.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "corrections.tsv"
    >>> _ = place.write_text("# mine\\nforce\\ttomato\\tfruit\\nforbid\\tTomato\\tmeat\\n")
    >>> read_corrections(place)
    Corrections(force=(('tomato', 'fruit'),), forbid=(('tomato', 'meat'),), roots=())
    >>> _ = place.write_text("child\\tparent\\treason\\ntomato\\tfruit\\t\\ntomato\\tmeat\\tforbid\\nfruit\\t\\t\\n")
    >>> read_corrections(place)
    Corrections(force=(('tomato', 'fruit'),), forbid=(('tomato', 'meat'),), roots=('fruit',))
    """
    lines = list(_lines(path))
    try:
        if lines and lines[0].split("\t")[:2] == ["child", "parent"]:
            return _from_table(lines[0].split("\t"), lines[1:])
        return _from_rules(lines)
    except InputError as error:
        raise InputError(f"{path}: {error.what.removeprefix('corrections: ')}", hint=error.hint) from None


def _from_rules(lines: Iterable[str]) -> Corrections:
    rules: dict[str, list[Pair]] = {"force": [], "forbid": []}
    for line in lines:
        verb, *terms = (field.strip() for field in line.split("\t"))
        if verb.lower() not in rules or len(terms) != 2:
            raise InputError(f"cannot be understood: {line[:60]!r}", hint=_SHAPE)
        rules[verb.lower()].append((terms[0], terms[1]))
    return Corrections(rules["force"], rules["forbid"])


def _from_table(columns: Sequence[str], lines: Iterable[str]) -> Corrections:
    """Corrections from the rows of an exported taxonomy."""
    force: list[Pair] = []
    forbid: list[Pair] = []
    roots: list[str] = []
    for line in lines:
        try:
            cells = [cell.strip() for cell in next(csv.reader([line], delimiter="\t"))]
        except csv.Error as error:
            raise InputError(f"cannot be understood ({error}): {line[:60]!r}", hint=_TABLE_SHAPE) from None
        row = dict(zip(columns, cells, strict=False))
        child, parent = row.get("child", ""), row.get("parent", "")
        if not child or len(cells) > len(columns):
            raise InputError(f"cannot be understood: {line[:60]!r}", hint=_TABLE_SHAPE)
        if not parent:
            roots.append(child)
        else:
            (forbid if row.get("reason", "").lower() == "forbid" else force).append((child, parent))
    return Corrections(force, forbid, roots)


def _lines(path: str | Path) -> Iterable[str]:
    for line in raw_lines(Path(path), "file of corrections", hint="check the path"):
        if "\0" in line:
            raise InputError("not a text file", hint=_SHAPE)
        yield line
