"""Requests and replies about models; the OpenAPI description and the types of the explorer are derived from these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import Path, Query
from pydantic import AfterValidator, BaseModel, Field, Strict

from hyperdive.ask.explain import Dimension, Shared
from hyperdive.ask.hypernyms import Answer
from hyperdive.ask.similar import Neighbour, Suggestion
from hyperdive.ask.topics import GeneralWord, Topic
from hyperdive.patterns.evidence import Evidence
from hyperdive.web import limits
from hyperdive.web.problems import Failure


def written(text: str) -> str:
    """Return a text, unless it is blank or contains control characters."""
    if not text.strip():
        raise ValueError("must not be empty")
    if any(sign < " " for sign in text):
        raise ValueError("must not contain control characters")
    return text


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(written)]
Term = Annotated[str, Field(min_length=1, max_length=limits.TERM_CHARACTERS), AfterValidator(written)]
Terms = Annotated[list[Term], Field(min_length=1, max_length=limits.TERMS)]
Candidates = Annotated[list[Term], Field(max_length=limits.CANDIDATES)]
Pair = Annotated[tuple[Term, Term], Strict(False)]  # JSON has no tuples
Top = Annotated[int, Field(ge=1, le=limits.TOP)]
Sentences = Annotated[int, Field(ge=0, le=limits.SENTENCES)]
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
InPath = Annotated[Name, Path()]


class Parameters(BaseModel, extra="forbid"):
    """The query of a request."""


class Content(BaseModel, extra="forbid", strict=True):
    """The body of a request, or a part of it."""


NoParameters = Annotated[Parameters, Query()]

# ---- replies of several kinds -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Commands:
    """The shell line and the Python lines that give the same result."""

    cli: str
    python: str


@dataclass(frozen=True)
class FailureReply:
    """The body of every answer that is an error."""

    error: Failure


@dataclass(frozen=True)
class UnknownTerm:
    """A term that the model does not contain, and similar spellings that it does."""

    message: str
    near: tuple[str, ...]


# ---- the server and its models ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CorrectionsInfo:
    """The corrections of a model: version, number, whether they can be changed, and the name of their file."""

    version: str
    entries: int
    writable: bool
    file: str


@dataclass(frozen=True)
class ModelInfo:
    """A served model: its size, what it contains, and its corrections."""

    name: str
    packaged: bool
    words: int
    terms: int
    dimensions: int
    tokens: int | None
    patterns: bool
    sentences: bool
    calibrated: bool
    score: str
    topics: bool
    corrections: CorrectionsInfo
    command: Commands


@dataclass(frozen=True)
class FormatInfo:
    """A format to export a taxonomy in."""

    name: str
    extension: str
    media_type: str
    title: str


@dataclass(frozen=True)
class ServerReply:
    """The server: version, models, limits and formats."""

    version: str
    read_only: bool
    models: tuple[ModelInfo, ...]
    limits: Mapping[str, float]
    formats: tuple[FormatInfo, ...]


@dataclass(frozen=True)
class ModelsReply:
    """The served models; the first is the default."""

    models: tuple[ModelInfo, ...]


@dataclass(frozen=True)
class ScoreInfo:
    """A score of the table."""

    name: str
    ascii: str
    kind: str
    formula: str
    range: str
    symmetric: bool


@dataclass(frozen=True)
class ScoresReply:
    """The scores that a model allows."""

    model: str
    scores: tuple[ScoreInfo, ...]


# ---- questions ----------------------------------------------------------------------------------------------------


class ModelQuery(Parameters):
    """The name of a model; without one the first model answers."""

    model: Name | None = None


class SuggestQuery(ModelQuery):
    """The beginning of a word or term."""

    q: Annotated[str, Field(max_length=limits.TERM_CHARACTERS)]
    top: Annotated[int, Field(ge=1, le=limits.SUGGESTIONS)] = 10


@dataclass(frozen=True)
class SuggestReply:
    """Completions of a text."""

    model: str
    q: str
    suggestions: tuple[Suggestion, ...]


class Answers(BaseModel):
    """Options of a question for hypernyms or hyponyms."""

    model: Name | None = None
    top: Top = 10
    min_confidence: Confidence | None = None
    score: Name | None = None
    evidence: Sentences = 0
    block: Candidates = []


class AnswersQuery(Parameters, Answers):
    """A question for hyponyms."""

    terms: Annotated[Terms, Field(alias="term")]
    candidates: Annotated[Candidates | None, Field(alias="candidate")] = None


class HypernymsQuery(AnswersQuery):
    """A question for hypernyms; with `senses` the answers are grouped, with up to `top` in each group."""

    senses: bool = False


class AnswersContent(Content, Answers):
    """A question for hyponyms with long lists."""

    terms: Terms
    candidates: Candidates | None = None


class HypernymsContent(AnswersContent):
    """A question for hypernyms with long lists; with `senses` the answers are grouped."""

    senses: bool = False


@dataclass(frozen=True)
class TermAnswers:
    """The answers to one term; without answers the notes give the reason, or `unknown` similar spellings."""

    term: str
    known: bool
    answers: tuple[Answer, ...]
    notes: tuple[str, ...]
    unknown: UnknownTerm | None


@dataclass(frozen=True)
class AnswersReply:
    """The answers to each term, and the score by which they are ranked."""

    model: str
    score: str
    calibrated: bool
    results: tuple[TermAnswers, ...]
    command: Commands


class SimilarQuery(ModelQuery):
    """A question for the nearest words."""

    terms: Annotated[Terms, Field(alias="term")]
    top: Top = 10


@dataclass(frozen=True)
class TermNeighbours:
    """The nearest words of one term."""

    term: str
    known: bool
    neighbours: tuple[Neighbour, ...]
    notes: tuple[str, ...]
    unknown: UnknownTerm | None


@dataclass(frozen=True)
class SimilarReply:
    """The nearest words of each term."""

    model: str
    results: tuple[TermNeighbours, ...]
    command: Commands


class EvidenceQuery(ModelQuery):
    """A pair, and how many sentences to return."""

    hyponym: Term
    hypernym: Term
    top: Annotated[int, Field(ge=0, le=limits.EVIDENCE)] = 5


@dataclass(frozen=True)
class PatternCount:
    """How often a pattern states a pair."""

    pattern: str
    statements: int


@dataclass(frozen=True)
class StatedTerm:
    """A term that the text calls a hypernym of another, and how often."""

    term: str
    statements: int


@dataclass(frozen=True)
class EvidenceReply:
    """What the text states about a pair."""

    model: str
    hyponym: str
    hypernym: str
    statements: int
    patterns: tuple[PatternCount, ...]
    head: bool
    sentences_kept: bool
    evidence: tuple[Evidence, ...]
    stated_hypernyms: tuple[StatedTerm, ...]
    command: Commands


class ExplainQuery(ModelQuery):
    """A pair to explain."""

    hyponym: Term
    hypernym: Term
    top: Top | None = None


@dataclass(frozen=True)
class VerdictReply:
    """The verdict of a score about a pair; `place` is that of the hypernym among all words."""

    score: str
    value: float | None
    reverse: float | None
    place: int
    of: int
    verdict: str


@dataclass(frozen=True)
class ExplainReply:
    """A pair dimension by dimension, and the verdict of every score."""

    model: str
    hyponym: str
    hypernym: str
    included: float
    signals: tuple[str, ...]
    against: tuple[str, ...]
    statements: int | None
    al1: Mapping[str, float]
    dimensions: tuple[Dimension, ...]
    scores: tuple[VerdictReply, ...]
    notes: tuple[str, ...]
    command: Commands


class CompareQuery(ModelQuery):
    """Words to compare."""

    terms: Annotated[list[Term], Field(min_length=2, max_length=limits.COMPARED, alias="term")]
    top: Top | None = None


@dataclass(frozen=True)
class CompareReply:
    """Words side by side; `included[i][j]` is the share of word j that lies under word i."""

    model: str
    words: tuple[str, ...]
    dimensions: tuple[Shared, ...]
    included: tuple[tuple[float, ...], ...]
    more: int
    notes: tuple[str, ...]
    command: Commands


class TopicsQuery(ModelQuery):
    """How many dimensions, and how many words of each."""

    top: Top | None = None
    words: Annotated[int, Field(ge=1, le=limits.TOPIC_WORDS)] = 5


@dataclass(frozen=True)
class TopicsReply:
    """The dimensions of a model, those with the most mass first."""

    model: str
    topics: tuple[Topic, ...]
    notes: tuple[str, ...]
    command: Commands


class GeneralQuery(ModelQuery):
    """How many general words, on the whole or within the topics of `query`."""

    query: Term | None = None
    top: Top = 30


@dataclass(frozen=True)
class GeneralReply:
    """The most general words."""

    model: str
    query: str | None
    words: tuple[GeneralWord, ...]
    command: Commands


class ScoreContent(Content):
    """Pairs (hyponym, hypernym) to score."""

    pairs: Annotated[list[Pair], Field(min_length=1, max_length=limits.PAIRS)]
    model: Name | None = None
    scores: Annotated[list[Name], Field(min_length=1, max_length=100)] | None = None


@dataclass(frozen=True)
class ScoredPair:
    """The value of each score for a pair; null if a term is unknown."""

    hyponym: str
    hypernym: str
    values: tuple[float | None, ...]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class ScoreReply:
    """Pairs and their scores."""

    model: str
    scores: tuple[str, ...]
    pairs: tuple[ScoredPair, ...]
    command: Commands
