"""Function words that carry no topic."""

from __future__ import annotations

from pathlib import Path

from hyperdive.text.word_lists import read_lines

# The content is that of the list the paper's authors released: ordinary function words, two words of their corpus's
# mark-up, and what a tokeniser leaves of contractions. `will`, `may`, `also` and `one` are deliberately not here.
_PRONOUNS = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves what which who whom this that these those
"""
_VERBS = """
am are be been being can cannot could did do does doing had has have having is let ought should was were would
"""
_LINKS = """
a about above after again against all an and any as at because before below between both but by down during each few
for from further here how if in into more most no nor not of off on once only or other out over own same so some such
than the then there through to too under until up very when where while why with
"""
_CONTRACTIONS = "aren couldn didn doesn don hadn hasn haven isn mustn shouldn wasn weren won wouldn"
_MARKUP = "disambiguation etc"

ENGLISH = frozenset(" ".join((_PRONOUNS, _VERBS, _LINKS, _CONTRACTIONS, _MARKUP)).split())
"""143 English stop words."""

LANGUAGES = ("en",)


def load(name: str) -> frozenset[str]:
    """The stop words called `english` or `none`, or those in a file, one a line.

    >>> "the" in load("english"), len(load("none"))
    (True, 0)
    """
    if name == "english":
        return ENGLISH
    if name == "none":
        return frozenset()
    lines = read_lines(Path(name), "stop-word file", "use english, none, or a file with one word a line")
    return frozenset(line.lower() for line in lines)
