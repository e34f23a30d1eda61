"""From text, a corpus or counts to a finished model: one stage after the other, each kept until the model is whole.

While a run is under way its stages lie in a hidden folder beside the model, `.NAME.train`: `corpus/`, `counts/`, the
solvers' checkpoints, `dive/`, `skipgram/`. With `resume` the same run goes on from there; the model has the bytes of an
uninterrupted run. The folder is removed when the model is complete.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive import __version__
from hyperdive._progress import SILENT, Progress
from hyperdive._resources import Run
from hyperdive._store import check_output, is_ours, read_header
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import InputError, OptionError
from hyperdive.pipeline.encode import encode
from hyperdive.pipeline.patterns import Given, patterns_given, patterns_stage
from hyperdive.pipeline.stages import Work
from hyperdive.spaces.dive_options import DiveOptions, Pass, check_size
from hyperdive.spaces.model import ModelData, rounded
from hyperdive.spaces.sbow import SBOW_KINDS, sbow
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.corpus import Corpus
from hyperdive.text.sources import find_sources

Input = str | Path | Corpus | Cooccurrence


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """What is trained, and how; see `DiveOptions` for the objective.

    >>> TrainOptions.preset("paper").dive.beta, TrainOptions.preset("paper").pmi_filter
    (0.0, '30tokens')
    """

    dive: DiveOptions = field(default_factory=DiveOptions)
    pmi_filter: str = "45tokens"
    """k_f with its unit: pairs that meet less are left out; `none` keeps all. Paper: 30tokens."""
    space: str = "dive"
    """`dive`, with skip-gram beside it, makes a model; any other one makes a single space."""
    solver: str = "fast"
    """`fast` works on counts; `paper` is the paper's own way over the tokens."""
    skipgram: bool = True
    """Train skip-gram vectors too, for the score W."""
    contexts: bool = True
    """Keep the context vectors."""

    def __post_init__(self) -> None:
        for what, value, known in (("solver", self.solver, SOLVERS), ("space", self.space, SPACES)):
            if value not in known:
                raise OptionError(f"no {what} {value!r}", hint=f"use one of {', '.join(known)}")
        self.filter  # noqa: B018 a wrong filter should be told now

    @property
    def filter(self) -> PmiFilter | None:
        """The PMI filter, or None."""
        return None if self.pmi_filter == "none" else PmiFilter.parse(self.pmi_filter)

    @classmethod
    def preset(cls, name: str = "default", **changes: Any) -> TrainOptions:
        """A named set of options with some changed; None means unchanged. Options of `DiveOptions` go in as well."""
        if name not in PRESETS:
            raise OptionError(f"no preset {name!r}", hint=f"use one of {', '.join(PRESETS)}")
        given = {**PRESETS[name], **_given(changes)}
        own = {one.name for one in fields(cls)} - {"dive"}
        of_dive = {one.name for one in fields(DiveOptions)}
        unknown = sorted(set(given) - own - of_dive)
        if unknown:
            raise OptionError(f"no option {unknown[0]!r}", hint=f"use one of {', '.join(sorted(own | of_dive))}")
        dive = replace(DiveOptions(), **{key: value for key, value in given.items() if key in of_dive})
        return cls(dive=dive, **{key: value for key, value in given.items() if key in own})

    def as_parameters(self) -> dict[str, Any]:
        """What the header of a model records."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "dive"}
        return {**asdict(self.dive), **own}


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if value is not None}


SOLVERS = ("fast", "paper")
FROM_TOKENS = ("word2vec", "word2vec-cbow", "gaussian", "gaussian-no-clip")
"""Spaces that are trained on the tokens themselves, so that counts are not enough."""
SPACES = ("dive", "skipgram", *SBOW_KINDS, "kmeans", *FROM_TOKENS)
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "paper": {"negatives": 1.5, "sample": 0.0, "beta": 0.0, "ridge": 0.0, "pmi_filter": "30tokens"},
}
"""`paper`: the objective of the paper with its constants; the solver stays the fast one unless `paper` is asked for."""


def kind_of(source: Input | Sequence[Input]) -> str:
    """`text`, `corpus` or `counts`: what a training input is."""
    if isinstance(source, Corpus):
        return "corpus"
    if isinstance(source, Cooccurrence):
        return "counts"
    if not isinstance(source, str | Path):
        for part in source:
            if isinstance(part, Corpus | Cooccurrence) or (isinstance(part, str | Path) and is_ours(Path(part))):
                raise InputError(
                    "several corpora or counts cannot be trained on at once",
                    hint="type: hyperdive count A B -o C --near (or count --merge), then train C",
                )
    elif is_ours(Path(source)):
        found = str(read_header(Path(source))["format"]).removeprefix("hyperdive-")
        if found not in ("corpus", "counts"):
            raise InputError(f"{source}: one cannot train on a {found}", hint="give text, a corpus or counts")
        return found
    return "text"


def _identity_of(source: Any, kind: str) -> Any:
    """What tells one input from another before it is read."""
    if kind == "corpus":
        return (source if isinstance(source, Corpus) else Corpus.open(source)).fingerprint
    if kind == "counts":
        return (source if isinstance(source, Cooccurrence) else Cooccurrence.open(source)).fingerprint
    given = [source] if isinstance(source, str | Path) else list(source)
    found = find_sources(given, lambda path, reason: None)
    # a pipe cannot be read twice, so a run on one is never the same run again
    return [
        [one.path, one.size, Path(one.path).stat().st_mtime_ns] if one.size is not None else uuid.uuid4().hex
        for one in found
    ]


def _content(option: Any) -> Any:
    """A file of stop words or phrases stands for its content."""
    path = Path(str(option))
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else option


def train(
    source: Input | Sequence[str | Path],
    output: str | Path,
    *,
    preset: str = "default",
    text: Mapping[str, Any] | None = None,
    start: ModelData | None = None,
    patterns: Given = True,
    memory: int | None = None,
    threads: int | None = None,
    resume: bool = False,
    force: bool = False,
    progress: Progress = SILENT,
    **options: Any,
) -> ModelData | VectorSpace:
    """Train a model on text, an encoded corpus or counts, and save it; with `space` another space instead of DIVE.

    `options` are those of `TrainOptions` and `DiveOptions`; `text` those of `encode`, for text; `start` is an earlier
    model whose vectors the known words start from. `patterns` False leaves out what the text states; corpora or folders
    of patterns give it where the input does not, as for counts.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp())
    >>> lines = ["the poodle and the spaniel are dogs that bark", "cats and dogs are animals that sleep"] * 60
    >>> _ = (place / "pets.txt").write_text("\\n".join(lines))
    >>> model = train(place / "pets.txt", place / "model", dimensions=4, pmi_filter="none", passes=5)
    >>> sorted(model.words)
    ['animal', 'bark', 'cat', 'dog', 'poodle', 'sleep', 'spaniel']
    """
    chosen = TrainOptions.preset(preset, **options)
    output = Path(output)
    kind = kind_of(source)
    check_output(output, force=force)
    _check_combination(chosen, start, kind)
    if text and kind != "text":
        raise OptionError(f"{next(iter(text))} is an option for text, but the input is a {kind}")
    stated = patterns_given(source if kind == "corpus" else None, patterns)
    plan = {
        "input": _identity_of(source, kind),
        "options": chosen.as_parameters(),
        "text": {"preset": preset, **{name: _content(value) for name, value in (text or {}).items()}},
        "start": None if start is None else _identity_of_model(start),
        "patterns": [one.fingerprint for one in stated] if stated else patterns is not False,
        "version": __version__,
    }
    work = Work(output, plan, resume=resume)
    try:
        made = _make(source, kind, chosen, preset, dict(text or {}), start, patterns, work, memory, threads, progress)
        made.save(output, force=force)
    except (InputError, OptionError) as error:
        # text that cannot work never will; an option such as the memory may be corrected and the run resumed
        if not resume and (isinstance(error, InputError) or not work.started):
            work.remove()
        raise
    work.remove()
    return ModelData.load(output, verify=False) if isinstance(made, ModelData) else made


def _check_combination(options: TrainOptions, start: ModelData | None, kind: str) -> None:
    """Refuse before any work what a later stage would refuse."""
    from hyperdive.spaces.dive_paper import SHARED_OPTIONS, PaperOptions
    from hyperdive.spaces.skipgram import SkipgramOptions

    of_dive = options.space == "dive"
    if start is not None and (not of_dive or options.solver != "fast"):
        raise OptionError("only DIVE by the fast solver can start from a model", hint="leave out --start")
    if start is not None:
        _check_start(start, options.dive)
    if of_dive and options.solver == "paper":
        if kind == "counts":
            raise OptionError("the paper's solver reads tokens, not counts", hint="give text or a corpus")
        PaperOptions(**{name: getattr(options.dive, name) for name in SHARED_OPTIONS})
    if options.space in ("skipgram", "kmeans") or (of_dive and options.skipgram):
        if options.dive.dimensions < 2:
            raise OptionError("skip-gram vectors need two dimensions", hint="use more, or --no-skipgram")
        SkipgramOptions(dimensions=options.dive.dimensions, seed=options.dive.seed)


def _make(
    source: Any,
    kind: str,
    options: TrainOptions,
    preset: str,
    text: dict[str, Any],
    start: ModelData | None,
    patterns: Given,
    work: Work,
    memory: int | None,
    threads: int | None,
    progress: Progress,
) -> ModelData | VectorSpace:
    """All stages in order."""
    if options.space in FROM_TOKENS and kind == "counts":
        raise OptionError(f"{options.space} reads tokens, not counts", hint="give text or a corpus")
    if patterns is not True:  # nobody would ask for what the text states
        text = {**text, "patterns": False}
    corpus = _corpus(source, kind, work, preset, text, threads, progress)
    if corpus is not None and options.space not in SBOW_KINDS:
        check_size(corpus.frequencies, options.dive.dimensions)
    if corpus is not None and options.space in FROM_TOKENS:
        return _token_space(corpus, options, work, threads, progress)
    counts = _counts(source, kind, corpus, options, work, memory, threads, progress)
    if options.space != "dive":
        return _other_space(counts, options, work, threads, progress)
    words, frequencies = counts.words, counts.frequencies[1:]
    tables = None if start is None else _start_tables(start, words, options.dive)
    facts, arrays = work.arrays("dive", lambda: _dive(counts, corpus, options, tables, work, threads, progress))

    def space(kind: str, matrix: Any) -> VectorSpace:
        return VectorSpace(words, np.array(matrix), frequencies=frequencies, kind=kind)

    beside = {}
    if options.skipgram:
        _, vectors = work.arrays("skipgram", lambda: _skipgram(counts, corpus, options, memory, threads, progress))
        beside["skipgram"] = space("skipgram", vectors["vectors"])
    if options.contexts:
        beside["contexts"] = space("contexts", arrays["contexts"])
    return ModelData(
        space("dive", arrays["words"]),
        **beside,
        patterns=patterns_stage(patterns_given(corpus, patterns), words, work, progress),
        parameters=options.as_parameters(),
        facts={"corpus": _about(counts), **facts},
    )


def _identity_of_model(model: ModelData) -> str:
    sha = hashlib.sha256("\n".join(model.words).encode())
    for space in (model.dive, model.contexts):
        if space is not None:
            parts = (space.matrix.data, space.matrix.indices) if space.is_sparse else (space.matrix,)
            for part in parts:
                sha.update(np.ascontiguousarray(part).data)
    return sha.hexdigest()


def _corpus(
    source: Any, kind: str, work: Work, preset: str, text: dict[str, Any], threads: int | None, progress: Progress
) -> Corpus | None:
    if kind == "counts":
        return None
    if kind == "corpus":
        return source if isinstance(source, Corpus) else Corpus.open(source)
    if work.done("corpus"):
        return Corpus.open(work.place("corpus"))
    return encode(source, work.place("corpus"), preset=preset, threads=threads, progress=progress, **text)


def _counts(
    source: Any,
    kind: str,
    corpus: Corpus | None,
    options: TrainOptions,
    work: Work,
    memory: int | None,
    threads: int | None,
    progress: Progress,
) -> Cooccurrence:
    if kind == "counts":
        counts = source if isinstance(source, Cooccurrence) else Cooccurrence.open(source)
        if counts.options.window != options.dive.window:
            raise OptionError(
                f"these counts have a window of {counts.options.window}, not {options.dive.window}",
                hint=f"add --window {counts.options.window}",
            )
        return counts
    if work.done("counts"):
        return Cooccurrence.open(work.place("counts"))
    assert corpus is not None
    near = options.filter is not None and bool(options.filter.near)
    return Cooccurrence.from_corpus(
        corpus,
        work.place("counts"),
        window=options.dive.window,
        near=near,
        run=Run(memory=memory, threads=threads, progress=progress),
    )


def _dive(
    counts: Cooccurrence,
    corpus: Corpus | None,
    options: TrainOptions,
    tables: Any,
    work: Work,
    threads: int | None,
    progress: Progress,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The DIVE stage: filtered counts → rounded tables without the unknown symbol."""
    if options.solver == "paper":
        from hyperdive.spaces.dive_paper import SHARED_OPTIONS, train_paper

        assert corpus is not None
        result = train_paper(
            corpus,
            counts,
            filtered=options.filter,
            threads=threads,
            checkpoint=work.place("dive-state"),
            progress=progress,
            **{name: getattr(options.dive, name) for name in SHARED_OPTIONS},
        )
    else:
        from hyperdive.spaces.dive import train_dive

        matrix = counts.csr(filtered=_filter_for(counts, options, progress), threads=threads)
        result = train_dive(
            matrix.indptr,
            matrix.indices,
            matrix.data,
            counts.frequencies,
            symmetric=counts.options.sides == "both",
            start=tables,
            threads=threads,
            checkpoint=work.place("dive-state"),
            progress=progress,
            **asdict(options.dive),
        )
    facts = {"objective": [one.objective for one in result.history], "passes": _passes(result.history)}
    return facts, {"words": rounded(result.words[1:]), "contexts": rounded(result.contexts[1:])}


def _filter_for(counts: Cooccurrence, options: TrainOptions, progress: Progress) -> PmiFilter | None:
    """The filter, in the true unit where the counts cannot tell what the token unit asks for.

    Independent words reach 2·(window - 1) in the token unit and 1 in the other.
    """
    wanted = options.filter
    if wanted is None or not wanted.near or (counts.has_near and counts.options.window > 1):
        return wanted
    ratio = wanted.threshold / max(2 * (counts.options.window - 1), 2)
    progress.note(f"note: these counts have no near counts, so the PMI filter is {ratio:.3g}ratio")
    return PmiFilter(threshold=ratio, unit="ratio")


def _passes(history: Sequence[Pass]) -> dict[str, int]:
    passes: dict[str, int] = {}
    for one in history:
        passes[one.stage] = max(passes.get(one.stage, 0), one.number)
    return passes


def _skipgram(
    counts: Cooccurrence,
    corpus: Corpus | None,
    options: TrainOptions,
    memory: int | None,
    threads: int | None,
    progress: Progress,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The skip-gram stage; where there is a corpus, from a count of nearest neighbours: they tell a word's kind."""
    from hyperdive.spaces.skipgram import WINDOW, train_skipgram

    if corpus is not None and counts.options.window > WINDOW:
        run = Run(memory=memory, threads=threads, progress=progress)
        counts = Cooccurrence.from_corpus(corpus, window=WINDOW, run=run)
    matrix = counts.csr(threads=threads)
    result = train_skipgram(
        matrix.indptr,
        matrix.indices,
        matrix.data,
        counts.frequencies,
        symmetric=counts.options.sides == "both",
        dimensions=options.dive.dimensions,
        seed=options.dive.seed,
        threads=threads,
        progress=progress,
    )
    return {}, {"vectors": rounded(result.words[1:])}


def _check_start(model: ModelData, options: DiveOptions) -> None:
    if model.contexts is None:
        raise InputError("the model to start from has no context vectors", hint="train it with --contexts")
    if model.dive.dimensions != options.dimensions:
        raise OptionError(
            f"the model to start from has {model.dive.dimensions} dimensions, not {options.dimensions}",
            hint=f"add --dimensions {model.dive.dimensions}",
        )


def _start_tables(
    model: ModelData, words: list[str], options: DiveOptions
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The old model's rows for the words it knows, a random start for the others and the unknown symbol."""
    from hyperdive.spaces.dive import first_tables

    _check_start(model, options)
    assert model.contexts is not None
    first, second = first_tables(options, len(words) + 1, None)
    known = [(i + 1, model.dive.index(word)) for i, word in enumerate(words) if word in model]
    rows, old = np.array(known, dtype=np.int64).reshape(-1, 2).T
    for table, space in ((first, model.dive), (second, model.contexts)):
        block = space.rows(old)
        table[rows] = block if isinstance(block, np.ndarray) else block.toarray()
    return first, second


def _other_space(
    counts: Cooccurrence, options: TrainOptions, work: Work, threads: int | None, progress: Progress
) -> VectorSpace:
    if options.space in SBOW_KINDS:
        return sbow(counts, options.space, threads=threads)
    if options.space == "kmeans":
        from hyperdive.spaces.kmeans import kmeans

        size, seed = options.dive.dimensions, options.dive.seed
        return kmeans(counts, clusters=size, dimensions=size, seed=seed, threads=threads, progress=progress)
    _, vectors = work.arrays("skipgram", lambda: _skipgram(counts, None, options, None, threads, progress))
    return VectorSpace(
        counts.words,
        np.array(vectors["vectors"]),
        frequencies=counts.frequencies[1:],
        kind="skipgram",
        parameters={"dimensions": options.dive.dimensions, "seed": options.dive.seed, "counts": counts.fingerprint},
    )


def _token_space(
    corpus: Corpus, options: TrainOptions, work: Work, threads: int | None, progress: Progress
) -> VectorSpace:
    from hyperdive.spaces.gaussian import train_gaussian
    from hyperdive.spaces.word2vec import train_word2vec

    shared = {name: getattr(options.dive, name) for name in ("dimensions", "window", "seed")}
    if options.space.startswith("gaussian"):
        clip, state = options.space == "gaussian", work.place("gaussian-state")
        return train_gaussian(corpus, clip=clip, checkpoint=state, progress=progress, **shared)
    cbow = options.space == "word2vec-cbow"
    return train_word2vec(corpus, cbow=cbow, threads=threads, progress=progress, **shared)


def _about(counts: Cooccurrence) -> dict[str, Any]:
    return {
        "tokens": counts.tokens,
        "vocabulary": counts.vocabulary_size,
        "pairs": int(counts.total),
        "counts": counts.fingerprint,
        "text": counts.header["text"],
    }
