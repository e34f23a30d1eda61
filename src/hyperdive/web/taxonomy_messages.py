"""What requests and answers about taxonomies and their corrections hold; see `hyperdive.web.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from hyperdive.taxonomy.rdf import DEFAULT_BASE, DEFAULT_LANGUAGE, DEFAULT_TITLE
from hyperdive.web import limits
from hyperdive.web.messages import Commands, Failure, Name, SentenceReply, Sentences, Term
from hyperdive.web.schema import Bounds

Count = Annotated[int, Bounds(1, limits.TAXONOMY_TERMS)]

# ---- taxonomies ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TaxonomyRequest:
    """The taxonomy of a root, of the most useful `top` terms, or of a list of terms."""

    model: Name | None = None
    root: Term | None = None
    top: Count | None = None
    terms: Annotated[tuple[Term, ...], Bounds(1, limits.TAXONOMY_TERMS)] | None = None
    levels: Annotated[int, Bounds(1, 100)] | None = None
    min_children: Annotated[int, Bounds(0, 1000)] = 0
    max_children: Count | None = None
    min_confidence: Annotated[float, Bounds(-1e6, 1e6)] | None = None
    score: Name | None = None
    parents: Annotated[int, Bounds(1, 10)] = 1
    heads: bool = True
    evidence: Sentences = 0
    corrections: bool = True


@dataclass(frozen=True)
class TaxonomyQuery:
    """A taxonomy by its id."""

    id: Name


@dataclass(frozen=True)
class TreeQuery:
    """A taxonomy by its id, as built or with the present corrections."""

    id: Name
    corrections: bool = True


@dataclass(frozen=True)
class ExportQuery:
    """A taxonomy by its id, the format of the file, and the least confidence (or score) of its edges."""

    id: Name
    format: Literal[
        "tree",
        "json",
        "tsv",
        "dot",
        "graphml",
        "skos",
        "skos-ttl",
        "skos-xml",
        "owl",
        "owl-ttl",
        "owl-xml",
        "mermaid",
    ] = "skos"
    corrections: bool = True
    min_confidence: Annotated[float, Bounds(-1e6, 1e6)] | None = None
    base: Annotated[str, Bounds(1, 500)] = DEFAULT_BASE
    language: Annotated[str, Bounds(1, 40)] = DEFAULT_LANGUAGE
    title: Annotated[str, Bounds(1, 500)] = DEFAULT_TITLE


@dataclass(frozen=True)
class WorklistQuery:
    """A taxonomy by its id, and how many edges to decide."""

    id: Name
    top: Annotated[int, Bounds(1, limits.TOP)] = 30


@dataclass(frozen=True)
class JobLinks:
    """The addresses of a taxonomy."""

    self: str
    events: str
    tree: str
    export: str
    worklist: str


@dataclass(frozen=True)
class JobReply:
    """A taxonomy that is built: how far it is, and what went wrong."""

    id: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    model: str
    request: TaxonomyRequest
    stage: str
    done: float
    total: float | None
    unit: str
    seconds: float
    seconds_left: float | None
    terms: int | None
    edges: int | None
    corrections_version: str
    error: Failure | None
    links: JobLinks
    command: Commands


@dataclass(frozen=True)
class JobsReply:
    """The taxonomies that are built or were, the newest first."""

    taxonomies: tuple[JobReply, ...]


@dataclass(frozen=True)
class EdgeReply:
    """`child` is a kind of `parent`."""

    child: str
    parent: str
    confidence: float | None
    score: float | None
    statements: int
    reason: Literal["model", "head", "ending", "expert"]
    evidence: tuple[SentenceReply, ...]


@dataclass(frozen=True)
class TreeReply:
    """A finished taxonomy; `stale` says that corrections changed since it was built."""

    id: str
    model: str
    version: str
    stale: bool
    score: str
    calibrated: bool
    measure: Literal["confidence", "score"]
    terms: tuple[str, ...]
    edges: tuple[EdgeReply, ...]
    roots: tuple[str, ...]
    unplaced: tuple[str, ...]
    added: tuple[str, ...]
    unknown: tuple[str, ...]
    synonyms: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...]
    command: Commands


@dataclass(frozen=True)
class OtherParent:
    """Another likely parent."""

    term: str
    confidence: float | None
    rank_score: float | None


@dataclass(frozen=True)
class DoubtfulEdge:
    """An edge to decide, and other likely parents of its child."""

    child: str
    parent: str
    confidence: float | None
    score: float | None
    statements: int
    reason: Literal["model", "head", "ending", "expert"]
    evidence: tuple[SentenceReply, ...]
    alternatives: tuple[OtherParent, ...]


@dataclass(frozen=True)
class WorklistReply:
    """The least sure edges that nobody decided; `left` counts all of them."""

    id: str
    version: str
    edges: tuple[DoubtfulEdge, ...]
    left: int


# ---- corrections --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """A line of the file of corrections; `other` is null for root and add."""

    verb: Literal["force", "forbid", "root", "merge", "rename", "add"]
    term: Term
    other: Term | None = None


Entries = Annotated[tuple[Entry, ...], Bounds(0, limits.OPERATIONS)]


@dataclass(frozen=True)
class Accept:
    """The edge is right."""

    op: Literal["accept"]
    child: Term
    parent: Term
    keep_others: bool = False


@dataclass(frozen=True)
class Reject:
    """The edge is wrong."""

    op: Literal["reject"]
    child: Term
    parent: Term


@dataclass(frozen=True)
class Move:
    """The child belongs under another parent; null is the top."""

    op: Literal["move"]
    child: Term
    parent: Term | None


@dataclass(frozen=True)
class Merge:
    """The term is another name of a second one."""

    op: Literal["merge"]
    term: Term
    into: Term


@dataclass(frozen=True)
class Rename:
    """The term is shown under another name."""

    op: Literal["rename"]
    term: Term
    name: Term


@dataclass(frozen=True)
class Add:
    """A new term, under a parent if one is given."""

    op: Literal["add"]
    term: Term
    parent: Term | None = None


@dataclass(frozen=True)
class Edit:
    """Exactly these entries are added and removed; undo is of this kind."""

    op: Literal["edit"]
    add: Entries = ()
    remove: Entries = ()


@dataclass(frozen=True)
class CorrectionsQuery:
    """The corrections of a model."""

    model: Name


@dataclass(frozen=True)
class CorrectionsRequest:
    """Operations on the corrections of a version, all or none."""

    model: Name
    version: Annotated[str, Bounds(1, 64)]
    operations: Annotated[
        tuple[Accept | Reject | Move | Merge | Rename | Add | Edit, ...], Bounds(1, limits.OPERATIONS)
    ]


@dataclass(frozen=True)
class CorrectionsReply:
    """The corrections of a model."""

    model: str
    version: str
    writable: bool
    file: str
    entries: tuple[Entry, ...]
    command: Commands


@dataclass(frozen=True)
class ChangeReply:
    """What changed, the corrections after it, and the operation that undoes it."""

    model: str
    version: str
    added: tuple[Entry, ...]
    removed: tuple[Entry, ...]
    entries: tuple[Entry, ...]
    undo: Edit
