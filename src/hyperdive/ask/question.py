"""From a user's words to rows of a model: what was asked, which terms may answer, and the pairs between them.

A question over the whole vocabulary reads the model's own matrices, kept with the model, so a second question is
quick; a question with phrases or with the user's own list of terms looks those up once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._lines import read_lines
from hyperdive._memo import memo_of
from hyperdive._spelling import shown, unknown_word
from hyperdive._types import Floats, Ints
from hyperdive.errors import InputError, OptionError, UnknownWordError
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.registry import get
from hyperdive.scores.source import AnyModel, Source, term_source
from hyperdive.scores.terms import Terms, heads_of, split_term, terms_of
from hyperdive.text.vocabulary import MAX_CHARACTERS, MAX_WORDS, TAGS, Vocabulary

MAX_TERMS = 1_000_000
Choice = Callable[[Source, Sequence[str]], Sequence[str]]
"""The words and terms of a model that may be an answer to one of some names."""
_VERB_ENDINGS = ("ed", "ing")


def source_of(model: AnyModel) -> Source:
    """Return the spaces of a model, its words and terms in one, the same object every time."""
    return memo_of(model).get(Source, lambda: term_source(model))


def vocabulary(model: AnyModel) -> Terms:
    """Every word and term of the model, looked up once."""
    source = source_of(model)
    return source.memo.get(Terms, lambda: Terms.every(source))


def are_known(model: AnyModel, terms: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which terms a model can be asked for, or can answer with.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["hot", "dog"], np.eye(2), frequencies=[1, 1], kind="dive")
    >>> are_known(space, ["hot dogs", "zebra"]).tolist()
    [True, False]
    """
    source = source_of(model)
    return source.vocabulary.resolve(map(source.name_of, terms)).found


def term_lines(path: str | Path, what: str = "terms", most: int = MAX_TERMS) -> list[str]:
    """The terms of a file as they are written, one a line; remarks (`# …`) and what follows a tab are left out.

    Quotes around a whole term, as spreadsheets write them, are taken off.

    Args:
        path: The file; it is read no further than to one distinct term too many.
        what: What the terms are for, for messages.
        most: How many distinct terms there may be.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "terms.txt"
    >>> _ = place.write_text('dog\\n# pets\\nDomestic dog\\t7\\n"Cat"\\n')
    >>> term_lines(place)
    ['dog', 'Domestic dog', 'Cat']
    """
    terms: list[str] = []
    distinct: set[str] = set()
    for number, line in read_lines(path, f"file of {what}"):
        term = _unquoted(line.strip().split("\t", 1)[0].strip())
        words = len(term.split())
        if words > MAX_WORDS or len(term) > MAX_CHARACTERS:
            hint = f"write one term per line, up to {MAX_WORDS} words and {MAX_CHARACTERS} characters"
            raise InputError(f"{path}: line {number} is too long for a term: {term[:40]!r}…", hint=hint)
        if words:
            terms.append(term)
            distinct.add(normal(term))
        if len(distinct) > most:
            raise InputError(f"{path}: more than {most} {what}", hint="split the file by subject")
        if len(terms) > MAX_TERMS:
            raise InputError(f"{path}: more than {MAX_TERMS} lines", hint="remove the repeated ones")
    if not terms:
        raise InputError(f"{path}: no {what} in it", hint="write one term per line")
    return terms


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('""', '"').strip()
    return text


def normal(term: str) -> str:
    """Return the one spelling of a term: lower case, single spaces.

    >>> normal("  Hot dog ")
    'hot dog'
    """
    return " ".join(term.lower().split())


def read_terms(path: str | Path, what: str = "terms") -> list[str]:
    """A user's list of terms in lower case, each once."""
    return list(dict.fromkeys(map(normal, term_lines(path, what))))


def listed_terms(terms: str | Path | Iterable[str]) -> list[str]:
    """Return the terms of an argument: a string is one term, a `Path` a file of them, anything else several.

    >>> listed_terms("dog"), listed_terms(("dog", "cat"))
    (['dog'], ['dog', 'cat'])
    >>> listed_terms(5)
    Traceback (most recent call last):
    hyperdive.errors.InputError: 5 is not a term (give a string, several strings, or a Path to a file of terms)
    """
    if isinstance(terms, str):
        return [terms]
    if isinstance(terms, Path):
        return read_terms(terms)
    listed: list[Any] = list(terms) if isinstance(terms, Iterable) else [terms]
    for term in listed:
        if not isinstance(term, str):
            hint = "give a string, several strings, or a Path to a file of terms"
            raise InputError(f"{shown(repr(term))} is not a term", hint=hint)
    return listed


def refuse_file_name(model: AnyModel, term: str) -> None:
    """Raise an error for a term that is the name of a file, which must be a `Path`, unless it is a known term.

    Names with a folder or an extension are never terms: `terms.txt` could be read as the two words *terms* and *txt*.
    """
    path = Path(term)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):  # too long for a name of a file, or with characters that none has
        return
    named = bool(path.suffix) or len(path.parts) > 1
    if is_file and term.strip() and (named or not are_known(model, [term])[0]):
        raise InputError(f"{shown(term)!r} is a file, not a term", hint=f'write Path("{shown(term)}")')


def pair_scores(
    model: AnyModel, hyponyms: Sequence[str], hypernyms: Sequence[str], name: str, *, unknown_is_error: bool = False
) -> Floats:
    """Return a score of each pair of terms; NaN, or on request an error, for a pair with an unknown term."""
    if len(hyponyms) != len(hypernyms):
        raise InputError(f"{len(hyponyms)} hyponyms and {len(hypernyms)} hypernyms do not make pairs")
    numbers = {term: number for number, term in enumerate(dict.fromkeys([*hyponyms, *hypernyms]))}
    source = source_of(model)
    terms = terms_of(source, list(numbers))
    q, p = (np.array([numbers[term] for term in side], dtype=np.int64) for side in (hyponyms, hypernyms))
    known = terms.found[q] & terms.found[p]
    if unknown_is_error and not known.all():
        unknown = next(term for term, number in numbers.items() if not terms.found[number])
        missing = next((word for word in split_term(unknown) if word not in source.main), unknown)
        raise unknown_word(missing, source.main.words, source.main, "this model")
    values = np.full(len(q), np.nan)
    values[known] = get(name)(terms.pairs(q[known], p[known], places=np.flatnonzero(known)))
    return values


def unknown_terms(model: AnyModel, terms: Sequence[str]) -> dict[str, UnknownWordError]:
    """The terms that a model does not know, each with the error that says so."""
    checked_terms(terms)
    source = source_of(model)
    names = [source.name_of(term) for term in terms]
    known = source.vocabulary.resolve(names).found
    return {terms[number]: _unknown(source.vocabulary, names[number]) for number in np.flatnonzero(~known).tolist()}


def checked_terms(terms: Sequence[str]) -> None:
    """Raise an error for a term that is empty, too long or no string."""
    listed_terms(terms)
    if not all(term.strip() for term in terms):
        raise OptionError("a word is missing", hint="give a word or a phrase, such as poodle or 'police dog'")
    for term in terms:
        if len(term) > MAX_CHARACTERS or len(term.split()) > MAX_WORDS:
            raise OptionError(
                f"{shown(term)!r} is too long for a term",
                hint=f"up to {MAX_WORDS} words and {MAX_CHARACTERS} characters",
            )


def _unknown(known: Vocabulary, name: str) -> UnknownWordError:
    missing = next((word for word in name.split(" ") if word not in known), name)
    return unknown_word(missing, known.names, known, "this model")


class Question:
    """Asked terms against candidates; both are rows of one `Terms`.

    `candidates` None means every word of the model; for terms without a row, those that `choice` names are enough.
    Asked terms must be in the model; candidates that are not are left out and named in `missing`.
    """

    def __init__(
        self,
        model: AnyModel,
        asked: Sequence[str],
        candidates: Iterable[str] | None = None,
        *,
        choice: Choice | None = None,
    ) -> None:
        self._model = model
        source = source_of(model)
        space = source.main
        checked_terms(asked)
        names = [source.name_of(term) for term in asked]
        self.missing: list[str] = []
        self._own_candidates = candidates is not None
        if candidates is None and all(name in space for name in names):
            every = vocabulary(model)
            self.terms: Terms = every
            self.asked: Ints = np.array([space.index(name) for name in names], dtype=np.int64)
            self.candidates: Ints = every.lookup.rows
            self.names: Sequence[str] = space.words
            return
        for number in np.flatnonzero(~source.vocabulary.resolve(names).found).tolist():
            raise _unknown(source.vocabulary, names[number])
        if candidates is None:
            chosen = space.words if choice is None else choice(source, names)
            self.terms = Terms.named(source, [*chosen, *names])
            self.candidates = np.arange(len(chosen))
            self.names = chosen
        else:
            given, known, self.missing = _candidates(candidates, source)
            self.terms = Terms.named(source, [*known, *names])
            self.candidates = np.arange(len(known))
            self.names = given
        self.asked = len(self.names) + np.arange(len(names))

    def word(self, row: int) -> str:
        """A candidate as it is shown: as the user wrote it, or in the spelling that the text prefers."""
        name = self.names[row]
        known = self.terms.source.vocabulary
        return known.spelling(name) if name in known and not self._own_candidates else name

    @property
    def asks_vocabulary(self) -> bool:
        """Whether the candidates are all words and terms of the model."""
        return self.terms is vocabulary(self._model)

    def named(self, names: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Which candidates have one of these names, with or without a tag."""
        if self.asks_vocabulary:
            known = self.terms.source.main.vocabulary
            keys = [name for name in names if name in known]
            if known.is_tagged:
                keys += [key for name in names for tag in TAGS if (key := f"{name}|{tag}") in known]
            marked = np.zeros(len(self.candidates), dtype=np.bool_)
            marked[[known.index(key) for key in keys]] = True
            return marked
        wanted = set(names)
        return np.array([self.names[row].partition("|")[0] in wanted for row in self.candidates], dtype=np.bool_)

    def same(self, number: int, places: Ints | None = None) -> npt.NDArray[np.bool_]:
        """Which of these candidates, or of all, are the asked term itself, under whatever spelling."""
        places = self.candidates if places is None else places
        if self.asks_vocabulary:
            return np.asarray(places == self.asked[number])
        names = self.terms.names
        name = names[self.asked[number]]
        return np.array([names[row] == name for row in places.tolist()], dtype=np.bool_)

    def head(self, number: int) -> int | None:
        """The place among the candidates of what an asked phrase ends in; None for a word, or without it."""
        (heads,) = self.terms.heads(np.array([self.asked[number]]))
        places = np.flatnonzero(np.isin(self.candidates, heads[:1]))
        return int(places[0]) if len(places) else None

    def supported(self, number: int) -> Ints:
        """The places of the candidates that something speaks for."""
        rows = self.terms.supported(int(self.asked[number]))
        return rows[rows < len(self.candidates)]

    def upwards(self, number: int, rows: Ints | None = None) -> Pairs:
        """Pairs (asked term, candidate)."""
        rows = self.candidates if rows is None else rows
        return self.terms.pairs(np.full(len(rows), self.asked[number]), rows)

    def downwards(self, number: int, rows: Ints | None = None) -> Pairs:
        """Pairs (candidate, asked term)."""
        rows = self.candidates if rows is None else rows
        return self.terms.pairs(rows, np.full(len(rows), self.asked[number]))


def supported_names(source: Source, names: Sequence[str]) -> list[str]:
    """The words and terms of a model that something speaks for as a hypernym of one of these, in the model's order."""
    terms, space = Terms.named(source, names), source.main
    assert terms.stated is not None
    known: set[str] = set()
    for row in range(len(names)):
        numbers = terms.confidence.supported(row)
        known.update(terms.stated.patterns.terms[number] for number in numbers.tolist())
        known.update(heads_of(names[row].split(" ")))
    return sorted((name for name in known if name in space), key=space.index)


def _candidates(terms: Iterable[str], source: Source) -> tuple[list[str], list[str], list[str]]:
    """Candidates that are known, their names, and those that are not known.

    An answer needs evidence of its own, so a phrase is known when the text has it or patterns name it, or a model
    without terms has its words. Of several spellings of a term the plainest stands for all: "dog" for "dogs".
    """
    space = source.main
    given = list(dict.fromkeys(normal(term) for term in terms))
    names = [source.name_of(term, own=True) for term in given]
    found = source.vocabulary.resolve(names).found
    found &= np.fromiter(map(_is_noun_form, given, names), dtype=np.bool_, count=len(names))
    if source.vocabulary.has_terms:
        stated = {} if source.patterns is None else source.patterns.numbers
        found &= np.fromiter((name in space or name in stated for name in names), dtype=np.bool_, count=len(names))
    plainest: dict[str, str] = {}
    for term, name in zip(given, names, strict=True):
        other = plainest.get(name)
        if other is None or (term != name, len(term), term) < (other != name, len(other), other):
            plainest[name] = term
    kept = [
        (term, name)
        for term, name, known in zip(given, names, found.tolist(), strict=True)
        if known and plainest[name] == term
    ]
    missing = [term for term, known in zip(given, found.tolist(), strict=True) if not known]
    return [term for term, _ in kept], [name for _, name in kept], missing


def _is_noun_form(term: str, name: str) -> bool:
    """Whether a term may be a noun of this name: "trees" is a form of the noun "tree", "treed" is none.

    >>> _is_noun_form("trees", "tree"), _is_noun_form("treed", "tree"), _is_noun_form("building", "building")
    (True, False, True)
    """
    word, base = term.rpartition(" ")[2], name.rpartition(" ")[2]
    return word == base or not word.endswith(_VERB_ENDINGS) or base.endswith(_VERB_ENDINGS)


def best(values: npt.NDArray[np.float64], top: int) -> Ints:
    """The places of the largest values, largest first, the earlier place first among equals; −∞ never counts."""
    count = min(top, len(values))
    if count == 0:
        return np.zeros(0, dtype=np.int64)
    limit = -np.partition(-values, count - 1)[count - 1]  # the end with few ties is found sooner
    above = np.flatnonzero((values >= limit) & (values > -np.inf))
    order = above[np.argsort(-values[above], kind="stable")]
    return np.asarray(order[:count], dtype=np.int64)
