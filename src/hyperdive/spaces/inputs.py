"""What spaces are made from: tokens where there are some, and counts, made when a maker asks for them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from hyperdive._resources import Run
from hyperdive._resume import WorkFolder
from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import OptionError
from hyperdive.options import SpaceOptions
from hyperdive.text.corpus import Corpus
from hyperdive.text.term_occurrences import TermOccurrences

if TYPE_CHECKING:
    from hyperdive.model import Model

NEIGHBOURS = 2
"""The window of skip-gram: near neighbours show a word's kind, far ones its topic."""


class SpaceInputs:
    """The input of one run. Counts are stages of its work folder, so that a run that is resumed finds them again.

    Args:
        source: an encoded corpus, or counts; counts alone have no tokens.
        work: where counts and the states of solvers are kept until the run is complete.
        options: which counts are wanted: their window, and whether near counts are needed.
        run: threads, memory and progress.
        start: an earlier model whose vectors the known words start from.
    """

    def __init__(
        self,
        source: Corpus | Cooccurrence,
        work: WorkFolder,
        options: SpaceOptions,
        run: Run,
        *,
        start: Model | None = None,
    ) -> None:
        self._source, self._options, self._run = source, options, run
        self.work, self.start = work, start

    @property
    def source(self) -> Corpus | Cooccurrence:
        """The corpus or the counts."""
        return self._source

    @property
    def vocabulary_size(self) -> int:
        """The words that get a row."""
        return self._source.vocabulary_size

    @property
    def has_tokens(self) -> bool:
        """Whether there is a corpus, not counts alone."""
        return isinstance(self._source, Corpus)

    @property
    def corpus(self) -> Corpus:
        """The encoded corpus; an error where there are counts only."""
        if not isinstance(self._source, Corpus):
            raise OptionError("this reads tokens, not counts", hint="give text or a corpus")
        return self._source

    @property
    def terms(self) -> TermOccurrences | None:
        """Where the terms of the corpus stand; None where it has none, or where there are counts only."""
        return self._source.terms if isinstance(self._source, Corpus) else None

    @cached_property
    def counts(self) -> Cooccurrence:
        """The counts of the window that the options name."""
        window = self._options.window
        if isinstance(self._source, Corpus):
            filtered = PmiFilter.of(self._options)
            return self._counted("counts", window=window, near=filtered is not None and bool(filtered.near))
        if self._source.options.window != window:
            raise OptionError(
                f"these counts have a window of {self._source.options.window}, not {window}",
                hint=f"add --set window={self._source.options.window}",
            )
        return self._source

    @cached_property
    def neighbour_counts(self) -> Cooccurrence:
        """Counts of the nearest neighbours; where there is no corpus to count again, `counts`."""
        if not self.has_tokens or self._options.window <= NEIGHBOURS:
            return self.counts
        return self._counted("neighbour-counts", window=NEIGHBOURS)

    def _counted(self, stage: str, **options: Any) -> Cooccurrence:
        place = self.work.place(stage)
        if self.work.done(stage):
            return Cooccurrence.open(place)
        return Cooccurrence.from_corpus(self.corpus, place, run=self._run, **options)
