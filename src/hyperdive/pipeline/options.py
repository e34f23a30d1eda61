"""Options of `train`: the space, what is stored with it, and the presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from hyperdive.errors import OptionError
from hyperdive.spaces.dive_options import DiveOptions
from hyperdive.spaces.options import SHARED_OPTIONS, SpaceOptions
from hyperdive.spaces.registry import space_maker, unused_option

MODEL_SPACE = "dive"
"""The space of a model, stored with others; any other space is stored by itself."""
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "paper": {"negatives": 1.5, "sample": 0.0, "beta": 0.0, "ridge": 0.0, "pmi_filter": "30tokens", "terms": False},
}
"""`paper`: the objective of the paper with its constants; the solver stays the fast one unless `paper` is asked for."""


@dataclass(frozen=True, kw_only=True)
class TrainOptions(SpaceOptions):
    """What is trained, and how; see `DiveOptions` for the objective.

    >>> TrainOptions.preset("paper").dive.beta, TrainOptions.preset("paper").pmi_filter
    (0.0, '30tokens')
    """

    space: str = MODEL_SPACE
    """A name of `hyperdive.spaces.registry`; `dive`, together with skip-gram, makes a model."""
    skipgram: bool = True
    """Train skip-gram vectors too, for the score W."""
    contexts: bool = True
    """Keep the context vectors, and what rows of new terms need beside them."""
    terms: bool = True
    """Give rows to the terms of the corpus, if it has some. Paper: off."""

    def __post_init__(self) -> None:
        super().__post_init__()
        space_maker(self.space)

    @classmethod
    def preset(cls, name: str = "default", **changes: Any) -> TrainOptions:
        """A named set of options with some changed; None means unchanged. Options of `DiveOptions` go in as well.

        An option that the space or the solver would not use is refused.

        >>> TrainOptions.preset(space="sbow-freq", ridge=0.1)
        Traceback (most recent call last):
        hyperdive.errors.OptionError: sbow-freq does not use ridge (leave it out)
        """
        if name not in PRESETS:
            raise OptionError(f"no preset {name!r}", hint=f"use one of {', '.join(PRESETS)}")
        given = {option: value for option, value in changes.items() if value is not None}
        _refuse_unknown(cls, given)
        space = str(given.get("space", MODEL_SPACE))
        unused = unused_option(space, str(given.get("solver", "fast")), bool(given.get("shift", True)), given)
        if unused is not None:
            raise OptionError(f"{unused[1]} does not use {unused[0]}", hint="leave it out")
        return cls._of({**PRESETS[name], **space_maker(space).base, **given})

    @classmethod
    def recorded(cls, parameters: Mapping[str, Any]) -> TrainOptions:
        """The options of a model from what its header records."""
        own = {option.name for option in fields(cls)}
        objective = set(SHARED_OPTIONS) | {"ridge", "sample"}
        known = own | (objective if parameters.get("solver") == "paper" else _names(DiveOptions))
        return cls._of({option: value for option, value in parameters.items() if option in known})

    @classmethod
    def _of(cls, values: Mapping[str, Any]) -> TrainOptions:
        of_dive = _names(DiveOptions)
        dive = replace(DiveOptions(), **{option: value for option, value in values.items() if option in of_dive})
        return cls(dive=dive, **{option: value for option, value in values.items() if option not in of_dive})

    def as_parameters(self) -> dict[str, Any]:
        """What the header of a model records: the options that its training used."""
        own = {name: getattr(self, name) for name in ("space", "skipgram", "contexts", "terms")}
        return {**self.dive_parameters(), **own}


def _names(options: type[Any]) -> set[str]:
    return {option.name for option in fields(options)}


def _refuse_unknown(options: type[TrainOptions], given: Mapping[str, Any]) -> None:
    known = (_names(options) - {"dive"}) | _names(DiveOptions)
    unknown = sorted(set(given) - known)
    if unknown:
        raise OptionError(f"no option {unknown[0]!r}", hint=f"use one of {', '.join(sorted(known))}")
