"""Small folders of every kind, made once, and what a user does with each of them."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hyperdive.spaces.model_folder import composition_of, space_of

KINDS = {
    "animal": ("dog", "cat", "horse", "cow", "sheep", "guide dog"),
    "dog": ("poodle", "beagle"),
    "fruit": ("apple", "pear", "plum", "cherry", "sour cherry"),
    "vehicle": ("car", "truck", "bicycle", "fire engine"),
}
_CONTEXTS = {
    "animal": "farm barn field eats sleeps runs wild young".split(),
    "dog": "farm barn field eats sleeps runs barks leash".split(),
    "fruit": "sweet ripe juice orchard eats basket peel seed".split(),
    "vehicle": "road wheel engine drives fast garage driver seat".split(),
}


def sentences() -> list[str]:
    """Sentences with words and terms whose contexts are known, and some that state pairs."""
    choice = random.Random(0)
    texts = []
    for kind, kinds in KINDS.items():
        for word in kinds:
            for _ in range(40):
                first, second, third, fourth = choice.sample(_CONTEXTS[kind], 4)
                texts.append(f"The {word} {first} near the {second} and the {kind} {third} with {fourth}.")
            for _ in range(3):
                place = choice.choice(_CONTEXTS[kind])
                texts.append(f"There are {kind}s such as {word}s in the {place}. The {word} is a {kind}.")
    texts += ["A guide dog (GD) helps, and a GD (guide dog) barks."] * 3
    choice.shuffle(texts)
    return texts


def make(folder: Path) -> dict[str, Path]:
    """One folder of every format, by name."""
    from hyperdive import train
    from hyperdive.counts.cooccurrence import Cooccurrence
    from hyperdive.pipeline.encode import encode
    from hyperdive.text.token_lists import encode_tokens

    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("text.txt", "\n".join(sentences())),
        ("terms-list.txt", "guide dog\nsour cherry\nracing bicycle\n"),
    ):
        if not (folder / name).exists():  # others may read it
            (folder / name).write_text(text, encoding="utf-8")
    places = {name: folder / name for name in ("corpus", "lines", "counts", "model", "sparse", "gaussian")}
    if not places["corpus"].exists():
        encode(folder / "text.txt", places["corpus"], terms=str(folder / "terms-list.txt"), min_count=3, keep_text=True)
    if not places["lines"].exists():
        encode_tokens([line.split() for line in sentences()], places["lines"], min_count=3)
    if not places["counts"].exists():
        Cooccurrence.from_corpus(places["corpus"], places["counts"], near=True)
    few = {"pmi_filter": "none", "passes": 4, "seed": 0}
    if not places["model"].exists():
        train(places["corpus"], places["model"], dimensions=8, **few)
    if not places["sparse"].exists():
        train(places["counts"], places["sparse"], space="sbow-ppmi")
    if not places["gaussian"].exists():
        train(places["lines"], places["gaussian"], space="gaussian", dimensions=4)
    places["patterns"] = places["corpus"] / "patterns"
    return places


Question = Callable[[Any], object]
"""Something that is asked of a model."""

QUESTIONS: tuple[Question, ...] = (
    lambda model: model.similar("dog"),
    lambda model: model.topics(5, general=True),
    lambda model: model.hypernyms("poodle", evidence=2),
    lambda model: model.hypernyms("guide dog"),
    lambda model: model.hypernyms("GD"),
    lambda model: model.hyponyms("animal", top=3),
    lambda model: model.evidence("poodle", "dog"),
    lambda model: model.explain("poodle", "dog"),
    lambda model: model.topics(),
    lambda model: model.score(["poodle", "cat"], ["dog", "animal"], "W·ΔS"),
    lambda model: model.score(["poodle", "cat"], ["dog", "animal"], "confidence"),
    lambda model: model.taxonomy(terms=["poodle", "dog", "cat", "animal"]),
    lambda model: (fold(model), model.skipgram),
    lambda model: [space["dog"] for space in (space_of(model), space_of(model, "skipgram")) if space is not None],
    lambda model: compose(model),
)
OF_A_SPACE: tuple[Question, ...] = (
    lambda model: model.similar("dog"),
    lambda model: model.topics(5, general=True),
    lambda model: model.score(["poodle", "cat"], ["dog", "animal"], "cos"),
    lambda model: model.score(["poodle", "cat"], ["dog", "animal"], "C·ΔS"),
    lambda model: model["dog"],
)


def fold(model: Any) -> object:
    from hyperdive.spaces.folding import folding_of

    return folding_of(model.contexts)


def compose(model: Any) -> None:
    """Rows of a term that the text does not have."""
    maps = composition_of(model)
    if maps is not None:
        skipgram = None if model.skipgram is None else model.skipgram["dog"]
        dive = model.dive["dog"]
        maps.compose("old fire engine", lambda _: dive, None if skipgram is None else (lambda _: skipgram))


def asked(folder: Path, questions: tuple[Question, ...], choice: random.Random | None) -> None:
    """Load a model and ask two of the questions, or all of them."""
    from hyperdive import load

    model = load(folder)
    for question in questions if choice is None else choice.sample(questions, 2):
        question(model)


def use_model(folder: Path, choice: random.Random | None = None) -> None:
    """What is asked of a model."""
    asked(folder, QUESTIONS, choice)


def use_space(folder: Path, choice: random.Random | None = None) -> None:
    """What is asked of a space of its own."""
    asked(folder, OF_A_SPACE, choice)


def use_corpus(folder: Path, choice: random.Random | None = None) -> None:
    """What is done with a corpus: it is counted, trained on, shown."""
    from hyperdive.counts.cooccurrence import Cooccurrence
    from hyperdive.counts.term_counts import TermCounts
    from hyperdive.options import CountOptions
    from hyperdive.text.corpus import Corpus

    corpus = Corpus.open(folder)
    repr(corpus)
    _ = corpus.vocabulary, corpus.line_offsets, corpus.document(0), corpus.sentence_of(3)
    if corpus.text is not None:
        corpus.sentence_text(1)
        corpus.document_text(2)
    if choice is None or choice.randrange(4) == 0:
        use_counts_of(Cooccurrence.from_corpus(corpus))
    _ = corpus.tokens, corpus.document_sentences
    list(corpus.abbreviations)
    if corpus.terms is not None:
        rules = CountOptions(window=3)
        rows = TermCounts(corpus.tokens, corpus.line_offsets, corpus.terms, corpus.vocabulary_size, rules)
        rows.rows(0, len(rows))


def use_counts_of(counts: object) -> None:
    """Reads all rows of counts."""
    from hyperdive.counts.cooccurrence import Cooccurrence

    assert isinstance(counts, Cooccurrence)
    _ = counts.words, counts.margins()
    counts.csr()
    counts.association("ppmi")
    for block in counts.blocks(include_unknown=True):
        _ = block


def use_counts(folder: Path, choice: random.Random | None = None) -> None:
    """What is done with a count store: it is read, and added to another."""
    from hyperdive.counts.cooccurrence import Cooccurrence

    use_counts_of(Cooccurrence.open(folder))


def use_patterns(folder: Path, choice: random.Random | None = None) -> None:
    """What is asked of patterns."""
    from hyperdive.patterns.store import Patterns

    patterns = Patterns.open(folder)
    _ = patterns.counts, patterns.head_counts, patterns.ppmi, patterns.hyponyms_of
    patterns.evidence("poodle", "dog")
    patterns.stated_hypernyms("poodle")
    patterns.svd()
    patterns.subset(["poodle", "dog"])


def use_info(folder: Path) -> None:
    """What `info` prints of any folder."""
    from hyperdive.cli.main import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main(["info", str(folder)])
    assert code in (0, 1)
    assert "Traceback" not in out.getvalue()


USES: dict[str, Callable[..., None]] = {
    "corpus": use_corpus,
    "lines": use_corpus,
    "counts": use_counts,
    "model": use_model,
    "sparse": use_space,
    "gaussian": use_space,
    "patterns": use_patterns,
}
