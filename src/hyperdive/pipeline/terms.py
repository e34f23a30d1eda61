"""Terms of a text → rows beside those of the words, from contexts that are trained already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from hyperdive._quantize import rounded_to_16_bits
from hyperdive._resources import Run
from hyperdive._types import Array, Floats32, Ids, Ints
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.counts.term_counts import TermCounts
from hyperdive.model import Model, with_terms
from hyperdive.options import CountOptions, TrainOptions
from hyperdive.spaces.composition import Composition, Row, two_part_terms
from hyperdive.spaces.fold_in import BLOCK, ContextTables, fold_dive, fold_skipgram
from hyperdive.spaces.folding import folding_of
from hyperdive.spaces.inputs import NEIGHBOURS, SpaceInputs
from hyperdive.spaces.makers import filter_for
from hyperdive.spaces.skipgram import SkipgramOptions
from hyperdive.spaces.space import VectorSpace, dense
from hyperdive.text.corpus import Corpus
from hyperdive.text.term_occurrences import TermOccurrences
from hyperdive.text.vocabulary import Vocabulary

FITTED = 50_000
"""Composition is fitted on the most frequent terms of two words, so many at most."""
LEAST = 10
"""How often the text must have such a term."""
HELD_OUT = 10
"""One of so many is left out of a first fit, to say how near composed rows come."""


@dataclass(frozen=True)
class TermText:
    """A text with its terms.

    `tokens` are numbers of the trained contexts, from `size` on the unknown symbol; `lines` are where lines start.
    """

    tokens: Ids
    lines: Ints
    terms: TermOccurrences
    size: int
    corpus: Path | None = None
    """The corpus that all this is, where it is one."""

    @classmethod
    def of(cls, corpus: Corpus) -> TermText:
        """The text of a corpus that has terms."""
        assert corpus.terms is not None
        tokens = np.asarray(corpus.tokens)
        return cls(tokens, corpus.line_offsets, corpus.terms, corpus.vocabulary_size, corpus.path)

    def counts(self, options: CountOptions) -> TermCounts:
        """The counts of terms against words."""
        return TermCounts(self.tokens, self.lines, self.terms, self.size, options)


def fold_terms(inputs: SpaceInputs, trained: Model, options: TrainOptions, run: Run) -> tuple[dict[str, Any], Model]:
    """Facts about the terms of the corpus, and the model with them: a stage of training.

    Args:
        inputs: the corpus and its counts.
        trained: the words with their contexts, skip-gram vectors and what fold-in needs.
        options: those of training.
        run: threads and progress.
    """
    terms, corpus = inputs.terms, inputs.corpus
    assert terms is not None

    def make() -> tuple[dict[str, Any], dict[str, Array]]:
        text = TermText.of(corpus)
        filtered = replace(options, pmi_filter=_shown(inputs, options, run))
        rows = fold_rows(text, trained, filtered, run, inputs.work.folder)
        facts: dict[str, Any] = {"terms": len(terms.names), "occurrences": len(terms.ids)}
        maps, facts["composition"] = fit_composition(terms, rows, trained)
        arrays = _arrays(with_composed(terms, rows, trained, maps) if maps is not None else rows)
        if maps is not None:
            arrays["composition.dive"] = maps.dive
            if maps.skipgram is not None:
                arrays["composition.skipgram"] = maps.skipgram
        return facts, arrays

    facts, arrays = inputs.work.arrays("terms", make)
    maps = None
    if "composition.dive" in arrays:
        twin = arrays.get("composition.skipgram")
        maps = Composition(np.array(arrays["composition.dive"]), None if twin is None else np.array(twin))
    rows = _rows(arrays, options.dimensions)
    table = Vocabulary(terms.names, terms.counts, spellings=terms.spellings, abbreviations=corpus.abbreviations)
    return facts, with_terms(trained, table, rows.dive, rows.skipgram, maps)


def _shown(inputs: SpaceInputs, options: TrainOptions, run: Run) -> str:
    """The PMI filter that the words had, as it is typed."""
    filtered = filter_for(inputs.counts, PmiFilter.of(options), run.progress)
    return "none" if filtered is None else f"{filtered.threshold!r}{filtered.unit}"


@dataclass(frozen=True)
class TermVectors:
    """DIVE rows of terms (CSR) and their skip-gram rows, where there are such."""

    dive: Any
    skipgram: Floats32 | None


def fold_rows(
    text: TermText, trained: Model, options: TrainOptions, run: Run, folder: Path | None = None
) -> TermVectors:
    """Rows of all terms of a text, by the options the words were trained with.

    Args:
        text: the text.
        trained: the words with their contexts, skip-gram vectors and what fold-in needs.
        options: those of training.
        run: threads and progress; its engine solves the rows of a whole corpus.
        folder: where the engine keeps what its tasks make.
    """
    assert trained.contexts is not None
    folding = folding_of(trained.contexts)
    assert folding is not None
    tables = ContextTables.of(trained.frequencies, trained.contexts.matrix, folding)
    if run.engine is None or folder is None or text.corpus is None:
        return _folded(text, tables, options, run)
    many = -(-len(text.terms) // BLOCK)
    step = BLOCK * max(1, -(-many // (4 * run.engine.slots)))
    spans = [(first, min(first + step, len(text.terms))) for first in range(0, len(text.terms), step)]
    task = _TermTask(str(text.corpus.absolute()), tables, options)
    found = [_rows(arrays, options.dimensions) for _, arrays in run.engine.results(folder, "term", task, spans)]
    if not found:
        return _folded(text, tables, options, run, (0, 0))
    twins = [rows.skipgram for rows in found if rows.skipgram is not None]
    dive = sparse.csr_array(sparse.vstack([rows.dive for rows in found], format="csr"))
    return TermVectors(dive, np.vstack(twins) if twins else None)


@dataclass(frozen=True, eq=False)
class _TermTask:
    """Solves the rows of some terms of a corpus: a task function."""

    corpus: str
    tables: ContextTables
    options: TrainOptions

    def __call__(self, span: tuple[int, int]) -> tuple[dict[str, Any], dict[str, Array]]:
        text = TermText.of(Corpus.open(self.corpus, verify=False))
        return {}, _arrays(_folded(text, self.tables, self.options, Run(threads=1), span))


def _folded(
    text: TermText, tables: ContextTables, options: TrainOptions, run: Run, span: tuple[int, int] | None = None
) -> TermVectors:
    filtered, window = PmiFilter.of(options), options.window
    near = filtered is not None and bool(filtered.near)
    counts = text.counts(CountOptions(window=window, near=near))
    dive = fold_dive(counts, tables, options.dive, filtered, run, span)
    if tables.skipgram is None:
        return TermVectors(dive, None)
    chosen = SkipgramOptions(dimensions=options.dimensions, seed=options.seed)
    neighbours = text.counts(CountOptions(window=min(window, NEIGHBOURS)))
    return TermVectors(dive, fold_skipgram(neighbours, tables, chosen, run, span))


def _arrays(rows: TermVectors) -> dict[str, Array]:
    arrays: dict[str, Array] = {
        "dive.lengths": np.diff(rows.dive.indptr).astype(np.int64),
        "dive.indices": rows.dive.indices.astype(np.int32),
        "dive.values": rows.dive.data,
    }
    return arrays if rows.skipgram is None else {**arrays, "skipgram": rows.skipgram}


def _rows(arrays: Mapping[str, Array], dimensions: int) -> TermVectors:
    # copied: the arrays of a stage are maps of files that go with the work folder
    lengths, indices, values = (np.array(arrays[f"dive.{name}"]) for name in ("lengths", "indices", "values"))
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    dive = sparse.csr_array((values, indices, indptr), shape=(len(lengths), dimensions))
    return TermVectors(dive, np.array(arrays["skipgram"]) if "skipgram" in arrays else None)


# ---- composition --------------------------------------------------------------------------------------------


def fit_composition(
    terms: TermOccurrences, rows: TermVectors, words: Model
) -> tuple[Composition | None, dict[str, Any]]:
    """The maps fitted on the terms of two words, and how near they come to terms they were not fitted on.

    Args:
        terms: names and counts of the terms.
        rows: their rows.
        words: the words with their vectors.
    """
    filled, counts = np.diff(rows.dive.indptr) > 0, np.asarray(terms.counts)
    usable = [
        (place, words.dive.index(modifier), words.dive.index(head))
        for place, modifier, head in two_part_terms(terms.names)
        if counts[place] >= LEAST and filled[place] and modifier in words and head in words
    ]
    usable.sort(key=lambda entry: (-int(counts[entry[0]]), entry[0]))
    places, modifiers, heads = np.array(usable[:FITTED], dtype=np.int64).reshape(-1, 3).T

    def parts(chosen: Any) -> Any:
        m, h, t = modifiers[chosen], heads[chosen], places[chosen]
        twins: Any = (None, None, None)
        if words.skipgram is not None and rows.skipgram is not None:
            twins = words.skipgram.matrix[m], words.skipgram.matrix[h], rows.skipgram[t]
        dives = dense(words.dive.rows(m)), dense(words.dive.rows(h)), dense(rows.dive[t])
        return tuple(zip(dives, twins, strict=True))

    held_out = np.arange(len(places)) % HELD_OUT == 0
    trial = Composition.fit(*parts(~held_out))
    if trial is None:
        return None, {}
    facts: dict[str, Any] = {"fitted": len(places), "held_out": int(held_out.sum())}
    for name, compose, (m, h, t) in zip(
        ("dive", "skipgram"), (trial.dive_rows, trial.skipgram_rows), zip(*parts(held_out), strict=True), strict=True
    ):
        if t is not None:
            facts[name] = {"composed": _mean_cosine(compose(m, h), t), "mean": _mean_cosine((m + h) / 2, t)}
    return Composition.fit(*parts(slice(None))), facts


def with_composed(terms: TermOccurrences, rows: TermVectors, words: Model, maps: Composition) -> TermVectors:
    """The same rows, with composed ones for the terms that the text does not have."""
    missing = np.flatnonzero(np.asarray(terms.counts) == 0)
    if len(missing) == 0:
        return rows
    numbers = {name: place for place, name in enumerate(terms.names) if terms.counts[place]}

    def reader(of_terms: Any, of_words: VectorSpace) -> Row:
        def row(name: str) -> Floats32 | None:
            if name in numbers:
                [attested] = dense(of_terms[[numbers[name]]])
                return np.asarray(attested, dtype=np.float32)
            return of_words.vector(name) if name in of_words else None

        return row

    dive, twin = rows.dive.tolil(), rows.skipgram
    row = reader(rows.dive, words.dive)
    twin_row = None
    if twin is not None and words.skipgram is not None:
        twin_row, twin = reader(twin, words.skipgram), twin.copy()
    for place in missing.tolist():
        of_dive, of_skipgram = maps.compose(terms.names[place], row, twin_row)
        if of_dive is not None:
            dive[[place]] = rounded_to_16_bits(of_dive)[None]
        if of_skipgram is not None and twin is not None:
            twin[place] = rounded_to_16_bits(of_skipgram)
    return TermVectors(sparse.csr_array(dive.tocsr()), twin)


def _mean_cosine(a: Floats32, b: Floats32) -> float:
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return round(float(np.mean(np.einsum("nd,nd->n", a, b) / np.maximum(lengths, 1e-9))), 4)
