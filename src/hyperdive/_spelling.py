"""Similar spellings for a word that is not in the vocabulary."""

from __future__ import annotations

import difflib
import string
from collections.abc import Container, Iterable

from hyperdive.errors import UnknownWordError

LONGEST = 60
"""Letters of the longest word that similar spellings are looked for; messages show no more of a longer one."""


def near_spellings(word: str, words: Iterable[str], known: Container[str], *, most: int = 3) -> list[str]:
    """Up to `most` words like `word`: one edit away first (in the order of `words`), then alike by their letters.

    >>> words = ["dog", "dig", "cat", "hot dog"]
    >>> near_spellings("dgo", words, set(words)), near_spellings("Dog", words, set(words))
    (['dog'], ['dog', 'dig'])
    """
    if len(word) > LONGEST:  # all spellings one edit away take 54 times the square of its length
        return []
    edits = {candidate for candidate in _one_edit(word) if candidate in known}
    lower = word.lower()
    if lower != word:
        edits |= {candidate for candidate in (lower, *_one_edit(lower)) if candidate in known}
    alike = [w for w in words if w in edits or (w[:1] == lower[:1] and abs(len(w) - len(lower)) <= 2)]
    first = [w for w in alike if w in edits]
    # the lower-cased word itself is the best guess of all
    first.sort(key=lambda w: w != lower)
    rest = difflib.get_close_matches(lower, [w for w in alike if w not in edits], n=most, cutoff=0.75)
    return (first + rest)[:most]


def _one_edit(word: str) -> set[str]:
    splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    edits = {a + b[1:] for a, b in splits if b}
    edits |= {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    for letter in string.ascii_lowercase:
        edits |= {a + letter + b[1:] for a, b in splits if b}
        edits |= {a + letter + b for a, b in splits}
    return edits - {word, ""}


def unknown_word(word: object, words: Iterable[str], known: Container[str], where: str) -> UnknownWordError:
    """The error for a word that `where` (such as "this space") does not have."""
    if not isinstance(word, str):
        return UnknownWordError(f"{word!r} is not a word: words are strings")
    near = near_spellings(word, words, known)
    parts = [part for part in word.replace("-", " ").split() if part != word and part in known]
    hint = ""
    parts = [part for part in parts if len(part) <= LONGEST][:3]
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    elif parts:
        hint = f"it has {', '.join(parts)}"
    return UnknownWordError(f"{shown(word)!r} is not in {where}", hint=hint, near=near)


def shown(word: str) -> str:
    """A word as messages show it.

    >>> shown("dog"), shown("x" * 99)[-3:], len(shown("x" * 99))
    ('dog', 'xx…', 61)
    """
    return word if len(word) <= LONGEST else f"{word[:LONGEST]}…"
