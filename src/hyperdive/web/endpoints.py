"""The table of endpoints: method, path, what goes in, what comes out. Routes and the OpenAPI description follow it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hyperdive.web import corrections, questions, taxonomies
from hyperdive.web import messages as m
from hyperdive.web import taxonomy_messages as t
from hyperdive.web.server_messages import ModelsReply, ServerReply

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Endpoint:
    """One request that the API answers.

    `work` takes the service and the request and gives the answer. `quick` work does not wait behind questions that
    take long; `lasting` answers depend on the model alone and are kept; `apart` ones may come from a process that has
    the models alone. `reply` is the type of the answer, or the media type of a file or stream.
    """

    method: str
    path: str
    request: type
    reply: type | str
    work: Callable[[Any, Any], Any]
    errors: tuple[int, ...] = ()
    status: int = 200
    quick: bool = False
    lasting: bool = False
    apart: bool = False

    @property
    def summary(self) -> str:
        """The first line of what the work does."""
        return (self.work.__doc__ or "").strip().splitlines()[0]

    @property
    def name(self) -> str:
        """A name for programs that are generated from the description."""
        verb = {"GET": "get", "POST": "post", "DELETE": "delete"}[self.method]
        return f"{verb}_{self.path.strip('/').replace('/', '_').replace('{', '').replace('}', '')}"


ENDPOINTS = (
    Endpoint("GET", "/server", m.Nothing, ServerReply, questions.server, quick=True),
    Endpoint("GET", "/models", m.Nothing, ModelsReply, questions.models, quick=True),
    Endpoint("GET", "/scores", m.ModelQuery, m.ScoresReply, questions.scores, (404,), quick=True),
    Endpoint("GET", "/suggest", m.SuggestQuery, m.SuggestReply, questions.suggest, (404,), quick=True, lasting=True),
    Endpoint(
        "GET", "/hypernyms", m.HypernymsQuery, m.AnswersReply, questions.hypernyms, (404, 422), lasting=True, apart=True
    ),
    Endpoint("POST", "/hypernyms", m.HypernymsQuery, m.AnswersReply, questions.hypernyms, (404, 422), apart=True),
    Endpoint(
        "GET", "/hyponyms", m.AnswersQuery, m.AnswersReply, questions.hyponyms, (404, 422), lasting=True, apart=True
    ),
    Endpoint("POST", "/hyponyms", m.AnswersQuery, m.AnswersReply, questions.hyponyms, (404, 422), apart=True),
    Endpoint(
        "GET", "/similar", m.SimilarQuery, m.SimilarReply, questions.similar, (404, 422), lasting=True, apart=True
    ),
    Endpoint(
        "GET", "/evidence", m.EvidenceQuery, m.EvidenceReply, questions.evidence, (404, 422), quick=True, lasting=True
    ),
    Endpoint(
        "GET", "/explain", m.ExplainQuery, m.ExplainReply, questions.explain, (404, 422), lasting=True, apart=True
    ),
    Endpoint(
        "GET", "/compare", m.CompareQuery, m.CompareReply, questions.compare, (404, 422), lasting=True, apart=True
    ),
    Endpoint("GET", "/topics", m.TopicsQuery, m.TopicsReply, questions.topics, (404, 422), lasting=True, apart=True),
    Endpoint(
        "GET", "/general", m.GeneralQuery, m.GeneralReply, questions.general, (404, 422), lasting=True, apart=True
    ),
    Endpoint("POST", "/score", m.ScoreQuery, m.ScoreReply, questions.score, (404, 422), apart=True),
    Endpoint("GET", "/taxonomies", m.Nothing, t.JobsReply, taxonomies.jobs, quick=True),
    Endpoint("POST", "/taxonomies", t.TaxonomyRequest, t.JobReply, taxonomies.build, (404, 422), 202, quick=True),
    Endpoint("GET", "/taxonomies/{id}", t.TaxonomyQuery, t.JobReply, taxonomies.job, (404,), quick=True),
    Endpoint("DELETE", "/taxonomies/{id}", t.TaxonomyQuery, t.JobReply, taxonomies.remove, (404,), quick=True),
    Endpoint("GET", "/taxonomies/{id}/events", t.TaxonomyQuery, "text/event-stream", taxonomies.job, (404,)),
    Endpoint("GET", "/taxonomies/{id}/tree", t.TreeQuery, t.TreeReply, taxonomies.tree, (404, 409, 413, 422)),
    Endpoint("GET", "/taxonomies/{id}/export", t.ExportQuery, "*/*", taxonomies.export, (404, 409, 413, 422)),
    Endpoint(
        "GET", "/taxonomies/{id}/worklist", t.WorklistQuery, t.WorklistReply, taxonomies.worklist, (404, 409, 422)
    ),
    Endpoint(
        "GET",
        "/corrections/{model}",
        t.CorrectionsQuery,
        t.CorrectionsReply,
        corrections.corrections,
        (404, 422),
        quick=True,
    ),
    Endpoint(
        "POST",
        "/corrections/{model}",
        t.CorrectionsRequest,
        t.ChangeReply,
        corrections.change,
        (404, 409, 422),
        quick=True,
    ),
)
"""Every request of the API, under `PREFIX`."""
