"""Generated text with a known taxonomy, for the demo when no real text is installed.

Each sentence is about a term and contains context words of the term and of its hypernyms; some sentences state a
hypernym in a pattern. The same seed gives the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

TREE = {
    "animal": {
        "dog": ["poodle", "spaniel", "terrier"],
        "bird": ["eagle", "sparrow", "robin"],
        "fish": ["shark", "trout", "salmon"],
        "insect": ["ant", "bee", "beetle"],
    },
    "plant": {"tree": ["oak", "maple", "willow"], "flower": ["tulip", "rose", "daisy"]},
    "instrument": {"fiddle": ["violin", "viola"], "drum": ["snare", "timpani"]},
    "weapon": {"blade": ["sword", "dagger"], "gun": ["rifle", "pistol"]},
    "disease": {"fever": ["malaria", "typhus"], "tumor": ["cancer", "glioma"]},
    "metal": {"alloy": ["bronze", "brass"], "element": ["gold", "copper"]},
}
"""Kinds, their sorts, and sorts of those."""

_ABOUT = {
    "animal": "eat sleep breathe hunt wild tame herd".split(),
    "plant": "grow leaf root garden water soil green".split(),
    "instrument": "play music sound concert tune melody band".split(),
    "weapon": "fight war soldier wound battle enemy steel".split(),
    "disease": "patient doctor hospital cure symptom illness pain".split(),
    "metal": "melt mine shine forge smith heavy ore".split(),
    "dog": "bark fetch leash puppy".split(),
    "bird": "fly wing feather nest".split(),
    "fish": "swim fin gill river".split(),
    "insect": "crawl swarm larva sting".split(),
    "tree": "trunk branch bark forest".split(),
    "flower": "petal bloom bouquet scent".split(),
    "fiddle": "bow string chin orchestra".split(),
    "drum": "beat stick rhythm loud".split(),
    "blade": "edge sharp sheath cut".split(),
    "gun": "shoot barrel bullet trigger".split(),
    "fever": "heat shiver mosquito sweat".split(),
    "tumor": "cell tissue growth surgeon".split(),
    "alloy": "mix cast bell statue".split(),
    "element": "atom coin wire pure".split(),
}


def sentences(many: int = 12_000, seed: int = 0) -> Iterator[str]:
    """Generated sentences, one at a time.

    >>> next(sentences()) == next(sentences())
    True
    >>> any("such as" in sentence for sentence in sentences(200))
    True
    """
    draw = random.Random(seed)
    places = [(kind, sort, leaf) for kind, sorts in TREE.items() for sort, leaves in sorts.items() for leaf in leaves]
    own = {leaf: [f"{leaf[:3]}{ending}" for ending in ("ash", "olo", "eth")] for _, _, leaf in places}
    for _ in range(many):
        kind, sort, leaf = draw.choice(places)
        name = draw.choices((leaf, sort, kind), (4, 3, 3))[0]
        words = [draw.choice(own[leaf]), *draw.sample(_ABOUT[sort], 2), *draw.sample(_ABOUT[kind], 2)]
        draw.shuffle(words)
        yield f"The {name} {' '.join(words)}."
        if draw.random() < 0.05:
            hyponym, hypernym = draw.choice([(leaf, sort), (sort, kind)])
            plural = hypernym if hypernym == "fish" else f"{hypernym}s"
            yield draw.choice(
                (
                    f"A {hyponym} is a {hypernym}.",
                    f"There are {plural} such as the {hyponym}.",
                    f"The {hyponym} and other {plural}.",
                )
            )


def write_generated(folder: Path) -> list[Path]:
    """Write the text as a plain file, one sentence a line, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "generated.txt"
    path.write_text("".join(f"{sentence}\n" for sentence in sentences()), encoding="utf-8", newline="\n")
    return [path]
