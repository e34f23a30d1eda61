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
    answer,
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
    answer(
        words,
        model,
        narrower=True,
        candidates=candidates,
        block=block,
        score=score,
        top=top,
        min_confidence=min_confidence,
        evidence=evidence,
        json=json,
    )
