"""The makers of all spaces that come with the package: each a function (inputs, options, run) → `VectorSpace`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperdive._progress import Progress
from hyperdive._quantize import rounded_to_16_bits
from hyperdive._resources import Run, require_memory
from hyperdive._types import Floats32
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import InputError, OptionError
from hyperdive.options import ABSENT_FROM_PAPER, DiveOptions, SpaceOptions
from hyperdive.spaces.dive import first_tables, train_dive
from hyperdive.spaces.dive_objective import CountMatrix
from hyperdive.spaces.dive_options import DiveResult, solver_memory
from hyperdive.spaces.dive_paper import train_paper
from hyperdive.spaces.gaussian import train_gaussian
from hyperdive.spaces.inputs import SpaceInputs
from hyperdive.spaces.kmeans import kmeans
from hyperdive.spaces.row_tasks import EngineRows
from hyperdive.spaces.sbow import sbow
from hyperdive.spaces.skipgram import SkipgramOptions, train_skipgram
from hyperdive.spaces.space import VectorSpace
from hyperdive.spaces.word2vec import train_word2vec

if TYPE_CHECKING:
    from hyperdive.model import Model

Make = Callable[[SpaceInputs, SpaceOptions, Run], VectorSpace]
Check = Callable[[SpaceOptions, bool, "Model | None"], None]
"""(options, whether there are tokens, the model to start from): refuse before any work what making would refuse."""


# ---- DIVE ---------------------------------------------------------------------------------------------------


def make_dive(inputs: SpaceInputs, options: SpaceOptions, run: Run) -> VectorSpace:
    """The word vectors of DIVE alone; `hyperdive.pipeline.train` makes a model of them."""
    _, tables = dive_tables(inputs, options, run)
    return _of_counts(inputs.counts, "dive", tables["words"], options.dive_parameters())


def dive_tables(inputs: SpaceInputs, options: SpaceOptions, run: Run) -> tuple[dict[str, Any], dict[str, Floats32]]:
    """How training went, and rounded tables: `words` and `contexts` without the unknown symbol, and what fold-in needs.

    These are `unknown_context`, the context vector of the unknown symbol, and `gauge` (see `DiveResult`).
    """

    def make() -> tuple[dict[str, Any], dict[str, Floats32]]:
        result = _solved(inputs, options, run)
        passes: dict[str, int] = {}
        for step in result.history:
            passes[step.stage] = max(passes.get(step.stage, 0), step.number)
        residuals = [asdict(band) for band in result.residuals]
        facts = {"objective": [step.objective for step in result.history], "passes": passes, "residuals": residuals}
        return facts, {
            "words": rounded_to_16_bits(result.words[1:]),
            "contexts": rounded_to_16_bits(result.contexts[1:]),
            "unknown_context": result.contexts[0],
            "gauge": result.gauge,
        }

    return inputs.work.arrays("dive", make)


def _solved(inputs: SpaceInputs, options: SpaceOptions, run: Run) -> DiveResult:
    state, counts = inputs.work.place("dive-state"), inputs.counts
    if options.solver == "paper":
        recipe = asdict(options.paper)
        return train_paper(inputs.corpus, counts, filtered=PmiFilter.of(options), checkpoint=state, run=run, **recipe)
    start = None if inputs.start is None else start_tables(inputs.start, counts.words, options.dive)
    matrix = CountMatrix.of(
        counts, filtered=filter_for(counts, PmiFilter.of(options), run.progress), threads=run.threads
    )
    needed = solver_memory(matrix.size, options.dimensions)
    require_memory(run.memory, needed, f"the solver and {len(matrix.indices):,} counts")
    rows = None if run.engine is None else EngineRows(run.engine, inputs.work.folder).finish
    return train_dive(matrix, start=start, rows=rows, checkpoint=state, run=run, **asdict(options.dive))


def filter_for(counts: Cooccurrence, wanted: PmiFilter | None, progress: Progress) -> PmiFilter | None:
    """The filter, in the true unit where the counts cannot tell what the token unit asks for.

    Independent words reach 2·(window - 1) in the token unit and 1 in the other.

    >>> from types import SimpleNamespace
    >>> from hyperdive._progress import SILENT
    >>> def counts_of(window): return SimpleNamespace(has_near=False, options=SimpleNamespace(window=window))
    >>> [filter_for(counts_of(window), PmiFilter(threshold=30), SILENT).threshold for window in (10, 2, 1)]
    [1.6666666666666667, 15.0, 15.0]
    """
    if wanted is None or not wanted.near or (counts.has_near and counts.options.window > 1):
        return wanted
    ratio = wanted.threshold / max(2 * (counts.options.window - 1), 2)
    progress.note(f"note: these counts have no near counts, so the PMI filter is {ratio:.3g}ratio")
    return PmiFilter(threshold=ratio, unit="ratio")


def start_tables(model: Model, words: list[str], options: DiveOptions) -> tuple[Floats32, Floats32]:
    """The old model's rows for the words it knows, a random start for the others and the unknown symbol."""
    old_contexts = _contexts_of(model, options)
    first, second = first_tables(options, len(words) + 1, None)
    known = [(i + 1, model.dive.index(word)) for i, word in enumerate(words) if word in model.dive]
    rows, old = np.array(known, dtype=np.int64).reshape(-1, 2).T
    for table, space in ((first, model.dive), (second, old_contexts)):
        block = space.rows(old)
        table[rows] = block if isinstance(block, np.ndarray) else block.toarray()
    return first, second


def check_dive(options: SpaceOptions, tokens: bool, start: Model | None) -> None:
    """The paper's solver needs tokens and its own objective; a start the fast one, contexts and as many dimensions."""
    if options.solver == "paper":
        refuse_start(options, tokens, start)
        if not tokens:
            raise OptionError("the paper's solver reads tokens, not counts", hint="give text or a corpus")
        asked = [name for name in ABSENT_FROM_PAPER if getattr(options, name)]
        if asked:
            raise OptionError(
                f"the paper's solver has no {asked[0]}, which is {getattr(options, asked[0])}",
                hint=f"add --preset paper, or {' '.join(f'--set {name}=0' for name in asked)}",
            )
        options.paper  # noqa: B018 a recipe that cannot work should be told now
    if start is not None:
        _contexts_of(start, options.dive)


def _contexts_of(model: Model, options: DiveOptions) -> VectorSpace:
    """The context vectors of a model that training can start from."""
    contexts = model.contexts
    if contexts is None:
        raise InputError("the model to start from has no context vectors", hint="train it without --set contexts=no")
    if model.dive.dimensions != options.dimensions:
        raise OptionError(
            f"the model to start from has {model.dive.dimensions} dimensions, not {options.dimensions}",
            hint=f"add --dimensions {model.dive.dimensions}",
        )
    return contexts


# ---- the others ---------------------------------------------------------------------------------------------


def refuse_start(options: SpaceOptions, tokens: bool, start: Model | None) -> None:
    """Most spaces cannot start from a model."""
    if start is not None:
        raise OptionError("only DIVE by the fast solver can start from a model", hint="leave out --start")


def make_skipgram(inputs: SpaceInputs, options: SpaceOptions, run: Run) -> VectorSpace:
    """Skip-gram vectors of the counts that DIVE would have."""
    parameters = {**_shared(options), "counts": inputs.counts.fingerprint}
    tables = skipgram_tables(inputs, inputs.counts, options, run)
    return _of_counts(inputs.counts, "skipgram", tables["vectors"], parameters)


def skipgram_tables(inputs: SpaceInputs, counts: Cooccurrence, options: SpaceOptions, run: Run) -> dict[str, Floats32]:
    """From some counts of the inputs: rounded `vectors`, and `folding` and `context_terms` (see `SkipgramResult`).

    All are without the unknown symbol.
    """

    def make() -> tuple[dict[str, Any], dict[str, Floats32]]:
        matrix = CountMatrix.of(counts, threads=run.threads)
        result = train_skipgram(matrix, run=run, dimensions=options.dimensions, seed=options.seed)
        return {}, {
            "vectors": rounded_to_16_bits(result.words[1:]),
            "folding": rounded_to_16_bits(result.folding[1:]),
            "context_terms": result.context_terms[1:],
        }

    return inputs.work.arrays("skipgram", make)[1]


def check_skipgram(options: SpaceOptions, tokens: bool, start: Model | None) -> None:
    """One of the dimensions is constant, so there must be two."""
    refuse_start(options, tokens, start)
    if options.dimensions < 2:
        raise OptionError("skip-gram vectors need two dimensions", hint="use more, or --no-skipgram")
    SkipgramOptions(dimensions=options.dimensions, seed=options.seed)


def make_kmeans(inputs: SpaceInputs, options: SpaceOptions, run: Run) -> VectorSpace:
    """Clusters of skip-gram vectors."""
    size = options.dimensions
    return kmeans(inputs.counts, clusters=size, dimensions=size, seed=options.seed, run=run)


def sbow_maker(kind: str) -> Make:
    """The maker of a sparse bag of words."""

    def make(inputs: SpaceInputs, options: SpaceOptions, run: Run) -> VectorSpace:
        chosen = filter_for(inputs.counts, PmiFilter.of(options), run.progress)
        return sbow(inputs.counts, kind, shift=options.pmi_shift, filtered=chosen, threads=run.threads)

    return make


def word2vec_maker(*, cbow: bool) -> Make:
    """The maker of gensim's vectors."""

    def make(inputs: SpaceInputs, options: SpaceOptions, run: Run) -> VectorSpace:
        return train_word2vec(inputs.corpus, cbow=cbow, run=run, **_shared(options))

    return make


def gaussian_maker(*, clip: bool) -> Make:
    """The maker of Gaussians."""

    def make(inputs: SpaceInputs, options: SpaceOptions, run: Run) -> VectorSpace:
        state = inputs.work.place("gaussian-state")
        return train_gaussian(inputs.corpus, clip=clip, checkpoint=state, run=run, **_shared(options))

    return make


def _shared(options: SpaceOptions) -> dict[str, Any]:
    return {name: getattr(options, name) for name in ("dimensions", "window", "seed")}


def _of_counts(counts: Cooccurrence, kind: str, matrix: Floats32, parameters: dict[str, Any]) -> VectorSpace:
    # copied: the arrays of a stage are maps of files that go with the work folder
    vectors, frequencies = np.array(matrix), counts.frequencies[1:]
    return VectorSpace(counts.words, vectors, frequencies=frequencies, kind=kind, parameters=parameters)
