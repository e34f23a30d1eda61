"""What one would use instead of each stage, as programs of their own: `python bench/alternatives.py NAME TEXT FOLDER`.

`bench/suite.py` runs and measures them. Each reads the same plain text, one document a line.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

WINDOW, DIMENSIONS, LEAST = 10, 100, 10
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_NOUN = r"[a-z]+(?: [a-z]+)?"
HEARST = (
    re.compile(rf"(?P<p>{_NOUN}),? such as (?P<q>{_NOUN})"),
    re.compile(rf"such (?P<p>{_NOUN}) as (?P<q>{_NOUN})"),
    re.compile(rf"(?P<p>{_NOUN}),? including (?P<q>{_NOUN})"),
    re.compile(rf"(?P<p>{_NOUN}),? especially (?P<q>{_NOUN})"),
    re.compile(rf"(?P<q>{_NOUN}),? (?:and|or) other (?P<p>{_NOUN})"),
    re.compile(rf"(?P<q>{_NOUN}) (?:is|are|was|were) (?:an?|the) (?P<p>{_NOUN})"),
)


def words_of(text: Path) -> Iterator[list[str]]:
    """The lower-cased words of each document."""
    with text.open(encoding="utf-8") as file:
        for line in file:
            yield _WORD.findall(line.lower())


def numbered(text: Path) -> tuple[list[str], list[list[int]]]:
    """Frequent lemmas that are no stop words, and the documents as their numbers."""
    import simplemma

    from hyperdive.text.lemmas import ENGLISH_STOPWORDS

    lemma: dict[str, str] = {}
    documents = []
    for words in words_of(text):
        kept = []
        for word in words:
            if word not in lemma:
                plain = word.isascii() and word.isalpha()
                found = simplemma.lemmatize(word, lang="en").lower() if plain else ""
                lemma[word] = "" if found in ENGLISH_STOPWORDS else found
            if lemma[word]:
                kept.append(lemma[word])
        documents.append(kept)
    counts = Counter(word for document in documents for word in document)
    vocabulary = [word for word, times in counts.most_common() if times >= LEAST]
    number = {word: i for i, word in enumerate(vocabulary)}
    return vocabulary, [[number[word] for word in document if word in number] for document in documents]


def obvious_loop(text: Path, folder: Path) -> int:
    """Encoding as one writes it first: a regular expression, a dictionary of lemmas, lists of numbers."""
    _, documents = numbered(text)
    return sum(map(len, documents))


def obvious_count(text: Path, folder: Path) -> int:
    """The loop, and a dictionary of pairs: every co-occurrence in the window, both ways."""
    _, documents = numbered(text)
    pairs: Counter[tuple[int, int]] = Counter()
    for document in documents:
        for i, word in enumerate(document):
            for other in document[i + 1 : i + 1 + WINDOW]:
                pairs[word, other] += 1
                pairs[other, word] += 1
    return len(pairs)


def gensim_dictionary(text: Path, folder: Path) -> int:
    """gensim's own encoding: no lemmas, no stop words."""
    from gensim.corpora import Dictionary
    from gensim.utils import simple_preprocess

    dictionary, total = Dictionary(), 0
    with text.open(encoding="utf-8") as file:
        for line in file:
            tokens = simple_preprocess(line)
            dictionary.add_documents([tokens])
            total += len(dictionary.doc2idx(tokens))
    return total


def gensim_skipgram(text: Path, folder: Path, epochs: int = 1) -> int:
    """One epoch of gensim's skip-gram on two threads, reading and vocabulary included."""
    from gensim.models import Word2Vec

    vocabulary, documents = numbered(text)
    cuts = ((document, at) for document in documents for at in range(0, len(document), 100))
    lines = [[vocabulary[n] for n in document[at : at + 100]] for document, at in cuts]
    model = Word2Vec(sg=1, vector_size=DIMENSIONS, window=WINDOW, min_count=1, workers=2, seed=0)
    model.build_vocab(lines)
    if epochs:
        model.train(lines, total_examples=len(lines), epochs=epochs)
    return len(model.wv)


def gensim_vocabulary(text: Path, folder: Path) -> int:
    """What gensim's skip-gram does before its first epoch: taken off before that is multiplied."""
    return gensim_skipgram(text, folder, epochs=0)


def glove_cooccur(text: Path, folder: Path) -> int:
    """GloVe's `vocab_count` and `cooccur`, where they are on the PATH."""
    vocabulary, counts = folder / "glove-vocabulary.txt", folder / "glove-cooccurrence.bin"
    with text.open("rb") as source, vocabulary.open("wb") as out:
        subprocess.run(["vocab_count", "-min-count", str(LEAST), "-verbose", "0"], stdin=source, stdout=out, check=True)
    with text.open("rb") as source, counts.open("wb") as out:
        options = ["-vocab-file", str(vocabulary), "-window-size", str(WINDOW), "-verbose", "0"]
        subprocess.run(["cooccur", *options], stdin=source, stdout=out, check=True)
    size = counts.stat().st_size // 16
    counts.unlink()
    return size


def spacy_hearst(text: Path, folder: Path) -> int:
    """Six Hearst patterns as regular expressions over the sentences of spaCy's rules, without a tagger."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.max_length = 10**9
    pairs: Counter[tuple[str, str]] = Counter()
    with text.open(encoding="utf-8") as file:
        for document in nlp.pipe(file, batch_size=64):
            for sentence in document.sents:
                lower = sentence.text.lower()
                for pattern in HEARST:
                    pairs.update((match["q"], match["p"]) for match in pattern.finditer(lower))
    return len(pairs)


def sklearn_nmf(text: Path, folder: Path) -> int:
    """Non-negative factors of the positive PMI matrix by scikit-learn, from the counts that hyperdive wrote there."""
    from sklearn.decomposition import NMF

    from hyperdive.counts.cooccurrence import Cooccurrence

    matrix = Cooccurrence.open(folder / "counts").association("ppmi")
    return NMF(DIMENSIONS, init="nndsvda", max_iter=40, random_state=0, tol=0).fit_transform(matrix).shape[0]


PROGRAMS: dict[str, Callable[[Path, Path], int]] = {
    function.__name__: function
    for function in (
        obvious_loop, obvious_count, gensim_dictionary, gensim_vocabulary, gensim_skipgram,
        glove_cooccur, spacy_hearst, sklearn_nmf,
    )
}  # fmt: skip


def available(name: str) -> bool:
    """Whether what an alternative needs is installed."""
    from importlib.util import find_spec

    if name == "glove_cooccur":
        return all(shutil.which(program) for program in ("vocab_count", "cooccur"))
    package = {"gensim": "gensim", "spacy": "spacy", "sklearn": "sklearn"}.get(name.split("_")[0])
    return package is None or find_spec(package) is not None


if __name__ == "__main__":
    print(json.dumps({"result": PROGRAMS[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))}))
