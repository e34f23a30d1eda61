"""The model people keep: the vectors of one vocabulary (DIVE, contexts, skip-gram) and what patterns say, in a folder.

Folder (format `hyperdive-model`, version 2; version 1 had no patterns):

| file | content |
| --- | --- |
| `header.json` | format, version, parameters, facts about the corpus, training history, checksums |
| `vocabulary.txt` | one word a line, by falling frequency; the unknown symbol is not in it |
| `model.safetensors` | `frequencies`; of `dive` and `contexts` the non-zero entries row by row; `skipgram` dense |
| `README.md` | the model card |
| `pattern-terms.txt`, `patterns.safetensors` | pairs that the text states, when patterns were read |
| `evidence.parquet`, `sentences.parquet` | sentences behind those pairs, when they were kept |

Values are stored in 16 bits when that loses nothing; training rounds its results so that it never does. Rows of
`skipgram` that were rounded to 8 bits are stored so: as int8, with `skipgram.exponents` (see `hyperdive._quantize`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from hyperdive._memo import Memo
from hyperdive._quantize import packed, rounded_to_16_bits, unpacked
from hyperdive._store import HEADER, Artifact, ArtifactWriter, narrowest, read_header
from hyperdive.errors import Error, FormatError, InputError
from hyperdive.patterns.evidence import Evidence
from hyperdive.patterns.store import Patterns
from hyperdive.patterns.store_files import TENSORS, about, read_files, write_files
from hyperdive.spaces.model_card import card
from hyperdive.spaces.packaged_models import find_model
from hyperdive.spaces.space import KIND as SPACE
from hyperdive.spaces.space import VectorSpace

KIND, VERSION = "model", 2
MADE_WITH = "hyperdive train TEXT -o MODEL"
Later = VectorSpace | Callable[[], VectorSpace] | None
_DAMAGED = "the folder is damaged; train it again"


def _fits_16_bits(values: npt.NDArray[np.float32]) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.array_equal(rounded_to_16_bits(values), values))


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
        patterns: Patterns | Callable[[], Patterns] | None = None,
        parameters: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self.dive = dive
        self._beside: dict[str, Later] = {"contexts": contexts, "skipgram": skipgram}
        self._patterns = patterns
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
        return cls(data.dive, **beside, patterns=data._patterns, parameters=data.parameters, facts=data.facts)

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
        """Sentences of the text that call the first a kind of the second, the most telling first."""
        return [] if self.patterns is None else self.patterns.evidence(hyponym, hypernym, top)

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
        """The same model with these words only."""
        return type(self)(
            self.dive.subset(words),
            contexts=None if self.contexts is None else self.contexts.subset(words),
            skipgram=None if self.skipgram is None else self.skipgram.subset(words),
            patterns=None if self.patterns is None else self.patterns.subset(words),
            parameters=self.parameters,
            facts=self.facts,
        )

    def __repr__(self) -> str:
        parts = [f"{self.dive.kind} {self.dive.dimensions} dimensions"]
        parts += [name for name, space in self._beside.items() if space is not None]
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

        most = int(self.frequencies.max(initial=0))
        tensors: dict[str, Any] = {"frequencies": narrowest(self.frequencies, most)}
        spaces: dict[str, Any] = {}
        for name in ("dive", "contexts", "skipgram"):
            space: VectorSpace | None = getattr(self, name)
            if space is not None:
                tensors |= _tensors(name, space)
                spaces[name] = {
                    "kind": space.kind,
                    "dimensions": space.dimensions,
                    "sparse": f"{name}.lengths" in tensors,
                }
        patterns = self.patterns
        with ArtifactWriter(path, KIND, VERSION, force=force) as writer:
            writer.put("vocabulary.txt", "".join(f"{word}\n" for word in self.words).encode("utf-8"))
            writer.put("model.safetensors", save(tensors))
            writer.put("README.md", card(self).encode("utf-8"))
            stated = {}
            if patterns is not None:
                write_files(patterns, writer)
                stated = {"patterns": about(patterns)}
            writer.finish(
                {
                    "parameters": self.parameters,
                    "facts": self.facts,
                    "spaces": spaces,
                    "totals": {"words": len(self), "dimensions": self.dive.dimensions},
                    **stated,
                }
            )

    @classmethod
    def load(cls, path: str | Path, *, verify: bool = True) -> Self:
        """Open a model or space folder, or a packaged model by name; spaces beside `dive` are read when asked for."""
        folder = find_model(path)
        if (folder / HEADER).is_file() and read_header(folder)["format"] == f"hyperdive-{SPACE}":
            return cls.of(VectorSpace.load(folder, verify=verify))
        artifact = Artifact.open(folder, KIND, VERSION, made_with=MADE_WITH)
        if verify:
            artifact.verify()
        stored = _Stored(artifact)
        beside: dict[str, Later] = {
            name: partial(stored.space, name) for name in ("contexts", "skipgram") if name in artifact.header["spaces"]
        }
        header = artifact.header
        patterns = partial(read_files, artifact) if TENSORS in artifact else None
        return cls(
            stored.space("dive"), **beside, patterns=patterns, parameters=header["parameters"], facts=header["facts"]
        )


def _tensors(name: str, space: VectorSpace) -> dict[str, Any]:
    """What `model.safetensors` holds of a space."""
    if name == "skipgram" or not _worth_sparse(space):
        dense = np.ascontiguousarray(space.matrix.toarray() if space.is_sparse else space.matrix, dtype=np.float32)
        if name == "skipgram" and (small := packed(dense)) is not None:
            return {name: small[0], f"{name}.exponents": small[1]}
        return {name: dense.astype(np.float16) if _fits_16_bits(dense) else dense}
    csr = space.matrix if space.is_sparse else sparse.csr_array(space.matrix)
    lengths, values = np.diff(csr.indptr), np.asarray(csr.data, dtype=np.float32)
    return {
        f"{name}.lengths": narrowest(lengths, int(lengths.max(initial=0))),
        f"{name}.indices": narrowest(csr.indices, max(space.dimensions - 1, 0)),
        f"{name}.values": values.astype(np.float16) if _fits_16_bits(values) else values,
    }


def _worth_sparse(space: VectorSpace) -> bool:
    return space.is_sparse or 2 * np.count_nonzero(space.matrix) < space.matrix.size


class _Stored:
    """The spaces inside a model folder, each checked when it is read."""

    def __init__(self, artifact: Artifact) -> None:
        from safetensors import SafetensorError, safe_open

        self.path, self.header = artifact.path, artifact.header
        if "model.safetensors" not in artifact or "vocabulary.txt" not in artifact:
            raise FormatError(f"{self.path}: the model is incomplete", hint=_DAMAGED)
        try:
            self._tensors: Any = safe_open(str(self.path / "model.safetensors"), framework="numpy")
        except (SafetensorError, OSError) as error:
            raise FormatError(f"{self.path}: model.safetensors cannot be read ({error})", hint=_DAMAGED) from None
        self._names = set(self._tensors.keys())  # type: ignore[no-untyped-call,unused-ignore]
        self._words = artifact.bytes("vocabulary.txt").decode("utf-8").split("\n")[:-1]
        self._frequencies = self._tensor("frequencies", np.integer)
        if self._frequencies.shape != (len(self._words),):
            raise self._wrong("frequencies")

    def _wrong(self, name: str) -> FormatError:
        return FormatError(f"{self.path}: {name} does not have the shape of the vocabulary", hint=_DAMAGED)

    def _tensor(self, name: str, kind: Any) -> Any:
        if name not in self._names:
            raise FormatError(f"{self.path}: {name} is missing from model.safetensors", hint=_DAMAGED)
        tensor = self._tensors.get_tensor(name)
        if not np.issubdtype(tensor.dtype, kind):
            raise FormatError(f"{self.path}: {name} has type {tensor.dtype}", hint=_DAMAGED)
        return tensor

    def space(self, name: str) -> VectorSpace:
        """One of the spaces the header names."""
        about = self.header["spaces"].get(name)
        if about is None:
            raise Error(f"{self.path}: this model has no {name} vectors")
        shape = (len(self._words), int(about["dimensions"]))
        if about["sparse"]:
            matrix = self._sparse(name, shape)
            values = matrix.data
        else:
            matrix = values = self._dense(name)
        if matrix.shape != shape:
            raise self._wrong(name)
        if not np.isfinite(values).all():
            raise FormatError(f"{self.path}: {name} holds values that are not numbers", hint=_DAMAGED)
        return VectorSpace(
            self._words,
            matrix,
            frequencies=self._frequencies,
            kind=str(about["kind"]),
            parameters=self.header["parameters"],
        )

    def _dense(self, name: str) -> Any:
        if f"{name}.exponents" not in self._names:
            return self._tensor(name, np.floating).astype(np.float32)
        codes, exponents = self._tensor(name, np.int8), self._tensor(f"{name}.exponents", np.int8)
        if codes.ndim != 2 or exponents.shape != (len(codes),):
            raise self._wrong(name)
        return unpacked(codes, exponents)

    def _sparse(self, name: str, shape: tuple[int, int]) -> Any:
        lengths = self._tensor(f"{name}.lengths", np.integer).astype(np.int64)
        indices = self._tensor(f"{name}.indices", np.integer).astype(np.int32)
        values = self._tensor(f"{name}.values", np.floating).astype(np.float32)
        if lengths.shape != (shape[0],) or not len(indices) == len(values) == int(lengths.sum()):
            raise self._wrong(name)
        if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < shape[1]:
            raise self._wrong(name)
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        return sparse.csr_array((values, indices, indptr), shape=shape)
