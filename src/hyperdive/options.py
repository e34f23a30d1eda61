"""Options, each defined once: type, default, bounds, the paper's value and help.

An option is a field of a frozen dataclass that derives from `Options`. The command line, the Python signatures, the
HTTP schema, the recorded parameters and the reference pages are derived from these fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from inspect import Parameter, Signature, signature
from math import lcm
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from hyperdive.errors import OptionError

REQUIRED: Any = MISSING
"""The default of an option that must be given."""
F = TypeVar("F", bound=Callable[..., Any])
PRESETS = ("default", "paper")
"""`default`: every option at its default. `paper`: the paper's value wherever an option has one."""


class Option(NamedTuple):
    """What is known of an option besides its name: one row of a reference page."""

    type: Any
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    paper: Any = None
    rare: bool = False

    @property
    def alternatives(self) -> tuple[Any, ...]:
        """Return the alternatives of a union, or the one type."""
        return get_args(self.type) if get_origin(self.type) in (Union, UnionType) else (self.type,)

    @property
    def choices(self) -> tuple[Any, ...]:
        """Return the allowed values, where they can be listed."""
        return tuple(value for part in self.alternatives if get_origin(part) is Literal for value in get_args(part))

    @property
    def allowed(self) -> str:
        """Return the allowed values as text, for messages and reference pages.

        >>> Option(int, 100, "Number of dimensions.", low=1, high=10_000).allowed, Option(float, 0.5, "", low=0).allowed
        ('1 to 10000', '0 or more')
        """
        bounds = ""
        if self.low is not None:
            bounds = (
                f"{self.low:.15g} to {self.high:.15g}" if (self.high or 1e12) < 1e12 else f"{self.low:.15g} or more"
            )
        return ", ".join([*map(str, self.choices), *([bounds] if bounds else [])])

    def check(self, name: str, value: Any) -> None:
        """Raise an error unless the value has the type of the option and is within its bounds.

        >>> Option(int, 100, "Number of dimensions.", low=1).check("dimensions", "many")
        Traceback (most recent call last):
        hyperdive.errors.OptionError: dimensions is 'many' (use 1 or more)
        """
        kinds = {get_origin(part) or part for part in self.alternatives}
        if not kinds <= {bool, int, float, str, NoneType, Literal}:
            return
        number = isinstance(value, int | float) and not isinstance(value, bool)
        fits = (
            (value is None and NoneType in kinds)
            or (isinstance(value, bool) and bool in kinds)
            or (isinstance(value, str) and (str in kinds or value in self.choices))
            or (number and (float in kinds or (int in kinds and isinstance(value, int))))
        )
        if fits and number:
            fits = (self.low is None or value >= self.low) and (self.high is None or value <= self.high)
            fits = fits and value == value
        if not fits:
            plain = " or ".join(sorted(kind.__name__ for kind in kinds & {bool, int, float, str}))
            hint = f"use {self.allowed}" if self.allowed else f"it must be of type {plain}"
            if self.paper is not None:
                hint += f"; the paper's value is {self.paper}"
            raise OptionError(f"{name} is {value!r}", hint=hint)


def option(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    paper: Any = None,
    rare: bool = False,
) -> Any:
    """Define an option as a field of a dataclass.

    Args:
        default: The value when the user gives none.
        help: One sentence for help texts and reference pages.
        low: Smallest allowed number.
        high: Largest allowed number.
        paper: The paper's value, where it differs from the default.
        rare: On the command line, reached by `--set name=value` instead of an option of its own.
    """
    return field(default=default, metadata={"help": help, "low": low, "high": high, "paper": paper, "rare": rare})


@dataclass(frozen=True, kw_only=True)
class Options:
    """Base of all option classes; values are checked when an instance is made.

    >>> @dataclass(frozen=True, kw_only=True)
    ... class VectorOptions(Options):
    ...     dimensions: int = option(100, "Number of dimensions.", low=1, high=10_000, paper=50)
    ...     solver: Literal["fast", "paper"] = option("fast", "Solver.")
    >>> VectorOptions(dimensions=0)
    Traceback (most recent call last):
    hyperdive.errors.OptionError: dimensions is 0 (use 1 to 10000; the paper's value is 50)
    >>> VectorOptions.of({"solvr": "paper"})
    Traceback (most recent call last):
    hyperdive.errors.OptionError: no option 'solvr' (did you mean solver?)
    >>> VectorOptions.preset("paper", solver="paper")
    VectorOptions(dimensions=50, solver='paper')
    """

    def __post_init__(self) -> None:
        for name, rule in self.described().items():
            rule.check(name, getattr(self, name))

    @classmethod
    @cache
    def described(cls) -> Mapping[str, Option]:
        """Return every option with its type, default, bounds and help, by name."""
        hints = get_type_hints(cls)
        return {one.name: Option(hints[one.name], one.default, **one.metadata) for one in fields(cls) if one.metadata}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the options with these values; an unknown name is an error that suggests a similar one."""
        for name in values:
            check_name(name, cls.described())
        return cls(**values)

    @classmethod
    def preset(cls, name: str = "default", **changes: Any) -> Self:
        """Return the options of a preset with some changed; None means unchanged."""
        if name not in PRESETS:
            raise OptionError(f"no preset {name!r}", hint=f"use one of {', '.join(PRESETS)}")
        rules = cls.described().items()
        values = {key: rule.paper for key, rule in rules if name == "paper" and rule.paper is not None}
        return cls.of(values | {key: value for key, value in changes.items() if value is not None})

    @classmethod
    def own(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of some values that are options of this class.

        >>> CountOptions.own({"window": 5, "dimensions": 50})
        {'window': 5}
        """
        return {name: value for name, value in values.items() if name in cls.described()}

    @classmethod
    def parameters(cls) -> list[Parameter]:
        """Return the options as keyword parameters of a function."""
        return [
            Parameter(name, Parameter.KEYWORD_ONLY, default=rule.default, annotation=rule.type)
            for name, rule in cls.described().items()
        ]

    @classmethod
    def signature(cls, *before: Parameter) -> Signature:
        """Return the signature of a function that takes these options as keywords, after the parameters `before`."""
        return Signature([*before, *cls.parameters()])


def check_name(name: str, known: Mapping[str, Any]) -> None:
    """Raise an error for an unknown option, with a suggestion."""
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"use one of {', '.join(sorted(known))}"
        raise OptionError(f"no option {name!r}", hint=hint)


def takes(options: type[Options]) -> Callable[[F], F]:
    """Give a function that passes `**options` on the signature and the documentation of these options.

    >>> @takes(CountOptions)
    ... def count(corpus: str, **options: Any) -> None:
    ...     '''Count.'''
    >>> list(signature(count).parameters)
    ['corpus', 'window', 'sides', 'weighting', 'near']
    """

    def described(function: F) -> F:
        plain = signature(function)
        before = [one for one in plain.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        names = {one.name for one in before}
        added = [one for one in options.parameters() if one.name not in names]
        function.__signature__ = plain.replace(parameters=[*before, *added])  # type: ignore[attr-defined]
        return function

    return described


# ---- text --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class EncodeOptions(Options):
    """The rules by which text becomes words.

    >>> EncodeOptions().hyphens, EncodeOptions.preset("paper").hyphens
    ('split', 'drop')
    >>> EncodeOptions.preset("paper", min_count=5).min_count
    5
    """

    hyphens: Literal["drop", "split", "keep"] = option(
        "split", "Treatment of words with a hyphen or apostrophe.", paper="drop", rare=True
    )
    alphabet: Literal["ascii", "unicode"] = option(
        "unicode", "Alphabet of words; words with other letters are dropped.", paper="ascii", rare=True
    )
    lemmas: Literal["none", "simplemma"] = option("simplemma", "Lemmatiser (dogs → dog).", rare=True)
    language: str = option("en", "Language of the text, for lemmatisation.", rare=True)
    stopwords: str = option("english", "Stop words: english, none, or a file with one word per line.", rare=True)
    pos: Literal["none", "textblob", "spacy"] = option(
        "none", "Part-of-speech tagger; tags are attached to words (dog|n).", rare=True
    )
    terms: str = option(
        "auto",
        "Terms of one or more words with vectors of their own: auto (found in the text), none, or a file with one per "
        "line, kept in addition to those found.",
        paper="none",
    )
    min_count: int = option(10, "Words with fewer occurrences are replaced by the unknown symbol.", low=1)
    rare: Literal["unknown", "drop"] = option("unknown", "Treatment of rare words.", rare=True)
    line_length: int | Literal["document", "sentence"] = option(
        100, "Words per line, or document, or sentence; context windows do not cross lines.", low=1, rare=True
    )
    last_line: Literal["keep", "drop"] = option(
        "keep", "Treatment of an incomplete last line.", paper="drop", rare=True
    )
    max_tokens: int = option(
        0, "Stop after this many tokens; 0: no limit.", low=0, high=2**62 - 1, paper=51_200_000, rare=True
    )
    budget: Literal["alphabetic", "kept"] = option(
        "alphabetic", "What max_tokens counts: alphabetic tokens before stop-word removal, or tokens kept.", rare=True
    )
    shuffle: int | None = option(None, "Shuffle documents with this seed; without it: input order.", low=0, rare=True)

    def as_parameters(self) -> dict[str, Any]:
        """Return what the header of a corpus records: contents decide, so file names lose their folders."""
        parameters = {name: getattr(self, name) for name in EncodeOptions.described()}
        for name, words in (("stopwords", ("english", "none")), ("terms", ("auto", "none"))):
            if parameters[name] not in words:
                parameters[name] = f"file:{Path(parameters[name]).name}"
        if self.terms == "none":
            del parameters["terms"]
        return parameters


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(Options):
    """Where documents are in files of text."""

    document: Literal["line", "file"] = option(
        "line", "Unit of a document in plain text: a line or a whole file.", rare=True
    )
    field: str = option("text", "JSON lines: field that holds the text (a.b for a nested field).", rare=True)
    column: str = option("text", "CSV, TSV, Parquet: column that holds the text.", rare=True)


@dataclass(frozen=True, kw_only=True)
class RunOptions(Options):
    """What a run may use of this machine, and replace."""

    threads: int | None = option(
        None, "Number of threads, by default all; the result does not depend on it.", low=1, high=512
    )
    memory: int | str | None = option(
        None, "Memory limit, such as 800MB or 4GB, by default half of this machine's.", low=1
    )
    force: bool = option(False, "Replace an existing output.")


@dataclass(frozen=True, kw_only=True)
class EncodeCall(EncodeOptions, ReadingOptions, RunOptions):
    """All options of `encode`."""

    keep_text: bool | None = option(None, "Store the original text in the corpus, by default up to 1 GiB.")
    patterns: bool | None = option(
        None, "Also match Hearst patterns (dogs such as poodles), by default for English.", rare=True
    )
    strict: bool = option(False, "Fail on invalid UTF-8 or NUL bytes.", rare=True)


# ---- counts ------------------------------------------------------------------------------------------------------

MAX_HARMONIC_WINDOW = 20


@dataclass(frozen=True, kw_only=True)
class CountOptions(Options):
    """Which pairs are counted: the window, its sides, and the weight of a distance.

    >>> CountOptions().window, CountOptions(weighting="harmonic", window=4).scale
    (10, 12)
    """

    window: int = option(10, "Context words on each side.", low=1, high=65_535)
    sides: Literal["both", "left", "right"] = option("both", "Side of the context window.", rare=True)
    weighting: Literal["flat", "harmonic"] = option(
        "flat", "Weight of a co-occurrence: 1 (flat) or 1/distance (harmonic, as in GloVe).", rare=True
    )
    near: bool = option(
        False,
        "Also store counts for window - 1, which the PMI filter of the paper's program uses.",
        paper=True,
        rare=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weighting == "harmonic" and self.window > MAX_HARMONIC_WINDOW:
            raise OptionError(
                f"exact 1/distance weights need a window of at most {MAX_HARMONIC_WINDOW}, not {self.window}",
                hint="use a smaller window or flat weighting",
            )
        if self.weighting == "harmonic" and self.near:
            raise OptionError(
                "the filter of the paper's program counts co-occurrences, so near does not go with 1/distance weights",
                hint="use flat weighting, or leave out near",
            )

    @property
    def reach(self) -> int:
        """Return the number of places in a whole window."""
        return self.window * (2 if self.sides == "both" else 1)

    @property
    def scale(self) -> int:
        """Return the stored count of two adjacent words: counts are exact integers in units of 1/scale."""
        return lcm(*range(1, self.window + 1)) if self.weighting == "harmonic" else 1

    @property
    def weights(self) -> list[int]:
        """Return the weight of each distance in units of 1/scale; empty when every distance weighs 1."""
        return [] if self.weighting == "flat" else [0, *(self.scale // d for d in range(1, self.window + 1))]

    def as_parameters(self) -> dict[str, Any]:
        """Return what the header of a count store records."""
        return {name: getattr(self, name) for name in CountOptions.described()}


# ---- training ----------------------------------------------------------------------------------------------------

SHARED_OPTIONS = ("dimensions", "window", "negatives", "beta", "shift", "seed")
"""The objective, which both solvers of DIVE have."""
ABSENT_FROM_PAPER = ("ridge", "sample")
"""Terms of the objective that the paper's solver cannot add: they must be 0."""
MODEL_SPACE = "dive"
"""The space of a model, stored with others; any other space is stored by itself."""
_SEED = "Random seed; the same seed gives the same bytes."


@dataclass(frozen=True, kw_only=True)
class DiveOptions(Options):
    """The objective of DIVE and how the fast solver climbs it.

    >>> DiveOptions(dimensions=50).dimensions
    50
    >>> DiveOptions(dimensions=0)
    Traceback (most recent call last):
    hyperdive.errors.OptionError: dimensions is 0 (use 1 to 10000)
    """

    dimensions: int = option(100, "Number of dimensions.", low=1, high=10_000)
    window: int = option(10, "Context words on each side.", low=1, high=65_535, rare=True)
    negatives: float = option(1.5, "k_I: negative samples per context position.", low=0, high=1e6, rare=True)
    sample: float = option(
        1e-3,
        "Subsampling threshold for frequent words (at least 20 times the mean frequency).",
        low=0,
        high=1,
        paper=0.0,
        rare=True,
    )
    beta: float = option(0.75, "Exponent that reduces negatives for rare words.", low=0, high=10, paper=0.0, rare=True)
    shift: bool = option(True, "Apply the inclusion shift.", rare=True)
    ridge: float = option(0.02, "L2 regularisation weight.", low=0, high=1e3, paper=0.0, rare=True)
    passes: int = option(40, "Maximum number of passes over the frequent words.", low=1, high=100_000, rare=True)
    rare_passes: int = option(
        8, "Steps for the rows of rare contexts, and again for those of rare words.", low=1, high=100_000, rare=True
    )
    frequent: int = option(
        20_000, "Number of words trained together, the most frequent; the others follow.", low=1, high=10**9, rare=True
    )
    sampled: int = option(2_000, "Negatives shared by all rows of a step.", low=2, high=10**9, rare=True)
    rate: float = option(0.1, "Size of the first steps.", low=1e-9, high=100, rare=True)
    tolerance: float = option(
        1e-4, "Stop when five passes gain less than this part of the objective; 0: never.", low=0, high=1, rare=True
    )
    seed: int = option(0, _SEED, low=0, high=2**63)


@dataclass(frozen=True, kw_only=True)
class PaperOptions:
    """The recipe of the paper's program; every value is the paper's."""

    dimensions: int = 100
    window: int = 10
    negatives: float = 1.5
    """k_I, negatives per context position: 30 draws per token of a window of 10."""
    beta: float = 0.0
    """Weaker negatives for rare words, as in the fast solver; the paper has none of this."""
    shift: bool = True
    """Negatives of a token of w weigh Z/n(w); without the shift they weigh 1."""
    batch: int = 128
    """Lines per step."""
    epochs: int = 15
    rate: float = 0.001
    b1: float = 0.9
    b2: float = 0.999
    epsilon: float = 1e-8
    start: float = 0.1
    """Both tables start uniform in (0, start)."""
    tolerance: float = 0.0
    """Stop when five epochs together gain less than this part of the objective; the paper runs them all."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.window <= 32:  # the kept pairs of a window are the bits of one 32-bit number
            raise OptionError(f"window is {self.window}", hint="the paper's solver takes 1 to 32")

    @property
    def noise(self) -> int:
        """Return the number of negatives per token."""
        return max(1, round(2 * self.window * self.negatives))


@dataclass(frozen=True, kw_only=True)
class SpaceOptions(DiveOptions):
    """How a space is made; each kind of space uses the options it needs.

    >>> SpaceOptions(dimensions=50).dive.dimensions
    50
    """

    pmi_filter: str = option(
        "45tokens",
        "k_f: PMI filter threshold, such as 30tokens or 1.67ratio; none: no filter (the default of sparse spaces).",
        paper="30tokens",
        rare=True,
    )
    pmi_shift: float = option(
        1.0, "Sparse spaces of PMI: its logarithm is subtracted from the PMI.", low=1e-300, high=1e300, rare=True
    )
    solver: Literal["fast", "paper"] = option("fast", "Solver for DIVE: ours (fast) or the paper's.", rare=True)

    @property
    def dive(self) -> DiveOptions:
        """Return the options of the fast solver."""
        return DiveOptions(**{name: getattr(self, name) for name in DiveOptions.described()})

    @property
    def paper(self) -> PaperOptions:
        """Return the recipe of the paper's solver with the objective of these options."""
        return PaperOptions(**{name: getattr(self, name) for name in SHARED_OPTIONS})

    def dive_parameters(self) -> dict[str, Any]:
        """Return what training DIVE uses, for headers: nothing that its solver leaves out.

        >>> fast, paper = SpaceOptions(), SpaceOptions(solver="paper", ridge=0.0, sample=0.0)
        >>> [one.dive_parameters().get("passes") for one in (fast, paper)]
        [40, None]
        >>> [one.dive_parameters().get("epochs") for one in (fast, paper)]
        [None, 15]
        """
        made = asdict(self.dive)
        if self.solver == "paper":
            made = {name: made[name] for name in (*SHARED_OPTIONS, *ABSENT_FROM_PAPER)} | asdict(self.paper)
        if not self.shift:
            del made["beta"]
        return {**made, "pmi_filter": self.pmi_filter, "solver": self.solver}


@dataclass(frozen=True, kw_only=True)
class TrainOptions(EncodeOptions, SpaceOptions):
    """What is trained, and how: the rules for text, the objective, and what is stored.

    >>> TrainOptions.preset("paper").beta, TrainOptions.preset("paper").pmi_filter
    (0.0, '30tokens')
    """

    space: str = option(
        MODEL_SPACE,
        "Vector space to train: dive, skipgram, sbow-freq, sbow-ppmi, sbow-ppmi-is, kmeans, word2vec, word2vec-cbow, "
        "gaussian, gaussian-no-clip, or one of an installed plug-in. word2vec is not reproducible with more than one "
        "thread.",
    )
    skipgram: bool = option(True, "Also train skip-gram vectors, for the score W.")
    contexts: bool = option(True, "Store the context vectors, which new terms need.", rare=True)

    @property
    def has_terms(self) -> bool:
        """Return whether terms get vectors."""
        return self.terms != "none"

    def as_parameters(self) -> dict[str, Any]:
        """Return what the header of a model records: the options that its training used."""
        own = {name: getattr(self, name) for name in ("space", "skipgram", "contexts")}
        return {**self.dive_parameters(), **own, "terms": self.has_terms}


@dataclass(frozen=True, kw_only=True)
class TrainCall(TrainOptions, ReadingOptions, RunOptions):
    """All options of `train`."""

    patterns: bool = option(True, "Store pattern matches, for the scores that use them.", rare=True)
    restart: bool = option(False, "Start over; without it an interrupted run is resumed.")


@dataclass(frozen=True, kw_only=True)
class AddCall(ReadingOptions, RunOptions):
    """All options of `add`."""

    terms: str | Path | None = option(None, "File with one term per line, added in any case.")


# ---- the paper's tables ------------------------------------------------------------------------------------------

PARTS = ("pos", "half", "kmeans", "gaussian", "word2vec", "experiments")
"""Parts of a reproduction that can be left out; the cells that need them stay empty."""


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions(Options):
    """Options of a reproduction.

    >>> ReproduceOptions(without=("kmean",))
    Traceback (most recent call last):
    hyperdive.errors.OptionError: no part 'kmean' (use one of pos, half, kmeans, gaussian, word2vec, experiments)
    """

    solver: Literal["fast", "paper"] = option(
        "fast", "fast: both rows of DIVE by our solver; paper: also a row by the paper's solver (hours).", rare=True
    )
    dimensions: int = option(100, "Number of dimensions.", low=2, high=10_000, rare=True)
    min_count: int = option(10, "Words with fewer occurrences are replaced by the unknown symbol.", low=1, rare=True)
    tagger: str = option("textblob", "Part-of-speech tagger: textblob or spacy.", rare=True)
    without: tuple[str, ...] = option(
        (),
        "Skip a part: pos, half, kmeans, gaussian, word2vec or experiments; its cells stay empty.",
        rare=True,
    )
    seed: int = option(0, "Random seed of training and resamples.", low=0)
    resamples: int = option(1000, "Bootstrap resamples for the intervals of the claims; 0: none.", low=0, rare=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        parts = tuple(part for parts in self.without for part in parts.split(","))
        for part in parts:
            if part not in PARTS:
                raise OptionError(f"no part {part!r}", hint=f"use one of {', '.join(PARTS)}")
        object.__setattr__(self, "without", parts)
