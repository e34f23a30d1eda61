"""Multi-word terms as single words: the user's own list, or collocations found in the text."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._lines import read_lines
from hyperdive._progress import Progress
from hyperdive._store import ArtifactWriter
from hyperdive.errors import InputError
from hyperdive.kernels import forms as kernels
from hyperdive.options import EncodeOptions
from hyperdive.text.corpus_writer import Accounting, Spool, scratch_array, taken
from hyperdive.text.forms import FormTable
from hyperdive.text.lemmas import FormKeys, FormResolver, lower
from hyperdive.text.readers import TextBlock
from hyperdive.text.sources import TextSource
from hyperdive.text.tokens import tokenise

Spelling = Callable[[int], str]

MAX_WORDS_FOUND = 4
MAX_WORDS_GIVEN = 16
_EXAMPLES = 16
_CHUNK = 4 << 20
# Bigrams held while counting neighbours; beyond it those seen once so far are forgotten (16 bytes each).
_MAX_BIGRAMS = 40_000_000


@dataclass(frozen=True)
class Phrase:
    """A multi-word term: the base words to look for, and the name it gets."""

    words: tuple[str, ...]
    name: str


def load(options: EncodeOptions, resolver: FormResolver) -> list[Phrase]:
    """The user's list: one term a line, read by the same rules as the text, so case and inflection do not matter."""
    if options.phrases in ("none", "auto"):
        return []
    path = Path(options.phrases)
    hint = "use auto, none, or a file with one term per line"
    lines = [line.strip() for _, line in read_lines(path, "phrase file", hint)]
    phrases: dict[tuple[str, ...], Phrase] = {}
    for forms in split_terms(lines, options):
        words = tuple(resolver.key(form)[0].partition("|")[0] for form in forms)
        if 2 <= len(words) <= MAX_WORDS_GIVEN:
            phrases.setdefault(words, Phrase(words, "_".join(map(lower, forms))))
    if not phrases:
        raise InputError(
            f"{path}: no term of two or more words in it", hint="write one term per line, such as: blood pressure"
        )
    return list(phrases.values())


def split_terms(terms: list[str], options: EncodeOptions) -> list[list[str]]:
    """Each term as the tokeniser would split it in running text."""
    data = [" ".join(term.split()).encode("utf-8") + b"\n" for term in terms]
    ends = np.cumsum([len(term) for term in data]).astype(np.int64)
    joined = np.frombuffer(b"".join(data), dtype=np.uint8)
    if not len(joined):
        return []
    whole = np.zeros(len(ends), dtype=np.bool_)
    block = TextBlock(joined, ends, whole, whole, TextSource("terms"), 0, 0)
    tokens = tokenise(block, replace(options, phrases="none"))
    table = FormTable()
    numbers = table.merge(tokens.arena, tokens.starts, tokens.lengths, tokens.hashes)
    words = table.words(0)
    bounds = tokens.piece_tokens
    return [[words[numbers[f - 1] - 1] for f in tokens.forms[a:b]] for a, b in itertools.pairwise(bounds)]


@dataclass
class _BaseWords:
    """FormKeys without their tags: what phrases are matched on. Base 0 is the gap."""

    words: list[str]
    of_form: npt.NDArray[np.int64]
    stop: npt.NDArray[np.bool_]
    length: npt.NDArray[np.int64]
    """How many words a base has (phrases found earlier have several)."""


def _bases(keys: FormKeys) -> _BaseWords:
    numbers: dict[str, int] = {"": 0}
    of_key = np.array([numbers.setdefault(word.partition("|")[0], len(numbers)) for word in keys.words], dtype=np.int64)
    stop = np.zeros(len(numbers), dtype=np.bool_)
    stop[of_key[keys.stop]] = True
    return _BaseWords(list(numbers), of_key[keys.of_form], stop, np.ones(len(numbers), dtype=np.int64))


class PhraseJoiner:
    """Replaces multi-word terms in a spool by single words.

    Args:
        options: which phrases, and the threshold of collocations.
        table: the forms of the spool.
        accounting: counts the tokens that become part of a phrase.
        writer: the corpus folder, for scratch files.
        progress: where progress is shown.
    """

    def __init__(
        self,
        options: EncodeOptions,
        table: FormTable,
        accounting: Accounting,
        writer: ArtifactWriter,
        progress: Progress,
    ) -> None:
        self._options, self._table, self._accounting = options, table, accounting
        self._writer, self._progress = writer, progress
        self._tag = "|n" if options.pos != "none" else ""

    def join(self, spool: Spool, keys: FormKeys, listed: list[Phrase]) -> tuple[Spool, FormKeys, dict[str, Any]]:
        """The spool with phrases joined, the keys with phrases added, and figures for the header.

        Args:
            spool: everything read.
            keys: the keys of its forms.
            listed: the user's phrases; unused where collocations are found in the text.
        """
        bases = _bases(keys)
        if self._options.phrases != "auto":
            spool, keys, matched = self._join_once(spool, keys, bases, listed, "given")
            return spool, keys, {"given": len(listed), "matched": matched}
        collocations = 0
        for step in ("two", "four"):
            phrases = _collocations(spool, bases, self._options, self._progress)
            if not phrases:
                break
            spool, keys, matched = self._join_once(spool, keys, bases, phrases, step)
            bases = _extended(bases, phrases)
            collocations += matched
        return spool, keys, {"found": collocations, "threshold": self._options.phrase_threshold}

    def _join_once(
        self, spool: Spool, keys: FormKeys, bases: _BaseWords, phrases: list[Phrase], step: str
    ) -> tuple[Spool, FormKeys, int]:
        def spelling(form: int) -> str:
            word = self._table.word(form) if form <= len(self._table) else keys.words[int(keys.of_form[form])]
            return lower(word.partition("|")[0])

        edges, targets, ends, starts = _trie(phrases, bases)
        size = len(spool.forms)
        forms = scratch_array(self._writer, f"joined_{step}.bin", size)
        sentences = scratch_array(self._writer, f"joined_sentences_{step}.bin", len(spool.sentences), np.int64)
        matches = np.zeros(len(phrases), dtype=np.int64)
        examples = np.full((len(phrases), _EXAMPLES), -1, dtype=np.int64)
        written = sentence = start = 0
        with self._progress.stage("phrases", total=size, unit="words") as bar:
            while start < size:
                end = _sentence_border(spool.sentences, start + _CHUNK, size)
                piece = np.asarray(spool.forms[start:end])
                out = np.empty(len(piece), dtype=np.uint32)
                got, sentence = kernels.join_phrases(
                    piece, bases.of_form, start, starts, edges, targets, ends, spool.sentences, sentence, sentences,
                    written, out, matches, examples,
                )  # fmt: skip
                forms[written : written + got] = out[:got]
                written += got
                bar.advance(end - start)
                start = end
        sentences[sentence:] = written
        absorbed = int(sum(int(n) * (len(p.words) - 1) for n, p in zip(matches, phrases, strict=True)))
        self._accounting.drop("joined_into_phrase", absorbed)
        names = [p.name or _name(spool, p, examples[i], spelling) for i, p in enumerate(phrases)]
        words = [*keys.words, *(name + self._tag for name in _distinct(names, keys.words, self._tag))]
        new_keys = FormKeys(
            words,
            np.concatenate([keys.of_form, len(keys.words) + np.arange(len(phrases))]),
            np.concatenate([keys.stop, np.zeros(len(phrases), dtype=np.bool_)]),
        )
        joined = Spool(
            forms[:written],
            taken(sentences, spool.document_sentences, self._writer, f"joined_documents_{step}.bin"),
            spool.document_sentences,
            sentences,
            spool.sentence_text,
        )
        return joined, new_keys, int(np.count_nonzero(matches))


def _extended(bases: _BaseWords, phrases: list[Phrase]) -> _BaseWords:
    """The bases with the phrases just joined as words of their own; their names cannot clash with a word's."""
    lengths = dict(zip(bases.words, bases.length.tolist(), strict=True))
    new = [sum(lengths[word] for word in phrase.words) for phrase in phrases]
    return _BaseWords(
        bases.words + [" ".join(phrase.words) for phrase in phrases],
        np.concatenate([bases.of_form, len(bases.words) + np.arange(len(phrases))]),
        np.concatenate([bases.stop, np.zeros(len(phrases), dtype=np.bool_)]),
        np.concatenate([bases.length, new]).astype(np.int64),
    )


def _trie(
    phrases: list[Phrase], bases: _BaseWords
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Edges (node·2³² + base, sorted), where they lead, which phrase ends at a node, which bases start one."""
    number = {word: i for i, word in enumerate(bases.words)}
    edges: dict[int, int] = {}
    ends = [-1]
    starts = np.zeros(len(bases.words), dtype=np.bool_)
    for p, phrase in enumerate(phrases):
        path = [number.get(word, -1) for word in phrase.words]
        if -1 in path:  # a word that never occurs
            continue
        node = 0
        for base in path:
            key = (node << 32) | base
            if key not in edges:
                edges[key] = len(ends)
                ends.append(-1)
            node = edges[key]
        ends[node] = p
        starts[path[0]] = True
    keys = np.array(sorted(edges), dtype=np.uint64)
    targets = np.array([edges[int(key)] for key in keys], dtype=np.int64)
    return keys, targets, np.array(ends, dtype=np.int64), starts


def _distinct(names: list[str], taken: Sequence[str], tag: str) -> list[str]:
    """Two phrases found by different base words may be spelt alike; the later one gets its number appended."""
    seen = {word for word in taken if "_" in word}
    out = []
    for name in names:
        unique, n = name, 2
        while unique + tag in seen:
            unique, n = f"{name}_{n}", n + 1
        seen.add(unique + tag)
        out.append(unique)
    return out


def _sentence_border(sentences: npt.NDArray[np.int64], near: int, size: int) -> int:
    """The first sentence start at or after `near`: no phrase crosses it."""
    at = int(np.searchsorted(sentences, near, side="left"))
    return size if near >= size or at >= len(sentences) else min(size, int(sentences[at]))


def _name(spool: Spool, phrase: Phrase, examples: npt.NDArray[np.int64], spelling: Spelling) -> str:
    """The commonest spelling among the first matches, in the singular if seen: `amino_acid`, but `united_states`."""
    spellings: Counter[tuple[str, ...]] = Counter()
    for at in examples[examples >= 0].tolist():
        spellings[tuple(spelling(int(form)) for form in spool.forms[at : at + len(phrase.words)])] += 1
    if not spellings:
        return "_".join(phrase.words)
    base = phrase.words[-1].rpartition(" ")[2]
    singular = {words: n for words, n in spellings.items() if words[-1].rpartition("_")[2] == base}
    return "_".join(Counter(singular or spellings).most_common(1)[0][0])


def _count_neighbours(
    spool: Spool, bases: _BaseWords, eligible: npt.NDArray[np.bool_], progress: Progress
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """How often each two eligible base words stand side by side in a sentence."""
    keys: npt.NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)
    counts: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    size = len(spool.forms)
    with progress.stage("neighbours", total=size, unit="words") as bar:
        start = 0
        while start < size:
            end = _sentence_border(spool.sentences, start + _CHUNK, size)
            pairs = kernels.neighbour_keys(
                np.asarray(spool.forms[start:end]), bases.of_form, eligible, spool.sentences, start
            )
            distinct, occurrences = np.unique(pairs, return_counts=True)
            keys, places = np.unique(np.concatenate([keys, distinct]), return_inverse=True)
            counts = np.bincount(places, weights=np.concatenate([counts, occurrences])).astype(np.int64)
            if len(keys) > _MAX_BIGRAMS:
                keys, counts = keys[counts > 1], counts[counts > 1]
            bar.advance(end - start)
            start = end
    return keys, counts


def _collocations(spool: Spool, bases: _BaseWords, options: EncodeOptions, progress: Progress) -> list[Phrase]:
    """Pairs of neighbours that occur at least `min_count` times with a normalised PMI at or above the threshold.

    NPMI(x, y) = log(p(x,y) / (p(x)·p(y))) / −log p(x,y): 1 when x and y only occur together, 0 when independent.
    """
    words = np.zeros(len(bases.words), dtype=np.int64)
    for start in range(0, len(spool.forms), _CHUNK):
        words += np.bincount(bases.of_form[spool.forms[start : start + _CHUNK]], minlength=len(words))
    words[0] = 0
    eligible = (words >= options.min_count) & ~bases.stop
    eligible[0] = False
    keys, counts = _count_neighbours(spool, bases, eligible, progress)
    frequent = counts >= options.min_count
    keys, counts = keys[frequent], counts[frequent]
    x, y = (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    total = max(int(words.sum()), 2)
    joint = np.log(counts / total)
    npmi = (joint - np.log(words[x] / total) - np.log(words[y] / total)) / -joint
    # a pair of equal words ("very very") is emphasis, not a term
    good = (npmi >= options.phrase_threshold) & (bases.length[x] + bases.length[y] <= MAX_WORDS_FOUND) & (x != y)
    order = np.argsort(-counts[good], kind="stable")
    names = bases.words
    pairs = zip(x[good][order].tolist(), y[good][order].tolist(), strict=True)
    return [Phrase((names[a], names[b]), "") for a, b in pairs]
