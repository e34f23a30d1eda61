"""`VectorSpace`: words and one non-negative or real vector each. Every space hyperdive makes meets this contract.

The contract, once for all spaces (`tests/spaces/test_contract.py` runs every space through it):

- `words` are distinct and never hold the unknown symbol; row i of `matrix` is the vector of `words[i]`;
- `matrix` is a float32 array (n, d) or a `scipy.sparse.csr_array` (n, d) with sorted indices;
- `frequencies[i]` is n(w), the number of tokens of `words[i]` in the corpus;
- a word without a row is an `UnknownWordError` error (also a `KeyError`) with near spellings, never a zero vector;
- `variances`, float32 (n, d), is there when words are Gaussians and `matrix` holds their means; else it is None;
- `save` writes a folder that `load` maps back unchanged; the same space gives the same bytes.

Folder (format `hyperdive-space`, version 1): `words.txt` (one word a line), `frequencies.bin` (int64), and either
`matrix.bin` (float32) or `indptr.bin` (int64), `indices.bin` (int32 or int64) and `data.bin` (float32). Gaussians have
`variances.bin` (float32) beside `matrix.bin`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from hyperdive._checks import MOST_DIMENSIONS, are_below, are_finite, are_pointers, rise_in_rows
from hyperdive._quantize import PackedRows, unpacked
from hyperdive._spelling import unknown_word
from hyperdive._store import Artifact, ArtifactWriter, header_fields
from hyperdive._types import Floats32, Ints
from hyperdive.errors import FormatError, InputError

KIND, VERSION = "space", 1
_DAMAGED = "the folder is damaged; create it again"
MADE_WITH = "hyperdive train INPUT -o MODEL"


class VectorSpace:
    """Words with a vector each.

    >>> space = VectorSpace(["animal", "dog"], np.array([[2, 1, 1], [1, 0, 1]]), frequencies=[40, 9], kind="dive")
    >>> space
    <VectorSpace dive: 2 words, 3 dimensions, dense>
    >>> space["dog"], "cat" in space, list(space)
    (array([1., 0., 1.], dtype=float32), False, ['animal', 'dog'])
    >>> space.phrase(["animal", "dog"])
    array([1.5, 0.5, 1. ], dtype=float32)
    >>> space["dgo"]
    Traceback (most recent call last):
    hyperdive.errors.UnknownWordError: 'dgo' is not in this space (did you mean dog?)
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: Any,
        *,
        frequencies: Any,
        kind: str,
        parameters: Mapping[str, Any] | None = None,
        variances: Any = None,
    ) -> None:
        self.words = words if isinstance(words, list) else list(words)  # spaces of one vocabulary share the list
        self._packed = matrix if isinstance(matrix, PackedRows) else None
        if self._packed is None:
            self.matrix = _checked(matrix)
        self.shape: tuple[int, int] = (self.matrix if self._packed is None else self._packed).shape
        self.frequencies: Ints = np.asarray(frequencies, dtype=np.int64)
        self.kind = kind
        self.other_names: Mapping[str, str] = {}
        """Names of terms without a row that are looked up by another name: an abbreviation by its long form."""
        self.parameters = dict(parameters or {})
        if self.shape[0] != len(self.words) or self.frequencies.shape != (len(self.words),):
            raise InputError(
                f"{len(self.words)} words, {self.shape[0]} vectors and {self.frequencies.size} frequencies "
                "do not go together"
            )
        self.variances: Floats32 | None = None if variances is None else np.asarray(variances, dtype=np.float32)
        if self.variances is not None and (self.is_sparse or self.variances.shape != self.shape):
            raise InputError(f"variances of shape {self.variances.shape} do not go with these vectors")

    # ---- asking ---------------------------------------------------------------------------------------------

    @cached_property
    def matrix(self) -> Any:
        """The vectors, one row per word: an array or a `scipy.sparse.csr_array`. Vectors in 8 bits are unpacked now."""
        assert self._packed is not None
        return unpacked(*self._packed)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        numbers = dict(zip(self.words, range(len(self.words)), strict=True))
        if len(numbers) != len(self.words):
            raise InputError("a space has one vector per word, but a word occurs twice")
        return numbers

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return int(self.shape[1])

    @property
    def is_sparse(self) -> bool:
        """Whether `matrix` is a CSR matrix."""
        return self._packed is None and not isinstance(self.matrix, np.ndarray)

    @property
    def packed(self) -> PackedRows | None:
        """The vectors in 8 bits, as long as nobody has asked for all of them in full."""
        return None if "matrix" in self.__dict__ else self._packed

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def index(self, word: str) -> int:
        """The row of a word; a word that is not there is an error with near spellings."""
        try:
            return self._numbers[word]
        except (KeyError, TypeError):
            raise unknown_word(word, self.words, self._numbers, "this space") from None

    def vector(self, word: str) -> Floats32:
        """The vector of a word, dense."""
        return self._dense(self.index(word))

    __getitem__ = vector

    def rows(self, indices: Any) -> Any:
        """The vectors at these rows as one block: an array, or a CSR matrix when the space is sparse.

        Of vectors in 8 bits no others are unpacked.
        """
        indices = np.asarray(indices, dtype=np.int64)
        packed = self.packed
        return self.matrix[indices] if packed is None else unpacked(*packed.taken(indices))

    def phrase(self, words: Sequence[str]) -> Floats32:
        """The mean vector of the words of a phrase; when any is missing so is the phrase."""
        if isinstance(words, str):
            raise InputError(f"a phrase is a list of words, not the string {words!r}", hint=f"use {words.split()}")
        if not words:
            raise InputError("a phrase has at least one word")
        total = np.zeros(self.dimensions, dtype=np.float64)
        for number in [self.index(word) for word in words]:
            total += self._dense(number)
        return (total / len(words)).astype(np.float32)

    def frequency(self, word: str) -> int:
        """n(w): how many tokens of this word the corpus had."""
        return int(self.frequencies[self.index(word)])

    def subset(self, words: Sequence[str]) -> VectorSpace:
        """The same space with these words only, in this order."""
        numbers = np.array([self.index(word) for word in words], dtype=np.int64)
        return VectorSpace(
            words,
            self.rows(numbers),
            frequencies=self.frequencies[numbers],
            kind=self.kind,
            parameters=self.parameters,
            variances=None if self.variances is None else self.variances[numbers],
        )

    def _dense(self, number: int) -> Floats32:
        if isinstance(self.matrix, np.ndarray):
            return np.array(self.matrix[number])
        vector = np.zeros(self.dimensions, dtype=np.float32)
        start, end = int(self.matrix.indptr[number]), int(self.matrix.indptr[number + 1])
        vector[self.matrix.indices[start:end]] = self.matrix.data[start:end]
        return vector

    def __repr__(self) -> str:
        form = "sparse" if self.is_sparse else "dense"
        return f"<{type(self).__name__} {self.kind}: {len(self)} words, {self.dimensions} dimensions, {form}>"

    # ---- on disk --------------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the space as a folder; with `force` an older artefact there is replaced."""
        with ArtifactWriter(path, KIND, VERSION, force=force) as writer:
            writer.put("words.txt", "".join(f"{word}\n" for word in self.words).encode("utf-8"))
            writer.put("frequencies.bin", self.frequencies)
            if isinstance(self.matrix, np.ndarray):
                writer.put("matrix.bin", self.matrix)
            else:
                writer.put("indptr.bin", self.matrix.indptr.astype(np.int64))
                writer.put("indices.bin", self.matrix.indices)
                writer.put("data.bin", self.matrix.data)
            if self.variances is not None:
                writer.put("variances.bin", self.variances)
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
        words, header = artifact.lines("words.txt"), artifact.header
        with header_fields(artifact.path):
            shape = (int(header["totals"]["words"]), int(header["totals"]["dimensions"]))
            kind, parameters = str(header["space"]), dict(header["parameters"])
        if not 0 <= shape[1] <= MOST_DIMENSIONS:
            raise FormatError(f"{path}: {shape[1]} dimensions", hint=_DAMAGED)
        if "matrix.bin" in artifact:
            matrix = values = artifact.array("matrix.bin", "float32", ndim=2)
        else:
            matrix = _mapped_csr(artifact, shape)
            values = matrix.data
        frequencies = artifact.array("frequencies.bin", "int64")
        if matrix.shape != shape or not len(words) == len(frequencies) == shape[0]:
            raise FormatError(f"{path}: {len(words)} words and a matrix of {matrix.shape}, its header says {shape}")
        variances = artifact.array("variances.bin", "float32", ndim=2) if "variances.bin" in artifact else None
        if variances is not None and (
            variances.shape != shape or not are_finite(variances) or "matrix.bin" not in artifact
        ):
            raise FormatError(f"{path}: the variances are not those of its vectors", hint=_DAMAGED)
        if not are_finite(values) or not are_below(frequencies, 1 << 63):
            raise FormatError(f"{path}: it holds values that are not numbers", hint=_DAMAGED)
        return VectorSpace(
            words, matrix, frequencies=frequencies, kind=kind, parameters=parameters, variances=variances
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
    indptr, data = artifact.array("indptr.bin", "int64"), artifact.array("data.bin", "float32")
    indices = artifact.array("indices.bin", "int32", "int64")
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
