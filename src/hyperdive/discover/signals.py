"""Which signals agree that x is a kind of y, each looked at by itself; of a phrase, its head is one more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hyperdive.scores.pairs import Pairs

SIGNALS = ("patterns", "inclusion", "generality", "similarity")
INCLUDED = 0.5  # at least half of the hyponym's mass lies under the hypernym's
ALIKE = 0.25  # a cosine that few pairs of unrelated words reach


@dataclass(frozen=True)
class Agreement:
    """The signals that speak for a pair, and how many statements in the text do."""

    signals: tuple[str, ...]
    statements: int


def agreement(pairs: Pairs) -> list[Agreement]:
    """For each pair the signals that agree.

    - patterns: the text calls q a kind of p, and more often than the reverse;
    - inclusion: CDE(q→p) is at least one half and more than CDE(p→q);
    - generality: S(p) > S(q);
    - similarity: the skip-gram cosine W (C where there is none) is at least one quarter.

    >>> agreement(Pairs([[1.0, 1.0], [2.0, 1.0]], q=[0, 1], p=[1, 0]))[0]
    Agreement(signals=('inclusion', 'generality', 'similarity'), statements=0)
    """
    if len(pairs) == 0:
        return []
    none = np.zeros(len(pairs), dtype=np.bool_)
    patterns = pairs.patterns
    counts = np.zeros(len(pairs)) if patterns is None else patterns.exact_counts
    stated = none if patterns is None else (counts > 0) & (counts > patterns.reverse)
    included = none
    if pairs.rows.nonnegative:
        shared = pairs.overlap[:, 1]
        forward, back = pairs.share_of_q(shared), pairs.share_of_p(shared)
        included = (forward >= INCLUDED) & (forward > back)
    similarity = pairs.cosine if pairs.skipgram is None else pairs.skipgram_cosine
    columns = (stated, included, pairs.difference(pairs.rows.sums) > 0, similarity >= ALIKE)
    return [
        Agreement(
            tuple(name for name, column in zip(SIGNALS, columns, strict=True) if column[number]),
            int(counts[number]),
        )
        for number in range(len(pairs))
    ]
