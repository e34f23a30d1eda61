"""Requests and replies about taxonomies and their corrections; see `hyperdive.web.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from hyperdive.taxonomy.formats import GraphFormat
from hyperdive.taxonomy.rdf import DEFAULT_BASE, DEFAULT_LANGUAGE, DEFAULT_TITLE
from hyperdive.taxonomy.taxonomy import Edge
from hyperdive.web import limits
from hyperdive.web.messages import Commands, Content, Name, Parameters, Sentences, Term, Top, written
from hyperdive.web.problems import Failure

Text = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(written)]
Number = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=limits.TAXONOMY_TERMS)]

# ---- taxonomies ---------------------------------------------------------------------------------------------------


class TaxonomyRequest(Content):
    """The taxonomy of a root, of the most useful `top` terms, or of a list of terms."""

    model: Name | None = None
    root: Term | None = None
    top: Count | None = None
    terms: Annotated[list[Term], Field(min_length=1, max_length=limits.TAXONOMY_TERMS)] | None = None
    levels: Annotated[int, Field(ge=1, le=100)] | None = None
    min_children: Annotated[int, Field(ge=0, le=1000)] = 0
    max_children: Count | None = None
    min_confidence: Number | None = None
    score: Name | None = None
    parents: Annotated[int, Field(ge=1, le=10)] = 1
    heads: bool = True
    evidence: Sentences = 0
    corrections: bool = True


class TreeQuery(Parameters):
    """The taxonomy with the present corrections, or as it was built."""

    corrections: bool = True


class ExportQuery(TreeQuery):
    """The format of the file, the minimum confidence (or score) of its edges, and names for SKOS and OWL."""

    format: GraphFormat = "skos"
    min_confidence: Number | None = None
    base: Text = DEFAULT_BASE
    language: Annotated[Text, Field(max_length=40)] = DEFAULT_LANGUAGE
    title: Text = DEFAULT_TITLE


class WorklistQuery(Parameters):
    """How many edges to decide."""

    top: Top = 30


@dataclass(frozen=True)
class JobReply:
    """A taxonomy that is being built or finished: its progress, and its error if it failed."""

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
    links: Mapping[str, str]
    command: Commands


@dataclass(frozen=True)
class JobsReply:
    """The taxonomies of the server, the newest first."""

    taxonomies: tuple[JobReply, ...]


@dataclass(frozen=True)
class TreeReply:
    """A finished taxonomy; `stale` means that corrections changed since it was built."""

    id: str
    model: str
    version: str
    stale: bool
    score: str
    calibrated: bool
    measure: Literal["confidence", "score"]
    terms: tuple[str, ...]
    edges: tuple[Edge, ...]
    roots: tuple[str, ...]
    unplaced: tuple[str, ...]
    added: tuple[str, ...]
    unknown: tuple[str, ...]
    synonyms: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...]
    command: Commands


@dataclass(frozen=True)
class OtherParent:
    """Another likely parent: its confidence, or its score where that is not calibrated."""

    term: str
    confidence: float | None
    score: float | None


@dataclass(frozen=True)
class DoubtfulEdge(Edge):
    """An edge to decide, and other likely parents of its child."""

    alternatives: tuple[OtherParent, ...] = ()


@dataclass(frozen=True)
class WorklistReply:
    """The edges of least confidence that no correction decides; `left` counts all of them."""

    id: str
    version: str
    edges: tuple[DoubtfulEdge, ...]
    left: int


# ---- corrections --------------------------------------------------------------------------------------------------


class Entry(Content):
    """A line of the file of corrections; `other` is null for root and add."""

    verb: Literal["force", "forbid", "root", "merge", "rename", "add"]
    term: Term
    other: Term | None = None


Entries = Annotated[list[Entry], Field(max_length=limits.OPERATIONS)]


class Accept(Content):
    """The edge is right."""

    op: Literal["accept"]
    child: Term
    parent: Term
    keep_others: bool = False


class Reject(Content):
    """The edge is wrong."""

    op: Literal["reject"]
    child: Term
    parent: Term


class Move(Content):
    """The child belongs under another parent; null is the top."""

    op: Literal["move"]
    child: Term
    parent: Term | None


class Merge(Content):
    """The term is another name of a second one."""

    op: Literal["merge"]
    term: Term
    into: Term


class Rename(Content):
    """The term is shown under another name."""

    op: Literal["rename"]
    term: Term
    name: Term


class Add(Content):
    """A new term, under a parent if one is given."""

    op: Literal["add"]
    term: Term
    parent: Term | None = None


class Edit(Content):
    """Exactly these entries are added and removed; `undo` is of this kind."""

    op: Literal["edit"]
    add: Entries = Field(default=[])
    remove: Entries = Field(default=[])


Operation = Annotated[Accept | Reject | Move | Merge | Rename | Add | Edit, Field(discriminator="op")]


class CorrectionsContent(Content):
    """Operations on the corrections of a version, all or none."""

    version: Annotated[str, Field(min_length=1, max_length=64)]
    operations: Annotated[list[Operation], Field(min_length=1, max_length=limits.OPERATIONS)]


@dataclass(frozen=True)
class CorrectionsReply:
    """The corrections of a model."""

    model: str
    version: str
    writable: bool
    file: str
    entries: list[Entry]
    command: Commands


@dataclass(frozen=True)
class ChangeReply:
    """What changed, the corrections after the change, and the operation that undoes it."""

    model: str
    version: str
    added: list[Entry]
    removed: list[Entry]
    entries: list[Entry]
    undo: Edit
