"""What a reproduction consists of: stages in order, what each needs, and about how long each takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from hyperdive._store import fingerprint
from hyperdive.errors import InputError, OptionError
from hyperdive.options import TrainOptions
from hyperdive.spaces.skipgram import SkipgramOptions
from hyperdive.text.plan import plan_text
from hyperdive.text.sources import find_sources

BUDGET = 51_200_000
"""Words of the paper's corpus, counted before stop words are taken out."""
PARTS = ("pos", "half", "kmeans", "gaussian", "word2vec", "experiments")
"""What can be left out; the cells that need it stay empty."""
SOLVERS = ("fast", "paper")
_WIKI_BYTES = 335e6
"""The text of the paper's length on which the seconds below were measured, with two cores."""
_BYTES_A_WORD = 6.2
PAPER_SECONDS = 2_000
"""What the paper's solver takes for fifteen epochs over a text of that length."""


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions:
    """What is reproduced, and how.

    >>> ReproduceOptions(without=("kmean",))
    Traceback (most recent call last):
    hyperdive.errors.OptionError: no part 'kmean' (use one of pos, half, kmeans, gaussian, word2vec, experiments)
    """

    solver: str = "fast"
    """`fast`: all rows of DIVE by the fast solver; `paper`: one more, the paper's constants by its own solver."""
    dimensions: int = 100
    """Length of every vector. Paper: 100."""
    min_count: int = 10
    """Words rarer than this are unknown. Paper: 10."""
    tagger: str = "textblob"
    """Which program attaches parts of speech."""
    without: tuple[str, ...] = ()
    """Parts to leave out."""
    seed: int = 0
    """The same seed gives the same tables."""
    resamples: int = 1000
    """Resamples of the pairs for 95 % intervals."""

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise OptionError(f"no solver {self.solver!r}", hint=f"use one of {', '.join(SOLVERS)}")
        for part in self.without:
            if part not in PARTS:
                raise OptionError(f"no part {part!r}", hint=f"use one of {', '.join(PARTS)}")


@dataclass(frozen=True)
class ReproduceStage:
    """One step of the run; its identity is what it makes and of what, not the version of the program."""

    name: str
    kind: str
    what: str
    options: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[ReproduceStage, ...] = ()
    seconds: float = 0.0
    constants: Mapping[str, Any] = field(default_factory=dict)
    """What DIVE and skip-gram choose where the options are silent; other constants make another stage."""

    @cached_property
    def identity(self) -> str:
        """A hash of kind, options, constants and the identities of what it needs."""
        made_of: dict[str, Any] = {"kind": self.kind, "options": dict(self.options)}
        if self.constants:
            made_of["constants"] = dict(self.constants)
        return fingerprint({**made_of, "needs": [stage.identity for stage in self.needs]})


@dataclass(frozen=True)
class RunText:
    """A corpus as the user gave it: its files, what is in them, and how much that is about."""

    paths: tuple[str, ...]
    content: str
    bytes: int

    @classmethod
    def find(cls, paths: Sequence[str | Path]) -> RunText:
        """Look at the files without reading their text into memory; the content's hash identifies a text."""
        import hashlib

        sources = find_sources([str(path) for path in paths], lambda path, reason: None)
        plan = plan_text(sources)
        if plan is None:
            raise InputError("text from a pipe cannot be read twice", hint="write it to a file first")
        sha = hashlib.sha256()
        for source in sources:
            with Path(source.path).open("rb") as file:
                sha.update(hashlib.file_digest(file, "sha256").digest())
        return cls(tuple(str(path) for path in paths), sha.hexdigest(), plan.text_bytes)

    @property
    def scale(self) -> float:
        """Its length relative to the paper's corpus, at most 1: what goes beyond the budget is not trained on."""
        return min(self.bytes / _WIKI_BYTES, 1.0)

    @property
    def is_longer(self) -> bool:
        """Whether there is clearly more text than the paper's budget takes."""
        return self.bytes / _BYTES_A_WORD > 1.2 * BUDGET


def stages(options: ReproduceOptions, corpus: RunText, pubmed: RunText | None = None) -> list[ReproduceStage]:
    """All stages that train something, in the order they run: cheap and telling ones first.

    >>> text = RunText(("wiki.txt",), "0" * 64, 335_000_000)
    >>> few = ReproduceOptions(without=("pos", "half", "gaussian", "word2vec", "experiments"))
    >>> [stage.name for stage in stages(few, text)][:6]
    ['corpus-raw', 'counts-raw', 'dive-raw', 'dive-paper-raw', 'dive-no-pmi-raw', 'dive-no-shift-raw']
    """
    kinds = ["raw"] if "pos" in options.without else ["raw", "pos"]
    scale = corpus.scale
    made: list[ReproduceStage] = []
    corpora: dict[str, ReproduceStage] = {}
    for kind in kinds:
        corpora[kind] = _corpus(options, corpus, kind, "")
        counts = _counts(corpora[kind], f"counts-{kind}", scale)
        made += [corpora[kind], counts, *_dive(options, corpora[kind], counts, kind, scale)]
    if "kmeans" not in options.without:
        made += [
            _train(options, f"kmeans-{kind}", "K-means (Freq NMF)", made_by_name(made, f"counts-{kind}"), 40 * scale)
            for kind in kinds
        ]
    for length, wanted in (("half", "half" not in options.without), ("all", corpus.is_longer)):
        for kind in kinds if wanted else ():
            part = _corpus(options, corpus, kind, length, whole=corpora[kind])
            made += [part, _counts(part, f"counts-{length}-{kind}", scale)]
    if pubmed is not None:
        made += _pubmed(options, pubmed)
    if "experiments" not in options.without:
        made += _experiments(options, corpus, corpora["raw"])
    for space, what, seconds in (("gaussian", "Gaussian embedding", 550), ("word2vec", "word2vec by gensim", 1400)):
        if space not in options.without:
            made += [
                _train(options, f"{space}-{kind}", what, corpora[kind], seconds * scale, space=space) for kind in kinds
            ]
    if "word2vec" not in options.without:
        made.append(
            _train(options, "word2vec-cbow-raw", "CBOW by gensim", corpora["raw"], 400 * scale, "word2vec-cbow")
        )
    if options.solver == "paper":
        recipe: dict[str, Any] = {
            "space": "dive",
            "preset": "paper",
            "solver": "paper",
            "skipgram": False,
            "contexts": False,
        }
        what = "DIVE with the paper's constants and solver"
        made += [
            _train(options, f"dive-tokens-{kind}", what, corpora[kind], PAPER_SECONDS * scale, **recipe)
            for kind in kinds
        ]
    return made


def made_by_name(made: Sequence[ReproduceStage], name: str) -> ReproduceStage:
    """The stage of that name."""
    return next(stage for stage in made if stage.name == name)


def _corpus(
    options: ReproduceOptions, text: RunText, kind: str, length: str, whole: ReproduceStage | None = None
) -> ReproduceStage:
    """Raw words or words with parts of speech; the budget's length, the first half of it, or all there is."""
    rules: dict[str, Any] = {"min_count": options.min_count}
    if kind == "pos":
        rules["pos"] = options.tagger
    if length:
        rules["length"] = length
    if length == "random":
        rules["shuffle"] = options.seed + 1
    if length == "sentences":
        rules["line_length"] = "sentence"
    if kind == "pubmed":
        rules["shuffle"] = options.seed
    many = {
        "half": "the first half of the text",
        "all": "all of the text",
        "random": "half of the documents, drawn at random",
        "sentences": "text, sentence by sentence",
    }.get(length, "text")
    how = {"pos": "words with parts of speech", "pubmed": "words, abstracts shuffled"}.get(kind, "words")
    size = text.bytes if length == "all" else text.scale * _WIKI_BYTES * (0.5 if length in ("half", "random") else 1.0)
    seconds = size / (3.5e6 if kind == "pos" else 25e6) + 2
    name = "-".join(part for part in ("corpus", length, kind) if part)
    needs = (whole,) if whole is not None else ()
    return ReproduceStage(name, "corpus", f"{many} → {how}", {"text": text.content, **rules}, needs, seconds)


def _counts(corpus: ReproduceStage, name: str, scale: float) -> ReproduceStage:
    return ReproduceStage(
        name, "counts", "co-occurrence counts, for the sparse spaces", {"window": 10}, (corpus,), 8 * scale
    )


def _train(
    options: ReproduceOptions,
    name: str,
    what: str,
    source: ReproduceStage,
    seconds: float,
    space: str = "",
    **settings: Any,
) -> ReproduceStage:
    given = {"space": space or name.rsplit("-", 1)[0], "dimensions": options.dimensions, "seed": options.seed}
    chosen = {**given, **settings}
    return ReproduceStage(name, "train", what, chosen, (source,), seconds, _constants(chosen))


def _constants(given: Mapping[str, Any]) -> dict[str, Any]:
    """The constants of DIVE and of its skip-gram, where they take part."""
    if given["space"] not in ("dive", "skipgram", "kmeans"):
        return {}
    preset, changes = given.get("preset", "default"), {k: v for k, v in given.items() if k != "preset"}
    return {**TrainOptions.preset(preset, **changes).as_parameters(), "skipgram": asdict(SkipgramOptions())}


def _dive(
    options: ReproduceOptions, corpus: ReproduceStage, counts: ReproduceStage, kind: str, scale: float
) -> list[ReproduceStage]:
    """DIVE in full with our constants (and skip-gram) and with the paper's, then two variants of each."""
    alone: dict[str, Any] = {"space": "dive", "skipgram": False, "contexts": False}
    ours: dict[str, Any] = {"space": "dive", "preset": "default", "solver": "fast"}
    rows = (("dive", "DIVE (ours)", "default"), ("dive-paper", "DIVE (paper's constants)", "paper"))
    variants = (
        ("no-pmi", "w/o PMI filter", {"pmi_filter": "none"}, 130),  # more pairs are left
        ("no-shift", "w/o inclusion shift", {"shift": False}, 45),
    )
    return [
        _train(options, f"dive-{kind}", "DIVE (ours), and skip-gram for W", corpus, 120 * scale, **ours),
        _train(options, f"dive-paper-{kind}", rows[1][1], counts, 95 * scale, preset="paper", solver="fast", **alone),
        *(
            _train(
                options,
                f"{row}-{name}-{kind}",
                f"{label} {what}",
                counts,
                seconds * scale,
                preset=preset,
                solver="fast",
                **alone,
                **change,
            )
            for row, label, preset in rows
            for name, what, change, seconds in variants
        ),
    ]


def _pubmed(options: ReproduceOptions, text: RunText) -> list[ReproduceStage]:
    corpus = _corpus(options, text, "pubmed", "")
    counts = _counts(corpus, "counts-pubmed", text.scale)
    return [corpus, counts, *_dive(options, corpus, counts, "pubmed", text.scale)[:2]]


def _experiments(options: ReproduceOptions, text: RunText, whole: ReproduceStage) -> list[ReproduceStage]:
    """What the paper says it tried, in raw words: random lines, sentences, and the PMI filter in a narrow window."""
    scale = text.scale
    random = _corpus(options, text, "raw", "random", whole=whole)
    lines = _corpus(options, text, "raw", "sentences")
    made = [random, _counts(random, "counts-random-raw", scale), lines]
    alone: dict[str, Any] = {"space": "dive", "skipgram": False, "contexts": False, "solver": "fast"}
    for row, label, preset, ratio in (
        ("dive", "DIVE (ours)", "default", "2.5ratio"),
        ("dive-paper", "DIVE (paper's constants)", "paper", f"{30 / 18!r}ratio"),
    ):
        chosen = {**alone, "preset": preset}
        made.append(_train(options, f"{row}-sentences-raw", f"{label} on sentences", lines, 80 * scale, **chosen))
        # in tokens a threshold means more in a narrow window; as a ratio it is the same filter
        for name, limit in (("narrow", ratio), ("narrow-no-pmi", "none")):
            chosen = {**alone, "preset": preset, "window": 2, "pmi_filter": limit}
            what = f"{label}, two words on each side{', w/o PMI filter' if limit == 'none' else ''}"
            made.append(_train(options, f"{row}-{name}-raw", what, whole, 60 * scale, **chosen))
    return made
