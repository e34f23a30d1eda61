"""A model of a small text with its sentences, trained in a few seconds, whose right answers are known."""

from __future__ import annotations

import random
from pathlib import Path

from hyperdive import train

KINDS = {
    "animal": ("dog", "cat", "horse", "cow", "sheep"),
    "dog": ("poodle", "beagle"),
    "fruit": ("apple", "pear", "plum", "cherry"),
    "vehicle": ("car", "truck", "bicycle"),
}
TERMS = tuple(dict.fromkeys(term for kind, kinds in KINDS.items() for term in (kind, *kinds)))
MARKUP = "<b onclick=alert(1)>& more</b>"
"""Markup in the text, which must be shown as text."""
_ANIMAL = "farm barn field eats sleeps runs wild young".split()
_CONTEXTS = {
    "animal": _ANIMAL,
    "dog": [*_ANIMAL, "barks", "leash"],
    "fruit": "sweet ripe juice orchard eats basket peel seed".split(),
    "vehicle": "road wheel engine drives fast garage driver seat".split(),
}


def sentences() -> list[str]:
    """Sentences in which a narrower word has contexts of its broader word, and some that state the pair."""
    choice = random.Random(0)
    texts = []
    for kind, kinds in KINDS.items():
        for word in kinds:
            for _ in range(60):
                first, second, third, fourth = choice.sample(_CONTEXTS[kind], 4)
                texts.append(f"The {word} {first} near the {second} and the {kind} {third} with {fourth}.")
            for _ in range(4):
                place = choice.choice(_CONTEXTS[kind])
                texts.append(f"In the village there are many {kind}s such as {word}s {MARKUP} of the {place}.")
                texts.append(f"The {word} is a {kind} of the {place}.")
    choice.shuffle(texts)
    return texts


def small_model(folder: Path) -> Path:
    """Train the model into the folder `small` of a folder."""
    train(
        texts=sentences(),
        output=folder / "small",
        dimensions=8,
        pmi_filter="none",
        passes=10,
        beta=1.0,
        negatives=0.2,
        seed=0,
    )
    return folder / "small"
