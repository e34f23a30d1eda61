"""Hyponyms (narrower terms) of a word, most likely first; the options are those of hypernyms."""

from __future__ import annotations

from hyperdive.cli._answers import (
    BlockOption,
    CandidatesOption,
    ConfidenceOption,
    EvidenceOption,
    ScoreOption,
    TopOption,
    WordsArgument,
    print_answers,
    warn_without_sentences,
)
from hyperdive.cli.common import DEFAULT_MODEL, JsonOption, ModelOption


def hyponyms(
    words: WordsArgument,
    model: ModelOption = DEFAULT_MODEL,
    candidates: CandidatesOption = None,
    block: BlockOption = None,
    score: ScoreOption = None,
    top: TopOption = 10,
    min_confidence: ConfidenceOption = None,
    evidence: EvidenceOption = False,
    json: JsonOption = False,
) -> None:
    from hyperdive import load
    from hyperdive.discover.hypernyms import MOST_EVIDENCE, AnswerOptions, ask

    opened = load(model)
    if evidence:
        warn_without_sentences(opened)
    options = AnswerOptions(
        top=top,
        candidates=candidates,
        block=block or (),
        score=score,
        min_confidence=min_confidence,
        evidence=MOST_EVIDENCE if evidence else 0,
    )
    print_answers(words, lambda batch: ask(opened, batch, options, narrower=True), json)
