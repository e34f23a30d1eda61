"""Endpoints for taxonomies: jobs that build them, trees, exports and worklists, and corrections step by step."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Annotated

from fastapi import Query, Response

from hyperdive.ask.hypernyms import ask
from hyperdive.ask.options import AnswerOptions
from hyperdive.ask.question import normal
from hyperdive.taxonomy.corrections import VERBS, Corrections, Rule, VersionConflict, revise
from hyperdive.taxonomy.formats import SYNTAX
from hyperdive.taxonomy.rdf import Naming
from hyperdive.taxonomy.taxonomy import Origin, Taxonomy
from hyperdive.web import messages as m
from hyperdive.web import taxonomy_messages as t
from hyperdive.web.jobs import Job, JobProgress
from hyperdive.web.problems import Problem
from hyperdive.web.service import BuiltTaxonomy, Served, Service

FORMATS = (
    m.FormatInfo("skos-ttl", ".ttl", "text/turtle", "SKOS, Turtle"),
    m.FormatInfo("skos-xml", ".rdf", "application/rdf+xml", "SKOS, RDF/XML"),
    m.FormatInfo("owl-xml", ".owl", "application/rdf+xml", "OWL, RDF/XML"),
    m.FormatInfo("owl-ttl", ".ttl", "text/turtle", "OWL, Turtle"),
    m.FormatInfo("tsv", ".tsv", "text/tab-separated-values", "Table of edges"),
    m.FormatInfo("json", ".json", "application/json", "JSON"),
    m.FormatInfo("graphml", ".graphml", "application/xml", "GraphML"),
    m.FormatInfo("dot", ".dot", "text/vnd.graphviz", "Graphviz"),
    m.FormatInfo("mermaid", ".mmd", "text/plain", "Mermaid"),
    m.FormatInfo("tree", ".txt", "text/plain", "Text"),
)
_ALTERNATIVES = 3
TaxonomyJob = Job[t.TaxonomyRequest, BuiltTaxonomy]


def build(service: Served, request: t.TaxonomyRequest, response: Response) -> t.JobReply:
    """Start a job (202), or return the finished one of the same request (200)."""
    served = service.models[request.model]
    request = request.model_copy(update={"model": served.name})
    if request.terms is not None and (request.root is not None or request.top is not None):
        raise Problem("bad_request", "terms exclude a root and a number of terms")
    version = served.corrections().version

    def work(job: TaxonomyJob) -> BuiltTaxonomy:
        present = served.corrections() if request.corrections else Corrections(version=version)
        taxonomy = served.model.taxonomy(
            **request.model_dump(exclude={"model", "corrections"}),
            corrections=present if request.terms is None else present.concerning(request.terms),
            progress=JobProgress(job),
        )
        return BuiltTaxonomy(taxonomy, present.version)

    response.status_code = 200
    for job in service.jobs:
        built = job.result if job.request == request else None
        if built is not None and (built.version == version or not request.corrections):
            break
    else:
        job = service.jobs.submit(request, work)
        response.status_code = 202
    reply = job_reply(service, job)
    response.headers["location"] = reply.links["self"]
    return reply


def job_reply(service: Service, job: TaxonomyJob) -> t.JobReply:
    """Return the description of a job for clients."""
    request, error, result, place = job.request, job.error, job.result, f"/api/v1/taxonomies/{job.id}"
    parts = ("events", "tree", "export", "worklist")
    return t.JobReply(
        id=job.id,
        state=job.state,  # type: ignore[arg-type]
        model=request.model or "",
        request=request,
        stage=job.bar.stage,
        done=job.bar.done,
        total=job.bar.total,
        unit=job.bar.unit,
        seconds=round(job.seconds, 2),
        seconds_left=None if job.seconds_left is None else round(job.seconds_left, 1),
        terms=None if result is None else len(result.taxonomy),
        edges=None if result is None else len(result.taxonomy.edges),
        corrections_version="" if result is None else result.version,
        error=None if error is None else error.failure,
        links={"self": place} | {part: f"{place}/{part}" for part in parts},
        command=_command(service, request),
    )


def _command(service: Service, request: t.TaxonomyRequest) -> m.Commands:
    served = service.models[request.model]
    options = request.model_dump(exclude={"model"}, exclude_defaults=True)
    if request.corrections and served.file.path.exists():
        options["corrections"] = str(served.file.path)
    else:
        options.pop("corrections", None)
    return served.commands("taxonomy", options=options)


def jobs(service: Served, _: m.NoParameters) -> t.JobsReply:
    """The taxonomies of the server, the newest first."""
    return t.JobsReply(tuple(job_reply(service, job) for job in service.jobs))


def job(service: Served, id: m.InPath, _: m.NoParameters) -> t.JobReply:
    """The progress of a taxonomy."""
    return job_reply(service, service.jobs[id])


def remove(service: Served, id: m.InPath, _: m.NoParameters) -> t.JobReply:
    """Cancel a taxonomy that is being built, or forget a finished one."""
    return job_reply(service, service.jobs.remove(id))


# ---- finished taxonomies ------------------------------------------------------------------------------------------


def _present(service: Service, id: str, *, corrected: bool) -> tuple[Taxonomy, str, bool]:
    """A finished taxonomy as it is to be shown now, the version of its corrections, and whether newer ones exist."""
    job = service.jobs[id]
    built = job.result
    if built is None:
        what = job.error.failure.message if job.error is not None else f"the taxonomy is {job.state}"
        raise Problem("not_finished", what, hint="wait for its events" if not job.finished else "build it again")
    present = service.models[job.request.model].corrections()
    stale = built.version != present.version
    if not corrected or not stale:
        return built.taxonomy, built.version, stale
    if built.revised is None or built.revised[0] != present.version:
        built.revised = present.version, revise(built.taxonomy, present, parents=job.request.parents)
    return built.revised[1], present.version, stale


def tree(service: Served, id: m.InPath, request: Annotated[t.TreeQuery, Query()]) -> t.TreeReply:
    """A finished taxonomy with the present corrections, or as it was built."""
    taxonomy, version, stale = _present(service, id, corrected=request.corrections)
    wanted = service.jobs[id].request
    return t.TreeReply(
        id=id,
        model=wanted.model or "",
        version=version,
        stale=stale,
        score=taxonomy.score,
        calibrated=taxonomy.calibrated,
        measure="confidence" if taxonomy.calibrated else "score",
        terms=taxonomy.terms,
        edges=tuple(taxonomy.edges),
        roots=tuple(taxonomy.roots),
        unplaced=taxonomy.unplaced,
        added=tuple(sorted(taxonomy.added)),
        unknown=taxonomy.unknown,
        synonyms=taxonomy.synonyms,
        notes=taxonomy.notes,
        command=_command(service, wanted),
    )


def export(service: Served, id: m.InPath, request: Annotated[t.ExportQuery, Query()]) -> Response:
    """A finished taxonomy as a file."""
    taxonomy, _, _ = _present(service, id, corrected=request.corrections)
    least = request.min_confidence
    if least is not None:
        taxonomy = Taxonomy(
            taxonomy.terms,
            [edge for edge in taxonomy.edges if edge.value is None or edge.value >= least],
            origin=Origin(taxonomy.score, taxonomy.calibrated, taxonomy.notes),
            added=taxonomy.added,
            unknown=taxonomy.unknown,
            synonyms=taxonomy.synonyms,
        )
    kind = next(one for one in FORMATS if one.name == SYNTAX.get(request.format, request.format))
    text = taxonomy.to_text(request.format, Naming(request.base, request.language, request.title))
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", service.jobs[id].request.root or "").strip("-")[:60] or "taxonomy"
    headers = {"content-disposition": f'attachment; filename="{stem}{kind.extension}"'}
    return Response(text.encode("utf-8", errors="replace"), 200, headers, f"{kind.media_type}; charset=utf-8")


def worklist(service: Served, id: m.InPath, request: Annotated[t.WorklistQuery, Query()]) -> t.WorklistReply:
    """The edges of least confidence that no correction decides, with other likely parents."""
    taxonomy, version, _ = _present(service, id, corrected=True)
    wanted = service.jobs[id].request
    doubtful = taxonomy.doubtful()
    chosen = doubtful[: request.top]
    model = service.models[wanted.model].model
    children = [edge.child for edge in chosen]
    options = AnswerOptions(top=_ALTERNATIVES + 3, candidates=taxonomy.terms, score=wanted.score)
    tables = ask(model, children, options) if children else []
    edges = []
    for edge, table in zip(chosen, tables, strict=True):
        beneath = {normal(term) for term in (edge.child, edge.parent, *taxonomy.beneath(edge.child))}
        others = [
            t.OtherParent(taxonomy.named(answer.term), answer.confidence, answer.score)
            for answer in table
            if normal(answer.term) not in beneath and taxonomy.named(answer.term) in taxonomy
        ]
        edges.append(t.DoubtfulEdge(**vars(edge), alternatives=tuple(others[:_ALTERNATIVES])))
    return t.WorklistReply(id, version, tuple(edges), len(doubtful))


# ---- corrections --------------------------------------------------------------------------------------------------


def corrections(service: Served, model: m.InPath, _: m.NoParameters) -> t.CorrectionsReply:
    """The corrections of a model."""
    served = service.models[model]
    present = served.corrections()
    return t.CorrectionsReply(
        served.name,
        present.version,
        served.writable,
        served.file.path.name,
        _entries(present.rules),
        served.commands("taxonomy", options={"corrections": str(served.file.path)}),
    )


def change(service: Served, model: m.InPath, request: t.CorrectionsContent) -> t.ChangeReply:
    """Carry out operations on the corrections of a version, all or none, and save them."""
    served = service.models[model]
    if service.read_only:
        raise Problem("read_only", "this server is read-only", hint="start it without --read-only")
    present = served.corrections()
    if present.version != request.version:
        raise VersionConflict(present.version)
    wanted = present
    for operation in request.operations:
        if isinstance(operation, t.Edit):
            wanted = wanted.changed(_rules(operation.add), _rules(operation.remove))
        else:
            term, other = (value for name, value in operation if name not in ("op", "keep_others"))
            keep_others = isinstance(operation, t.Accept) and operation.keep_others
            wanted = wanted.decided(operation.op, term, other, keep_others=keep_others)
    saved = served.file.save(wanted)
    added, removed = _entries(saved.without(present)), _entries(present.without(saved))
    undo = t.Edit.model_construct(op="edit", add=removed, remove=added)
    return t.ChangeReply(served.name, saved.version, added, removed, _entries(saved.rules), undo)


def _entries(rules: Iterable[Rule]) -> list[t.Entry]:
    construct: Callable[..., t.Entry] = t.Entry.model_construct  # a file may hold longer terms than a request
    return [construct(**dict(zip(t.Entry.model_fields, rule, strict=False))) for rule in rules]


def _rules(entries: Iterable[t.Entry]) -> list[Rule]:
    for entry in entries:
        if (entry.other is None) != (VERBS[entry.verb] == 1):
            raise Problem("bad_request", f"{entry.verb} takes {VERBS[entry.verb]} term(s)")
    return [tuple(part for part in (entry.verb, entry.term, entry.other) if part is not None) for entry in entries]
