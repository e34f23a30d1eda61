"""What a person knows better: corrections of a taxonomy, from a small file or an edited taxonomy.

Each line of the file is a verb and one or two terms with tabs between them:

| line | means |
| --- | --- |
| `force child parent` | the edge is there, whatever the model says |
| `forbid child parent` | the child is not below the parent, at any distance |
| `root term` | the term has no parent |
| `merge synonym term` | the first is another name of the second and no term of its own |
| `rename term name` | the term is shown under this name |
| `add term` | the term is there, also when the model does not know it |
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hyperdive._lines import read_lines
from hyperdive.errors import InputError
from hyperdive.taxonomy.names import normal

VERBS = {"force": 2, "forbid": 2, "root": 1, "merge": 2, "rename": 2, "add": 1}
"""The verbs of a line, and how many terms each has."""
_SHAPE = "each line is force, forbid, merge or rename and two terms, or root or add and a term, with tabs between them"
_TABLE_SHAPE = "each line has the columns of the first one, with tabs between them"
Pair = tuple[str, str]


@dataclass(frozen=True)
class Corrections:
    """Pairs (child, parent): `force` are edges that must be there, `forbid` are pairs that must not hold, however far.

    `roots` are terms that must have no parent. `merge` are pairs (synonym, term), `rename` pairs (term, name to show),
    `add` terms to add. Synonyms and new names in other corrections stand for their terms. `spelled` are the terms as
    they were written. Contradictions are errors that name them.

    >>> Corrections(force=[("tomato", "fruit")], forbid=[("tomato", "meat")]).forbid
    (('tomato', 'meat'),)
    >>> Corrections(merge=[("Tomatoe", "tomato")], force=[("tomatoe", "fruit")]).force
    (('tomato', 'fruit'),)
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
    merge: Sequence[Pair] = ()
    rename: Sequence[Pair] = ()
    add: Sequence[str] = ()
    spelled: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _terms_of_names: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spelled", (*(term for pair in self.force for term in pair), *self.add))
        self._settle_names()
        object.__setattr__(self, "roots", tuple(dict.fromkeys(map(self.stands_for, self.roots))))
        object.__setattr__(self, "add", tuple(dict.fromkeys(map(self.stands_for, self.add))))
        for term in (*self.roots, *self.add):
            if not term:
                raise InputError("corrections: a term is missing", hint=_SHAPE)
        for name in ("force", "forbid"):
            pairs = dict.fromkeys(tuple(map(self.stands_for, pair)) for pair in getattr(self, name))
            for child, parent in pairs:
                if not child or not parent or child == parent:
                    raise InputError(f"corrections: {name} {child!r} {parent!r} does not name two terms", hint=_SHAPE)
            object.__setattr__(self, name, tuple(pairs))
        self._check_edges()

    def _settle_names(self) -> None:
        """Bring merged terms and new names into order, which the other corrections may use."""
        merge = tuple(dict.fromkeys((normal(synonym), normal(term)) for synonym, term in self.merge))
        rename = tuple(dict.fromkeys((normal(term), " ".join(name.split())) for term, name in self.rename))
        for verb, pairs in (("merge", merge), ("rename", rename)):
            for first, second in pairs:
                if not first or not second or (verb == "merge" and first == second):
                    raise InputError(f"corrections: {verb} {first!r} {second!r} does not name two terms", hint=_SHAPE)
                others = [other for one, other in pairs if one == first]
                if len(others) > 1:
                    what = "merged into" if verb == "merge" else "renamed to"
                    raise InputError(
                        f"corrections: {first!r} is {what} {' and '.join(map(repr, others))}", hint="remove one of them"
                    )
        object.__setattr__(self, "merge", merge)
        object.__setattr__(self, "rename", rename)
        circle = next((way for synonym, _ in merge if (way := _path(synonym, synonym, _above(merge)))), None)
        if circle:
            raise InputError(
                f"corrections: terms are merged in a cycle: {' → '.join(circle)}", hint="remove one of them"
            )
        merged = dict(merge)
        shown = {normal(name): term for term, name in rename if normal(name) != term and normal(name) not in merged}
        settled = {}
        for name in (*merged, *shown):
            term = merged.get(name) or shown[name]
            while term in merged:
                term = merged[term]
            settled[name] = term
        object.__setattr__(self, "_terms_of_names", settled)

    def _check_edges(self) -> None:
        above = _above(self.force)
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

    def stands_for(self, name: str) -> str:
        """The term that a name stands for: one that was merged or renamed for another, any other for itself.

        >>> rules = Corrections(merge=[("moggy", "cat")], rename=[("cat", "House cat")])
        >>> rules.stands_for("Moggy"), rules.stands_for("house cat"), rules.stands_for("Dog")
        ('cat', 'cat', 'dog')
        """
        name = normal(name)
        return self._terms_of_names.get(name, name)

    def check_parents(self, most: int) -> None:
        """Refuse more forced parents for a term than a taxonomy may give it."""
        for child, parents in _above(self.force).items():
            if len(parents) > most:
                raise InputError(
                    f"corrections: {child!r} is forced under {' and '.join(map(repr, parents))}, but a term may have "
                    f"{most} parent{'' if most == 1 else 's'}",
                    hint=f"remove a line, or allow more with --parents {len(parents)}",
                )

    def concerning(self, terms: Iterable[str]) -> Corrections:
        """These corrections without forced edges that no chain of forced edges connects with any of these terms.

        >>> rules = Corrections(force=[("dog", "animal"), ("animal", "being"), ("car", "vehicle")])
        >>> rules.concerning(["Dog"]).force
        (('dog', 'animal'), ('animal', 'being'))
        """
        present = {*map(self.stands_for, terms), *self.add}
        waiting = list(self.force)
        while reached := [pair for pair in waiting if present.intersection(pair)]:
            present.update(term for pair in reached for term in pair)
            waiting = [pair for pair in waiting if not present.intersection(pair)]
        part = replace(self, force=[pair for pair in self.force if pair not in waiting])
        object.__setattr__(part, "spelled", self.spelled)
        return part

    def terms(self) -> list[str]:
        """The terms of the forced edges and the added ones, which a taxonomy must have."""
        return list(dict.fromkeys([*(term for pair in self.force for term in pair), *self.add]))


def _above(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    above: dict[str, list[str]] = {}
    for child, parent in pairs:
        above.setdefault(child, []).append(parent)
    return above


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
    """Corrections from a file, one on each line (see the top of this module), comments with #.

    Or from an edited taxonomy in the format `tsv`: its edges are forced, except those whose reason is `forbid`; a term
    without a parent has to have none.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "corrections.tsv"
    >>> _ = place.write_text("# mine\\nforce\\ttomato\\tfruit\\nforbid\\tTomato\\tmeat\\n")
    >>> read_corrections(place).force
    (('tomato', 'fruit'),)
    >>> _ = place.write_text("child\\tparent\\treason\\ntomato\\tfruit\\t\\ntomato\\tmeat\\tforbid\\nfruit\\t\\t\\n")
    >>> edited = read_corrections(place)
    >>> edited.force, edited.forbid, edited.roots
    ((('tomato', 'fruit'),), (('tomato', 'meat'),), ('fruit',))
    """
    lines = list(read_lines(path, "file of corrections"))
    where = str(path)
    try:
        if lines and lines[0][1].split("\t")[:2] == ["child", "parent"]:
            return _from_table(lines[0][1].split("\t"), lines[1:])
        rules = []
        for number, line in lines:
            where = f"{path}: line {number}"
            rules.append(read_rule(line))
        where = str(path)
        return corrections_of(rules)
    except InputError as error:
        raise InputError(f"{where}: {error.what.removeprefix('corrections: ')}", hint=error.hint) from None


def read_rule(line: str) -> tuple[str, ...]:
    """One line as a verb and its terms.

    >>> read_rule("Force\\ttomato \\tfruit"), read_rule("root\\tfood")
    (('force', 'tomato', 'fruit'), ('root', 'food'))
    """
    verb, *terms = (field.strip() for field in line.rstrip("\n").split("\t"))
    if len(terms) != VERBS.get(verb.lower()):
        raise InputError(f"cannot be understood: {line[:60]!r}", hint=_SHAPE)
    return (verb.lower(), *terms)


def corrections_of(rules: Iterable[tuple[str, ...]]) -> Corrections:
    """Corrections from verbs with their terms.

    >>> corrections_of([("force", "tomato", "fruit"), ("root", "food")])
    Corrections(force=(('tomato', 'fruit'),), forbid=(), roots=('food',), merge=(), rename=(), add=())
    """
    pairs: dict[str, list[Pair]] = {"force": [], "forbid": [], "merge": [], "rename": []}
    terms: dict[str, list[str]] = {"root": [], "add": []}
    for verb, first, *second in rules:
        if verb in pairs:
            pairs[verb].append((first, second[0]))
        else:
            terms[verb].append(first)
    return Corrections(**pairs, roots=terms["root"], add=terms["add"])


def _from_table(columns: Sequence[str], lines: Iterable[tuple[int, str]]) -> Corrections:
    """Corrections from the rows of an exported taxonomy."""
    force: list[Pair] = []
    forbid: list[Pair] = []
    roots: list[str] = []
    for number, line in lines:
        try:
            cells = [cell.strip() for cell in next(csv.reader([line], delimiter="\t"))]
        except csv.Error as error:
            raise InputError(f"line {number} cannot be read ({error}): {line[:60]!r}", hint=_TABLE_SHAPE) from None
        row = dict(zip(columns, cells, strict=False))
        child, parent = row.get("child", ""), row.get("parent", "")
        if not child or len(cells) > len(columns):
            raise InputError(f"line {number} is not a row of the table: {line[:60]!r}", hint=_TABLE_SHAPE)
        if not parent:
            roots.append(child)
        else:
            (forbid if row.get("reason", "").lower() == "forbid" else force).append((child, parent))
    return Corrections(force, forbid, roots)
