"""The model people keep: the vectors of one vocabulary (DIVE, contexts, skip-gram) and what patterns say, in a folder.

Folder (format `hyperdive-model`, version 3; version 2 had no terms and nothing for fold-in, version 1 no patterns):

| file | content |
| --- | --- |
| `header.json` | format, version, parameters, facts about the corpus, training history, checksums |
| `vocabulary.txt` | one word a line, by falling frequency; the unknown symbol is not in it |
| `model.safetensors` | `frequencies`; of `dive` and `contexts` the non-zero entries row by row; `skipgram` dense |
| `terms.txt`, `abbreviations.txt` | terms beside the words, when there are some: see `hyperdive.spaces.term_table` |
| `README.md` | the model card |
| `pattern-terms.txt`, `patterns.safetensors` | pairs that the text states, when patterns were read |
| `evidence.parquet`, `sentences.parquet` | sentences behind those pairs, when they were kept |

Values are stored in 16 bits when that loses nothing; training rounds its results so that it never does. Rows of
`skipgram` that were rounded to 8 bits are stored so: as int8, with `skipgram.exponents` (see `hyperdive._quantize`).
With contexts the tensors `folding.*` are there too, which rows of new terms need (see `hyperdive.spaces.fold_in`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from hyperdive._memo import Memo
from hyperdive._store import HEADER, Artifact, ArtifactWriter, header_fields, narrowest, read_header
from hyperdive.errors import InputError
from hyperdive.patterns.evidence import Evidence
from hyperdive.patterns.store import Patterns
from hyperdive.patterns.store_files import TENSORS, about, write_files
from hyperdive.spaces.model_files import TENSORS as SPACE_TENSORS
from hyperdive.spaces.model_files import VOCABULARY, StoredSpaces, space_tensors
from hyperdive.spaces.packaged_models import find_model
from hyperdive.spaces.space import KIND as SPACE
from hyperdive.spaces.space import VectorSpace
from hyperdive.spaces.term_table import NO_ABBREVIATIONS, TERMS, TermTable
from hyperdive.text.abbreviations import ABBREVIATIONS, Abbreviations

if TYPE_CHECKING:
    from hyperdive.spaces.folding import Folding

KIND, VERSION = "model", 3
MADE_WITH = "hyperdive train TEXT -o MODEL"
Later = VectorSpace | Callable[[], VectorSpace] | None


class ModelData:
    """What a model holds: words with their vectors, and what was trained beside them.

    `hyperdive.Model` is this class with the questions it answers. `dive` are the vectors that questions are asked of:
    those of DIVE, or of the one space that was trained or imported instead.

    >>> words, frequencies = ["animal", "dog"], [40, 9]
    >>> dive = VectorSpace(words, np.array([[2, 1, 1], [1, 0, 1]]), frequencies=frequencies, kind="dive")
    >>> model = ModelData(dive)
    >>> model
    <ModelData of 2 words: dive 3 dimensions>
    >>> model["dog"], "dog" in model, len(model)
    (array([1., 0., 1.], dtype=float32), True, 2)
    >>> import tempfile
    >>> place = tempfile.mkdtemp() + "/model"
    >>> model.save(place)
    >>> ModelData.load(place)["animal"]
    array([2., 1., 1.], dtype=float32)
    """

    def __init__(
        self,
        dive: VectorSpace,
        *,
        contexts: Later = None,
        skipgram: Later = None,
        terms: TermTable | Callable[[], TermTable] | None = None,
        patterns: Patterns | Callable[[], Patterns] | None = None,
        parameters: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self.dive = dive
        self._beside: dict[str, Later] = {"contexts": contexts, "skipgram": skipgram}
        self._terms, self._patterns = terms, patterns
        self.parameters = dict(parameters or {})
        self.facts = dict(facts or {})
        self.memo = Memo()

    def _space(self, name: str) -> VectorSpace | None:
        """A space beside the vectors, read now if it was not yet."""
        space = self._beside[name]
        if callable(space):
            space = self._beside[name] = space()
        if space is not None and space.words is not self.words and space.words != self.words:
            raise InputError(f"the {name} of a model must have the words of its vectors, in the same order")
        return space

    @classmethod
    def of(cls, data: ModelData | VectorSpace) -> Self:
        """The same vectors and patterns as an object of this class; a space becomes a model of that space alone."""
        if isinstance(data, VectorSpace):
            return cls(data, parameters=data.parameters)
        beside: dict[str, Any] = data._beside
        return cls(
            data.dive,
            **beside,
            terms=data._terms,
            patterns=data._patterns,
            parameters=data.parameters,
            facts=data.facts,
        )

    @property
    def _is_one_space(self) -> bool:
        alone = self._patterns is None and all(space is None for space in self._beside.values())
        return alone and self.dive.kind != "dive" and self.parameters == self.dive.parameters and not self.facts

    # ---- asking ---------------------------------------------------------------------------------------------

    @property
    def words(self) -> list[str]:
        """The vocabulary, most frequent first."""
        return self.dive.words

    @property
    def frequencies(self) -> npt.NDArray[np.int64]:
        """n(w) of every word."""
        return self.dive.frequencies

    @property
    def contexts(self) -> VectorSpace | None:
        """The context vectors c of w·c, or None when they were not kept."""
        return self._space("contexts")

    @property
    def skipgram(self) -> VectorSpace | None:
        """The skip-gram vectors behind the score W, or None."""
        return self._space("skipgram")

    @property
    def terms(self) -> TermTable | None:
        """The terms beside the words, or None."""
        if callable(self._terms):
            self._terms = self._terms()
        return self._terms

    @property
    def abbreviations(self) -> Abbreviations:
        """Abbreviations that the text explains, with their long forms."""
        return NO_ABBREVIATIONS if self.terms is None else self.terms.abbreviations

    @property
    def folding(self) -> Folding | None:
        """What rows of new terms need beside the contexts, or None when it was not kept."""
        from hyperdive.spaces.folding import ContextSpace

        contexts = self.contexts
        return contexts.folding if isinstance(contexts, ContextSpace) else None

    @property
    def patterns(self) -> Patterns | None:
        """What the text states, or None when it was not read for that."""
        if callable(self._patterns):
            self._patterns = self._patterns()
        return self._patterns

    @property
    def has_patterns(self) -> bool:
        """Whether there are patterns, without reading them."""
        return self._patterns is not None

    def evidence(self, hyponym: str, hypernym: str, top: int = 5) -> list[Evidence]:
        """Sentences of the text that call the first a kind of the second, the most telling first.

        Those under the other form of a term, an abbreviation or its long form, come last.
        """
        if self.patterns is None:
            return []
        found: dict[Evidence, None] = {}
        for pair in product(self.abbreviations.forms(hyponym), self.abbreviations.forms(hypernym)):
            found.update(dict.fromkeys(self.patterns.evidence(*pair, top)))
        return list(found)[:top]

    def __len__(self) -> int:
        return len(self.dive)

    def __contains__(self, word: object) -> bool:
        return word in self.dive

    def __iter__(self) -> Iterator[str]:
        return iter(self.dive)

    def vector(self, word: str) -> npt.NDArray[np.float32]:
        """The DIVE vector of a word; an unknown word is an error with near spellings."""
        return self.dive.vector(word)

    __getitem__ = vector

    def subset(self, words: Sequence[str]) -> Self:
        """The same model with these words only; terms stay, what fold-in needs goes with the other contexts."""
        return type(self)(
            self.dive.subset(words),
            contexts=None if self.contexts is None else self.contexts.subset(words),
            skipgram=None if self.skipgram is None else self.skipgram.subset(words),
            terms=self._terms,
            patterns=None if self.patterns is None else self.patterns.subset(words),
            parameters=self.parameters,
            facts=self.facts,
        )

    def __repr__(self) -> str:
        parts = [f"{self.dive.kind} {self.dive.dimensions} dimensions"]
        parts += [name for name, space in self._beside.items() if space is not None]
        parts += ["terms"] if self._terms is not None else []
        parts += ["patterns"] if self.has_patterns else []
        return f"<{type(self).__name__} of {len(self)} words: {', '.join(parts)}>"

    # ---- on disk --------------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the model folder; with `force` an older model there stays until the new one is complete.

        A model of one space other than DIVE is written as that space, as training writes it.
        """
        if self._is_one_space:
            self.dive.save(path, force=force)
            return
        from safetensors.numpy import save

        from hyperdive.spaces.model_card import card

        most = int(self.frequencies.max(initial=0))
        tensors: dict[str, Any] = {"frequencies": narrowest(self.frequencies, most)}
        spaces: dict[str, Any] = {}
        for name, space in self._stored_spaces():
            tensors |= space_tensors(name, space)
            spaces[name] = {
                "kind": space.kind,
                "dimensions": space.dimensions,
                "sparse": f"{name}.lengths" in tensors,
            }
        terms, folding, patterns = self.terms, self.folding, self.patterns
        if terms is not None:
            tensors |= terms.tensors()
        if folding is not None:
            tensors |= folding.tensors()
        with ArtifactWriter(path, KIND, VERSION, force=force) as writer:
            writer.put(VOCABULARY, "".join(f"{word}\n" for word in self.words).encode("utf-8"))
            writer.put(SPACE_TENSORS, save(tensors))
            if terms is not None:
                writer.put(TERMS, terms.lines())
                writer.put(ABBREVIATIONS, terms.abbreviations.lines())
            writer.put("README.md", card(self).encode("utf-8"))
            stated = {}
            if patterns is not None:
                write_files(patterns.table, writer)
                stated = {"patterns": about(patterns.table)}
            writer.finish(
                {
                    "parameters": self.parameters,
                    "facts": self.facts,
                    "spaces": spaces,
                    "totals": {
                        "words": len(self),
                        "dimensions": self.dive.dimensions,
                        **({} if terms is None else {"terms": len(terms)}),
                    },
                    **stated,
                }
            )

    def _stored_spaces(self) -> Iterator[tuple[str, VectorSpace]]:
        """The spaces there are under the names of their tensors."""
        yield "dive", self.dive
        for name in self._beside:
            space = self._space(name)
            if space is not None:
                yield name, space
        if self.terms is not None:
            yield "terms.dive", self.terms.dive
            if self.terms.skipgram is not None:
                yield "terms.skipgram", self.terms.skipgram

    @classmethod
    def load(cls, path: str | Path, *, verify: bool = True) -> Self:
        """Open a model or space folder, or a packaged model by name; spaces beside `dive` are read when asked for.

        Each file is compared with its checksum when it is first read; `verify=False` leaves that out.
        """
        folder = find_model(path)
        if (folder / HEADER).is_file() and read_header(folder)["format"] == f"hyperdive-{SPACE}":
            return cls.of(VectorSpace.load(folder, verify=verify))
        artifact = Artifact.open(folder, KIND, VERSION, made_with=MADE_WITH, verify=verify)
        header = artifact.header
        with header_fields(folder):
            parameters, facts, spaces = (dict(header[name]) for name in ("parameters", "facts", "spaces"))
        stored = StoredSpaces(artifact)
        beside: dict[str, Later] = {}
        if "contexts" in spaces:
            beside["contexts"] = partial(_contexts, stored)
        if "skipgram" in spaces:
            beside["skipgram"] = partial(stored.space, "skipgram")
        return cls(
            stored.space("dive"),
            **beside,
            terms=partial(TermTable.read, artifact, stored) if TERMS in artifact else None,
            patterns=partial(Patterns.read, artifact) if TENSORS in artifact else None,
            parameters=parameters,
            facts=facts,
        )


def _contexts(stored: StoredSpaces) -> VectorSpace:
    from hyperdive.spaces.folding import ContextSpace

    return ContextSpace.read(stored)
