"""`Dive`, the estimator: construct with options, then fit, as scikit-learn has it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hyperdive._progress import SILENT, Progress
from hyperdive.api import train
from hyperdive.model import Model, in_memory
from hyperdive.options import TrainCall, check_name

if TYPE_CHECKING:
    pass


class Dive:
    """Train DIVE in the manner of scikit-learn: construct with options, then `fit`; `model_` is the trained model.

    The constructor takes the options of `hyperdive.options.TrainCall` that do not concern one output, and `patterns`:
    False leaves out what the text states; corpora or folders of patterns give it for counts. Options are checked by
    `fit`, as scikit-learn has it, and `sklearn.base.clone` works.

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

    def __init__(self, **options: Any) -> None:
        defaults = _defaults()
        for name in options:
            check_name(name, defaults)
        for name, value in {**defaults, **options}.items():
            setattr(self, name, value)

    __init__.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter("self", Parameter.POSITIONAL_OR_KEYWORD),
            *(one for one in TrainCall.parameters() if one.name not in ("space", "force", "restart")),
        ]
    )

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """The options of a preset with some changed: `paper` are the paper's constants and its rules for text.

        >>> Dive.preset("paper", dimensions=50).beta
        0.0
        """
        return cls(**{**_own(TrainCall.preset(name)), **changes})

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All options with their values; `deep` is there for scikit-learn."""
        return {name: getattr(self, name) for name in _defaults()}

    def set_params(self, **options: Any) -> Self:
        """Change some options."""
        for name, value in options.items():
            check_name(name, _defaults())
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
        # options that are at their default were not given: the solver may have no use for them
        options = {name: value for name, value in self.get_params().items() if value != _defaults()[name]}
        with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:
            place = Path(folder) / "model" if output is None else Path(output)
            model = train(source, place, texts=texts, start=start, progress=progress, **options)
            if output is None:  # read before the folder goes
                if model.patterns is not None:
                    model.patterns.evidence_rows  # noqa: B018
                model = in_memory(model)
        self.model_ = model
        return self

    def __repr__(self) -> str:
        defaults = _defaults()
        changed = {name: value for name, value in self.get_params().items() if value != defaults[name]}
        return f"Dive({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def _defaults() -> dict[str, Any]:
    """Return the options of the constructor with their defaults."""
    return {name: one.default for name, one in signature(Dive).parameters.items()}


def _own(options: TrainCall) -> dict[str, Any]:
    return {name: getattr(options, name) for name in _defaults()}
