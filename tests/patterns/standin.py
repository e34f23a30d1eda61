"""A crude producer of matches for tests of the store: two regular expressions and the heads of two-word terms."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from hyperdive.patterns.collector import Collector
from hyperdive.patterns.matches import Matches, Texts
from hyperdive.patterns.store import Patterns

NAMES = ("such as", "is a", "head")
PRECISION = (0.8, 0.6, 1.0)
_RULES = (
    (0, re.compile(r"(?P<p>\w+) such as (?P<q>(?:guide )?\w+)")),
    (1, re.compile(r"[Aa]n? (?P<q>(?:guide )?\w+) is an? (?P<p>\w+)")),
)


def lemma(words: str) -> str:
    return " ".join(word.lower().removesuffix("s") for word in words.split())


def matches_in(sentences: Sequence[tuple[int, str]], *, text: bool = True) -> Matches:
    """Matches in (document, sentence) pairs."""
    numbers: dict[str, int] = {}
    rows = []
    for number, (document, sentence) in enumerate(sentences):

        def span(found: re.Match[str], group: str, sentence: str = sentence) -> tuple[int, int]:
            return tuple(len(sentence[:at].encode()) for at in found.span(group))  # type: ignore[return-value]

        for pattern, rule in _RULES:
            for found in rule.finditer(sentence):
                q, p = lemma(found["q"]), lemma(found["p"])
                pairs = [(q, p, pattern)]
                if " " in q:
                    pairs.append((q, q.split()[-1], 2))
                for hyponym, hypernym, kind in pairs:
                    ids = [numbers.setdefault(term, len(numbers)) for term in (hyponym, hypernym)]
                    rows.append((*ids, kind, document, number, span(found, "q"), span(found, "p")))
    columns = list(zip(*rows, strict=True)) or [()] * 7
    given = {"sentence": columns[4], "hyponym_span": np.array(columns[5]).reshape(-1, 2),
             "hypernym_span": np.array(columns[6]).reshape(-1, 2), "sentences": Texts.of([s for _, s in sentences])}  # fmt: skip
    return Matches(Texts.of(list(numbers)), *columns[:4], **(given if text else {}))  # type: ignore[arg-type]


def collected(sentences: Sequence[tuple[int, str]], *, cut: int = 1000, text: bool = True, **options: int) -> Patterns:
    """Everything collected, in pieces of `cut` sentences."""
    collector = Collector(NAMES, precision=PRECISION, **options)
    for start in range(0, len(sentences), cut):
        collector.add(matches_in(sentences[start : start + cut], text=text))
    return collector.finish(documents=1 + max((document for document, _ in sentences), default=-1))


PETS = [
    (0, "Dogs such as poodles are kept by many people in the towns of the north."),
    (0, "A poodle is a dog."),
    (1, "Dogs such as poodles bark."),
    (1, "An animal is a being."),
    (2, "Animals such as dogs and cats are kept."),
    (2, "A guide dog is a helper."),
    (3, "Dogs such as poodles bark."),
    (4, "Dogs such as poodles bark now and then."),
    (4, "Dogs such as poodles are kept by many people in the towns of the south and of the east, too."),
]
