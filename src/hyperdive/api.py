"""The Python door: `Dive(...).fit(text)` and `train(text, folder)` make a model, `load(path)` opens one, it answers.

In the manners of scikit-learn (construct, then fit) and gensim (ask the vectors). What training needs is imported when
training starts, so that a model that is only asked opens sooner.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from hyperdive._engine import Engine
from hyperdive._progress import SILENT, Progress
from hyperdive._spelling import unknown_word
from hyperdive.discover.question import source_of
from hyperdive.errors import InputError, OptionError
from hyperdive.options import AddCall, EncodeOptions, ReadingOptions, RunOptions, SpaceOptions, TrainCall, takes
from hyperdive.scores.registry import get
from hyperdive.scores.terms import split_term, terms_of
from hyperdive.spaces.model import ModelData

if TYPE_CHECKING:
    from hyperdive._resources import Run
    from hyperdive.discover.compare import Comparison
    from hyperdive.discover.completion import Suggestion
    from hyperdive.discover.explain import Explanation
    from hyperdive.discover.general import GeneralWord
    from hyperdive.discover.hypernyms import Answer
    from hyperdive.discover.similar import Neighbour
    from hyperdive.discover.statements import Statements
    from hyperdive.discover.topics import Topic
    from hyperdive.pipeline.add import Additions
    from hyperdive.pipeline.patterns import PatternSource
    from hyperdive.table import Table
    from hyperdive.taxonomy.corrections import Corrections
    from hyperdive.taxonomy.taxonomy import Taxonomy

DEFAULT_SCORE = "C·ΔS"
T = TypeVar("T")


class Model(ModelData):
    """A model that answers questions; see `hyperdive.spaces.model` for the folder it lives in.

    >>> from hyperdive.spaces.space import VectorSpace
    >>> matrix = np.array([[3, 2], [2, 1], [1, 0]])
    >>> dive = VectorSpace(["animal", "dog", "poodle"], matrix, frequencies=[9, 5, 1], kind="dive")
    >>> model = Model(dive)
    >>> round(model.score("poodle", "dog"), 3)
    1.789
    >>> model.score(["poodle", "animal"], ["dog", "dog"], "ΔS")
    array([ 2., -2.])
    >>> model.score("poodel", "dog")
    Traceback (most recent call last):
    hyperdive.errors.UnknownWordError: 'poodel' is not in this model (did you mean poodle?)
    >>> [answer.term for answer in model.hypernyms("poodle")]
    ['animal', 'dog']
    """

    @overload
    def score(self, hyponym: str, hypernym: str, name: str = ...) -> float: ...  # type: ignore[overload-overlap]
    @overload
    def score(self, hyponym: Sequence[str], hypernym: Sequence[str], name: str = ...) -> npt.NDArray[np.float64]: ...

    def score(
        self, hyponym: str | Sequence[str], hypernym: str | Sequence[str], name: str = DEFAULT_SCORE
    ) -> float | npt.NDArray[np.float64]:
        """How much the first is a kind of the second by a score of the table; larger is more.

        Terms may be phrases: one that the text has is a row of its own, another one is made of its parts (in a model
        without terms it is the mean of its words). Two strings give a number, and an unknown word is an error; two
        lists give an array with NaN where a word is unknown.
        """
        single = isinstance(hyponym, str)
        if single != isinstance(hypernym, str):
            raise InputError("score takes two terms or two lists of terms, not one of each")
        first = [hyponym] if isinstance(hyponym, str) else list(hyponym)
        second = [hypernym] if isinstance(hypernym, str) else list(hypernym)
        if len(first) != len(second):
            raise InputError(f"{len(first)} hyponyms and {len(second)} hypernyms do not make pairs")
        distinct = list(dict.fromkeys([*first, *second]))
        number = {term: i for i, term in enumerate(distinct)}
        terms = terms_of(source_of(self), distinct)
        if single:
            for term in (first[0], second[0]):
                if not terms.found[number[term]]:
                    missing = next((word for word in split_term(term) if word not in self), term)
                    raise unknown_word(missing, self.words, self.dive, "this model")
        q = np.array([number[term] for term in first], dtype=np.int64)
        p = np.array([number[term] for term in second], dtype=np.int64)
        known = terms.found[q] & terms.found[p]
        values = np.full(len(q), np.nan)
        values[known] = get(name)(terms.pairs(q[known], p[known], places=np.flatnonzero(known)))
        return float(values[0]) if single else values

    # ---- what it knows: each gives a small table, see hyperdive.discover ---------------------------------------

    @overload
    def hypernyms(  # type: ignore[overload-overlap]
        self,
        word: str,
        top: int = ...,
        *,
        candidates: Iterable[str] | Path | None = ...,
        block: Iterable[str] | Path = ...,
        score: str | None = ...,
        min_confidence: float | None = ...,
        evidence: int = ...,
    ) -> Table[Answer]: ...
    @overload
    def hypernyms(
        self,
        word: Sequence[str],
        top: int = ...,
        *,
        candidates: Iterable[str] | Path | None = ...,
        block: Iterable[str] | Path = ...,
        score: str | None = ...,
        min_confidence: float | None = ...,
        evidence: int = ...,
    ) -> list[Table[Answer]]: ...

    def hypernyms(
        self,
        word: str | Sequence[str],
        top: int = 10,
        *,
        candidates: Iterable[str] | Path | None = None,
        block: Iterable[str] | Path = (),
        score: str | None = None,
        min_confidence: float | None = None,
        evidence: int = 0,
    ) -> Table[Answer] | list[Table[Answer]]:
        """Terms that a word is a kind of, the likeliest first; empty when nothing is likely enough.

        Args:
            word: A word or phrase, which gives a table; or a list of them, which gives a list of tables. One unknown
                word is an error; in a list its table is empty and `unknown` says why.
            top: Most answers to a word.
            candidates: Only these terms answer; a `Path` names a file of terms. None is every word of the model.
            block: These terms never answer.
            score: The score to rank by; None is the best that the model allows.
            min_confidence: Minimum confidence of an answer; None is 0.35.
            evidence: Most sentences of the text to give with each answer.
        """
        options = {"candidates": candidates, "block": block, "score": score, "min_confidence": min_confidence}
        return self._answers(word, False, top=top, evidence=evidence, **options)

    @overload
    def hyponyms(  # type: ignore[overload-overlap]
        self,
        word: str,
        top: int = ...,
        *,
        candidates: Iterable[str] | Path | None = ...,
        block: Iterable[str] | Path = ...,
        score: str | None = ...,
        min_confidence: float | None = ...,
        evidence: int = ...,
    ) -> Table[Answer]: ...
    @overload
    def hyponyms(
        self,
        word: Sequence[str],
        top: int = ...,
        *,
        candidates: Iterable[str] | Path | None = ...,
        block: Iterable[str] | Path = ...,
        score: str | None = ...,
        min_confidence: float | None = ...,
        evidence: int = ...,
    ) -> list[Table[Answer]]: ...

    def hyponyms(
        self,
        word: str | Sequence[str],
        top: int = 10,
        *,
        candidates: Iterable[str] | Path | None = None,
        block: Iterable[str] | Path = (),
        score: str | None = None,
        min_confidence: float | None = None,
        evidence: int = 0,
    ) -> Table[Answer] | list[Table[Answer]]:
        """Terms that are a kind of a word, the likeliest first; arguments as for `hypernyms`."""
        options = {"candidates": candidates, "block": block, "score": score, "min_confidence": min_confidence}
        return self._answers(word, True, top=top, evidence=evidence, **options)

    @overload
    def senses(  # type: ignore[overload-overlap]
        self,
        word: str,
        top: int = ...,
        *,
        candidates: Iterable[str] | Path | None = ...,
        block: Iterable[str] | Path = ...,
        score: str | None = ...,
        min_confidence: float | None = ...,
        evidence: int = ...,
    ) -> Table[Answer]: ...
    @overload
    def senses(
        self,
        word: Sequence[str],
        top: int = ...,
        *,
        candidates: Iterable[str] | Path | None = ...,
        block: Iterable[str] | Path = ...,
        score: str | None = ...,
        min_confidence: float | None = ...,
        evidence: int = ...,
    ) -> list[Table[Answer]]: ...

    def senses(
        self,
        word: str | Sequence[str],
        top: int = 10,
        *,
        candidates: Iterable[str] | Path | None = None,
        block: Iterable[str] | Path = (),
        score: str | None = None,
        min_confidence: float | None = None,
        evidence: int = 0,
    ) -> Table[Answer] | list[Table[Answer]]:
        """Terms that a word is a kind of, grouped by sense (a tiger is an animal, and a team), up to `top` of each.

        Arguments as for `hypernyms`; a list of words gives a list of tables.
        """
        options = {"candidates": candidates, "block": block, "score": score, "min_confidence": min_confidence}
        return self._answers(word, False, top=top, evidence=evidence, senses=True, **options)

    def _answers(
        self, word: str | Sequence[str], narrower: bool, **options: Any
    ) -> Table[Answer] | list[Table[Answer]]:
        from hyperdive.discover.hypernyms import AnswerOptions, ask

        tables = ask(self, _listed(word), AnswerOptions(**options), narrower=narrower)
        return _only(tables) if isinstance(word, str) else tables

    @overload
    def similar(self, word: str, top: int = ...) -> Table[Neighbour]: ...  # type: ignore[overload-overlap]
    @overload
    def similar(self, word: Sequence[str], top: int = ...) -> list[Table[Neighbour]]: ...

    def similar(self, word: str | Sequence[str], top: int = 10) -> Table[Neighbour] | list[Table[Neighbour]]:
        """The nearest words by cosine, of the skip-gram vectors where there are some, else of DIVE.

        A list of words gives a list of tables, as for `hypernyms`.
        """
        from hyperdive.discover.similar import similar

        tables = similar(self, _listed(word), top)
        return _only(tables) if isinstance(word, str) else tables

    def statements(self, hyponym: str, hypernym: str, top: int = 5) -> Statements:
        """What the text states of a pair: how often, by which patterns, and at most `top` sentences."""
        from hyperdive.discover.statements import statements

        return statements(self, hyponym, hypernym, top)

    def suggest(self, text: str, top: int = 10) -> Table[Suggestion]:
        """Words and terms that begin with a text, or are spelled like it, for completion."""
        from hyperdive.discover.completion import suggest

        return suggest(self, text, top)

    def general(self, query: str | None = None, top: int = 30) -> Table[GeneralWord]:
        """The most general words, on the whole or within the topics of a query."""
        from hyperdive.discover.general import general_words

        return general_words(self, query, top)

    def topics(self, top: int | None = None, words: int = 5) -> Table[Topic]:
        """Every dimension with a label, its first words and its status."""
        from hyperdive.discover.topics import topics

        return topics(self, top, words)

    def explain(self, hyponym: str, hypernym: str, top: int | None = None) -> Explanation:
        """A pair dimension by dimension, and the verdict of every score."""
        from hyperdive.discover.explain import explain

        return explain(self, hyponym, hypernym, top)

    def compare(self, *words: str, top: int | None = None) -> Comparison:
        """Words side by side over the dimensions they have."""
        from hyperdive.discover.compare import compare

        return compare(self, words, top)

    def taxonomy(
        self,
        terms: Iterable[str] | str | Path | None = None,
        *,
        root: str | None = None,
        top: int | None = None,
        levels: int | None = None,
        min_children: int = 0,
        max_children: int | None = None,
        min_confidence: float | None = None,
        score: str | None = None,
        parents: int = 1,
        heads: bool = True,
        evidence: int = 0,
        corrections: Corrections | str | Path | None = None,
        progress: Progress = SILENT,
    ) -> Taxonomy:
        """Terms, each under the term it is a kind of.

        Args:
            terms: A list of terms, or a `Path` to a file of them. One word gives the terms beneath it, as `root`
                does. None takes the most useful words of the model.
            root: Find the terms beneath this word.
            top: How many terms the model chooses; None is 500, or 200 beneath a root.
            levels: Levels beneath a root; deeper terms are left out.
            min_children: Smaller groups are dissolved into the group above.
            max_children: The least likely children of larger groups move to their next best parent.
            min_confidence: Minimum confidence (or score) of an edge.
            score: The score to build by; None is the best that the model allows.
            parents: Most parents of a term; more than 1 gives a graph instead of a tree.
            heads: Add the heads of phrases to the terms: dog for domestic dog.
            evidence: Most sentences of the text to keep with each edge.
            corrections: Edges to force or forbid, or a file of them.
            progress: Where to report progress.
        """
        from hyperdive.taxonomy.build import taxonomy
        from hyperdive.taxonomy.options import TaxonomyOptions

        if isinstance(terms, str):
            if root is not None:
                raise OptionError(f"{terms!r} and the root {root!r} cannot both be asked for", hint="give one of them")
            terms, root = None, terms
        options = TaxonomyOptions(
            root=root,
            top=top,
            levels=levels,
            min_children=min_children,
            max_children=max_children,
            min_confidence=min_confidence,
            score=score,
            parents=parents,
            heads=heads,
            evidence=evidence,
        )
        return taxonomy(self, terms, options, corrections=corrections, progress=progress)


def _listed(words: str | Sequence[str]) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


def _only(tables: list[Table[T]]) -> Table[T]:
    """The answer to one question; an unknown word is an error here."""
    [table] = tables
    if table.unknown is not None:
        raise table.unknown
    return table


@takes(TrainCall)
def train(
    source: Any = None,
    output: str | Path | None = None,
    *,
    texts: Iterable[Any] | None = None,
    preset: str = "default",
    patterns: PatternSource = True,
    start: Model | None = None,
    engine: Engine | None = None,
    part_bytes: int | None = None,
    progress: Progress = SILENT,
    **options: Any,
) -> Model:
    """Train a model, or with `space` another space, and save it.

    Args:
        source: Path(s) of text, a `Corpus`, a `Cooccurrence`, a folder of either, or whatever `encode` takes.
        output: The model folder to write.
        texts: Raw documents instead of `source`: an iterable of strings.
        preset: The values to start from: `default`, or `paper` for those of the paper.
        patterns: False leaves out what the text states; corpora or folders of patterns give it for counts.
        start: An earlier model to start from.
        engine: Where the work is run, such as a `hyperdive.engines.SparkEngine`; None is this process. The result is
            the same.
        part_bytes: Text that a task of an engine reads.
        progress: Where to report progress.
        options: Those of `hyperdive.options.TrainCall`: rules for text, the objective, threads and memory.

    >>> lines = ["the poodle and the spaniel are dogs that bark", "cats and dogs are animals that sleep"] * 60
    >>> folder = Path(tempfile.mkdtemp())
    >>> train(texts=lines, output=folder / "model", dimensions=4, pmi_filter="none", passes=5)
    <Model of 7 words: dive 4 dimensions, contexts, skipgram, terms, patterns>
    >>> _ = (folder / "pets.txt").write_text("\\n".join(lines))
    >>> train(folder / "pets.txt", folder / "sbow", space="sbow-ppmi")
    <Model of 7 words: sbow-ppmi 7 dimensions>
    """
    from hyperdive.pipeline.encode import encode
    from hyperdive.pipeline.inputs import TokenLists, read_input
    from hyperdive.pipeline.train import train
    from hyperdive.text.sources import DocumentSource

    if output is None:
        raise OptionError("a model needs a folder to be written to", hint="give output=")
    options = {name: value for name, value in options.items() if value is not None}
    run, options = _run_of(TrainCall, preset, options, engine, progress)
    given: Any = read_input(source, texts)
    if not isinstance(given, DocumentSource | TokenLists):
        given = given[0] if isinstance(given, list) and len(given) == 1 else given
        rest: dict[str, Any] = {"preset": preset, "patterns": patterns, "start": start, "part_bytes": part_bytes}
        return Model.of(train(given, output, run=run, **rest, **options))
    if engine is not None:
        raise OptionError("an engine reads files, not documents of a program", hint="write the text to files")
    rules = {**EncodeOptions.own(options), **ReadingOptions.own(options), "preset": preset}
    if patterns is not True:
        rules["patterns"] = False
    with tempfile.TemporaryDirectory(prefix="hyperdive-") as folder:
        corpus = encode(
            given, Path(folder) / "corpus", threads=run.threads, memory=run.memory, progress=progress, **rules
        )
        own = SpaceOptions.own(options) | {name: options[name] for name in _OF_THE_MODEL if name in options}
        return Model.of(train(corpus, output, preset=preset, patterns=patterns, start=start, run=run, **own))


_OF_THE_MODEL = ("space", "skipgram", "contexts", "terms")


def _run_of(
    kind: type[RunOptions], preset: str, options: Mapping[str, Any], engine: Engine | None, progress: Progress
) -> tuple[Run, dict[str, Any]]:
    """Check all options; return those of the run, and the others."""
    from hyperdive._resources import Run, memory_limit

    kind.preset(preset, **options)
    own = {name: value for name, value in options.items() if name in ("threads", "memory", "force", "restart")}
    if "memory" in own:
        own["memory"] = memory_limit(own["memory"])
    others = {name: value for name, value in options.items() if name not in own}
    return Run(engine=engine, progress=progress, **own), others


@takes(AddCall)
def add(
    model: Model | str | Path,
    source: Any = None,
    output: str | Path | None = None,
    *,
    texts: Iterable[Any] | None = None,
    progress: Progress = SILENT,
    **options: Any,
) -> tuple[Model, Additions]:
    """Fold the terms and the evidence of new text into a model, without training again; the model itself stays.

    Terms that the model does not have get rows; of those it has, only the counts grow. Words stay as they are.

    Args:
        model: A model with context vectors, or its folder.
        source: Text as for `encode`, or an encoded corpus.
        output: The folder of the new model.
        texts: Raw documents instead of `source`: an iterable of strings.
        progress: Where to report progress.
        options: Those of `hyperdive.options.AddCall`, such as `terms`, a file of terms that are added in any case.

    >>> lines = ["the poodle and the spaniel are dogs that bark", "cats and dogs are animals that sleep"] * 60
    >>> folder = Path(tempfile.mkdtemp())
    >>> model = train(texts=lines, output=folder / "model", dimensions=4, pmi_filter="none", passes=5)
    >>> more = ["the guide dog and the spaniel bark", "animals such as terriers sleep"] * 20
    >>> larger, additions = add(model, texts=more, output=folder / "larger")
    >>> "terrier" in larger.terms, larger.patterns.count("terrier", "animal"), additions.terms_updated
    (True, 20, 0)
    """
    from hyperdive.pipeline.add import add
    from hyperdive.pipeline.inputs import read_input

    if output is None:
        raise OptionError("a model needs a folder to be written to", hint="give output=")
    run, others = _run_of(AddCall, "default", {k: v for k, v in options.items() if v is not None}, None, progress)
    given: Any = read_input(source, texts)
    given = given[0] if isinstance(given, list) and len(given) == 1 else given
    old = model if isinstance(model, Model) else load(model)
    made, additions = add(old, given, output, run=run, **others)
    return Model.of(made), additions


def load(path: str | Path, *, verify: bool = True) -> Model:
    """Open a saved model or space, or a model that comes with the package by its name.

    `verify=False` skips the checksums.
    """
    return Model.load(path, verify=verify)
