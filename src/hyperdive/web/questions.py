"""Endpoints that query a model: each turns a request into a call of `hyperdive.Model` and its table into a reply."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, cast

from fastapi import Query
from pydantic import BaseModel

from hyperdive import __version__
from hyperdive.ask.explain import compare as side_by_side
from hyperdive.ask.hypernyms import ask
from hyperdive.ask.options import AnswerOptions
from hyperdive.ask.question import source_of
from hyperdive.ask.ranking import SIGNALS, ranking
from hyperdive.ask.similar import similar as nearest
from hyperdive.ask.similar import suggest as completions
from hyperdive.ask.topics import general_words
from hyperdive.ask.topics import topics as dimensions
from hyperdive.scores.terms import terms_of, usable_scores
from hyperdive.table import Table
from hyperdive.web import messages as m
from hyperdive.web.limits import limits
from hyperdive.web.service import Served, Service
from hyperdive.web.taxonomies import FORMATS


def server(service: Served, _: m.NoParameters) -> m.ServerReply:
    """Version, models, limits and export formats."""
    return m.ServerReply(__version__, service.read_only, models(service, _).models, limits(), FORMATS)


def models(service: Served, _: m.NoParameters) -> m.ModelsReply:
    """The served models; the first answers requests without a name."""
    return m.ModelsReply(tuple(served.info() for served in service.models.models.values()))


def scores(service: Served, request: Annotated[m.ModelQuery, Query()]) -> m.ScoresReply:
    """The scores that a model allows."""
    served = service.models[request.model]
    usable = usable_scores(source_of(served.model), ["all"])
    return m.ScoresReply(
        served.name,
        tuple(m.ScoreInfo(one.name, one.ascii, one.family, one.formula, one.range, one.symmetric) for one in usable),
    )


def suggest(service: Served, request: Annotated[m.SuggestQuery, Query()]) -> m.SuggestReply:
    """Completions of a word or term."""
    served = service.models[request.model]
    return m.SuggestReply(served.name, request.q, tuple(completions(served.model, request.q, request.top)))


def hypernyms(service: Served, request: Annotated[m.HypernymsQuery, Query()]) -> m.AnswersReply:
    """Broader terms, the likeliest first."""
    return _answers(service, request, "hypernyms")


def hypernyms_of_list(service: Served, request: m.HypernymsContent) -> m.AnswersReply:
    """Broader terms, for long lists."""
    return _answers(service, request, "hypernyms")


def hyponyms(service: Served, request: Annotated[m.AnswersQuery, Query()]) -> m.AnswersReply:
    """Narrower terms, the likeliest first."""
    return _answers(service, request, "hyponyms")


def hyponyms_of_list(service: Served, request: m.AnswersContent) -> m.AnswersReply:
    """Narrower terms, for long lists."""
    return _answers(service, request, "hyponyms")


def _answers(service: Service, request: m.AnswersQuery | m.AnswersContent, command: str) -> m.AnswersReply:
    served = service.models[request.model]
    by = ranking(served.model, request.score)
    options = AnswerOptions(**request.model_dump(exclude={"model", "terms"}))
    tables = ask(served.model, request.terms, options, narrower=command == "hyponyms")
    results = (
        m.TermAnswers(term, not table.unknown, tuple(table), table.notes, _unknown(table))
        for term, table in zip(request.terms, tables, strict=True)
    )
    lines = served.commands(command, request.terms, _given(request))
    return m.AnswersReply(served.name, by.name, by.calibrated, tuple(results), lines)


def _given(request: BaseModel) -> dict[str, Any]:
    """Return the options of a request that are not left at their default."""
    return request.model_dump(exclude={"model", "terms", "hyponym", "hypernym"}, exclude_defaults=True)


def _unknown(table: Table[Any]) -> m.UnknownTerm | None:
    error = next(iter(table.unknown.values()), None)
    return None if error is None else m.UnknownTerm(error.what, error.near)


def similar(service: Served, request: Annotated[m.SimilarQuery, Query()]) -> m.SimilarReply:
    """The nearest words by cosine."""
    served = service.models[request.model]
    results = (
        m.TermNeighbours(term, not table.unknown, tuple(table), table.notes, _unknown(table))
        for term, table in zip(request.terms, nearest(served.model, request.terms, request.top), strict=True)
    )
    return m.SimilarReply(served.name, tuple(results), served.commands("similar", request.terms, _given(request)))


def evidence(service: Served, request: Annotated[m.EvidenceQuery, Query()]) -> m.EvidenceReply:
    """What the text states about a pair: counts and sentences."""
    served = service.models[request.model]
    stated = served.model.evidence(request.hyponym, request.hypernym, request.top)
    return m.EvidenceReply(
        served.name,
        request.hyponym,
        request.hypernym,
        stated.statements,
        tuple(m.PatternCount(*item) for item in stated.patterns.items()),
        stated.head > 0,
        stated.sentences_kept,
        tuple(stated),
        tuple(m.StatedTerm(*item) for item in stated.stated_hypernyms),
        served.commands("evidence", [request.hyponym, request.hypernym], _given(request)),
    )


def explain(service: Served, request: Annotated[m.ExplainQuery, Query()]) -> m.ExplainReply:
    """A pair dimension by dimension, and the verdict of every score."""
    served = service.models[request.model]
    found = served.model.explain(request.hyponym, request.hypernym, top=request.top)
    return m.ExplainReply(
        served.name,
        found.hyponym,
        found.hypernym,
        found.included,
        found.signals,
        tuple(name for name in SIGNALS if name not in found.signals and (name != "patterns" or found.read)),
        found.statements if found.read else None,
        found.to_dict()["AL1"],
        tuple(found.dimensions),
        tuple(m.VerdictReply(**vars(row)) for row in found.scores),
        (*found.dimensions.notes, *found.scores.notes),
        served.commands("explain", [request.hyponym, request.hypernym], _given(request)),
    )


def compare(service: Served, request: Annotated[m.CompareQuery, Query()]) -> m.CompareReply:
    """Words side by side, dimension by dimension."""
    served = service.models[request.model]
    found = side_by_side(served.model, request.terms, request.top)
    line = served.commands("explain", request.terms, {"top": request.top})
    python = "from hyperdive import load\nfrom hyperdive.ask.explain import compare\n"
    python += f"print(compare(load({served.place!r}), {list(request.terms)!r}, top={request.top}))"
    return m.CompareReply(
        served.name,
        found.words,
        tuple(found),
        found.included,
        found.more,
        found.notes,
        m.Commands(line.cli, line.python if len(request.terms) > 2 else python),
    )


def topics(service: Served, request: Annotated[m.TopicsQuery, Query()]) -> m.TopicsReply:
    """The dimensions of a model."""
    served = service.models[request.model]
    found = dimensions(served.model, request.top, request.words)
    options = {"top": request.top, "words": request.words}
    return m.TopicsReply(served.name, tuple(found), found.notes, served.commands("topics", options=options))


def general(service: Served, request: Annotated[m.GeneralQuery, Query()]) -> m.GeneralReply:
    """The most general words, on the whole or within the topics of a query."""
    served = service.models[request.model]
    found = general_words(served.model, request.query, request.top)
    words = [] if request.query is None else [request.query]
    options = {"general": True, **_given(request)}
    python = served.commands("topics", options=options).python
    line = served.commands("topics", words, {name: value for name, value in options.items() if name != "query"})
    return m.GeneralReply(served.name, request.query, tuple(found), m.Commands(line.cli, python))


def score(service: Served, request: m.ScoreContent) -> m.ScoreReply:
    """Pairs under every score, or under some."""
    served = service.models[request.model]
    source = source_of(served.model)
    chosen = usable_scores(source, request.scores)
    distinct = list(dict.fromkeys(term for pair in request.pairs for term in pair))
    known = dict(zip(distinct, terms_of(source, distinct).found.tolist(), strict=True))
    first, second = ([pair[side] for pair in request.pairs] for side in (0, 1))
    columns = [cast("Iterable[float]", served.model.score(first, second, one.name)) for one in chosen]
    pairs = (
        m.ScoredPair(*pair, tuple(map(float, values)), tuple(term for term in dict.fromkeys(pair) if not known[term]))
        for pair, values in zip(request.pairs, zip(*columns, strict=True), strict=True)
    )
    line = served.commands("score", ["pairs.tsv"], {"score": chosen[0].ascii if len(chosen) == 1 else None})
    python = served.commands("score", [*request.pairs[0], chosen[0].name]).python
    return m.ScoreReply(served.name, tuple(one.name for one in chosen), tuple(pairs), m.Commands(line.cli, python))
