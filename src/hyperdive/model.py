"""A model: words with their vectors, what the text states, and the questions it answers.

The questions live in `hyperdive.ask` and `hyperdive.taxonomy`, which are imported when a question is first asked.
In every argument that takes terms, a `str` is one term, a `Path` is a file with one term per line, and anything else is
a sequence of terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, vstack

from hyperdive._progress import SILENT, Progress
from hyperdive.errors import FormatError, InputError, OptionError
from hyperdive.patterns.store import Patterns
from hyperdive.spaces.model_folder import composition_of, read_model, space_of, write_model
from hyperdive.spaces.packaged_models import ModelPlace, find_model
from hyperdive.spaces.space import VectorSpace
from hyperdive.table import Table
from hyperdive.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from hyperdive.ask.explain import Comparison, Explanation
    from hyperdive.ask.hypernyms import Answer
    from hyperdive.ask.similar import Neighbour
    from hyperdive.ask.statements import Statements
    from hyperdive.ask.topics import GeneralWord, Topic
    from hyperdive.spaces.composition import Composition
    from hyperdive.taxonomy.corrections import Corrections
    from hyperdive.taxonomy.taxonomy import Taxonomy

T = TypeVar("T")
Later = VectorSpace | Callable[[], VectorSpace] | None
Terms = str | Path | Iterable[str]
"""One term, a file with one term per line, or several terms."""


class Model:
    """Words with their vectors, and what was trained beside them; `hyperdive.load` opens one, `train` makes one.

    `dive` holds the vectors that questions are about: those of DIVE, or of the one space that was trained or imported
    instead. `parameters` are the options of the training.

    >>> matrix = np.array([[3, 2], [2, 1], [1, 0]])
    >>> dive = VectorSpace(["animal", "dog", "poodle"], matrix, frequencies=[9, 5, 1], kind="dive")
    >>> model = Model(dive)
    >>> model, model["dog"], "dog" in model, len(model)
    (<Model of 3 words: dive 2 dimensions>, array([2., 1.], dtype=float32), True, 3)
    >>> [answer.term for answer in model.hypernyms("poodle")]
    ['animal', 'dog']
    """

    def __init__(
        self,
        dive: VectorSpace,
        *,
        contexts: Later = None,
        skipgram: Later = None,
        composition: Composition | Callable[[], Composition] | None = None,
        patterns: Patterns | Callable[[], Patterns] | None = None,
        parameters: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self.parameters = dict(dive.parameters if parameters is None else parameters)
        self._spaces: dict[str, Later] = {"dive": dive, "contexts": contexts, "skipgram": skipgram}
        self.vocabulary = dive.vocabulary
        """The words, and the multi-word terms after them, with spellings and abbreviations."""
        self._dive = dive.of_words
        self._composition, self._patterns = composition, patterns
        self._pattern_numbers: npt.NDArray[np.int64] | None = None
        self._facts = dict(facts or {})
        self._stored: ModelPlace | None = None

    # ---- vectors and tables -----------------------------------------------------------------------------------

    @property
    def words(self) -> list[str]:
        """The words, most frequent first."""
        return self.dive.words

    @property
    def terms(self) -> list[str]:
        """The names of the multi-word terms."""
        return self.vocabulary.terms

    @property
    def frequencies(self) -> npt.NDArray[np.int64]:
        """n(w) of every word."""
        return self.dive.frequencies

    @property
    def dive(self) -> VectorSpace:
        """The vectors of the words."""
        return self._dive

    @property
    def contexts(self) -> VectorSpace | None:
        """The context vectors c of w·c, or None when they were not kept."""
        return space_of(self, "contexts")

    @property
    def skipgram(self) -> VectorSpace | None:
        """The skip-gram vectors of the words behind the score W, or None."""
        space = space_of(self, "skipgram")
        return None if space is None else space.of_words

    @property
    def patterns(self) -> Patterns | None:
        """What the text states, or None when it was not read for that."""
        if callable(self._patterns):
            self._patterns = self._patterns()
        return self._patterns

    def __len__(self) -> int:
        return len(self.dive)

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __iter__(self) -> Iterator[str]:
        return iter(self.dive)

    def vector(self, word: str) -> npt.NDArray[np.float32]:
        """Return the vector of a word or a term; an unknown one is an error with near spellings."""
        return space_of(self).vector(word)

    __getitem__ = vector

    def subset(self, words: Sequence[str]) -> Self:
        """Return the same model with these words only; terms stay, what `add` needs goes with the other contexts."""
        names, skipgram = [*words, *self.terms], space_of(self, "skipgram")
        return type(self)(
            space_of(self).subset(names),
            contexts=None if self.contexts is None else self.contexts.subset(words),
            skipgram=None if skipgram is None else skipgram.subset(names),
            composition=self._composition,
            patterns=None if self.patterns is None else self.patterns.subset(words),
            parameters=self.parameters,
            facts=self._facts,
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} words: {', '.join(self._parts())}>"

    def _parts(self) -> list[str]:
        beside = {**self._spaces, "dive": None, "terms": self.terms or None, "patterns": self._patterns}
        present = [name for name, part in beside.items() if part is not None]
        return [f"{self.dive.kind} {self.dive.dimensions} dimensions", *present]

    def _repr_html_(self) -> str:
        """The same as a small table for a notebook, with the corpus where it is recorded."""
        rows = [_Fact("words", f"{len(self):,}"), _Fact("contents", ", ".join(self._parts()))]
        rows += [_Fact("terms", f"{len(self.terms):,}")] if self.terms else []
        tokens = dict(self._facts.get("corpus") or {}).get("tokens")
        rows += [_Fact("trained on", f"{tokens:,} tokens")] if isinstance(tokens, int) else []
        rows.append(_Fact("most frequent words", ", ".join(self.words[:8])))
        return Table(_Fact, rows, title=type(self).__name__)._repr_html_()

    # ---- questions about pairs --------------------------------------------------------------------------------

    @overload
    def confidence(self, hyponym: str, hypernym: str) -> float: ...  # type: ignore[overload-overlap]
    @overload
    def confidence(self, hyponym: Path | Sequence[str], hypernym: Path | Sequence[str]) -> npt.NDArray[np.float64]: ...

    def confidence(
        self, hyponym: str | Path | Sequence[str], hypernym: str | Path | Sequence[str]
    ) -> float | npt.NDArray[np.float64]:
        """Return the confidence, from 0 to 1, that the first term is a kind of the second.

        Two terms give a number, and an unknown term is an error; two sequences of the same length give an array with
        NaN for pairs with an unknown term. A model without patterns has no confidence, which is an error.

        >>> from hyperdive import load
        >>> model = load("en-wiki")
        >>> model.confidence("malaria", "disease") > 0.9 > 0.1 > model.confidence("disease", "malaria")
        True
        >>> model.confidence(["malaria", "qwxyz"], ["disease", "disease"]).round(2).tolist()[1]
        nan
        """
        from hyperdive.ask.ranking import ranking

        by = ranking(self)
        if not by.calibrated:
            missing = "patterns" if self._patterns is None else "skip-gram vectors"
            raise InputError(f"this model has no {missing}, so no confidences", hint="name a score, such as 'C·ΔS'")
        return self._pair_values(hyponym, hypernym, by.name)

    @overload
    def score(self, hyponym: str, hypernym: str, name: str | None = ...) -> float: ...  # type: ignore[overload-overlap]
    @overload
    def score(
        self, hyponym: Path | Sequence[str], hypernym: Path | Sequence[str], name: str | None = ...
    ) -> npt.NDArray[np.float64]: ...

    def score(
        self, hyponym: str | Path | Sequence[str], hypernym: str | Path | Sequence[str], name: str | None = None
    ) -> float | npt.NDArray[np.float64]:
        """Return how much the first term is a kind of the second by a named score; larger is more.

        Without a name it is the confidence. Terms as for `confidence`; the names are those of `hyperdive score --list`.

        >>> dive = VectorSpace(["animal", "dog"], [[3, 2], [2, 1]], frequencies=[9, 5], kind="dive")
        >>> model = Model(dive)
        >>> model.score("dog", "animal", "ΔS"), model.score(["dog", "animal"], ["animal", "dog"], "ΔS").tolist()
        (2.0, [2.0, -2.0])
        >>> model.score("dgo", "animal", "ΔS")
        Traceback (most recent call last):
        hyperdive.errors.UnknownWordError: 'dgo' is not in this model (did you mean dog?)
        """
        return self.confidence(hyponym, hypernym) if name is None else self._pair_values(hyponym, hypernym, name)

    def _pair_values(self, hyponym: Terms, hypernym: Terms, name: str) -> float | npt.NDArray[np.float64]:
        from hyperdive.ask.question import pair_scores

        if (single := isinstance(hyponym, str)) != isinstance(hypernym, str):
            raise InputError("two terms or two sequences of terms make pairs, not one of each")
        values = pair_scores(self, self._listed(hyponym), self._listed(hypernym), name, unknown_is_error=single)
        return float(values[0]) if single else values

    def evidence(self, hyponym: str, hypernym: str, top: int = 5) -> Statements:
        """Return at most `top` sentences that call the first term a kind of the second, the most telling first.

        The result is a table of sentences that also has the number of statements and of each pattern. Statements about
        an abbreviation and about its long form are taken together.
        """
        from hyperdive.ask.statements import statements

        return statements(self, hyponym, hypernym, top)

    @overload
    def explain(self, hyponym: str, hypernym: str, /, *, top: int | None = ...) -> Explanation: ...
    @overload
    def explain(self, first: str, second: str, third: str, /, *more: str, top: int | None = ...) -> Comparison: ...

    def explain(self, *terms: str, top: int | None = None) -> Explanation | Comparison:
        """Explain a pair, hyponym first, dimension by dimension and score by score; or compare three to six terms.

        Args:
            terms: Two terms, or up to six to see side by side.
            top: Most dimensions; None is all that have values.
        """
        from hyperdive.ask.explain import compare, explain

        return explain(self, *terms, top=top) if len(terms) == 2 else compare(self, terms, top)

    # ---- questions about terms --------------------------------------------------------------------------------

    def hypernyms(
        self,
        word: Terms,
        top: int = 10,
        *,
        candidates: Terms | None = None,
        block: Terms | None = None,
        score: str | None = None,
        min_confidence: float | None = None,
        evidence: int = 0,
        senses: bool = False,
    ) -> Table[Answer]:
        """Return the terms that a word is a kind of, the likeliest first; empty when nothing is likely enough.

        A single unknown word is an error. Several words give one table with the column `word`; those unknown are in
        its mapping `unknown`.

        Args:
            word: One word or phrase, several, or a `Path` to a file of them.
            top: Most answers per word, or per sense.
            candidates: Only these terms answer; None is every word of the model.
            block: These terms never answer.
            score: The score to rank by; None is the best that the model allows.
            min_confidence: Minimum confidence of an answer; None is 0.35.
            evidence: Most sentences of the text to give with each answer.
            senses: Group the answers by sense (a tiger is an animal, and a team).
        """
        return self._answers(
            word,
            narrower=False,
            top=top,
            candidates=candidates,
            block=block,
            score=score,
            min_confidence=min_confidence,
            evidence=evidence,
            senses=senses,
        )

    def hyponyms(
        self,
        word: Terms,
        top: int = 10,
        *,
        candidates: Terms | None = None,
        block: Terms | None = None,
        score: str | None = None,
        min_confidence: float | None = None,
        evidence: int = 0,
    ) -> Table[Answer]:
        """Return the terms that are a kind of a word, the likeliest first; arguments as for `hypernyms`."""
        return self._answers(
            word,
            narrower=True,
            top=top,
            candidates=candidates,
            block=block,
            score=score,
            min_confidence=min_confidence,
            evidence=evidence,
        )

    def _answers(self, word: Terms, *, narrower: bool, candidates: Any, block: Any, **options: Any) -> Table[Answer]:
        from hyperdive.ask.hypernyms import Answer, ask
        from hyperdive.ask.options import AnswerOptions

        chosen, blocked = (None if terms is None else self._listed(terms) for terms in (candidates, block))
        words = self._listed(word)
        given = AnswerOptions(candidates=chosen, block=blocked, **options)
        return _together(word, Answer, words, ask(self, words, given, narrower=narrower))

    def similar(self, word: Terms, top: int = 10) -> Table[Neighbour]:
        """Return the nearest words by cosine, of the skip-gram vectors where there are some, else of DIVE.

        Several words give one table, as for `hypernyms`.
        """
        from hyperdive.ask.similar import Neighbour, similar

        words = self._listed(word)
        return _together(word, Neighbour, words, similar(self, words, top))

    def _listed(self, terms: Terms) -> list[str]:
        """Return the terms of an argument: one term, the terms of a file, or several."""
        from hyperdive.ask.question import listed_terms, refuse_file_name

        listed = listed_terms(terms)
        if not isinstance(terms, Path):
            for term in listed:
                if len(listed) == 1 or "." in term:
                    refuse_file_name(self, term)
        return listed

    # ---- the model as a whole ---------------------------------------------------------------------------------

    def topics(
        self, top: int | None = None, words: int = 8, *, general: bool = False, query: str | None = None
    ) -> Table[Topic] | Table[GeneralWord]:
        """Return every dimension with a label, its first words and its status; or the most general words.

        Args:
            top: Most dimensions or words; None is all dimensions, or 30 words.
            words: Words to show of each dimension.
            general: List the most general words instead of dimensions.
            query: With `general`, list words that are general within the topics of this term.
        """
        from hyperdive.ask.topics import MOST_GENERAL, general_words, topics

        if general:
            return general_words(self, query, MOST_GENERAL if top is None else top)
        if query is not None:
            raise OptionError("query is for the most general words", hint="add general=True")
        return topics(self, top, words)

    def taxonomy(
        self,
        terms: Terms | None = None,
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
        """Put each term under the term that it is a kind of.

        Args:
            terms: Several terms, or a `Path` to a file of them. One term gives the terms beneath it, as `root` does.
                None takes the most useful words of the model.
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
                raise OptionError(f"the term {terms!r} and the root {root!r} exclude each other", hint="give one")
            [root], terms = self._listed(terms), None
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

    # ---- files and other processes ----------------------------------------------------------------------------

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the model folder; with `force` an older model there stays until the new one is complete.

        A model of one space other than DIVE is written as that space, as training writes it.
        """
        alone = self._patterns is None and all(self._spaces[name] is None for name in ("contexts", "skipgram"))
        if alone and self.dive.kind != "dive" and self.parameters == self.dive.parameters and not self._facts:
            self.dive.save(path, force=force)
        else:
            write_model(self, self._facts, path, force=force)

    @classmethod
    def load(cls, path: str | Path = "en-wiki", *, verify: bool = True) -> Self:
        """Open a model or space folder, or a packaged model by name; parts beside `dive` are read when needed.

        Each file is compared with its checksum when it is first read; `verify=False` skips that.
        """
        folder = find_model(path)
        parts, pattern_numbers = read_model(folder, verify=verify)
        model = cls(**parts)
        model._pattern_numbers = pattern_numbers
        model._stored = ModelPlace.of(folder)
        return model

    def __reduce_ex__(self, protocol: Any) -> Any:
        # other processes open the folder themselves, so that a model is cheap to send; without it they get the arrays
        if self._stored is not None and self._stored == ModelPlace.of(self._stored.folder):
            return _reopened, (type(self), self._stored.name, self._stored.hash)
        return super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        spaces = {name: space_of(self, name) for name in self._spaces}
        read = {"_composition": composition_of(self), "_patterns": self.patterns, "_spaces": spaces, "_stored": None}
        return {name: value for name, value in vars(self).items() if name not in ("_memo", "_dive")} | read

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._dive = space_of(self).of_words


@dataclass(frozen=True)
class _Fact:
    """One line of what a notebook shows of a model."""

    name: str
    value: str


@lru_cache(maxsize=4)
def _reopened(kind: type[Model], place: str, hash: str) -> Model:
    """Open the model of another process; the tasks of one process share it."""
    model = kind.load(place, verify=False)
    if model._stored is None or model._stored.hash != hash:
        raise FormatError(f"{place}: not the model that was sent from the other process", hint="send it again")
    return model


def _together(given: Terms, row: type[T], words: Sequence[str], tables: Sequence[Table[T]]) -> Table[T]:
    """Return the answers to one word, or those to several in one table; one unknown word is an error."""
    if isinstance(given, str):
        [table] = tables
        for error in table.unknown.values():
            raise error
        return table
    return Table.joined(row, words, tables)


def facts_of(model: Model) -> Mapping[str, Any]:
    """Return what was recorded while a model was made: its corpus, the objective after each pass, later additions."""
    return model._facts


def with_terms(
    model: Model, terms: Vocabulary, dive: Any, skipgram: Any = None, composition: Composition | None = None
) -> Model:
    """Return a model with these terms in place of its own; a term that is also a word is left out.

    Args:
        model: the model.
        terms: the terms, with their frequencies, spellings and abbreviations.
        dive: a DIVE vector for each.
        skipgram: a skip-gram vector for each, where the words have some.
        composition: the maps that compose vectors of further terms.
    """
    words, kept = model.vocabulary.of_words, np.flatnonzero([name not in model.dive for name in terms])
    rows = kept.tolist()
    vocabulary = Vocabulary(
        [*words.names, *(terms.names[row] for row in rows)],
        np.concatenate([words.frequencies, terms.frequencies[kept]]),
        words=len(words),
        spellings=[*words.spellings, *(terms.spellings[row] for row in rows)],
        abbreviations=terms.abbreviations,
    )

    def joined(space: VectorSpace, below: Any) -> VectorSpace:
        parts = [space.matrix, below[kept]]
        sparse = any(not isinstance(part, np.ndarray) for part in parts)
        matrix = vstack(list(map(csr_array, parts)), format="csr") if sparse else np.concatenate(parts)
        return VectorSpace(vocabulary, matrix, kind=space.kind, parameters=space.parameters)

    twin = model.skipgram
    return type(model)(
        joined(model.dive, dive),
        contexts=model.contexts,
        skipgram=None if twin is None or skipgram is None else joined(twin, skipgram),
        composition=composition,
        patterns=model._patterns,
        parameters=model.parameters,
        facts=model._facts,
    )


def in_memory(model: Model) -> Model:
    """Return the same model without its folder, which may then be removed."""
    made = type(model).__new__(type(model))
    made.__setstate__(deepcopy(model.__getstate__()))
    return made


def load(path: str | Path = "en-wiki", *, verify: bool = True) -> Model:
    """Open a saved model or space, or a model that comes with the package by its name.

    `verify=False` skips the checksums.
    """
    return Model.load(path, verify=verify)
