"""Endpoints that ask a model: each turns a request into a call of `hyperdive.Model` and its table into an answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from hyperdive import __version__
from hyperdive.discover.explain import compare as side_by_side
from hyperdive.discover.hypernyms import AnswerOptions, ask
from hyperdive.discover.question import source_of
from hyperdive.discover.ranking import SIGNALS, ranking
from hyperdive.discover.similar import similar as nearest
from hyperdive.discover.topics import general_words
from hyperdive.discover.topics import topics as dimensions
from hyperdive.scores.registry import usable_scores
from hyperdive.scores.terms import terms_of
from hyperdive.table import Table
from hyperdive.web import messages as m
from hyperdive.web.commands import commands
from hyperdive.web.limits import limits
from hyperdive.web.server_messages import ModelsReply, ServerReply
from hyperdive.web.service import Service, sentences
from hyperdive.web.taxonomies import FORMATS


def server(service: Service, _: m.Nothing) -> ServerReply:
    """Version, models, limits and export formats."""
    return ServerReply(__version__, service.read_only, models(service, _).models, limits(), FORMATS)


def models(service: Service, _: m.Nothing) -> ModelsReply:
    """The served models; the first is asked when a request names none."""
    return ModelsReply(tuple(served.info() for served in service.models.models.values()))


def scores(service: Service, request: m.ModelQuery) -> m.ScoresReply:
    """The scores that a model allows."""
    served = service.models[request.model]
    usable = usable_scores(source_of(served.model))
    return m.ScoresReply(
        served.name,
        tuple(m.ScoreInfo(one.name, one.ascii, one.family, one.formula, one.range, one.symmetric) for one in usable),
    )


def suggest(service: Service, request: m.SuggestQuery) -> m.SuggestReply:
    """Completions of a word or term."""
    served = service.models[request.model]
    table = served.model.suggest(request.q, request.top)
    rows = (m.SuggestionReply(**row) for row in table.to_dicts())
    return m.SuggestReply(served.name, request.q, tuple(rows))


def hypernyms(service: Service, request: m.HypernymsQuery) -> m.AnswersReply:
    """Broader terms, the likeliest first."""
    return _answers(service, request, "hypernyms")


def hyponyms(service: Service, request: m.AnswersQuery) -> m.AnswersReply:
    """Narrower terms, the likeliest first."""
    return _answers(service, request, "hyponyms")


def _answers(service: Service, request: m.AnswersQuery, verb: str) -> m.AnswersReply:
    served = service.models[request.model]
    senses = isinstance(request, m.HypernymsQuery) and request.senses
    by = ranking(served.model, request.score)
    chosen = AnswerOptions(
        top=request.top,
        candidates=request.candidates,
        block=request.block,
        score=request.score,
        min_confidence=request.min_confidence,
        evidence=request.evidence,
        senses=senses,
    )
    tables = ask(served.model, request.terms, chosen, narrower=verb == "hyponyms")
    options = {
        "top": request.top if request.top != 10 else None,
        "min_confidence": request.min_confidence,
        "score": request.score,
        "evidence": request.evidence or None,
        "candidates": request.candidates,
        "block": request.block or None,
    }
    results = (
        m.TermAnswers(
            term,
            not table.unknown,
            tuple(
                m.AnswerReply(
                    answer.term,
                    answer.confidence,
                    answer.value,
                    answer.signals,
                    answer.statements,
                    sentences(answer.evidence),
                    answer.sense,
                )
                for answer in table
            ),
            table.notes,
            _unknown(table),
        )
        for term, table in zip(request.terms, tables, strict=True)
    )
    lines = commands(served.place, verb, request.terms, options | ({"senses": True} if senses else {}))
    return m.AnswersReply(served.name, by.name, by.calibrated, tuple(results), lines)


def _unknown(table: Table[Any]) -> m.UnknownTerm | None:
    error = next(iter(table.unknown.values()), None)
    return None if error is None else m.UnknownTerm(error.what, error.near)


def similar(service: Service, request: m.SimilarQuery) -> m.SimilarReply:
    """The nearest words by cosine."""
    served = service.models[request.model]
    results = (
        m.TermNeighbours(
            term,
            not table.unknown,
            tuple(m.NeighbourReply(row.term, row.similarity, row.frequency) for row in table),
            table.notes,
            _unknown(table),
        )
        for term, table in zip(request.terms, nearest(served.model, request.terms, request.top), strict=True)
    )
    options = {"top": request.top if request.top != 10 else None}
    return m.SimilarReply(served.name, tuple(results), commands(served.place, "similar", request.terms, options))


def evidence(service: Service, request: m.EvidenceQuery) -> m.EvidenceReply:
    """What the text states of a pair: counts and sentences."""
    served = service.models[request.model]
    stated = served.model.evidence(request.hyponym, request.hypernym, request.top)
    options = {"top": request.top if request.top != 5 else None}
    return m.EvidenceReply(
        served.name,
        request.hyponym,
        request.hypernym,
        stated.statements,
        tuple(m.PatternCount(*item) for item in stated.patterns.items()),
        stated.head > 0,
        stated.sentences_kept,
        sentences(stated.rows),
        tuple(m.StatedTerm(*item) for item in stated.stated_hypernyms),
        commands(served.place, "evidence", [request.hyponym, request.hypernym], options),
    )


def explain(service: Service, request: m.ExplainQuery) -> m.ExplainReply:
    """A pair dimension by dimension, and the verdict of every score."""
    served = service.models[request.model]
    found = served.model.explain(request.hyponym, request.hypernym, top=request.top)
    against = [name for name in SIGNALS if name not in found.signals and (name != "patterns" or found.read)]
    return m.ExplainReply(
        served.name,
        found.hyponym,
        found.hypernym,
        found.included,
        found.signals,
        tuple(against),
        found.statements if found.read else None,
        m.ScaledDistance(**found.to_dict()["AL1"]),
        tuple(m.DimensionReply(**row) for row in found.dimensions.to_dicts()),
        tuple(m.VerdictReply(**row) for row in found.scores.to_dicts()),
        (*found.dimensions.notes, *found.scores.notes),
        commands(served.place, "explain", [request.hyponym, request.hypernym], {"top": request.top}),
    )


def compare(service: Service, request: m.CompareQuery) -> m.CompareReply:
    """Words side by side, dimension by dimension."""
    served = service.models[request.model]
    found = side_by_side(served.model, request.terms, request.top)
    line = commands(served.place, "compare", request.terms, {"top": request.top})
    python = ["from hyperdive import load", "from hyperdive.discover.explain import compare"]
    python.append(f"print(compare(load({served.place!r}), {list(request.terms)!r}, top={request.top}))")
    return m.CompareReply(
        served.name,
        found.words,
        tuple(m.SharedDimension(**row) for row in found.to_dicts()),
        found.included,
        found.more,
        found.notes,
        m.Commands(line.cli, "\n".join(python)),
    )


def topics(service: Service, request: m.TopicsQuery) -> m.TopicsReply:
    """The dimensions of a model."""
    served = service.models[request.model]
    found = dimensions(served.model, request.top, request.words)
    options = {"top": request.top, "words": request.words if request.words != 5 else None}
    rows = (m.TopicReply(**row) for row in found.to_dicts())
    return m.TopicsReply(served.name, tuple(rows), found.notes, commands(served.place, "topics", options=options))


def general(service: Service, request: m.GeneralQuery) -> m.GeneralReply:
    """The most general words, on the whole or within the topics of a query."""
    served = service.models[request.model]
    found = general_words(served.model, request.query, request.top)
    options = {"query": request.query, "top": request.top if request.top != 30 else None}
    rows = (m.WordValue(**row) for row in found.to_dicts())
    line = commands(served.place, "general", options=options)
    python = commands(served.place, "topics", options={"general": True, **options}).python
    return m.GeneralReply(served.name, request.query, tuple(rows), m.Commands(line.cli, python))


def score(service: Service, request: m.ScoreQuery) -> m.ScoreReply:
    """Pairs under every score, or under some."""
    served = service.models[request.model]
    source = source_of(served.model)
    chosen = usable_scores(source, request.scores)
    distinct = list(dict.fromkeys(term for pair in request.pairs for term in pair))
    known = dict(zip(distinct, terms_of(source, distinct).found.tolist(), strict=True))
    first, second = ([pair[side] for pair in request.pairs] for side in (0, 1))
    columns = [cast("Iterable[float]", served.model.score(first, second, one.name)) for one in chosen]
    rows = zip(request.pairs, zip(*columns, strict=True), strict=True)
    pairs = (
        m.ScoredPair(
            *pair,
            tuple(float(value) for value in values),
            tuple(term for term in dict.fromkeys(pair) if not known[term]),
        )
        for pair, values in rows
    )
    line = commands(served.place, "score", ["pairs.tsv"], {"score": chosen[0].ascii if len(chosen) == 1 else None})
    python = commands(served.place, "score", [*request.pairs[0], chosen[0].name]).python
    return m.ScoreReply(served.name, tuple(one.name for one in chosen), tuple(pairs), m.Commands(line.cli, python))
