"""What a space covers of the datasets: words found, and how many non-zero dimensions they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperdive.benchmark.dataset import Dataset
from hyperdive.scores import Rows, as_source, look_up
from hyperdive.scores.source import AnyModel


@dataclass(frozen=True)
class Coverage:
    """Distinct words of some datasets (phrases split), and those a space has; spaces with and without POS apart."""

    words: int
    found: int
    nonzero_dimensions: float

    @property
    def share(self) -> float:
        """Found words in per cent."""
        return 100.0 * self.found / self.words if self.words else 0.0


def coverage(
    raw: AnyModel, datasets: Sequence[Dataset], *, pos: AnyModel | None = None, lemmas: bool = False
) -> Coverage:
    """Coverage and average number of non-zero dimensions over the distinct words of all datasets together.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> space = VectorSpace(["animal", "dog"], [[3, 1], [1, 0]], frequencies=[9, 5], kind="dive")
    >>> coverage(space, [Dataset.from_rows("x", [("dog", "animal", 1.0), ("yak", "animal", 1.0)])])
    Coverage(words=3, found=2, nonzero_dimensions=1.5)
    """
    words = found = 0
    sizes: list[Any] = []
    for space, tagged in ((raw, False), (pos, True)):
        chosen = [dataset for dataset in datasets if (dataset.tagged and pos is not None) == tagged]
        if space is None or not chosen:
            continue
        distinct = sorted({word for dataset in chosen for key in dataset.space_keys(pos=tagged) for word in key})
        main = as_source(space).main
        lookup = look_up(main, [[word] for word in distinct], lemmas=lemmas)
        words += len(distinct)
        found += int(lookup.found.sum())
        sizes.append(Rows(main.matrix[np.unique(lookup.rows)]).sizes)
    together = np.concatenate(sizes) if sizes else np.zeros(0)
    return Coverage(words, found, float(together.mean()) if together.size else 0.0)
