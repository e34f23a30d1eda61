"""What every endpoint works with: the models, the jobs, and how the server was started."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hyperdive.patterns.evidence import Evidence
from hyperdive.taxonomy.taxonomy import Taxonomy
from hyperdive.web.jobs import JobPool
from hyperdive.web.messages import SentenceReply
from hyperdive.web.served_models import Catalogue


@dataclass(frozen=True)
class BuiltTaxonomy:
    """A taxonomy, and the version of the corrections that were respected when it was built."""

    taxonomy: Taxonomy
    version: str


@dataclass(frozen=True)
class Service:
    """The state of a server."""

    models: Catalogue
    read_only: bool = False
    jobs: JobPool[BuiltTaxonomy] = field(default_factory=JobPool)


def sentences(evidence: Iterable[Evidence]) -> tuple[SentenceReply, ...]:
    """Sentences as a client gets them."""
    return tuple(SentenceReply(one.sentence, one.pattern, one.document, one.spans[0], one.spans[1]) for one in evidence)
