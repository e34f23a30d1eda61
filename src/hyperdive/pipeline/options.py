"""Options of `train`: the space, what is stored with it, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from hyperdive.errors import OptionError
from hyperdive.spaces.dive_options import DiveOptions
from hyperdive.spaces.options import SpaceOptions
from hyperdive.spaces.registry import space_maker

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
        """A named set of options with some changed; None means unchanged. Options of `DiveOptions` go in as well."""
        if name not in PRESETS:
            raise OptionError(f"no preset {name!r}", hint=f"use one of {', '.join(PRESETS)}")
        given = {**PRESETS[name], **{option: value for option, value in changes.items() if value is not None}}
        own = {option.name for option in fields(cls)} - {"dive"}
        of_dive = {option.name for option in fields(DiveOptions)}
        unknown = sorted(set(given) - own - of_dive)
        if unknown:
            raise OptionError(f"no option {unknown[0]!r}", hint=f"use one of {', '.join(sorted(own | of_dive))}")
        dive = replace(DiveOptions(), **{option: value for option, value in given.items() if option in of_dive})
        return cls(dive=dive, **{option: value for option, value in given.items() if option in own})

    def as_parameters(self) -> dict[str, Any]:
        """What the header of a model records."""
        own = {option.name: getattr(self, option.name) for option in fields(self) if option.name != "dive"}
        return {**asdict(self.dive), **own}
