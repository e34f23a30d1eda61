"""What requests and answers of the HTTP API hold; `docs/http.md` and the OpenAPI description are made of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from hyperdive.web import limits
from hyperdive.web.schema import Bounds, QueryName

Term = Annotated[str, Bounds(1, limits.TERM_CHARACTERS)]
Name = Annotated[str, Bounds(1, 200)]
Terms = Annotated[tuple[Term, ...], Bounds(1, limits.TERMS), QueryName("term")]
Top = Annotated[int, Bounds(1, limits.TOP)]
Confidence = Annotated[float, Bounds(0, 1)]
Sentences = Annotated[int, Bounds(0, limits.SENTENCES)]

# ---- shared by several --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Nothing:
    """A request without parameters."""


@dataclass(frozen=True)
class Commands:
    """The shell line and the Python lines that give the same result."""

    cli: str
    python: str


@dataclass(frozen=True)
class Failure:
    """What is wrong, for programs (`code`) and for people."""

    code: str
    message: str
    hint: str
    near: tuple[str, ...]


@dataclass(frozen=True)
class VersionFailure:
    """What is wrong; of a version conflict also the present version."""

    code: str
    message: str
    hint: str
    near: tuple[str, ...]
    version: str = ""


@dataclass(frozen=True)
class FailureReply:
    """The body of every answer that is an error."""

    error: VersionFailure


@dataclass(frozen=True)
class UnknownTerm:
    """A term that the model does not have, and similar spellings that it has."""

    message: str
    near: tuple[str, ...]


@dataclass(frozen=True)
class SentenceReply:
    """A sentence that states a pair; spans are characters (code points) from the first up to before the second."""

    sentence: str
    pattern: str
    document: int
    hyponym_span: tuple[int, int]
    hypernym_span: tuple[int, int]


# ---- questions ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelQuery:
    """A request about a model; without a name the first one."""

    model: Name | None = None


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


@dataclass(frozen=True)
class SuggestQuery:
    """The beginning of a word or term."""

    q: Annotated[str, Bounds(0, limits.TERM_CHARACTERS)]
    model: Name | None = None
    top: Annotated[int, Bounds(1, limits.SUGGESTIONS)] = 10


@dataclass(frozen=True)
class SuggestionReply:
    """A word or term that may be meant."""

    term: str
    kind: Literal["word", "term"]
    frequency: int
    match: Literal["exact", "prefix", "inside", "spelling"]


@dataclass(frozen=True)
class SuggestReply:
    """Completions of a text."""

    model: str
    q: str
    suggestions: tuple[SuggestionReply, ...]


@dataclass(frozen=True)
class AnswersQuery:
    """A question for hypernyms or hyponyms."""

    terms: Terms
    model: Name | None = None
    top: Top = 10
    min_confidence: Confidence | None = None
    score: Name | None = None
    evidence: Sentences = 0
    candidates: Annotated[tuple[Term, ...], Bounds(0, limits.CANDIDATES), QueryName("candidate")] | None = None
    block: Annotated[tuple[Term, ...], Bounds(0, limits.CANDIDATES)] = ()


@dataclass(frozen=True)
class HypernymsQuery(AnswersQuery):
    """A question for hypernyms; with `senses` the answers stand in groups, up to `top` in each."""

    senses: bool = False


@dataclass(frozen=True)
class AnswerReply:
    """One answer; `confidence` is null where the score is not calibrated, `sense` where senses were not asked for."""

    term: str
    confidence: float | None
    rank_score: float | None
    signals: tuple[str, ...]
    statements: int
    evidence: tuple[SentenceReply, ...]
    sense: int | None


@dataclass(frozen=True)
class TermAnswers:
    """The answers to one term; without answers the notes say why, or `unknown` that the model does not have it."""

    term: str
    known: bool
    answers: tuple[AnswerReply, ...]
    notes: tuple[str, ...]
    unknown: UnknownTerm | None


@dataclass(frozen=True)
class AnswersReply:
    """The answers to each term, and the score that they are ranked by."""

    model: str
    score: str
    calibrated: bool
    results: tuple[TermAnswers, ...]
    command: Commands


@dataclass(frozen=True)
class SimilarQuery:
    """A question for the nearest words."""

    terms: Terms
    model: Name | None = None
    top: Top = 10


@dataclass(frozen=True)
class NeighbourReply:
    """A near word and its cosine."""

    term: str
    similarity: float
    frequency: int


@dataclass(frozen=True)
class TermNeighbours:
    """The nearest words of one term."""

    term: str
    known: bool
    neighbours: tuple[NeighbourReply, ...]
    notes: tuple[str, ...]
    unknown: UnknownTerm | None


@dataclass(frozen=True)
class SimilarReply:
    """The nearest words of each term."""

    model: str
    results: tuple[TermNeighbours, ...]
    command: Commands


@dataclass(frozen=True)
class EvidenceQuery:
    """A pair whose statements are asked for."""

    hyponym: Term
    hypernym: Term
    model: Name | None = None
    top: Annotated[int, Bounds(0, limits.EVIDENCE)] = 5


@dataclass(frozen=True)
class PatternCount:
    """How often a pattern states a pair."""

    pattern: str
    statements: int


@dataclass(frozen=True)
class StatedTerm:
    """A term that the text calls another a kind of, and how often."""

    term: str
    statements: int


@dataclass(frozen=True)
class EvidenceReply:
    """What the text states of a pair."""

    model: str
    hyponym: str
    hypernym: str
    statements: int
    patterns: tuple[PatternCount, ...]
    head: bool
    sentences_kept: bool
    evidence: tuple[SentenceReply, ...]
    stated_hypernyms: tuple[StatedTerm, ...]
    command: Commands


@dataclass(frozen=True)
class ExplainQuery:
    """A pair to be explained."""

    hyponym: Term
    hypernym: Term
    model: Name | None = None
    top: Top | None = None


@dataclass(frozen=True)
class ScaledDistance:
    """AL₁: the scale of the hyponym that fits best, the weight of what exceeds the hypernym, and the distance."""

    a: float
    w0: float
    distance: float


@dataclass(frozen=True)
class DimensionReply:
    """Both values of a pair in one dimension."""

    dimension: int
    label: str
    hyponym: float
    hypernym: float
    verdict: str


@dataclass(frozen=True)
class VerdictReply:
    """What a score says of a pair; `place` is that of the hypernym among all words."""

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
    al1: ScaledDistance
    dimensions: tuple[DimensionReply, ...]
    scores: tuple[VerdictReply, ...]
    notes: tuple[str, ...]
    command: Commands


@dataclass(frozen=True)
class CompareQuery:
    """Words to be compared."""

    terms: Annotated[tuple[Term, ...], Bounds(2, limits.COMPARED), QueryName("term")]
    model: Name | None = None
    top: Top | None = None


@dataclass(frozen=True)
class SharedDimension:
    """The values of all compared words in one dimension."""

    dimension: int
    label: str
    values: tuple[float, ...]
    further: tuple[str, ...]


@dataclass(frozen=True)
class CompareReply:
    """Words side by side; `included[i][j]` is the share of word j that lies under word i."""

    model: str
    words: tuple[str, ...]
    dimensions: tuple[SharedDimension, ...]
    included: tuple[tuple[float, ...], ...]
    more: int
    notes: tuple[str, ...]
    command: Commands


@dataclass(frozen=True)
class TopicsQuery:
    """A question for the dimensions of a model."""

    model: Name | None = None
    top: Top | None = None
    words: Annotated[int, Bounds(1, limits.TOPIC_WORDS)] = 5


@dataclass(frozen=True)
class TopicReply:
    """One dimension."""

    dimension: int
    label: str
    words: tuple[str, ...]
    further: tuple[str, ...]
    size: int
    share: float
    status: str


@dataclass(frozen=True)
class TopicsReply:
    """The dimensions of a model, those with the most mass first."""

    model: str
    topics: tuple[TopicReply, ...]
    notes: tuple[str, ...]
    command: Commands


@dataclass(frozen=True)
class GeneralQuery:
    """A question for the most general words."""

    model: Name | None = None
    query: Term | None = None
    top: Top = 30


@dataclass(frozen=True)
class WordValue:
    """A word and how general it is."""

    term: str
    value: float


@dataclass(frozen=True)
class GeneralReply:
    """The most general words."""

    model: str
    query: str | None
    words: tuple[WordValue, ...]
    command: Commands


@dataclass(frozen=True)
class ScoreQuery:
    """Pairs (hyponym, hypernym) to be scored."""

    pairs: Annotated[tuple[tuple[Term, Term], ...], Bounds(1, limits.PAIRS)]
    model: Name | None = None
    scores: Annotated[tuple[Name, ...], Bounds(1, 100)] | None = None


@dataclass(frozen=True)
class ScoredPair:
    """The value of each score for a pair; null where a term is unknown."""

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
