"""From the words of a text to the corpus folder: select, count, order the vocabulary, write.

What happens here depends on the whole text (counts, the order of the vocabulary), so it is a second, streaming pass:
memory does not grow with the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._progress import Progress
from hyperdive._store import ArtifactWriter
from hyperdive._types import Ints
from hyperdive.errors import InputError
from hyperdive.kernels import forms as kernels
from hyperdive.options import EncodeOptions
from hyperdive.text.corpus import UNKNOWN, WORDS
from hyperdive.text.fold import Accounting, TokenStream
from hyperdive.text.growing_array import GrowingArray
from hyperdive.text.kept_text import ROWS, ParquetFile

_CHUNK_TOKENS = 4 << 20
_CHUNK_WORDS = _CHUNK_DOCUMENTS = 1 << 16


def chunks(size: int) -> Iterator[slice]:
    """Yield slices that cover so many tokens."""
    for start in range(0, size, _CHUNK_TOKENS):
        yield slice(start, min(size, start + _CHUNK_TOKENS))


# ---- which tokens -------------------------------------------------------------------------------------------


def document_order(seed: int, documents: int) -> Ints:
    """The order of documents drawn with `seed`."""
    return np.random.default_rng(seed).permutation(documents)


def shuffle_documents(stream: TokenStream, seed: int, writer: ArtifactWriter) -> TokenStream:
    """The same documents in an order drawn with `seed`; in memory there is this order, 8 bytes a document."""
    order = document_order(seed, len(stream.documents) - 1)
    keys = GrowingArray(writer.scratch("shuffled.bin"), "uint32")
    documents, document_sentences, sentences, rows = (
        GrowingArray(writer.scratch(f"shuffled_{name}.bin"), "int64")
        for name in ("documents", "document_sentences", "sentences", "rows")
    )
    for start in range(0, len(order), _CHUNK_DOCUMENTS):
        some = order[start : start + _CHUNK_DOCUMENTS]
        firsts, ends = stream.documents[some], stream.documents[some + 1]
        new = keys.size + np.cumsum(ends - firsts) - (ends - firsts)
        documents.append(new)
        for first, end in zip(firsts.tolist(), ends.tolist(), strict=True):
            keys.append(stream.keys[first:end])
        first_sentences = stream.document_sentences[some]
        counts = stream.document_sentences[some + 1] - first_sentences
        new_sentences = sentences.size + np.cumsum(counts) - counts
        document_sentences.append(new_sentences)
        # sentence j of new document i is sentence (start of its old document + j)
        places = np.arange(sentences.size, sentences.size + int(counts.sum()))
        old = np.repeat(first_sentences - new_sentences, counts) + places
        sentences.append(stream.sentences[old] + np.repeat(new - firsts, counts))
        rows.append(old)
    documents.append(np.array([keys.size]))
    document_sentences.append(np.array([sentences.size]))
    sentences.append(np.array([keys.size]))
    arrays = (keys, documents, document_sentences, sentences, rows)
    return TokenStream(*(array.close() for array in arrays))


def select(
    stream: TokenStream, stop: npt.NDArray[np.bool_], options: EncodeOptions, accounting: Accounting,
    writer: ArtifactWriter,
) -> TokenStream:  # fmt: skip
    """The words within the budget that are no stop words."""
    size = len(stream.keys)
    end = _budget_end(stream, stop, options)
    accounting.drop("over_budget", size - end)
    if end < size:
        # documents that start beyond the cut are not part of the corpus
        inside = int(np.searchsorted(stream.documents[:-1], end, side="left"))
        sentences = int(stream.document_sentences[inside])
        stream = TokenStream(
            stream.keys[:end],
            stream.documents[: inside + 1],
            stream.document_sentences[: inside + 1],
            stream.sentences[: sentences + 1],
            None if stream.sentence_rows is None else stream.sentence_rows[:sentences],
        )
    kept = _compact(stream, ~stop, writer, "kept")
    accounting.drop("stop_word", end - len(kept.keys))
    return kept


def _budget_end(stream: TokenStream, stop: npt.NDArray[np.bool_], options: EncodeOptions) -> int:
    """The place behind the last word of the budget."""
    size, left = len(stream.keys), int(options.max_tokens)
    if not left or options.budget != "kept":
        return min(size, left or size)
    for chunk in chunks(size):
        counted = np.cumsum(~stop[stream.keys[chunk]])
        if counted[-1] >= left:
            return int(chunk.start + np.searchsorted(counted, left) + 1)
        left -= int(counted[-1])
    return size


def _compact(stream: TokenStream, keep: npt.NDArray[np.bool_], writer: ArtifactWriter, name: str) -> TokenStream:
    """Drop the words whose key is not in `keep` and move all offsets."""
    size = len(stream.keys)
    keys = GrowingArray(writer.scratch(f"{name}.bin"), "uint32")
    sentences = GrowingArray(writer.scratch(f"{name}_sentences.bin"), "int64")
    documents = GrowingArray(writer.scratch(f"{name}_documents.bin"), "int64")
    for chunk in chunks(size):
        piece = np.asarray(stream.keys[chunk])
        stop = int(np.searchsorted(stream.sentences, chunk.stop, side="left"))
        starts = np.asarray(stream.sentences[sentences.size : stop])
        kept, places = kernels.kept_tokens(piece, keep, starts - chunk.start)
        sentences.append(places + keys.size)
        keys.append(kept)
    sentences.append(np.full(len(stream.sentences) - sentences.size, keys.size))
    moved = sentences.close()
    for start in range(0, len(stream.document_sentences), _CHUNK_DOCUMENTS):
        documents.append(moved[stream.document_sentences[start : start + _CHUNK_DOCUMENTS]])
    return replace(stream, keys=keys.close(), documents=documents.close(), sentences=moved)


def count_keys(stream: TokenStream, size: int) -> Ints:
    """How often each key occurs."""
    counts = np.zeros(size, dtype=np.int64)
    for chunk in chunks(len(stream.keys)):
        kernels.add_counts(np.asarray(stream.keys[chunk]), counts)
    return counts


def settle(
    stream: TokenStream, keys: int, options: EncodeOptions, accounting: Accounting, writer: ArtifactWriter
) -> TokenStream:
    """Exactly the tokens of the corpus: without rare words, where these are dropped, and without an incomplete line.

    Args:
        stream: the tokens that are no stop words.
        keys: how many keys there are.
        options: what becomes of rare words and of the last line.
        accounting: counts what is dropped.
        writer: the corpus folder, for scratch files.
    """
    if options.rare == "drop":
        counts = count_keys(stream, keys)
        rare = counts < options.min_count
        accounting.drop("rare", int(counts[rare].sum()))
        stream = _compact(stream, ~rare, writer, "frequent")
    size = len(stream.keys)
    if isinstance(options.line_length, int) and options.last_line == "drop":
        size -= size % options.line_length
        accounting.drop("incomplete_last_line", len(stream.keys) - size)
    if size == 0:
        raise InputError("no word is left to encode", hint=explain_nothing_left(accounting, options))
    np.minimum(stream.documents, size, out=stream.documents)
    np.minimum(stream.sentences, size, out=stream.sentences)
    return replace(stream, keys=stream.keys[:size])


# ---- the folder ---------------------------------------------------------------------------------------------


def vocabulary_order(words: Any, counts: Ints) -> Ints:
    """Keys that occur, by falling count, then by word (code points).

    Args:
        words: the words of all keys, as an Arrow array of strings.
        counts: how often each occurs.

    >>> import pyarrow as pa
    >>> vocabulary_order(pa.array(["b", "a", "never", "c"]), np.array([2, 2, 0, 9])).tolist()
    [3, 1, 0]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    used = np.flatnonzero(counts)
    # strings are compared by their bytes, which is by their code points
    by_word = used[pc.sort_indices(words.take(pa.array(used))).to_numpy().astype(np.int64)]
    order: Ints = by_word[np.argsort(-counts[by_word], kind="stable")]
    return order


def write_words(
    stream: TokenStream, words: Any, options: EncodeOptions, writer: ArtifactWriter, progress: Progress
) -> dict[str, int]:
    """Order the vocabulary, number the tokens by it and write both; returns how many there are of everything.

    Args:
        stream: the tokens of the corpus.
        words: the words of all keys, as an Arrow array of strings.
        options: the rules of the corpus.
        writer: the corpus folder.
        progress: where progress is shown.
    """
    size = len(stream.keys)
    counts = count_keys(stream, len(words))
    order = vocabulary_order(words, counts)
    number = np.zeros(len(words), dtype=np.uint32)
    number[order] = np.arange(1, len(order) + 1, dtype=np.uint32)
    frequency = np.zeros(len(order) + 1, dtype=np.int64)
    last_seen = np.full(len(order) + 1, -1, dtype=np.int64)
    out = writer.stream("tokens.npy", "uint32")
    with progress.stage("writing", total=size, unit="words") as bar, ThreadPoolExecutor(1) as background:
        written: Future[None] | None = None
        for chunk in chunks(size):
            ids = number[stream.keys[chunk]]
            if written is not None:
                written.result()
            # writing overlaps with counting documents
            written = background.submit(out.append, ids)
            kernels.document_frequency(ids, chunk.start, stream.documents, last_seen, frequency)
            bar.advance(len(ids))
        if written is not None:
            written.result()
    _write_vocabulary(words, order, counts, frequency, writer)
    writer.put("documents.npy", stream.documents)
    writer.put("document_sentences.npy", stream.document_sentences)
    writer.put("sentences.npy", stream.sentences)
    n_lines = _write_lines(stream, options, writer)
    return {
        "tokens": size,
        "types": len(order),
        "vocabulary": int(np.count_nonzero(counts >= options.min_count)) + 1,
        "documents": len(stream.documents) - 1,
        "sentences": len(stream.sentences) - 1,
        "lines": n_lines,
    }


def _write_vocabulary(words: Any, order: Ints, counts: Ints, frequency: Ints, writer: ArtifactWriter) -> None:
    """Write the table of words, the unknown symbol first."""
    import pyarrow as pa

    schema = pa.schema([("word", pa.large_string()), ("count", pa.int64()), ("documents", pa.int64())])
    file = ParquetFile(writer, WORDS, schema)
    file.append(pa.table([[UNKNOWN], [0], [0]], schema=schema))
    for start in range(0, len(order), _CHUNK_WORDS):
        some = order[start : start + _CHUNK_WORDS]
        columns = [words.take(pa.array(some)), counts[some], frequency[start + 1 : start + 1 + len(some)]]
        file.append(pa.table([pa.array(column) for column in columns], schema=schema))
    file.finish()


def _write_lines(stream: TokenStream, options: EncodeOptions, writer: ArtifactWriter) -> int:
    """Write the offsets of lines that do not all have one length, without empty ones; returns how many lines."""
    if isinstance(options.line_length, int):
        return -(-len(stream.keys) // options.line_length)
    offsets = stream.documents if options.line_length == "document" else stream.sentences
    out = writer.stream("lines.npy", "int64")
    written, last = 0, -1
    for some in chunks(len(offsets)):
        distinct = np.unique(offsets[some])  # they are in order
        distinct = distinct[int(distinct[0] == last) :]
        out.append(distinct)
        written, last = written + len(distinct), int(offsets[some.stop - 1])
    return written - 1


def finish(
    stream: TokenStream,
    options: EncodeOptions,
    accounting: Accounting,
    writer: ArtifactWriter,
    totals: dict[str, int],
    header: dict[str, Any],
    *,
    keep_text: bool = False,
) -> dict[str, Any]:
    """Write the header of a corpus whose files are all there, and put the folder in its place."""
    if keep_text and stream.sentence_rows is not None:
        writer.put(ROWS, stream.sentence_rows)
    return writer.finish(
        {
            "parameters": options.as_parameters(),
            "accounting": accounting.as_dict(totals["tokens"]),
            "totals": totals,
            "keep_text": keep_text,
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
