"""What `model.safetensors` holds: spaces as tensors, each checked when it is read."""

from __future__ import annotations

import errno
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from hyperdive._checks import MOST_DIMENSIONS, are_below, are_finite, rise_in_rows, row_pointers
from hyperdive._quantize import PackedRows, packed, rounded_to_16_bits
from hyperdive._store import Artifact, header_fields, narrowest
from hyperdive._types import Floats32, Ints
from hyperdive.errors import Error, FormatError
from hyperdive.spaces.space import VectorSpace

TENSORS, VOCABULARY = "model.safetensors", "vocabulary.txt"
DAMAGED = "the folder is damaged; train it again"


def fits_16_bits(values: Floats32) -> bool:
    """Whether 16 bits lose nothing of these values."""
    with np.errstate(over="ignore"):
        return bool(np.array_equal(rounded_to_16_bits(values), values))


def narrowest_floats(values: Floats32) -> Any:
    """The same values in 16 bits where that loses nothing."""
    return values.astype(np.float16) if fits_16_bits(values) else values


def space_tensors(name: str, space: VectorSpace) -> dict[str, Any]:
    """The tensors of a space; vectors of skip-gram are never sparse."""
    skipgram = name.endswith("skipgram")
    if skipgram or not _worth_sparse(space):
        dense = np.ascontiguousarray(space.matrix.toarray() if space.is_sparse else space.matrix, dtype=np.float32)
        if skipgram and (small := packed(dense)) is not None:
            return {name: small[0], f"{name}.exponents": small[1]}
        return {name: narrowest_floats(dense)}
    csr = space.matrix if space.is_sparse else csr_array(space.matrix)
    lengths, values = np.diff(csr.indptr), np.asarray(csr.data, dtype=np.float32)
    return {
        f"{name}.lengths": narrowest(lengths, int(lengths.max(initial=0))),
        f"{name}.indices": narrowest(csr.indices, max(space.dimensions - 1, 0)),
        f"{name}.values": narrowest_floats(values),
    }


def _worth_sparse(space: VectorSpace) -> bool:
    return space.is_sparse or 2 * np.count_nonzero(space.matrix) < space.matrix.size


class StoredSpaces:
    """The spaces inside a model folder, each checked when it is read."""

    def __init__(self, artifact: Artifact) -> None:
        from safetensors import SafetensorError, safe_open

        self.path, self.header = artifact.path, artifact.header
        if TENSORS not in artifact or VOCABULARY not in artifact:
            raise FormatError(f"{self.path}: the model is incomplete", hint=DAMAGED)
        try:
            self._tensors: Any = safe_open(str(artifact.file(TENSORS)), framework="numpy")
        except (SafetensorError, OSError) as error:
            if isinstance(error, OSError) and error.errno == errno.ENOMEM:
                raise
            raise FormatError(f"{self.path}: model.safetensors cannot be read ({error})", hint=DAMAGED) from None
        self._names = set(self._tensors.keys())  # type: ignore[no-untyped-call,unused-ignore]
        self.words = artifact.lines(VOCABULARY)
        self.frequencies = self.counts("frequencies", len(self.words))

    def wrong(self, name: str) -> FormatError:
        """A tensor that does not go with the rest."""
        return FormatError(f"{self.path}: {name} does not have the shape of the vocabulary", hint=DAMAGED)

    def __contains__(self, tensor: str) -> bool:
        return tensor in self._names

    def tensor(self, name: str, kind: Any) -> Any:
        """One tensor of this kind of number."""
        if name not in self._names:
            raise FormatError(f"{self.path}: {name} is missing from model.safetensors", hint=DAMAGED)
        try:
            tensor = self._tensors.get_tensor(name)
        except MemoryError:
            raise
        except Exception as error:  # the library raises what it likes for types that numpy does not have
            raise FormatError(f"{self.path}: {name} cannot be read ({error})", hint=DAMAGED) from None
        if not np.issubdtype(tensor.dtype, kind):
            raise FormatError(f"{self.path}: {name} has type {tensor.dtype}", hint=DAMAGED)
        return tensor

    def counts(self, name: str, size: int) -> Ints:
        """How often each of `size` words or terms occurs."""
        tensor: Ints = self.tensor(name, np.integer)
        if tensor.shape != (size,) or not are_below(tensor, 1 << 63):
            raise self.wrong(name)
        return tensor

    def space(self, name: str, words: list[str] | None = None, frequencies: Ints | None = None) -> VectorSpace:
        """One of the spaces the header names, over the vocabulary or over these words."""
        if words is None or frequencies is None:
            words, frequencies = self.words, self.frequencies
        with header_fields(self.path):
            about = self.header["spaces"].get(name)
            if about is None:
                raise Error(f"{self.path}: this model has no {name} vectors")
            shape = (len(words), int(about["dimensions"]))
            kind, is_sparse, parameters = str(about["kind"]), bool(about["sparse"]), dict(self.header["parameters"])
        if not 0 <= shape[1] <= MOST_DIMENSIONS:
            raise self.wrong(name)
        if is_sparse:
            matrix = self._sparse(name, shape)
            values = matrix.data
        else:
            matrix = values = self._dense(name)
        if matrix.shape != shape:
            raise self.wrong(name)
        if not (values.are_finite if isinstance(values, PackedRows) else are_finite(values)):
            raise FormatError(f"{self.path}: {name} holds values that are not numbers", hint=DAMAGED)
        return VectorSpace(words, matrix, frequencies=frequencies, kind=kind, parameters=parameters)

    def _dense(self, name: str) -> Any:
        if f"{name}.exponents" not in self._names:
            return self.tensor(name, np.floating).astype(np.float32)
        codes, exponents = self.tensor(name, np.int8), self.tensor(f"{name}.exponents", np.int8)
        if codes.ndim != 2 or exponents.shape != (len(codes),):
            raise self.wrong(name)
        return PackedRows(codes, exponents)

    def _sparse(self, name: str, shape: tuple[int, int]) -> Any:
        lengths, indices = self.tensor(f"{name}.lengths", np.integer), self.tensor(f"{name}.indices", np.integer)
        values = self.tensor(f"{name}.values", np.floating).astype(np.float32)
        if lengths.shape != (shape[0],) or indices.ndim != 1 or indices.shape != values.shape:
            raise self.wrong(name)
        indptr = row_pointers(lengths, len(indices))
        if indptr is None or not are_below(indices, shape[1]) or not rise_in_rows(indices, indptr):
            raise self.wrong(name)
        return csr_array((values, indices.astype(np.int32), indptr), shape=shape)
