"""Pairs of terms and the quantities that scores are made of, each computed once however many scores read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from hyperdive._sparse_rows import are_among, distinct_places
from hyperdive._types import Bools, Floats, Ints
from hyperdive.scores._blocks import products, run
from hyperdive.scores.neighbour_statements import AnalogyRows, AskedColumns
from hyperdive.scores.pattern_pairs import StatedPairs, StatedTerms
from hyperdive.scores.rows import Rows

if TYPE_CHECKING:
    from hyperdive.scores.gaussians import Gaussians
    from hyperdive.scores.isa_columns import IsaColumns


class TermData(Protocol):
    """What scores read of terms, one row a term; what a model does not have is None."""

    @property
    def rows(self) -> Rows: ...
    @property
    def skipgram(self) -> Rows | None: ...
    @property
    def frequencies(self) -> Floats | None: ...
    @property
    def context_counts(self) -> Rows | None: ...
    @property
    def gaussians(self) -> Gaussians | None: ...
    @property
    def stated(self) -> StatedTerms | None: ...
    @property
    def has_projection(self) -> bool: ...
    @property
    def projected(self) -> npt.NDArray[np.float32] | None: ...
    @property
    def own_frequencies(self) -> Floats: ...
    @property
    def phrases(self) -> Bools: ...
    @property
    def compounds(self) -> Bools: ...
    def head_rows(self, rows: Ints) -> Ints: ...
    def head_numbers(self, rows: Ints) -> Ints: ...
    def head_columns(self, rows: Ints) -> tuple[Ints, Ints]: ...
    @property
    def isa_columns(self) -> IsaColumns | None: ...
    def analogies(self, rows: Ints, asked: AskedColumns | None = None) -> AnalogyRows: ...
    def heads(self, rows: Ints) -> list[Ints]: ...


@dataclass(frozen=True, eq=False)
class TermArrays:
    """Term data given as arrays or CSR matrices, one row a term.

    Args:
        rows: The vectors of the main space.
        skipgram: The skip-gram vectors, for W.
        frequencies: How often each term is in the text.
        context_counts: Co-occurrence counts of the context words, one row a column of `rows`, for SLQS.
        gaussians: Means and variances, for KL.
        stated: The terms as patterns know them.
        projected: The skip-gram vectors mapped to pattern vectors; see `hyperdive.scores.pattern_projection`.

    >>> data = TermArrays([[1.0, 0.0], [2.0, 1.0]], skipgram=[[1.0, 1.0], [1.0, 0.0]])
    >>> Pairs(data, [0], [1]).skipgram_cosine.round(3).tolist()
    [0.707]
    """

    rows: Any
    skipgram: Any = None
    frequencies: Any = None
    context_counts: Any = None
    gaussians: Gaussians | None = None
    stated: StatedTerms | None = None
    projected: Any = None

    def __post_init__(self) -> None:
        for name in ("rows", "skipgram", "context_counts"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, as_rows(getattr(self, name)))
        if self.frequencies is not None:
            object.__setattr__(self, "frequencies", np.asarray(self.frequencies, dtype=np.float64))

    @property
    def has_projection(self) -> bool:
        return not (self.projected is None or self.skipgram is None or self.stated is None)

    def analogies(self, rows: Ints, asked: AskedColumns | None = None) -> AnalogyRows:
        assert self.stated is not None and self.skipgram is not None
        none = np.zeros((len(rows), len(self.stated.patterns)))
        return AnalogyRows(*(as_rows(none).csr for _ in range(3)))

    @property
    def isa_columns(self) -> None:
        """Arrays have no names, and so no heads."""
        return None

    @property
    def own_frequencies(self) -> Floats:
        return np.zeros(len(self.rows)) if self.frequencies is None else np.asarray(self.frequencies)

    @property
    def phrases(self) -> Bools:
        return np.zeros(len(self.rows), dtype=np.bool_)

    @property
    def compounds(self) -> Bools:
        return np.zeros(len(self.rows), dtype=np.bool_)

    def head_rows(self, rows: Ints) -> Ints:
        return np.full(len(rows), -1, dtype=np.int64)

    def head_numbers(self, rows: Ints) -> Ints:
        return np.full(len(rows), -1, dtype=np.int64)

    def head_columns(self, rows: Ints) -> tuple[Ints, Ints]:
        every = np.arange(len(self.rows))
        return self.head_numbers(every), self.head_rows(every)

    def heads(self, rows: Ints) -> list[Ints]:
        return [np.zeros(0, dtype=np.int64) for _ in rows]


class Pairs:
    """Pairs (q, p) of row numbers, hyponym candidate first. A score is a function of a `Pairs`.

    Args:
        terms: Vectors, an array or a CSR matrix with one row a term; or term data with more than vectors.
        q: The row of each hyponym candidate.
        p: The row of each hypernym candidate.
        places: The row of each pair in its file, by default its place here.
        threads: How many threads to use, 0 for one a core.

    >>> pairs = Pairs([[1.0, 0.0], [2.0, 1.0]], q=[0], p=[1])
    >>> pairs.cosine.round(3).tolist(), pairs.difference(pairs.rows.sums).tolist()
    ([0.894], [2.0])
    """

    def __init__(self, terms: Any, q: Any, p: Any, *, places: Any = None, threads: int = 0) -> None:
        self.terms: TermData = terms if hasattr(terms, "has_projection") else TermArrays(as_rows(terms, threads))
        self.q: Ints = np.ascontiguousarray(q, dtype=np.int64)
        self.p: Ints = np.ascontiguousarray(p, dtype=np.int64)
        self.places: Ints = np.arange(len(self.q)) if places is None else np.asarray(places, dtype=np.int64)
        self.threads = threads

    @property
    def rows(self) -> Rows:
        """The vectors of the main space."""
        return self.terms.rows

    @property
    def skipgram(self) -> Rows | None:
        """The skip-gram vectors; None without them."""
        return self.terms.skipgram

    @property
    def frequencies(self) -> Floats | None:
        """n(w) of each term."""
        return self.terms.frequencies

    @property
    def context_counts(self) -> Rows | None:
        """The counts of the context words; None without them."""
        return self.terms.context_counts

    @property
    def gaussians(self) -> Gaussians | None:
        """The terms as Gaussians; None where the space has none."""
        return self.terms.gaussians

    def __len__(self) -> int:
        return len(self.q)

    @cached_property
    def patterns(self) -> StatedPairs | None:
        """What patterns state of these pairs; None without patterns."""
        stated = self.terms.stated
        return None if stated is None else StatedPairs(stated, self.q, self.p, threads=self.threads)

    def run(self, kernel: Any, *arguments: Any, columns: int = 0) -> Floats:
        """Run a kernel over all pairs; it fills one number (or `columns` numbers) a pair."""
        return run(kernel, len(self), *arguments, columns=columns, threads=self.threads)

    def difference(self, of_row: Floats) -> Floats:
        """g(p) − g(q) for a quantity g of rows."""
        return of_row[self.p] - of_row[self.q]

    # ---- what similar words are called ----------------------------------------------------------------------

    @cached_property
    def predicted(self) -> Floats:
        """w_q·A·V[p]: how well q fits among the hyponyms of p (see `hyperdive.scores.pattern_projection`)."""
        return self._projected(self.q, self.p)

    @cached_property
    def predicted_back(self) -> Floats:
        """The same of (p, q)."""
        return self._projected(self.p, self.q)

    def _projected(self, q: Ints, p: Ints) -> Floats:
        assert self.patterns is not None
        return products(self.terms.projected, self.patterns.terms.as_hypernym, q, p, threads=self.threads)

    @cached_property
    def asked(self) -> tuple[Ints, Ints]:
        """The distinct hyponyms, and which of them each pair has."""
        if len(self) and (self.q == self.q[0]).all():
            return self.q[:1], np.zeros(len(self), dtype=np.int64)
        return distinct_places(self.q)

    @cached_property
    def analogies(self) -> AnalogyRows:
        """A, A₂₀ and B, one row for each distinct hyponym."""
        return self.terms.analogies(self.asked[0])

    @cached_property
    def neighbour_ppmi(self) -> Floats:
        """A(q, p): what the nearest neighbours of q are stated to be; see `hyperdive.scores.neighbour_statements`."""
        return self._of_analogies(self.analogies.neighbours)

    @cached_property
    def nearest_ppmi(self) -> Floats:
        """A₂₀(q, p): the same of the nearest twenty."""
        return self._of_analogies(self.analogies.nearest)

    @cached_property
    def inherited(self) -> Floats:
        """B(q, p): what the likely hypernyms of q are stated to be."""
        return self._of_analogies(self.analogies.inherited)

    def _of_analogies(self, csr: Any) -> Floats:
        return self.run("csr_values", csr.indptr, csr.indices, csr.data, self.asked[1], self._exact_p)

    @cached_property
    def head_statements(self) -> Floats:
        """n(h, p) with h what q ends in: what the text states of dogs is true of most guide dogs; 0 for one word."""
        distinct, place = self.asked
        return self._stated(self.terms.head_numbers(distinct)[place], self._exact_p)

    @cached_property
    def statements_of_head(self) -> Floats:
        """n(q, h) with h what p ends in; 0 where p is one word."""
        assert self.patterns is not None
        distinct, place = distinct_places(self.p)
        return self._stated(self.patterns.terms.exact_numbers[self.q], self.terms.head_numbers(distinct)[place])

    @property
    def _exact_p(self) -> Ints:
        assert self.patterns is not None
        return self.patterns.terms.exact_numbers[self.p]

    def _stated(self, hyponyms: Ints, hypernyms: Ints) -> Floats:
        assert self.patterns is not None
        csr = self.patterns.terms.patterns.counts
        return self.run("csr_values", csr.indptr, csr.indices, csr.data, hyponyms, hypernyms)

    @cached_property
    def heads(self) -> list[Ints]:
        """The rows of what each distinct hyponym ends in, or what stands before its preposition."""
        return self.terms.heads(self.asked[0])

    @cached_property
    def is_head(self) -> npt.NDArray[np.bool_]:
        """Whether q ends in p, or p stands before its preposition: a guide dog is a dog, a bird of prey a bird."""
        place, heads = self.asked[1], self.heads
        numbers = np.repeat(np.arange(len(heads)), [len(rows) for rows in heads])
        if not len(numbers):
            return np.zeros(len(self), dtype=np.bool_)
        flat = np.concatenate(heads)
        size = max(int(flat.max()), int(self.p.max())) + 1
        return are_among(place * size + self.p, np.sort(numbers * size + flat))

    # ---- similarity -----------------------------------------------------------------------------------------

    @cached_property
    def cosine(self) -> Floats:
        """q·p / (‖q‖₂‖p‖₂), 0 where a norm is 0."""
        dots = self.overlap[:, 0] if self.rows.is_sparse else _dots(self.rows, self)
        return _cosine(dots, self.rows, self)

    @cached_property
    def skipgram_cosine(self) -> Floats:
        """The cosine of the skip-gram vectors, 0 where a term has none."""
        assert self.skipgram is not None
        return _cosine(_dots(self.skipgram, self), self.skipgram, self)

    @cached_property
    def gaussian_scores(self) -> Floats:
        """Columns: the cosine of the Gaussians' means, and -KL."""
        assert self.gaussians is not None
        return self.gaussians.scores(self.q, self.p, threads=self.threads)

    @property
    def context_entropies(self) -> Floats | None:
        """The entropy of each context word's own row of counts."""
        return None if self.context_counts is None else self.context_counts.entropies

    # ---- inclusion ------------------------------------------------------------------------------------------

    @cached_property
    def overlap(self) -> Floats:
        """Columns: Σ q·p, Σ min(q, p), Σ_{p>0} q, Σ_{q>0} p."""
        csr = self.rows.csr
        return self.run("overlaps", csr.indptr, csr.indices, csr.data, self.q, self.p, columns=4)

    def share_of_q(self, amount: Floats) -> Floats:
        """amount / S(q), 0 where S(q) = 0."""
        return ratio(amount, self.rows.sums[self.q])

    def share_of_p(self, amount: Floats) -> Floats:
        """amount / S(p), 0 where S(p) = 0."""
        return ratio(amount, self.rows.sums[self.p])


def as_rows(vectors: Any, threads: int = 0) -> Rows:
    """Vectors as `Rows`, unless they are already."""
    if isinstance(vectors, Rows):
        return vectors
    return Rows(vectors if hasattr(vectors, "tocsr") else np.asarray(vectors), threads=threads)


def _dots(rows: Rows, pairs: Pairs) -> Floats:
    if rows.is_sparse:
        csr = rows.csr
        return pairs.run("overlaps", csr.indptr, csr.indices, csr.data, pairs.q, pairs.p, columns=4)[:, 0]
    matrix, places = rows.few_of(pairs.q, pairs.p)
    return pairs.run("dense_dots", matrix, *places)


def _cosine(dots: Floats, rows: Rows, pairs: Pairs) -> Floats:
    # the root of the product, not the product of roots: equal vectors then have a cosine of exactly 1 and stay tied
    return ratio(dots, np.sqrt(rows.squares_of(pairs.q) * rows.squares_of(pairs.p)))


def ratio(above: Floats, below: Floats) -> Floats:
    """above / below, 0 where below is 0."""
    return np.divide(above, below, out=np.zeros_like(below), where=below != 0)
