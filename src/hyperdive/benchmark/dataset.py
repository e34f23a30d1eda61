"""`Dataset`: pairs of terms with a label or a grade each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Row = tuple[str, str, float]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Pairs of terms with a label or a grade each; `q` and `p` are numbers into `terms`.

    Terms are as in the file, lower-cased: `goldfish-n` (tagged), `family,doctor-n`, `puerto princesa`.
    """

    name: str
    terms: tuple[str, ...]
    q: npt.NDArray[np.int64]
    p: npt.NDArray[np.int64]
    gold: npt.NDArray[np.float64]
    graded: bool = False
    tagged: bool = False
    separator: str = ""

    @classmethod
    def from_rows(
        cls, name: str, rows: Iterable[Row], *, graded: bool = False, tagged: bool = False, separator: str = ""
    ) -> Dataset:
        """A dataset from (hyponym, hypernym, gold) rows.

        >>> Dataset.from_rows("mine", [("dog", "animal", 1.0), ("animal", "dog", 0.0)])
        <Dataset mine: 2 pairs, 1 positive>
        """
        numbers: dict[str, int] = {}
        q: list[int] = []
        p: list[int] = []
        gold: list[float] = []
        for hyponym, hypernym, value in rows:
            q.append(numbers.setdefault(hyponym.strip().lower(), len(numbers)))
            p.append(numbers.setdefault(hypernym.strip().lower(), len(numbers)))
            gold.append(value)
        return cls(
            name,
            tuple(numbers),
            np.array(q, dtype=np.int64),
            np.array(p, dtype=np.int64),
            np.array(gold, dtype=np.float64),
            graded,
            tagged,
            separator,
        )

    def __len__(self) -> int:
        return len(self.q)

    @cached_property
    def labels(self) -> npt.NDArray[np.bool_]:
        """True where q is a hyponym of p (meaningless in a graded set)."""
        return self.gold > 0.5

    @property
    def positives(self) -> int:
        """How many pairs are positive."""
        return int(self.labels.sum())

    def space_keys(self, *, pos: bool = False) -> list[tuple[str, ...]]:
        """The words of every term as a vector space spells them.

        In a POS space the tag follows a bar (`dog|n`, for every word of a phrase); in a raw space it is cut off.

        >>> rows = [("family,doctor-n", "entity-n", 1.0)]
        >>> dataset = Dataset.from_rows("x", rows, tagged=True, separator=",")
        >>> dataset.space_keys(pos=True), dataset.space_keys()
        ([('family|n', 'doctor|n'), ('entity|n',)], [('family', 'doctor'), ('entity',)])
        """
        keys: list[tuple[str, ...]] = []
        for term in self.terms:
            body, tag = (term[:-2], term[-1:]) if self.tagged else (term, "")
            words = body.split(self.separator) if self.separator else [body]
            words = [word for word in words if word] or [body]
            keys.append(tuple(f"{word}|{tag}" for word in words) if pos and self.tagged else tuple(words))
        return keys

    def __repr__(self) -> str:
        kind = "graded" if self.graded else f"{self.positives} positive"
        return f"<Dataset {self.name}: {len(self)} pairs, {kind}>"
