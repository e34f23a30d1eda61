"""Text → corpus folder: parts are read by tasks of an engine, and put together in the order of the text."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import tee
from pathlib import Path
from typing import Any

from hyperdive._engine import Engine
from hyperdive._progress import SILENT, Progress
from hyperdive._resources import check_threads, default_memory, release_memory, require_memory
from hyperdive._store import ArtifactWriter, check_output
from hyperdive.engines.local import LocalEngine
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
from hyperdive.text.fold import TextFold
from hyperdive.text.item_stream import IN_PARTS, ItemStream
from hyperdive.text.kept_text import KEEP_BELOW
from hyperdive.text.parts import PartReader, TextPart, cut_parts, is_plain
from hyperdive.text.readers import BLOCK_BYTES, DocumentLayout
from hyperdive.text.sources import DocumentSource, TextFiles, TextSource, estimate, find_sources
from hyperdive.text.term_candidates import WordRoles
from hyperdive.text.term_inventory import TermInventory
from hyperdive.text.term_list import read_terms
from hyperdive.text.tokens import BlockObserver

PART_BYTES, SHARED_PART_BYTES = 8 << 20, 64 << 20
"""Text that a task reads on one machine, where results come often enough to show progress, and on a cluster."""
_PROCESS_BYTES = 250_000_000  # Python, its libraries and the lemmas
_THREAD_BLOCKS, _PART_COPIES = 30, 10  # memory of a thread, in blocks and in parts
_WRITING_BYTES = 40_000_000  # of the libraries that write tables of patterns
_PARTS_A_THREAD = 4  # at least, so that all threads end at about the same time


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
    part_bytes: int | None = None
    """Text that a task reads; None: by the size of the text, the threads and the memory."""
    observer: BlockObserver | None = None
    """Examines the text in the same pass."""
    word_roles: WordRoles | None = None
    """Which words make noun phrases; without it the only terms are those of the user's list."""
    engine: Engine | None = None
    """What runs the tasks; None is threads of this process."""
    folder: Path | None = None
    """Where the results of tasks are kept for a run that goes on later; None is in memory."""
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

    `hyperdive.encode` collects patterns with an `observer`. The result has the same bytes for any `threads`,
    `block_bytes` and `part_bytes`. Memory does not grow with the text, only with the number of distinct word forms
    (about 200 bytes each).

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
    progress, observer = run.progress, run.observer
    engine = run.engine or LocalEngine(_threads(run), _executor(rules))
    check_output(Path(output), force=run.force)
    skipped: list[tuple[str, str]] = []
    term_list = None if rules.terms in ("auto", "none") else read_terms(rules.terms, rules)
    if term_list is not None and term_list.note:
        progress.note(f"note: lines of {Path(rules.terms).name} left out: {term_list.note}")
    sources = _sources(inputs, lambda path, reason: skipped.append((path, reason)))
    with ArtifactWriter(output, KIND, VERSION, force=run.force) as writer, ThreadPoolExecutor(1) as aside:
        for path, reason in skipped[:10]:
            progress.note(f"skipped {path}: {reason}")
        if len(skipped) > 10:
            progress.note(f"skipped {len(skipped) - 10} more files")
        if note := estimate(sources, engine.slots, tagged=rules.pos != "none", kept=run.folder is not None):
            progress.note(note)
        fold = TextFold(
            writer, rules, keep_text=run.keep_text, strict=run.strict, progress=progress,
            observer=observer, memory=run.memory,
        )  # fmt: skip
        with closing(fold):
            _read(fold, sources, rules, run, engine)
            stream = fold.finish()
        resolver = fold.resolver
        resolver.forget()
        fold.note()
        if rules.shuffle is not None:
            stream = shuffle_documents(stream, rules.shuffle, writer)
        header: dict[str, Any] = {"input": fold.header(), "skipped_files": len(skipped)}
        saved: Future[None] | None = None
        if observer is not None and run.memory is None:  # with a limit, one thing after the other
            saved = aside.submit(observer.save, writer.folder, dict(header), len(stream.documents) - 1)
        keys, accounting = resolver.keys(), fold.accounting
        stream = select(stream, keys.stop, rules, accounting, writer)
        stream = settle(stream, len(keys.words), rules, accounting, writer)
        if observer is not None and saved is None:
            needed = _WRITING_BYTES + pattern_memory(run.memory)
            require_memory(run.memory, needed, "what the text states, and what is held so far,", instead=IN_PARTS)
            observer.save(writer.folder, header, len(stream.documents) - 1)
            release_memory()
            fold.check_memory()
        if fold.items is not None:
            items = fold.items.close()
            if rules.shuffle is not None:
                items = items.shuffled(document_order(rules.shuffle, len(items.documents) - 1), writer)
            counts = count_keys(stream, len(keys.words))
            inventory = TermInventory(
                ItemStream(items, keys, counts, engine=engine, folder=run.folder, progress=progress, memory=run.memory),
                rules.min_count,
                resolver,
            )
            if run.word_roles is not None:
                inventory.add_text(run.word_roles(fold.table))
            if term_list is not None:
                inventory.add_list(term_list)
            header["terms"] = inventory.write(writer)
        totals = write_words(stream, keys.words.strings(), rules, writer, progress)
        if saved is not None:
            saved.result()
        finish(stream, rules, accounting, writer, totals, header, keep_text=fold.keeps_text)
    return Corpus.open(output)


def pattern_memory(limit: int | None) -> int:
    """Return what pairs of patterns may take of a limit of memory before they wait on disk."""
    return max((default_memory() if limit is None else limit) // 10, 1 << 24)


def _threads(run: TextRun) -> int:
    """Return how many parts are read at the same time: as many as there is memory for."""
    if run.memory is None:
        return check_threads(run.threads)
    each = _THREAD_BLOCKS * min(run.block_bytes, BLOCK_BYTES) + _PART_COPIES * default_part_bytes(run.memory, None)
    return max(1, min(check_threads(run.threads), (run.memory - _PROCESS_BYTES) // each))


def default_part_bytes(memory: int | None, engine: Engine | None, share: int = 0) -> int:
    """How much text a task reads.

    Args:
        memory: the limit of memory.
        engine: what runs the tasks.
        share: an even share of a text, which makes parts smaller.
    """
    if engine is not None and not engine.in_process:
        return SHARED_PART_BYTES
    most = min(PART_BYTES, (default_memory() if memory is None else memory) // 256)
    return max(min(most, share or most), min(BLOCK_BYTES, most))


def _read(fold: TextFold, sources: list[TextSource], rules: EncodeOptions, run: TextRun, engine: Engine) -> None:
    """Read all parts by tasks, until the budget is used."""
    layout = DocumentLayout(document=run.document, field=run.field, column=run.column)
    sizes = [source.size for source in sources]
    total = None if None in sizes else sum(size for size in sizes if size)
    part_bytes = run.part_bytes or default_part_bytes(
        run.memory, engine, (total or 0) // (_PARTS_A_THREAD * engine.slots)
    )
    # the budget applies to the shuffled order, so then everything is read
    limit = rules.max_tokens if rules.shuffle is None else 0
    too_much = not limit and (total or 0) > KEEP_BELOW and sum(s.size or 0 for s in sources if is_plain(s)) > KEEP_BELOW
    keep_text = run.keep_text is True or (run.keep_text is None and not too_much)
    observer = None if run.observer is None else run.observer.part()
    reader = PartReader(rules, layout, run.block_bytes, keep_text, observer)
    parts = cut_parts(sources, layout, part_bytes, run.block_bytes, streams=engine.in_process)
    addresses: list[str | None] = []
    if not engine.in_process:
        cut = list(parts)
        addresses, parts = [part.address for part in cut], iter(cut)
    parts, tasks = tee(parts)
    positions: dict[str, int] = {}
    results: Any = engine.results(run.folder, "part", reader, tasks, addresses if any(addresses) else None)
    with run.progress.stage("reading", total=total, unit="B") as bar, closing(results):
        for part, (facts, arrays) in zip(parts, results, strict=True):
            if limit and fold.budget_used + int(facts["budget"]) >= limit:
                _read_rest(fold, part, reader, limit - fold.budget_used, engine)
                return
            fold.take(part, facts, arrays)
            bar.advance(_progress(part, positions))


def _read_rest(fold: TextFold, part: TextPart, reader: PartReader, limit: int, engine: Engine) -> None:
    """Read the part in which the budget ends."""
    if part.address is None:
        fold.take(part, *reader(part, limit=limit))
        return
    with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:
        copy = Path(folder) / Path(part.address).name
        engine.fetch(part.address, copy)
        fold.take(part, *reader(part, str(copy), limit))


def _progress(part: TextPart, positions: dict[str, int]) -> int:
    """Return how many bytes of files a part is, or of text where the size of a file is unknown."""
    if not part.read:
        return sum(source.size or 0 for source in part.sources)
    [source], last = part.sources, part.read[-1]
    position = last.offset + len(last.data) if source.size is None else last.position
    before = positions.get(source.path, 0)
    positions[source.path] = max(position, before)
    return positions[source.path] - before


def _executor(options: EncodeOptions) -> Callable[[int], Executor]:
    """The workers that tokenise: threads (the kernels release the GIL), or processes for a tagger in Python."""
    if options.pos == "none":
        return ThreadPoolExecutor
    from hyperdive.text import tagging

    return partial(tagging.executor, options)


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
