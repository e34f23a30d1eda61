"""How fast `hyponyms` is, beside judging every plausible term: the same answers, in one run.

    python bench/hyponyms.py [--model MODEL] [--words 20]

Processor seconds per question with an open model, over random words of the model and some classes.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable

import numpy as np

from common import machine
from hyperdive import load
from hyperdive.ask.hypernyms import MIN_CONFIDENCE
from hyperdive.ask.question import Question, best
from hyperdive.ask.ranking import ranking

CLASSES = ["animal", "city", "disease", "instrument", "politician", "weapon"]


def processor(work: Callable[[], list[str]]) -> tuple[float, list[str]]:
    start = time.process_time()
    terms = work()
    return time.process_time() - start, terms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-wiki")
    parser.add_argument("--words", type=int, default=20)
    given = parser.parse_args()
    print(machine())
    model = load(given.model)
    by = ranking(model)

    def judge_all(word: str) -> list[str]:
        question = Question(model, [word])
        places = by.plausible_hyponyms(question.downwards(0))
        scores = by(question.downwards(0, question.candidates[places]))
        scores[question.same(0)[places]] = -np.inf
        first = best(np.where(scores >= MIN_CONFIDENCE, scores, -np.inf), 10)
        return [question.word(int(question.candidates[places[at]])) for at in first]

    def answers(word: str) -> list[str]:
        return [answer.term for answer in model.hyponyms(word)]

    judge_all("dog"), answers("dog")  # the first question reads the model
    print(f"{'':24}{'all judged':>12}{'hyponyms':>12}{'ratio':>8}  same answers")
    drawn = random.Random(0).sample(list(model.words), given.words)
    for name, words in (("classes", [word for word in CLASSES if word in model]), ("random words", drawn)):
        slow, quick, same = 0.0, 0.0, True
        for word in words:
            spent, expected = processor(lambda word=word: judge_all(word))
            spent_again, terms = processor(lambda word=word: answers(word))
            slow, quick, same = slow + spent, quick + spent_again, same and expected == terms
        mean = slow / len(words), quick / len(words)
        print(f"{name:24}{mean[0]:12.3f}{mean[1]:12.3f}{mean[0] / mean[1]:8.1f}  {'yes' if same else 'no'}")


if __name__ == "__main__":
    main()
