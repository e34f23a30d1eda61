"""The patterns: meaning, a sentence each must match, a similar sentence it must not match, and precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hyperdive.errors import InputError
from hyperdive.kernels import pattern_codes as k

HEAD = "head"
"""The pattern by which a phrase is a kind of its head; counted, but not among the statements unless asked for."""
OF_A_NAME = " (name)"
"""Ends the name of a pattern that holds the statements in which the hyponym is written as a name."""


@dataclass(frozen=True)
class Pattern:
    """One way in which text states that X is a kind of Y."""

    name: str
    number: int
    meaning: str
    """How it reads, with X the hyponym and Y the hypernym."""
    hypernym: str
    """The side of the trigger on which Y is: `left` or `right`."""
    gold: str
    found: tuple[tuple[str, str], ...]
    """What `gold` states, as lemmas: (X, Y)."""
    trap: str
    """A similar sentence that states nothing."""
    precision: float
    """Share of true pairs among those in the HypeNet train file (docs/explanation/patterns.md); it orders the evidence.

    *glossary* has too few of them to tell, and *head* is never shown as evidence.
    """


PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "such-as", k.SUCH_AS, "Y such as X, X and X", "left",
        "Domestic animals such as dogs, cats and horses need care.",
        (("dog", "domestic animal"), ("cat", "domestic animal"), ("horse", "domestic animal")),
        "He left such as he had found it.", 0.72,
    ),
    Pattern(
        "such-y-as", k.SUCH_Y_AS, "such Y as X and X", "left",
        "He admired such metals as gold, silver, and copper.",
        (("gold", "metal"), ("silver", "metal"), ("copper", "metal")),
        "It was such a day as never before.", 0.87,
    ),
    Pattern(
        "including", k.INCLUDING_P, "Ys, including X and X", "left",
        "Musical instruments, including violins and guitars, were sold.",
        (("violin", "musical instrument"), ("guitar", "musical instrument")),
        "The price was high, including tax and tips.", 0.71,
    ),
    Pattern(
        "especially", k.ESPECIALLY_P, "Ys, especially X (particularly, notably, mainly …)", "left",
        "Tourists watch large mammals, especially elephants.", (("elephant", "large mammal"),),
        "It rained, especially in the north.", 0.73,
    ),
    Pattern(
        "and-other", k.AND_OTHER, "X, X and other Y (or other, and similar, and related)", "right",
        "Apples, pears and other fruits grow here.", (("pear", "fruit"), ("apple", "fruit")),
        "One hand and the other hand met.", 0.74,
    ),
    Pattern(
        "like", k.LIKE_P, "Ys like X and X, where like is no verb", "left",
        "She studied birds like sparrows and finches.", (("sparrow", "bird"), ("finch", "bird")),
        "People like dogs and horses.", 0.83,
    ),
    Pattern(
        "for-example", k.FOR_EXAMPLE, "Ys, for example X (e.g., for instance, namely)", "left",
        "Citrus fruits (e.g., lemons and limes) are sour.", (("lemon", "citrus fruit"), ("lime", "citrus fruit")),
        "He failed, for example, to come.", 0.82,
    ),
    Pattern(
        "called", k.CALLED_P, "a Y called X, a Y known as X", "left",
        "They baked a flatbread called naan.", (("naan", "flatbread"),),
        "The puma, also known as the cougar, hunts alone.", 0.8,
    ),
    Pattern(
        "is-a", k.IS_A, "X is a Y, X was a Y", "right",
        "The cathedral (built in 1200) is a large church near the river.", (("cathedral", "large church"),),
        "A whale is not a fish.", 0.72,
    ),
    Pattern(
        "kind-of", k.KIND_OF, "X is a kind of Y (type, form, species, genus, breed, class, member …)", "right",
        "The poodle is a breed of water dog.", (("poodle", "water dog"),),
        "The law is a kind of its own.", 0.53,
    ),
    Pattern(
        "are", k.ARE, "Xs are Ys", "right",
        "Cats, dogs and rabbits are mammals.", (("rabbit", "mammal"), ("dog", "mammal"), ("cat", "mammal")),
        "The dogs are barking.", 0.7,
    ),
    Pattern(
        "is-the-most", k.IS_THE_MOST, "X is the most … Y, X is the largest Y, X is one of the Ys", "right",
        "The cheetah is the fastest land animal.", (("cheetah", "fast land animal"),),
        "Paris is the most beautiful.", 0.83,
    ),
    Pattern(
        "is-the", k.IS_THE, "X is the Y", "right",
        "Gold is the metal of kings.", (("gold", "metal"),),
        "This is the end.", 0.7,
    ),
    Pattern(
        "which-is", k.WHICH_IS, "X, which is a Y", "right",
        "They drank mead, which is a sweet beverage.", (("mead", "sweet beverage"),),
        "They drank mead, which is good.", 0.63,
    ),
    Pattern(
        "apposition", k.APPOSITION, "X, a Y, …; X (a Y)", "right",
        "Malaria, a tropical disease, is spreading.", (("malaria", "tropical disease"),),
        "He saw a dog, a cat, and a bird.", 0.74,
    ),
    Pattern(
        "types-are", k.TYPES_ARE,
        "types of Y include X, X; types of Y: X; examples of Y are X; the most common Ys are X, X", "left",
        "Types of cheese: brie, cheddar and feta.", (("brie", "cheese"), ("cheddar", "cheese"), ("feta", "cheese")),
        "Prices of cheese: high and low.", 0.61,
    ),
    Pattern(
        "include", k.INCLUDE_P, "Ys include X, X and X", "left",
        "Common symptoms include fever, headache and cough.",
        (("fever", "common symptom"), ("headache", "common symptom"), ("cough", "common symptom")),
        "The album includes songs and poems.", 0.77,
    ),
    Pattern(
        "glossary", k.GLOSSARY, "X, n. A Y; X: a kind of Y (dictionaries and glossaries)", "right",
        "spaniel, n. One of a breed of small dogs.", (("spaniel", "small dog"),),
        "run, v. To move on foot.", 0.7,
    ),
    Pattern(
        "brackets", k.BRACKETS, "Ys (X, X and X), with little else in the brackets", "left",
        "Some organs (heart, liver and kidneys) were weighed.",
        (("heart", "organ"), ("liver", "organ"), ("kidney", "organ")),
        "Three men (tall and strong) came with their dogs (and left).", 0.68,
    ),
    Pattern(
        HEAD, k.HEAD_P, "a phrase is a kind of its last word (counted apart from the others)", "right",
        "Domestic animals such as dogs need care.", (("domestic animal", "animal"),),
        "Dogs need care.", 0.0,
    ),
)  # fmt: skip
"""In the order of their numbers."""

_PLAIN = tuple(pattern.name for pattern in PATTERNS)
NAMES = (*_PLAIN, *(f"{name}{OF_A_NAME}" for name in _PLAIN if name != HEAD))
"""Those, then the same of a name: *Tigers* in "teams such as the Detroit Tigers" are counted apart from tigers."""
PRECISION = (
    *(pattern.precision for pattern in PATTERNS),
    *(pattern.precision / 2 for pattern in PATTERNS if pattern.name != HEAD),
)
"""Of each of `NAMES`, for the choice of evidence: a statement of a name comes after one of the word itself."""
FIRST_OF_A_NAME = len(_PLAIN)
"""What is added to the number of a pattern when it states something of a name."""


def check_names(names: Sequence[str]) -> None:
    """Check that the names of patterns are distinct and at most 256."""
    if not 0 < len(names) <= 256 or len(set(names)) != len(names):
        raise InputError(f"a table of patterns has 1 to 256 different names, not {len(names)}")
