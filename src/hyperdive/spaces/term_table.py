"""The terms of a model: rows of their own beside those of the words.

A term has a name (its base forms joined by blanks), the spelling the text mostly uses, its count, a DIVE row and a
skip-gram row. Where the text never has it (a term of a user's list), its count is 0 and its rows are composed from
those of its parts. Files of a model folder:

| file | content |
| --- | --- |
| `terms.txt` | one term a line: its name, a tab, its spelling |
| `abbreviations.txt` | abbreviations with their long forms; see `hyperdive.text.abbreviations` |
| `model.safetensors` | `terms.frequencies`, rows `terms.dive` and `terms.skipgram`, maps `composition.*` |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperdive._store import Artifact, header_fields, narrowest
from hyperdive._types import Ints
from hyperdive.errors import FormatError, InputError
from hyperdive.spaces.model_files import DAMAGED, StoredSpaces
from hyperdive.spaces.space import VectorSpace
from hyperdive.text.abbreviations import Abbreviations

if TYPE_CHECKING:
    from hyperdive.spaces.composition import Composition

TERMS = "terms.txt"
NO_ABBREVIATIONS = Abbreviations()


class TermTable:
    """Terms with a row each in the spaces of a model.

    Args:
        names: the normalised names, without repetition.
        spellings: how to show each.
        dive: their DIVE rows over `names`, or how to read them.
        skipgram: their skip-gram rows over `names`, or how to read them.
        composition: the maps that give rows to terms the text does not have.
        abbreviations: the abbreviations that the text explains.

    >>> dive = VectorSpace(["guide dog", "AIDS"], [[1, 0], [0, 2]], frequencies=[7, 3], kind="dive")
    >>> terms = TermTable(dive.words, ["guide dog", "AIDS"], dive=dive)
    >>> terms, "guide dog" in terms, terms.frequency("AIDS"), terms.dive["AIDS"].tolist()
    (<TermTable of 2 terms>, True, 3, [0.0, 2.0])
    """

    def __init__(
        self,
        names: Sequence[str],
        spellings: Sequence[str],
        *,
        dive: VectorSpace | Callable[[], VectorSpace],
        skipgram: VectorSpace | Callable[[], VectorSpace] | None = None,
        composition: Composition | Callable[[], Composition] | None = None,
        abbreviations: Abbreviations = NO_ABBREVIATIONS,
    ) -> None:
        self.names, self.spellings = list(names), list(spellings)
        if len(self.names) != len(self.spellings):
            raise InputError(f"{len(self.names)} names and {len(self.spellings)} spellings of terms do not go together")
        self._dive, self._skipgram, self._composition = dive, skipgram, composition
        self.abbreviations = abbreviations

    # ---- asking ---------------------------------------------------------------------------------------------

    @cached_property
    def dive(self) -> VectorSpace:
        """The DIVE rows, over the names."""
        return self._checked(self._dive() if callable(self._dive) else self._dive)

    @cached_property
    def skipgram(self) -> VectorSpace | None:
        """The skip-gram rows, over the names; None where the words have none."""
        space = self._skipgram() if callable(self._skipgram) else self._skipgram
        return None if space is None else self._checked(space)

    @cached_property
    def composition(self) -> Composition | None:
        """The maps from the rows of modifier and head to those of a term; None where too few terms have two parts."""
        return self._composition() if callable(self._composition) else self._composition

    def _checked(self, space: VectorSpace) -> VectorSpace:
        if space.words is not self.names and space.words != self.names:
            raise InputError("the rows of terms must have their names, in the same order")
        return space

    @property
    def frequencies(self) -> Ints:
        """How often the text has each term; 0 for one whose rows are composed."""
        return self.dive.frequencies

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The place of every term by its name."""
        return dict(zip(self.names, range(len(self.names)), strict=True))

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.numbers

    def spelling(self, name: str) -> str:
        """How to show a term."""
        return self.spellings[self.numbers[name]]

    def frequency(self, name: str) -> int:
        """How often the text has a term."""
        return int(self.frequencies[self.numbers[name]])

    def subset(self, names: Sequence[str]) -> TermTable:
        """The same table with these terms only, in this order."""
        return TermTable(
            names,
            [self.spelling(name) for name in names],
            dive=self.dive.subset(names),
            skipgram=None if self.skipgram is None else self.skipgram.subset(names),
            composition=self.composition,
            abbreviations=self.abbreviations,
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self):,} terms>"

    def __getstate__(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "spellings": self.spellings,
            "abbreviations": self.abbreviations,
            "_dive": self.dive,
            "_skipgram": self.skipgram,
            "_composition": self.composition,
        }

    # ---- on disk --------------------------------------------------------------------------------------------

    def lines(self) -> bytes:
        """The content of `terms.txt`."""
        return "".join(
            f"{name}\t{spelling}\n" for name, spelling in zip(self.names, self.spellings, strict=True)
        ).encode("utf-8")

    def tensors(self) -> dict[str, Any]:
        """What `model.safetensors` holds beside the rows."""
        tensors = {"terms.frequencies": narrowest(self.frequencies, int(self.frequencies.max(initial=0)))}
        maps = self.composition
        if maps is not None:
            tensors["composition.dive"] = maps.dive
            if maps.skipgram is not None:
                tensors["composition.skipgram"] = maps.skipgram
                tensors["composition.lean"] = np.array([maps.lean], dtype=np.float32)
        return tensors

    @classmethod
    def read(cls, artifact: Artifact, stored: StoredSpaces) -> TermTable:
        """The terms of a model folder; their rows are read when asked for."""
        lines = artifact.text(TERMS)
        columns = lines.replace("\n", "\t").split("\t")[:-1]
        names, spellings = columns[::2], columns[1::2]
        if len(names) != len(spellings) or lines.count("\n") != len(names):
            raise FormatError(f"{artifact.path}: {TERMS} is not a name and a spelling a line", hint=DAMAGED)
        frequencies = stored.counts("terms.frequencies", len(names)).astype(np.int64)
        with_skipgram = "terms.skipgram" in stored.header["spaces"]
        return cls(
            names,
            spellings,
            dive=lambda: stored.space("terms.dive", names, frequencies),
            skipgram=(lambda: stored.space("terms.skipgram", names, frequencies)) if with_skipgram else None,
            composition=partial(_maps, stored) if "composition.dive" in stored else None,
            abbreviations=Abbreviations.read(artifact),
        )


def _maps(stored: StoredSpaces) -> Composition:
    from hyperdive.spaces.composition import Composition

    with header_fields(stored.path):
        spaces = stored.header["spaces"]
        dimensions, of_skipgram = (spaces.get(f"terms.{name}", {}).get("dimensions") for name in ("dive", "skipgram"))
    dive = stored.tensor("composition.dive", np.floating).astype(np.float32)
    if dive.shape != (3, dimensions) or not np.isfinite(dive).all():
        raise stored.wrong("composition.dive")
    if "composition.skipgram" not in stored:
        return Composition(dive)
    skipgram = stored.tensor("composition.skipgram", np.floating).astype(np.float32)
    lean = stored.tensor("composition.lean", np.floating)
    if lean.shape != (1,) or not 0 <= float(lean[0]) < np.inf or not isinstance(of_skipgram, int):
        raise stored.wrong("composition.lean")
    own = of_skipgram - (1 if lean[0] else 0)
    if skipgram.shape != (2 * own + 1, own) or not np.isfinite(skipgram).all():
        raise stored.wrong("composition.skipgram")
    return Composition(dive, skipgram, float(lean[0]))
