"""Endpoints for taxonomies: jobs that build them, the tree with the present corrections, exports and the worklist."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hyperdive._memo import Memo
from hyperdive.discover.hypernyms import AnswerOptions, ask
from hyperdive.taxonomy.corrections_file import Snapshot
from hyperdive.taxonomy.names import normal
from hyperdive.taxonomy.rdf import Naming
from hyperdive.taxonomy.revision import revise
from hyperdive.taxonomy.taxonomy import Edge, Origin, Taxonomy
from hyperdive.web import taxonomy_messages as m
from hyperdive.web.commands import commands
from hyperdive.web.jobs import Job, JobProgress
from hyperdive.web.messages import Commands, Failure, Nothing
from hyperdive.web.problems import Problem
from hyperdive.web.server_messages import FormatInfo
from hyperdive.web.service import BuiltTaxonomy, Service, sentences

FORMATS = (
    FormatInfo("skos-ttl", ".ttl", "text/turtle", "SKOS, Turtle"),
    FormatInfo("skos-xml", ".rdf", "application/rdf+xml", "SKOS, RDF/XML"),
    FormatInfo("owl-xml", ".owl", "application/rdf+xml", "OWL, RDF/XML"),
    FormatInfo("owl-ttl", ".ttl", "text/turtle", "OWL, Turtle"),
    FormatInfo("tsv", ".tsv", "text/tab-separated-values", "Table of edges"),
    FormatInfo("json", ".json", "application/json", "JSON"),
    FormatInfo("graphml", ".graphml", "application/xml", "GraphML"),
    FormatInfo("dot", ".dot", "text/vnd.graphviz", "Graphviz"),
    FormatInfo("mermaid", ".mmd", "text/plain", "Mermaid"),
    FormatInfo("tree", ".txt", "text/plain", "Text"),
)
_SHORT = {"skos": "skos-ttl", "owl": "owl-xml"}
_ALTERNATIVES = 3


@dataclass(frozen=True)
class Download:
    """A file for the user."""

    content: str
    media_type: str
    name: str


def build(service: Service, request: m.TaxonomyRequest) -> tuple[m.JobReply, bool]:
    """Start a job, or give the finished one of the same request; the second value says that the job is new."""
    served = service.models[request.model]
    request = replace(request, model=served.name)
    if request.terms is not None and (request.root is not None or request.top is not None):
        raise Problem("bad_request", "terms of your own and a root or a number of terms exclude each other")
    version = served.corrections().version
    for job in service.jobs:
        built = job.result if job.request == request else None
        if built is not None and (built.version == version or not request.corrections):
            return job_reply(service, job), False

    def work(job: Job[BuiltTaxonomy]) -> BuiltTaxonomy:
        snapshot = served.corrections() if request.corrections else Snapshot(version, ())
        rules = snapshot.corrections if request.terms is None else snapshot.corrections.concerning(request.terms)
        taxonomy = served.model.taxonomy(
            request.terms,
            root=request.root,
            top=request.top,
            levels=request.levels,
            min_children=request.min_children,
            max_children=request.max_children,
            min_confidence=request.min_confidence,
            score=request.score,
            parents=request.parents,
            heads=request.heads,
            evidence=request.evidence,
            corrections=rules,
            progress=JobProgress(job),
        )
        return BuiltTaxonomy(taxonomy, snapshot.version)

    return job_reply(service, service.jobs.submit(request, work)), True


def job_reply(service: Service, job: Job[BuiltTaxonomy]) -> m.JobReply:
    """What a client is told about a job."""
    request: m.TaxonomyRequest = job.request
    error, result, place = job.error, job.result, f"/api/v1/taxonomies/{job.id}"
    return m.JobReply(
        id=job.id,
        state=job.state,  # type: ignore[arg-type]
        model=request.model or "",
        request=request,
        stage=job.stage,
        done=job.done,
        total=job.total,
        unit=job.unit,
        seconds=round(job.seconds, 2),
        seconds_left=None if job.seconds_left is None else round(job.seconds_left, 1),
        terms=None if result is None else len(result.taxonomy),
        edges=None if result is None else len(result.taxonomy.edges),
        corrections_version="" if result is None else result.version,
        error=None if error is None else Failure(error.code, error.message, error.hint, error.near),
        links=m.JobLinks(place, f"{place}/events", f"{place}/tree", f"{place}/export", f"{place}/worklist"),
        command=_command(service, request),
    )


def _command(service: Service, request: m.TaxonomyRequest) -> Commands:
    served = service.models[request.model]
    options = {
        "root": request.root,
        "top": request.top,
        "terms": request.terms,
        "levels": request.levels,
        "min_children": request.min_children or None,
        "max_children": request.max_children,
        "min_confidence": request.min_confidence,
        "score": request.score,
        "parents": request.parents if request.parents > 1 else None,
        "heads": None if request.heads else False,
        "evidence": request.evidence or None,
        "corrections": str(served.file.path) if request.corrections and served.file.path.exists() else None,
    }
    return commands(served.place, "taxonomy", options=options)


def jobs(service: Service, _: Nothing) -> m.JobsReply:
    """The taxonomies that are built or were, the newest first."""
    return m.JobsReply(tuple(job_reply(service, job) for job in service.jobs))


def job(service: Service, request: m.TaxonomyQuery) -> m.JobReply:
    """How far a taxonomy is."""
    return job_reply(service, service.jobs[request.id])


def remove(service: Service, request: m.TaxonomyQuery) -> m.JobReply:
    """Cancel a taxonomy that is built, or forget a finished one."""
    return job_reply(service, service.jobs.remove(request.id))


# ---- finished taxonomies ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Present:
    """A finished taxonomy as it is to be shown now."""

    taxonomy: Taxonomy
    version: str
    stale: bool


class _Revised:
    """The last revision of a taxonomy, so that tree, export and worklist share it."""

    def __init__(self) -> None:
        self.version = ""
        self.taxonomy: Taxonomy | None = None


def _present(service: Service, name: str, *, corrected: bool) -> _Present:
    job = service.jobs[name]
    built = job.result
    if built is None:
        what = job.error.message if job.error is not None else f"the taxonomy is {job.state}"
        raise Problem("not_finished", what, hint="wait for its events" if not job.finished else "build it again")
    snapshot = service.models[job.request.model].corrections()
    stale = built.version != snapshot.version
    if not corrected or not stale:
        return _Present(built.taxonomy, built.version, stale)
    memo: Memo = job.memo
    last = memo.get(_Revised, _Revised)
    if last.taxonomy is None or last.version != snapshot.version:
        last.taxonomy = revise(built.taxonomy, snapshot.corrections, parents=job.request.parents)
        last.version = snapshot.version
    return _Present(last.taxonomy, snapshot.version, stale)


def tree(service: Service, request: m.TreeQuery) -> m.TreeReply:
    """A finished taxonomy with the present corrections, or as it was built."""
    present = _present(service, request.id, corrected=request.corrections)
    taxonomy, asked = present.taxonomy, service.jobs[request.id].request
    return m.TreeReply(
        id=request.id,
        model=asked.model,
        version=present.version,
        stale=present.stale,
        score=taxonomy.score,
        calibrated=taxonomy.calibrated,
        measure="confidence" if taxonomy.calibrated else "score",
        terms=taxonomy.terms,
        edges=tuple(map(_edge, taxonomy.edges)),
        roots=tuple(taxonomy.roots),
        unplaced=taxonomy.unplaced,
        added=tuple(sorted(taxonomy.added)),
        unknown=taxonomy.unknown,
        synonyms=taxonomy.synonyms,
        notes=taxonomy.notes,
        command=_command(service, asked),
    )


def _edge(edge: Edge) -> m.EdgeReply:
    return m.EdgeReply(
        edge.child,
        edge.parent,
        edge.confidence,
        edge.score,
        edge.statements,
        edge.reason,  # type: ignore[arg-type]
        sentences(edge.evidence),
    )


def export(service: Service, request: m.ExportQuery) -> Download:
    """A finished taxonomy as a file."""
    taxonomy = _present(service, request.id, corrected=request.corrections).taxonomy
    if request.min_confidence is not None:
        taxonomy = _surest(taxonomy, request.min_confidence)
    asked: m.TaxonomyRequest = service.jobs[request.id].request
    kind = next(one for one in FORMATS if one.name == _SHORT.get(request.format, request.format))
    text = taxonomy.to_text(request.format, Naming(request.base, request.language, request.title))
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", asked.root or "").strip("-")[:60] or "taxonomy"
    return Download(text, f"{kind.media_type}; charset=utf-8", f"{stem}{kind.extension}")


def _surest(taxonomy: Taxonomy, least: float) -> Taxonomy:
    """The taxonomy without edges of less confidence; an edge without a number stays."""
    return Taxonomy(
        taxonomy.terms,
        [edge for edge in taxonomy.edges if edge.value is None or edge.value >= least],
        origin=Origin(taxonomy.score, taxonomy.calibrated, taxonomy.notes),
        added=taxonomy.added,
        unknown=taxonomy.unknown,
        synonyms=taxonomy.synonyms,
    )


def worklist(service: Service, request: m.WorklistQuery) -> m.WorklistReply:
    """The least sure edges that nobody decided, with other likely parents."""
    present = _present(service, request.id, corrected=True)
    taxonomy, asked = present.taxonomy, service.jobs[request.id].request
    open_edges = taxonomy.doubtful()
    chosen = open_edges[: request.top]
    model = service.models[asked.model].model
    children = [edge.child for edge in chosen]
    options = AnswerOptions(top=_ALTERNATIVES + 3, candidates=taxonomy.terms, score=asked.score)
    tables = ask(model, children, options) if children else []
    edges = []
    for edge, table in zip(chosen, tables, strict=True):
        beneath = {normal(term) for term in (edge.child, *taxonomy.beneath(edge.child))}
        others = [
            m.OtherParent(taxonomy.named(answer.term), answer.confidence, answer.value)
            for answer in table
            if normal(answer.term) not in {*beneath, normal(edge.parent)} and taxonomy.named(answer.term) in taxonomy
        ]
        shown = _edge(edge)
        edges.append(m.DoubtfulEdge(**vars(shown), alternatives=tuple(others[:_ALTERNATIVES])))
    return m.WorklistReply(request.id, present.version, tuple(edges), len(open_edges))
