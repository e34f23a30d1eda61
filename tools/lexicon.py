"""Find words that the pattern lexicon calls verbs, participles or adjectives and a text uses as nouns.

    python tools/lexicon.py wiki.txt          # one line a class: the words to list as nouns in patterns/lexicon.txt

A word is used as a noun after a determiner when the phrase ends with it ("the carp of"), and alone in a list ("trout,
carp and"); as a verb after *to*, a modal verb or a pronoun. A plural that is frequent, too, speaks for a noun.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from hyperdive.kernels import pattern_codes as k
from hyperdive.patterns.lexicon import of_form

_DETERMINERS = set("the a an this these those his her its their our my your another each every some any no".split())
_ENDS = set(
    "of is was are were in and or , . ; : ) ( which that such from by for with to as at on has have had".split()
)
_BEFORE_VERBS = set("to will would can could may might must shall should they we you i who not did does do".split())
_LIST_BEFORE, _LIST_AFTER = set(", and or as of with like including".split()), set(", and or . ; )".split())
_OPEN = {k.VERB: "verb", k.PART: "participle", k.ADJ: "adjective", k.ADV: "adverb"}
_TOKEN = re.compile(r"[a-z]+|[,.;:()]")
LEAST_COUNT = 15


class Uses:
    """How often each word occurs, and as what."""

    def __init__(self) -> None:
        self.all: Counter[str] = Counter()
        self.noun: Counter[str] = Counter()
        self.listed: Counter[str] = Counter()
        self.verb: Counter[str] = Counter()

    def read(self, lines: Iterable[str]) -> None:
        for line in lines:
            tokens = _TOKEN.findall(line.lower())
            self.all.update(tokens)
            for before, word, after in zip([".", *tokens], tokens, [*tokens[1:], "."], strict=False):
                if before in _DETERMINERS:
                    self.noun[word] += after in _ENDS
                elif before in _BEFORE_VERBS:
                    self.verb[word] += 1
                if before in _LIST_BEFORE and after in _LIST_AFTER:
                    self.listed[word] += 1


def is_noun(word: str, word_class: int, uses: Uses) -> bool:
    """Whether the text uses a word of another class as a noun."""
    n = uses.all[word]
    noun, listed, verb = uses.noun[word] / n, uses.listed[word] / n, uses.verb[word] / n
    plurals = uses.all[_plural(word)] / n
    if word_class == k.VERB:
        if word.endswith("ed"):
            return False
        if word.endswith("s"):
            return listed >= 0.1 > verb
        return noun + listed > 1.5 * verb and noun + listed >= 0.08
    return plurals >= 0.25 and noun >= 0.05


def _plural(word: str) -> str:
    if word.endswith("y"):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def main() -> None:
    uses = Uses()
    with Path(sys.argv[1]).open(encoding="utf-8") as lines:
        uses.read(lines)
    words: dict[str, list[str]] = {name: [] for name in _OPEN.values()}
    for word, n in sorted(uses.all.items()):
        word_class = of_form(word)[0] if n >= LEAST_COUNT and len(word) > 2 else k.NOUN
        if word_class in _OPEN and is_noun(word, word_class, uses):
            words[_OPEN[word_class]].append(word)
    for name, nouns in words.items():
        sys.stdout.write(f"{name}: {' '.join(nouns)}\n")


if __name__ == "__main__":
    main()
