"""From a spool of word forms to the corpus folder: select, count, order the vocabulary, write.

The spool is everything that was read, once, as form ids in input order. What happens here depends on whole-corpus
facts (counts, the vocabulary's order), so it is a second, streaming pass: memory does not grow with the text.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._progress import Progress
from hyperdive._store import ArtifactWriter
from hyperdive._types import Ints
from hyperdive.errors import InputError
from hyperdive.kernels import forms as kernels
from hyperdive.options import EncodeOptions
from hyperdive.text.corpus import UNKNOWN
from hyperdive.text.forms import words_at
from hyperdive.text.lemmas import FormKeys

_CHUNK_TOKENS = 4 << 20
_CHUNK_WORDS = _CHUNK_DOCUMENTS = 1 << 16
# Arrays over the whole text up to this many bytes stay in memory; longer texts work on disk.
IN_MEMORY = 192 << 20


@dataclass
class Spool:
    """Everything read: form ids, from 1, and where documents and sentences start."""

    forms: npt.NDArray[np.uint32]
    documents: Ints
    """First form of each document, plus the end."""
    document_sentences: Ints
    sentences: Ints
    """First form of each sentence, plus the end."""
    sentence_text: npt.NDArray[np.int64] | None = None
    """Start and end of each sentence in the kept text."""


@dataclass
class Accounting:
    """Tokens read, kept, and dropped by reason; they add up."""

    read: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    def drop(self, reason: str, count: int) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + int(count)

    def as_dict(self, kept: int) -> dict[str, Any]:
        return {"read": self.read, "kept": kept, "dropped": {k: v for k, v in sorted(self.dropped.items()) if v}}


@dataclass
class KeyStream:
    """Kept tokens as key numbers on disk, with document and sentence offsets into them."""

    keys: npt.NDArray[np.uint32]
    documents: Ints
    document_sentences: Ints
    sentences: Ints
    sentence_text: npt.NDArray[np.int64] | None


def scratch_array(writer: ArtifactWriter, name: str, size: int, dtype: Any = np.uint32) -> npt.NDArray[Any]:
    """A temporary array: in memory while it is small, else on disk."""
    if size * np.dtype(dtype).itemsize <= min(IN_MEMORY, writer.in_memory):
        return np.empty(size, dtype=dtype)
    path = writer.scratch(name)
    reserve(path, size * np.dtype(dtype).itemsize)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r+", shape=(size,)))


def reserve(path: Path, size: int) -> None:
    """Allocate disk space now: writing a mapped page on a full disk later would kill the process."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
            return
        zeros = bytes(1 << 20)
        for start in range(0, size, len(zeros)):
            file.write(zeros[: size - start])


def document_order(seed: int, documents: int) -> Ints:
    """The order of documents drawn with `seed`."""
    return np.random.default_rng(seed).permutation(documents)


def shuffle_documents(spool: Spool, seed: int, writer: ArtifactWriter) -> Spool:
    """The same documents in an order drawn with `seed`; in memory there is this order, 8 bytes a document."""
    order = document_order(seed, len(spool.documents) - 1)
    forms = scratch_array(writer, "shuffled.bin", len(spool.forms))
    documents, document_sentences, sentences, pairs = (
        scratch_array(writer, f"shuffled_{name}.bin", size, np.int64)
        for name, size in (
            ("documents", len(spool.documents)),
            ("document_sentences", len(spool.documents)),
            ("sentences", len(spool.sentences)),
            ("spans", 0 if spool.sentence_text is None else 2 * len(spool.sentence_text)),
        )
    )
    text = None if spool.sentence_text is None else pairs.reshape(-1, 2)
    documents[0] = document_sentences[0] = 0
    for start in range(0, len(order), _CHUNK_DOCUMENTS):
        some = order[start : start + _CHUNK_DOCUMENTS]
        new = slice(start, start + len(some))
        behind = slice(start + 1, start + len(some) + 1)
        firsts, ends = spool.documents[some], spool.documents[some + 1]
        documents[behind] = documents[start] + np.cumsum(ends - firsts)
        places = zip(documents[new].tolist(), firsts.tolist(), ends.tolist(), strict=True)
        for place, first, end in places:
            forms[place : place + end - first] = spool.forms[first:end]
        first_sentences = spool.document_sentences[some]
        counts = spool.document_sentences[some + 1] - first_sentences
        document_sentences[behind] = document_sentences[start] + np.cumsum(counts)
        low, high = int(document_sentences[start]), int(document_sentences[start + len(some)])
        # sentence j of new document i is sentence (start of its old document + j)
        pick = np.repeat(first_sentences - document_sentences[new], counts) + np.arange(low, high)
        sentences[low:high] = spool.sentences[pick] + np.repeat(documents[new] - firsts, counts)
        if text is not None and spool.sentence_text is not None:
            text[low:high] = spool.sentence_text[pick]
    sentences[-1] = len(forms)
    return Spool(forms, documents, document_sentences, sentences, text)


def taken(values: Ints, places: Ints, writer: ArtifactWriter, name: str) -> Ints:
    """The values at some places, as a temporary array."""
    chosen = scratch_array(writer, name, len(places), values.dtype)
    np.take(values, places, out=chosen, mode="clip")  # any other mode makes a copy first
    return chosen


def select(
    spool: Spool,
    keys: FormKeys,
    options: EncodeOptions,
    accounting: Accounting,
    writer: ArtifactWriter,
    progress: Progress,
) -> KeyStream:
    """Forms → keys: drop stop words, apply the budget, move the offsets of documents and sentences."""
    end = len(spool.forms)
    selected = scratch_array(writer, "kept.bin", end)
    sentences = scratch_array(writer, "kept_sentences.bin", len(spool.sentences), np.int64)
    stops = alphabetic = written = sentence = 0
    limit = options.max_tokens or np.iinfo(np.int64).max
    by_kept = options.budget == "kept"
    with progress.stage("selecting", total=end, unit="words") as bar:
        start = 0
        while start < end and (written if by_kept else alphabetic) < limit:
            piece = np.asarray(spool.forms[start : start + _CHUNK_TOKENS])
            out = np.empty(len(piece), dtype=np.uint32)
            used, got, new_stops, sentence = kernels.select(
                piece, keys.of_form, keys.stop, out, start, written, spool.sentences, sentence, sentences,
                limit - (written if by_kept else alphabetic), by_kept,
            )  # fmt: skip
            selected[written : written + got] = out[:got]
            written += got
            stops += new_stops
            alphabetic += got + new_stops
            start += used
            bar.advance(used)
            if used < len(piece):
                break
    over = end - start
    sentences[sentence:] = written
    accounting.drop("stop_word", stops)
    accounting.drop("over_budget", over)
    # documents that start beyond the cut are not part of the corpus
    inside = int(np.searchsorted(spool.documents[:-1], start, side="left")) if start < end else len(spool.documents) - 1
    last_sentence = int(spool.document_sentences[inside])
    document_sentences = spool.document_sentences[: inside + 1]
    sentences = sentences[: last_sentence + 1]
    sentences[-1] = written
    text = None if spool.sentence_text is None else spool.sentence_text[:last_sentence]
    documents = taken(sentences, document_sentences, writer, "kept_documents.bin")
    return KeyStream(selected[:written], documents, document_sentences, sentences, text)


def compact(stream: KeyStream, keep: npt.NDArray[np.bool_], writer: ArtifactWriter, name: str) -> KeyStream:
    """Drop the tokens whose key is not in `keep` and move all offsets."""
    size = len(stream.keys)
    selected = scratch_array(writer, name, size)
    sentences = scratch_array(writer, f"sentences_{name}", len(stream.sentences), np.int64)
    written = sentence = 0
    for start in range(0, size, _CHUNK_TOKENS):
        piece = np.asarray(stream.keys[start : start + _CHUNK_TOKENS])
        stays = keep[piece]
        new = np.concatenate([[0], np.cumsum(stays)]) + written
        stop = int(np.searchsorted(stream.sentences, start + len(piece), side="left"))
        sentences[sentence:stop] = new[stream.sentences[sentence:stop] - start]
        sentence = stop
        remaining = piece[stays]
        selected[written : written + len(remaining)] = remaining
        written += len(remaining)
    sentences[sentence:] = written
    return KeyStream(
        selected[:written],
        taken(sentences, stream.document_sentences, writer, f"documents_{name}"),
        stream.document_sentences,
        sentences,
        stream.sentence_text,
    )


def count_keys(stream: KeyStream, size: int) -> Ints:
    """How often each key occurs."""
    counts = np.zeros(size, dtype=np.int64)
    for start in range(0, len(stream.keys), _CHUNK_TOKENS):
        kernels.add_counts(np.asarray(stream.keys[start : start + _CHUNK_TOKENS]), counts)
    return counts


def vocabulary_order(words: Sequence[str], counts: Ints) -> Ints:
    """FormKeys that occur, by falling count, then by word (code points).

    >>> vocabulary_order(["b", "a", "never", "c"], np.array([2, 2, 0, 9])).tolist()
    [3, 1, 0]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    used = np.flatnonzero(counts)
    pieces = [
        pa.array(words_at(words, used[start : start + _CHUNK_WORDS]), type=pa.large_string())
        for start in range(0, len(used), _CHUNK_WORDS)
    ]
    # strings are compared by their bytes, which is by their code points
    by_word = used[pc.sort_indices(pa.chunked_array(pieces, type=pa.large_string())).to_numpy().astype(np.int64)]
    order: Ints = by_word[np.argsort(-counts[by_word], kind="stable")]
    return order


def write_lines(stream: KeyStream, options: EncodeOptions, writer: ArtifactWriter) -> int:
    """Write the offsets of lines that do not all have one length, without empty ones; returns how many lines."""
    if isinstance(options.line_length, int):
        return -(-len(stream.keys) // options.line_length)
    offsets = stream.documents if options.line_length == "document" else stream.sentences
    out = writer.stream("lines.bin", "int64")
    written, last = 0, -1
    for some in chunks(len(offsets)):
        distinct = np.unique(offsets[some])  # they are in order
        distinct = distinct[int(distinct[0] == last) :]
        out.append(distinct)
        written, last = written + len(distinct), int(offsets[some.stop - 1])
    return written - 1


def chunks(size: int) -> Iterator[slice]:
    for start in range(0, size, _CHUNK_TOKENS):
        yield slice(start, min(size, start + _CHUNK_TOKENS))


def settle(
    stream: KeyStream, words: Sequence[str], options: EncodeOptions, accounting: Accounting, writer: ArtifactWriter
) -> KeyStream:
    """Exactly the tokens of the corpus: without rare words, where these are dropped, and without an incomplete line.

    Args:
        stream: the tokens that are no stop words.
        words: the word of each key.
        options: what becomes of rare words and of the last line.
        accounting: counts what is dropped.
        writer: the corpus folder, for scratch files.
    """
    if options.rare == "drop":
        counts = count_keys(stream, len(words))
        rare = counts < options.min_count
        accounting.drop("rare", int(counts[rare].sum()))
        stream = compact(stream, ~rare, writer, "frequent.bin")
    size = len(stream.keys)
    if isinstance(options.line_length, int) and options.last_line == "drop":
        size -= size % options.line_length
        accounting.drop("incomplete_last_line", len(stream.keys) - size)
    if size == 0:
        raise InputError("no word is left to encode", hint=explain_nothing_left(accounting, options))
    np.minimum(stream.documents, size, out=stream.documents)
    np.minimum(stream.sentences, size, out=stream.sentences)
    return replace(stream, keys=stream.keys[:size])


def write_words(
    stream: KeyStream, words: Sequence[str], options: EncodeOptions, writer: ArtifactWriter, progress: Progress
) -> dict[str, int]:
    """Order the vocabulary, number the tokens by it and write both; returns how many there are of everything."""
    size = len(stream.keys)
    counts = count_keys(stream, len(words))
    order = vocabulary_order(words, counts)
    number = np.zeros(len(words), dtype=np.uint32)
    number[order] = np.arange(1, len(order) + 1, dtype=np.uint32)
    documents, sentences = stream.documents, stream.sentences

    frequency = np.zeros(len(order) + 1, dtype=np.int64)
    last_seen = np.full(len(order) + 1, -1, dtype=np.int64)
    out = writer.stream("tokens.bin", "uint32")
    with progress.stage("writing", total=size, unit="words") as bar, ThreadPoolExecutor(1) as background:
        written: Future[None] | None = None
        for chunk in chunks(size):
            ids = number[stream.keys[chunk]]
            if written is not None:
                written.result()
            # hashing and writing overlap with counting documents
            written = background.submit(out.append, ids)
            kernels.document_frequency(ids, chunk.start, documents, last_seen, frequency)
            bar.advance(len(ids))
        if written is not None:
            written.result()
    lines = writer.stream("words.txt")
    lines.append(f"{UNKNOWN}\n".encode())
    for start in range(0, len(order), _CHUNK_WORDS):
        some = words_at(words, order[start : start + _CHUNK_WORDS])
        lines.append("".join(f"{word}\n" for word in some).encode("utf-8"))
    writer.put("counts.bin", np.concatenate([[0], counts[order]]).astype(np.int64))
    writer.put("document_frequency.bin", frequency)
    writer.put("documents.bin", documents)
    writer.put("document_sentences.bin", stream.document_sentences)
    writer.put("sentences.bin", sentences)
    if stream.sentence_text is not None:
        writer.put("sentence_text.bin", np.ascontiguousarray(stream.sentence_text))
    n_lines = write_lines(stream, options, writer)
    return {
        "tokens": size,
        "types": len(order),
        "vocabulary": int(np.count_nonzero(counts >= options.min_count)) + 1,
        "documents": len(documents) - 1,
        "sentences": len(sentences) - 1,
        "lines": n_lines,
    }


def finish(
    stream: KeyStream,
    options: EncodeOptions,
    accounting: Accounting,
    writer: ArtifactWriter,
    totals: dict[str, int],
    header: dict[str, Any],
) -> dict[str, Any]:
    """Write the header of a corpus whose files are all there, and put the folder in its place."""
    return writer.finish(
        {
            "parameters": options.as_parameters(),
            "accounting": accounting.as_dict(totals["tokens"]),
            "totals": totals,
            "keep_text": stream.sentence_text is not None,
            **header,
        }
    )


def explain_nothing_left(accounting: Accounting, options: EncodeOptions) -> str:
    """A hint why the corpus would be empty."""
    if accounting.read == 0:
        return "the input has no words"
    reasons = {name: count for name, count in accounting.dropped.items() if count}
    most = max(reasons, key=lambda name: reasons[name]) if reasons else ""
    advice = {
        "stop_word": "only stop words were found; try --set stopwords=none",
        "incomplete_last_line": f"fewer than {options.line_length} words; try --set last_line=keep",
        "rare": f"every word occurs fewer than {options.min_count} times; try --min-count 1",
        "not_in_alphabet": "the words have letters outside ASCII; try --set alphabet=unicode",
        "joined": "only hyphenated words were found; try --set hyphens=split",
        "over_budget": f"the first {options.max_tokens:,} words leave too few; try a larger --max-tokens",
    }
    return advice.get(most, "nothing but numbers and signs was found")
