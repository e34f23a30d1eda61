"""What is a poodle? Broader terms of a word, the likeliest first, with what speaks for each.

Answers come from the whole vocabulary or from a list of your own terms (--candidates). Each has a confidence (with a
model that has read patterns; else a score), the signals that agree (patterns, inclusion, generality, similarity) and
how often the text states it. Where nothing is likely enough the answer is "not known". Words too general to say
anything (thing, kind, use) are left out unless your own list names them.
"""

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


def hypernyms(
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
        narrower=False,
        candidates=candidates,
        block=block,
        score=score,
        top=top,
        min_confidence=min_confidence,
        evidence=evidence,
        json=json,
    )
