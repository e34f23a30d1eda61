"""By which score answers are ranked, which words are never an answer, and which signals agree on a pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hyperdive._types import Floats, Ints
from hyperdive.ask.question import best, source_of
from hyperdive.scores.pairs import Pairs, ratio
from hyperdive.scores.registry import Score, get
from hyperdive.scores.source import AnyModel, Source
from hyperdive.scores.terms import Terms

CONFIDENCE = "confidence"
_LIKELIEST, _JUDGED = 2000, 768
_ROUNDING = 50  # more that a quicker sum finds, so that none is missed
NEAR_AND_GENERAL = "W³·lnΔS"

RANKS = frozenset("breed genus genera rank specie species subgenus subspecies taxon taxa".split())
"""Names of ranks: everything alive is "a species of …", which says as little as "a kind of …"."""
# Words that are above everything and so say nothing: "a poodle is a thing". A user's own list of candidates
# is taken as it is.
EMPTY_WORDS = RANKS | frozenset(
    """
    amount aspect basis bit branch bunch case category class concept degree detail difference end entity example
    exception extent fact factor feature form group half idea instance issue item kind level list lot majority
    manner matter member mode name nature number object one other others pair part piece point portion purpose
    range rest result role section selection sense series set side sort stuff subject such term thing time topic
    total type unit use variant variation variety version way whole word year
    """.split()
)


@dataclass(frozen=True)
class Ranking:
    """A score to rank by; `calibrated` says that its values are confidences in [0, 1], `none` means "not at all"."""

    name: str
    function: Callable[[Pairs], Floats]
    calibrated: bool
    none: float = 0.0

    def __call__(self, pairs: Pairs) -> Floats:
        """The score of every pair by itself; larger is likelier."""
        return self.function(pairs)

    def plausible_hyponyms(self, pairs: Pairs) -> Ints:
        """The pairs worth judging among those of many hyponyms and one hypernym.

        For a confidence, neighbours of every hyponym have to be found, so of a whole vocabulary only the hyponyms that
        the text states are judged, and the `_LIKELIEST` by similarity and projection; by another score all are.
        """
        if self.name != CONFIDENCE or len(pairs) <= _LIKELIEST:
            return np.arange(len(pairs))
        assert pairs.patterns is not None
        likely = 2 * pairs.skipgram_cosine + np.sqrt(np.maximum(pairs.predicted, 0.0))
        stated = np.flatnonzero(pairs.patterns.exact_counts)
        return np.union1d(stated, best(likely, _LIKELIEST))

    def leading_hyponyms(self, pairs: Pairs) -> Ints:
        """Return the pairs of one hypernym whose confidence is worth computing, those of the best hyponyms among them.

        They are first by the sum without what neighbours say of a hyponym, for which a projection stands.
        """
        if len(pairs) <= _JUDGED:
            return np.arange(len(pairs))
        sums = pairs.terms.confidence.sums(pairs.q, pairs.p) + 1.5 * np.sqrt(np.maximum(pairs.predicted, 0.0))
        return np.sort(best(sums, _JUDGED))


def plausible_names(source: Source, names: Sequence[str]) -> list[str]:
    """The words and terms among which `plausible_hyponyms` of these names are, in the model's order.

    The names may be phrases without a row of their own, so that no pairs of rows are needed.
    """
    every, asked = source.memo.get(Terms, lambda: Terms.every(source)), Terms.named(source, names)
    words, vectors, stated = every.skipgram, asked.skipgram, asked.stated
    projected = every.projected
    assert words is not None and vectors is not None and projected is not None
    assert stated is not None and every.stated is not None
    rows: list[Ints] = []
    for row in range(len(names)):
        vector = np.asarray(vectors.matrix[row])
        below = np.sqrt(words.squares * vectors.squares[row])
        cosines = ratio(np.asarray(np.einsum("ij,j->i", words.matrix, vector), dtype=np.float64), below)
        predicted = np.einsum("ij,j->i", projected, stated.as_hypernym[row])
        rows.append(best(2 * cosines + np.sqrt(np.maximum(predicted, 0.0)), _LIKELIEST + _ROUNDING))
        number = int(stated.exact_numbers[row])
        if number >= 0:
            hyponyms, _ = stated.patterns.hyponym_counts(number)
            rows.append(np.flatnonzero(np.isin(every.stated.exact_numbers, hyponyms)))
    chosen = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *rows]))
    return [source.main.words[row] for row in chosen.tolist()]


def near_and_general(pairs: Pairs) -> Floats:
    """max(W, 0)³ · ln(1 + max(ΔS, 0)), with C for W where there is no skip-gram space.

    W·ΔS ranks pairs well but floods a ranking of the whole vocabulary with the most general words: ΔS grows without
    bound, W does not. The cube and the logarithm give nearness the say; found on HypeNet's training pairs.

    >>> near_and_general(Pairs([[1.0, 0.0], [2.0, 1.0], [0.0, 9.0]], q=[0, 0, 1], p=[1, 2, 0])).round(3).tolist()
    [0.786, 0.0, 0.0]
    """
    similarity = pairs.cosine if pairs.skipgram is None else pairs.skipgram_cosine
    return np.maximum(similarity, 0.0) ** 3 * np.log1p(np.maximum(pairs.difference(pairs.rows.sums), 0.0))


def ranking(model: AnyModel, wanted: str | None = None) -> Ranking:
    """The score asked for, else the best this model allows: the confidence with patterns, else nearness upwards."""
    if wanted is not None:
        score = get(wanted)
        return Ranking(score.name, score, score.name == CONFIDENCE, silence(score))
    source = source_of(model)
    if source.skipgram is not None and source.patterns is not None:
        return Ranking(CONFIDENCE, get(CONFIDENCE), True)
    return Ranking(NEAR_AND_GENERAL, near_and_general, False)


def silence(score: Score) -> float:
    """The value from which on a score says nothing for a pair: the lower end of its range, 0 where that is open.

    >>> silence(get("CDE")), silence(get("AL₁")), silence(get("KL")), silence(get("C·ΔS"))
    (0.0, -1.0, -inf, 0.0)
    """
    low = score.range.lstrip("([").split(",")[0].strip()
    try:
        return float(low.replace("∞", "inf"))
    except ValueError:
        return 0.0


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
    # what is stated of diabetes is not stated of type 2 diabetes
    counts = np.zeros(len(pairs)) if patterns is None else np.where(patterns.backed_off, 0, patterns.counts)
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
