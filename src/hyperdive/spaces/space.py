"""`VectorSpace`: words and one non-negative or real vector each. Every space hyperdive makes meets this contract.

The contract, once for all spaces (`tests/spaces/test_contract.py` runs every space through it):

- `words` are distinct and never hold the unknown symbol; row i of `matrix` is the vector of `words[i]`. In a model
  the multi-word terms come after the words (see `hyperdive.text.vocabulary`);
- `matrix` is a float32 array (n, d) or a `scipy.sparse.csr_array` (n, d) with sorted indices;
- `frequencies[i]` is n(w), the number of tokens of `words[i]` in the corpus;
- a word without a row is an `UnknownWordError` error (also a `KeyError`) with near spellings, never a zero vector;
- `variances`, float32 (n, d), is there when words are Gaussians and `matrix` holds their means; else it is None;
- `save` writes a folder that `load` maps back unchanged; the same space gives the same bytes.

Folder (format `hyperdive-space`, version 2): `vocabulary.parquet` (see `hyperdive.spaces.vocabulary_file`), and either
`matrix.npy` (float32) or `indptr.npy` (int64), `indices.npy` (int32 or int64) and `data.npy` (float32). Gaussians have
`variances.npy` (float32) beside `matrix.npy`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from hyperdive._checks import MOST_DIMENSIONS, are_below, are_finite, are_pointers, rise_in_rows
from hyperdive._store import Artifact, ArtifactWriter, header_fields
from hyperdive._types import Floats, Floats32, Ints
from hyperdive.errors import FormatError, InputError
from hyperdive.spaces.tensors import StoredRows
from hyperdive.spaces.vocabulary_file import VocabularyFile
from hyperdive.text.vocabulary import Lookup, Vocabulary

KIND, VERSION = "space", 2
_DAMAGED = "the folder is damaged; create it again"
MADE_WITH = "hyperdive train INPUT -o MODEL"


class VectorSpace:
    """Words with a vector each.

    >>> space = VectorSpace(["animal", "dog"], np.array([[2, 1, 1], [1, 0, 1]]), frequencies=[40, 9], kind="dive")
    >>> space
    <VectorSpace dive: 2 words, 3 dimensions, dense>
    >>> space["dog"], "cat" in space, list(space)
    (array([1., 0., 1.], dtype=float32), False, ['animal', 'dog'])
    >>> space["dgo"]
    Traceback (most recent call last):
    hyperdive.errors.UnknownWordError: 'dgo' is not in this space (did you mean dog?)
    """

    def __init__(
        self,
        words: Sequence[str] | Vocabulary,
        matrix: Any,
        *,
        frequencies: Any = None,
        kind: str,
        parameters: Mapping[str, Any] | None = None,
        variances: Any = None,
        sums: Any = None,
    ) -> None:
        self.vocabulary = words if isinstance(words, Vocabulary) else Vocabulary(words, frequencies)
        self.stored = matrix if isinstance(matrix, StoredRows) else None
        if self.stored is None:
            self.matrix = _checked(matrix)
        self.shape: tuple[int, int] = (self.matrix if self.stored is None else self.stored).shape
        self.kind = kind
        self.parameters = dict(parameters or {})
        if self.shape[0] != len(self.words):
            raise InputError(f"{len(self.words)} words and {self.shape[0]} vectors do not go together")
        self.variances: Floats32 | None = None if variances is None else np.asarray(variances, dtype=np.float32)
        if self.variances is not None and (self.is_sparse or self.variances.shape != self.shape):
            raise InputError(f"variances of shape {self.variances.shape} do not go with these vectors")
        if sums is not None:
            self.sums = sums

    # ---- asking ---------------------------------------------------------------------------------------------

    @property
    def words(self) -> list[str]:
        """The names of the rows: words, and terms after them where a model has some."""
        return self.vocabulary.names

    @property
    def frequencies(self) -> Ints:
        """n(w) of each row."""
        return self.vocabulary.frequencies

    @cached_property
    def matrix(self) -> Any:
        """The vectors, one row per word: an array or a `scipy.sparse.csr_array`, in 32 bits."""
        assert self.stored is not None
        return self.stored.whole()

    @cached_property
    def sums(self) -> Floats:
        """S(w) = Σᵢ w[i] of each row."""
        csr = csr_array(self.matrix)
        rows = np.repeat(np.arange(len(self)), np.diff(csr.indptr))
        return np.bincount(rows, csr.data, len(self)).astype(np.float64, copy=False)

    @cached_property
    def nonnegative(self) -> bool:
        """Whether no value is below zero."""
        if self.stored is not None:
            values = self.stored.values
        else:
            values = self.matrix if isinstance(self.matrix, np.ndarray) else self.matrix.data
        return bool(values.size == 0 or values.min() >= 0)

    @cached_property
    def of_words(self) -> VectorSpace:
        """The same without its terms."""
        words = self.vocabulary.of_words
        if words is self.vocabulary:
            return self
        matrix = _first_rows(self.matrix, len(words)) if self.stored is None else self.stored.first(len(words))
        return VectorSpace(words, matrix, kind=self.kind, parameters=self.parameters)

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return int(self.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether `matrix` is a CSR matrix."""
        return not isinstance(self.matrix, np.ndarray) if self.stored is None else self.stored.is_sparse

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __iter__(self) -> Iterator[str]:
        return iter(self.vocabulary)

    def index(self, word: str) -> int:
        """The row of a word; a word that is not there is an error with near spellings."""
        return self.vocabulary.index(word)

    def vector(self, word: str) -> Floats32:
        """The vector of a word, dense."""
        return self._dense(self.index(word))

    __getitem__ = vector

    def rows(self, indices: Any) -> Any:
        """The vectors at these rows as one block: an array, or a CSR matrix when the space is sparse.

        Of vectors that are stored in fewer bits no others are converted.
        """
        indices = np.asarray(indices, dtype=np.int64)
        return self.matrix[indices] if self.stored is None else self.stored.taken(indices)

    def means(self, lookup: Lookup) -> Any:
        """Return the vectors of looked-up terms: means for several rows, zero for terms that are missing.

        Single rows keep the precision of the space. With a mean among them the result is in 64 bits, so that no mean
        is rounded.

        >>> space = VectorSpace(["bar", "cola"], [[1, 0], [0, 1]], frequencies=[1, 1], kind="dive")
        >>> space.means(space.vocabulary.look_up([["cola", "bar"], ["bar"], ["zebra"]])).tolist()
        [[0.5, 0.5], [1.0, 0.0], [0.0, 0.0]]
        """
        counts = np.diff(lookup.starts)
        if (counts == 1).all():
            return self.rows(lookup.rows)
        words, places = np.unique(lookup.rows, return_inverse=True)
        dtype = np.dtype(np.float64 if (counts > 1).any() else np.float32)
        parts = csr_array((np.ones(len(places), dtype=dtype), places, lookup.starts), shape=(len(counts), len(words)))
        sums = parts @ self.rows(words).astype(dtype)
        if isinstance(sums, np.ndarray):
            return sums / np.maximum(counts, 1).astype(dtype)[:, None]
        sums.sort_indices()
        sums.data /= np.repeat(counts, np.diff(sums.indptr))
        return sums

    def frequency(self, word: str) -> int:
        """n(w): how many tokens of this word the corpus had."""
        return int(self.frequencies[self.index(word)])

    def subset(self, words: Sequence[str]) -> VectorSpace:
        """The same space with these words only, in this order."""
        numbers = np.array([self.index(word) for word in words], dtype=np.int64)
        return VectorSpace(
            self.vocabulary.subset(words),
            self.rows(numbers),
            kind=self.kind,
            parameters=self.parameters,
            variances=None if self.variances is None else self.variances[numbers],
        )

    def _dense(self, number: int) -> Floats32:
        [vector] = dense(self.rows([number]))
        return np.asarray(vector, dtype=np.float32)

    def __repr__(self) -> str:
        form = "sparse" if self.is_sparse else "dense"
        return f"<{type(self).__name__} {self.kind}: {len(self)} words, {self.dimensions} dimensions, {form}>"

    # ---- on disk --------------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the space as a folder; with `force` an older artefact there is replaced."""
        with ArtifactWriter(path, KIND, VERSION, force=force) as writer:
            VocabularyFile(self.vocabulary, self.sums).write(writer)
            if isinstance(self.matrix, np.ndarray):
                writer.put("matrix.npy", self.matrix)
            else:
                writer.put("indptr.npy", self.matrix.indptr.astype(np.int64))
                writer.put("indices.npy", self.matrix.indices)
                writer.put("data.npy", self.matrix.data)
            if self.variances is not None:
                writer.put("variances.npy", self.variances)
            writer.finish(
                {
                    "space": self.kind,
                    "parameters": self.parameters,
                    "totals": {"words": len(self), "dimensions": self.dimensions},
                }
            )

    @classmethod
    def load(cls, path: str | Path, *, verify: bool = True) -> VectorSpace:
        """Map a saved space; nothing is read twice, and damage is found here (`verify=False` skips the checksums)."""
        artifact = Artifact.open(path, KIND, VERSION, made_with=MADE_WITH, verify=verify)
        names, header = VocabularyFile.read(artifact), artifact.header
        with header_fields(artifact.path):
            shape = (int(header["totals"]["words"]), int(header["totals"]["dimensions"]))
            kind, parameters = str(header["space"]), dict(header["parameters"])
        if not 0 <= shape[1] <= MOST_DIMENSIONS:
            raise FormatError(f"{path}: {shape[1]} dimensions", hint=_DAMAGED)
        if "matrix.npy" in artifact:
            matrix = values = artifact.array("matrix.npy", "float32", ndim=2)
        else:
            matrix = _mapped_csr(artifact, shape)
            values = matrix.data
        if matrix.shape != shape or len(names.vocabulary) != shape[0]:
            raise FormatError(
                f"{path}: {len(names.vocabulary)} words and a matrix of {matrix.shape}, its header says {shape}",
                hint=_DAMAGED,
            )
        variances = artifact.array("variances.npy", "float32", ndim=2) if "variances.npy" in artifact else None
        if variances is not None and (
            variances.shape != shape or not are_finite(variances) or "matrix.npy" not in artifact
        ):
            raise FormatError(f"{path}: the variances are not those of its vectors", hint=_DAMAGED)
        if not are_finite(values):
            raise FormatError(f"{path}: it holds values that are not numbers", hint=_DAMAGED)
        return VectorSpace(
            names.vocabulary, matrix, kind=kind, parameters=parameters, variances=variances, sums=names.sums
        )


def dense(block: Any) -> Any:
    """Return rows as an array, whether they are sparse or not."""
    return block if isinstance(block, np.ndarray) else block.toarray()


def _first_rows(matrix: Any, count: int) -> Any:
    """Return the first rows of a matrix, without a copy."""
    if isinstance(matrix, np.ndarray):
        return matrix[:count]
    end = int(matrix.indptr[count])
    return csr_array(
        (matrix.data[:end], matrix.indices[:end], matrix.indptr[: count + 1]), shape=(count, matrix.shape[1])
    )


def unit_rows(rows: Floats32, lean: float, shortest: float = 0.0) -> Floats32:
    """Rows with length 1, and the constant dimension; a row not longer than `shortest` has no association and is zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]), 0.25).tolist()
    [[0.6000000238418579, 0.800000011920929, 0.5], [0.0, 0.0, 0.0]]
    """
    lengths = np.sqrt(np.square(rows, dtype=np.float64).sum(axis=1, keepdims=True))
    known = lengths > shortest
    unit = np.where(known, rows / np.where(known, lengths, 1.0), 0.0)
    if lean:
        unit = np.hstack([unit, np.where(known, np.sqrt(lean), 0.0)])
    result: Floats32 = np.ascontiguousarray(unit, dtype=np.float32)
    return result


def _checked(matrix: Any) -> Any:
    """float32, two dimensions, CSR with sorted indices when sparse; no copy when it is so already."""
    if isinstance(matrix, np.ndarray) or not hasattr(matrix, "tocsr"):
        dense = np.asarray(matrix, dtype=np.float32)
        if dense.ndim != 2:
            raise InputError(f"a matrix of vectors has two dimensions, not {dense.ndim}")
        return dense
    sparse = matrix if isinstance(matrix, csr_array) else csr_array(matrix.tocsr())
    if sparse.dtype != np.float32:
        sparse = sparse.astype(np.float32)
    if not sparse.has_sorted_indices:
        sparse = sparse.sorted_indices()
    return sparse


def _mapped_csr(artifact: Artifact, shape: tuple[int, int]) -> Any:
    indptr, data = artifact.array("indptr.npy", "int64"), artifact.array("data.npy", "float32")
    indices = artifact.array("indices.npy", "int32", "int64")
    fits = len(indptr) == shape[0] + 1 and len(indices) == len(data) and are_pointers(indptr, len(indices))
    if not fits or not are_below(indices, shape[1]) or not rise_in_rows(indices, indptr):
        raise FormatError(
            f"{artifact.path}: the parts of its sparse matrix do not fit together", hint="create it again"
        )
    # scipy wants both index arrays of one type; offsets are few, so they give way when they fit
    if indices.dtype == np.int32 and len(indices) <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    matrix = csr_array((data, indices, indptr), shape=shape)
    matrix.has_sorted_indices = True
    return matrix
