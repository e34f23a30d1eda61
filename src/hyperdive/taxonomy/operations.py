"""What a person does to a taxonomy, as changes to its corrections: accept, reject, move, merge, rename, add.

Every operation takes back what it replaces, so that a later one overrules an earlier one instead of contradicting it.
"""

from __future__ import annotations

from hyperdive.taxonomy.corrections import Corrections
from hyperdive.taxonomy.corrections_file import Change, Rule, Snapshot
from hyperdive.taxonomy.names import normal


class Operations:
    """Operations on the corrections of a snapshot; each returns the change that carries it out.

    >>> operations = Operations(Snapshot("", (("force", "dog", "animal"),)))
    >>> operations.move("dog", "pet")
    Change(add=(('force', 'dog', 'pet'),), remove=(('force', 'dog', 'animal'),))
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._rules = snapshot.rules
        self._corrections: Corrections = snapshot.corrections

    def accept(self, child: str, parent: str, *, keep_others: bool = False) -> Change:
        """The edge is right; other forced parents go, unless they are kept too."""
        remove = [*self._with("forbid", child, parent), *self._with("root", child)]
        if not keep_others:
            remove += [rule for rule in self._with("force", child) if not self._is(rule[2], parent)]
        return Change((("force", self._named(child), self._named(parent)),), tuple(remove))

    def reject(self, child: str, parent: str) -> Change:
        """The child is no kind of the parent."""
        add = ("forbid", self._named(child), self._named(parent))
        return Change((add,), tuple(self._with("force", child, parent)))

    def move(self, child: str, parent: str | None) -> Change:
        """The child belongs under this parent, or with None at the top."""
        if parent is not None:
            return self.accept(child, parent)
        return Change((("root", self._named(child)),), tuple(self._with("force", child)))

    def merge(self, term: str, into: str) -> Change:
        """The first term is another name of the second."""
        remove = [
            rule
            for verb in ("force", "forbid")
            for pair in ((term, into), (into, term))
            for rule in self._with(verb, *pair)
        ]
        remove += [*self._with("rename", term), *self._with("add", term)]
        if self._with("force", into) or self._with("root", into):
            remove += [*self._with("force", term), *self._with("root", term)]
        return Change((("merge", self._named(term), self._named(into)),), tuple(dict.fromkeys(remove)))

    def rename(self, term: str, name: str) -> Change:
        """The term is shown under another name."""
        standing, name = self._named(term), " ".join(name.split())
        add = () if name == standing else (("rename", standing, name),)
        return Change(add, tuple(rule for rule in self._with("rename", term) if rule[2] != name))

    def add(self, term: str, parent: str | None = None) -> Change:
        """A term that the taxonomy does not have, under a parent if one is named."""
        placed = Change() if parent is None else self.accept(term, parent)
        return Change((("add", self._named(term)), *placed.add), placed.remove)

    def _is(self, one: str, other: str) -> bool:
        return self._corrections.stands_for(one) == self._corrections.stands_for(other)

    def _with(self, verb: str, *terms: str) -> list[Rule]:
        """The rules of a verb that begin with these terms."""
        return [
            rule
            for rule in self._rules
            if rule[0] == verb and all(self._is(a, b) for a, b in zip(rule[1:], terms, strict=False))
        ]

    def _named(self, term: str) -> str:
        """A term as it is written into the file: as given, or what a merged or renamed name stands for."""
        standing = self._corrections.stands_for(term)
        return " ".join(term.split()) if standing == normal(term) else standing
