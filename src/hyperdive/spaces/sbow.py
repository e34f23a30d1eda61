"""Sparse bags of words: the vector of a word is its row of counts or associations, one dimension a context word."""

from __future__ import annotations

import numpy as np

from hyperdive.counts.cooccurrence import Cooccurrence
from hyperdive.counts.pmi_filter import PmiFilter
from hyperdive.errors import OptionError
from hyperdive.spaces.space import VectorSpace

SBOW_KINDS = {"sbow-freq": "freq", "sbow-ppmi": "shifted-ppmi", "sbow-ppmi-is": "ppmi-is"}
"""Kind of space → association of `hyperdive.counts.association`."""


def sbow(
    counts: Cooccurrence,
    kind: str = "sbow-ppmi",
    *,
    shift: float = 1.0,
    filtered: PmiFilter | None = None,
    threads: int | None = None,
) -> VectorSpace:
    """The sparse space of a count store; words and contexts are its vocabulary without the unknown symbol.

    | kind | x[c] |
    | --- | --- |
    | `sbow-freq` | n(x,c) |
    | `sbow-ppmi` | max(log(n(x,c)·|D| / (#(x)·#(c))) - log k', 0) with k' = `shift`; the paper's is 1 |
    | `sbow-ppmi-is` | max(log(n(x,c)·|V| / (#(c)·k_I)), 0) with k_I = `shift`; the paper's is 1 |

    With `filtered`, only pairs that pass the PMI filter have entries; the sums in the formulas are over all pairs.

    >>> import tempfile
    >>> from hyperdive.text.token_lists import encode_tokens
    >>> lines = [["dog", "bark"], ["dog", "bark", "cat"], ["cat", "sleep"]]
    >>> corpus = encode_tokens(lines, tempfile.mkdtemp() + "/corpus", min_count=1)
    >>> space = sbow(Cooccurrence.from_corpus(corpus), "sbow-freq")
    >>> space
    <VectorSpace sbow-freq: 4 words, 4 dimensions, sparse>
    >>> space.words, space["dog"].tolist()
    (['bark', 'cat', 'dog', 'sleep'], [2.0, 1.0, 0.0, 0.0])
    """
    if kind not in SBOW_KINDS:
        raise OptionError(f"no sparse space {kind!r}", hint=f"use one of {', '.join(SBOW_KINDS)}")
    if shift != 1.0 and kind == "sbow-freq":
        raise OptionError(f"{kind} has no shift", hint="use sbow-ppmi or sbow-ppmi-is, or leave the shift out")
    matrix = counts.association(SBOW_KINDS[kind], k=shift, filtered=filtered, dtype=np.float32, threads=threads)
    parameters = {**counts.header["parameters"], "counts": counts.fingerprint, "text": counts.header["text"]}
    if kind != "sbow-freq":
        parameters["shift"] = shift
    if filtered is not None:
        parameters["pmi_filter"] = filtered.as_parameters()
    return VectorSpace(counts.words, matrix, frequencies=counts.frequencies[1:], kind=kind, parameters=parameters)
