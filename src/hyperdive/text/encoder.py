"""Text or token lists → corpus folder."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from hyperdive._progress import SILENT, Progress
from hyperdive._resources import check_threads
from hyperdive._store import ArtifactWriter, check_output
from hyperdive._types import Ints
from hyperdive.errors import OptionError
from hyperdive.options import EncodeOptions
from hyperdive.text.corpus import KIND, VERSION, Corpus
from hyperdive.text.corpus_writer import (
    count_keys,
    document_order,
    finish,
    select,
    settle,
    shuffle_documents,
    write_words,
)
from hyperdive.text.item_stream import ItemStream
from hyperdive.text.lemmas import FormKeys, FormResolver
from hyperdive.text.memory_plan import MemoryPlan
from hyperdive.text.readers import BLOCK_BYTES, DocumentLayout, TextBlock, read_blocks
from hyperdive.text.sources import DocumentSource, TextFiles, TextSource, estimate, find_sources
from hyperdive.text.spool_writer import SpoolWriter
from hyperdive.text.term_candidates import WordRoles
from hyperdive.text.term_inventory import TermInventory
from hyperdive.text.term_items import TextItems
from hyperdive.text.term_list import read_terms
from hyperdive.text.tokens import BlockObserver, Examine, Tokens, tokenise


class TextReading(Protocol):
    """Another way of reading the text than in this process; see `hyperdive.text.parts`."""

    def read(
        self,
        spooler: SpoolWriter,
        sources: list[TextSource],
        layout: DocumentLayout,
        threads: int,
        block_bytes: int,
        progress: Progress,
    ) -> None:
        """As `read_text`."""
        ...

    def items(self, text: TextItems, keys: FormKeys, counts: Ints, threads: int, progress: Progress) -> ItemStream:
        """As `ItemStream`."""
        ...


def _all_blocks(sources: Iterable[TextSource], layout: DocumentLayout, block_bytes: int) -> Iterator[TextBlock]:
    for source in sources:
        yield from read_blocks(source, layout, block_bytes)


def _executor(options: EncodeOptions, threads: int, examine: Examine | None) -> tuple[Executor, Any]:
    """The workers that tokenise: threads (the kernel releases the GIL), or processes for a tagger in Python."""
    if options.pos == "none":
        return ThreadPoolExecutor(threads), partial(tokenise, examine=examine)
    from hyperdive.text import tagging

    return tagging.executor(options, threads), partial(tagging.tag_block, examine=examine)


def read_text(
    spooler: SpoolWriter,
    sources: list[TextSource],
    layout: DocumentLayout,
    threads: int,
    block_bytes: int,
    progress: Progress,
) -> None:
    """Tokenise all blocks on `threads` workers and absorb them in input order, until the budget is used."""
    options = spooler.options
    sizes = [source.size for source in sources]
    total = None if None in sizes else float(sum(size for size in sizes if size))
    # the budget applies to the shuffled order, so then everything is read
    limit = options.max_tokens if options.shuffle is None else 0
    pool, work = _executor(options, threads, None if spooler.observer is None else spooler.observer.examine)
    waiting: deque[tuple[TextBlock, Future[Tokens]]] = deque()
    positions: dict[str, int] = {}

    def take() -> bool:
        """Absorb the oldest block; True when the budget is used up."""
        block, future = waiting.popleft()
        tokens = future.result()
        used = 0
        if limit:
            if options.budget == "kept":
                spooler.merge(tokens)
            counted = spooler.counted(tokens)
            used = int(np.count_nonzero(counted))
            left = limit - spooler.budget_used
            if used >= left:
                at = int(np.searchsorted(np.cumsum(counted), left))
                block = block.first(int(np.searchsorted(tokens.piece_tokens, at, side="right")))
                tokens = work(block, options)
                spooler.merge(tokens)
                spooler.absorb(block, tokens)
                return True
        if not limit or options.budget != "kept":
            spooler.merge(tokens)
        spooler.absorb(block, tokens, used)
        # progress is that of the file on disk where its size is known, else of the text
        position = block.position if block.source.size is not None else block.offset + len(block.data)
        bar.advance(max(0, position - positions.get(block.source.path, 0)))
        positions[block.source.path] = position
        return False

    with progress.stage("reading", total=total, unit="B") as bar, pool:
        try:
            for block in _all_blocks(sources, layout, block_bytes):
                waiting.append((block, pool.submit(work, block, options)))
                if len(waiting) > threads + 1 and take():
                    return
            while waiting:
                if take():
                    return
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@dataclass(frozen=True, kw_only=True)
class TextRun:
    """How text is read, beside the rules of `EncodeOptions`: where documents are, what is kept, and what it may use."""

    document: str = "line"
    """The unit of a document."""
    field: str = "text"
    """JSON lines: the field that holds the text."""
    column: str = "text"
    """CSV, TSV, Parquet: the column that holds the text."""
    keep_text: bool | None = None
    """Whether to keep the text itself; None keeps it below a size."""
    strict: bool = False
    """Refuse invalid UTF-8 and NUL bytes."""
    force: bool = False
    """Replace an older corpus of this name."""
    threads: int | None = None
    """Threads to use; None is all."""
    memory: int | None = None
    """Bytes that the process may have of its own; None: half of this machine's is shared out, and nothing refused."""
    block_bytes: int = BLOCK_BYTES
    """Text that is tokenised at once."""
    observer: BlockObserver | None = None
    """Examines the text in the same pass."""
    word_roles: WordRoles | None = None
    """Which words make noun phrases; without it the only terms are those of the user's list."""
    reading: TextReading | None = None
    """Reads the text and searches it for terms somewhere else."""
    progress: Progress = SILENT
    """Where to report progress."""

    def __post_init__(self) -> None:
        if self.block_bytes < 1:
            raise OptionError(f"the block size is {self.block_bytes}", hint="it must be 1 or more")


def encode_text(
    inputs: str | Path | Sequence[str | Path] | DocumentSource | TextFiles,
    output: str | Path,
    *,
    preset: str = "default",
    **options: Any,
) -> Corpus:
    """Read text and write an encoded corpus; `options` are those of `EncodeOptions` and of `TextRun`.

    `hyperdive.encode` collects patterns with an `observer`. The result has the same bytes for any `threads` and
    `block_bytes`. Memory does not grow with the text, only with the number of distinct word forms (about 200 bytes
    each).

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "pets.txt").write_text("Poodles are dogs. Dogs bark!\\nA cat is no dog.\\n")
    >>> corpus = encode_text(folder / "pets.txt", folder / "corpus", min_count=1)
    >>> corpus.vocabulary
    ['<unk>', 'dog', 'bark', 'cat', 'poodle']
    >>> corpus.sentence_text(1)
    'Dogs bark!'
    >>> corpus.header["accounting"]
    {'dropped': {'stop_word': 4}, 'kept': 6, 'read': 10}
    """
    run = TextRun(**{name: value for name, value in options.items() if name not in EncodeOptions.described()})
    rules = _with_possible_terms(EncodeOptions.preset(preset, **EncodeOptions.own(options)), run.word_roles)
    layout = DocumentLayout(document=run.document, field=run.field, column=run.column)
    progress, observer, reading = run.progress, run.observer, run.reading
    memory = MemoryPlan.of(run.memory, threads=check_threads(run.threads), block_bytes=run.block_bytes)
    threads = memory.threads
    check_output(Path(output), force=run.force)
    skipped: list[tuple[str, str]] = []
    resolver = FormResolver(rules)
    term_list = None if rules.terms in ("auto", "none") else read_terms(rules.terms, rules)
    if term_list is not None and term_list.note:
        progress.note(f"note: lines of {Path(rules.terms).name} left out: {term_list.note}")
    sources = _sources(inputs, lambda path, reason: skipped.append((path, reason)))
    with ArtifactWriter(output, KIND, VERSION, force=run.force) as writer, ThreadPoolExecutor(1) as aside:
        for path, reason in skipped[:10]:
            progress.note(f"skipped {path}: {reason}")
        if len(skipped) > 10:
            progress.note(f"skipped {len(skipped) - 10} more files")
        if note := estimate(sources, threads, tagged=rules.pos != "none"):
            progress.note(note)
        writer.in_memory = memory.in_memory
        spooler = SpoolWriter(writer, rules, resolver, run.keep_text, run.strict, progress, observer)
        spooler.memory = memory
        (read_text if reading is None else reading.read)(
            spooler, sources, layout, threads, memory.block_bytes, progress
        )
        spool, keys, accounting = spooler.close(), spooler.resolver.keys(), spooler.accounting
        if spooler.invalid:
            first = spooler.first_invalid or {}
            progress.note(
                f"note: {spooler.invalid} bytes of invalid UTF-8 were read as spaces, the first in {first['file']} "
                f"at byte {first['offset']} (--set strict=yes refuses them)"
            )
        if spooler.nul:
            progress.note(f"note: {spooler.nul} NUL bytes were read as spaces")
        if spooler.without_text:
            progress.note(f"note: {spooler.without_text:,} rows have no text (null) and were left out")
        if rules.shuffle is not None:
            spool = shuffle_documents(spool, rules.shuffle, writer)
        header: dict[str, Any] = {"input": spooler.header(), "skipped_files": len(skipped)}
        saved: Future[None] | None = None
        if observer is not None and memory.limit is None:  # with a limit, one thing after the other
            saved = aside.submit(observer.save, writer.folder, dict(header), spooler.documents.size - 1)
        stream = settle(select(spool, keys, rules, accounting, writer, progress), keys.words, rules, accounting, writer)
        if observer is not None and saved is None:
            memory.require_for_patterns()
            observer.save(writer.folder, header, spooler.documents.size - 1)
            memory.release(len(spooler.table))
        if spooler.items is not None:
            items = replace(spooler.items.close(), memory=memory)
            if rules.shuffle is not None:
                items = items.shuffled(document_order(rules.shuffle, len(items.documents) - 1), writer)
            counts = count_keys(stream, len(keys.words))
            item_stream = (ItemStream if reading is None else reading.items)(items, keys, counts, threads, progress)
            inventory = TermInventory(item_stream, rules.min_count, resolver)
            if run.word_roles is not None:
                inventory.add_text(run.word_roles(spooler.table))
            if term_list is not None:
                inventory.add_list(term_list)
            header["terms"] = inventory.write(writer)
        totals = write_words(stream, keys.words, rules, writer, progress)
        if saved is not None:
            saved.result()
        finish(stream, rules, accounting, writer, totals, header)
    return Corpus.open(output)


def _with_possible_terms(rules: EncodeOptions, word_roles: WordRoles | None) -> EncodeOptions:
    """The rules without terms where there can be none: words have tags or keep hyphens, or the language is unknown."""
    if rules.terms == "none":
        return rules
    by_default = EncodeOptions(terms="none")
    for name in ("pos", "hyphens"):
        if getattr(rules, name) != getattr(by_default, name):
            if rules.terms == "auto":
                return replace(rules, terms="none")
            raise OptionError(
                f"a list of terms needs --{name} {getattr(by_default, name)}", hint=f"leave out --terms or --{name}"
            )
    return replace(rules, terms="none") if rules.terms == "auto" and word_roles is None else rules


def _sources(
    inputs: str | Path | Sequence[str | Path] | DocumentSource | TextFiles, skipped: Callable[[str, str], None]
) -> list[TextSource]:
    if isinstance(inputs, DocumentSource):
        return [inputs]
    if isinstance(inputs, TextFiles):
        for path, reason in inputs.skipped:
            skipped(path, reason)
        return list(inputs.sources)
    return find_sources([inputs] if isinstance(inputs, str | Path) else list(inputs), skipped)
