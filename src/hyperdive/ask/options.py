"""Options of the questions, each defined once for Python, the command line and its reference pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hyperdive.options import Options, option


@dataclass(frozen=True, kw_only=True)
class HyponymOptions(Options):
    """Which terms may answer, how many, and how they are ranked.

    >>> HyponymOptions(top=0)
    Traceback (most recent call last):
    hyperdive.errors.OptionError: top is 0 (use 1 or more)
    """

    top: int = option(10, "Maximum number of answers per word.", low=1)
    candidates: Iterable[str] | Path | None = option(
        None, "File of candidate terms, one per line; only these are returned. By default all words."
    )
    block: Iterable[str] | Path | None = option(None, "File of terms to exclude, one per line.", rare=True)
    score: str | None = option(
        None, "Score to rank by, such as C*dS; by default the best one the model supports.", rare=True
    )
    min_confidence: float | None = option(
        None, "Minimum confidence of an answer, by default 0.35.", low=0, high=1, rare=True
    )
    evidence: int = option(0, "Maximum number of sentences to give with each answer.", low=0)


@dataclass(frozen=True, kw_only=True)
class AnswerOptions(HyponymOptions):
    """The same, and whether the answers are grouped by sense."""

    senses: bool = option(False, "Group the answers by sense, with up to --top answers to each.")


@dataclass(frozen=True, kw_only=True)
class SimilarOptions(Options):
    """How many words are listed."""

    top: int = option(10, "Maximum number of answers per word.", low=1)


@dataclass(frozen=True, kw_only=True)
class EvidenceOptions(Options):
    """How much evidence is listed."""

    top: int = option(5, "Maximum number of sentences.", low=0)


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(Options):
    """How much of an explanation is listed."""

    top: int | None = option(None, "Number of dimensions; by default 20 for a pair, else all.", low=1)


@dataclass(frozen=True, kw_only=True)
class TopicOptions(Options):
    """What is listed of the dimensions of a model."""

    top: int | None = option(
        None, "Number of dimensions, by default all; of words with --general, by default 30.", low=1
    )
    words: int = option(8, "Number of words per dimension.", low=1, high=50)
    general: bool = option(False, "List the most general words instead, overall or within the topics of a word.")
