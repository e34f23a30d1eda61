"""Vectors in 8 bits: each row is whole numbers from −127 to 127 times a power of two of its own.

    x[i] ≈ c[i]·2^e        e = the smallest exponent with max |x[i]| ≤ 127·2^e, but at least −24

A power of two makes the result exact in 16 bits too (which hold multiples of 2⁻²⁴), and rounding twice changes
nothing: what was rounded once can be stored in 8 bits again without loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hyperdive._types import Floats32

_LOWEST, _HIGHEST = -24, 120

Codes = npt.NDArray[np.int8]


def rounded_to_8_bits(matrix: Any) -> Floats32:
    """The nearest rows that 8 bits can hold.

    >>> rounded_to_8_bits(np.array([[1.0, 0.3, -0.01], [0.0, 0.0, 0.0]])).tolist()
    [[1.0, 0.296875, -0.015625], [0.0, 0.0, 0.0]]
    """
    return unpacked(*rounded(matrix))


def rounded_to_16_bits(matrix: Floats32) -> Floats32:
    """The nearest values that 16 bits can hold.

    >>> rounded_to_16_bits(np.array([0.1, 1e-9], dtype=np.float32))
    array([0.09997559, 0.        ], dtype=float32)
    """
    return matrix.astype(np.float16).astype(np.float32)


def packed(matrix: Any) -> tuple[Codes, Codes] | None:
    """The numbers c and the exponents e of every row, or None when 8 bits would lose something.

    >>> codes, exponents = packed(np.array([[1.0, 0.296875, -0.015625]]))
    >>> codes.tolist(), exponents.tolist()
    ([[64, 19, -1]], [-6])
    >>> packed(np.array([[1.0, 0.3]])) is None
    True
    """
    codes, exponents = rounded(matrix)
    return (codes, exponents) if np.array_equal(unpacked(codes, exponents), matrix) else None


def unpacked(codes: Codes, exponents: Codes) -> Floats32:
    """The rows again; infinite where a damaged exponent is too large."""
    with np.errstate(over="ignore"):
        scale = np.ldexp(np.float32(1), exponents.astype(np.int32))  # products with a power of two are exact
        return np.multiply(codes, scale[:, None], dtype=np.float32)


def rounded(matrix: Any) -> tuple[Codes, Codes]:
    """The numbers c and the exponents e of the nearest rows that 8 bits can hold."""
    matrix = np.asarray(matrix, dtype=np.float32)
    largest = np.abs(matrix).max(axis=1, initial=0.0)
    parts, powers = np.frexp(largest)  # largest = part·2^power, 1/2 ≤ part < 1
    exponents = np.where(largest > 0, powers - 7 + (parts > 127 / 128), 0)
    exponents = np.clip(exponents, _LOWEST, _HIGHEST).astype(np.int8)
    codes = np.rint(np.ldexp(matrix, -exponents.astype(np.int32)[:, None]))
    return np.clip(codes, -127, 127).astype(np.int8), exponents
