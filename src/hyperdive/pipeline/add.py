"""New text → a model with more terms and more evidence, without training again.

Words, their vectors and their frequencies stay as they are. Terms and rare words that the model does not have yet get
rows from the new text alone, given the contexts of the model (see `hyperdive.spaces.fold_in`). Of terms it has already
only the counts grow: their rows would need the counts of the old text, which a model does not keep. What the new text
states is added to what the old one stated.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from hyperdive._resources import Run, require_memory
from hyperdive._store import check_output, is_ours
from hyperdive.counts.term_counts import translated
from hyperdive.counts.vocabulary import common_text
from hyperdive.errors import InputError, OptionError
from hyperdive.model import Model, facts_of, with_terms
from hyperdive.options import EncodeOptions, TrainOptions
from hyperdive.patterns.collector import merge
from hyperdive.patterns.store import Patterns, patterns_of
from hyperdive.pipeline.encode import encode
from hyperdive.pipeline.patterns import rare_words
from hyperdive.pipeline.terms import TermText, fit_composition, fold_rows, with_composed
from hyperdive.spaces.dive_options import model_memory
from hyperdive.spaces.folding import folding_of
from hyperdive.spaces.model_folder import composition_of, space_of
from hyperdive.text.corpus import Corpus
from hyperdive.text.term_list import read_terms
from hyperdive.text.term_occurrences import TermOccurrences
from hyperdive.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Additions:
    """What a text brought to a model."""

    tokens: int
    """Kept tokens of the text."""
    terms_added: int
    """Terms that have rows now and had none."""
    terms_updated: int
    """Terms of which only the count grew."""
    statements: int
    """Statements of the text between terms of the model."""
    pairs: int
    """Pairs of terms that no statement named before."""


def add(
    model: Model,
    source: Any,
    output: str | Path,
    *,
    terms: str | Path | None = None,
    run: Run = Run(),
    **reading: Any,
) -> tuple[Model, Additions]:
    """Fold the terms and the evidence of new text into a model, and save the result; the model itself stays.

    Args:
        model: a model with context vectors.
        source: text, as for `encode`, or an encoded corpus with terms.
        output: the folder of the new model.
        terms: a file of terms that are added in any case.
        run: threads, memory and progress; whether to replace an older model.
        reading: options of `ReadingOptions` for text, such as its column.
    """
    output = Path(output)
    check_output(output, force=run.force)
    _check(model)
    if isinstance(source, str | Path) and is_ours(Path(source)):
        source = Corpus.open(source)
    if isinstance(source, Corpus):
        if terms is not None or reading:
            raise OptionError("options for text, but the input is a corpus", hint="give them to encode")
        common_text([("the model", _rules(model)), (str(source.path), _comparable(source.parameters))])
        made, additions = _with_corpus(model, source, run, wanted=None)
        made.save(output, force=run.force)
        return made, additions
    rules = _encode_options(model)
    listed = {} if terms is None else read_terms(terms, EncodeOptions(**rules)).spellings
    with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:
        # terms of the model are looked for however rare they are in the new text
        known = list(model.vocabulary.spellings)[len(model) :]
        together = Path(folder) / "terms.txt"
        together.write_text("".join(f"{spelling}\n" for spelling in (*listed.values(), *known)), encoding="utf-8")
        rules |= {**reading, "terms": str(together) if listed or known else "auto"}
        shared: dict[str, Any] = {"threads": run.threads, "memory": run.memory, "progress": run.progress}
        corpus = encode(source, Path(folder) / "corpus", **shared, **rules)
        made, additions = _with_corpus(model, corpus, run, wanted=set(listed))
        made.save(output, force=run.force)
    return made, additions


# ---- the input ----------------------------------------------------------------------------------------------


def _check(model: Model) -> None:
    if model.contexts is None:
        raise InputError(
            "the model has no context vectors, which new terms need", hint="train it without --set contexts=no"
        )
    if folding_of(model.contexts) is None:
        raise InputError(
            "the model was made by an earlier version and lacks what new terms need", hint="train it again"
        )


def _comparable(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What must be the same in both texts: everything that decides what a word is."""
    rules = EncodeOptions.own(parameters)
    return {name: value for name, value in rules.items() if name not in ("terms", "line_length", "last_line")}


def _rules(model: Model) -> dict[str, Any]:
    return _comparable(facts_of(model).get("corpus", {}).get("text", {}))


def _encode_options(model: Model) -> dict[str, Any]:
    """The options that the text of the model was encoded with."""
    rules = _rules(model)
    if str(rules.get("stopwords", "")).startswith("file:"):
        raise OptionError(
            f"the text of the model was encoded with stop words from {rules['stopwords'].removeprefix('file:')}",
            hint="encode the new text with --set stopwords=FILE --terms auto, and add the corpus",
        )
    return rules


# ---- the result ---------------------------------------------------------------------------------------------


def _with_corpus(model: Model, corpus: Corpus, run: Run, *, wanted: set[str] | None) -> tuple[Model, Additions]:
    """The model with the terms and the evidence of a corpus.

    `wanted` are the terms that are added also where the text does not have them; None means every term of the corpus.
    """
    old = model.vocabulary
    found = _all_terms(corpus, set(model.words))
    counts = {name: int(count) for name, count in zip(found.names, found.counts, strict=True)}
    attested = {name for name in old.terms if old.frequency(name)}
    new = _selected(
        found,
        [name for name in found.names if name not in attested and (counts[name] or wanted is None or name in wanted)],
    )
    rows = len(new) + len(old.terms)
    require_memory(run.memory, model_memory(0, rows, model.dive.dimensions), f"vectors of {rows:,} terms")
    with_new = _with_new(model, corpus, new, {name: counts[name] for name in found.names if name in attested}, run)
    patterns, statements, pairs = _merged_patterns(model, corpus, with_new.terms)
    additions = Additions(
        len(corpus), len(new), sum(counts[name] > 0 for name in found.names if name in attested), statements, pairs
    )
    facts = facts_of(model)
    made = Model(
        space_of(with_new),
        contexts=model.contexts,
        skipgram=space_of(with_new, "skipgram"),
        composition=composition_of(with_new),
        patterns=patterns,
        parameters=model.parameters,
        facts={**facts, "additions": [*facts.get("additions", []), asdict(additions)]},
    )
    return made, additions


def _all_terms(corpus: Corpus, known: set[str]) -> TermOccurrences:
    """The terms of a corpus, and its words, as far as they are not words of the model."""
    terms = corpus.terms
    if terms is None:
        raise InputError(f"{corpus.path}: this corpus was encoded without terms", hint="encode it with --terms auto")
    of_terms = _selected(terms, [name for name in terms.names if name not in known])
    listed = set(of_terms.names)
    words = [
        number
        for number, word in enumerate(corpus.vocabulary)
        if number and word not in known and word not in listed and word not in terms.numbers
    ]
    place = np.full(len(corpus.counts), -1, dtype=np.int64)
    place[words] = len(of_terms) + np.arange(len(words))
    ids = place[np.asarray(corpus.tokens)]
    starts = np.flatnonzero(ids >= 0)
    names = [corpus.vocabulary[number] for number in words]
    return TermOccurrences(
        of_terms.names + names,
        of_terms.spellings + names,
        np.concatenate([of_terms.counts, np.asarray(corpus.counts)[words]]).astype(np.int64),
        np.concatenate([of_terms.starts, starts]),
        np.concatenate([of_terms.lengths, np.ones(len(starts), dtype=np.uint8)]),
        np.concatenate([of_terms.ids, ids[starts]]).astype(np.uint32),
    )


def _selected(terms: TermOccurrences, names: list[str]) -> TermOccurrences:
    """Only these terms, renumbered."""
    chosen = np.array([terms.numbers[name] for name in names], dtype=np.int64)
    number = np.full(len(terms), -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    ids = number[np.asarray(terms.ids)]
    here = ids >= 0
    return TermOccurrences(
        names,
        [terms.spellings[place] for place in chosen.tolist()],
        np.asarray(terms.counts)[chosen],
        np.asarray(terms.starts)[here],
        np.asarray(terms.lengths)[here],
        ids[here].astype(np.uint32),
    )


def _with_new(model: Model, corpus: Corpus, new: TermOccurrences, updated: Mapping[str, int], run: Run) -> Model:
    """The model with the terms that it had, with grown counts, and behind them the new ones."""
    options, old = _train_options(model), model.vocabulary
    numbers = {word: number for number, word in enumerate(model.words, start=1)}
    tokens = translated(np.asarray(corpus.tokens), corpus.all_words, numbers)
    text = TermText(tokens, np.asarray(corpus.line_offsets), new, len(model) + 1)
    rows = fold_rows(text, model, options, run)
    maps = composition_of(model) if old.has_terms else fit_composition(new, rows, model)[0]
    if maps is not None:
        rows = with_composed(new, rows, model, maps)
    again = set(new.names)
    kept = np.array([old.index(name) for name in old.terms if name not in again], dtype=np.int64)
    names = [old.names[row] for row in kept.tolist()]
    grown = old.frequencies[kept] + np.array([updated.get(name, 0) for name in names], dtype=np.int64)
    terms = Vocabulary(
        names + new.names,
        np.concatenate([grown, new.counts]),
        spellings=[*(old.spellings[row] for row in kept.tolist()), *new.spellings],
        abbreviations=old.abbreviations.merged(corpus.abbreviations),
    )
    dive = sparse.vstack([sparse.csr_array(space_of(model).rows(kept)), rows.dive], format="csr")
    twins, skipgram = space_of(model, "skipgram"), rows.skipgram
    if twins is not None and skipgram is not None:
        skipgram = np.vstack([twins.rows(kept), skipgram])
    return with_terms(model, terms, dive, skipgram, maps)


def _train_options(model: Model) -> TrainOptions:
    """The options the model was trained with."""
    recorded = TrainOptions.own(model.parameters)
    if recorded.get("solver") == "paper":  # its own rate and tolerance are not those of the fast solver
        recorded = {name: value for name, value in recorded.items() if name not in ("rate", "tolerance")}
    return TrainOptions(**recorded | {"terms": "auto" if recorded.get("terms") else "none"})


def _merged_patterns(model: Model, corpus: Corpus, terms: list[str]) -> tuple[Patterns | None, int, int]:
    """What both texts state, how many statements came, and how many pairs are new."""
    stated = patterns_of(corpus.path)
    if stated is None:
        return model.patterns, 0, 0
    stated = stated.of_vocabulary({*model.words, *rare_words(terms)})
    before = 0 if model.patterns is None else model.patterns.pairs
    together = stated if model.patterns is None else merge([model.patterns, stated])
    together.factors  # noqa: B018 computed here, kept in the model
    return together, int(stated.totals[2]), together.pairs - before
