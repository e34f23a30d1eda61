"""The terms of a corpus: noun phrases of the text, rare words, acronyms and the user's own terms, with occurrences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from hyperdive._resources import release_memory, require_memory
from hyperdive._store import ArtifactWriter
from hyperdive._types import Ints
from hyperdive.kernels import terms as k
from hyperdive.kernels.terms import FORM_MASK
from hyperdive.text.abbreviations import ABBREVIATIONS, Abbreviations
from hyperdive.text.forms import words_at
from hyperdive.text.growing_array import GrowingArray
from hyperdive.text.item_stream import IN_PARTS, HashTable, ItemChunk, ItemStream, hash_table
from hyperdive.text.lemmas import FormResolver, dictionary, lower
from hyperdive.text.term_candidates import LONGEST, Roles, cohesive_phrases
from hyperdive.text.term_list import TermList
from hyperdive.text.term_names import is_acronym, split_term
from hyperdive.text.term_occurrences import NAMES

RARE = 3
"""Words that occur at least this often, but too rarely for the vocabulary, are terms."""
ACRONYM = 5
"""An acronym is written in capitals at least this often."""
_SPELLINGS = 6
_CHUNK, _CHUNK_TERMS = 4 << 20, 1 << 16
_TERM_BYTES = 450  # of each term while it is searched for and written


class TermInventory:
    """Collects terms, finds their occurrences and writes both.

    Args:
        stream: the text.
        min_count: words that occur at least this often have a row of their own and are no terms.
        resolver: what forms are counted as.
    """

    def __init__(self, stream: ItemStream, min_count: int, resolver: FormResolver) -> None:
        self._stream, self._min_count, self._resolver = stream, min_count, resolver
        self._words: dict[int, None] = {}
        self._acronyms: dict[str, list[int]] = {}
        self._phrases: dict[tuple[int, ...], None] = {}
        self._spelling_of: dict[str, str] = {}

    def add_text(self, roles: Roles) -> None:
        """What the text itself has: noun phrases that hold together, rare words and acronyms.

        Args:
            roles: the part each form can play in a noun phrase.
        """
        self._add_words()
        phrases = cohesive_phrases(self._stream, roles)
        for start in range(0, len(phrases.keys), _CHUNK_TERMS):
            some = slice(start, start + _CHUNK_TERMS)
            rows = zip(phrases.keys[some].tolist(), phrases.lengths[some].tolist(), strict=True)
            self._phrases.update(dict.fromkeys(tuple(row[:length]) for row, length in rows))

    def _add_words(self) -> None:
        """Rare words, and acronyms whose letters are also another word: *AIDS*, *ACE*."""
        stream = self._stream
        counts = stream.kept_counts
        rare = np.flatnonzero((counts >= RARE) & (counts < self._min_count))
        self._words.update(dict.fromkeys(rare.tolist()))
        for form in np.flatnonzero(stream.capitals >= ACRONYM).tolist():
            word, count = stream.spelling.forms[form - 1], int(stream.capitals[form])
            is_other_word = stream.words[stream.key_of[form]] != word or 2 * (int(stream.forms[form]) - count) > count
            if is_other_word and is_acronym(word.upper()):
                self._acronyms.setdefault(word.upper(), []).append(form)

    def add_list(self, terms: TermList) -> None:
        """The user's terms, whether the text has them or not; words of the vocabulary are rows already."""
        stream = self._stream
        capitals = {stream.spelling.forms[form - 1].upper(): form for form in np.flatnonzero(stream.capitals).tolist()}
        listed = {word for name in terms.spellings for word in name.split(" ")}
        number_of = {word: number for number, word in enumerate(stream.words) if word in listed}
        for name, spelling in terms.spellings.items():
            keys = [number_of.get(word, -1) for word in name.split(" ")]
            if is_acronym(name):
                self._acronyms.setdefault(name, [capitals[name]] if name in capitals else [])
            elif len(keys) > 1 and -1 not in keys:
                self._phrases.setdefault(tuple(keys))
            elif len(keys) == 1 and keys[0] >= 0:
                if stream.kept_counts[keys[0]] >= self._min_count:
                    continue
                self._words.setdefault(keys[0])
            self._spelling_of[name] = spelling

    def write(self, writer: ArtifactWriter) -> dict[str, int]:
        """Find all occurrences and write the files of `TermOccurrences`; returns how many there are."""
        words, memory = self._stream.words, self._stream.memory
        many = len(self._words) + len(self._acronyms) + len(self._phrases)
        require_memory(memory, _TERM_BYTES * many, f"{many:,} terms", instead=IN_PARTS)
        names = [words[key] for key in self._words]
        names += self._acronyms
        parts = _each(words, np.fromiter(chain.from_iterable(self._phrases), dtype=np.int64))
        names += [" ".join(islice(parts, len(phrase))) for phrase in self._phrases]
        counts = np.zeros(len(names), dtype=np.int64)
        votes = _SpellingVotes(len(names))
        starts, lengths = writer.stream("term_starts.npy", "int64"), writer.stream("term_lengths.npy", "uint8")
        unordered = GrowingArray(writer.scratch("term_ids.bin"), "uint32")
        search = self._search()
        self._words.clear()
        self._phrases.clear()
        if memory is not None:
            release_memory()
        for chunk, found in self._stream.map("terms", search):
            at_item, n_items, first_tokens, n_tokens, ids = found
            votes.add(chunk, at_item, n_items, ids)
            counts += np.bincount(ids, minlength=len(names))
            starts.append(first_tokens)
            lengths.append(n_tokens)
            unordered.append(ids)
        spellings = votes.spellings(self._stream, names)
        del votes, search
        if memory is not None:
            release_memory()
        known = set(names)
        never = [name for name in self._spelling_of if name not in known]
        names, spellings = names + never, spellings + never
        counts = np.concatenate([counts, np.zeros(len(never), dtype=np.int64)])
        by_name = sorted(range(len(names)), key=names.__getitem__)
        order = np.array(by_name, dtype=np.int64)[np.argsort(-counts[by_name], kind="stable")]
        number = np.empty(len(names), dtype=np.uint32)
        number[order] = np.arange(len(names), dtype=np.uint32)
        given = self._spelling_of
        lines = writer.stream(NAMES)
        for start in range(0, len(order), _CHUNK_TERMS):
            some = order[start : start + _CHUNK_TERMS].tolist()
            text = "".join(f"{names[term]}\t{given.get(names[term], spellings[term])}\n" for term in some)
            lines.append(text.encode("utf-8"))
        writer.put("term_counts.npy", counts[order])
        ids_file, all_ids = writer.stream("term_ids.npy", "uint32"), unordered.close()
        for start in range(0, len(all_ids), _CHUNK):
            ids_file.append(number[all_ids[start : start + _CHUNK]])
        abbreviations = self._abbreviations(names)
        writer.put(ABBREVIATIONS, abbreviations.lines())
        figures = {"terms": len(names), "occurrences": len(all_ids), "abbreviations": len(abbreviations)}
        return figures | ({"given": len(given), "absent": _absent(given, names, counts)} if given else {})

    def _abbreviations(self, terms: list[str]) -> Abbreviations:
        """The abbreviations that the text explains often enough."""
        stream = self._stream
        used = {lower(word) for pair in stream.abbreviations for text in pair for word in split_term(text)}
        used |= {short.lower() for short, _ in stream.abbreviations}
        forms = {word: form for form, word in enumerate(stream.spelling.forms, start=1) if word in used}
        in_dictionary = dictionary(self._resolver.language)

        def key(word: str) -> str:
            form = forms.get(lower(word))
            return self._resolver.key(word)[0] if form is None else stream.words[stream.key_of[form]]

        def name(short: str) -> str:
            """What an abbreviation is counted as; empty where its letters are mostly another word: *ACE*, *ToM*."""
            words = split_term(short)
            if short in self._acronyms:
                return short
            if len(words) > 1 or not short.isalpha():
                return " ".join(map(key, words))
            form = forms.get(short.lower(), 0)
            if key(short) != short.lower() or not form:
                return ""
            others = int(stream.forms[form] - stream.capitals[form])
            if short.isupper():
                return "" if 2 * others > int(stream.capitals[form]) else key(short)
            return "" if in_dictionary(short.lower()) else key(short)

        def long_name(form: str) -> str:
            return " ".join(map(key, split_term(form)))

        return Abbreviations.chosen(stream.abbreviations, name, long_name, set(terms))

    def _search(self) -> _TermSearch:
        """A function from a chunk to the occurrences in it."""
        stream = self._stream
        term_of_key = np.full(len(stream.words), -1, dtype=np.int64)
        term_of_key[list(self._words)] = np.arange(len(self._words))
        term_of_form = np.full(len(stream.key_of), -1, dtype=np.int64)
        for number, forms in enumerate(self._acronyms.values()):
            term_of_form[forms] = len(self._words) + number
        first = len(self._words) + len(self._acronyms)
        longest = max(map(len, self._phrases), default=LONGEST)
        rows = np.full((len(self._phrases), longest), -1, dtype=np.int64)
        sizes = np.array([len(phrase) for phrase in self._phrases], dtype=np.int64)
        rows[np.arange(longest) < sizes[:, None]] = [key for phrase in self._phrases for key in phrase]
        hashes, numbers = [k.hash_rows(rows, sizes)], [first + np.arange(len(rows))]
        for size in range(2, longest):  # what begins a longer term leads to it
            longer = rows[sizes > size]
            hashes.append(np.unique(k.hash_rows(longer, np.full(len(longer), size, dtype=np.int64))))
            numbers.append(np.full(len(hashes[-1]), -1))
        table = hash_table(np.concatenate(hashes), np.concatenate(numbers))
        starts_term = np.zeros(len(stream.words), dtype=np.bool_)
        starts_term[rows[:, 0]] = True

        return _TermSearch(
            stream.key_of, stream.keep, term_of_key, term_of_form, starts_term, table, longest
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _TermSearch:
    """From a chunk to the occurrences of terms in it; see `hyperdive.kernels.terms.occurrences`."""

    key_of: Ints
    keep: Any
    term_of_key: Ints
    term_of_form: Ints
    starts_term: Any
    table: HashTable
    longest: int

    def __call__(self, chunk: ItemChunk) -> tuple[Any, ...]:
        found: tuple[Any, ...] = k.occurrences(
            chunk.items, chunk.first, chunk.end, chunk.kept_before, self.key_of, self.keep, self.term_of_key,
            self.term_of_form, self.starts_term, *self.table, self.longest,
        )  # fmt: skip
        return found


class _SpellingVotes:
    """The most frequent spellings of each term, by their hashes and where each first stands."""

    def __init__(self, size: int) -> None:
        self._hashes = np.zeros((size, _SPELLINGS), dtype=np.uint64)
        self._places = np.zeros((size, _SPELLINGS), dtype=np.int64)
        self._votes = np.zeros((size, _SPELLINGS), dtype=np.int32)
        self._lengths = np.zeros(size, dtype=np.int64)

    def add(self, chunk: ItemChunk, at_item: Any, n_items: Any, ids: Any) -> None:
        """Count the spellings of a chunk's occurrences."""
        k.vote(chunk.items, at_item, n_items, ids, chunk.origin, self._hashes, self._places, self._votes)
        self._lengths[ids] = n_items

    def spellings(self, stream: ItemStream, names: list[str]) -> list[str]:
        """The preferred spelling of each term: the most frequent one, in the singular if that is frequent too."""
        words, forms = stream.words, stream.spelling.forms
        bases = _each(words, stream.key_of[1:])
        is_base = np.array([True, *(base == form for base, form in zip(bases, forms, strict=True))])
        items = stream.items
        spelled: list[str] = []
        for start in range(0, len(names), _CHUNK_TERMS):
            some = slice(start, start + _CHUNK_TERMS)
            places, lengths, votes = self._places[some], self._lengths[some], self._votes[some]
            ends = places + np.maximum(lengths[:, None] - 1, 0)
            heads_are_base = is_base[items[np.minimum(ends, len(items) - 1)] & FORM_MASK]
            most = votes.max(axis=1, initial=0)
            preferred = np.where(heads_are_base & (4 * votes >= most[:, None]), votes + most[:, None], votes)
            columns = preferred.argmax(axis=1)
            firsts = places[np.arange(len(columns)), columns]
            used = np.flatnonzero(most > 0)
            sizes = lengths[used]
            starts = np.cumsum(sizes) - sizes
            of_terms = items[np.repeat(firsts[used] - starts, sizes) + np.arange(int(sizes.sum()))]
            written = list(names[some])
            for term, spelling in zip(used.tolist(), stream.spelling.terms(of_terms, sizes.tolist()), strict=True):
                written[term] = spelling
            spelled += written
        return spelled


def _each(words: Sequence[str], keys: Ints) -> Iterator[str]:
    """The words of some keys, one after the other."""
    for start in range(0, len(keys), _CHUNK_TERMS):
        yield from words_at(words, keys[start : start + _CHUNK_TERMS])


def _absent(given: dict[str, str], names: list[str], counts: Ints) -> int:
    """How many of the user's terms never occur."""
    count_of = dict(zip(names, counts.tolist(), strict=True))
    return sum(count_of[name] == 0 for name in given)
