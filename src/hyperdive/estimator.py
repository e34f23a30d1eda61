"""`Dive`, the estimator: construct with options, then fit, as scikit-learn has it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hyperdive._progress import SILENT, Progress
from hyperdive.api import train
from hyperdive.errors import OptionError
from hyperdive.model import Model
from hyperdive.pipeline.options import PRESETS
from hyperdive.spaces.registry import unused_option

if TYPE_CHECKING:
    from hyperdive.pipeline.patterns import PatternSource


_NOT_OF_TRAINING = ("patterns", "text", "threads", "memory")


class Dive:
    """Train DIVE in the manner of scikit-learn: construct with options, then `fit`; `model_` is the trained model.

    Args:
        dimensions: Length of a vector.
        window: Context words on each side.
        negatives: k_I, negatives for each place of the window.
        sample: Subsampling threshold for frequent words; 0 is none, as in the paper.
        beta: Exponent that reduces negatives for rare words; 0 is as in the paper.
        shift: The inclusion shift: the same weight of negatives for every word.
        ridge: Weight of the squared length of a row; 0 is as in the paper.
        passes: Most alternating passes over the frequent words and contexts.
        rare_passes: Steps for the rows of rare contexts, and again for those of rare words.
        frequent: How many words and contexts, the most frequent, are trained together before the rest.
        sampled: Negatives shared by all rows of a step.
        rate: Size of the first steps.
        tolerance: Stop a stage when five passes together gain less than this part of the objective.
        seed: The same seed gives the same bytes.
        pmi_filter: k_f with its unit: pairs below it are left out; `none` keeps all. Paper: 30tokens.
        solver: `fast` works on counts, `paper` is the paper's own way over the tokens.
        skipgram: Train skip-gram vectors too, for the score W.
        contexts: Keep the context vectors.
        terms: Give rows to the terms of the corpus, if it has some.
        patterns: False leaves out what the text states; corpora or folders of patterns give it for counts.
        text: Options of `encode` for text, such as `{"min_count": 5}`.
        threads: Threads to use; None is all. The result is the same for any number.
        memory: Bytes that reading and counting stay under; None is half of this machine's.

    Options are checked by `fit`, as scikit-learn has it, and `sklearn.base.clone` works.

    >>> lines = [["poodle", "dog", "bark"], ["cat", "animal", "sleep"], ["dog", "animal"]] * 200
    >>> dive = Dive(dimensions=3, pmi_filter="none", seed=1).fit(lines)
    >>> dive
    Dive(dimensions=3, seed=1, pmi_filter='none')
    >>> dive.model_
    <Model of 6 words: dive 3 dimensions, contexts, skipgram>
    >>> "poodle" in dive.model_, bool((dive.model_["dog"] >= 0).all())
    (True, True)
    """

    model_: Model

    def __init__(
        self,
        *,
        dimensions: int = 100,
        window: int = 10,
        negatives: float = 1.5,
        sample: float = 1e-3,
        beta: float = 0.75,
        shift: bool = True,
        ridge: float = 0.02,
        passes: int = 40,
        rare_passes: int = 8,
        frequent: int = 20_000,
        sampled: int = 2_000,
        rate: float = 0.1,
        tolerance: float = 1e-4,
        seed: int = 0,
        pmi_filter: str = "45tokens",
        solver: str = "fast",
        skipgram: bool = True,
        contexts: bool = True,
        terms: bool = True,
        patterns: PatternSource = True,
        text: Mapping[str, Any] | None = None,
        threads: int | None = None,
        memory: int | None = None,
    ) -> None:
        self.dimensions = dimensions
        self.window = window
        self.negatives = negatives
        self.sample = sample
        self.beta = beta
        self.shift = shift
        self.ridge = ridge
        self.passes = passes
        self.rare_passes = rare_passes
        self.frequent = frequent
        self.sampled = sampled
        self.rate = rate
        self.tolerance = tolerance
        self.seed = seed
        self.pmi_filter = pmi_filter
        self.solver = solver
        self.skipgram = skipgram
        self.contexts = contexts
        self.terms = terms
        self.patterns = patterns
        self.text = text
        self.threads = threads
        self.memory = memory

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """The options of a preset with some changed: `paper` are the paper's constants and its rules for text.

        >>> Dive.preset("paper", dimensions=50)
        Dive(dimensions=50, sample=0.0, beta=0.0, ridge=0.0, pmi_filter='30tokens', terms=False,
             text={'preset': 'paper'})
        """
        if name not in PRESETS:
            raise OptionError(f"no preset {name!r}", hint=f"use one of {', '.join(PRESETS)}")
        return cls(**{**PRESETS[name], **changes, "text": {"preset": name, **(changes.get("text") or {})}})

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All options with their values; `deep` is there for scikit-learn."""
        return {name: getattr(self, name) for name in _defaults(type(self))}

    def set_params(self, **options: Any) -> Self:
        """Change some options."""
        known = _defaults(type(self))
        for name, value in options.items():
            if name not in known:
                raise OptionError(f"Dive has no option {name!r}", hint=f"use one of {', '.join(known)}")
            setattr(self, name, value)
        return self

    def fit(
        self,
        source: Any = None,
        y: None = None,
        *,
        texts: Iterable[Any] | None = None,
        output: str | Path | None = None,
        start: Model | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Train, and keep the model as `model_`; returns the estimator itself.

        Args:
            source: Path(s) of text, a `Corpus`, a `Cooccurrence`, a pandas or polars column of text, an iterable of
                spaCy documents, or an iterable of token lists (each a line of its own, which give no patterns).
            y: Not used; scikit-learn passes it.
            texts: Raw documents instead of `source`: an iterable of strings.
            output: Also keep the model as this folder; without it, it lives in memory, and `model_.save` writes it.
            start: An earlier model to go on from.
            progress: Where to report progress.
        """
        options = {name: value for name, value in self._asked().items() if name != "text"}
        text = dict(self.text or {})
        options |= {"preset": text.pop("preset", "default"), "start": start, "progress": progress}
        with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:
            place = Path(folder) / "model" if output is None else Path(output)
            model = train(source, place, texts=texts, text=text, **options)
            if output is None:  # read before the folder goes
                model.contexts, model.skipgram  # noqa: B018
                if model.terms is not None:
                    model.terms.dive, model.terms.skipgram, model.terms.composition  # noqa: B018
                if model.patterns is not None:
                    model.patterns.evidence_rows  # noqa: B018
        self.model_ = model
        return self

    def _asked(self) -> dict[str, Any]:
        """The options without those at their default that the solver does not use: nobody asked for them."""
        defaults = _defaults(type(self))
        given = self.get_params()
        return {
            name: value
            for name, value in given.items()
            if name in _NOT_OF_TRAINING
            or value != defaults[name]
            or unused_option("dive", self.solver, self.shift, [name]) is None
        }

    def __repr__(self) -> str:
        defaults = _defaults(type(self))
        changed = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return f"Dive({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def _defaults(estimator: type[Dive]) -> dict[str, Any]:
    """The options of the constructor with their defaults."""
    return {name: parameter.default for name, parameter in signature(estimator).parameters.items()}
