"""Hypernyms (broader terms) of a word, most likely first, with the signals that support each.

Answers are drawn from the whole vocabulary, or from your own list of terms (--candidates). Each answer has a confidence
(or a score, if the model has no patterns), the signals that agree (patterns, inclusion, generality, similarity) and the
number of times the text states it. If no answer is likely enough, the result is "not known". Words too general to be
informative (thing, kind, use) are excluded unless your list contains them. With --senses, answers that have nothing to
do with each other stand in groups: a tiger is an animal, and a team.
"""

from __future__ import annotations

from hyperdive.cli._answers import (
    BlockOption,
    CandidatesOption,
    ConfidenceOption,
    EvidenceOption,
    ScoreOption,
    SensesOption,
    TopOption,
    WordsArgument,
    print_answers,
    warn_without_sentences,
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
    senses: SensesOption = False,
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
        senses=senses,
    )
    print_answers(words, lambda batch: ask(opened, batch, options), json)
