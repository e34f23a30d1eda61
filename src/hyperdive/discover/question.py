"""From a user's words to rows of a model: what was asked, which terms may answer, and the pairs between them.

A question over the whole vocabulary reads the model's own matrices, kept with the model, so a second question is
quick; a question with phrases or with the user's own list of terms looks those up once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hyperdive._spelling import unknown_word
from hyperdive._types import Ints
from hyperdive.errors import InputError, OptionError, UnknownWordError
from hyperdive.scores.lookup import joined, look_up
from hyperdive.scores.pairs import Pairs
from hyperdive.scores.source import AnyModel, Source, SpaceLike, as_source
from hyperdive.scores.terms import Terms, Vocabulary, with_vocabulary
from hyperdive.text.word_lists import raw_lines

MAX_TERMS = 1_000_000
MAX_WORDS, MAX_CHARACTERS = 50, 1000
TAGS = "nvja"


def source_of(model: AnyModel) -> Source:
    """The spaces of a model, the same object every time."""
    return model.memo.get(Source, lambda: as_source(model))


def vocabulary(model: AnyModel) -> Vocabulary:
    """Every word of the model as a term, looked up once."""
    source = source_of(model)
    return source.memo.get(Vocabulary, lambda: Vocabulary(source))


def words_of(term: str, space: SpaceLike) -> list[str]:
    """The keys a term is looked up by; a model with parts of speech is asked for nouns where none is named.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> tagged = VectorSpace(["dog|n", "bark|v"], np.eye(2), frequencies=[1, 1], kind="dive")
    >>> words_of(" Hot  Dog", tagged), words_of("bark", tagged)
    (['hot|n', 'dog|n'], ['bark|v'])
    """
    tagged = bool(space.words) and "|" in space.words[0]
    return [_tagged(word, space) if tagged and "|" not in word else word for word in term.lower().split() or [""]]


def are_known(model: AnyModel, terms: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which terms a model can be asked for, or can answer with.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["hot", "dog"], np.eye(2), frequencies=[1, 1], kind="dive")
    >>> are_known(space, ["hot dogs", "zebra"]).tolist()
    [True, False]
    """
    space = source_of(model).main
    return look_up(space, [words_of(term, space) for term in terms]).found


def _tagged(word: str, space: SpaceLike) -> str:
    return next((key for tag in TAGS if (key := f"{word}|{tag}") in space), f"{word}|{TAGS[0]}")


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
    for line in raw_lines(Path(path), f"file of {what}", "check the path"):
        if "\0" in line:
            raise InputError(f"{path}: not a text file", hint="give a UTF-8 text file, one term a line")
        term = _unquoted(line.strip().split("\t", 1)[0].strip())
        words = len(term.split())
        if words > MAX_WORDS or len(term) > MAX_CHARACTERS:
            hint = f"write one term a line, up to {MAX_WORDS} words and {MAX_CHARACTERS} characters"
            raise InputError(f"{path}: a line that is too long for a term: {term[:40]!r}…", hint=hint)
        if words:
            terms.append(term)
            distinct.add(_folded(term))
        if len(distinct) > most:
            raise InputError(f"{path}: more than {most} {what}", hint="split the file by subject")
        if len(terms) > MAX_TERMS:
            raise InputError(f"{path}: more than {MAX_TERMS} lines", hint="remove the repeated ones")
    if not terms:
        raise InputError(f"{path}: no {what} in it", hint="write one term a line")
    return terms


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('""', '"').strip()
    return text


def _folded(term: str) -> str:
    return " ".join(term.lower().split())


def read_terms(path: str | Path, what: str = "terms") -> list[str]:
    """A user's list of terms in lower case, each once."""
    return list(dict.fromkeys(map(_folded, term_lines(path, what))))


def unknown_terms(model: AnyModel, terms: Sequence[str]) -> dict[str, UnknownWordError]:
    """The terms that a model does not know, each with the error that says so."""
    _check(terms)
    space = source_of(model).main
    keys = [words_of(term, space) for term in terms]
    known = look_up(space, keys).found
    return {terms[number]: _unknown(space, terms[number], keys[number]) for number in np.flatnonzero(~known).tolist()}


def _check(terms: Sequence[str]) -> None:
    if not all(isinstance(term, str) and term.strip() for term in terms):
        raise OptionError("a word is missing", hint="give a word or a phrase, such as poodle or 'police dog'")


def _unknown(space: SpaceLike, term: str, words: Sequence[str]) -> UnknownWordError:
    missing = next((word for word in words if word not in space), term)
    return unknown_word(missing, space.words, space, "this model")


class Question:
    """Asked terms against candidates; both are rows of one `Terms`.

    `candidates` None means every word of the model. Asked terms must be in the model; candidates that are not are left
    out and named in `missing`.
    """

    def __init__(self, model: AnyModel, asked: Sequence[str], candidates: Iterable[str] | None = None) -> None:
        self._model = model
        source = source_of(model)
        space = source.main
        _check(asked)
        keys = [words_of(term, space) for term in asked]
        found = look_up(space, keys)
        for number in np.flatnonzero(~found.found).tolist():
            raise _unknown(space, asked[number], keys[number])
        self.missing: list[str] = []
        single = np.diff(found.starts) == 1
        if candidates is None and single.all():
            self.terms: Terms = vocabulary(model)
            self.asked: Ints = found.rows.copy()
            self.candidates: Ints = np.arange(len(space.words))
            self.names: Sequence[str] = space.words
            return
        if candidates is None:
            self.terms = with_vocabulary(source, keys, found)
            self.candidates = np.arange(len(space.words))
            self.names = space.words
        else:
            given = list(dict.fromkeys(_folded(term) for term in candidates))
            known = [words_of(term, space) for term in given]
            own = look_up(space, known)
            self.terms = Terms(source, [*known, *keys], lookup=joined(own, found))
            self.candidates = np.flatnonzero(own.found)
            self.missing = [given[number] for number in np.flatnonzero(~own.found).tolist()]
            self.names = given
        self.asked = len(self.names) + np.arange(len(keys))

    def word(self, row: int) -> str:
        """The name of a candidate's row."""
        return self.names[row]

    def named(self, names: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Which candidates have one of these names, with or without a tag."""
        if self.terms is vocabulary(self._model):
            space = self.terms.source.main
            keys = [key for name in names for key in (name, *(f"{name}|{tag}" for tag in TAGS)) if key in space]
            marked = np.zeros(len(self.candidates), dtype=np.bool_)
            marked[[space.index(key) for key in keys]] = True
            return marked
        wanted = set(names)
        return np.array([self.names[row].partition("|")[0] in wanted for row in self.candidates], dtype=np.bool_)

    def same(self, number: int) -> npt.NDArray[np.bool_]:
        """Which candidates are the asked term itself, under whatever spelling."""
        lookup = self.terms.lookup
        row = self.asked[number]
        mine = lookup.rows[lookup.starts[row] : lookup.starts[row + 1]]
        starts = lookup.starts[self.candidates]
        alike = (lookup.starts[self.candidates + 1] - starts) == len(mine)
        for place, one in enumerate(mine):
            alike &= lookup.rows[np.minimum(starts + place, len(lookup.rows) - 1)] == one
        return np.asarray(alike)

    def head(self, number: int) -> int | None:
        """The place among the candidates of the last word of an asked phrase; None for a word, or without it."""
        lookup = self.terms.lookup
        start, end = lookup.starts[self.asked[number]], lookup.starts[self.asked[number] + 1]
        single = lookup.starts[self.candidates + 1] - lookup.starts[self.candidates] == 1
        rows = lookup.rows[np.minimum(lookup.starts[self.candidates], len(lookup.rows) - 1)]
        places = np.flatnonzero(single & (rows == lookup.rows[end - 1]))
        return int(places[0]) if end - start > 1 and len(places) else None

    def upwards(self, number: int, rows: Ints | None = None) -> Pairs:
        """Pairs (asked term, candidate)."""
        rows = self.candidates if rows is None else rows
        return self.terms.pairs(np.full(len(rows), self.asked[number]), rows)

    def downwards(self, number: int, rows: Ints | None = None) -> Pairs:
        """Pairs (candidate, asked term)."""
        rows = self.candidates if rows is None else rows
        return self.terms.pairs(rows, np.full(len(rows), self.asked[number]))


def best(values: npt.NDArray[np.float64], top: int) -> Ints:
    """The places of the largest values, largest first, the earlier place first among equals; −∞ never counts."""
    count = min(top, len(values))
    if count == 0:
        return np.zeros(0, dtype=np.int64)
    limit = -np.partition(-values, count - 1)[count - 1]  # the end with few ties is found sooner
    above = np.flatnonzero((values >= limit) & (values > -np.inf))
    order = above[np.argsort(-values[above], kind="stable")]
    return np.asarray(order[:count], dtype=np.int64)
