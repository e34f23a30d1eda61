"""Corrections of a taxonomy: what an expert decides, read from a small file or from an edited taxonomy.

Each line of the file is a verb and one or two terms with tabs between them:

| line | meaning |
| --- | --- |
| `force child parent` | the edge exists, whatever the model says |
| `forbid child parent` | the child is not below the parent, at any distance |
| `root term` | the term has no parent |
| `merge synonym term` | the first is another name of the second and no term of its own |
| `rename term name` | the term is shown under this name |
| `add term` | the term exists, even if the model does not contain it |

`hyperdive.taxonomy.build` grows a taxonomy within its corrections; `revise` applies them to a finished one.
"""

from __future__ import annotations

import csv
import hashlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from hyperdive._atomic import explain_os_errors, write_file
from hyperdive._lines import MAX_BYTES, read_lines
from hyperdive._locks import exclusive
from hyperdive.ask.question import normal
from hyperdive.errors import Error, InputError
from hyperdive.taxonomy.taxonomy import Edge, Origin, Taxonomy

VERBS = {"force": 2, "forbid": 2, "root": 1, "merge": 2, "rename": 2, "add": 1}
"""The verbs of a line, and how many terms each has."""
Rule = tuple[str, ...]
"""A verb and its terms: ("force", "dog", "animal")."""
Pair = tuple[str, str]
_SHAPE = "each line is force, forbid, merge or rename and two terms, or root or add and a term, with tabs between them"
_TABLE_SHAPE = "each line has the columns of the first one, with tabs between them"
_REMOVE = "remove one of them"
_HEADING = "# Corrections of a taxonomy: an operation and its terms, tab-separated. See docs/reference/formats.md.\n"


class Contradiction(InputError):
    """Corrections that exclude each other."""


@dataclass(frozen=True)
class Corrections:
    """The rules of a file of corrections, and what they mean: forced edges, forbidden pairs, roots, names, terms.

    `force` and `forbid` are pairs (child, parent), `merge` pairs (synonym, term), `rename` pairs (term, name). Synonyms
    and new names in other rules stand for their terms. `version` identifies the content of the file that was read.

    >>> rules = Corrections([("merge", "Tomatoe", "tomato"), ("force", "tomatoe", "fruit"), ("root", "fruit")])
    >>> rules.force, rules.roots
    ((('tomato', 'fruit'),), ('fruit',))
    >>> rules.decided("move", "tomato", "vegetable").force
    (('tomato', 'vegetable'),)
    """

    rules: Sequence[Rule] = ()
    version: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(dict.fromkeys(map(tuple, self.rules))))

    @cached_property
    def force(self) -> tuple[Pair, ...]:
        """Edges that must exist."""
        return self._edges("force")

    @cached_property
    def forbid(self) -> tuple[Pair, ...]:
        """Pairs of a term and another that must not be above it."""
        return self._edges("forbid")

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """Terms that must have no parent."""
        return tuple(dict.fromkeys(self.stands_for(term) for (term,) in self._of("root")))

    @cached_property
    def merge(self) -> tuple[Pair, ...]:
        """Synonyms, each with its term."""
        return tuple(dict.fromkeys((normal(synonym), normal(term)) for synonym, term in self._of("merge")))

    @cached_property
    def rename(self) -> tuple[Pair, ...]:
        """Terms, each with the name to show."""
        return tuple(dict.fromkeys((normal(term), " ".join(name.split())) for term, name in self._of("rename")))

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The terms of the forced edges and the added terms, which a taxonomy must have."""
        added = (self.stands_for(term) for (term,) in self._of("add"))
        return tuple(dict.fromkeys([*(term for pair in self.force for term in pair), *added]))

    @property
    def spelled(self) -> list[str]:
        """The same terms as they are written in the rules."""
        return [term for verb in ("force", "add") for terms in self._of(verb) for term in terms]

    def _of(self, verb: str) -> list[Rule]:
        return [rule[1:] for rule in self.rules if rule[0] == verb]

    def _edges(self, verb: str) -> tuple[Pair, ...]:
        return tuple(
            dict.fromkeys((self.stands_for(child), self.stands_for(parent)) for child, parent in self._of(verb))
        )

    @cached_property
    def _standing(self) -> dict[str, str]:
        """The term of each synonym and of each new name."""
        merged = dict(self.merge)
        terms = {normal(name): term for term, name in self.rename if normal(name) != term} | merged
        for name, term in terms.items():
            passed = {name}
            while term in merged and term not in passed:
                passed.add(term)
                term = merged[term]
            terms[name] = term
        return terms

    def stands_for(self, name: str) -> str:
        """Return the term of a name: that of a synonym or a new name, else the name itself.

        >>> rules = Corrections([("merge", "moggy", "cat"), ("rename", "cat", "House cat")])
        >>> rules.stands_for("Moggy"), rules.stands_for("house cat"), rules.stands_for("Dog")
        ('cat', 'cat', 'dog')
        """
        name = normal(name)
        return self._standing.get(name, name)

    def concerning(self, terms: Iterable[str]) -> Corrections:
        """Return these corrections without the forced edges that no chain of forced edges connects with the terms.

        >>> edges = [("animal", "being"), ("being", "thing"), ("dog", "animal"), ("car", "vehicle")]
        >>> rules = Corrections([("force", *edge) for edge in edges])
        >>> rules.concerning(["Dog"]).force
        (('animal', 'being'), ('being', 'thing'), ('dog', 'animal'))
        """
        present = {*map(self.stands_for, terms), *(self.stands_for(term) for (term,) in self._of("add"))}
        waiting = list(self.force)
        while reached := [pair for pair in waiting if present.intersection(pair)]:
            present.update(term for pair in reached for term in pair)
            waiting = [pair for pair in waiting if pair not in reached]
        apart = {("force", *pair) for pair in waiting}
        return replace(
            self, rules=[rule for rule in self.rules if (rule[0], *map(self.stands_for, rule[1:])) not in apart]
        )

    # ---- contradictions -------------------------------------------------------------------------------------

    def check(self, parents: int | None = None) -> Corrections:
        """Return these corrections, unless some exclude each other or force more `parents` than a term may have.

        >>> Corrections([("force", "a", "b"), ("force", "b", "c"), ("forbid", "a", "c")]).check()
        Traceback (most recent call last):
        hyperdive.taxonomy.corrections.Contradiction: 'a' under 'c' is forbidden and forced: a → b → c (remove ...)
        >>> Corrections([("force", "a", "b"), ("force", "b", "a")]).check()
        Traceback (most recent call last):
        hyperdive.taxonomy.corrections.Contradiction: the forced edges form a cycle: a → b → a (remove one of them)
        """
        for rule in self.rules:
            if len(rule) != VERBS.get(rule[0], 0) + 1 or not all(map(normal, rule[1:])):
                raise Contradiction(f"{' '.join(rule)!r} is not a correction", hint=_SHAPE)
        pairs = [("force", *pair) for pair in self.force] + [("forbid", *pair) for pair in self.forbid]
        for verb, first, second in (*pairs, *(("merge", *pair) for pair in self.merge)):
            if first == second:
                raise Contradiction(f"{verb} {first!r} {second!r} does not name two terms", hint=_SHAPE)
        for what, named in (("merged into", _above(self.merge)), ("renamed to", _above(self.rename))):
            for term, names in named.items():
                if len(names) > 1:
                    raise Contradiction(f"{term!r} is {what} {' and '.join(map(repr, names))}", hint=_REMOVE)
        above = _above(self.force)
        for what, edges in (("terms are merged in", _above(self.merge)), ("the forced edges form", above)):
            if cycle := next((path for term in edges if (path := _path(term, term, edges))), None):
                raise Contradiction(f"{what} a cycle: {' → '.join(cycle)}", hint=_REMOVE)
        for child in (term for term in self.roots if term in above):
            raise Contradiction(f"{child!r} is under {above[child][0]!r} and under nothing", hint="remove a line")
        for child, parent in self.forbid:
            if path := _path(child, parent, above):
                way = " → ".join(path)
                raise Contradiction(f"{child!r} under {parent!r} is forbidden and forced: {way}", hint=_REMOVE)
        for child, names in above.items():
            if parents is not None and len(names) > parents:
                raise Contradiction(
                    f"{child!r} is forced under {' and '.join(map(repr, names))}, but a term may have "
                    f"{parents} parent{'' if parents == 1 else 's'}",
                    hint=f"remove a line, or allow more with --set parents={len(names)}",
                )
        return self

    # ---- changes --------------------------------------------------------------------------------------------

    def changed(self, add: Iterable[Rule] = (), remove: Iterable[Rule] = ()) -> Corrections:
        """Return corrections with some rules added and others removed; a rule in both stays."""
        added = {_key(rule): rule for rule in add}
        removed = {_key(rule) for rule in remove} - added.keys()
        kept = {key: rule for rule in self.rules if (key := _key(rule)) not in removed}
        return replace(self, rules=[*kept.values(), *(rule for key, rule in added.items() if key not in kept)])

    def without(self, other: Corrections) -> tuple[Rule, ...]:
        """Return the rules that other corrections lack."""
        others = set(map(_key, other.rules))
        return tuple(rule for rule in self.rules if _key(rule) not in others)

    def decided(self, operation: str, term: str, other: str | None = None, *, keep_others: bool = False) -> Corrections:
        """Return the corrections after an operation; it replaces rules that it would contradict.

        Args:
            operation: "accept" or "reject" the edge from a term to another; "move" the term under another, None is the
                top; "merge" it into another; "rename" it; "add" it, under another if one is given.
            term: The term.
            other: The other term, or the new name.
            keep_others: An accepted edge does not replace other forced parents.
        """
        named = self._written(term)
        if other is None and operation == "add":
            return self.changed([("add", named)])
        if other is None:
            return self.changed([("root", named)], self._with("force", term))
        second = self._written(other)
        if operation == "reject":
            return self.changed([("forbid", named, second)], self._with("force", term, other))
        if operation == "rename":
            name = " ".join(other.split())
            add = [] if name == named else [("rename", named, name)]
            return self.changed(add, [rule for rule in self._with("rename", term) if rule[2] != name])
        if operation == "merge":
            pairs = [(verb, *pair) for verb in ("force", "forbid") for pair in ((term, other), (other, term))]
            remove = [rule for pair in (*pairs, ("rename", term), ("add", term)) for rule in self._with(*pair)]
            if self._with("force", other) or self._with("root", other):
                remove += [*self._with("force", term), *self._with("root", term)]
            return self.changed([("merge", named, second)], remove)
        remove = [*self._with("forbid", term, other), *self._with("root", term)]
        if not keep_others:
            remove += [rule for rule in self._with("force", term) if rule not in self._with("force", term, other)]
        added = self.changed([("add", named)]) if operation == "add" else self
        return added.changed([("force", named, second)], remove)

    def _with(self, verb: str, *terms: str) -> list[Rule]:
        """The rules of a verb that begin with these terms."""
        wanted = [verb, *map(self.stands_for, terms)]
        return [rule for rule in self.rules if [rule[0], *map(self.stands_for, rule[1 : len(wanted)])] == wanted]

    def _written(self, term: str) -> str:
        """A term as a rule names it: as given, or the term of a synonym or a new name."""
        standing = self.stands_for(term)
        return " ".join(term.split()) if standing == normal(term) else standing


def _key(rule: Rule) -> Rule:
    """What makes two rules the same: the spelling of a new name counts, that of terms does not."""
    verb, first, *others = rule
    return (verb, normal(first), *(" ".join(term.split()) if verb == "rename" else normal(term) for term in others))


def _above(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    above: dict[str, list[str]] = {}
    for child, parent in pairs:
        above.setdefault(child, []).append(parent)
    return above


def _path(start: str, end: str, above: Mapping[str, Sequence[str]]) -> list[str]:
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


# ---- names --------------------------------------------------------------------------------------------------------


class Spelling:
    """The first spelling of each term, by its normal name; the others are synonyms.

    `names` are pairs (a term, the name that it is given instead).

    >>> spelling = Spelling(["AIDS", "Dog", "dog", "dogs"])
    >>> spelling("aids"), spelling("zebra")
    ('AIDS', 'zebra')
    >>> spelling.synonyms(["aids", "dog"], merged=[("dogs", "dog")])
    {'Dog': ['dog', 'dogs']}
    >>> Spelling(["aids"], names=[("aids", "AIDS")])("aids")
    'AIDS'
    """

    def __init__(self, terms: Iterable[str], names: Iterable[tuple[str, str]] = ()) -> None:
        self._spellings: dict[str, dict[str, None]] = {}
        for term, name in names:
            self._spellings[term] = {name: None, term: None}
        for term in terms:
            self._spellings.setdefault(normal(term), {})[" ".join(term.split())] = None

    def __call__(self, name: str) -> str:
        """How the user spells a term; the name itself where the user gave none."""
        return next(iter(self._spellings.get(name, {name: None})))

    def synonyms(self, names: Iterable[str], merged: Iterable[tuple[str, str]] = ()) -> dict[str, list[str]]:
        """Other spellings of these terms, and other terms that are the same word: pairs (term, the one that stays)."""
        others = {name: list(self._spellings.get(name, ()))[1:] for name in names}
        for name, stays in merged:
            if stays in others:
                others[stays] += self._spellings.get(name, {name: None})
        return {self(name): spellings for name, spellings in others.items() if spellings}


# ---- files --------------------------------------------------------------------------------------------------------


def read_corrections(path: str | Path) -> Corrections:
    """Return the corrections of a file, one per line (see the top of this module), with # for comments.

    The file may also be an edited taxonomy in the format `tsv`: its edges are forced, except those whose reason is
    `forbid`; a term without a parent is a root.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "corrections.tsv"
    >>> _ = path.write_text("# mine\\nforce\\ttomato\\tfruit\\nforbid\\tTomato\\tmeat\\n")
    >>> read_corrections(path).force
    (('tomato', 'fruit'),)
    >>> _ = path.write_text("child\\tparent\\treason\\ntomato\\tfruit\\t\\ntomato\\tmeat\\tforbid\\nfruit\\t\\t\\n")
    >>> edited = read_corrections(path)
    >>> edited.force, edited.forbid, edited.roots
    ((('tomato', 'fruit'),), (('tomato', 'meat'),), ('fruit',))
    """
    lines = list(read_lines(path, "file of corrections"))
    columns = lines[0][1].split("\t") if lines else []
    is_table = columns[:2] == ["child", "parent"]
    rules, where = [], str(path)
    try:
        for number, line in lines[1:] if is_table else lines:
            where = f"{path}: line {number}"
            rules.append(table_rule(columns, line) if is_table else read_rule(line))
        where = str(path)
        return Corrections(rules).check()
    except InputError as error:
        raise type(error)(f"{where}: {error.what}", hint=error.hint) from None


def read_rule(line: str) -> Rule:
    """Return the verb and the terms of a line.

    >>> read_rule("Force\\ttomato \\tfruit"), read_rule("root\\tfood")
    (('force', 'tomato', 'fruit'), ('root', 'food'))
    """
    verb, *terms = (field.strip() for field in line.rstrip("\n").split("\t"))
    if len(terms) != VERBS.get(verb.lower()):
        raise InputError(f"cannot be understood: {line[:60]!r}", hint=_SHAPE)
    return (verb.lower(), *terms)


def table_rule(columns: Sequence[str], line: str) -> Rule:
    """Return what a row of an exported taxonomy means.

    >>> table_rule(["child", "parent", "reason"], "tomato\\tfruit\\tmodel")
    ('force', 'tomato', 'fruit')
    """
    try:
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter="\t"))]
    except csv.Error as error:
        raise InputError(f"cannot be understood ({error}): {line[:60]!r}", hint=_TABLE_SHAPE) from None
    row = dict(zip(columns, cells, strict=False))
    child, parent = row.get("child", ""), row.get("parent", "")
    if not child or len(cells) > len(columns):
        raise InputError(f"cannot be understood: {line[:60]!r}", hint=_TABLE_SHAPE)
    if not parent:
        return ("root", child)
    return ("forbid" if row.get("reason", "").lower() == "forbid" else "force", child, parent)


class VersionConflict(Error):
    """The file was changed after the corrections were read; `version` is its present version."""

    def __init__(self, version: str) -> None:
        self.version = version
        super().__init__(
            "the corrections were changed meanwhile, in another window or by another program",
            hint="look at the present ones and repeat the change",
        )


class CorrectionsFile:
    """Corrections in a file that programs edit step by step; it need not exist yet.

    The version is a hash of the content, so that a change by another window, program or editor is noticed. Two servers
    with one file change it one after the other: a lock file next to it is held from the comparison of versions to the
    end of writing. Comments and the order of lines stay.

    >>> import tempfile
    >>> file = CorrectionsFile(Path(tempfile.mkdtemp()) / "pets.corrections.tsv")
    >>> first = file.read()
    >>> saved = file.save(first.changed([("force", "dog", "animal")]))
    >>> file.read() == saved, saved.rules
    (True, (('force', 'dog', 'animal'),))
    >>> file.save(first.changed([("root", "animal")]))
    Traceback (most recent call last):
    hyperdive.taxonomy.corrections.VersionConflict: the corrections were changed meanwhile, ...
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


# ---- finished taxonomies ------------------------------------------------------------------------------------------


def revise(taxonomy: Taxonomy, corrections: Corrections, *, parents: int = 1) -> Taxonomy:
    """Return a finished taxonomy with corrections applied, without asking the model again.

    A forced edge replaces the other parents of its child beyond `parents`. Where a forced edge closes a cycle, or edges
    lead to a forbidden ancestor, the edge of least confidence that is not forced is removed. A term that loses its
    parent becomes a root; building again finds it another parent. Corrections of absent terms have no effect.

    >>> edges = [Edge("poodle", "dog", 0.9, 0.9, 3, "model"), Edge("dog", "meat", 0.6, 0.6, 1, "model")]
    >>> pets = Taxonomy(["dog", "meat", "poodle"], edges)
    >>> print(revise(pets, Corrections([("force", "dog", "pet"), ("rename", "poodle", "Poodle")])))
    pet
    └── dog  1.00  expert
        └── Poodle  0.90  said 3 times
    1 term is not placed: meat
    """
    rules = corrections.check().concerning(taxonomy.terms)
    forced = frozenset(rules.force)
    edges: dict[Pair, Edge] = {}
    above: dict[str, list[str]] = {}

    def put(child: str, parent: str, edge: Edge) -> None:
        if (child, parent) not in edges:
            above.setdefault(child, []).append(parent)
        edges[child, parent] = edge

    def remove(child: str, parent: str) -> None:
        del edges[child, parent]
        above[child].remove(parent)

    def least(pair: Pair) -> tuple[float, Pair]:
        return (edges[pair].value or 0.0, pair)

    def cut(start: str, end: str) -> None:
        """Remove edges until no way leads upwards from one term to another."""
        while path := _path(start, end, above):
            remove(*min((pair for pair in pairwise(path) if pair not in forced), key=least))

    for edge in taxonomy.edges:
        child, parent = rules.stands_for(edge.child), rules.stands_for(edge.parent)
        if child != parent and not _path(parent, child, above):
            put(child, parent, edge)
    for child, parent in rules.force:
        others = [(child, other) for other in above.get(child, ()) if other != parent]
        free = sorted((pair for pair in others if pair not in forced), key=least)
        room = parents - 1 - (len(others) - len(free))
        for pair in free[: max(len(free) - max(room, 0), 0)]:
            remove(*pair)
        cut(parent, child)
        known = edges.get((child, parent), Edge(child, parent, 1.0 if taxonomy.calibrated else None, None, 0, "expert"))
        confidence = None if known.confidence is None else 1.0
        put(child, parent, replace(known, reason="expert", confidence=confidence))
    for child in rules.roots:
        for parent in list(above.get(child, ())):
            remove(child, parent)
    for child, parent in rules.forbid:
        cut(child, parent)
    names = dict.fromkeys([*map(rules.stands_for, taxonomy.terms), *rules.terms])
    spelling = Spelling([*taxonomy.terms, *rules.spelled], rules.rename)
    shown = {name: spelling(name) for name in names}
    return Taxonomy(
        sorted(shown.values(), key=lambda term: (normal(term), term)),
        [replace(edge, child=shown[child], parent=shown[parent]) for (child, parent), edge in edges.items()],
        origin=Origin(taxonomy.score, taxonomy.calibrated, taxonomy.notes),
        added=[shown[name] for term in taxonomy.added if (name := rules.stands_for(term)) in shown],
        unknown=[shown[name] for term in taxonomy.unknown if (name := rules.stands_for(term)) in shown],
        synonyms=_synonyms(taxonomy, rules, shown),
    )


def _synonyms(taxonomy: Taxonomy, rules: Corrections, shown: Mapping[str, str]) -> dict[str, list[str]]:
    """Other names of the terms: those they had, merged terms, and what a renamed term was called."""
    names: dict[str, list[str]] = {}
    for term in taxonomy.terms:
        names.setdefault(shown[rules.stands_for(term)], []).extend([term, *taxonomy.synonyms.get(term, ())])
    for synonym, _ in rules.merge:
        if (target := rules.stands_for(synonym)) in shown:
            names.setdefault(shown[target], []).append(synonym)
    distinct: dict[str, list[str]] = {}
    for term, others in names.items():
        by_name = {normal(other): other for other in reversed(others) if other != term}
        by_name.pop(normal(term), None)
        if by_name:
            distinct[term] = sorted(by_name.values())
    return distinct
